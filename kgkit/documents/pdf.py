"""PDF: one section a page, labelled with its number.

Files that open without a password are read, whatever their owner forbids; the others are ``password_protected``.
Pages that are pictures give no text: a file of such pages is ``no_text_layer``, and optical recognition is offered.
"""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

from kgkit.documents.dates import parse_time
from kgkit.documents.parsed import Parsed, ReadOptions, TextBuilder
from kgkit.errors import ReadError

__all__ = ["read"]

_FEW = 10  # letters and digits of a page; with fewer its text is a stamp or page number, not a text layer
_HOW = (
    "The pages are pictures without a text layer. Recognise the text with ocr=True "
    "(needs: pip install 'kgkit[ocr]' and the tesseract program), or run: ocrmypdf IN.pdf OUT.pdf"
)
_WORD = re.compile(r"[^\W_]")


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read a PDF."""
    del name
    parsed = _read(data)
    if parsed is not None:
        return [parsed]
    if not options.ocr:
        raise ReadError("no_text_layer", _HOW)
    from kgkit.documents.ocr import recognise

    parsed = _read(recognise(data))
    if parsed is None:
        raise ReadError("no_text", "Optical recognition found no text on the pages.")
    return [replace(parsed, notes=(*parsed.notes, "ocr: the text was recognised from pictures and may have errors"))]


def _read(data: bytes) -> Parsed | None:
    """Read the text layer; None when there is none to speak of."""
    reader = _open(data)
    builder = TextBuilder()
    unread: list[int] = []
    bare: list[int] = []
    count = _page_count(reader)
    for number in range(1, count + 1):
        try:
            text = _tidy(reader.pages[number - 1].extract_text() or "")
        except Exception:  # one broken page of many; pypdf raises whatever the broken objects lead to
            unread.append(number)
            text = ""
        if len(_WORD.findall(text)) < _FEW:
            bare.append(number)
        builder.add("\n\n" if len(builder) and text else "")
        builder.begin("page", str(number))
        builder.add(text)
        builder.end("page")
    if count and len(unread) == count:
        raise ReadError("corrupt", "No page of the PDF can be read.")
    text, sections = builder.build()
    if len(bare) == count and len(_WORD.findall(text)) < _FEW * max(1, min(count, 3)):
        return None
    title, modified, metadata = _about(reader)
    metadata["pages"] = count
    return Parsed(
        text,
        "application/pdf",
        title=title,
        modified_at=modified,
        metadata=metadata,
        sections=sections,
        notes=_notes(unread, bare),
    )


def _open(data: bytes) -> Any:
    from pypdf import PasswordType, PdfReader
    from pypdf.errors import DependencyError

    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        opened = not reader.is_encrypted or reader.decrypt("") != PasswordType.NOT_DECRYPTED
    except DependencyError:
        raise
    except Exception as error:  # pypdf raises whatever the broken objects lead to
        if b"/Encrypt" in data and "password" in str(error).lower():
            raise ReadError("password_protected", "The PDF needs a password; save a copy without one.") from error
        raise ReadError("corrupt", f"The PDF cannot be opened: {type(error).__name__}: {error}"[:300]) from error
    if not opened:
        raise ReadError("password_protected", "The PDF needs a password; save a copy without one.")
    return reader


def _page_count(reader: Any) -> int:
    try:
        count = len(reader.pages)
    except Exception as error:
        raise ReadError("corrupt", f"The PDF's pages cannot be found: {type(error).__name__}: {error}"[:300]) from error
    if not count:
        raise ReadError("corrupt", "The PDF has no pages.")
    return count


def _tidy(text: str) -> str:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _about(reader: Any) -> tuple[str | None, Any, dict[str, Any]]:
    metadata: dict[str, Any] = {}
    try:
        info = {str(k).lstrip("/"): str(v) for k, v in (reader.metadata or {}).items()}
    except Exception:  # broken information beside sound pages
        info = {}
    for key in ("Author", "Subject", "Keywords", "Creator", "Producer", "CreationDate"):
        if info.get(key, "").strip():
            metadata[key.lower()] = info[key].strip()
    title = info.get("Title", "").strip()
    modified = parse_time(info.get("ModDate")) or parse_time(info.get("CreationDate"))
    return title or None, modified, metadata


def _notes(unread: list[int], bare: list[int]) -> tuple[str, ...]:
    notes = []
    if unread:
        notes.append(f"pages_unread: {_list(unread)} are damaged")
    only_bare = [number for number in bare if number not in unread]
    if only_bare:
        notes.append(f"pages_without_text: {_list(only_bare)}; pictures of text need ocr=True")
    return tuple(notes)


def _list(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:10]))
    return f"page{'s' * (len(numbers) > 1)} {shown}" + (f" and {len(numbers) - 10} more" if len(numbers) > 10 else "")
