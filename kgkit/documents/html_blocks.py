"""Turning HTML into blocks of visible text, as a browser would show them, however broken the markup is."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import NamedTuple

__all__ = ["Block", "Page", "parse_page"]


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


_VOID = _names("area base br col embed hr img input link meta param source track wbr")
_DROPPED = _names("script style template noscript iframe object applet head title textarea select datalist")
_BLOCKS = _names(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form frameset header hgroup hr html legend li main menu ol p pre section summary table tbody tfoot thead "
    "tr ul"
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CELLS = ("td", "th")
_TABLE_PARTS = (*_CELLS, "tr", "tbody", "thead", "tfoot", "caption")
# What an opening tag closes when its end tag was left out, up to (not beyond) the containers named second.
_CLOSES: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset(["li"]), frozenset(["ul", "ol", "menu", "dir"])),
    "dt": (frozenset(["dt", "dd"]), frozenset(["dl"])),
    "dd": (frozenset(["dt", "dd"]), frozenset(["dl"])),
    "td": (frozenset(["td", "th"]), frozenset(["table", "tr"])),
    "th": (frozenset(["td", "th"]), frozenset(["table", "tr"])),
    "tr": (frozenset(["tr"]), frozenset(["table"])),
    "tbody": (frozenset(["tbody", "thead", "tfoot"]), frozenset(["table"])),
    "body": (frozenset(["head"]), frozenset()),
}
_INVISIBLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)", re.I
)
_OPENING = re.compile("<(?=[A-Za-z/?]|!(?!--))")
_MAX_DEPTH = 5_000
_MAX_SPAN = 40
_MANY_COMMENTS = 1_000


class Block(NamedTuple):
    """One piece of visible text: ``p`` paragraph, ``h`` heading, ``li`` list item, ``row`` table row, ``pre``."""

    kind: str
    text: str
    level: int = 0


@dataclass
class Page:
    """What a page shows, and what it says of itself."""

    blocks: list[Block] = field(default_factory=list)
    title: str | None = None
    language: str | None = None
    meta: dict[str, str] = field(default_factory=dict)
    hidden: int = 0  # characters of text that a reader does not see: comments, hidden elements
    navigation: int = 0  # characters inside <nav>
    deleted: int = 0  # characters inside <del>: what an edit took out


def parse_page(markup: str, *, navigation: bool = False) -> Page:
    """Parse a page.

    Args:
        markup: HTML, well-formed or not.
        navigation: Whether to keep what is inside ``<nav>``.
    """
    parser = _Parser(navigation)
    parser.feed(_without_endless_tags(_without_endless_comments(markup)))
    parser.close()
    return parser.finish()


def _without_endless_comments(markup: str) -> str:
    """Cut comments that never end off markup that has very many: the parser would look for each one's end anew."""
    begun = markup.count("<!--")
    if begun < _MANY_COMMENTS or markup.count("-->") > 0.5 * begun:
        return markup
    return markup[: markup.rfind("-->") + 3] if "-->" in markup else markup[: markup.find("<!--")]


def _without_endless_tags(markup: str) -> str:
    """Write what only looks like tags behind the last tag as text: the parser would look for each one's end anew."""
    end = markup.rfind(">") + 1
    rest, comment, more = markup[end:].partition("<!--")
    return markup[:end] + _OPENING.sub("&lt;", rest) + comment + more


@dataclass
class _Table:
    rows: list[list[list[Block]]] = field(default_factory=list)


class _Open(NamedTuple):
    tag: str
    why_hidden: str  # "", dropped, hidden, deleted, navigation
    block: bool


