"""Reading one file, inside a reading process: open, tell the kind, read, tidy. Every failure becomes a reason."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from kgkit.documents.kinds import Unsupported, tell_kind
from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.errors import ReadError
from kgkit.ids import content_hash
from kgkit.language import tell_language

__all__ = ["FileRead", "parse", "read_file"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_MARKS_ONLY = re.compile(r"[\s\u200b\u200e\u200f\u2060\ufeff\u00ad]*\Z")


@dataclass(frozen=True)
class FileRead:
    """What came out of one file: its documents, or why there are none."""

    content_hash: str = ""
    parsed: tuple[Parsed, ...] = ()
    status: str = "ok"
    reason: str | None = None
    detail: str | None = None


def read_file(path: bytes | str, name: str, options: ReadOptions) -> FileRead:
    """Read one file.

    Args:
        path: Where it is, as bytes where the system's file names are bytes.
        name: Its name, for the kind and the messages.
        options: What the person chose.

    Returns:
        Its documents, or a status with its reason; nothing is raised for a bad file.
    """
    digest = ""
    try:
        data = _load(path, options.max_bytes)
        digest = content_hash(data)
        if not data:
            return FileRead(digest, status="empty", reason="empty_file", detail="The file has 0 bytes.")
        return FileRead(digest, tuple(parse(data, name, options)))
    except Unsupported as error:
        return FileRead(digest, status="skipped", reason=error.reason, detail=error.detail)
    except ReadError as error:
        status = "empty" if error.reason in ("no_text", "no_text_layer", "no_records") else "failed"
        return FileRead(digest, status=status, reason=error.reason, detail=error.detail)
    except MemoryError:
        return FileRead(digest, status="failed", reason="crashed", detail="Reading needed more than the memory limit.")
    except RecursionError:
        return FileRead(digest, status="failed", reason="corrupt", detail="The content is nested too deeply.")
    except Exception as error:  # a bug, ours or a library's: reported with the file, and the batch goes on
        detail = f"{type(error).__name__}: {error}"[:500]
        return FileRead(digest, status="failed", reason="reader_error", detail=detail)


def parse(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read the documents in a file's bytes.

    Raises:
        ReadError: The file cannot be read, for a reason that has a name.
    """
    kind, notes = tell_kind(data, name)
    reader: Any = import_module(f"kgkit.documents.{kind.reader}")
    found: list[Parsed] = reader.read(data, name, options)
    return [_tidy(parsed, notes, options) for parsed in found]


def _load(path: bytes | str, limit: int) -> bytes:
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except FileNotFoundError as error:
        raise ReadError("not_found", "There is no such file (any more).") from error
    except PermissionError as error:
        raise ReadError("unreadable", "You may not read this file.") from error
    except OSError as error:
        raise ReadError("unreadable", f"The file cannot be opened: {error.strerror or error}") from error
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise ReadError("not_a_file", "This is no regular file (a folder, pipe, socket or device).")
        if about.st_size > limit:
            raise ReadError("too_large", f"{about.st_size:,} bytes; max_bytes is {limit:,}. Raise it to read the file.")
        try:
            data = file.read(limit + 1)
        except OSError as error:
            raise ReadError("unreadable", f"The file cannot be read: {error.strerror or error}") from error
    if len(data) > limit:
        raise ReadError("too_large", f"More than {limit:,} bytes (max_bytes). Raise it to read the file.")
    return data


def _tidy(parsed: Parsed, notes: tuple[str, ...], options: ReadOptions) -> Parsed:
    """Hold every reader's output to the same rules: valid characters, honest emptiness, a language."""
    if len(parsed.text) > options.max_chars:
        long = f"{len(parsed.text):,} characters; max_chars is {options.max_chars:,}. Raise it to read the document."
        return replace(parsed, text="", sections=(), status="failed", reason="too_long", detail=long)
    notes = (*notes, *parsed.notes)
    text = parsed.text
    broken = len(_SURROGATE.findall(text))
    if broken:
        text = _SURROGATE.sub("\ufffd", text)
        notes = (*notes, f"lone_surrogates: {broken} half characters, replaced by U+FFFD")
    if nuls := text.count("\x00"):
        text = text.replace("\x00", " ")
        notes = (*notes, f"nul_characters: {nuls}, replaced by blanks")
    verdict: tuple[str, str | None, str | None] = (parsed.status, parsed.reason, parsed.detail)
    if parsed.status == "ok" and _MARKS_ONLY.match(text):
        verdict = ("empty", "no_text", "There is no text in it, only blanks.")
    status, reason, detail = verdict
    language = _clean(parsed.language)
    return replace(
        parsed,
        text=text,
        title=_clean(" ".join(parsed.title.split())) or None if parsed.title else None,
        language=(tell_language(text) or language) if status == "ok" else None,  # the text knows better than a label
        metadata=_clean(parsed.metadata),
        sections=tuple(s._replace(label=_clean(s.label)) for s in parsed.sections),
        notes=tuple(_clean(note) for note in dict.fromkeys(notes)),
        record=_clean(parsed.record),
        status=status,
        reason=reason,
        detail=_clean(detail),
    )


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value).replace("\x00", " ")
    if isinstance(value, dict):
        return {_clean(str(k)): _clean(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(v) for v in value]
    return value
