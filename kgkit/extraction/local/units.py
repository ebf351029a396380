"""Where one unit of a text ends and the next begins, whatever the parser thinks: headings, items, fields, cells.

A heading is no part of the sentence below it, a mail's "From:" says nothing about its "To:", and the cells of a row
are not one clause. The breaks are given to the parser before it looks at the words, so that it parses each unit
better, and no name and no sentence runs over one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

__all__ = ["parse_texts", "unit_starts"]

_TEXTS_AT_ONCE = 64
_RULE = re.compile(r"[=\-*_~#]{3,}")
_MARKED = re.compile(r"#{1,6} |[-*•–] |\(?\d{1,2}[.)] ")
_HEADING = re.compile(r"#{1,6} ")
_FIELD = re.compile(r"[A-Za-z][\w /-]{0,24}: (?=\S)")
_CELL = re.compile(r"\s\|\s|\t")
_GOES_ON = frozenset(".,;:!?-–—(&/")
_INNER = frozenset(
    (
        "a",
        "an",
        "the",
        "of",
        "and",
        "or",
        "in",
        "on",
        "at",
        "for",
        "to",
        "by",
        "with",
        "from",
        "as",
        "is",
        "was",
        "that",
    )
)
_ENDS = ".!?"
_ABBREVIATION = 5  # with its full stop
_ROOM = 0.85
_HELD = 2


class _Line(NamedTuple):
    start: int
    text: str


def parse_texts(nlp: Any, texts: Iterable[str]) -> Iterator[Any]:
    """Parse texts with a spaCy pipeline, in order; no sentence goes over the end of a unit."""
    yield from nlp.pipe((_cut(nlp, text) for text in texts), batch_size=_TEXTS_AT_ONCE)


def unit_starts(text: str) -> list[int]:
    r"""Find the characters where a unit begins that must not be joined to what stands before it.

    A unit ends at a blank line, at a heading's or item's mark, at the line under a heading, between cells, between
    the fields of a record or a mail's head ("From: ..."), and at the end of a line that had room for the next word
    though the next begins anew.

    Examples:
        >>> unit_starts("A title\n\nA sentence."), unit_starts("wrapped, as lines in\nmails are wrapped")
        ([9], [])
    """
    starts = [match.end() for match in _CELL.finditer(text)]
    if "\n" not in text:
        return starts
    for block in _blocks(text):
        starts += _within(block)
    return sorted(set(starts) - {0})


def _cut(nlp: Any, text: str) -> Any:
    doc = nlp.make_doc(text)
    starts = unit_starts(text)
    at = held = 0
    for token in doc if starts else ():
        if at < len(starts) and token.idx >= starts[at] and not token.is_space:
            token.is_sent_start = token.i > 0 or None
            held = _HELD
            while at < len(starts) and token.idx >= starts[at]:
                at += 1
        elif held:  # forced to begin a sentence, the parser likes to end it again at once
            token.is_sent_start = False
            held -= 1
    return doc


def _blocks(text: str) -> Iterator[list[_Line]]:
    """Give the lines between blank lines, each with where it begins; marks and spaces before the words stay."""
    block: list[_Line] = []
    at = 0
    for line in text.split("\n"):
        if line.strip():
            block.append(_Line(at + len(line) - len(line.lstrip()), line.strip()))
        elif block:
            yield block
            block = []
        at += len(line) + 1
    if block:
        yield block


def _within(block: list[_Line]) -> list[int]:
    starts = [block[0].start]
    width = max(len(line.text) for line in block)
    fields = [_FIELD.match(line.text) for line in block]
    for k, (start, text) in enumerate(block):
        field = fields[k]
        listed = field is not None and any(fields[i] is not None for i in (k - 1, k + 1) if 0 <= i < len(block))
        if field is not None and listed:
            starts += [start, start + field.end()]
        if k and (listed or _MARKED.match(text) or _is_apart(block[k - 1].text, text, width)):
            starts.append(start)
    return starts


def _is_apart(above: str, text: str, width: int) -> bool:
    """Tell whether a line was ended on purpose: a heading, a caption, an address."""
    if _RULE.fullmatch(text) or _RULE.fullmatch(above) or _HEADING.match(above) or _CELL.search(above):
        return True
    last = above.split()[-1]
    ended = above[-1] in _ENDS and len(last) > _ABBREVIATION
    if not (text[0].isupper() or text[0].isdigit()) or last.lower() in _INNER or (above[-1] in _GOES_ON and not ended):
        return False
    return len(above) + 1 + len(text.split(None, 1)[0]) <= _ROOM * width
