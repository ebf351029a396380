"""OpenDocument files: texts (odt, ott, fodt), and with the same rules spreadsheets (ods) and presentations (odp).

The rules in words: docs/decisions/0004-office-files.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from kgkit.documents.archive import Archive, UnreadablePart
from kgkit.documents.drawingml import join_cells
from kgkit.documents.odt_styles import OdfStyles
from kgkit.documents.odt_text import OdfText, repeat
from kgkit.documents.office import Notes, Properties, add_property, parse_language, parse_time, plural
from kgkit.documents.parsed import Parsed, ReadOptions, TextBuilder
from kgkit.documents.xlsx_cells import plain_number
from kgkit.documents.xml import Element, child, children, parse_xml, text_of
from kgkit.errors import ReadError

__all__ = ["MEDIA_TYPE", "read"]

MEDIA_TYPE = "application/vnd.oasis.opendocument.text"
_KINDS = {
    "office:text": MEDIA_TYPE,
    "office:spreadsheet": "application/vnd.oasis.opendocument.spreadsheet",
    "office:presentation": "application/vnd.oasis.opendocument.presentation",
    "office:drawing": "application/vnd.oasis.opendocument.graphics",
}
_META = {
    "meta:initial-creator": "author",
    "dc:creator": "last_modified_by",
    "meta:creation-date": "created_at",
    "dc:subject": "subject",
    "meta:keyword": "keywords",
    "dc:description": "description",
}
_XML_STARTS = (b"<", b"\xef\xbb\xbf<", b"\xff\xfe<", b"\xfe\xff\0<")


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read an OpenDocument file, packed or flat.

    Args:
        data: The file's bytes.
        name: Its name, for messages.
        options: ``tracked_changes``, ``comments``, ``hidden_sheets`` and ``max_chars`` apply.

    Returns:
        One document. Its sections are headings, footnotes, endnotes, comments, headers and footers; sheets of a
        spreadsheet; slides and notes of a presentation.

    Raises:
        ReadError: ``mislabelled``, ``corrupt``, ``password_protected``, ``inflates``, ``unsafe_xml``, ``too_large``.
    """
    notes = Notes()
    content, styles, meta = _parts(data, notes)
    body = child(content, "office:body")
    kind = next((part for part in body if part.tag in _KINDS), None) if body is not None else None
    if kind is None:
        raise ReadError("mislabelled", f"{name} is not an OpenDocument text, spreadsheet or presentation.")
    return [_Document(kind, OdfStyles(styles, content), styles, notes, options).parse(_properties(meta))]


def _parts(data: bytes, notes: Notes) -> tuple[Element, Element | None, Element | None]:
    """Give content, styles and properties: three parts of an archive, or one flat file."""
    if data.lstrip()[:5].startswith(_XML_STARTS):
        try:
            root = parse_xml(data, "the file")
        except UnreadablePart as error:
            raise ReadError("corrupt", f"The OpenDocument file is damaged: {error.why}.") from error
        if root.tag != "office:document":
            raise ReadError("mislabelled", "Not an OpenDocument file: it is some other XML or a web page.")
        return root, root, root
    archive = Archive(data, "OpenDocument file")
    for name in archive.duplicates:
        notes.add("duplicate_part", f"{name} is in the archive more than once; the last one counts")
    manifest = _optional(archive, "META-INF/manifest.xml", notes)
    if manifest is not None and any(e.tag == "manifest:encryption-data" for e in manifest.iter()):
        raise ReadError("password_protected", "The OpenDocument file is encrypted with a password.")
    if "content.xml" not in archive:
        raise ReadError("mislabelled", "Not an OpenDocument file: the zip archive has no content.xml in it.")
    try:
        content = parse_xml(archive.read("content.xml"), "content.xml", doctype="public")
    except UnreadablePart as error:
        raise ReadError("corrupt", f"The text of the OpenDocument file cannot be read: {error}.") from error
    return content, _optional(archive, "styles.xml", notes), _optional(archive, "meta.xml", notes)


def _optional(archive: Archive, part: str, notes: Notes) -> Element | None:
    if part not in archive:
        return None
    try:
        return parse_xml(archive.read(part), part, doctype="public")
    except UnreadablePart as error:
        notes.unreadable(part, error)
        return None


def _properties(root: Element | None) -> Properties:
    meta = child(root, "office:meta")
    found: dict[str, str] = {}
    for tag, key in _META.items():
        add_property(found, key, "; ".join(text_of(element) for element in children(meta, tag)))
    return Properties(
        text_of(child(meta, "dc:title")).strip() or None,
        parse_language(text_of(child(meta, "dc:language"))),
        parse_time(text_of(child(meta, "dc:date"))),
        dict(found),
    )


