"""E-books (EPUB 2 and 3): the chapters in reading order, each a section under the title the contents page gives it.

The rules in words: docs/decisions/0004-office-files.md.
"""

from __future__ import annotations

import re

from kgkit.documents.archive import Archive, UnreadablePart
from kgkit.documents.encoding import decode
from kgkit.documents.epub_package import Book, Entry, Item, open_book
from kgkit.documents.html_blocks import Block, Page, parse_page
from kgkit.documents.html_pages import declared_charset
from kgkit.documents.office import Notes, plural
from kgkit.documents.parsed import Parsed, ReadOptions, TextBuilder
from kgkit.documents.xml import check_doctype
from kgkit.errors import ReadError

__all__ = ["MEDIA_TYPE", "read"]

MEDIA_TYPE = "application/epub+zip"
_FREE_NAVIGATION = 200  # a contents page with more words of its own than this is read
# In XHTML any element may be empty; in HTML these would stay open and swallow what follows.
_SELF_CLOSED = re.compile(
    r"<(title|script|style|div|p|span|a|td|th|li|iframe|object|textarea|select|section|aside|nav|h[1-6]|i|b|em|strong|"
    r"ul|ol|table|template|noscript)\b([^<>]*)/>",
    re.IGNORECASE,
)
_READINGS = re.compile(r"<(rt|rp)\b[^<>]*>[^<>]*</\1\s*>", re.IGNORECASE)
_PREFIX = re.compile(r"(</?)(?:x?html|h):(?=[A-Za-z])", re.IGNORECASE)
_FROM, _TO = "\ufdd0", "\ufdd1"  # no characters of any text: they mark where a chapter starts inside a page
_LINK = re.compile(r"<a\b[^<>]*\shref\b[^<>]*>(.*?)</a\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_MARK = re.compile(f"{_FROM}(\\d+){_TO}")


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read an e-book.

    Args:
        data: The file's bytes.
        name: Its name, for messages.
        options: None applies.

    Returns:
        One document; its sections are chapters and headings.

    Raises:
        ReadError: ``mislabelled``, ``corrupt``, ``password_protected``, ``inflates``, ``unsafe_xml``, ``too_large``.
    """
    archive, notes = Archive(data, "e-book"), Notes()
    for duplicate in archive.duplicates:
        notes.add("duplicate_part", f"{duplicate} is in the archive more than once; the last one counts")
    book = open_book(archive, notes)
    if book is None:
        raise ReadError("mislabelled", f"{name} is not an e-book: the zip archive has no pages in it.")
    return [_Reader(archive, book, notes, options).parse()]


class _Reader:
    def __init__(self, archive: Archive, book: Book, notes: Notes, options: ReadOptions) -> None:
        self._archive, self._book, self._notes, self._options = archive, book, notes, options
        self._out = TextBuilder()
        self._entries: dict[str, list[Entry]] = {}
        for entry in book.entries:
            self._entries.setdefault(entry.part, []).append(entry)
        self._started = False
        self._encodings: set[str] = set()
        self._hidden = self._navigation = self._deleted = 0

    def parse(self) -> Parsed:
        items = self._book.items
        encrypted = [item for item in items if item.part in self._book.encrypted]
        if encrypted and 2 * len(encrypted) >= len(items):
            raise ReadError("password_protected", "The e-book is encrypted (digital rights management).")
        read = failed = number = 0
        for item in items:
            number += not item.navigation
            try:
                self._add(item, number)
                read += 1
            except UnreadablePart as error:
                failed += 1
                what = "the navigation page" if item.navigation else f"chapter {number}"
                self._notes.unreadable(what, error)
        if failed and not read:
            raise ReadError("corrupt", "No chapter of the e-book can be read: " + "; ".join(self._notes.build()))
        self._note_all()
        properties = self._book.properties
        text, sections = self._out.build()
        return Parsed(
            text=text,
            media_type=MEDIA_TYPE,
            title=properties.title,
            language=properties.language,
            modified_at=properties.modified_at,
            metadata={**properties.metadata, "encoding": ", ".join(sorted(self._encodings))},
            sections=sections,
            notes=self._notes.build(),
        )

    def _add(self, item: Item, number: int) -> None:
        entries = self._entries.get(item.part, [])
        markup = self._markup(item, number, entries)
        page = parse_page(markup)
        blocks = page.blocks
        if item.navigation and _is_contents(page, markup):
            return
        self._hidden += page.hidden
        self._navigation += page.navigation
        self._deleted += page.deleted
        if blocks:
            self._start_part(page, entries, number)
        before = ""
        for block in blocks:
            marks = _MARK.findall(block.text)
            if marks:
                self._begin(entries[int(marks[-1])].title)
                block = block._replace(text=_MARK.sub("", block.text).strip())
            if block.text:
                self._write(block, before)
                before = block.kind
        if len(self._out) > self._options.max_chars:
            raise ReadError("too_large", f"The e-book has more than {self._options.max_chars:,} characters of text.")

    def _markup(self, item: Item, number: int, entries: list[Entry]) -> str:
        if item.part in self._book.encrypted:
            raise UnreadablePart(item.part, "it is encrypted")
        data = self._archive.read(item.part)
        check_doctype(data, item.part)
        where = f"chapter {number}"
        try:
            decoded = decode(data, declared=declared_charset(data), where=where)
        except ReadError as error:
            raise UnreadablePart(item.part, error.detail) from error
        self._encodings.add(decoded.encoding)
        for note in decoded.notes:
            code, _, words = note.partition(": ")
            self._notes.add(code, words if where in words else f"{words} ({where})")
        markup = _READINGS.sub("", decoded.text.replace(_FROM, "").replace(_TO, ""))
        markup = _SELF_CLOSED.sub(r"<\1\2></\1>", _PREFIX.sub(r"\1", markup))
        for index, entry in enumerate(entries):
            markup = _mark(markup, entry.anchor, index) if entry.anchor else markup
        return markup

    def _start_part(self, page: Page, entries: list[Entry], number: int) -> None:
        """Open a chapter under the contents' title, the part's first heading or its own title.

        A part without any of them, which the contents pass over, continues the chapter before it.
        """
        marked = [bool(_MARK.search(block.text)) for block in page.blocks]
        first = marked.index(True) if True in marked else len(marked)
        title = next((entry.title for entry in entries if not entry.anchor), None)
        if title is None and entries and not any(marked):
            title = entries[0].title
        if title is None and first > 0:
            title = next((block.text for block in page.blocks[:first] if block.kind == "h"), None)
        if title is None and first > 0 and not (self._started and self._entries):
            title = page.title if page.title and page.title != self._book.properties.title else str(number)
        if title:
            self._begin(title)

    def _begin(self, title: str) -> None:
        self._out.end("heading")
        self._out.begin("chapter", title)
        self._started = True

    def _write(self, block: Block, before: str) -> None:
        text = "  " * (block.level - 1) + block.text if block.kind == "li" else block.text
        if block.kind == "h":
            self._out.heading(text, block.level)
        elif block.kind in ("li", "row") and before == block.kind:
            self._out.line(text)
        else:
            self._out.paragraph(text)

    def _note_all(self) -> None:
        aside = sum(not item.linear for item in self._book.items)
        if aside:
            self._notes.add("non_linear", f"{plural(aside, 'part')} outside of the linear reading order read in place")
        if self._hidden:
            words = f"{plural(self._hidden, 'character')} in comments or hidden elements"
            self._notes.add("hidden_text_dropped", words)
        if self._deleted:
            self._notes.add("deleted_text_dropped", f"{plural(self._deleted, 'character')} inside <del>")
        if self._navigation:
            self._notes.add("navigation_dropped", f"{plural(self._navigation, 'character')} inside <nav>")


def _is_contents(page: Page, markup: str) -> bool:
    """Whether a page that is said to hold the contents holds little else: beside its ``<nav>``, or beside links."""
    words = sum(len(block.text) for block in page.blocks if block.kind != "h")
    if page.navigation:
        return words < _FREE_NAVIGATION
    links = [_TAG.sub("", link) for link in _LINK.findall(markup)]
    return len(links) > 1 and 2 * sum(map(len, links)) >= words


def _mark(markup: str, anchor: str, index: int) -> str:
    """Put a mark before the element that an entry of the contents points at."""
    tag = re.compile(rf"""<[A-Za-z][^<>]*?\s(?:id|name)\s*=\s*(["']){re.escape(anchor)}\1""")
    return tag.sub(lambda match: f"{_FROM}{index}{_TO}{match[0]}", markup, count=1)
