"""Rich text (RTF), by striprtf; its bytes beyond ASCII are decoded by the code page that the file names."""

from __future__ import annotations

import re
from typing import Any

from kgkit.documents.dates import parse_time
from kgkit.documents.encoding import looks_binary
from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.documents.rtf_marks import settle
from kgkit.errors import ReadError

__all__ = ["read", "rtf_to_text"]

_CODE_PAGE = re.compile(rb"\\ansicpg(\d{1,5})")
_TITLE = re.compile(r"\{\\title\s+([^{}\\]{1,500})\}")
_AUTHOR = re.compile(r"\{\\author\s+([^{}\\]{1,500})\}")
_REVISED = re.compile(r"\{\\revtim\\yr(\d+)\\mo(\d+)\\dy(\d+)(?:\\hr(\d+))?(?:\\min(\d+))?")


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read an RTF file."""
    del name
    settled, notes = settle(data, options)
    text, codec = rtf_to_text(settled)
    source = data[:100_000].decode("latin-1")
    metadata = {"encoding": codec, "encoding_by": "declared" if _CODE_PAGE.search(data[:2000]) else "detected"}
    author, title, revised = _AUTHOR.search(source), _TITLE.search(source), _REVISED.search(source)
    if author:
        metadata["author"] = author.group(1).strip()
    modified = None
    if revised:
        year, month, day, hour, minute = (int(part or 0) for part in revised.groups())
        modified = parse_time(f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:00")
    return [
        Parsed(
            text,
            "application/rtf",
            title=title.group(1).strip() if title else None,
            modified_at=modified,
            metadata=metadata,
            notes=notes,
        )
    ]


def rtf_to_text(data: bytes) -> tuple[str, str]:
    """Write RTF as plain text; return it with the code page that was used.

    Raises:
        ReadError: ``corrupt`` when it cannot be read.
    """
    from striprtf import striprtf

    if b"\\bin" not in data and (data.count(0) > 3 or looks_binary(data)):
        raise ReadError("corrupt", "The file begins like RTF, but goes on as binary data.")
    match = _CODE_PAGE.search(data[:2000])
    codec = f"cp{match.group(1).decode()}" if match else "cp1252"
    try:
        "".encode(codec)
    except LookupError:
        codec = "utf-8" if match and match.group(1) == b"65001" else "cp1252"
    try:
        strip: Any = striprtf.rtf_to_text
        text = str(strip(data.decode("latin-1"), encoding=codec, errors="replace"))
    except Exception as error:  # striprtf raises whatever a broken control word leads to
        raise ReadError("corrupt", f"The RTF cannot be read: {type(error).__name__}: {error}"[:300]) from error
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n"), codec
