"""OpenDocument: texts with notes and changes, and sheets and slides by the same rules."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from office_files import ODF, damage, expected_words, odt, section_texts, sections_of

from kgkit.documents.odt import read
from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.errors import ReadError


def parse(data: bytes, **options: object) -> Parsed:
    (parsed,) = read(data, "file.odt", ReadOptions(**options))
    return parsed


def p(text: str, attributes: str = "") -> str:
    return f"<text:p {attributes}>{text}</text:p>"


def test_headings_paragraphs_blanks_and_breaks():
    body = '<text:h text:outline-level="2">Head  <text:span>line</text:span></text:h>'
    body += p('a\n   b<text:s text:c="2"/>c<text:tab/>d<text:line-break/>e <text:a>link</text:a>') + p("")
    parsed = parse(odt(body))
    assert parsed.text == "Head line\n\na b  c\td\ne link"
    assert [(s.label, s.level) for s in sections_of(parsed, "heading")] == [("Head line", 2)]


def test_lists_are_marked_and_numbered_as_their_style_says():
    numbered = '<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1"/>'
    numbered += '<text:list-level-style-bullet text:level="2"/></text:list-style>'
    inner = f"<text:list><text:list-item>{p('x')}</text:list-item></text:list>"
    items = f"<text:list-item>{p('a')}{p('more')}{inner}</text:list-item><text:list-item>{p('b')}</text:list-item>"
    body = f'<text:list text:style-name="N">{items}</text:list>'
    body += f"<text:list><text:list-item>{p('c')}</text:list-item></text:list>"
    assert parse(odt(body + p("end"), automatic=numbered)).text == "1. a\n  more\n  - x\n2. b\n- c\n\nend"


def test_tables_with_headers_repeats_covered_and_nested_cells():
    def cell(content: str, attributes: str = "") -> str:
        return f"<table:table-cell {attributes}>{content}</table:table-cell>"

    inner = f"<table:table><table:table-row>{cell(p('i'))}{cell(p('j'))}</table:table-row></table:table>"
    head = f"<table:table-header-rows><table:table-row>{cell(p('wide'))}<table:covered-table-cell/>{cell(p('h'))}"
    twice = cell(p("r"), 'table:number-columns-repeated="2"')
    rows = f"<table:table-row>{twice}{cell(p('k') + inner)}</table:table-row>"
    body = f"<table:table>{head}</table:table-row></table:table-header-rows>{rows}</table:table>"
    assert parse(odt(p("t") + body)).text == "t\n\nwide |  | h\nr | r | k i | j"


CHANGES = (
    '<text:tracked-changes><text:changed-region text:id="d"><text:deletion><text:p>90,000</text:p></text:deletion>'
    '</text:changed-region><text:changed-region text:id="i"><text:insertion/></text:changed-region>'
    "</text:tracked-changes>"
)
CHANGED = p('is <text:change text:change-id="d"/><text:change-start text:change-id="i"/>65,000<text:change-end '
            'text:change-id="i"/> crowns')  # fmt: skip


def test_tracked_changes_are_accepted_or_rejected():
    parsed = parse(odt(CHANGES + CHANGED))
    assert parsed.text == "is 65,000 crowns"
    assert parsed.notes == ("tracked_changes: 1 insertion, 1 deletion, accepted",)
    assert parse(odt(CHANGES + CHANGED), tracked_changes="original").text == "is 90,000 crowns"


def test_notes_comments_boxes_headers_and_hidden_text():
    note = "<text:note text:note-class='endnote'><text:note-citation>i</text:note-citation><text:note-body>"
    body = p(f"Fact{note}{p('source')}</text:note-body></text:note><office:annotation><dc:creator>Ann</dc:creator>"
             f"{p('why?')}</office:annotation> end") + p("gone", 'text:style-name="H"')  # fmt: skip
    body += p("<draw:frame><draw:text-box>" + p("boxed") + "</draw:text-box></draw:frame>anchor")
    body += p("<draw:frame><draw:image/><svg:desc>a dog</svg:desc></draw:frame>")
    hidden = '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
    master = f"<style:header>{p('Draft')}</style:header><style:footer>{p('12')}</style:footer>"
    styles = (
        f'<office:master-styles><style:master-page style:name="S">{master}</style:master-page></office:master-styles>'
    )
    data = odt(body, automatic=hidden, styles=styles)
    parsed = parse(data)
    assert parsed.text == "Fact[1] end\n\nanchor\n\nboxed\n\n[image: a dog]\n\n[1] source\n\nAnn: why?\n\nDraft"
    assert [s.kind for s in parsed.sections] == ["endnotes", "comments", "header"]
    assert parsed.notes == ("hidden_text_dropped: 4 characters",)
    assert parse(data, comments="drop").notes[0] == "comments_dropped: 1 comment"


def test_encrypted_files_need_a_password():
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    manifest += "<manifest:file-entry>"
    manifest += "<manifest:encryption-data/></manifest:file-entry></manifest:manifest>"
    with pytest.raises(ReadError, match="password_protected"):
        parse(odt(p("x"), **{"META-INF__manifest": manifest}))


def test_properties_are_metadata():
    meta = f"<office:document-meta {ODF}><office:meta><dc:title>Plan</dc:title><dc:creator>Ann</dc:creator>"
    meta += (
        "<dc:date>2024-01-02T09:00:00.5</dc:date><dc:language>pt-BR</dc:language></office:meta></office:document-meta>"
    )
    parsed = parse(odt(p("x"), meta=meta))
    assert (parsed.title, parsed.language, parsed.metadata) == ("Plan", "pt", {"last_modified_by": "Ann"})
    assert parsed.modified_at == datetime(2024, 1, 2, 9, 0, 0, 500_000, UTC)


def test_flat_files_are_read_and_other_xml_is_not():
    flat = f"<office:document {ODF}><office:body><office:text>{p('flat')}</office:text></office:body></office:document>"
    assert parse(flat.encode()).text == "flat"
    with pytest.raises(ReadError, match="mislabelled"):
        parse(b"<html><body>page</body></html>")
    with pytest.raises(ReadError, match="corrupt"):
        parse(flat[:-20].encode())


def test_damage_to_the_text_is_corrupt_and_to_the_rest_a_note():
    with pytest.raises(ReadError, match="corrupt"):
        parse(damage(odt(p("x")), "content.xml"))
    parsed = parse(damage(odt(p("x")), "styles.xml"))
    assert parsed.text == "x"
    assert parsed.notes[0].startswith("unreadable_part: styles.xml")


def test_sheets_by_the_rules_of_spreadsheets():
    def value(kind: str, attribute: str, saved: str, shown: str) -> str:
        return (
            f'<table:table-cell office:value-type="{kind}" office:{attribute}="{saved}">{p(shown)}</table:table-cell>'
        )

    row = value("float", "value", "65000.0", "65,000.00") + value("date", "date-value", "2024-01-01", "1/1/24")
    row += value("percentage", "value", "0.25", "25%") + '<table:table-cell table:formula="of:=[.A1]"/>'
    empty = '<table:table-row table:number-rows-repeated="1048570">'
    empty += '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    sheet = f'<table:table table:name="Prices"><table:table-row>{row}</table:table-row>{empty}</table:table>'
    hidden = (
        f'<table:table table:name="Old" table:style-name="T"><table:table-row>{row}</table:table-row></table:table>'
    )
    style = '<style:style style:name="T"><style:table-properties table:display="false"/></style:style>'
    data = odt(sheet + hidden, automatic=style, kind="spreadsheet")
    parsed = parse(data)
    assert parsed.text == "Prices\n\n65000 | 2024-01-01 | 0.25 | [no saved value: =[.A1]]"
    assert parsed.notes == ("formula_without_value: Prices, row 1 =[.A1]", "hidden_sheet: Old skipped")
    assert list(section_texts(parse(data, hidden_sheets="read"), "sheet")) == ["Prices", "Old"]
    assert parsed.media_type == "application/vnd.oasis.opendocument.spreadsheet"


def test_slides_by_the_rules_of_presentations():
    frame = "<draw:frame {}><draw:text-box>{}</draw:text-box></draw:frame>".format
    notes = f"<presentation:notes>{frame('', p('say it'))}</presentation:notes>"
    title = frame('presentation:class="title"', p("Title"))
    slides = f"<draw:page>{frame('', p('body'))}{title}{notes}</draw:page>"
    slides += f'<draw:page draw:style-name="D">{frame("", p("secret"))}</draw:page>'
    style = (
        '<style:style style:name="D"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    )
    parsed = parse(odt(slides, automatic=style, kind="presentation"))
    assert parsed.text == "Title\n\nbody\n\nsay it"
    assert section_texts(parsed, "notes") == {"1": "say it"}
    assert parsed.notes == ("hidden_slide: 2 skipped",)


def test_public_files_hold_what_is_expected(shared):
    text = parse((shared / "data/files/odt_simple.odt").read_bytes()).text
    assert [words for words in expected_words(shared, "odt_simple.odt") if words not in text] == []


def test_codes_keep_the_zeros_that_their_format_adds():
    cell = '<table:table-cell office:value-type="float" office:value="{}">' + p("{}") + "</table:table-cell>"
    row = cell.format("417", "00417") + cell.format("417", "417.00") + cell.format("0", "000") + cell.format("5", "7")
    sheet = f'<table:table table:name="A"><table:table-row>{row}</table:table-row></table:table>'
    assert parse(odt(sheet, kind="spreadsheet")).text == "A\n\n00417 | 417 | 000 | 5"
