"""Presentations: the order of slides, titles, tables, charts, groups, notes, what is hidden."""

from __future__ import annotations

import io

import pytest
from office_files import MC, A, P, damage, expected_words, pptx, relations, section_texts, sections_of, shape, slide_xml

from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.documents.pptx import read
from kgkit.errors import ReadError


def parse(data: bytes, **options: str) -> Parsed:
    (parsed,) = read(data, "file.pptx", ReadOptions(**options))
    return parsed


def test_slides_come_in_the_order_of_the_presentation_under_their_numbers():
    parsed = parse(pptx(shape("one"), shape("two"), shape("three"), order=[3, 1, 2]))
    assert section_texts(parsed, "slide") == {"1": "three", "2": "one", "3": "two"}


def test_titles_come_first_and_are_headings_of_their_slide():
    parsed = parse(pptx(shape("body") + shape("Title", "ctrTitle"), shape("alone")))
    assert parsed.text == "Title\n\nbody\n\nalone"
    assert section_texts(parsed, "heading") == {"Title": "Title\n\nbody"}
    assert parsed.title == "Title"


def test_hidden_slides_follow_the_option():
    data = pptx(shape("seen"), slide_xml(shape("secret"), 'show="0"'), shape("last"))
    parsed = parse(data)
    assert section_texts(parsed, "slide") == {"1": "seen", "3": "last"}
    assert parsed.notes == ("hidden_slide: 2 skipped",)
    whole = parse(data, hidden_sheets="read")
    assert section_texts(whole, "slide")["2"] == "secret"
    assert whole.notes == ("hidden_slide: 2 read",)


def test_groups_alternatives_and_page_numbers():
    group = f"<p:grpSp>{shape('in')}<p:grpSp>{shape('deeper')}</p:grpSp></p:grpSp>"
    both = f"<mc:AlternateContent><mc:Choice>{shape('new')}</mc:Choice><mc:Fallback>{shape('old')}</mc:Fallback>"
    shapes = group + both + "</mc:AlternateContent>" + shape("7", "sldNum") + shape("2024", "dt")
    assert parse(pptx(shapes)).text == "in\n\ndeeper\n\nnew\n\n2024"
    assert MC not in parse(pptx(shapes)).text


def test_tables_are_read_row_by_row_with_merged_cells_once():
    def cell(text: str, attributes: str = "") -> str:
        return f"<a:tc {attributes}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    rows = "<a:tr>" + cell("wide", 'gridSpan="2"') + cell("", 'hMerge="1"') + cell("c") + "</a:tr>"
    rows += "<a:tr>" + cell("", 'vMerge="1"') + cell("b") + cell("d") + "</a:tr>"
    frame = (
        f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )
    assert parse(pptx(frame)).text == "wide | c\n | b | d"


def test_breaks_fields_and_list_levels():
    text = "<a:p><a:r><a:t>a</a:t></a:r><a:br/><a:fld><a:t>b</a:t></a:fld></a:p>"
    text += '<a:p><a:pPr lvl="1"/><a:r><a:t>c</a:t></a:r></a:p>'
    body = f"<p:sp><p:txBody>{text}<a:p><a:pPr><a:buChar/></a:pPr><a:r><a:t>d</a:t></a:r></a:p></p:txBody></p:sp>"
    assert parse(pptx(body)).text == "a\nb\n  - c\n- d"


def test_notes_comments_and_picture_descriptions():
    picture = '<p:pic><p:nvPicPr><p:cNvPr id="1" name="x" descr="a  map"/><p:nvPr/></p:nvPicPr></p:pic>'
    notes = f'<p:notes xmlns:p="{P}" xmlns:a="{A}"><p:cSld><p:spTree>{shape("say it", "body")}{shape("3", "sldNum")}'
    notes += f"{shape('Header', 'hdr')}</p:spTree></p:cSld></p:notes>"
    parts = {
        "ppt/slides/_rels/slide1.xml.rels": relations(n="notesSlide:../n.xml", c="comments:../c.xml"),
        "ppt/n.xml": notes,
        "ppt/c.xml": f'<p:cmLst xmlns:p="{P}"><p:cm authorId="5"><p:text>why?</p:text></p:cm></p:cmLst>',
    }
    data = pptx(picture, shape("next"), parts=parts)
    parsed = parse(data)
    assert parsed.text == "[image: a map]\n\nsay it\n\nUnknown: why?\n\nnext"
    assert section_texts(parsed, "notes") == {"1": "say it"}
    assert parse(data, comments="drop").notes == ("comments_dropped: 1 comment on slide 1",)


def test_a_damaged_slide_is_noted_and_the_others_load():
    sound = pptx(shape("one"), shape("two"))
    parsed = parse(damage(sound, "ppt/slides/slide1.xml"))
    assert parsed.text == "two"
    assert parsed.notes[0].startswith("unreadable_part: slide 1 (")
    with pytest.raises(ReadError, match="corrupt: No slide"):
        parse(damage(pptx(shape("one")), "ppt/slides/slide1.xml"))


def test_shapes_without_what_they_should_have_are_passed_over():
    parsed = parse(pptx("<p:sp/><p:pic/><p:graphicFrame/><p:grpSp/><mc:AlternateContent/><p:sp><p:txBody/></p:sp>"))
    assert parsed.text == ""
    assert [s.label for s in sections_of(parsed, "slide")] == ["1"]


def test_what_a_presentation_library_writes():
    library = pytest.importorskip("pptx")
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE

    made = library.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Sales"
    data = CategoryChartData()
    data.categories = ["Q1", "Q2"]
    data.add_series("North", (1.5, 2))
    data.add_series("South", (0.1, 3))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 99, 99, data).chart
    chart.has_title, chart.chart_title.text_frame.text = True, "Money"
    slide.notes_slide.notes_text_frame.text = "say this"
    buffer = io.BytesIO()
    made.save(buffer)
    assert parse(buffer.getvalue()).text == "Sales\n\nMoney\n| North | South\nQ1 | 1.5 | 0.1\nQ2 | 2 | 3\n\nsay this"


@pytest.mark.parametrize("name", ["pptx_rich", "pptx_malformed"])
def test_public_files_hold_what_is_expected(shared, name):
    text = parse((shared / f"data/files/{name}.pptx").read_bytes()).text
    assert [words for words in expected_words(shared, f"{name}.pptx") if words not in text] == []
