"""E-books: reading order, chapters by the contents page, damage, encryption, and pages that are no good XML."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime

import pytest
from office_files import damage, epub, expected_words, pack, page, section_texts

from kgkit.documents.epub import read
from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.errors import ReadError


def parse(data: bytes) -> Parsed:
    (parsed,) = read(data, "file.epub", ReadOptions())
    return parsed


def nav(*links: tuple[str, str]) -> str:
    lines = "".join(f'<li><a href="{target}">{title}</a></li>' for target, title in links)
    return page(f'<h1>Contents</h1><nav epub:type="toc"><ol>{lines}</ol></nav>')


NAV = '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'


def book(pages: dict[str, str | bytes], *links: tuple[str, str], **more: str) -> bytes:
    spine = "".join(f'<itemref idref="{name}"/>' for name in ("nav", *pages))
    data = epub(pages, spine=spine, items=NAV, **more)
    buffer = io.BytesIO(data)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("OEBPS/nav.xhtml", nav(*links))
    return buffer.getvalue()


def test_the_shuffled_book_reads_as_its_case_says(shared):
    parsed = parse((shared / "cases" / "shuffled_spine.epub").read_bytes())
    words = ["Mira Solen bought", "Then she sold it", "Afterwards Odd Varga resigned."]
    assert [parsed.text.index(w) for w in words] == sorted(parsed.text.index(w) for w in words)
    assert list(section_texts(parsed, "chapter")) == ["Part one", "Part two", "Part three"]
    assert parsed.notes == ("unreadable_part: chapter 4 (OEBPS/k_fourth.xhtml: its checksum is wrong)",)
    assert (parsed.title, parsed.language) == ("The Ferry Log", "en")


def test_chapters_are_named_by_the_contents_page_which_is_no_passage():
    pages = {"b.xhtml": page("<p>one</p>"), "a.xhtml": page("<h2>Own</h2><p>two</p>"), "c.xhtml": page("<p>more</p>")}
    parsed = parse(book(pages, ("b.xhtml", "First"), ("a.xhtml#top", "Second")))
    assert section_texts(parsed, "chapter") == {"First": "one", "Second": "Own\n\ntwo\n\nmore"}
    assert parsed.text == "one\n\nOwn\n\ntwo\n\nmore"
    assert parsed.notes == ()


def test_a_page_is_no_contents_page_because_the_book_says_so():
    contents = page("<p>Contents</p>" + "".join(f'<p><a href="a.xhtml#{i}">Line {i}</a></p>' for i in range(60)))
    pages = {"toc.xhtml": contents, "a.xhtml": page("<p>one</p>")}
    guide = '</manifest><guide><reference type="toc" href="{}"/></guide><manifest>'.format
    assert parse(epub(pages, items=guide("toc.xhtml"))).text == "one"
    assert parse(epub({"a.xhtml": page("<p>one</p>")}, items=guide("a.xhtml"))).text == "one"


def test_chapters_may_start_inside_a_page():
    body = '<h1>Book</h1><p>intro</p><section id="c1"><h2>I</h2><p>a</p></section><h2><a id="c2"/>II</h2><p>b</p>'
    parsed = parse(book({"all.xhtml": page(body)}, ("all.xhtml#c1", "Chapter I"), ("all.xhtml#c2", "Chapter II")))
    assert section_texts(parsed, "chapter") == {"Book": "Book\n\nintro", "Chapter I": "I\n\na", "Chapter II": "II\n\nb"}


def test_a_contents_page_of_epub_2_names_chapters_too():
    points = "".join(
        f"<navPoint><navLabel><text>{title}</text></navLabel><content src='{part}'/></navPoint>"
        for part, title in (("a.xhtml", "Alpha"), ("b%20c.xhtml", "Beta"))
    )
    ncx = '<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd">'
    ncx += f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{points}</navMap></ncx>'
    item = '<item id="ncx" href="toc.xml" media-type="application/x-dtbncx+xml"/>'
    item += '<item id="b" href="b%20c.xhtml" media-type="application/xhtml+xml"/>'
    pages = {"a.xhtml": page("<p>1</p>"), "b c.xhtml": page("<p>2</p>")}
    spine = '<itemref idref="a.xhtml"/><itemref idref="b"/>'
    parsed = parse(epub(pages, items=item, spine=spine, OEBPS__toc=ncx))
    assert section_texts(parsed, "chapter") == {"Alpha": "1", "Beta": "2"}


def test_markup_that_is_no_good_xml_is_read_all_the_same():
    doctype = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">'
    pages = {
        "a.xhtml": f"{doctype}<html><head><title/><script src='x'/></head><body><p>caf&eacute;&nbsp;&amp; bar<br>next",
        "b.xhtml": "<html><body><div id='x'/><p/><p>b & c <i>unclosed</p></body></html>",
        "c.xhtml": page(
            "<style>p{}</style><p>漢字<ruby>東<rt>とう</rt></ruby><![CDATA[raw]]></p><script>no()</script>"
        ),
    }
    text = parse(epub(pages)).text
    assert text.startswith("café\u00a0& bar\nnext") or text.startswith("café & bar\nnext")
    assert "b & c unclosed" in text
    assert "漢字東" in text
    assert "とう" not in text
    assert "no()" not in text


def test_chapters_are_decoded_as_they_declare():
    head = '<?xml version="1.0" encoding="{}"?><html><body><p>Łódź</p></body></html>'.format
    pages = {f"{c}.xhtml": head(c).encode(c) for c in ("iso-8859-2", "utf-16", "windows-1250")}
    assert parse(epub(pages)).text.split("\n\n") == ["Łódź"] * 3


def test_encrypted_books_need_a_password_and_obfuscated_fonts_do_not():
    entry = (
        '<EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#"><EncryptionMethod Algorithm="{}"/><CipherData>'
        '<CipherReference URI="{}"/></CipherData></EncryptedData>'
    ).format
    wrap = '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container">{}</encryption>'.format
    pages = {"a.xhtml": page("<p>1</p>"), "b.xhtml": page("<p>2</p>"), "c.xhtml": page("<p>3</p>")}
    aes, font = "http://www.w3.org/2001/04/xmlenc#aes128-cbc", "http://www.idpf.org/2008/embedding"
    most = wrap(entry(aes, "OEBPS/a.xhtml") + entry(aes, "OEBPS/b.xhtml"))
    with pytest.raises(ReadError, match="password_protected"):
        parse(epub(pages, **{"META-INF__encryption": most}))
    assert parse(epub(pages, **{"META-INF__encryption": wrap(entry(font, "OEBPS/f.otf"))})).notes == ()
    some = parse(epub(pages, **{"META-INF__encryption": wrap(entry(aes, "OEBPS/b.xhtml"))}))
    assert some.text == "1\n\n3"
    assert some.notes == ("unreadable_part: chapter 2 (OEBPS/b.xhtml: it is encrypted)",)


def test_parts_outside_of_the_linear_order_are_read_in_place_and_noted():
    pages = {"a.xhtml": page("<p>1</p>"), "n.xhtml": page("<p>note</p>"), "b.xhtml": page("<p>2</p>")}
    spine = '<itemref idref="a.xhtml"/><itemref idref="n.xhtml" linear="no"/><itemref idref="b.xhtml"/>'
    parsed = parse(epub(pages, spine=spine + '<itemref idref="lost"/>'))
    assert parsed.text == "1\n\nnote\n\n2"
    assert parsed.notes == (
        "unreadable_part: part 'lost' of the reading order (it is not in the book)",
        "non_linear: 1 part outside of the linear reading order read in place",
    )


def test_a_book_without_its_package_file_is_read_by_names():
    parsed = parse(pack({"mimetype": "application/epub+zip", "b.html": "<p>2</p>", "a.html": "<p>1</p>"}))
    assert parsed.text == "1\n\n2"
    assert parsed.notes[0].startswith("no_reading_order")


def test_nothing_readable_is_corrupt_and_nothing_written_is_empty():
    with pytest.raises(ReadError, match="corrupt"):
        parse(damage(epub({"a.xhtml": page("<p>1</p>")}), "OEBPS/a.xhtml"))
    assert parse(epub({"a.xhtml": page("<img src='x'/>")})).text == ""


def test_properties_are_metadata():
    metadata = (
        "<dc:title>Log</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bo</dc:creator><dc:language>eng</dc:language>"
        '<dc:date>2011</dc:date><meta property="dcterms:modified">2012-01-18T12:47:00Z</meta>'
    )
    parsed = parse(epub({"a.xhtml": page("<p>1</p>")}, metadata=metadata))
    assert (parsed.title, parsed.language) == ("Log", "en")
    assert parsed.metadata == {"author": "Ann; Bo", "published": "2011", "encoding": "utf-8"}
    assert parsed.modified_at == datetime(2012, 1, 18, 12, 47, tzinfo=UTC)


def test_public_files_hold_what_is_expected(shared):
    parsed = parse((shared / "data/files/epub_wasteland.epub").read_bytes())
    assert [words for words in expected_words(shared, "epub_wasteland.epub") if words not in parsed.text] == []
    assert list(section_texts(parsed, "chapter"))[1:3] == ["I. THE BURIAL OF THE DEAD", "II. A GAME OF CHESS"]


def test_a_book_that_states_no_order_is_read_as_its_package_lists_it():
    pages = {"b.xhtml": page("<p>one</p>"), "a.xhtml": page("<p>two</p>")}
    parsed = parse(epub(pages, spine="<!-- -->", items=NAV))
    assert parsed.text == "one\n\ntwo"
    assert any(note.startswith("no_reading_order: the book states none") for note in parsed.notes)
