"""What the readers of office files share: notes, parts and their relationships, properties, dates."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import unquote

from kgkit.documents.archive import Archive, UnreadablePart
from kgkit.documents.xml import Element, child, parse_xml, text_of
from kgkit.errors import ReadError

__all__ = ["Notes", "Package", "Properties", "Relation", "add_property", "parse_language", "parse_time", "plural"]

_NOTES_PER_CODE = 20
_LANGUAGES = {"eng": "en", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "spa": "es", "ita": "it", "por": "pt"}
_CORE = {
    "dc:creator": "author",
    "cp:lastModifiedBy": "last_modified_by",
    "dc:subject": "subject",
    "cp:keywords": "keywords",
    "dc:description": "description",
    "cp:category": "category",
    "dcterms:created": "created_at",
}


class Notes:
    """What a person should know about a file that was read all the same; many of one kind are counted, not listed."""

    def __init__(self) -> None:
        self._notes: dict[str, None] = {}
        self._codes: Counter[str] = Counter()

    def add(self, code: str, words: str) -> None:
        """Add ``"code: words"`` once."""
        note = f"{code}: {words}"
        if note in self._notes:
            return
        self._codes[code] += 1
        if self._codes[code] <= _NOTES_PER_CODE:
            self._notes[note] = None

    def unreadable(self, what: str, error: UnreadablePart) -> None:
        """Note a part that was left out because it is missing or damaged."""
        self.add("unreadable_part", f"{what} ({error})")

    def build(self) -> tuple[str, ...]:
        """All notes in the order in which they came."""
        more = (f"{c}: and {n - _NOTES_PER_CODE:,} more" for c, n in self._codes.items() if n > _NOTES_PER_CODE)
        return (*self._notes, *more)


class Relation(NamedTuple):
    """How one part of a package refers to another; ``kind`` is the last word of its type."""

    kind: str
    target: str


class Properties(NamedTuple):
    """What a file says of itself."""

    title: str | None
    language: str | None
    modified_at: datetime | None
    metadata: dict[str, Any]


class Package:
    """An Office Open XML file: parts that refer to each other by relationships.

    Args:
        data: The whole file.
        what: How messages call it, such as ``"Word document"``.
        kind: The first folder of its main part (``word``, ``ppt``, ``xl``).

    Raises:
        ReadError: As `Archive`, and ``mislabelled`` for an archive of another kind.
    """

    def __init__(self, data: bytes, what: str, kind: str) -> None:
        self.archive = Archive(data, what)
        self.notes = Notes()
        self.what = what
        self._known: dict[str, dict[str, Relation]] = {}
        for name in self.archive.duplicates:
            self.notes.add("duplicate_part", f"{name} is in the archive more than once; the last one counts")
        self.main = self._find_main(kind)

    def parse(self, part: str) -> Element:
        """Parse a part that may fail.

        Raises:
            UnreadablePart: It is missing or damaged.
            ReadError: It is unsafe.
        """
        return parse_xml(self.archive.read(part), part)

    def parse_main(self) -> Element:
        """Parse the main part, without which there is no document.

        Raises:
            ReadError: ``corrupt``, or what `parse` raises.
        """
        try:
            return self.parse(self.main)
        except UnreadablePart as error:
            raise ReadError("corrupt", f"The main part of the {self.what} cannot be read: {error}.") from error

    def parse_optional(self, part: str | None, what: str) -> Element | None:
        """Parse a part if there is one; one that is damaged becomes a note."""
        if part is None or part not in self.archive:
            return None
        try:
            return self.parse(part)
        except UnreadablePart as error:
            self.notes.unreadable(what, error)
            return None

    def relations(self, part: str) -> dict[str, Relation]:
        """Read what a part refers to inside the package, by relationship id."""
        if part in self._known:
            return self._known[part]
        folder, name = posixpath.split(part)
        root = self.parse_optional(posixpath.join(folder, "_rels", f"{name}.rels"), f"references of {part}")
        found = {}
        for relation in root if root is not None else ():
            target = relation.get("Target", "")
            if relation.get("TargetMode") != "External" and target:
                kind = relation.get("Type", "").rstrip("/").rpartition("/")[2]
                found[relation.get("Id", "")] = Relation(kind, _resolve(folder, target))
        self._known[part] = found
        return found

    def related(self, part: str, kind: str) -> Iterator[str]:
        """Name the existing parts that a part refers to with one kind of relationship."""
        return (r.target for r in self.relations(part).values() if r.kind == kind and r.target in self.archive)

    def properties(self) -> Properties:
        """Read ``docProps/core.xml``."""
        part = next(self.related("", "core-properties"), "docProps/core.xml")
        root = self.parse_optional(part, "document properties")
        metadata: dict[str, Any] = {}
        for tag, key in _CORE.items():
            add_property(metadata, key, text_of(child(root, tag)))
        return Properties(
            text_of(child(root, "dc:title")).strip() or None,
            parse_language(text_of(child(root, "dc:language"))),
            parse_time(text_of(child(root, "dcterms:modified"))),
            metadata,
        )

    def _find_main(self, kind: str) -> str:
        main = next(self.related("", "officeDocument"), None)
        usual = {"word": "word/document.xml", "ppt": "ppt/presentation.xml", "xl": "xl/workbook.xml"}
        if main is None:
            main = next((part for part in usual.values() if part in self.archive), None)
        if main is None:
            if self.archive.encrypted:
                raise ReadError("password_protected", f"The {self.what} is encrypted.")
            raise ReadError("mislabelled", f"Not a {self.what}: the zip archive has no such document in it.")
        root = main.split("/")[0]
        if root != kind and root in usual:
            raise ReadError("mislabelled", f"Not a {self.what}: the main part is {main!r}.")
        return main


def plural(count: int, one: str) -> str:
    """Write a count and its noun.

    Examples:
        >>> plural(1, "row"), plural(1200, "row")
        ('1 row', '1,200 rows')
    """
    return f"{count:,} {one}" if count == 1 else f"{count:,} {one}s"


def parse_time(text: str) -> datetime | None:
    """Read an ISO 8601 time as UTC; ``None`` where it is none.

    Examples:
        >>> parse_time("2024-01-02T10:00:00+01:00")
        datetime.datetime(2024, 1, 2, 9, 0, tzinfo=datetime.timezone.utc)
    """
    text = text.strip()
    if len(text) in (4, 7) and text.replace("-", "").isdigit():
        text += "-01-01" if len(text) == 4 else "-01"
    try:
        time = datetime.fromisoformat(text)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def parse_language(text: str) -> str | None:
    """Bring a language tag to its two-letter code; ``None`` where it has none.

    Examples:
        >>> parse_language("en-GB"), parse_language("ger"), parse_language("x-none")
        ('en', 'de', None)
    """
    first = text.strip().replace("_", "-").split("-")[0].lower()
    return first if len(first) == 2 and first.isascii() and first.isalpha() else _LANGUAGES.get(first)


def add_property(metadata: dict[str, Any], key: str, value: str) -> None:
    """Keep a property if it says something."""
    value = " ".join(value.split())
    if value:
        metadata[key] = value


def _resolve(folder: str, target: str) -> str:
    target = unquote(target.replace("\\", "/").split("#")[0])
    return posixpath.normpath(target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target))
