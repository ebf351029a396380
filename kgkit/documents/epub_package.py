"""What an e-book says about itself: reading order, table of contents, encryption, title and author."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote

from kgkit.documents.archive import Archive, UnreadablePart
from kgkit.documents.office import Notes, Properties, add_property, parse_language, parse_time
from kgkit.documents.xml import Element, child, children, parse_xml, text_of

__all__ = ["Book", "Entry", "Item", "open_book"]

_PAGES = frozenset(
    {"application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/x-dtbook+xml", "image/svg+xml", ""}
)
_PAGE_ENDINGS = (".xhtml", ".html", ".htm")
_FONT_ALGORITHMS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_DUBLIN_CORE = {
    "dc:creator": "author",
    "dc:publisher": "publisher",
    "dc:subject": "subject",
    "dc:description": "description",
    "dc:date": "published",
    "dc:identifier": "identifier",
    "dc:rights": "rights",
}


class Item(NamedTuple):
    """A part of the reading order."""

    part: str
    linear: bool
    navigation: bool


class Entry(NamedTuple):
    """A line of the table of contents that starts a chapter: at ``anchor`` in ``part``, or where ``part`` starts."""

    part: str
    anchor: str
    title: str


class Book(NamedTuple):
    """An e-book's frame."""

    items: list[Item]
    entries: list[Entry]
    encrypted: frozenset[str]
    properties: Properties


def open_book(archive: Archive, notes: Notes) -> Book | None:
    """Read a book's frame; ``None`` when the archive holds no pages at all."""
    part = _package_part(archive, notes)
    package = _parse(archive, part, notes, "the book's package file") if part else None
    if package is None or part is None:
        pages = sorted(name for name in archive.names if name.lower().endswith(_PAGE_ENDINGS))
        if not pages:
            return None
        notes.add("no_reading_order", "the package file is missing or damaged; pages are read in order of their names")
        return Book([Item(p, True, False) for p in pages], [], frozenset(), Properties(None, None, None, {}))
    manifest = {
        item.get("id", ""): (_resolve(part, item.get("href", "")), item)
        for item in package.iter("opf:item")
        if item.get("href")
    }
    spine = next(package.iter("opf:spine"), None)
    contents = {
        _resolve(part, reference.get("href", "")).partition("#")[0]
        for reference in package.iter("opf:reference")
        if reference.get("type", "").lower() == "toc"
    }
    items = list(_reading_order(spine, manifest, contents, notes)) or list(_listed(manifest, contents, notes))
    entries = _entries(archive, manifest, spine, notes)
    return Book(items, entries, _encrypted(archive, notes), _properties(package))


def _package_part(archive: Archive, notes: Notes) -> str | None:
    if "META-INF/container.xml" in archive:
        container = _parse(archive, "META-INF/container.xml", notes, "container.xml")
        for root in container.iter("ocf:rootfile") if container is not None else ():
            path = unquote(root.get("full-path", ""))
            if path in archive:
                return path
    return next((name for name in archive.names if name.lower().endswith(".opf")), None)


def _reading_order(
    spine: Element | None, manifest: dict[str, tuple[str, Element]], contents: set[str], notes: Notes
) -> Iterator[Item]:
    seen: set[str] = set()
    for reference in children(spine, "opf:itemref"):
        name = reference.get("idref", "")
        part, item = _first_page(name, manifest)
        if item is None:
            if name not in manifest:
                notes.add("unreadable_part", f"part {name!r} of the reading order (it is not in the book)")
            continue
        if part not in seen:
            seen.add(part)
            navigation = "nav" in item.get("properties", "").split() or part in contents
            yield Item(part, reference.get("linear", "yes") != "no", navigation)


def _listed(manifest: dict[str, tuple[str, Element]], contents: set[str], notes: Notes) -> Iterator[Item]:
    """Give the pages of a book that states no reading order, as the package lists them."""
    pages = [(part, item) for name in manifest for part, item in [_first_page(name, manifest)] if item is not None]
    if pages:
        notes.add("no_reading_order", "the book states none; pages are read as the package lists them")
    for part, item in dict(pages).items():
        navigation = "nav" in item.get("properties", "").split() or part in contents
        yield Item(part, linear=True, navigation=navigation)


def _first_page(name: str, manifest: dict[str, tuple[str, Element]]) -> tuple[str, Element | None]:
    """Follow an item's fallbacks to the first that is a page."""
    seen: set[str] = set()
    while name in manifest and name not in seen:
        seen.add(name)
        part, item = manifest[name]
        if item.get("media-type", "").strip().lower() in _PAGES or part.lower().endswith(_PAGE_ENDINGS):
            return part, item
        name = item.get("fallback", "")
    return "", None