class _Parser(HTMLParser):
    def __init__(self, navigation: bool) -> None:
        super().__init__(convert_charrefs=True)
        self._page = Page()
        self._keep_navigation = navigation
        self._stack: list[_Open] = []
        self._counts: Counter[str] = Counter()  # of open tags: most end tags of broken pages close nothing
        self._hidden: list[str] = []
        self._inline: list[str] = []
        self._out: list[list[Block]] = [self._page.blocks]
        self._tables: list[_Table] = []
        self._lists: list[int | None] = []
        self._preformatted = 0
        self._pending = ("p", 0)  # kind and level of the block being written
        self._title: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._note_meta(tag, values)
        if tag == "br":
            self._inline.append("\n")
        if tag in _VOID:
            if tag == "hr":
                self._flush()
            return
        self._close_implied(tag)
        if len(self._stack) >= _MAX_DEPTH:
            return
        why = self._why_hidden(tag, values)
        block = tag in _BLOCKS or tag in _HEADINGS or tag in _CELLS
        self._stack.append(_Open(tag, why, block))
        self._counts[tag] += 1
        if why:
            self._hidden.append(why)
        if not self._hidden:
            self._open_visible(tag, values, block)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID and tag not in ("script", "style", "title", "div", "p", "span", "td", "iframe"):
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "p" and not any(o.tag == "p" for o in self._stack):
            self._flush()
            return
        if not self._counts[tag]:
            return
        depth = next((i for i in range(len(self._stack) - 1, -1, -1) if self._stack[i].tag == tag), None)
        if depth is None or self._crosses_table(tag, depth):
            return
        while len(self._stack) > depth:
            self._close_one()

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._inline.append(data if self._preformatted else re.sub(r"\s+", " ", data))
            return
        if self._stack and self._stack[-1].tag == "title" and self._page.title is None and "svg" not in self._tags():
            self._title.append(data)
            return
        count = len(data.strip())
        if "hidden" in self._hidden:
            self._page.hidden += count
        elif "deleted" in self._hidden and "dropped" not in self._hidden:
            self._page.deleted += count
        elif "navigation" in self._hidden and "dropped" not in self._hidden:
            self._page.navigation += count

    def handle_comment(self, data: str) -> None:
        self._page.hidden += len(data.strip())

    def unknown_decl(self, data: str) -> None:
        if data.startswith("CDATA["):
            self.handle_data(data[6:])

    def finish(self) -> Page:
        while self._stack:
            self._close_one()
        self._flush()
        if self._page.title is None and self._title:
            self._page.title = " ".join("".join(self._title).split()) or None
        return self._page

    def _open_visible(self, tag: str, values: dict[str, str], block: bool) -> None:
        if block:
            self._flush()
        if tag in _HEADINGS:
            self._pending = ("h", _HEADINGS[tag])
        elif tag == "pre":
            self._preformatted += 1
            self._pending = ("pre", 0)
        elif tag in ("ul", "ol", "menu", "dir"):
            start = values.get("start", "1")
            self._lists.append((int(start) if re.fullmatch(r"\d{1,6}", start) else 1) if tag == "ol" else None)
        elif tag == "li":
            self._pending = ("li", max(1, len(self._lists)))
            self._inline.append(self._bullet())
        elif tag == "table":
            self._tables.append(_Table())
        elif tag == "tr" and self._tables:
            self._tables[-1].rows.append([])
        elif tag in _CELLS and self._tables:
            rows = self._tables[-1].rows
            if not rows:
                rows.append([])
            cell: list[Block] = []
            span = values.get("colspan", "1")
            extra = min(int(span), _MAX_SPAN) - 1 if re.fullmatch(r"\d{1,4}", span) else 0
            rows[-1].extend([cell, *([] for _ in range(extra))])
            self._out.append(cell)

    def _close_one(self) -> None:
        opened = self._stack.pop()
        self._counts[opened.tag] -= 1
        visible = not self._hidden
        if opened.why_hidden:
            self._hidden.pop()
        if not visible:
            if opened.tag == "title" and self._page.title is None and self._title:
                self._page.title = " ".join("".join(self._title).split()) or None
            return
        if opened.block:
            self._flush()
        if opened.tag == "pre":
            self._preformatted = max(0, self._preformatted - 1)
        elif opened.tag in ("ul", "ol", "menu", "dir") and self._lists:
            self._lists.pop()
        elif opened.tag in _CELLS and len(self._out) > 1:
            self._out.pop()
        elif opened.tag == "table" and self._tables:
            self._out[-1].extend(_table_blocks(self._tables.pop()))

    def _flush(self) -> None:
        kind, level = self._pending
        self._pending = ("p", 0)
        text = "".join(self._inline)
        self._inline = []
        if kind == "pre":
            text = text.strip("\n")
        else:
            text = "\n".join(re.sub(r"[^\S\n]+", " ", line).strip() for line in text.split("\n")).strip("\n")
            text = re.sub(r"\n{3,}", "\n\n", text)
        if kind == "h":
            text = " ".join(text.split())
        if text.strip() and not (kind == "li" and text in ("-", "•")):
            self._out[-1].append(Block(kind, text, level))

    def _bullet(self) -> str:
        if not self._lists or self._lists[-1] is None:
            return "- "
        number = self._lists[-1]
        self._lists[-1] = number + 1
        return f"{number}. "

    def _why_hidden(self, tag: str, values: dict[str, str]) -> str:
        if tag in _DROPPED:
            return "dropped"
        if "hidden" in values and tag not in ("html", "body"):
            return "hidden"
        if tag not in ("html", "body") and _INVISIBLE.search(values.get("style", "")):
            return "hidden"
        if tag == "del":
            return "deleted"
        if (tag == "nav" or values.get("role") == "navigation") and not self._keep_navigation:
            return "navigation"
        return ""

    def _close_implied(self, tag: str) -> None:
        if (tag in _BLOCKS or tag in _HEADINGS) and self._stack and self._stack[-1].tag == "p":
            self._close_one()
        if tag not in _CLOSES and self._stack and self._stack[-1].tag == "head" and tag not in _DROPPED | _VOID:
            self._close_one()
        rule = _CLOSES.get(tag)
        if rule is None:
            return
        closes, stops = rule
        for depth in range(len(self._stack) - 1, -1, -1):
            name = self._stack[depth].tag
            if name in stops:
                return
            if name in closes:
                while len(self._stack) > depth:
                    self._close_one()
                return

    def _crosses_table(self, tag: str, depth: int) -> bool:
        """Tell whether an end tag would close a table or cell that it was not opened in: such end tags are stray."""
        inner = {o.tag for o in self._stack[depth + 1 :]}
        if tag in _TABLE_PARTS:
            return "table" in inner
        return tag not in ("table", "html", "body") and bool(inner & {"table", "td", "th"})

    def _tags(self) -> set[str]:
        return {o.tag for o in self._stack}

    def _note_meta(self, tag: str, values: dict[str, str]) -> None:
        if tag == "html" and values.get("lang"):
            self._page.language = values["lang"].strip()
        elif tag == "meta" and values.get("content"):
            name = (values.get("name") or values.get("property") or values.get("itemprop") or "").strip().lower()
            if name:
                self._page.meta.setdefault(name, values["content"].strip())
        elif tag == "link" and values.get("rel", "").lower() == "canonical" and values.get("href"):
            self._page.meta.setdefault("canonical", values["href"].strip())


def _table_blocks(table: _Table) -> list[Block]:
    """Write a table row by row; a table that only lays a page out becomes the blocks of its cells."""
    rows = [row for row in table.rows if any(row)]
    width = max((len(row) for row in rows), default=0)
    used = [i for i in range(width) if any(i < len(row) and row[i] for row in rows)]
    blocks: list[Block] = []
    for row in rows:
        cells = [row[i] if i < len(row) else [] for i in used]
        if any(_lays_out(cell) for cell in cells):
            blocks.extend(block for cell in cells for block in cell)
        else:
            text = " | ".join(" ".join(" ".join(b.text for b in cell).split()) for cell in cells)
            blocks.append(Block("row", text.rstrip(" |") if len(cells) > 1 else text))
    return blocks


def _lays_out(cell: list[Block]) -> bool:
    if any(block.kind in ("h", "row", "pre") for block in cell):
        return True
    return len(cell) > 1 and sum(len(block.text) for block in cell) > 200
