"""PDFs of which only a part can be read: the rest is kept, in its place, and a note says what is missing."""

from __future__ import annotations

import io
from typing import Any

import pypdfium2
import pytest

from kgkit.documents import pdf_pages
from kgkit.documents.parsed import ReadOptions
from kgkit.documents.pdf import read

reportlab = pytest.importorskip("reportlab.pdfgen.canvas", reason="reportlab makes the files")


def book(*pages: str, form: bool = False) -> bytes:
    file = io.BytesIO()
    canvas = reportlab.Canvas(file)
    for text in pages:
        canvas.drawString(72, 700, text)
        if form:
            canvas.acroForm.textfield(name="town", value="Larkfjord", x=72, y=600)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def breaks(*_: Any, **__: Any) -> Any:
    msg = "a broken object"
    raise ValueError(msg)


def test_pages_keep_their_numbers_when_pictures_cannot_be_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = pypdfium2.PdfPage.get_objects
    seen = []

    def first_fails(page: Any, *args: Any, **options: Any) -> Any:
        seen.append(page)
        if len(seen) == 1:
            msg = "a broken picture"
            raise pypdfium2.PdfiumError(msg)
        return plain(page, *args, **options)

    monkeypatch.setattr(pypdfium2.PdfPage, "get_objects", first_fails)
    (found,) = read(book("The kiln was opened.", "The quay was closed."), "a.pdf", ReadOptions())
    pages = {s.label: found.text[s.start : s.end].strip() for s in found.sections if s.kind == "page"}
    assert pages == {"1": "The kiln was opened.", "2": "The quay was closed."}
    assert found.notes == ("pictures_unread: page 1: a broken picture",)


def test_a_form_that_cannot_be_read_is_missed_aloud(monkeypatch: pytest.MonkeyPatch) -> None:
    data = book("The kiln was opened.", form=True)
    assert "town: Larkfjord" in read(data, "a.pdf", ReadOptions())[0].text
    monkeypatch.setattr("pypdf.PdfReader.get_fields", breaks)
    (found,) = read(data, "a.pdf", ReadOptions())
    assert "The kiln was opened." in found.text
    assert found.notes == ("form_unread: ValueError: a broken object",)


def test_pages_in_doubt_say_so_when_nobody_can_read_them_better(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_pages, "_open_pypdf", breaks)
    glued = "The kiln was opened.Then it closed.Then it burned.Then it rose."
    (found,) = read(book(glued), "a.pdf", ReadOptions())
    assert "The kiln was opened" in found.text
    assert found.notes == ("page_in_doubt: page 1: letters may be out of order or run together",)
