"""The XML layer: nothing expands, nothing is fetched, nothing nests without end."""

from __future__ import annotations

import pytest
from office_files import LAUGHS, S, W, docx, epub, odt, page, para, pptx, relations, shape, xlsx

from kgkit.documents import docx as docx_reader
from kgkit.documents import epub as epub_reader
from kgkit.documents import odt as odt_reader
from kgkit.documents import pptx as pptx_reader
from kgkit.documents import xlsx as xlsx_reader
from kgkit.documents.archive import UnreadablePart
from kgkit.documents.parsed import ReadOptions
from kgkit.documents.xml import MAX_DEPTH, child, parse_xml, short_name, stream_xml, text_of
from kgkit.errors import ReadError

CANARY = "file:///etc/hostname"
OUTSIDE = {
    "entity": f'<!DOCTYPE a [<!ENTITY j SYSTEM "{CANARY}">]>',
    "parameter entity": '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p;]>',
    "system type": f'<!DOCTYPE a SYSTEM "{CANARY}">',
    "public type of a local file": f'<!DOCTYPE a PUBLIC "x" "{CANARY}">',
    "laughs": LAUGHS,
    "one long entity": f'<!DOCTYPE a [<!ENTITY j "{"x" * 10_000}">]>',
    "behind a comment": f"<!-- {'<!DOCTYPE' * 9} -->{LAUGHS}",
    "behind a long comment": f"<!-- {'y' * 70_000} -->{LAUGHS}",
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be", "utf-16-le"])
@pytest.mark.parametrize("declared", OUTSIDE.values(), ids=OUTSIDE)
@pytest.mark.parametrize("doctype", ["refuse", "public"])
def test_declarations_are_refused_in_every_encoding(declared, encoding, doctype):
    name = "utf-16" if "16" in encoding else encoding
    data = f'<?xml version="1.0" encoding="{name}"?>{declared}<a>&j;</a>'.encode(encoding)
    with pytest.raises(ReadError, match="unsafe_xml"):
        parse_xml(data, "part", doctype=doctype)
    with pytest.raises(ReadError, match="unsafe_xml"):
        list(stream_xml([data[i : i + 1000] for i in range(0, len(data), 1000)], "part", frozenset({"a"})))


@pytest.mark.parametrize("encoding", ["utf-7", "cp037", "nonsense"])
def test_encodings_that_the_parser_cannot_check_are_not_read(encoding):
    codec = "utf-8" if encoding == "nonsense" else encoding
    data = f'<?xml version="1.0" encoding="{encoding}"?>'.encode() + f"{LAUGHS}<a>&j;</a>".encode(codec)
    with pytest.raises((UnreadablePart, ReadError)):
        parse_xml(data, "part")


def test_a_document_type_in_words_is_only_words():
    root = parse_xml(b"<a><![CDATA[<!DOCTYPE a [<!ENTITY b 'c'>]>]]></a>", "part")
    assert text_of(root) == "<!DOCTYPE a [<!ENTITY b 'c'>]>"


@pytest.mark.parametrize(
    "declared",
    [
        "<!DOCTYPE html>",
        '<!DOCTYPE html SYSTEM "about:legacy-compat">',
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">',
    ],
)
def test_public_types_pass_where_they_are_allowed_and_are_not_fetched(declared):
    data = f"{declared}<html>one&#160;two</html>".encode()
    assert text_of(parse_xml(data, "page", doctype="public")) == "one\u00a0two"
    with pytest.raises(ReadError, match="unsafe_xml"):
        parse_xml(data, "page")


def test_known_entities_of_a_public_type_are_characters():
    data = b'<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://w/x.dtd"><html>a&nbsp;b&eacute;</html>'
    assert text_of(parse_xml(data, "page", doctype="public")) == "a\u00a0b\u00e9"


def test_depth_is_limited_in_trees_and_streams():
    fine = b"<x>" * MAX_DEPTH + b"</x>" * MAX_DEPTH
    assert parse_xml(fine, "part").tag == "x"
    deep = b"<x>" * 100_000 + b"</x>" * 100_000
    with pytest.raises(ReadError, match="nested"):
        parse_xml(deep, "part")
    with pytest.raises(ReadError, match="nested"):
        list(stream_xml([deep], "part", frozenset({"y"})))
    with pytest.raises(ReadError, match="nested"):
        list(stream_xml([b"<a><y>" + deep + b"</y></a>"], "part", frozenset({"y"})))


def test_the_number_of_elements_is_limited(monkeypatch):
    monkeypatch.setattr("kgkit.documents.xml.MAX_ELEMENTS", 1000)
    data = b"<a>" + b"<b/>" * 900 + b"</a>"
    assert len(parse_xml(data, "part")) == 900
    assert len(list(stream_xml([data], "part", frozenset({"b"})))) == 900
    grown = b"<a>" + b"<b>" * 150 + b"<c/>" * 5000 + b"</b>" * 150 + b"</a>"
    with pytest.raises(ReadError, match="too_large"):
        parse_xml(grown, "part")
    with pytest.raises(ReadError, match="too_large"):
        list(stream_xml([grown], "part", frozenset({"b"})))


@pytest.mark.parametrize("uri", [W, "http://purl.oclc.org/ooxml/wordprocessingml/main"])
def test_strict_and_transitional_names_are_one(uri):
    root = parse_xml(f'<w:p xmlns:w="{uri}" w:x="1"><w:r/></w:p>'.encode(), "part")
    assert (root.tag, root.get("w:x"), child(root, "w:r").tag) == ("w:p", "1", "w:r")
    assert short_name("{urn:other}a") == "{urn:other}a"


def test_a_stream_gives_elements_whole_and_lets_them_go():
    rows = "".join(f'<row r="{i}"><c><v>{i}</v></c></row>' for i in range(50))
    data = f'<worksheet xmlns="{S}"><x>{"<y/>" * 50}</x><sheetData>{rows}</sheetData></worksheet>'.encode()
    pieces = [data[i : i + 7] for i in range(0, len(data), 7)]
    assert [text_of(e) for e in stream_xml(pieces, "part", frozenset({"s:row"}))] == [str(i) for i in range(50)]


def test_a_stream_that_breaks_off_gives_what_came_before():
    seen = []
    with pytest.raises(UnreadablePart, match="well-formed"):
        for element in stream_xml([b"<a><b>1</b><b>2</b><b"], "part", frozenset({"b"})):
            seen.append(element.text)
    assert seen == ["1", "2"]


def test_every_reader_refuses_an_entity_in_any_part_it_reads():
    header = relations(h="header:h.xml")
    hostile = {
        docx_reader: docx(para("&j;"), before=LAUGHS),
        xlsx_reader: xlsx("<sheetData/>", parts={"xl/strings.xml": f'{LAUGHS}<sst xmlns="{S}"/>'}),
        pptx_reader: pptx(shape("x"), parts={"ppt/slides/slide1.xml": f"{LAUGHS}<p>&j;</p>"}),
        odt_reader: odt("<text:p>x</text:p>", meta=f"{LAUGHS}<x>&j;</x>"),
        epub_reader: epub({"a.xhtml": page("<p>x</p>"), "b.xhtml": f"{LAUGHS}<html>&j;</html>"}),
    }
    for reader, data in hostile.items():
        with pytest.raises(ReadError, match="unsafe_xml"):
            reader.read(data, "file", ReadOptions())
    body = para("x") + '<w:sectPr><w:headerReference w:type="default" r:id="h"/></w:sectPr>'
    parts = {"word/_rels/document.xml.rels": header, "word/h.xml": f"{LAUGHS}<w>&j;</w>"}
    with pytest.raises(ReadError, match=r"word/h\.xml"):
        docx_reader.read(docx(body, parts=parts), "file", ReadOptions())
