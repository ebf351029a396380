"""Word documents: order, tracked changes, tables, boxes, notes, headers, hidden text."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from office_files import A, W, damage, docx, expected_words, pack, para, relations, section_texts, sections_of

from kgkit.documents.docx import read
from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.errors import ReadError


def parse(data: bytes, **options: str) -> Parsed:
    (parsed,) = read(data, "file.docx", ReadOptions(**options))
    return parsed


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def cell(content: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>"


def table(*rows: list[str]) -> str:
    return "<w:tbl>" + "".join(f"<w:tr>{''.join(row)}</w:tr>" for row in rows) + "</w:tbl>"


STYLES = f"""<w:styles xmlns:w="{W}">
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift1"/></w:style>
<w:style w:type="paragraph" w:styleId="Out"><w:name w:val="Out"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="character" w:styleId="Secret"><w:name w:val="S"/><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Loop1"><w:basedOn w:val="Loop2"/></w:style>
<w:style w:type="paragraph" w:styleId="Loop2"><w:basedOn w:val="Loop1"/></w:style>
</w:styles>"""
NUMBERING = f"""<w:numbering xmlns:w="{W}">
<w:abstractNum w:abstractNumId="0">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="%1.%2)"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="1">
<w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="x"/></w:lvl>
</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
</w:numbering>"""


def styled(body: str, **parts: str) -> bytes:
    made = {"word/styles.xml": STYLES, "word/numbering.xml": NUMBERING}
    return docx(body, parts={**made, **parts}, st="styles:styles.xml", nu="numbering:numbering.xml")


def style(name: str) -> str:
    return f'<w:pStyle w:val="{name}"/>'


def listed(number: int, level: int = 0) -> str:
    return f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'


def test_tracked_changes_are_accepted_and_counted(shared):
    data = (shared / "cases" / "minutes_tracked.docx").read_bytes()
    parsed = parse(data)
    order = ["Section 1", "Chair | Mira Solen", "Treasurer | Odd Varga", "Section 2", "Section 3"]
    assert [parsed.text.index(words) for words in order] == sorted(parsed.text.index(words) for words in order)
    assert "is 65,000 crowns" in parsed.text
    assert "90,000" not in parsed.text
    assert "Calder Works reports to Northwick Council." in parsed.text
    assert parsed.notes == ("tracked_changes: 2 insertions, 1 deletion, accepted",)


def test_the_original_text_can_be_asked_for(shared):
    data = (shared / "cases" / "minutes_tracked.docx").read_bytes()
    parsed = parse(data, tracked_changes="original")
    assert "is 90,000 crowns" in parsed.text
    assert "65,000" not in parsed.text
    assert "Northwick" not in parsed.text
    assert "rejected" in parsed.notes[0]


def test_a_deleted_paragraph_end_joins_two_paragraphs_and_moves_read_once():
    gone = "<w:rPr><w:del/></w:rPr>"
    moved = f"<w:moveFrom>{run('moved')}</w:moveFrom>", f"<w:moveTo>{run('moved')}</w:moveTo>"
    body = para("one ", gone) + para("two") + f"<w:p>{moved[0]}</w:p><w:p>{moved[1]}</w:p>" + para("last", gone)
    assert parse(docx(body)).text == "one two\n\nmoved\n\nlast"
    assert parse(docx(body), tracked_changes="original").text == "one\n\ntwo\n\nmoved\n\nlast"


def test_deleted_rows_and_inserted_blocks_follow_the_rule():
    row = f"<w:tr><w:trPr><w:del/></w:trPr>{cell(para('old'))}{cell(para('row'))}</w:tr>"
    body = f"<w:tbl>{row}<w:tr>{cell(para('a'))}{cell(para('b'))}</w:tr></w:tbl><w:ins>{para('new')}</w:ins>"
    assert parse(docx(body)).text == "a | b\n\nnew"
    assert parse(docx(body), tracked_changes="original").text == "old | row\na | b"


def test_tables_are_read_row_by_row_with_merged_and_nested_cells():
    inner = table([cell(para("in1")), cell(para("in2"))])
    body = para("before") + table(
        [cell(para("wide"), '<w:gridSpan w:val="2"/>'), cell(para("tall"), '<w:vMerge w:val="restart"/>')],
        [cell(para("a") + para("b")), cell(para("c") + inner + para("d")), cell(para("tall"), "<w:vMerge/>")],
    )
    assert parse(docx(body + para("after"))).text == "before\n\nwide | tall\na b | c d\nin1 | in2\n\nafter"


def test_a_table_of_one_cell_is_a_frame_around_paragraphs():
    assert parse(docx(table([cell(para("one") + para("two"))]))).text == "one\n\ntwo"


def test_headings_come_from_names_bases_and_outline_levels():
    body = (
        para("The Title", style("Titel"))
        + para("Local", style("berschrift1"))
        + para("Derived", style("Mine"))
        + para("Outlined", style("Out"))
        + para("Direct", '<w:outlineLvl w:val="1"/>')
        + para("Body", '<w:outlineLvl w:val="9"/>')
        + para("Looped", style("Loop1"))
        + para("Unknown style", style("Heading4"))
    )
    parsed = parse(styled(body))
    found = {s.label: s.level for s in sections_of(parsed, "heading")}
    assert found == {"The Title": 1, "Local": 1, "Derived": 1, "Outlined": 3, "Direct": 2, "Unknown style": 4}
    assert parsed.title == "The Title"
    assert section_texts(parsed, "heading")["Derived"].endswith("Unknown style")


def test_lists_have_the_markers_that_are_shown():
    body = "".join(
        para(text, listed(*where))
        for text, where in (
            ("a", (1,)),
            ("b", (1,)),
            ("b1", (1, 1)),
            ("b2", (1, 1)),
            ("c", (1,)),
            ("c1", (1, 1)),
            ("dot", (2,)),
            ("none", (0,)),
        )
    )
    assert parse(styled(body)).text == "1. a\n2. b\n  2.i) b1\n  2.ii) b2\n3. c\n  3.i) c1\n- dot\n\nnone"


def test_lists_continue_and_restart_as_their_definitions_say():
    level = '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    override = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    numbers = f'<w:abstractNum w:abstractNumId="0">{level}</w:abstractNum>'
    numbers += "".join(
        f'<w:num w:numId="{i}"><w:abstractNumId w:val="0"/>{extra}</w:num>' for i, extra in ((1, ""), (2, override))
    )
    parts = {"word/numbering.xml": f'<w:numbering xmlns:w="{W}">{numbers}</w:numbering>'}
    body = "".join(para("x", listed(number)) for number in (1, 1, 2, 1, 2))
    assert parse(styled(body, **parts)).text == "1. x\n2. x\n1. x\n2. x\n3. x"


def test_fields_show_their_result_and_not_their_code():
    marks = {k: f'<w:r><w:fldChar w:fldCharType="{k}"/></w:r>' for k in ("begin", "separate", "end")}
    nested = f"{marks['begin']}<w:r><w:instrText>IF</w:instrText></w:r>{run('hidden code')}{marks['begin']}"
    nested += (
        f"{run('deeper')}{marks['separate']}{run('x')}{marks['end']}{marks['separate']}{run('shown')}{marks['end']}"
    )
    simple = f'<w:fldSimple w:instr="DATE">{run("today")}</w:fldSimple>'
    assert parse(docx(f"<w:p>{nested}{run(' and ')}{simple}</w:p>")).text == "shown and today"


def test_content_controls_links_and_tags_are_transparent_and_prompts_are_dropped():
    prompt = f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{run('Click here')}</w:sdtContent></w:sdt>"
    inline = f"<w:p><w:hyperlink>{run('link')}</w:hyperlink><w:smartTag>{run(' tag')}</w:smartTag>{prompt}</w:p>"
    rows = f"<w:sdt><w:sdtContent><w:tr>{cell(para('x'))}{cell(para('y'))}</w:tr></w:sdtContent></w:sdt>"
    body = f"<w:sdt><w:sdtContent>{inline}</w:sdtContent></w:sdt><w:tbl>{rows}</w:tbl>"
    parsed = parse(docx(body))
    assert parsed.text == "link tag\n\nx | y"
    assert parsed.notes == ("placeholder_dropped: an empty form field's prompt 'Click here'",)


def test_text_boxes_are_read_once_after_their_paragraph():
    box = f"<w:txbxContent>{para('in the box')}{table([cell(para('p')), cell(para('q'))])}</w:txbxContent>"
    both = (
        f"<mc:AlternateContent><mc:Choice><w:drawing>{box}</w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent>"
    )
    empty = both.replace(f"<w:drawing>{box}</w:drawing>", "<w:drawing/>")
    for alternative in (both, empty):
        parsed = parse(docx(f"<w:p>{run('anchor')}<w:r>{alternative}</w:r>{run(' end')}</w:p>{para('next')}"))
        assert parsed.text == "anchor end\n\nin the box\n\np | q\n\nnext"


def test_hidden_text_is_dropped_and_counted():
    own = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>abc</w:t></w:r>"
    by_style = '<w:r><w:rPr><w:rStyle w:val="Secret"/></w:rPr><w:t>de</w:t></w:r>'
    shown = '<w:r><w:rPr><w:vanish w:val="0"/><w:rStyle w:val="Secret"/></w:rPr><w:t>seen</w:t></w:r>'
    parsed = parse(styled(f"<w:p>{own}{by_style}{shown}</w:p>"))
    assert parsed.text == "seen"
    assert parsed.notes == ("hidden_text_dropped: 5 characters",)


def test_breaks_tabs_symbols_and_formulas():
    signs = (
        "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/>"
        '<w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>'
    )
    m = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    of = "<m:r><m:t>{}</m:t></m:r>".format
    formula = f"<m:oMath {m}><m:f><m:num>{of('x')}</m:num><m:den>{of('y')}</m:den></m:f>"
    formula += f"<m:sSup><m:e>{of('z')}</m:e><m:sup>{of('2')}</m:sup></m:sSup></m:oMath>"
    assert parse(docx(f"<w:p>{signs}{formula}</w:p>")).text == "a\tb\nc-dα✓(x)/(y)z^2"


def test_formulas_keep_their_structure():
    m = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    r = "<m:r><m:t>{}</m:t></m:r>".format
    e = f"<m:e>{r('x')}</m:e>"
    limits = f"<m:sub>{r('i=1')}</m:sub><m:sup>{r('n')}</m:sup>"
    shapes = {
        f"<m:d>{e}</m:d>": "(x)",
        f'<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val=""/></m:dPr>{e}{e}</m:d>': "[x|x",
        f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>{limits}{e}</m:nary>': "∑_(i=1)^n x",
        f"<m:rad><m:deg>{r('3')}</m:deg>{e}</m:rad>": "√[3](x)",
        f"<m:sSubSup>{e}<m:sub>{r('a')}</m:sub><m:sup>{r('2')}</m:sup></m:sSubSup>": "x_a^2",
        f"<m:func><m:fName>{r('sin')}</m:fName>{e}</m:func>": "sin(x)",
        f"<m:m><m:mr>{e}{e}</m:mr><m:mr>{e}{e}</m:mr></m:m>": "[x, x; x, x]",
    }
    for xml, shown in shapes.items():
        assert parse(docx(f"<w:p><m:oMath {m}>{xml}</m:oMath></w:p>")).text == shown


def test_notes_comments_headers_and_footers_are_sections_at_the_end():
    note = '<w:footnote w:id="{}" w:type="{}">{}</w:footnote>'
    references = '<w:r><w:footnoteReference w:id="7"/><w:endnoteReference w:id="3"/></w:r>'
    header = "".join(f'<w:headerReference w:type="{t}" r:id="h"/>' for t in ("default", "even"))
    body = f'<w:p>{run("Fact")}{references}</w:p><w:sectPr>{header}<w:footerReference r:id="f"/></w:sectPr>'
    foot = note.format(0, "separator", para("---")) + note.format(7, "normal", para("see here"))
    parts = {
        "word/f.xml": f'<w:footnotes xmlns:w="{W}">{foot}</w:footnotes>',
        "word/e.xml": f'<w:endnotes xmlns:w="{W}"><w:endnote w:id="3">{para("and there")}</w:endnote></w:endnotes>',
        "word/c.xml": f'<w:comments xmlns:w="{W}"><w:comment w:author="Ann">{para("why?")}</w:comment></w:comments>',
        "word/h.xml": f'<w:hdr xmlns:w="{W}">{para("Draft")}{table([cell(para("l")), cell(para("r"))])}</w:hdr>',
        "word/p.xml": f'<w:ftr xmlns:w="{W}">{para("12")}</w:ftr>',
    }
    targets = {
        "n": "footnotes:f.xml",
        "e": "endnotes:e.xml",
        "c": "comments:c.xml",
        "h": "header:h.xml",
        "f": "footer:p.xml",
    }
    data = docx(body, parts=parts, **targets)
    parsed = parse(data)
    assert parsed.text == "Fact[1][2]\n\n[1] see here\n\n[2] and there\n\nAnn: why?\n\nDraft\nl | r"
    kinds = [(s.kind, s.label) for s in parsed.sections]
    expected = [("footnotes", "footnotes"), ("endnotes", "endnotes"), ("comments", "comments"), ("header", "default")]
    assert kinds == expected
    dropped = parse(data, comments="drop")
    assert "why?" not in dropped.text
    assert dropped.notes == ("comments_dropped: 1 comment",)


def test_pages_are_sections_only_where_the_file_agrees_with_itself():
    broken = f"<w:p>{run('end of one')}<w:r><w:lastRenderedPageBreak/></w:r>{run(' start of two')}</w:p>"
    third = f"<w:p><w:r><w:lastRenderedPageBreak/></w:r>{run('three')}</w:p>"

    def made(pages: int) -> bytes:
        app = f'<Properties xmlns="urn:x"><Pages>{pages}</Pages></Properties>'
        return docx(para("first") + broken + third, parts={"docProps/app.xml": app})

    parsed = parse(made(3))
    assert section_texts(parsed, "page") == {"1": "first\n\nend of one", "2": "start of two", "3": "three"}
    assert parse(made(4)).sections == ()
    assert parse(made(4)).text == parsed.text == "first\n\nend of one start of two\n\nthree"


def test_pages_may_end_inside_of_tables():
    end = "<w:p><w:r><w:lastRenderedPageBreak/></w:r></w:p>"
    rows = [[cell(para("a")), cell(para("b"))], [cell(end), cell("<w:p/>")], [cell(end + para("c")), cell(para("d"))]]
    app = '<Properties xmlns="urn:x"><Pages>3</Pages></Properties>'
    parsed = parse(docx(table(*rows) + para("last"), parts={"docProps/app.xml": app}))
    assert parsed.text == "a | b\nc | d\n\nlast"
    assert section_texts(parsed, "page") == {"1": "a | b", "2": "", "3": "c | d\n\nlast"}


def test_charts_and_picture_descriptions_are_read():
    c = "http://schemas.openxmlformats.org/drawingml/2006/chart"
    wp = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
    points = "<c:pt idx='0'><c:v>{}</c:v></c:pt><c:pt idx='1'><c:v>{}</c:v></c:pt>".format
    series = "<c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>Sales</c:v></c:pt></c:strCache></c:strRef></c:tx>"
    series += f"<c:cat>{points('Q1', 'Q2')}</c:cat><c:val>{points('1.0', '0.30000000000000004')}</c:val></c:ser>"
    title = "<c:title><c:tx><c:rich><a:p><a:r><a:t>Money</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    chart = f"<c:chart>{title}<c:plotArea><c:barChart>{series}</c:barChart></c:plotArea></c:chart>"
    parts = {"word/chart.xml": f'<c:chartSpace xmlns:c="{c}" xmlns:a="{A}">{chart}</c:chartSpace>'}
    drawn = f'<w:p><w:r><w:drawing><c:chart xmlns:c="{c}" r:id="ch"/></w:drawing></w:r></w:p>'
    picture = f'<w:p><w:r><w:drawing><wp:docPr xmlns:wp="{wp}" descr="a dog"/></w:drawing></w:r></w:p>'
    parsed = parse(docx(drawn + picture, parts=parts, ch="chart:chart.xml"))
    assert parsed.text == "Money\n| Sales\nQ1 | 1\nQ2 | 0.30000000000000004\n\n[image: a dog]"


def test_properties_are_metadata():
    core = (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
        "<dc:title>Plan</dc:title><dc:creator>Ann</dc:creator><dc:language>de-AT</dc:language>"
        "<dcterms:modified>2024-01-02T10:00:00+01:00</dcterms:modified></cp:coreProperties>"
    )
    parsed = parse(docx(para("x"), parts={"docProps/core.xml": core}))
    assert (parsed.title, parsed.language, parsed.metadata) == ("Plan", "de", {"author": "Ann"})
    assert parsed.modified_at == datetime(2024, 1, 2, 9, tzinfo=UTC)


def test_damaged_side_parts_become_notes_and_the_text_stays():
    data = styled(para("Heading", style("berschrift1")))
    parsed = parse(damage(data, "word/styles.xml"))
    assert parsed.text == "Heading"
    assert parsed.notes == ("unreadable_part: styles (word/styles.xml: its checksum is wrong)",)
    assert [s.label for s in parsed.sections] == ["Heading"]  # by the style's own id


def test_a_document_without_words_is_empty_not_an_error():
    parsed = parse(docx("<w:p/><w:sectPr/>"))
    assert (parsed.text, parsed.sections, parsed.notes) == ("", (), ())


@pytest.mark.parametrize("main", ["<html/>", f'<w:document xmlns:w="{W}"/>'])
def test_a_main_part_of_another_kind_is_mislabelled(main):
    files = {"_rels/.rels": relations(r1="officeDocument:word/document.xml"), "word/document.xml": main}
    with pytest.raises(ReadError, match="mislabelled"):
        parse(pack(files))


def test_what_word_processors_write_is_read_in_order():
    docx_library = pytest.importorskip("docx")
    made = docx_library.Document()
    made.add_heading("Report", 1)
    made.add_paragraph("First.")
    made.add_paragraph("one", style="List Number")
    made.add_paragraph("two", style="List Number")
    grid = made.add_table(2, 2)
    for number, text in enumerate("abcd"):
        grid.cell(number // 2, number % 2).text = text
    grid.cell(0, 0).merge(grid.cell(0, 1))
    made.add_paragraph("Last.")
    buffer = io.BytesIO()
    made.save(buffer)
    assert parse(buffer.getvalue()).text == "Report\n\nFirst.\n\n1. one\n2. two\n\na b\nc | d\n\nLast."


@pytest.mark.parametrize("name", ["docx_comment", "docx_tables", "docx_headerfooter", "docx_strict"])
def test_public_files_hold_what_is_expected(shared, name):
    text = parse((shared / f"data/files/{name}.docx").read_bytes()).text
    for words in expected_words(shared, f"{name}.docx"):
        assert words in text