class _Document:
    def __init__(
        self, body: Element, styles: OdfStyles, master: Element | None, notes: Notes, options: ReadOptions
    ) -> None:
        self._body, self._styles, self._master, self._notes, self._options = body, styles, master, notes, options
        self._out = TextBuilder()
        self._text = OdfText(self._out, styles, notes, original=options.tracked_changes == "original")

    def parse(self, properties: Properties) -> Parsed:
        self._text.learn_changes(self._body)
        if self._body.tag == "office:spreadsheet":
            for sheet in children(self._body, "table:table"):
                self._add_sheet(sheet)
        elif self._body.tag == "office:text":
            self._text.blocks(self._body)
        else:
            for number, slide in enumerate(children(self._body, "draw:page"), 1):
                self._add_slide(slide, number)
        self._out.end("heading")
        for kind in ("footnote", "endnote"):
            self._append(f"{kind}s", f"{kind}s", [line for k, line in self._text.footnotes if k == kind])
        self._append_comments()
        self._append_headers()
        self._text.note_all()
        text, sections = self._out.build()
        return Parsed(
            text=text,
            media_type=_KINDS[self._body.tag],
            title=properties.title,
            language=properties.language,
            modified_at=properties.modified_at,
            metadata=properties.metadata,
            sections=sections,
            notes=self._notes.build(),
        )

    def _append(self, kind: str, label: str, lines: list[str]) -> None:
        if lines:
            self._out.begin(kind, label)
            self._out.paragraph("\n".join(lines))
            self._out.end(kind)

    def _append_comments(self) -> None:
        if self._text.comments and self._options.comments != "append":
            self._notes.add("comments_dropped", plural(len(self._text.comments), "comment"))
        else:
            self._append("comments", "comments", self._text.comments)

    def _append_headers(self) -> None:
        if self._body.tag != "office:text":
            return
        masters = child(self._master, "office:master-styles")
        for kind in ("header", "footer"):
            seen: set[str] = set()
            for page in children(masters, "style:master-page"):
                for part in page:
                    text = "\n".join(self._text.lines(part)) if part.tag.startswith(f"style:{kind}") else ""
                    if text not in seen and any(sign.isalpha() for sign in text):
                        seen.add(text)
                        self._append(kind, page.get("style:name", ""), [text])

    def _is_skipped(self, element: Element, style: str, what: str, label: str) -> bool:
        if not self._styles.is_hidden(element.get(style)):
            return False
        read = self._options.hidden_sheets == "read"
        self._notes.add(what, f"{label} {'read' if read else 'skipped'}")
        return not read

    def _add_slide(self, slide: Element, number: int) -> None:
        if self._is_skipped(slide, "draw:style-name", "hidden_slide", str(number)):
            return
        self._out.begin("slide", str(number))
        titles = [shape for shape in slide if shape.get("presentation:class") == "title"]
        for title in titles:
            self._out.heading(self._text.flat(title), 1)
        self._text.blocks(shape for shape in slide if shape not in titles)
        notes = child(slide, "presentation:notes")
        lines = self._text.lines(notes) if notes is not None else []
        self._append("notes", str(number), lines)
        self._out.end("heading")
        self._out.end("slide")

    def _add_sheet(self, sheet: Element) -> None:
        name = sheet.get("table:name", "")
        if self._is_skipped(sheet, "table:style-name", "hidden_sheet", name):
            return
        lines = list(self._sheet_lines(sheet, name))
        shapes = [line for part in children(sheet, "table:shapes") for line in self._text.lines(part)]
        if lines or shapes:
            self._out.begin("sheet", name)
            self._out.paragraph(name)
            self._out.paragraph("\n".join(lines))
            self._append("drawing", name, shapes)
            self._out.end("sheet")

    def _sheet_lines(self, sheet: Element, name: str) -> Iterator[str]:
        size, gap, started = 0, False, False
        for number, row in enumerate(self._text.rows(sheet), 1):
            line = join_cells(self._text.cells(row, partial(self._value, f"{name}, row {number}")))
            if not line.strip(" |"):
                gap = started
                continue
            if gap:
                yield ""
            gap, started = False, True
            for _ in range(repeat(row, "table:number-rows-repeated")):
                size += len(line) + 1
                if size > self._options.max_chars:
                    most = f"{self._options.max_chars:,}"
                    raise ReadError("too_large", f"The spreadsheet has more than {most} characters of text.")
                yield line

    def _value(self, where: str, cell: Element) -> str:
        """Give a cell's saved value: dates and numbers as saved, not as shown, but for a code's leading zeros."""
        kind = cell.get("office:value-type")
        shown = self._text.flat(cell)
        if kind in ("float", "currency", "percentage") and cell.get("office:value"):
            plain = plain_number(cell.get("office:value", ""))
            zeros = shown.isdigit() and shown.lstrip("0") == plain.lstrip("0")  # 00417: zeros that a format adds
            return shown if zeros else plain
        if kind == "date" and cell.get("office:date-value"):
            return cell.get("office:date-value", "").removesuffix("T00:00:00").replace("T", " ")
        if kind == "boolean":
            return cell.get("office:boolean-value", "").upper()
        formula = cell.get("table:formula")
        if formula and not shown and kind is None:
            code = "=" + formula.partition("=")[2]
            self._notes.add("formula_without_value", f"{where} {code}")
            return f"[no saved value: {code}]"
        return shown
