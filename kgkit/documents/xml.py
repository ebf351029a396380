"""XML from strangers: no entity is expanded, nothing outside is fetched, depth and size are limited.

A document type declaration is where entities, and references to other files, are declared. Office files have no use
for one, so it is refused (``unsafe_xml``). Pages of e-books and some OpenDocument files name a public document type;
with ``doctype="public"`` that alone is let pass, and it is never fetched: an internal subset, and thereby every
entity declaration, is refused there too.

Tags and attributes come back with short fixed prefixes (``w:p``, ``a:t``), the same for the transitional and the
strict form of a namespace; names of unknown namespaces keep the form ``{uri}name``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html.entities import name2codepoint
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

from kgkit.documents.archive import UnreadablePart
from kgkit.errors import ReadError

__all__ = [
    "Element",
    "check_doctype",
    "child",
    "children",
    "parse_xml",
    "short_name",
    "stream_xml",
    "text_of",
    "whole_number",
]

MAX_DEPTH = 200
MAX_ELEMENTS = 1_500_000
_PROLOG = 65_536  # a document type must have ended this soon
_STEP = 64
_ENTITIES = {name: chr(code) for name, code in name2codepoint.items()}
_PREFIXES = {
    "wordprocessingml/main": "w",
    "presentationml/main": "p",
    "spreadsheetml/main": "s",
    "drawingml/main": "a",
    "drawingml/chart": "c",
    "drawingml/diagram": "dgm",
    "drawingml/wordprocessingDrawing": "wp",
    "drawingml/spreadsheetDrawing": "xdr",
    "officeDocument/relationships": "r",
    "officeDocument/math": "m",
}
_OASIS = {
    "office:1.0": "office",
    "text:1.0": "text",
    "table:1.0": "table",
    "drawing:1.0": "draw",
    "style:1.0": "style",
    "presentation:1.0": "presentation",
    "svg-compatible:1.0": "svg",
    "xsl-fo-compatible:1.0": "fo",
    "meta:1.0": "meta",
    "manifest:1.0": "manifest",
}
_NAMESPACES = {
    **{
        f"http://schemas.openxmlformats.org/{n}/2006/{k}": p
        for key, p in _PREFIXES.items()
        for n, k in [key.split("/")]
    },
    **{f"http://purl.oclc.org/ooxml/{key}": p for key, p in _PREFIXES.items()},
    **{f"urn:oasis:names:tc:opendocument:xmlns:{key}": p for key, p in _OASIS.items()},
    "http://schemas.openxmlformats.org/package/2006/relationships": "rel",
    "http://schemas.openxmlformats.org/package/2006/content-types": "ct",
    "http://schemas.openxmlformats.org/package/2006/metadata/core-properties": "cp",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingShape": "wps",
    "http://schemas.microsoft.com/office/word/2010/wordml": "w14",
    "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments": "tc",
    "http://schemas.microsoft.com/office/powerpoint/2018/8/main": "p188",
    "urn:schemas-microsoft-com:vml": "v",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://www.w3.org/1999/xlink": "xlink",
    "http://www.w3.org/1999/xhtml": "h",
    "http://www.w3.org/XML/1998/namespace": "xml",
    "http://www.w3.org/2001/04/xmlenc#": "enc",
    "http://www.w3.org/2000/svg": "svgx",
    "http://www.w3.org/1998/Math/MathML": "math",
    "http://www.idpf.org/2007/opf": "opf",
    "http://openebook.org/namespaces/oeb-package/1.0/": "opf",
    "http://www.idpf.org/2007/ops": "epub",
    "http://www.daisy.org/z3986/2005/ncx/": "ncx",
    "urn:oasis:names:tc:opendocument:xmlns:container": "ocf",
}
_SHORT: dict[str, str] = {}


def parse_xml(data: bytes, part: str, *, doctype: str = "refuse") -> Element:
    """Parse one part of a file into a tree with short names.

    Args:
        data: The part's bytes.
        part: Its name, for messages.
        doctype: ``"refuse"``, or ``"public"`` to let a public document type without internal subset pass.

    Raises:
        ReadError: ``unsafe_xml``, or ``too_large`` for more than 1,500,000 elements.
        UnreadablePart: The part is not well-formed XML.

    Examples:
        >>> text_of(parse_xml(b"<a>one <b>two</b></a>", "part"))
        'one two'
    """
    _refuse_doctype(data, part, doctype)
    if data.count(b"<") - data.count(b"</") > MAX_ELEMENTS:
        raise _too_many(part)
    parser = _parser()
    try:
        parser.feed(data)
        root: Element = parser.close()
    except (ElementTree.ParseError, LookupError, ValueError, AssertionError) as error:
        raise _malformed(part, error) from error
    _shorten(root, part)
    return root


def check_doctype(data: bytes, part: str) -> None:
    """Refuse a page that will be read as HTML if its document type is more than a public name.

    Raises:
        ReadError: ``unsafe_xml``.
    """
    try:
        _refuse_doctype(data, part, "public")
    except UnreadablePart:
        return  # no XML: nothing in it can expand, and HTML is read however broken it is


def stream_xml(pieces: Iterable[bytes], part: str, tags: frozenset[str]) -> Iterator[Element]:
    """Parse a part as it arrives and hand out each element named in ``tags`` (short names) when it ends.

    What was handed out is forgotten afterwards, so memory does not grow with the part.

    Raises:
        ReadError: ``unsafe_xml``.
        UnreadablePart: The part is not well-formed XML, or cannot be unpacked.
    """
    parser: ElementTree.XMLPullParser[Element] = ElementTree.XMLPullParser(events=("start", "end"))
    stream = _Stream(tags, part)
    try:
        for piece in _checked(pieces, part):
            parser.feed(piece)
            yield from stream.finished(parser.read_events())
            stream.check_size()
        parser.close()
        yield from stream.finished(parser.read_events())
    except (ElementTree.ParseError, LookupError, AssertionError) as error:
        raise _malformed(part, error) from error


def short_name(name: str) -> str:
    """Give the short form of ``{uri}name``."""
    known = _SHORT.get(name)
    if known is None:
        uri, _, local = name[1:].partition("}") if name.startswith("{") else ("", "", name)
        prefix = _NAMESPACES.get(uri)
        known = f"{prefix}:{local}" if prefix else name
        if len(_SHORT) < 10_000:
            _SHORT[name] = known
    return known


def child(element: Element | None, *path: str) -> Element | None:
    """Follow a path of tags down, taking the first child of each name; ``None`` where it ends."""
    for tag in path:
        if element is None:
            return None
        element = next((c for c in element if c.tag == tag), None)
    return element


def children(element: Element | None, tag: str) -> Iterator[Element]:
    """Go through the children with a tag; through nothing for ``None``."""
    return (c for c in element if c.tag == tag) if element is not None else iter(())


def whole_number(text: str | None) -> int | None:
    """Read a plain whole number of reasonable size; ``None`` for anything else.

    Examples:
        >>> whole_number("12"), whole_number("-1"), whole_number("²"), whole_number("9" * 5000)
        (12, None, None, None)
    """
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None


def text_of(element: Element | None) -> str:
    """Join all text inside an element; empty for ``None``."""
    return "".join(element.itertext()) if element is not None else ""


def _parser() -> ElementTree.XMLParser:
    parser = ElementTree.XMLParser()
    parser.entity.update(_ENTITIES)  # &nbsp; and the like, for pages that name a public document type
    return parser


def _malformed(part: str, error: Exception) -> UnreadablePart:
    return UnreadablePart(part, f"it is not well-formed XML ({error})")


def _refuse_doctype(data: bytes, part: str, doctype: str, *, beginning: bool = False) -> None:
    """Find a document type declaration before a real parser sees it.

    The parser knows UTF-8, UTF-16 and encodings that agree with ASCII on markup, so ``<!DOCTYPE`` shows in the bytes
    once zero bytes are taken out. It is then fed in tiny steps, and stops before any entity could be used. Where only
    the ``beginning`` of a part is known, the first element must begin in it.
    """
    plain = data.replace(b"\0", b"") if b"\0" in data else data
    if not beginning and b"<!DOCTYPE" not in plain and b"<!ENTITY" not in plain:
        return
    parser = expat.ParserCreate()
    started: list[str] = []

    def declared(name: str, system: str | None, public: str | None, subset: int) -> None:
        if doctype != "public" or subset or not _is_harmless(system, public):
            words = "entities or other declarations of its own" if subset else "a document type"
            raise ReadError("unsafe_xml", f"{part!r} declares {words}, which could expand or reach outside the file.")

    parser.StartDoctypeDeclHandler = declared
    parser.StartElementHandler = lambda name, attributes: started.append(name)
    try:
        for at in range(0, min(len(data), 2 * _PROLOG), _STEP):
            parser.Parse(data[at : at + _STEP], False)
            if started:
                return
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise _malformed(part, error) from error
    if len(data) > _PROLOG:
        raise ReadError("unsafe_xml", f"{part!r} has {_PROLOG:,} bytes of declarations before its first element.")


def _is_harmless(system: str | None, public: str | None) -> bool:
    if public is not None:
        return not (system or "").lower().startswith(("file:", "/", "\\", "..", "data:", "jar:"))
    return system is None or system == "about:legacy-compat"


def _checked(pieces: Iterable[bytes], part: str) -> Iterator[bytes]:
    """Hold back the beginning until the first element has begun without a document type before it."""
    held, passed = b"", False
    for piece in pieces:
        if passed:
            yield piece
            continue
        held += piece
        if len(held) > _PROLOG:
            _refuse_doctype(held, part, "refuse", beginning=True)
            passed = True
            yield held
    if not passed:
        _refuse_doctype(held, part, "refuse", beginning=True)
        yield held


class _Stream:
    """Takes a pull parser's events apart into finished elements, and lets go of everything else."""

    def __init__(self, tags: frozenset[str], part: str) -> None:
        self._tags, self._part = tags, part
        self._wanted: dict[str, bool] = {}
        self._above: list[Element] = []  # open elements outside of those that are asked for
        self._inside = 0  # open elements that are asked for
        self._kept = 0  # elements in memory because of the outermost of them

    def finished(self, events: Iterable[Any]) -> Iterator[Element]:
        wanted_tags = self._wanted
        for event, element in events:
            wanted = wanted_tags.get(element.tag)
            if wanted is None:
                wanted = wanted_tags[element.tag] = short_name(element.tag) in self._tags
            if self._inside and not wanted:
                self._kept += event == "start"
            elif event == "start":
                self._begin(element, wanted)
            else:
                self._inside -= wanted
                if not self._inside:
                    yield from self._end(element, wanted)

    def check_size(self) -> None:
        """Refuse an element that has grown without an end in sight."""
        if self._kept > MAX_ELEMENTS:
            raise _too_many(self._part)

    def _begin(self, element: Element, wanted: bool) -> None:
        self._inside += wanted
        self._kept += wanted
        if not wanted:
            self._above.append(element)
            if len(self._above) > MAX_DEPTH:
                raise _too_deep(self._part)

    def _end(self, element: Element, wanted: bool) -> Iterator[Element]:
        if wanted:
            self.check_size()
            _shorten(element, self._part)
            yield element
            self._kept = 0
        else:
            self._above.pop()
        element.clear()
        if self._above:
            self._above[-1].remove(element)


def _shorten(root: Element, part: str) -> None:
    level, depth, known = [root], 0, _SHORT
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise _too_deep(part)
        below: list[Element] = []
        for element in level:
            element.tag = known.get(element.tag) or short_name(element.tag)
            for name in element.attrib:
                if name[0] == "{":
                    _shorten_attributes(element)
                    break
            below.extend(element)
        level = below


def _shorten_attributes(element: Element) -> None:
    attributes = {short_name(name): value for name, value in element.attrib.items()}
    element.attrib.clear()
    element.attrib.update(attributes)


def _too_deep(part: str) -> ReadError:
    return ReadError("unsafe_xml", f"{part!r} has elements nested more than {MAX_DEPTH} deep.")


def _too_many(part: str) -> ReadError:
    return ReadError("too_large", f"{part!r} has more than {MAX_ELEMENTS:,} elements.")
