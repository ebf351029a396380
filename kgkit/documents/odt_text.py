"""Paragraphs, lists, tables, notes and tracked changes of OpenDocument files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kgkit.documents.drawingml import join_cells
from kgkit.documents.odt_styles import OdfStyles
from kgkit.documents.office import Notes, plural
from kgkit.documents.parsed import TextBuilder
from kgkit.documents.xml import Element, child, children, text_of, whole_number

__all__ = ["OdfText", "repeat"]

_MOST_CELLS = 16_384
_DROPPED = frozenset(
    {
        "text:tracked-changes",
        "text:sequence-decls",
        "text:variable-decls",
        "text:user-field-decls",
        "text:note-citation",
        "text:ruby-text",
        "office:forms",
        "text:alphabetical-index-source",
        "text:table-of-content-source",
        "presentation:notes",
        "office:event-listeners",
        "math:math",
    }
)
_BLOCKS = frozenset({"text:p", "text:h", "text:list", "table:table"})


class OdfText:
    """Reads blocks into a text, and remembers notes, comments and what was left out on the way."""

    def __init__(self, out: TextBuilder, styles: OdfStyles, notes: Notes, *, original: bool) -> None:
        self.out, self.styles, self.notes = out, styles, notes
        self.footnotes: list[tuple[str, str]] = []  # (footnote or endnote, line)
        self.comments: list[str] = []
        self.insertions = self.deletions = self.hidden = 0
        self._original = original
        self._deleted: dict[str, Element] = {}
        self._inserted: set[str] = set()
        self._skipping: set[str] = set()  # insertions that are open and not read
        self._boxes: list[Element] = []
        self._in_list = False
        self._counts: dict[str, int] = {}
        self._inline_tags: dict[str, Callable[[Element], str]] = {
            "text:s": lambda e: " " * min(repeat(e, "text:c"), 100),
            "text:tab": lambda e: "\t",
            "text:line-break": lambda e: "\n",
            "text:note": self._note,
            "text:change": self._change,
            "text:change-start": self._change_start,
            "text:change-end": self._change_end,
            "office:annotation": self._comment,
            "text:hidden-text": lambda e: self._hide(text_of(e)),
            "draw:frame": self._frame,
            "text:ruby": lambda e: self._inline(child(e, "text:ruby-base")),
        }

    def learn_changes(self, body: Element) -> None:
        """Read the list of tracked changes that stands before the text."""
        for region in (r for part in children(body, "text:tracked-changes") for r in part):
            key = region.get("text:id") or region.get("xml:id") or ""
            deletion = child(region, "text:deletion")
            if deletion is not None:
                self.deletions += 1
                self._deleted[key] = deletion
            elif child(region, "text:insertion") is not None:
                self.insertions += 1
                self._inserted.add(key)

    def blocks(self, parent: Iterable[Element]) -> None:
        """Read everything in a body, section, frame or shape."""
        for block in parent:
            tag = block.tag
            if tag in _DROPPED or not isinstance(tag, str):
                continue
            if tag == "text:h":
                self._heading(block)
            elif tag == "text:p":
                self._paragraph(block)
            elif tag == "text:list":
                self._list(block, 1, block.get("text:style-name"))
            elif tag == "table:table":
                self._table(block)
            elif tag == "text:section" and self._is_hidden_section(block):
                self._hide(text_of(block))
            elif tag in self._inline_tags:
                self._write(self._inline_tags[tag](block))
                self._write_boxes()
            else:
                self.blocks(block)

    def cells(self, row: Element, read: Callable[[Element], str]) -> list[str]:
        """Read a row up to its last cell with text; what a merged cell covers is empty."""
        texts: list[str] = []
        blanks = 0
        for cell in row:
            if cell.tag not in ("table:table-cell", "table:covered-table-cell"):
                continue
            text = read(cell) if cell.tag == "table:table-cell" else ""
            repeats = min(repeat(cell, "table:number-columns-repeated"), _MOST_CELLS - len(texts) - blanks)
            if text:
                texts += [""] * blanks + [text] * repeats
                blanks = 0
            else:
                blanks += repeats
        return texts

    def flat(self, parent: Iterable[Element]) -> str:
        """Read blocks as one line."""
        return " ".join(" ".join(self.lines(parent)).split())

    def lines(self, parent: Iterable[Element]) -> list[str]:
        """Read blocks as lines of their own, apart from the text."""
        outer, self.out = self.out, TextBuilder()
        in_list, self._in_list, boxes, self._boxes = self._in_list, False, self._boxes, []
        self.blocks(parent)
        text, _ = self.out.build()
        self.out, self._in_list, self._boxes = outer, in_list, boxes
        return [line for line in text.split("\n") if line.strip()]

    def rows(self, table: Element) -> Iterator[Element]:
        """Go through a table's rows, in groups and headers too."""
        for part in table:
            if part.tag == "table:table-row":
                yield part
            elif part.tag in ("table:table-header-rows", "table:table-row-group", "table:table-rows"):
                yield from self.rows(part)

    def note_all(self) -> None:
        """Write the notes on what was left out."""
        if self.insertions or self.deletions:
            how = "rejected: the original text is read" if self._original else "accepted"
            counts = f"{plural(self.insertions, 'insertion')}, {plural(self.deletions, 'deletion')}"
            self.notes.add("tracked_changes", f"{counts}, {how}")
        if self.hidden:
            self.notes.add("hidden_text_dropped", plural(self.hidden, "character"))

    def _heading(self, block: Element) -> None:
        text = " ".join(self._inline(block).split())
        self._in_list = False
        if self.styles.is_hidden(block.get("text:style-name")):
            self._hide(text)
        else:
            self.out.heading(text, min(repeat(block, "text:outline-level"), 6))
        self._write_boxes()

    def _paragraph(self, block: Element) -> None:
        text = self._inline(block)
        if self.styles.is_hidden(block.get("text:style-name")):
            self._hide(text)
        else:
            self._write(text)
        self._write_boxes()

    def _write(self, text: str) -> None:
        if text.strip():
            self._in_list = False
            self.out.paragraph(text.strip(" \t"))

    def _list(self, element: Element, level: int, style: str | None) -> None:
        key = f"{style} {level}"
        if element.get("text:continue-numbering") != "true":
            self._counts[key] = 0
        for item in element:
            if item.tag not in ("text:list-item", "text:list-header"):
                continue
            marker = ""
            if item.tag == "text:list-item":
                self._counts[key] += 1
                marker = f"{self._counts[key]}. " if self.styles.is_numbered(style, level) else "- "
            for block in item:
                if block.tag == "text:list":
                    self._list(block, level + 1, block.get("text:style-name") or style)
                elif block.tag == "text:h":
                    self._heading(block)
                elif block.tag == "text:p":
                    self._item("  " * (level - 1) + (marker or "  "), self._inline(block).strip())
                    self._write_boxes()
                    marker = ""

    def _item(self, marker: str, text: str) -> None:
        if text:
            (self.out.line if self._in_list else self.out.paragraph)(marker + text)
            self._in_list = True

    def _table(self, table: Element) -> None:
        lines = []
        for row in self.rows(table):
            cells = self.cells(row, self.flat)
            if any(cells):
                lines.append(join_cells(cells))
        self._in_list = False
        self.out.paragraph("\n".join(lines))

    def _inline(self, element: Element | None) -> str:
        """Read the text inside a paragraph; runs of white space count as one blank, as the format says."""
        return "".join(self._pieces(element)) if element is not None else ""

    def _pieces(self, element: Element) -> Iterator[str]:
        yield self._squeeze(element.text)
        for part in element:
            if isinstance(part.tag, str) and part.tag not in _DROPPED:
                handler = self._inline_tags.get(part.tag)
                if handler is not None:
                    yield handler(part)
                elif part.tag in _BLOCKS or part.tag == "draw:text-box":
                    self._boxes.append(part)
                elif self.styles.is_hidden(part.get("text:style-name")):
                    self._hide(self._inline(part))
                else:
                    yield from self._pieces(part)
            yield self._squeeze(part.tail)

    def _squeeze(self, text: str | None) -> str:
        if not text or self._skipping:
            return ""
        blanks = (" " if text[0] in " \t\r\n" else ""), (" " if text[-1] in " \t\r\n" else "")
        inner = " ".join(word for word in _split(text) if word)
        return f"{blanks[0]}{inner}{blanks[1]}" if inner else " "

    def _hide(self, text: str) -> str:
        self.hidden += len(text.strip())
        return ""

    def _is_hidden_section(self, section: Element) -> bool:
        return section.get("text:display") == "none" or self.styles.is_hidden(section.get("text:style-name"))

    def _note(self, note: Element) -> str:
        kind = note.get("text:note-class", "footnote")
        number = len(self.footnotes) + 1
        self.footnotes.append((kind, ""))
        body = child(note, "text:note-body")
        self.footnotes[number - 1] = (kind, f"[{number}] {self.flat(body) if body is not None else ''}")
        return f"[{number}]"

    def _comment(self, annotation: Element) -> str:
        author = text_of(child(annotation, "dc:creator")).strip() or "Unknown"
        words = [self.flat([part]) for part in annotation if part.tag in _BLOCKS]
        self.comments.append(f"{author}: {' '.join(words)}")
        return ""

    def _frame(self, frame: Element) -> str:
        shown = [part for part in frame if part.tag in ("draw:text-box", "table:table")]
        self._boxes.extend(shown)
        if shown:
            return ""
        words = text_of(child(frame, "svg:desc")) or text_of(child(frame, "svg:title"))
        if child(frame, "draw:object") is not None:
            self.notes.add("embedded_file", "an embedded object (chart, formula or document) was not read")
        return f"[image: {' '.join(words.split())}]" if words.strip() else ""

    def _write_boxes(self) -> None:
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self.blocks([box] if box.tag in _BLOCKS else box)

    def _change(self, mark: Element) -> str:
        deletion = self._deleted.get(mark.get("text:change-id", ""))
        if deletion is None or not self._original:
            return ""
        return "\n".join(self._inline(part) for part in deletion if part.tag in ("text:p", "text:h"))

    def _change_start(self, mark: Element) -> str:
        if self._original and mark.get("text:change-id") in self._inserted:
            self._skipping.add(mark.get("text:change-id", ""))
        return ""

    def _change_end(self, mark: Element) -> str:
        self._skipping.discard(mark.get("text:change-id", ""))
        return ""


def _split(text: str) -> list[str]:
    """Split at the white space that the format folds, and at no other."""
    return text.replace("\t", " ").replace("\r", " ").replace("\n", " ").split(" ")


def repeat(element: Element, attribute: str) -> int:
    """Read how often something is repeated; once where that is not said."""
    return max(1, whole_number(element.get(attribute)) or 1)
