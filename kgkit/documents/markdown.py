"""Markdown: the text as written, headings as sections, front matter as metadata, comments dropped."""

from __future__ import annotations

import re
from typing import Any

from kgkit.documents.dates import parse_time
from kgkit.documents.parsed import Parsed, ReadOptions, TextBuilder
from kgkit.documents.text_files import decode_lines

__all__ = ["heading_sections", "read", "write_markdown"]

_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.S)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_ENTRY = re.compile(r"([A-Za-z_][\w -]*):(?:[ \t]+(.*))?$")
_ITEM = re.compile(r"\s*-\s+(.*)$")
_MARKS = re.compile(r"[*_`]+")


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read a Markdown file."""
    del name, options
    decoded = decode_lines(data)
    front, body = _front_matter(decoded.text)
    builder = TextBuilder()
    hidden, title = write_markdown(body, builder)
    text, sections = builder.build()
    metadata: dict[str, Any] = dict(decoded.metadata)
    if front:
        metadata["front_matter"] = front
    notes = decoded.notes
    if hidden:
        notes = (*notes, f"hidden_text_dropped: {hidden:,} characters in HTML comments")
    modified = next((t for key in ("modified", "updated", "lastmod", "date") if (t := _time(front.get(key)))), None)
    named = front.get("title")
    return [
        Parsed(
            text,
            "text/markdown",
            title=named if isinstance(named, str) and named else title,
            language=_language(front),
            modified_at=modified,
            metadata=metadata,
            sections=sections,
            notes=notes,
        )
    ]


def write_markdown(body: str, builder: TextBuilder) -> tuple[int, str | None]:
    """Append Markdown to a text as it is, without its comments, opening a section at each heading.

    Returns:
        The number of characters dropped in comments, and the first heading of the highest level.
    """
    visible, hidden = _drop_comments(body)
    best: tuple[int, str] | None = None
    position = 0
    for start, level, label in heading_sections(visible):
        builder.add(visible[position:start])
        builder.begin("heading", label, level)
        position = start
        if best is None or level < best[0]:
            best = (level, label)
    builder.add(visible[position:])
    return hidden, best[1] if best else None


def heading_sections(text: str) -> list[tuple[int, int, str]]:
    """List the headings of a Markdown text: where each line begins, its level, its words."""
    found = []
    fence = ""
    position = 0
    before: tuple[int, str] | None = None  # the line before, when it is a paragraph's only line
    for line in text.splitlines(keepends=True):
        plain = line.rstrip("\n")
        mark = _FENCE.match(plain)
        heading = None if fence else _HEADING.match(plain)
        under = None if fence else _UNDERLINE.match(plain)
        if mark and (not fence or (plain.strip().startswith(fence) and not plain.strip().strip(fence[0]))):
            fence = "" if fence else mark.group(1)
            before = None
        elif heading and heading.group(2):
            found.append((position, len(heading.group(1)), _label(heading.group(2))))
            before = None
        elif under and before:
            found.append((before[0], 1 if under.group(1)[0] == "=" else 2, _label(before[1])))
            before = None
        else:
            before = (position, plain) if _could_be_heading(plain, fence) else None
        position += len(line)
    return [f for f in found if f[2]]


def _could_be_heading(line: str, fence: str) -> bool:
    return bool(line.strip()) and not fence and not line.startswith(("    ", "\t", ">", "- ", "* ", "|", "---"))


def _label(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split())


def _drop_comments(text: str) -> tuple[str, int]:
    """Drop HTML comments, but not those inside fenced code, which a reader sees."""
    if "<!--" not in text:
        return text, 0
    parts: list[str] = []
    hidden = 0
    position = 0
    fences = _fenced(text)
    for match in _COMMENT.finditer(text):
        if match.start() < position or any(a <= match.start() < b for a, b in fences):
            continue
        parts.append(text[position : match.start()])
        hidden += len(match.group(1).strip())
        position = match.end()
    parts.append(text[position:])
    return "".join(parts), hidden


def _fenced(text: str) -> list[tuple[int, int]]:
    spans = []
    opened: tuple[int, str] | None = None
    position = 0
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and opened is None:
            opened = (position, mark.group(1))
        elif mark and opened and line.strip().startswith(opened[1]):
            spans.append((opened[0], position + len(line)))
            opened = None
        position += len(line)
    return spans  # a fence that never closes hides nothing: comments after it are dropped all the same


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Split off front matter, if there is any, and read its plain entries and lists."""
    match = _FRONT.match(text)
    if match is None:
        return {}, text
    entries: dict[str, Any] = {}
    key = ""
    for line in (match.group(1) or "").splitlines():
        entry, item = _ENTRY.match(line), _ITEM.match(line)
        if entry:
            key = entry.group(1).strip()
            value = (entry.group(2) or "").strip()
            entries[key] = _flow_list(value) if value.startswith("[") and value.endswith("]") else _plain(value)
        elif item and key:
            have = entries[key]
            entries[key] = [*(have if isinstance(have, list) else [have] if have else []), _plain(item.group(1))]
        elif line.strip() and not line.lstrip().startswith("#") and key:
            have = entries[key]
            entries[key] = f"{have} {line.strip()}".strip() if isinstance(have, str) else have
        elif line.strip() and not line.lstrip().startswith("#"):
            return {}, text  # not front matter: a rule, some words, another rule
    return entries, text[match.end() :]


def _flow_list(value: str) -> list[str]:
    return [_plain(part) for part in value[1:-1].split(",") if part.strip()]


def _plain(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _time(value: Any) -> Any:
    return parse_time(value) if isinstance(value, str) else None


def _language(front: dict[str, Any]) -> str | None:
    value = front.get("lang") or front.get("language")
    return value[:2].lower() if isinstance(value, str) and re.match(r"[A-Za-z]{2}(?:$|[-_])", value) else None
