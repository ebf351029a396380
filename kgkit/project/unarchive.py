"""Reading a project back from the file that `kgkit.project.archive` wrote: all of it, or nothing."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import uuid
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgkit.errors import InputError, ProjectError
from kgkit.project.archive import ARCHIVE_FORMAT, KIND, MANIFEST, PIECE, TABLES
from kgkit.project.ledger import FORMAT, LEDGER, Ledger

if TYPE_CHECKING:
    from kgkit.project.project import Project

__all__ = ["restore_archive"]

_PART = r"[A-Za-z0-9_][A-Za-z0-9_.=%-]{0,200}"
_MEMBER = re.compile(rf"{re.escape(LEDGER)}|{TABLES}(?:/{_PART}){{2,6}}")
_SHA = re.compile(r"[0-9a-f]{64}")
_LIST_AT_MOST = 1 << 28  # bytes of the list of members: enough for a million files
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


def restore_archive(file: str | os.PathLike[str], path: str | os.PathLike[str]) -> Project:
    """Make a project out of an archive; it is the same as the one that was archived.

    Each file is compared with the archive's list, by size and SHA-256. The folder appears when everything is in it.

    Args:
        file: What `archive_project` wrote.
        path: The new project's folder; it must be absent or empty.

    Returns:
        The project.

    Raises:
        InputError: There is no such file, it is no archive of a project, or there is something at ``path``.
        ProjectError: The archive is damaged, was changed, or is of a newer format, or the disk refuses to be written.

    Examples:
        >>> restore_archive("pioneers.zip", "pioneers.kg")  # doctest: +SKIP
    """
    from kgkit.project.project import Project

    source, target = (Path(os.path.expanduser(place)).absolute() for place in (file, path))
    _check_target(target)
    scratch = target.with_name(f".{target.name}-{uuid.uuid4().hex}")
    try:
        with _opened(source) as bundle:
            wanted = _manifest(bundle, source)
            _check_members(bundle, wanted, source)
            target.parent.mkdir(parents=True, exist_ok=True)
            _check_space(target.parent, wanted)
            scratch.mkdir()
            for name, held in wanted.items():
                _take(bundle, name, held, scratch, source)
        _check_ledger(scratch, source)
        _sync_folders(scratch)
        if target.exists():
            target.rmdir()
        scratch.rename(target)
    except OSError as error:
        msg = f"Cannot make a project at {str(target)!r} from {str(source)!r}: {error.strerror or error}."
        raise ProjectError(msg) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return Project(target, create=False)


def _check_target(target: Path) -> None:
    if target.is_symlink() or (target.exists() and (not target.is_dir() or any(target.iterdir()))):
        msg = f"There is something at {str(target)!r} already, and it is not replaced. Give a new or empty folder."
        raise InputError(msg)


def _opened(source: Path) -> zipfile.ZipFile:
    if not source.is_file():
        msg = f"There is no file {str(source)!r}."
        raise InputError(msg)
    try:
        return zipfile.ZipFile(source)
    except _DAMAGE as error:
        msg = f"{str(source)!r} is no archive of a project, or was cut off: {error}. Take another copy of it."
        raise ProjectError(msg) from error


def _manifest(bundle: zipfile.ZipFile, source: Path) -> dict[str, dict[str, Any]]:
    """Read the list of members.

    Raises:
        InputError: This is some other zip file.
        ProjectError: The list is damaged, or of a newer format.
    """
    if MANIFEST not in bundle.namelist():
        msg = f"{str(source)!r} is a zip file, but no archive of a kgkit project: it holds no {MANIFEST}."
        raise InputError(msg)
    try:
        with bundle.open(MANIFEST) as stream:
            raw = stream.read(_LIST_AT_MOST + 1)
        about = json.loads(raw) if len(raw) <= _LIST_AT_MOST else None
    except (*_DAMAGE, RecursionError) as error:
        raise _damaged(source, f"{MANIFEST} cannot be read ({error})") from error
    if not isinstance(about, dict) or about.get("kind") != KIND or not isinstance(about.get("members"), dict):
        raise _damaged(source, f"{MANIFEST} is not what kgkit writes")
    for name, known in (("archive_format", ARCHIVE_FORMAT), ("project_format", FORMAT)):
        number = about.get(name)
        if not isinstance(number, int) or number < 1:
            raise _damaged(source, f"{MANIFEST} has no {name}")
        if number > known:
            msg = (
                f"The archive {str(source)!r} has {name.replace('_', ' ')} {number}, made by kgkit "
                f"{about.get('kgkit')}; this version knows formats up to {known}. Install a newer kgkit."
            )
            raise ProjectError(msg)
    members: dict[str, dict[str, Any]] = about["members"]
    return members


def _check_members(bundle: zipfile.ZipFile, wanted: dict[str, dict[str, Any]], source: Path) -> None:
    entries = [entry for entry in bundle.infolist() if entry.filename != MANIFEST]
    names = [entry.filename for entry in entries]
    if len({name.casefold() for name in names}) != len(names) or len(names) + 1 != len(bundle.infolist()):
        raise _damaged(source, "a name is in it twice")
    if set(names) != wanted.keys():
        odd = sorted(set(names) ^ wanted.keys())
        raise _damaged(source, f"{odd[0]!r} is not in both the archive and its list")
    if LEDGER not in wanted:
        raise _damaged(source, f"it holds no {LEDGER}")
    for entry in entries:
        held = wanted[entry.filename]
        if not _MEMBER.fullmatch(entry.filename):
            raise _damaged(source, f"{entry.filename!r} is no name of a project's file")
        link = stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG)
        if link or entry.is_dir() or entry.flag_bits & 1:
            raise _damaged(source, f"{entry.filename!r} is no plain file")
        if not _is_listed(held) or held["size"] != entry.file_size:
            raise _damaged(source, f"{entry.filename!r} has another size than its list says")


def _is_listed(held: object) -> bool:
    if not isinstance(held, dict) or type(held.get("size")) is not int or held["size"] < 0:
        return False
    return isinstance(held.get("sha256"), str) and bool(_SHA.fullmatch(held["sha256"]))


def _check_space(folder: Path, wanted: dict[str, dict[str, Any]]) -> None:
    needed, free = sum(held["size"] for held in wanted.values()), shutil.disk_usage(folder).free
    if needed > free:
        msg = f"The project needs {needed:,} bytes, and {str(folder)!r} has {free:,} left. Nothing was written."
        raise ProjectError(msg)


def _take(bundle: zipfile.ZipFile, name: str, held: dict[str, Any], scratch: Path, source: Path) -> None:
    """Write one member, and never more of it than its list says."""
    path = scratch.joinpath(*name.split("/"))
    path.parent.mkdir(parents=True, exist_ok=True)
    digest, left = hashlib.sha256(), held["size"]
    with path.open("xb") as target:
        try:
            with bundle.open(name) as stream:
                while piece := stream.read(min(PIECE, left + 1)):
                    left -= len(piece)
                    if left < 0:
                        break
                    digest.update(piece)
                    target.write(piece)
        except _DAMAGE as error:
            raise _damaged(source, f"{name!r} cannot be read ({error})") from error
        target.flush()
        os.fsync(target.fileno())
    if left or digest.hexdigest() != held["sha256"]:
        raise _damaged(source, f"{name!r} is not what was archived")


def _check_ledger(scratch: Path, source: Path) -> None:
    try:
        Ledger(scratch, 0).check()
    except (InputError, ProjectError) as error:
        raise _damaged(source, f"its ledger is none ({str(error).replace(str(scratch), '')})") from error


def _sync_folders(scratch: Path) -> None:
    if os.name != "posix":
        return
    for folder in [scratch, *(place for place in scratch.rglob("*") if place.is_dir())]:
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _damaged(source: Path, what: str) -> ProjectError:
    return ProjectError(
        f"The archive {str(source)!r} is damaged or was changed: {what}. Nothing was written; take another copy of it."
    )
