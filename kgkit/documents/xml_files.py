"""XML of any vocabulary: the text of its elements, with nothing expanded and nothing fetched."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import Any

from kgkit.documents.encoding import decode
from kgkit.documents.html_pages import declared_charset, html_to_text
from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.errors import ReadError

__all__ = ["parse_xml", "read"]

_MEDIA_TYPES = {
    "graphml": "application/graphml+xml",
    "gexf": "application/gexf+xml",
    "svg": "image/svg+xml",
    "rss": "application/rss+xml",
    "feed": "application/atom+xml",
}
_WORDS = ("name", "label", "title", "value", "description", "content")  # attributes that are words for a reader
_MARKUP = re.compile(r"</?(?:p|div|br|ul|ol|li|img|h[1-6]|table|blockquote)\b[^<>]*>", re.I)
_LOCAL_TYPE = re.compile(
    r"\ufeff?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*)*<!DOCTYPE\s[^>\[\"']*?"
    r"(?:SYSTEM|PUBLIC\s+(?:\"[^\"]*\"|'[^']*'))\s*[\"']\s*(?:file:|[/\\]|[A-Za-z]:[/\\]|\.\.[/\\])",
    re.I,
)
_DROPPED = ("script", "style")


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read an XML file; a page in XHTML is read as a page.

    Raises:
        ReadError: ``unsafe_xml`` for declared entities, ``corrupt`` for XML that is not well-formed.
    """
    decoded = decode(data, declared=declared_charset(data))
    root = parse_xml(decoded.text)
    kind = _local(root.tag)
    if kind == "html":
        from kgkit.documents import html_pages

        return html_pages.read(data, name, options)
    lines: list[str] = []
    _write(root, lines)
    metadata: dict[str, Any] = {**decoded.metadata, "root": kind}
    media_type = _MEDIA_TYPES.get(kind, "application/xml")
    title = next((" ".join("".join(e.itertext()).split()) for e in root.iter() if _local(e.tag) == "title"), None)
    return [Parsed("\n".join(lines), media_type, title=title or None, metadata=metadata, notes=decoded.notes)]


def parse_xml(text: str) -> ElementTree.Element:
    """Parse XML in which nothing may be declared that expands or reaches outside.

    Raises:
        ReadError: ``unsafe_xml`` or ``corrupt``.
    """
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    if _LOCAL_TYPE.match(text):
        raise ReadError("unsafe_xml", "The XML's document type refers to a file on this computer.")
    body = re.sub(r"^\ufeff?\s*<\?xml[^>]*\?>", "", text, count=1)  # its encoding was for bytes
    try:
        root: ElementTree.Element = fromstring(body, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    except DefusedXmlException as error:
        detail = f"The XML declares entities, which can expand without end or read other files: {type(error).__name__}."
        raise ReadError("unsafe_xml", detail) from error
    except (ElementTree.ParseError, ValueError) as error:
        raise ReadError("corrupt", f"The XML is not well-formed: {error}") from error
    return root


def _write(root: ElementTree.Element, lines: list[str]) -> None:
    """Write the text of each element on a line of its own; an explicit stack, as depth is the file's choice."""
    stack: list[tuple[ElementTree.Element | None, str]] = [(root, "")]
    while stack:
        element, tail = stack.pop()
        if element is None:
            _add(tail, lines)
            continue
        if not isinstance(element.tag, str) or _local(element.tag) in _DROPPED:
            continue
        for key in _WORDS:
            _add(element.get(key) or "", lines)
        _add(element.text or "", lines)
        for child in reversed(element):
            stack.append((None, child.tail or ""))
            stack.append((child, ""))


def _add(text: str, lines: list[str]) -> None:
    if _MARKUP.search(text):  # a feed's articles are pages inside the XML
        lines.extend(["", html_to_text(text).text, ""])
        return
    words = " ".join(text.split())
    if words:
        lines.append(words)


def _local(tag: Any) -> str:
    return str(tag).rsplit("}", 1)[-1].lower()
