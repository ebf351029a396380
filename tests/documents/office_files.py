"""Small office files for the tests, made in memory."""

from __future__ import annotations

import csv
import io
import struct
import zipfile
import zlib
from pathlib import Path

from kgkit.documents.parsed import Parsed, Section

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_REL = "http://schemas.openxmlformats.org/package/2006/relationships"
ODF = (
    " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in {
            "office": "office",
            "text": "text",
            "table": "table",
            "draw": "drawing",
            "style": "style",
            "presentation": "presentation",
            "meta": "meta",
            "svg": "svg-compatible",
        }.items()
    )
    + ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
)
LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 10}">' for i in range(9))
    + "]>"
)


def pack(parts: dict[str, str | bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def damage(data: bytes, name: str) -> bytes:
    """Give one member a wrong checksum."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        crc = struct.pack("<I", archive.getinfo(name).CRC)
    assert data.count(crc) == 2
    return data.replace(crc, struct.pack("<I", struct.unpack("<I", crc)[0] ^ 1))


def bomb(name: str, gigabytes: int, parts: dict[str, str], *, declared: int | None = None) -> bytes:
    """Make an archive with one member of zeros, from one compressed block repeated, in milliseconds."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(1 << 24)) + packer.flush(zlib.Z_FULL_FLUSH)
    count = gigabytes * 64
    members = [(n, text.encode(), len(text.encode()), 0, zlib.crc32(text.encode())) for n, text in parts.items()]
    members.append((name, block * count + b"\x03\x00", declared or count << 24, 8, 0))
    body, directory = io.BytesIO(), b""
    for member, data, size, method, crc in members:
        long = size > 0xFFFFFFFF
        extra = struct.pack("<HHQQ", 1, 16, size, len(data)) if long else b""
        sizes = (0xFFFFFFFF, 0xFFFFFFFF) if long else (len(data), size)
        common = struct.pack("<HHHHHIIIHH", 45, 0, method, 0, 0x21, crc, *sizes, len(member), len(extra))
        directory += b"PK\x01\x02\x2d\x00" + common + struct.pack("<HHHII", 0, 0, 0, 0, body.tell())
        directory += member.encode() + extra
        body.write(b"PK\x03\x04" + common + member.encode() + extra + data)
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), body.tell(), 0)
    return body.getvalue() + directory + b"PK\x05\x06" + end


def relations(**targets: str) -> str:
    """Write relationships from ``id=kind:target``."""
    lines = "".join(
        f'<Relationship Id="{key}" Type="{R}/{value.split(":")[0]}" Target="{value.split(":")[1]}"/>'
        for key, value in targets.items()
    )
    return f'<Relationships xmlns="{_REL}">{lines}</Relationships>'


def docx(body: str, *, before: str = "", parts: dict[str, str | bytes] | None = None, **targets: str) -> bytes:
    document = f'{before}<w:document xmlns:w="{W}" xmlns:r="{R}" xmlns:mc="{MC}"><w:body>{body}</w:body></w:document>'
    return pack(
        {
            "_rels/.rels": relations(r1="officeDocument:word/document.xml"),
            "word/document.xml": document,
            "word/_rels/document.xml.rels": relations(**targets),
            **(parts or {}),
        }
    )


