"""Which files a source names: a folder, a file, a glob, or a list of these. Nothing is opened here."""

from __future__ import annotations

import glob as globbing
import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kgkit.errors import InputError

__all__ = ["Found", "Item", "find_files", "printable"]

_JUNK = frozenset({"thumbs.db", "desktop.ini", "ehthumbs.db", "icon\r", "__macosx", "$recycle.bin"})
_MAGIC = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class Item:
    """One file to read, or one thing that is not read, with the reason."""

    source: str
    path: str = ""
    size: int = 0
    status: str = "ok"
    reason: str | None = None
    detail: str | None = None


@dataclass
class Found:
    """What a source holds, before sources are made unique."""

    base: str
    items: list[tuple[str, str, str | None, str | None]] = field(default_factory=list)  # path, status, reason, detail

    def add(self, path: str, status: str = "ok", reason: str | None = None, detail: str | None = None) -> None:
        """Note one path."""
        self.items.append((path, status, reason, detail))


def find_files(source: object, *, glob: str = "**/*", root: str | os.PathLike[str] | None = None) -> list[Item]:
    """List the files of a source, ordered by their path below the root.

    Args:
        source: A folder, file or glob, or a list of these.
        glob: Which files of a folder.
        root: What paths are relative to; by default the folder itself, or the deepest folder that holds all.

    Returns:
        One item for each file, and for each thing that was passed over.

    Raises:
        InputError: The only source does not exist, or is no path at all.
    """
    several = isinstance(source, Iterable) and not isinstance(source, (str, bytes, os.PathLike, Mapping))
    entries = [_text(entry) for entry in source] if isinstance(source, Iterable) and several else [_text(source)]
    found = Found(base=_text(root) if root is not None else "")
    folders = []
    for entry in entries:
        folders.extend(_expand(entry, found, glob, alone=not several))
    base = os.path.abspath(found.base) if found.base else _common(folders)
    return _named(found, base, checked=root is not None)


def printable(path: str) -> str:
    """Write a file name so that it can be shown and stored: bytes that are no UTF-8 and controls are escaped."""
    raw = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() or c == "\u3000" else c.encode("unicode_escape").decode("ascii") for c in raw)


def _text(entry: object) -> str:
    if isinstance(entry, (str, os.PathLike)) and not os.fspath(entry):
        msg = "source holds an empty path. For the folder you are in, give '.'."
        raise InputError(msg)
    if isinstance(entry, (str, os.PathLike)):
        return os.path.expanduser(os.fsdecode(entry))
    msg = (
        f"source must be a folder, a file, a glob, a list of these, or a frame with a text column; "
        f"this holds a {type(entry).__name__}."
    )
    raise InputError(msg)


def _expand(entry: str, found: Found, glob: str, *, alone: bool) -> list[str]:
    """Note what one entry stands for; return the folders that sources may be relative to."""
    path = os.path.abspath(entry)
    try:
        about = os.stat(path)
    except (OSError, ValueError) as error:
        return _expand_missing(entry, found, error, alone=alone)
    if stat.S_ISDIR(about.st_mode):
        _walk(path, glob, found)
        return [path]
    if stat.S_ISREG(about.st_mode):
        found.add(path)
    else:
        found.add(path, "skipped", "not_a_file", "This is no regular file (a pipe, socket or device).")
    return [os.path.dirname(path)]


def _expand_missing(entry: str, found: Found, error: Exception, *, alone: bool) -> list[str]:
    if _MAGIC.search(entry):
        matches = sorted(globbing.glob(entry, recursive=True))
        for match in matches:
            if os.path.isfile(match):
                found.add(os.path.abspath(match))
            elif not os.path.isdir(match):
                found.add(os.path.abspath(match), "skipped", "not_a_file", "This is no regular file.")
        if any(not os.path.isdir(m) for m in matches):
            fixed = _MAGIC.split(entry)[0]
            return [os.path.abspath(os.path.dirname(fixed) or ".")]
    what = "No file matches" if _MAGIC.search(entry) else "There is no file or folder"
    if isinstance(error, PermissionError):
        what = "You may not look at"
    if alone:
        msg = f"{what} {printable(entry)!r} (looked from {printable(os.getcwd())!r})."
        raise InputError(msg)
    path = os.path.abspath(entry.replace("\x00", "\ufffd"))
    found.add(path, "failed", "not_found", f"{what} {printable(entry)!r}.")
    return [os.path.dirname(path)]


