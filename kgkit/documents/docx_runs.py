"""The text inside a Word paragraph: runs, tracked changes, fields, content controls, symbols, formulas, text boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kgkit.documents.docx_styles import Styles, is_on
from kgkit.documents.drawingml import alternative, chart_lines, diagram_lines
from kgkit.documents.office import Package, Relation
from kgkit.documents.office_math import write_formula
from kgkit.documents.xml import Element, child, text_of

__all__ = ["PAGE", "Line", "Runs"]

PAGE = "\f"
_SAME = frozenset({"w:hyperlink", "w:smartTag", "w:customXml", "w:fldSimple", "w:bdo", "w:dir", "w:sdtContent"})
_INSERTED, _DELETED = frozenset({"w:ins", "w:moveTo"}), frozenset({"w:del", "w:moveFrom"})
_PLAIN = {"w:tab": "\t", "w:ptab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-"}
_GREEK = dict(
    zip(
        "ABGDEZHQIKLMNXOPRSTUFCYWabgdezhqiklmnxoprstufcyw",
        "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρστυφχψω",
        strict=True,
    )
)
_SYMBOL = {0xA3: "≤", 0xB3: "≥", 0xB1: "±", 0xB4: "×", 0xB9: "≠", 0xBB: "≈", 0xA5: "∞", 0xAE: "→", 0xAC: "←", 0xB0: "°"}
_DINGBATS = {0xFC: "✓", 0xFB: "✗", 0xFE: "☑", 0xA8: "☐", 0xE0: "→", 0xA7: "▪", 0x6C: "●", 0x4A: "☺", 0xDF: "←"}


class Line(NamedTuple):
    """A paragraph's text, and what is anchored in it and follows it: text boxes, or lines of charts and diagrams."""

    text: str
    extras: list[Element | list[str]]


