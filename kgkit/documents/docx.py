"""Word documents (docx, docm, dotx), transitional and strict.

The rules (in words: docs/decisions/0004-office-files.md): the body in its order; tables row by row; tracked changes
accepted; text boxes after the paragraph they hang on; foot- and endnotes, comments, headers and footers at the end,
as sections of their own; hidden text dropped. Each of these that leaves something out says so in a note.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from kgkit.documents.docx_runs import PAGE, Runs
from kgkit.documents.docx_styles import Numbering, Styles
from kgkit.documents.drawingml import alternative, join_cells
from kgkit.documents.office import Package, plural
from kgkit.documents.parsed import Parsed, ReadOptions, TextBuilder
from kgkit.documents.xml import Element, child, children, text_of, whole_number
from kgkit.errors import ReadError

__all__ = ["MEDIA_TYPE", "read"]

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_LONGEST_HEADING = 250
_WRAPPERS = frozenset({"w:customXml", "w:smartTag", "w:sdtContent"})
_SEPARATORS = frozenset({"separator", "continuationSeparator", "continuationNotice"})
_PARTS = {"footnote": "footnotes", "endnote": "endnotes"}


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read a Word document.

    Args:
        data: The file's bytes.
        name: Its name, for messages.
        options: ``tracked_changes`` and ``comments`` apply.

    Returns:
        One document. Its sections are headings, footnotes, endnotes, comments, headers and footers, and pages where
        the file says where its pages end.

    Raises:
        ReadError: ``mislabelled``, ``corrupt``, ``password_protected``, ``inflates``, ``unsafe_xml``, ``too_large``.
    """
    package = Package(data, "Word document", "word")
    root = package.parse_main()
    body = child(root, "w:body")
    if root.tag != "w:document" or body is None:
        raise ReadError("mislabelled", f"{name} is not a Word document: its main part is <{root.tag}>.")
    return [_Document(package, root, options).parse(body)]


class _Sink(Protocol):
    """Where blocks go: the document's text, or the lines of a cell, note or header."""

    def heading(self, text: str, level: int) -> None: ...
    def paragraph(self, text: str) -> None: ...
    def item(self, text: str) -> None: ...
    def rows(self, lines: list[str]) -> None: ...


class _Lines:
    """Collects blocks as lines; in a cell, rows of tables apart, for they follow the row that holds them."""

    def __init__(self, *, cell: bool) -> None:
        self.lines: list[str] = []
        self.tables: list[str] = [] if cell else self.lines

    def heading(self, text: str, level: int) -> None:
        self.paragraph(text)

    def paragraph(self, text: str) -> None:
        if text.strip() or PAGE in text:
            self.lines.append(text.strip(" \t\n"))

    item = paragraph

    def rows(self, lines: list[str]) -> None:
        self.tables.extend(lines)


class _Body:
    """Builds the document's text, with page sections where page ends are known."""

    def __init__(self, out: TextBuilder, pages: bool) -> None:
        self.out = out
        self._page = 1
        self._in_list = False
        if pages:
            out.begin("page", "1")

    def heading(self, text: str, level: int) -> None:
        self._turn(text.count(PAGE))
        self._in_list = False
        self.out.heading(" ".join(text.split()), level)

    def paragraph(self, text: str) -> None:
        self._in_list = False
        self._add(text)

    def item(self, text: str) -> None:
        self._add(text, joined=self._in_list)
        self._in_list = True

    def rows(self, lines: list[str]) -> None:
        self._in_list = False
        started = False
        for line in lines:
            self._turn(line.count(PAGE))
            line = line.replace(PAGE, "")
            if line:
                self.out.line(line) if started else self.out.paragraph(line)
                started = True

    def _add(self, text: str, *, joined: bool = False) -> None:
        started = False
        for number, piece in enumerate(text.split(PAGE)):
            self._turn(number > 0)
            if started:
                self.out.add(piece)
            elif piece.strip():
                self.out.line(piece.strip("\n")) if joined else self.out.paragraph(piece)
                started = True

    def _turn(self, pages: int) -> None:
        for _ in range(pages):
            self._page += 1
            self.out.begin("page", str(self._page))


