"""Spreadsheets: saved values, dates, sheets by name, what is hidden, what is merged, and claims of size."""

from __future__ import annotations

import io
from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import A, S, cells, damage, expected_words, relations, section_texts, xlsx

from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.documents.xlsx import read
from kgkit.documents.xlsx_cells import column_number, format_kind, plain_number, serial_to_text
from kgkit.errors import ReadError


def parse(data: bytes, **options: object) -> Parsed:
    (parsed,) = read(data, "file.xlsx", ReadOptions(**options))
    return parsed


def lines(data: bytes, **options: object) -> list[str]:
    return parse(data, **options).text.split("\n")[2:]


def number(reference: str, value: object, style: int = 0) -> str:
    return f'<c r="{reference}" s="{style}"><v>{value}</v></c>'


def text(reference: str, value: str) -> str:
    return f'<c r="{reference}" t="inlineStr"><is><t>{value}</t></is></c>'


def test_the_budget_reads_as_its_case_says(shared):
    data = (shared / "cases" / "budget_formulas.xlsx").read_bytes()
    parsed = parse(data)
    assert "Total | 65000" in parsed.text
    assert "Calder Works | 40000 | 2024-01-01" in parsed.text
    assert "Harbour Trust | 25000 | 2024-02-01" in parsed.text
    assert "Reserve | [no saved value: =B4*0.1]" in parsed.text
    assert list(section_texts(parsed, "sheet")) == ["Plan", "Officers"]
    assert parsed.notes == ("formula_without_value: Plan!B5 =B4*0.1", "hidden_sheet: Archive skipped")
    whole = parse(data, hidden_sheets="read")
    assert section_texts(whole, "sheet")["Archive"] == "Archive\n\nOld name\nCalder Mill"
    assert "hidden_sheet: Archive read" in whole.notes


def test_kinds_of_cells():
    row = (
        number("A1", "65000.0")
        + '<c r="B1" t="b"><v>1</v></c><c r="C1" t="e"><v>#REF!</v></c><c r="D1" t="str"><v>made</v></c>'
        + '<c r="E1" t="d"><v>2024-05-06T00:00:00</v></c><c r="F1" t="s"><v>0</v></c><c r="G1" t="s"><v>9</v></c>'
        + '<c r="H1" t="str"><f>A1</f><v></v></c><c r="I1"><f>A1</f></c><c r="J1"><f t="shared" si="0"/><v/></c>'
    )
    strings = f'<sst xmlns="{S}"><si><r><t>ri</t></r><r><t>ch_x000D_</t></r><rPh><t>no</t></rPh></si></sst>'
    parsed = parse(xlsx(cells(row), parts={"xl/strings.xml": strings}))
    shown = "65000 | TRUE | #REF! | made | 2024-05-06 | rich | [unreadable] | "
    shown += "[no saved value: =A1] | [no saved value: a formula shared with other cells]"
    assert parsed.text == f"A\n\n{shown}"
    assert [note.split(":")[0] for note in parsed.notes] == ["unreadable_part", *["formula_without_value"] * 2]


def test_only_the_edges_and_empty_columns_are_left_out():
    sheet = cells("", "", text("C3", "a") + text("E3", "b"), "", "", text("E6", "c"), text("C7", "d"), "")
    assert lines(xlsx(sheet)) == ["a | b", "", " | c", "d"]


def test_merged_cells_appear_once_even_if_covered_cells_hold_values():
    sheet = cells(text("A1", "wide") + text("B1", "under") + text("C1", "x"), text("A2", "under") + text("C2", "y"))
    assert lines(xlsx(sheet + '<mergeCells><mergeCell ref="A1:B2"/></mergeCells>')) == ["wide | x", " | y"]


