"""The raw text of a PDF's pages, by two libraries.

pdfium reads ten times as fast, and sees words that pypdf tears apart. pypdf keeps right-to-left text in order, and
lines that pdfium runs together; it reads those pages, and files that pdfium cannot open.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from typing import Any

from kgkit.errors import ReadError

__all__ = ["PdfPages", "read_pages"]

_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_GLUED = re.compile(r"[^\W\d_]{2}[.!?][^\W\d_]{2}")
_ENDS = re.compile(r"[.!?](?=\s|$|[^\W\d_])")
_PASSWORD = "The PDF needs a password to open; save a copy without one."
_PASSWORD_ERROR = 4  # pdfium's FPDF_ERR_PASSWORD


@dataclass
class PdfPages:
    """The pages' raw text (None where a page cannot be read), and what the file says of itself."""

    texts: list[str | None]
    about: dict[str, str] = field(default_factory=dict)
    pictures: set[int] = field(default_factory=set)  # pages, from 1, that hold pictures
    attachments: list[str] = field(default_factory=list)
    form: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # what could not be read beside the pages


def read_pages(data: bytes) -> PdfPages:
    """Read the pages' text.

    Raises:
        ReadError: ``password_protected`` or ``corrupt``.
    """
    try:
        pages = _by_pdfium(data)
    except _NotOpened:
        return _by_pypdf(data)
    doubtful = [i for i, text in enumerate(pages.texts) if text is None or _RTL.search(text) or _runs_together(text)]
    if doubtful or pages.form:
        _improve(pages, doubtful, data)
    return pages


class _NotOpened(Exception):
    """Pdfium cannot open the file; pypdf may."""


def _by_pdfium(data: bytes) -> PdfPages:
    import pypdfium2
    import pypdfium2.raw as raw

    try:
        document = pypdfium2.PdfDocument(data)
        count = len(document)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD_ERROR or "password" in str(error).lower():
            raise ReadError("password_protected", _PASSWORD) from error
        raise _NotOpened from error
    if not count:
        raise _NotOpened
    pages = PdfPages([])
    for index in range(count):
        text = None
        try:
            page = document[index]
            text = page.get_textpage().get_text_range()
            if any(True for _ in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3)):
                pages.pictures.add(index + 1)
            page.close()
        except pypdfium2.PdfiumError as error:
            if text is not None:
                pages.notes.append(f"pictures_unread: page {index + 1}: {error}")
        pages.texts.append(text)  # one for each page, or all later page numbers would be wrong
    pages.about = {k: v for k, v in document.get_metadata_dict(skip_empty=True).items()}
    pages.attachments = [document.get_attachment(i).get_name() for i in range(document.count_attachments())]
    if document.get_formtype() != raw.FORMTYPE_NONE:
        pages.form = {"": ""}
    return pages


def _by_pypdf(data: bytes) -> PdfPages:
    reader = _open_pypdf(data)
    try:
        count = len(reader.pages)
    except Exception as error:  # pypdf raises whatever the broken objects lead to
        raise ReadError("corrupt", f"The PDF's pages cannot be found: {type(error).__name__}: {error}"[:300]) from error
    texts = [_pypdf_page(reader, index) for index in range(count)]
    if not any(text is not None for text in texts):
        raise ReadError("corrupt", "No page of the PDF can be read.")
    pages = PdfPages(texts)
    pages.about = _pypdf_about(reader, pages.notes)
    return pages


def _improve(pages: PdfPages, doubtful: list[int], data: bytes) -> None:
    """Let pypdf read the pages that pdfium did badly, and the fields of a form."""
    form, pages.form = bool(pages.form), {}
    try:
        reader = _open_pypdf(data)
        count = len(reader.pages)
    except Exception as error:  # pdfium's text stands, and the note says that nothing better was had
        pages.notes += [f"page_in_doubt: page {i + 1}: letters may be out of order or run together" for i in doubtful]
        if form:
            pages.notes.append(f"form_unread: {type(error).__name__}: {error}"[:200])
        return
    for index in doubtful:
        text = _pypdf_page(reader, index) if index < count else None
        mine = pages.texts[index]
        if text and (mine is None or len(text.split()) >= 0.5 * len(mine.split())):
            pages.texts[index] = text
    if form:
        pages.form = _pypdf_form(reader, pages.notes)


def _open_pypdf(data: bytes) -> Any:
    from pypdf import PasswordType, PdfReader

    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        opened = not reader.is_encrypted or reader.decrypt("") != PasswordType.NOT_DECRYPTED
    except Exception as error:  # pypdf raises whatever the broken objects lead to
        raise ReadError("corrupt", f"The PDF cannot be opened: {type(error).__name__}: {error}"[:300]) from error
    if not opened:
        raise ReadError("password_protected", _PASSWORD)
    return reader


def _pypdf_page(reader: Any, index: int) -> str | None:
    try:
        return str(reader.pages[index].extract_text() or "")
    except Exception:  # one broken page of many: it is listed in a note
        return None


def _pypdf_about(reader: Any, notes: list[str]) -> dict[str, str]:
    try:
        return {str(k).lstrip("/"): str(v) for k, v in (reader.metadata or {}).items()}
    except Exception as error:  # broken information beside sound pages
        notes.append(f"metadata_unread: {type(error).__name__}: {error}"[:200])
        return {}


def _pypdf_form(reader: Any, notes: list[str]) -> dict[str, str]:
    try:
        fields = reader.get_fields() or {}
    except Exception as error:  # a broken form beside sound pages
        notes.append(f"form_unread: {type(error).__name__}: {error}"[:200])
        return {}
    filled = {}
    for name, entry in fields.items():
        value = entry.get("/V") if hasattr(entry, "get") else None
        if isinstance(value, str) and value.strip() and value not in ("/Off",):
            filled[str(name)] = value.lstrip("/")
    return filled


def _runs_together(text: str) -> bool:
    glued = len(_GLUED.findall(text))
    return glued >= 3 and glued > 0.2 * len(_ENDS.findall(text))