class Runs:
    """Reads paragraphs; remembers what goes on from one to the next (fields) and what it came across."""

    def __init__(self, package: Package, styles: Styles, *, original: bool, pages: bool) -> None:
        self._package, self._styles, self._original, self._pages = package, styles, original, pages
        self.insertions = self.deletions = self.hidden = 0
        self.references: dict[tuple[str, str], int] = {}  # (kind, id) of foot- and endnotes -> number
        self.in_text = True  # outside of it (notes, headers) no page breaks and no references count
        self._fields: list[str] = []
        self._relations: dict[str, Relation] = {}
        self._paragraph: Element | None = None
        self._out: list[str] = []
        self._extras: list[Element | list[str]] = []
        self._handlers: dict[str, Callable[[Element], None]] = {
            "w:t": lambda e: self._say(e.text or ""),
            "w:delText": lambda e: self._say(e.text or "") if self._original else None,
            "w:fldChar": self._field,
            "w:sym": lambda e: self._say(_symbol(e)),
            "w:ruby": lambda e: self._inline(child(e, "w:rubyBase")),
            "w:lastRenderedPageBreak": lambda e: self._say(PAGE if self._pages and self.in_text else ""),
            "w:footnoteReference": lambda e: self._reference("footnote", e),
            "w:endnoteReference": lambda e: self._reference("endnote", e),
            "w:drawing": self._drawing,
            "w:pict": self._drawing,
            "w:object": self._drawing,
            "mc:AlternateContent": lambda e: self._run_parts(alternative(e)),
        }

    def open_part(self, part: str) -> None:
        """Say which part's relationships the ids of what follows belong to."""
        self._relations = self._package.relations(part)
        self._fields = []

    def read(self, paragraph: Element) -> Line:
        """Read one paragraph."""
        self._out, self._extras, self._paragraph = [], [], child(paragraph, "w:pPr")
        self._inline(paragraph)
        return Line("".join(self._out), self._extras)

    def passes(self, element: Element) -> bool | None:
        """Whether an insertion or deletion is read, by the rule for tracked changes; ``None`` for anything else."""
        if element.tag in _INSERTED:
            self.insertions += 1
            return not self._original
        if element.tag in _DELETED:
            self.deletions += 1
            return self._original
        return None

    def is_gone(self, properties: Element | None, *tags: str) -> bool:
        """Whether marks in the properties of a paragraph, row or cell say that it is not there."""
        inserted, deleted = tags
        return child(properties, inserted if self._original else deleted) is not None

    def is_placeholder(self, control: Element) -> bool:
        """Whether a content control shows only its prompt; that is noted, not read."""
        shown = bool(is_on(child(control, "w:sdtPr"), "w:showingPlcHdr"))
        prompt = text_of(child(control, "w:sdtContent")).strip()
        if shown and prompt:
            self._package.notes.add("placeholder_dropped", f"an empty form field's prompt {prompt[:60]!r}")
        return shown

    def _inline(self, element: Element | None) -> None:
        for part in element if element is not None else ():
            tag = part.tag
            if tag == "w:r":
                self._run(part)
            elif tag in _SAME:
                self._inline(part)
            elif tag == "w:sdt":
                if not self.is_placeholder(part):
                    self._inline(child(part, "w:sdtContent"))
            elif tag in ("m:oMath", "m:oMathPara"):
                self._say(write_formula(part))
            elif tag == "mc:AlternateContent":
                self._inline(alternative(part))
            elif self.passes(part):
                self._inline(part)

    def _run(self, run: Element) -> None:
        if not self._styles.is_hidden(child(run, "w:rPr"), self._paragraph):
            self._run_parts(run)
            return
        before, extras = len(self._out), len(self._extras)
        self._run_parts(run)
        self.hidden += len("".join(self._out[before:]))
        del self._out[before:], self._extras[extras:]

    def _run_parts(self, run: Element | None) -> None:
        for part in run if run is not None else ():
            handler = self._handlers.get(part.tag)
            if handler is not None:
                handler(part)
            elif part.tag in _PLAIN:
                self._say(_PLAIN[part.tag])
            elif part.tag == "w:r":  # inside an alternative
                self._run(part)

    def _say(self, text: str) -> None:
        if "code" not in self._fields or text == PAGE:
            self._out.append(text)

    def _field(self, mark: Element) -> None:
        kind = mark.get("w:fldCharType")
        if kind == "begin":
            self._fields.append("code")
        elif kind == "separate" and self._fields:
            self._fields[-1] = "result"
        elif kind == "end" and self._fields:
            self._fields.pop()

    def _reference(self, kind: str, reference: Element) -> None:
        if self.in_text and "code" not in self._fields:
            number = self.references.setdefault((kind, reference.get("w:id", "")), len(self.references) + 1)
            self._say(f"[{number}]")

    def _drawing(self, element: Element) -> None:
        before = len(self._extras)
        self._anchored(element)
        if len(self._extras) == before:
            self._say(_description(element))

    def _anchored(self, element: Element) -> None:
        for part in element:
            if part.tag == "w:txbxContent":
                self._extras.append(part)
            elif part.tag == "mc:AlternateContent":
                chosen = alternative(part)
                if chosen is not None:
                    self._anchored(chosen)
            elif part.tag == "c:chart":
                self._linked(part.get("r:id"), chart_lines, "chart")
            elif part.tag == "dgm:relIds":
                self._linked(part.get("r:dm"), diagram_lines, "diagram")
            else:
                self._anchored(part)

    def _linked(self, relation: str | None, read: Callable[[Element], list[str]], what: str) -> None:
        found = self._relations.get(relation or "")
        root = self._package.parse_optional(found.target, what) if found else None
        lines = read(root) if root is not None else []
        if lines:
            self._extras.append(lines)


def _description(element: Element) -> str:
    """Give the description that somebody wrote for a picture."""
    for tag, attribute in (("wp:docPr", "descr"), ("v:shape", "alt")):
        for found in element.iter(tag):
            words = " ".join(found.get(attribute, "").split())
            if words:
                return f"[image: {words}]"
    return ""


def _symbol(element: Element) -> str:
    font = element.get("w:font", "").lower()
    try:
        code = int(element.get("w:char", ""), 16)
    except ValueError:
        return ""
    private = 0xF000 <= code <= 0xF0FF
    low = code & 0xFF if private else code
    if font == "symbol":
        return _SYMBOL.get(low) or _GREEK.get(chr(low), chr(low) if 0x20 < low < 0x7F else "")
    if font.startswith(("wingdings", "webdings")):
        return _DINGBATS.get(low, "•")
    if private:
        return chr(low) if 0x20 < low < 0x7F else "•"
    return chr(code) if 0x20 <= code < 0x110000 and not 0xD800 <= code < 0xE000 else ""
