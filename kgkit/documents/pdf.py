"""PDF: one section a page, labelled with its number.

Files that open without a password are read, whatever their owner forbids; the others are ``password_protected``.
Pages that are pictures give no text: a file of such pages is ``no_text_layer``, and optical recognition is offered.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from kgkit.documents.dates import parse_time
from kgkit.documents.parsed import Parsed, ReadOptions, TextBuilder
from kgkit.documents.pdf_lines import running_text
from kgkit.documents.pdf_pages import PdfPages, read_pages
from kgkit.documents.pdf_streams import check_streams
from kgkit.errors import ReadError

__all__ = ["read"]

_FEW = 10  # letters and digits of a page; with fewer its text is a stamp or page number, not a text layer
_PICTURES = "The pages are pictures without a text layer. "
_BARE = "The pages hold no text (they are blank, or their text is drawn as shapes). "
_HOW = (
    "Recognise the text with ocr=True "
    "(needs: pip install 'kgkit[ocr]' and the tesseract program), or run: ocrmypdf IN.pdf OUT.pdf"
)
_NOTHING_SAID = ("", "untitled", "anonymous", "unspecified", "unknown")  # what programs write for want of an answer
_LETTER = re.compile(r"[^\W_]")


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read a PDF.

    Raises:
        ReadError: ``password_protected``, ``corrupt``, ``no_text_layer``, ``inflates``.
    """
    del name
    check_streams(data)
    pages = read_pages(data)
    texts = [running_text(text or "") for text in pages.texts]
    if options.ocr and _without_text(texts) & pages.pictures:
        from kgkit.documents.ocr import recognise

        pages = read_pages(recognise(data))
        parsed = _parsed(pages, [running_text(text or "") for text in pages.texts])
        note = "ocr: text of pages without a text layer was recognised from pictures and may have errors"
        return [replace(parsed, notes=(*parsed.notes, note))]
    return [_parsed(pages, texts)]


def _parsed(pages: PdfPages, texts: list[str]) -> Parsed:
    letters = sum(len(_LETTER.findall(text)) for text in texts) + sum(map(len, pages.form.values()))
    bare = _without_text(texts)
    if letters < _FEW * min(len(texts), 3) and (pages.pictures or not letters):
        raise ReadError("no_text_layer", (_PICTURES if pages.pictures else _BARE) + _HOW)
    builder = TextBuilder()
    for number, text in enumerate(texts, 1):
        builder.add("\n\n" if len(builder) and text else "")
        builder.begin("page", str(number))
        builder.add(text)
        builder.end("page")
    if pages.form:
        builder.add("\n\n")
        builder.begin("form", "Form fields")
        builder.add("\n".join(f"{name}: {value}" for name, value in pages.form.items()))
    text, sections = builder.build()
    keys = ("Author", "Subject", "Keywords", "Creator", "Producer", "CreationDate")
    metadata: dict[str, Any] = {k.lower(): said for k in keys if (said := _said(pages, k))}
    metadata["pages"] = len(texts)
    if pages.attachments:
        metadata["attachments"] = pages.attachments
    return Parsed(
        text,
        "application/pdf",
        title=_said(pages, "Title"),
        modified_at=parse_time(pages.about.get("ModDate")) or parse_time(pages.about.get("CreationDate")),
        metadata=metadata,
        sections=sections,
        notes=_notes(pages, bare),
    )


def _said(pages: PdfPages, key: str) -> str | None:
    value = pages.about.get(key, "").strip()
    return value if value.strip("()").lower() not in _NOTHING_SAID else None


def _without_text(texts: list[str]) -> set[int]:
    return {number for number, text in enumerate(texts, 1) if len(_LETTER.findall(text)) < _FEW}


def _notes(pages: PdfPages, bare: set[int]) -> tuple[str, ...]:
    notes = list(pages.notes)
    unread = [number for number, text in enumerate(pages.texts, 1) if text is None]
    if unread:
        notes.append(f"pages_unread: {_list(unread)} cannot be read")
    pictures = sorted((bare & pages.pictures) - set(unread))
    if pictures:
        notes.append(f"pages_without_text: {_list(pictures)}: pictures, perhaps of text; ocr=True would read them")
    notes.extend(f"attachment_unread: {name}; save it beside the PDF to read it" for name in pages.attachments)
    return tuple(notes)


def _list(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:10]))
    return f"page{'s' * (len(numbers) > 1)} {shown}" + (f" and {len(numbers) - 10} more" if len(numbers) > 10 else "")