def test_dates_follow_number_formats_and_the_workbooks_calendar():
    styles = (
        '<numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm\\-dd hh:mm"/>'
        '<numFmt numFmtId="171" formatCode="[h]:mm"/>'
        '<numFmt numFmtId="172" formatCode="&quot;day&quot; 0.00"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="172"/>'
        '<xf numFmtId="20"/></cellXfs>'
    )
    row = "".join(
        number(f"{c}1", v, s) for c, v, s in zip("ABCDEF", (0, 45292, 45292.5, 1.25, 3, 0.5), range(6), strict=True)
    )
    assert lines(xlsx(cells(row), styles=styles)) == ["0 | 2024-01-01 | 2024-01-01 12:00:00 | 30:00:00 | 3 | 12:00:00"]
    later = lines(xlsx(cells(number("A1", 0, 1)), styles=styles, workbook='<workbookPr date1904="1"/>'))
    assert later == ["1904-01-01"]


@pytest.mark.parametrize(
    ("serial", "shown"),
    [("1", "1900-01-01"), ("59", "1900-02-28"), ("61", "1900-03-01"), ("-3", "-3"), ("9e99", "9e+99"), ("x", "x")],
)
def test_serial_dates_at_the_edges(serial, shown):
    assert serial_to_text(serial, "date", since_1904=False) == shown


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("General", "number"),
        ("#,##0.00 [$€-407]", "number"),
        ('0 "days"', "number"),
        ("[Red]-0.0;0", "number"),
        ("d. mmmm yyyy", "date"),
        ("mmm-yy", "date"),
        ("[$-F800]dddd, mmmm dd, yyyy", "date"),
        ("h:mm AM/PM", "time"),
        ("mm:ss.0", "time"),
        ("[mm]:ss", "span"),
        ("dd/mm/yy hh:mm:ss", "datetime"),
        ("@", "number"),
    ],
)
def test_number_formats(code, kind):
    assert format_kind(200, code) == kind


@settings(deadline=None, max_examples=50)
@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers())
def test_numbers_are_written_so_that_they_read_back_the_same(value):
    shown = plain_number(repr(value))
    assert type(value)(float(shown)) == value if isinstance(value, float) else int(shown) == value


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 16_384))
def test_columns_are_counted_like_a_spreadsheet_does(column):
    openpyxl = pytest.importorskip("openpyxl")
    assert column_number(f"{openpyxl.utils.get_column_letter(column)}12") == column


def test_hidden_rows_and_columns_are_read_and_noted():
    sheet = '<cols><col min="2" max="3" hidden="1"/></cols><sheetData><row r="1" hidden="1">'
    sheet += text("A1", "a") + text("B1", "b") + '</row><row r="2" hidden="1"/></sheetData>'
    parsed = parse(xlsx(sheet))
    assert parsed.text.endswith("a | b")
    assert parsed.notes == ("hidden_rows: A: 1 hidden row read", "hidden_columns: A: 1 hidden column read")


def test_claims_of_enormous_size_cost_nothing():
    sheet = '<dimension ref="A1:XFD1048576"/><cols><col min="1" max="16384" hidden="1"/></cols><sheetData>'
    sheet += f'<row r="1">{number("A1", 1)}</row><row r="1048576">{number("XFD1048576", 2)}</row></sheetData>'
    sheet += '<mergeCells><mergeCell ref="B1:XFD1048575"/></mergeCells>'
    assert lines(xlsx(sheet)) == ["1", "", " | 2"]


def test_more_text_than_allowed_is_refused_while_it_grows():
    wide = cells("".join(number(f"{a}{b}1", 1) for a in "ABCD" for b in "ABCDEFGHIJ"), *[number("DJ2", 2)] * 200)
    with pytest.raises(ReadError, match="too_large"):
        parse(xlsx(wide), max_chars=5000)
    assert len(parse(xlsx(wide), max_chars=50_000).text) < 50_000


def test_many_formulas_without_values_are_counted_not_listed():
    parsed = parse(xlsx(cells(*[f'<c r="A{i}"><f>B{i}</f></c>' for i in range(1, 101)])))
    assert len(parsed.notes) == 21
    assert parsed.notes[-1] == "formula_without_value: and 80 more"
    assert parsed.text.count("[no saved value") == 100


