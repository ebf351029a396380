"""A browser's bookmark file: links in nested folders, in the form that all browsers write since Netscape."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from kgkit.documents.bookmarks import Bookmark, documents_of
from kgkit.documents.encoding import Decoded
from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.errors import ReadError

__all__ = ["read_netscape"]


def read_netscape(decoded: Decoded, options: ReadOptions) -> list[Parsed]:
    """Read a browser's bookmark file: one document a link, or one in all with ``records="whole"``.

    Raises:
        ReadError: ``no_records`` when it holds no link.
    """
    parser = _Parser()
    parser.feed(decoded.text)
    parser.close()
    parser.finish()
    if not parser.found:
        raise ReadError("no_records", "The bookmark file holds no link.")
    documents = documents_of(parser.found, decoded.metadata, decoded.notes, media_type="text/html")
    if options.records == "rows":
        return documents
    text = "\n\n".join(d.text for d in documents if d.status == "ok")
    metadata: dict[str, Any] = dict(decoded.metadata)
    return [Parsed(text, "text/html", title=parser.title, metadata=metadata, notes=decoded.notes)]


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Bookmark] = []
        self.title: str | None = None
        self._folders: list[str] = []
        self._depths: list[int] = []
        self._depth = 0
        self._into: str = ""
        self._words: list[str] = []
        self._last_folder: str | None = None
        self._link: dict[str, str] = {}
        self._lines: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("dt", "dl", "h3", "a", "dd"):
            self._end_text()
        if tag == "a":
            self.finish()
            self._link = {name: value or "" for name, value in attrs}
        if tag in ("a", "h3", "dd", "title"):
            self._into = tag
        elif tag == "dl":
            self.finish()
            self._depth += 1
            if self._last_folder is not None:
                self._folders.append(self._last_folder)
                self._depths.append(self._depth)
                self._last_folder = None

    def handle_endtag(self, tag: str) -> None:
        self._end_text()
        if tag == "dl":
            self.finish()
            if self._depths and self._depths[-1] == self._depth:
                self._depths.pop()
                self._folders.pop()
            self._depth = max(0, self._depth - 1)

    def handle_data(self, data: str) -> None:
        if self._into:
            self._words.append(data)

    def finish(self) -> None:
        """Put the link that was being read on the list."""
        self._end_text()
        link, lines = self._link, self._lines
        self._link, self._lines = {}, []
        if not link:
            return
        url = link.get("href", "").strip()
        if not url or url.lower().startswith(("javascript:", "place:", "about:", "chrome:", "data:")):
            detail = f"The link {(lines or ['without a name'])[0][:60]!r} points to no page."
            self.found.append(Bookmark(reason="no_bookmark", detail=detail))
            return
        title = lines[0] if lines else None
        folder = ["/".join(self._folders)] if self._folders else []
        tags = [t.strip() for t in link.get("tags", "").split(",") if t.strip()]
        created = link.get("add_date") or link.get("time_added")
        text = "\n".join([*lines, url])
        self.found.append(Bookmark(url, text, title, created, folder, tags, {"url": url}))

    def _end_text(self) -> None:
        words = " ".join("".join(self._words).split())
        into, self._into, self._words = self._into, "", []
        if not words:
            return
        if into == "title":
            self.title = self.title or words
        elif into == "h3":
            self.finish()
            self._last_folder = words
        elif into in ("a", "dd"):
            self._lines.append(words)