def _walk(root: str, glob: str, found: Found) -> None:
    wanted = _pattern(glob)
    real_root = os.path.realpath(root)

    def unreadable(error: OSError) -> None:
        found.add(str(error.filename), "failed", "unreadable", f"You may not look into this folder: {error.strerror}")

    for folder, subfolders, files in os.walk(root, onerror=unreadable):
        for name in sorted(subfolders):
            path = os.path.join(folder, name)
            if _hidden(name):
                subfolders.remove(name)
                found.add(path, "skipped", "hidden_file", "A hidden folder; its files are not read.")
            elif os.path.islink(path):
                subfolders.remove(name)
                _note_link(path, real_root, found)
        for name in sorted(files):
            path = os.path.join(folder, name)
            if wanted.fullmatch(os.path.relpath(path, root).replace(os.sep, "/")):
                _note_file(path, name, real_root, found)


def _note_link(path: str, real_root: str, found: Found) -> None:
    if _inside(os.path.realpath(path), real_root):
        found.add(path, "skipped", "linked_folder", "A link to a folder inside; its files are read where they are.")
    else:
        found.add(path, "skipped", "outside_root", "A link to a folder outside of the one that is read.")


def _note_file(path: str, name: str, real_root: str, found: Found) -> None:
    if _hidden(name):
        found.add(path, "skipped", "hidden_file", "A hidden file, or one that only the system uses.")
        return
    if os.path.islink(path) and not _inside(os.path.realpath(path), real_root):
        found.add(path, "skipped", "outside_root", "A link to a file outside of the folder that is read.")
        return
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        found.add(path, "failed", "not_found", f"The file cannot be reached: {error.strerror}")
        return
    if stat.S_ISREG(mode):
        found.add(path)
    else:
        found.add(path, "skipped", "not_a_file", "This is no regular file (a pipe, socket or device).")


def _hidden(name: str) -> bool:
    return name.startswith((".", "~$")) or name.lower() in _JUNK


def _inside(path: str, root: str) -> bool:
    try:
        return os.path.commonpath([path, root]) == root
    except ValueError:  # another drive
        return False


def _pattern(glob: str) -> re.Pattern[str]:
    """Translate a glob: ``**/`` is any folders, ``*`` anything within a name, ``?`` one character, ``[...]`` a set."""
    out = []
    position = 0
    while position < len(glob):
        if glob.startswith("**/", position):
            out.append("(?:.*/)?")
            position += 3
        elif glob.startswith("**", position):
            out.append(".*")
            position += 2
        else:
            char = glob[position]
            end = glob.find("]", position + 2)
            if char == "[" and end > 0:
                inner = glob[position + 1 : end].replace("\\", r"\\")
                out.append(f"[{'^' + inner[1:] if inner.startswith('!') else inner}]")
                position = end
            else:
                out.append({"*": "[^/]*", "?": "[^/]"}.get(char, re.escape(char)))
            position += 1
    try:
        return re.compile("".join(out), re.S)
    except re.error as error:
        msg = f"glob={glob!r} is no pattern: {error}. Use **, *, ? and [...]."
        raise InputError(msg) from error


def _common(folders: list[str]) -> str:
    try:
        return os.path.commonpath(folders) if folders else ""
    except ValueError:  # different drives
        return ""


def _named(found: Found, base: str, *, checked: bool) -> list[Item]:
    chosen: dict[str, tuple[str, str | None, str | None]] = {}
    for path, status, reason, detail in found.items:
        if path not in chosen or status == "ok":  # named outright beats passed over in a walk
            chosen[path] = (status, reason, detail)
    items: dict[str, Item] = {}
    for path in sorted(chosen):
        status, reason, detail = chosen[path]
        inside = bool(base) and _inside(path, base)
        if checked and not inside and status == "ok":
            status, reason, detail = "skipped", "outside_root", f"The file is not below root={printable(base)!r}."
        name = os.path.relpath(path, base) if inside else path
        source = _unique(printable(Path(name).as_posix()), items)
        items[source] = Item(source, path, _size(path) if status == "ok" else 0, status, reason, detail)
    return sorted(items.values(), key=lambda item: item.source)


def _unique(source: str, taken: dict[str, Item]) -> str:
    unique, number = source, 2
    while unique in taken:
        unique, number = f"{source} ({number})", number + 1
    return unique


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:  # gone in the meantime: reading it will say so
        return 0
