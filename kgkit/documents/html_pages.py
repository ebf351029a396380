"""HTML pages: the visible text in reading order, headings as sections, tables row by row.

Scripts, styles, comments and elements that a browser would not show are dropped, and so are navigation and what an
edit took out (``<del>``); notes count the characters dropped.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from kgkit.documents.dates import parse_time
from kgkit.documents.encoding import decode
from kgkit.documents.html_blocks import Block, Page, parse_page
from kgkit.documents.parsed import Parsed, ReadOptions, Section, TextBuilder
from kgkit.errors import ReadError

__all__ = ["HtmlText", "declared_charset", "html_to_text", "read"]

_CHARSET = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.I)
_XML_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,200}encoding\s*=\s*[\"']([A-Za-z0-9_.:-]{2,40})", re.I)
_NETSCAPE = re.compile(r"\s*<!doctype\s+netscape-bookmark-file", re.I)
_SUBSET = re.compile(
    r"(\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*)*<!DOCTYPE\s[^>\[]*)\[(.*?)\]\s*>", re.I | re.S
)
_KEPT_META = {
    "author": "author",
    "description": "description",
    "og:description": "description",
    "keywords": "keywords",
    "article:published_time": "published",
    "date": "published",
    "dc.date": "published",
    "canonical": "url",
    "og:url": "url",
    "og:site_name": "site",
}
_MODIFIED = ("article:modified_time", "last-modified", "dcterms.modified", "og:updated_time")


class HtmlText(NamedTuple):
    """A page's text with its sections, and what the page says of itself."""

    text: str
    sections: tuple[Section, ...]
    page: Page
    notes: tuple[str, ...]


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read an HTML page, or a browser's bookmark file.

    Raises:
        ReadError: ``unsafe_xml`` for a page that declares entities.
    """
    decoded = decode(data, declared=declared_charset(data))
    decoded = decoded._replace(text=_without_subset(decoded.text))
    if _NETSCAPE.match(decoded.text[:500]):
        from kgkit.documents.bookmarks_html import read_netscape

        return read_netscape(decoded, options)
    found = html_to_text(decoded.text)
    page = found.page
    metadata: dict[str, Any] = dict(decoded.metadata)
    for key, kept in _KEPT_META.items():
        if page.meta.get(key):
            metadata.setdefault(kept, page.meta[key])
    modified = next((t for key in _MODIFIED if (t := parse_time(page.meta.get(key)))), None)
    heading = next((b.text for b in page.blocks if b.kind == "h"), None)
    return [
        Parsed(
            found.text,
            "text/html",
            title=page.title or heading,
            language=_language(page.language),
            modified_at=modified,
            metadata=metadata,
            sections=found.sections,
            notes=(*decoded.notes, *found.notes),
        )
    ]


def _without_subset(markup: str) -> str:
    """Drop what a document type declares inside itself, which is no text; entities have no business there."""
    found = _SUBSET.match(markup)
    if found is None:
        return markup
    if "<!ENTITY" in found[2].upper():
        raise ReadError("unsafe_xml", "The page declares entities, which can expand without end or read other files.")
    return f"{found[1]}>{markup[found.end() :]}"


def html_to_text(markup: str) -> HtmlText:
    """Write an HTML page or fragment as text."""
    page = parse_page(markup)
    notes = []
    if page.navigation:
        kept = sum(len(block.text) for block in page.blocks)
        if page.navigation > 4 * kept:  # a page that is all navigation, or one whose <nav> never ends
            page = parse_page(markup, navigation=True)
        else:
            notes.append(f"navigation_dropped: {page.navigation:,} characters inside <nav>")
    if page.hidden:
        notes.append(f"hidden_text_dropped: {page.hidden:,} characters in comments or hidden elements")
    if page.deleted:
        notes.append(f"deleted_text_dropped: {page.deleted:,} characters inside <del>")
    builder = TextBuilder()
    _write(page.blocks, builder)
    text, sections = builder.build()
    return HtmlText(text, sections, page, tuple(notes))


def declared_charset(data: bytes) -> str | None:
    """Find the encoding that a page declares in a meta tag or XML declaration."""
    head = data[:8192]
    match = _XML_ENCODING.match(head) or _CHARSET.search(head)
    return match.group(1).decode("ascii") if match else None


def _write(blocks: list[Block], builder: TextBuilder) -> None:
    before = ""
    for block in blocks:
        if block.kind == "h":
            builder.heading(block.text, block.level)
        elif block.kind in ("li", "row") and before == block.kind:
            builder.line(_indented(block))
        else:
            builder.paragraph(_indented(block))
        before = block.kind


def _indented(block: Block) -> str:
    return "  " * (block.level - 1) + block.text if block.kind == "li" else block.text


def _language(label: str | None) -> str | None:
    match = re.match(r"[A-Za-z]{2}(?=$|[-_])", label or "")
    return match.group().lower() if match else None
