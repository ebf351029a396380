"""What a reader of one family of formats makes of a file's bytes, and the tool that builds its text."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

__all__ = ["Parsed", "ReadOptions", "Section", "TextBuilder"]


@dataclass(frozen=True)
class ReadOptions:
    """What a person can choose about reading; see `kgkit.read_documents` for what each means."""

    hidden_sheets: str = "skip"  # skip | read
    tracked_changes: str = "accepted"  # accepted | original
    comments: str = "append"  # append | drop
    records: str = "rows"  # rows | whole
    ocr: bool = False
    max_bytes: int = 200_000_000
    max_chars: int = 20_000_000


class Section(NamedTuple):
    """A part of a document that a citation can name."""

    kind: str  # page, sheet, slide, chapter, heading, comments, ...
    label: str  # "3", "Prices", "How it began"
    level: int  # 1 for pages, sheets, slides, chapters; 1 to 6 for headings
    start: int
    end: int


@dataclass(frozen=True)
class Parsed:
    """One document found in a file. Most files hold one; record files (csv, jsonl, bookmarks) hold many.

    ``status`` other than ok is for a record that is no document (with ``reason`` and ``detail``). A file that cannot
    be read at all is a `kgkit.errors.ReadError` instead.
    """

    text: str
    media_type: str
    title: str | None = None
    language: str | None = None
    modified_at: datetime | None = None
    metadata: dict[str, Any] = field(default_factory=dict)  # JSON-able
    sections: tuple[Section, ...] = ()
    notes: tuple[str, ...] = ()  # "code: words"; what a person should know all the same
    record: str | None = None  # key or number within a record file
    content: bytes | None = None  # what identifies a record; the whole file's bytes when None
    status: str = "ok"
    reason: str | None = None
    detail: str | None = None


class TextBuilder:
    """Builds a text piece by piece and remembers which sections the pieces belong to."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._sections: list[Section] = []
        self._open: list[tuple[str, str, int, int]] = []

    def __len__(self) -> int:
        return self._length

    def add(self, text: str) -> None:
        """Append text as it is."""
        if text:
            self._parts.append(text)
            self._length += len(text)

    def paragraph(self, text: str) -> None:
        """Append a paragraph, with a blank line before it unless it is the first."""
        if text.strip():
            self.add(("\n\n" if self._length else "") + text.strip("\n"))

    def line(self, text: str) -> None:
        """Append a line."""
        self.add(("\n" if self._length else "") + text)

    def begin(self, kind: str, label: str, level: int = 1) -> None:
        """Open a section at the text's end; sections of the same or a deeper level of this kind are closed."""
        self.end(kind, level)
        self._open.append((kind, label, level, self._length))

    def end(self, kind: str, level: int = 1) -> None:
        """Close the open sections of this kind with this level or a deeper one."""
        keep = []
        for opened in self._open:
            if opened[0] == kind and opened[2] >= level:
                self._sections.append(Section(opened[0], opened[1], opened[2], opened[3], self._length))
            else:
                keep.append(opened)
        self._open = keep

    def heading(self, text: str, level: int) -> None:
        """Append a heading as a paragraph of its own and open its section (which starts with the heading)."""
        if not text.strip():
            return
        self.end("heading", level)
        self.add("\n\n" if self._length else "")
        self._open.append(("heading", text.strip(), level, self._length))
        self.add(text.strip())

    def build(self) -> tuple[str, tuple[Section, ...]]:
        """Close everything; return the text and its sections in order of start, outermost first."""
        for kind in {opened[0] for opened in self._open}:
            self.end(kind, 0)
        ordered = sorted(self._sections, key=lambda s: (s.start, -s.end, s.level, s.kind, s.label))
        return "".join(self._parts), tuple(ordered)
