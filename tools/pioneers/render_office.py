"""Render the packed formats: docx, xlsx, epub and pdf, the same on every run: every time and order is fixed.

PDF streams are left uncompressed. Zips are compressed, and two builds of zlib may pack the same bytes
differently, so files of these formats are compared by what they hold (``build.same_file``).
"""

from __future__ import annotations

import html
import io
import re
import zipfile
from datetime import datetime
from typing import Any

from render_text import blocks_html, inline_html
from source import Block, Source

WHEN = datetime(2015, 3, 31, 12, 0, 0)
_STAMP = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(</dcterms:)")


def repack(packed: bytes) -> bytes:
    """The same zip with its members in order of name, dated alike, and the saving time taken out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as old, zipfile.ZipFile(out, "w") as new:
        for name in sorted(old.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            data = old.read(name)
            if name == "docProps/core.xml":
                data = _STAMP.sub(rb"\g<1>" + WHEN.strftime("%Y-%m-%dT%H:%M:%SZ").encode() + rb"\g<2>", data)
            _store(new, name, data)
    return out.getvalue()


def _store(pack: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, date_time=(2015, 3, 31, 12, 0, 0))
    info.create_system, info.external_attr = 3, 0o644 << 16
    pack.writestr(info, data, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED, 9)


def render_docx(source: Source) -> bytes:
    """A Word document: headings, paragraphs, lists, and tables with a header row."""
    import docx

    document = docx.Document()
    document.core_properties.title = source.head["title"]
    document.core_properties.author = source.head.get("author", "Reading room")
    document.core_properties.created = document.core_properties.modified = WHEN
    rows: list[Block] = []
    for block in (*source.blocks, Block("end", 0, "")):
        if block.kind == "row":
            rows.append(block)
            continue
        if rows:
            _table(document, rows)
            rows = []
        if block.kind == "heading":
            document.add_heading(block.text, level=block.level)
        elif block.kind != "end":
            _runs(document.add_paragraph(style="List Bullet" if block.kind == "item" else None), block)
    out = io.BytesIO()
    document.save(out)
    return repack(out.getvalue())


def _table(document: Any, rows: list[Block]) -> None:
    table = document.add_table(rows=0, cols=len(rows[0].cells), style="Table Grid")
    for row in rows:
        for cell, content in zip(table.add_row().cells, row.cells, strict=True):
            cell.text = content.text


def _runs(paragraph: Any, block: Block) -> None:
    at = 0
    for start, end, style in block.styles:
        paragraph.add_run(block.text[at:start])
        setattr(paragraph.add_run(block.text[start:end]), style, True)
        at = end
    paragraph.add_run(block.text[at:])


def render_xlsx(source: Source) -> bytes:
    """A workbook with one sheet for each part of the text; years are numbers, the first row is bold."""
    import openpyxl
    from openpyxl.styles import Font

    book = openpyxl.Workbook()
    book.properties.title, book.properties.creator = source.head["title"], "Hugh Pell"
    sheet = book.active
    sheet.title = source.head["sheet"]
    for block in source.blocks:
        if block.kind == "sheet":
            sheet = book.create_sheet(block.text)
        if block.kind != "row":
            continue
        sheet.append([int(cell.text) if cell.text.isdigit() else cell.text for cell in block.cells])
        if sheet.max_row == 1:
            for cell in sheet[1]:
                cell.font = Font(bold=True)
    out = io.BytesIO()
    book.save(out)
    return repack(out.getvalue())


def render_epub(source: Source) -> bytes:
    """An e-book: one file a chapter, a navigation page, a reading order."""
    chapters: list[list[Block]] = []
    for block in source.blocks:
        if block.kind == "heading" and block.level == 1:
            chapters.append([])
        chapters[-1].append(block)
    files = {f"chapter-{number}.xhtml": chapter for number, chapter in enumerate(chapters, 1)}
    title = html.escape(source.head["title"])
    manifest = "".join(f'<item id="c{n}" href="{f}" media-type="application/xhtml+xml"/>' for n, f in enumerate(files))
    spine = "".join(f'<itemref idref="c{number}"/>' for number in range(len(files)))
    links = "".join(f'<li><a href="{name}">{inline_html(chapter[0])}</a></li>' for name, chapter in files.items())
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as pack:
        _store(pack, "mimetype", b"application/epub+zip")
        _store(pack, "META-INF/container.xml", _CONTAINER.encode())
        package = _PACKAGE.format(title=title, author=source.head["author"], manifest=manifest, spine=spine)
        _store(pack, "OEBPS/content.opf", package.encode())
        navigation = _PAGE.format(title=title, body=f'<nav epub:type="toc"><ol>{links}</ol></nav>')
        _store(pack, "OEBPS/nav.xhtml", navigation.encode())
        for name, chapter in files.items():
            page = _PAGE.format(title=inline_html(chapter[0]), body=blocks_html(tuple(chapter)))
            _store(pack, f"OEBPS/{name}", page.encode())
    return out.getvalue()


_CONTAINER = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""
_PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">first-programs</dc:identifier>
<dc:title>{title}</dc:title><dc:creator>{author}</dc:creator><dc:language>en</dc:language>
<meta property="dcterms:modified">2015-03-31T12:00:00Z</meta></metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>{manifest}</manifest>
<spine>{spine}</spine>
</package>
"""
_PAGE = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">
<head><title>{title}</title></head>
<body>
{body}
</body>
</html>
"""


def render_pdf(source: Source) -> bytes:
    """A PDF with a real text layer and a page number on every page; no paragraph is cut by a page."""
    from reportlab.lib.pagesizes import A5  # type: ignore[import-untyped]
    from reportlab.lib.styles import getSampleStyleSheet  # type: ignore[import-untyped]
    from reportlab.platypus import KeepTogether, Paragraph, SimpleDocTemplate, Spacer  # type: ignore[import-untyped]

    styles = getSampleStyleSheet()
    story: list[Any] = []
    for block in source.blocks:
        style = styles[f"Heading{block.level}"] if block.kind == "heading" else styles["BodyText"]
        text = inline_html(block).replace("<em>", "<i>").replace("</em>", "</i>")
        story += [KeepTogether([Paragraph(text, style)]), Spacer(1, 4)]
    out = io.BytesIO()
    names = {"title": source.head["title"], "author": "Reading room"}
    document = SimpleDocTemplate(out, pagesize=A5, invariant=1, pageCompression=0, **names)
    document.build(story, onFirstPage=_foot, onLaterPages=_foot)
    return out.getvalue()


def _foot(canvas: Any, document: Any) -> None:
    canvas.setFont("Helvetica", 8)
    canvas.drawCentredString(document.pagesize[0] / 2, 24, f"Reading room copy, page {canvas.getPageNumber()}")
