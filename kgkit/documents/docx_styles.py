"""What a Word document's styles and numberings mean for its text: headings, hidden text, list markers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from kgkit.documents.xml import Element, child, children, whole_number

__all__ = ["Numbering", "Styles", "is_on"]

_OFF = frozenset({"0", "false", "off", "none"})
# Word keeps English names inside whatever language it shows them in; other programs write names of their own.
_HEADING = re.compile(
    r"(?:heading|titre|überschrift|berschrift|título|ttulo|titolo|rubrik|overskrift|otsikko|kop|nagłówek|nagwek|"
    r"заголовок|標題|标题|見出し)[ _]*([1-9])$",
    re.IGNORECASE,
)
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"))
_ROMAN_SMALL = ((9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_DEEPEST = 6


def is_on(properties: Element | None, tag: str) -> bool | None:
    """Read a switch such as ``w:vanish``: on, off, or not mentioned."""
    found = child(properties, tag)
    return None if found is None else found.get("w:val", "true").lower() not in _OFF


@dataclass(frozen=True)
class _Style:
    name: str
    based_on: str | None
    outline: int | None
    hidden: bool | None
    numbering: Element | None
    is_default: bool


class Styles:
    """The styles part; `None` is a document without one."""

    def __init__(self, root: Element | None) -> None:
        self._styles: dict[str, _Style] = {}
        for style in children(root, "w:style"):
            paragraph = child(style, "w:pPr")
            self._styles[style.get("w:styleId", "")] = _Style(
                name=_value(style, "w:name") or "",
                based_on=_value(style, "w:basedOn"),
                outline=whole_number(_value(paragraph, "w:outlineLvl")),
                hidden=is_on(child(style, "w:rPr"), "w:vanish"),
                numbering=child(paragraph, "w:numPr"),
                is_default=style.get("w:default", "0") not in _OFF and style.get("w:type") == "paragraph",
            )
        self._default = next((key for key, style in self._styles.items() if style.is_default), None)

    def heading_level(self, properties: Element | None) -> int | None:
        """Give the level (1 to 6) of a paragraph with these properties, ``None`` for body text."""
        style = _value(properties, "w:pStyle") or self._default
        outline = whole_number(_value(properties, "w:outlineLvl"))
        if outline is None:
            outline = self._outline_of_style(style)
        return min(outline + 1, _DEEPEST) if outline is not None and outline < 9 else None

    def is_title(self, properties: Element | None) -> bool:
        """Whether a paragraph has the style of the document's title."""
        chain = self._chain(_value(properties, "w:pStyle"))
        return any((self._styles[s].name if s in self._styles else s).lower() == "title" for s in chain)

    def is_hidden(self, properties: Element | None, paragraph: Element | None) -> bool:
        """Whether a run's text is hidden: by itself, by its style, or by its paragraph's style."""
        own = is_on(properties, "w:vanish")
        if own is not None:
            return own
        chains = (*self._chain(_value(properties, "w:rStyle")), *self._chain(_value(paragraph, "w:pStyle")))
        return any(self._styles[s].hidden for s in chains if s in self._styles)

    def numbering_of(self, properties: Element | None) -> tuple[str, int] | None:
        """Give the list (``numId``) and the level a paragraph belongs to, ``None`` outside of lists."""
        number: str | None = None
        level: int | None = None
        own = child(properties, "w:numPr")
        styled = (self._styles[s].numbering for s in self._chain(_value(properties, "w:pStyle")) if s in self._styles)
        for found in (own, *styled):
            number = number or _value(found, "w:numId")
            level = whole_number(_value(found, "w:ilvl")) if level is None else level
        return (number, min(level or 0, 8)) if number not in (None, "0") and number else None

    def _outline_of_style(self, style: str | None) -> int | None:
        for key in self._chain(style):
            known = self._styles.get(key)
            if known is not None and known.outline is not None:
                return known.outline
            match = _HEADING.match(known.name if known is not None else key) or _HEADING.match(key)
            if match:
                return int(match[1]) - 1
            if known is not None and known.name.lower() == "title":
                return 0
        return None

    def _chain(self, style: str | None) -> Iterator[str]:
        seen: set[str] = set()
        while style and style not in seen:
            seen.add(style)
            yield style
            known = self._styles.get(style)
            style = known.based_on if known is not None else None


class Numbering:
    """The numbering part: counts list paragraphs and writes their markers as Word shows them."""

    def __init__(self, root: Element | None) -> None:
        abstract = {a.get("w:abstractNumId", ""): _levels(a) for a in children(root, "w:abstractNum")}
        self._lists: dict[str, tuple[str, dict[int, tuple[str, str, int]]]] = {}
        self._restarts: set[tuple[str, int]] = set()  # levels that a list counts anew when it first uses them
        for num in children(root, "w:num"):
            number, base = num.get("w:numId", ""), _value(num, "w:abstractNumId") or ""
            levels = dict(abstract.get(base, {}))
            for override in children(num, "w:lvlOverride"):
                at = whole_number(override.get("w:ilvl")) or 0
                own = child(override, "w:lvl")
                if own is not None:
                    levels[at] = _level(own)
                start = whole_number(_value(override, "w:startOverride"))
                if start is not None and at in levels:
                    levels[at] = (*levels[at][:2], start)
                    self._restarts.add((number, at))
            self._lists[number] = (base, levels)
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)

    def marker(self, number: str, level: int) -> str:
        """Count one paragraph of a list and write its marker: ``-`` for bullets, ``2.1.`` for numbers."""
        base, levels = self._lists.get(number, (number, {}))
        form, pattern, start = levels.get(level, ("bullet", "", 1))
        counts = self._counts[base]  # lists made from one another go on counting together
        if (number, level) in self._restarts:
            self._restarts.discard((number, level))
            counts.pop(level, None)
        counts[level] = counts.get(level, start - 1) + 1
        for deeper in [k for k in counts if k > level]:
            del counts[deeper]
        if form == "bullet":
            return "-"
        if form == "none":
            return ""

        def shown(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            at_form, _, at_start = levels.get(at, ("decimal", "", 1))
            return _write_number(counts.get(at, at_start), "decimal" if at_form == "bullet" else at_form)

        return re.sub(r"%([1-9])", shown, pattern).strip()


def _levels(abstract: Element) -> dict[int, tuple[str, str, int]]:
    return {whole_number(lvl.get("w:ilvl")) or 0: _level(lvl) for lvl in children(abstract, "w:lvl")}


def _level(lvl: Element) -> tuple[str, str, int]:
    start = whole_number(_value(lvl, "w:start"))
    return _value(lvl, "w:numFmt") or "decimal", _value(lvl, "w:lvlText") or "", 1 if start is None else start


def _write_number(number: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter") and 0 < number <= 26 * 20:
        letters = chr(97 + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letters.upper() if form == "upperLetter" else letters
    if form in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        roman = ""
        for value, letters in (*_ROMAN, *_ROMAN_SMALL):
            roman += letters * (number // value)
            number %= value
        return roman.upper() if form == "upperRoman" else roman
    return f"{number:02}" if form == "decimalZero" else str(number)


def _value(properties: Element | None, tag: str) -> str | None:
    found = child(properties, tag)
    return None if found is None else found.get("w:val")