def test_comments_boxes_charts_and_page_headers_follow_the_rows():
    c = "http://schemas.openxmlformats.org/drawingml/2006/chart"
    xdr = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
    box = f'<xdr:sp><xdr:txBody xmlns:a="{A}"><a:p><a:r><a:t>boxed</a:t></a:r></a:p></xdr:txBody></xdr:sp>'
    comment = '<comments xmlns="{}"><authors><author>Ann</author></authors><commentList><comment ref="A1" authorId="0">'
    comment += "<text><r><t>Ann:</t></r><r><t> check</t></r></text></comment></commentList></comments>"
    parts = {
        "xl/worksheets/_rels/sheet1.xml.rels": relations(d="drawing:../d.xml", c="comments:../c.xml"),
        "xl/d.xml": f'<xdr:wsDr xmlns:xdr="{xdr}">{box}</xdr:wsDr>',
        "xl/c.xml": comment.format(S),
    }
    footer = (
        "<headerFooter><oddHeader>&amp;L&amp;&quot;Arial,Bold&quot;&amp;12Secret&amp;R&amp;P</oddHeader></headerFooter>"
    )
    data = xlsx(cells(text("A1", "x")) + footer, parts=parts)
    parsed = parse(data)
    assert parsed.text == "A\n\nx\n\nboxed\n\nA1 Ann: check\n\nSecret"
    assert [s.kind for s in parsed.sections] == ["sheet", "drawing", "comments", "header"]
    assert "check" not in parse(data, comments="drop").text
    assert c not in parsed.text


def test_a_damaged_sheet_is_noted_and_the_others_load():
    sound = xlsx(cells(text("A1", "one")), cells(text("A1", "two")))
    parsed = parse(damage(sound, "xl/worksheets/sheet1.xml"))
    assert parsed.text.endswith("two")
    assert parsed.notes[0].startswith("unreadable_part: sheet A")
    with pytest.raises(ReadError, match="corrupt"):
        parse(xlsx("<sheetData><row"))


def test_rows_before_the_damage_are_kept():
    parsed = parse(xlsx("<sheetData><row><c><v>1</v></c></row><row><c><v>2</v></c></row><row><c"))
    assert parsed.text == "A\n\n1\n2"
    assert parsed.notes[0].startswith("unreadable_part: sheet A after row 2")


def test_empty_sheets_are_empty():
    assert parse(xlsx("<sheetData/>")).text == ""
    assert parse(xlsx(cells("<c/>"))).text == ""


def test_what_a_spreadsheet_library_writes():
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Prices"
    sheet.append(["Tea", 2.5, date(2024, 1, 1), datetime(2024, 2, 1, 13, 30), time(9, 5), timedelta(hours=30), True])
    sheet["A2"] = "=SUM(B1:B1)"
    sheet["B2"], sheet["B2"].number_format = 0.25, "0%"
    buffer = io.BytesIO()
    book.save(buffer)
    parsed = parse(buffer.getvalue())
    row = "Tea | 2.5 | 2024-01-01 | 2024-02-01 13:30:00 | 09:05:00 | 30:00:00 | TRUE"
    assert parsed.text == f"Prices\n\n{row}\n[no saved value: =SUM(B1:B1)] | 0.25"


@pytest.mark.parametrize("name", ["xlsx_multi", "xlsx_emoji", "xlsx_password"])
def test_public_files_hold_what_is_expected(shared, name):
    data, expected = (shared / f"data/files/{name}.xlsx").read_bytes(), expected_words(shared, f"{name}.xlsx")
    if expected == ["ERROR"]:
        with pytest.raises(ReadError, match="password_protected"):
            parse(data)
    else:
        assert [words for words in expected if words not in parse(data).text] == []


def test_codes_keep_the_zeros_that_their_format_adds():
    styles = '<numFmts><numFmt numFmtId="170" formatCode="00000"/></numFmts><cellXfs><xf numFmtId="0"/>'
    styles += '<xf numFmtId="170"/></cellXfs>'
    row = (
        number("A1", 417, 1) + number("B1", 417) + number("C1", 123456, 1) + number("D1", 4.5, 1) + number("E1", -7, 1)
    )
    assert lines(xlsx(cells(row), styles=styles)) == ["00417 | 417 | 123456 | 4.5 | -7"]