def para(text: str, properties: str = "") -> str:
    return f'<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def xlsx(*sheets: str, styles: str = "", workbook: str = "", parts: dict[str, str | bytes] | None = None) -> bytes:
    """Make a workbook of sheets A, B, ...; each is the inside of ``worksheet``."""
    names = [chr(65 + i) for i in range(len(sheets))]
    listed = "".join(f'<sheet name="{n}" sheetId="{i}" r:id="s{i}"/>' for i, n in enumerate(names, 1))
    targets = {f"s{i}": f"worksheet:worksheets/sheet{i}.xml" for i in range(1, len(sheets) + 1)}
    made: dict[str, str | bytes] = {
        "_rels/.rels": relations(r1="officeDocument:xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{S}" xmlns:r="{R}">{workbook}<sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(**targets, st="styles:styles.xml", ss="sharedStrings:strings.xml"),
    }
    if styles:
        made["xl/styles.xml"] = f'<styleSheet xmlns="{S}">{styles}</styleSheet>'
    for i, sheet in enumerate(sheets, 1):
        made[f"xl/worksheets/sheet{i}.xml"] = f'<worksheet xmlns="{S}" xmlns:r="{R}">{sheet}</worksheet>'
    return pack({**made, **(parts or {})})


def cells(*rows: str) -> str:
    return "<sheetData>" + "".join(f"<row>{row}</row>" for row in rows) + "</sheetData>"


def pptx(*slides: str, order: list[int] | None = None, parts: dict[str, str | bytes] | None = None) -> bytes:
    """Make a presentation; a slide is the inside of its shape tree, or a whole part that starts with ``<p:sld``."""
    listed = "".join(f'<p:sldId id="{255 + i}" r:id="s{i}"/>' for i in order or range(1, len(slides) + 1))
    made: dict[str, str | bytes] = {
        "_rels/.rels": relations(r1="officeDocument:ppt/presentation.xml"),
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{P}" xmlns:r="{R}"><p:sldIdLst>{listed}</p:sldIdLst>'
        "</p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            **{f"s{i}": f"slide:slides/slide{i}.xml" for i in range(1, len(slides) + 1)}
        ),
    }
    for i, slide in enumerate(slides, 1):
        made[f"ppt/slides/slide{i}.xml"] = slide if slide.startswith("<p:sld") else slide_xml(slide)
    return pack({**made, **(parts or {})})


def slide_xml(shapes: str, attributes: str = "") -> str:
    names = f'xmlns:p="{P}" xmlns:a="{A}" xmlns:r="{R}" xmlns:mc="{MC}"'
    return f"<p:sld {names} {attributes}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"


def shape(text: str, kind: str = "") -> str:
    holder = f'<p:ph type="{kind}"/>' if kind else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/><p:cNvSpPr/><p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:spPr/>'
        f"<p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def odt(body: str, *, styles: str = "", automatic: str = "", kind: str = "text", **parts: str) -> bytes:
    content = (
        f"<office:document-content {ODF}><office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    made = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": content,
        "styles.xml": f"<office:document-styles {ODF}>{styles}</office:document-styles>",
    }
    return pack({**made, **{name.replace("__", "/") + ".xml": text for name, text in parts.items()}})


def epub(pages: dict[str, str | bytes], *, spine: str = "", items: str = "", metadata: str = "", **parts: str) -> bytes:
    """Make an e-book whose pages are read in the order given, unless ``spine`` says otherwise."""
    manifest = "".join(f'<item id="{n}" href="{n}" media-type="application/xhtml+xml"/>' for n in pages)
    order = spine or "".join(f'<itemref idref="{name}"/>' for name in pages)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{metadata}</metadata>'
        f"<manifest>{manifest}{items}</manifest><spine>{order}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    made: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "OEBPS/content.opf": package,
    }
    made.update({f"OEBPS/{name}": text for name, text in pages.items()})
    made.update({name.replace("__", "/") + ".xml": text for name, text in parts.items()})
    return pack(made)


def page(body: str, head: str = "") -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops"><head>{head}</head><body>{body}</body></html>'
    )


def section_texts(parsed: Parsed, kind: str) -> dict[str, str]:
    """What stands in the sections of a kind, by their labels."""
    return {s.label: parsed.text[s.start : s.end].strip() for s in parsed.sections if s.kind == kind}


def expected_words(shared: Path, name: str) -> list[str]:
    """What the collection's list says a file holds; ``["ERROR"]`` for one that cannot be read."""
    rows = csv.DictReader((shared / "data/files/manifest.csv").read_text(encoding="utf-8").splitlines())
    return next(row["expected"] for row in rows if row["file"] == name).split("|")


def sections_of(parsed: Parsed, kind: str) -> list[Section]:
    return [s for s in parsed.sections if s.kind == kind]