class _Document:
    def __init__(self, package: Package, root: Element, options: ReadOptions) -> None:
        self._package, self._root, self._options = package, root, options
        self._main = package.main
        self._original = options.tracked_changes == "original"
        self._pages = self._page_ends_known()
        self._styles = Styles(package.parse_optional(self._related("styles"), "styles"))
        self._numbering = Numbering(package.parse_optional(self._related("numbering"), "list numbers"))
        self._runs = Runs(package, self._styles, original=self._original, pages=self._pages)
        self._out = TextBuilder()
        self._title: str | None = None
        self._pending = ""

    def parse(self, body: Element) -> Parsed:
        self._runs.open_part(self._main)
        sink = _Body(self._out, self._pages)
        self._blocks(body, sink)
        self._flush(sink)
        self._out.end("heading")
        self._out.end("page")
        self._runs.in_text = False
        for kind, section in _PARTS.items():
            self._append_notes(kind, section)
        self._append_comments()
        self._append_headers()
        self._note_all()
        properties = self._package.properties()
        text, sections = self._out.build()
        return Parsed(
            text=text,
            media_type=MEDIA_TYPE,
            title=properties.title or self._title,
            language=properties.language,
            modified_at=properties.modified_at,
            metadata=properties.metadata,
            sections=sections,
            notes=self._package.notes.build(),
        )

    def _blocks(self, parent: Element, sink: _Sink) -> None:
        for block in parent:
            tag = block.tag
            if tag == "w:p":
                self._paragraph(block, sink)
            elif tag == "w:tbl":
                self._table(block, sink)
            elif tag == "w:sdt":
                content = child(block, "w:sdtContent")
                if content is not None and not self._runs.is_placeholder(block):
                    self._blocks(content, sink)
            elif tag == "mc:AlternateContent":
                chosen = alternative(block)
                if chosen is not None:
                    self._blocks(chosen, sink)
            elif tag == "w:altChunk":
                self._package.notes.add("embedded_file", "a document embedded in the text was not read")
            elif tag in _WRAPPERS or self._runs.passes(block):
                self._blocks(block, sink)

    def _paragraph(self, paragraph: Element, sink: _Sink) -> None:
        properties = child(paragraph, "w:pPr")
        line = self._runs.read(paragraph)
        text = self._pending + line.text
        self._pending = ""
        if self._runs.is_gone(child(properties, "w:rPr"), "w:ins", "w:del"):
            self._pending = text  # the end of this paragraph is not there: the next one continues it
        else:
            self._emit(text, properties, sink)
        for extra in line.extras:
            if isinstance(extra, list):
                sink.rows(extra)
            else:
                self._nested(extra, sink)

    def _emit(self, text: str, properties: Element | None, sink: _Sink) -> None:
        if properties is None and not text:
            return
        level = self._styles.heading_level(properties)
        numbering = self._styles.numbering_of(properties)
        marker = self._numbering.marker(*numbering) if numbering else ""
        if not text.strip():
            sink.paragraph(text)  # may hold the end of a page
        elif level is not None and len(text) <= _LONGEST_HEADING:
            if self._title is None and self._styles.is_title(properties):
                self._title = " ".join(text.split())
            sink.heading(f"{marker} {text}" if marker not in ("", "-") else text, level)
        elif numbering and marker:
            sink.item(f"{'  ' * numbering[1]}{marker} {text.strip(' ')}")
        else:
            sink.paragraph(text.rstrip(" \t"))

    def _flush(self, sink: _Sink) -> None:
        pending, self._pending = self._pending, ""
        sink.paragraph(pending)

    def _nested(self, parent: Element, sink: _Sink) -> None:
        """Read blocks that stand inside of others, whose unfinished paragraph must wait."""
        pending, self._pending = self._pending, ""
        self._blocks(parent, sink)
        self._flush(sink)
        self._pending = pending

    def _lines_of(self, parent: Element, *, cell: bool = False) -> _Lines:
        lines = _Lines(cell=cell)
        self._nested(parent, lines)
        return lines

    def _table(self, table: Element, sink: _Sink) -> None:
        rows = list(self._inside(table, "w:tr"))
        cells = list(self._inside(rows[0], "w:tc")) if len(rows) == 1 else []
        if len(cells) == 1:  # a frame around text, not a table
            self._nested(cells[0], sink)
            return
        sink.rows([line for row in rows for line in self._row(row)])

    def _row(self, row: Element) -> Iterator[str]:
        if self._runs.is_gone(child(row, "w:trPr"), "w:ins", "w:del"):
            self._runs.passes(Element("w:ins" if self._original else "w:del"))
            return
        texts, nested = [], []
        for cell in self._inside(row, "w:tc"):
            properties = child(cell, "w:tcPr")
            if self._runs.is_gone(properties, "w:cellIns", "w:cellDel"):
                continue
            merge = child(properties, "w:vMerge")
            if merge is not None and merge.get("w:val") != "restart":
                texts.append(PAGE * sum(1 for _ in cell.iter("w:lastRenderedPageBreak")) if self._pages else "")
                continue
            content = self._lines_of(cell, cell=True)
            texts.append(" ".join(content.lines))
            nested.extend(content.tables)
        pages = sum(text.count(PAGE) for text in texts)
        if pages or any(text.strip() for text in texts):
            yield PAGE * pages + join_cells(texts)
        yield from nested

    def _inside(self, parent: Element, tag: str) -> Iterator[Element]:
        """Find rows or cells, also where content controls or tracked changes are wrapped around them."""
        for part in parent:
            if part.tag == tag:
                yield part
            elif part.tag == "w:sdt":
                content = child(part, "w:sdtContent")
                yield from self._inside(content, tag) if content is not None else ()
            elif part.tag in _WRAPPERS or self._runs.passes(part):
                yield from self._inside(part, tag)

    def _append_notes(self, kind: str, section: str) -> None:
        numbers = {key: number for (k, key), number in self._runs.references.items() if k == kind}
        part = self._related(section)
        root = self._package.parse_optional(part, section) if numbers else None
        if root is None or part is None:
            return
        self._runs.open_part(part)
        found = {note.get("w:id", ""): note for note in children(root, f"w:{kind}")}
        self._append(
            section,
            section,
            [
                f"[{number}] {self._flat(found[key])}"
                for key, number in numbers.items()
                if key in found and found[key].get("w:type") not in _SEPARATORS
            ],
        )

    def _append_comments(self) -> None:
        part = self._related("comments")
        root = self._package.parse_optional(part, "comments")
        if root is None or part is None:
            return
        self._runs.open_part(part)
        lines = [f"{c.get('w:author') or 'Unknown'}: {self._flat(c)}" for c in children(root, "w:comment")]
        if self._options.comments != "append":
            self._package.notes.add("comments_dropped", plural(len(lines), "comment"))
        else:
            self._append("comments", "comments", lines)

    def _append_headers(self) -> None:
        relations = self._package.relations(self._main)
        seen: set[tuple[str, str]] = set()
        done: set[str] = set()
        for kind in ("header", "footer"):
            for reference in self._root.iter(f"w:{kind}Reference"):
                relation = relations.get(reference.get("r:id", ""))
                if relation is None or relation.target in done:
                    continue
                done.add(relation.target)
                root = self._package.parse_optional(relation.target, kind)
                if root is None:
                    continue
                self._runs.open_part(relation.target)
                text = "\n".join(self._lines_of(root).lines)
                if (kind, text) not in seen and any(sign.isalpha() for sign in text):
                    seen.add((kind, text))
                    self._append(kind, reference.get("w:type", "default"), [text])

    def _append(self, kind: str, label: str, lines: list[str]) -> None:
        if not lines:
            return
        self._out.begin(kind, label)
        self._out.paragraph("\n".join(lines))
        self._out.end(kind)

    def _flat(self, parent: Element) -> str:
        return " ".join(" ".join(self._lines_of(parent).lines).split())

    def _related(self, kind: str) -> str | None:
        return next(self._package.related(self._main, kind), None)

    def _note_all(self) -> None:
        runs, notes = self._runs, self._package.notes
        if runs.insertions or runs.deletions:
            how = "rejected: the original text is read" if self._original else "accepted"
            counts = f"{plural(runs.insertions, 'insertion')}, {plural(runs.deletions, 'deletion')}"
            notes.add("tracked_changes", f"{counts}, {how}")
        if runs.hidden:
            notes.add("hidden_text_dropped", plural(runs.hidden, "character"))
        embedded = sum(name.startswith("word/embeddings/") for name in self._package.archive.names)
        if embedded:
            notes.add("embedded_file", f"{plural(embedded, 'embedded file')} not read")

    def _page_ends_known(self) -> bool:
        """Whether the page ends that Word saved agree with the number of pages that it saved."""
        ends = sum(1 for _ in self._root.iter("w:lastRenderedPageBreak"))
        part = next(self._package.related("", "extended-properties"), "docProps/app.xml")
        root = self._package.parse_optional(part, "document properties")
        pages = next((text_of(e) for e in root if e.tag.endswith("}Pages")), "") if root is not None else ""
        return ends > 0 and whole_number(pages) == ends + 1
