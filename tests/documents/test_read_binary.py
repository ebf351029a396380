"""PDF, old Office files, rich text, notebooks and XML; and everything that only claims to be one of them."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO

import pytest
from made_files import ole, pdf, xls

from kgkit.documents.kinds import Unsupported
from kgkit.documents.onefile import parse
from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.documents.pdf_lines import running_text
from kgkit.errors import ReadError

LINE = "a long line of words that fills the width"


def read(data: bytes | str, name: str, **options: str) -> Parsed:
    [parsed] = parse(data.encode() if isinstance(data, str) else data, name, ReadOptions(**options))
    return parsed


def zipped(**members: str) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def test_pages_are_sections() -> None:
    book = read(pdf("Page one has words.", "Page two as well.", title="The quay"), "a.pdf")
    assert book.title == "The quay"
    assert [(s.kind, s.label, book.text[s.start : s.end]) for s in book.sections] == [
        ("page", "1", "Page one has words."),
        ("page", "2", "Page two as well."),
    ]
    assert book.modified_at is not None
    assert book.modified_at.isoformat() == "2024-02-03T03:05:06+00:00"


def test_passwords() -> None:
    assert read(pdf("Anyone may read this.", owner="secret"), "a.pdf").text == "Anyone may read this."
    with pytest.raises(ReadError, match="password_protected"):
        read(pdf("Nobody may read this.", user="secret"), "a.pdf")


def test_pictures_of_text_are_reported_and_how_to_read_them() -> None:
    with pytest.raises(ReadError, match=r"no_text_layer.*pictures.*ocr=True"):
        read(pdf("", picture=True), "a.pdf")
    mixed = read(pdf("One page with a text layer.", "", picture=True), "a.pdf")
    assert mixed.notes == ("pages_without_text: page 2: pictures, perhaps of text; ocr=True would read them",)


def test_short_pages_are_pages() -> None:
    assert read(pdf("Hi"), "a.pdf").text == "Hi"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("taki\x02mata is a word", "takimata is a word"),
        ("a well-known thing is well-\nknown here", "a well-known thing is well-known here"),
        ("no sea taki-\nmata sanctus", "no sea takimata sanctus"),
        ("the ﬁrst ﬂoor", "the first floor"),
        ("one\ntwo\nthree", "one two three"),
        (f"Short title\n{LINE}\n{LINE}\n{LINE}\n{LINE}\nend.", f"Short title\n{LINE} {LINE} {LINE} {LINE} end."),
        (f"{LINE}\n{LINE}\n{LINE}\n- item of a long list", f"{LINE} {LINE} {LINE}\n- item of a long list"),
        (f"{LINE}\nRevenue of the year before 12 34\n{LINE}", f"{LINE}\nRevenue of the year before 12 34\n{LINE}"),
    ],
)  # fmt: skip
def test_lines_become_running_text(raw: str, text: str) -> None:
    assert running_text(raw) == text


def test_old_excel() -> None:
    book = read(xls([["Name", "Price"], ["Kiln", 12.0], ["Quay", 1.5]]), "a.xls")
    assert book.text.endswith("Name | Price\nKiln | 12\nQuay | 1.5")
    assert [(s.kind, s.label) for s in book.sections] == [("sheet", "Prices")]


def test_hidden_sheets_follow_the_option_and_are_noted() -> None:
    hidden = xls([["secret"]], hidden=True)
    skipped = read(hidden, "a.xls")
    assert (skipped.status, skipped.notes) == ("empty", ("hidden_sheet: Prices skipped",))
    seen = read(hidden, "a.xls", hidden_sheets="read")
    assert ("secret" in seen.text, seen.notes) == (True, ("hidden_sheet: Prices read",))


def test_rich_text() -> None:
    about = rb"{\info{\title The quay}{\author Mira}}"
    data = rb"{\rtf1\ansi\ansicpg1251" + about + rb"\pard \'cf\'f0\'e8\'e2\'e5\'f2\par \u8364? 40\par}"
    found = read(data, "a.rtf")
    assert found.text == "Привет\n€ 40"
    assert (found.title, found.metadata["author"], found.metadata["encoding"]) == ("The quay", "Mira", "cp1251")


def test_notebooks() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Kilns\n", "words <!-- no -->"]},
        {"cell_type": "code", "source": "print(42)", "outputs": [{"output_type": "stream", "text": ["42\n"]}]},
        {"cell_type": "code", "source": "1/0", "outputs": [{"output_type": "error", "ename": "E", "evalue": "zero"}]},
    ]
    found = read(json.dumps({"cells": cells, "nbformat": 4, "metadata": {}}), "a.ipynb")
    assert found.text == "# Kilns\nwords \n\nprint(42)\n\n42\n\n1/0\n\nE: zero"
    assert found.title == "Kilns"
    assert [s.label for s in found.sections] == ["Kilns"]


def test_xml() -> None:
    found = read('<?xml version="1.0"?><a><title>T</title><b>one <i>two</i> three</b><c name="named"/></a>', "a.xml")
    assert found.text == "T\none\ntwo\nthree\nnamed"
    assert found.title == "T"
    feed = "<rss><item><title>T</title><d><![CDATA[<p>One</p><p>Two <b>bold</b></p>]]></d></item></rss>"
    assert read(feed, "a.xml").text == "T\n\nOne\n\nTwo bold\n"
    svg = '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://x/svg11.dtd"><svg><text>Hi</text></svg>'
    assert read(svg, "a.svg").text == "Hi"


LAUGHS = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><a>&b;</a>'
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/hostname">]><a>&a;</a>'


@pytest.mark.parametrize("text", [LAUGHS, OUTSIDE], ids=["expands", "outside"])
@pytest.mark.parametrize("name", ["a.xml", "a.graphml", "a.svg", "noname"])
def test_xml_with_entities_is_refused(text: str, name: str) -> None:
    with pytest.raises(ReadError, match="unsafe_xml"):
        read(text, name)


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(200))
PDF = pdf("Words of a page.")
HTML = "<!doctype html><p>Error 404, sorry."


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        ("plain words", "a.pdf", "mislabelled"),
        ("plain words", "a.docx", "mislabelled"),
        ("plain words", "a.pptx", "mislabelled"),
        ("plain words", "a.xls", "mislabelled"),
        ("plain words", "a.msg", "mislabelled"),
        ("plain words", "a.rtf", "mislabelled"),
        ("plain words", "a.epub", "mislabelled"),
        (HTML, "a.pdf", "mislabelled"),
        (PNG, "a.pdf", "mislabelled"),
        (PNG, "a.txt", "binary"),
        (PNG, "a.csv", "binary"),
        (bytes(range(256)) * 9, "a.txt", "binary"),
        (zipped(x="y"), "a.docx", "mislabelled"),
        (b"PK\x03\x04garbage", "a.zip", "corrupt"),
        (b"%PDF-1.7\ngarbage", "a.pdf", "corrupt"),
        (b"{\\rtf1" + bytes(200), "a.rtf", "corrupt"),
        (ole({"EncryptedPackage": b"x" * 90}), "a.docx", "password_protected"),
        (ole({"Other": b"x" * 90}), "a.xls", "corrupt"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"z" * 900, "a.msg", "corrupt"),
        ("{", "a.ipynb", "corrupt"),
        ("{}", "a.ipynb", "corrupt"),
        ("<a><b></a>", "a.xml", "corrupt"),
    ],
)
def test_what_cannot_be_read_fails_with_its_reason(data: bytes | str, name: str, reason: str) -> None:
    with pytest.raises(ReadError, match=f"^{reason}: ") as raised:
        read(data, name)
    assert not isinstance(raised.value, Unsupported)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (PNG, "a.png"),
        (PNG, "noname"),
        (zipped(x="y"), "a.zip"),
        (b"\x1f\x8b\x08\x00" + bytes(40), "a.gz"),
        (b"\x7fELF\x02\x01" + bytes(90), "program"),
        (ole({"WordDocument": b"x" * 90}), "a.doc"),
        (ole({"PowerPoint Document": b"x" * 90}), "a.ppt"),
        (zipped(mimetype="application/vnd.oasis.opendocument.graphics"), "a.odg"),
    ],
)
def test_kinds_that_are_not_read_are_skipped(data: bytes, name: str) -> None:
    with pytest.raises(Unsupported, match="unsupported_type"):
        read(data, name)


@pytest.mark.parametrize(
    ("data", "name", "text"),
    [
        (PDF, "a.txt", "Words of a page."),
        (PDF, "a.docx", "Words of a page."),
        (HTML, "a.xls", "Error 404, sorry."),
        (b"{\\rtf1 rich\\par}", "a.txt", "rich"),
    ],
)
def test_content_wins_over_names_with_a_note(data: bytes | str, name: str, text: str) -> None:
    found = read(data, name)
    assert found.text == text
    assert found.notes[0].startswith("mislabelled: the name ends in")


@pytest.mark.parametrize("name", ["noname", "a.unknown", "a.py"])
def test_unknown_names_are_told_by_content(name: str) -> None:
    assert read("just words", name).media_type == "text/plain"
    assert read(PDF, name).media_type == "application/pdf"
    assert read(HTML, name).media_type == "text/html"