def _entries(
    archive: Archive, manifest: dict[str, tuple[str, Element]], spine: Element | None, notes: Notes
) -> list[Entry]:
    """Read the tables of contents: the navigation page of EPUB 3, then what only the NCX of EPUB 2 has."""
    links: list[tuple[str, str, int]] = []
    for part, item in manifest.values():
        if "nav" in item.get("properties", "").split() and part in archive:
            root = _parse(archive, part, notes, "the navigation page")
            for nav in root.iter("h:nav") if root is not None else ():
                if "toc" in nav.get("epub:type", "toc").split():
                    links.extend(_nav_links(child(nav, "h:ol"), part, 0))
    named = manifest.get(spine.get("toc", "") if spine is not None else "")
    parts = [p for p, item in manifest.values() if item.get("media-type") == "application/x-dtbncx+xml"]
    for part in [named[0]] if named else parts:
        root = _parse(archive, part, notes, "the table of contents") if part in archive else None
        known = {target for target, _, _ in links}
        links.extend(link for link in _ncx_links(child(root, "ncx:navMap"), part, 0) if link[0] not in known)
    return _chapter_starts(links)


def _chapter_starts(links: Iterable[tuple[str, str, int]]) -> list[Entry]:
    """Choose what starts a chapter: every part's first line, and the outermost lines that point into a part."""
    found, whole = [], set[str]()
    for target, title, depth in links:
        part, _, anchor = target.partition("#")
        if title and ((depth == 0 and anchor) or part not in whole):
            found.append(Entry(part, anchor, title))
            whole.add(part)
    return found


def _nav_links(items: Element | None, part: str, depth: int) -> Iterator[tuple[str, str, int]]:
    for line in children(items, "h:li"):
        link = child(line, "h:a")
        if link is not None and link.get("href"):
            yield _resolve(part, link.get("href", "")), " ".join(text_of(link).split()), depth
        yield from _nav_links(child(line, "h:ol"), part, depth + 1)


def _ncx_links(points: Element | None, part: str, depth: int) -> Iterator[tuple[str, str, int]]:
    for point in children(points, "ncx:navPoint"):
        content = child(point, "ncx:content")
        if content is not None:
            title = " ".join(text_of(child(point, "ncx:navLabel")).split())
            yield _resolve(part, content.get("src", "")), title, depth
        yield from _ncx_links(point, part, depth + 1)


def _encrypted(archive: Archive, notes: Notes) -> frozenset[str]:
    """Name the parts that are encrypted; obfuscated fonts do not count."""
    if "META-INF/encryption.xml" not in archive:
        return frozenset()
    root = _parse(archive, "META-INF/encryption.xml", notes, "encryption.xml")
    found: set[str] = set()
    for entry in root.iter("enc:EncryptedData") if root is not None else ():
        method = child(entry, "enc:EncryptionMethod")
        if method is None or method.get("Algorithm") not in _FONT_ALGORITHMS:
            found.update(
                unquote(reference.get("URI", "")).lstrip("/") for reference in entry.iter("enc:CipherReference")
            )
    return frozenset(found)


def _properties(package: Element) -> Properties:
    metadata: dict[str, Any] = {}
    title = language = modified = None
    for element in package.iter():
        words = " ".join((element.text or "").split())
        if element.tag == "dc:title" and words:
            title = title or words
        elif element.tag == "dc:language":
            language = language or parse_language(words)
        elif element.tag == "opf:meta" and element.get("property") == "dcterms:modified":
            modified = modified or parse_time(words)
        elif element.tag in _DUBLIN_CORE and words:
            key = _DUBLIN_CORE[element.tag]
            add_property(metadata, key, f"{metadata[key]}; {words}" if key in metadata else words)
    return Properties(title, language, modified, metadata)


def _parse(archive: Archive, part: str, notes: Notes, what: str) -> Element | None:
    try:
        return parse_xml(archive.read(part), part, doctype="public")
    except UnreadablePart as error:
        notes.unreadable(what, error)
        return None


def _resolve(part: str, href: str) -> str:
    """Resolve a reference against the part that holds it; the anchor stays."""
    path, mark, anchor = href.partition("#")
    path = unquote(path)
    target = posixpath.normpath(posixpath.join(posixpath.dirname(part), path)).lstrip("/") if path else part
    return f"{target}{mark}{unquote(anchor)}"
