"""Take what a model thought aloud out of its reply."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

__all__ = ["without_thinking"]

_NAMES = "think|thinking|reason|reasoning|thoughts?|reflection|analysis|scratchpad|antthinking"
_MARK = re.compile(
    rf"<(?P<end>/?)(?:\w+:)?(?:{_NAMES})(?:\s[^<>]*)?>|\[(?P<end2>/?)think(?:ing)?\]|◁(?P<end3>/?)think▷", re.IGNORECASE
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]*<\|message\|>")
_SPECIAL = re.compile(r"(?:<\|[\w-]{1,30}\|>\s*)+\Z")
_STARTS = re.compile(r"[{\[]")


class _Mark(NamedTuple):
    start: int
    end: int
    opens: bool


def without_thinking(text: str) -> str | None:
    """Take a model's thinking out of its reply; ``None`` when the thinking never ended and nothing else is there.

    Examples:
        >>> without_thinking("<think>Maybe {}?</think> Yes.")
        'Yes.'
    """
    text = text.removeprefix("\ufeff").strip()
    channels = list(_CHANNEL.finditer(text))
    if channels:
        if channels[-1][1].lower() != "final":
            return None
        text = text[channels[-1].end() :]
    text = _SPECIAL.sub("", text).strip()
    marks = _marks(text)
    if not marks:
        return text
    opened = len(marks)
    while opened and marks[opened - 1].opens:
        opened -= 1
    endless = opened < len(marks)
    if endless:
        text, marks = text[: marks[opened].start], marks[:opened]
    text = _without_blocks(text, marks).strip()
    return None if endless and not text else text


def _without_blocks(text: str, marks: list[_Mark]) -> str:
    """Leave out what stands between the marks; the last of them closes."""
    kept: list[str] = []
    depth = since = at = 0
    for mark in marks:
        if mark.opens:
            since = since if depth else mark.start
            depth += 1
            continue
        depth -= 1
        if depth < 0:  # some templates open the thinking themselves
            kept.clear()
        elif depth == 0:
            kept.append(text[at:since])
        if depth <= 0:
            depth, at = 0, mark.end
    if depth:  # a mark that was only spoken of
        kept.append(text[at:since])
        at = marks[-1].end
    return "".join([*kept, text[at:]])


def _marks(text: str) -> list[_Mark]:
    """Find the marks that are not part of a JSON value, as a name with such a word in it is."""
    found = [_Mark(*m.span(), not (m["end"] or m["end2"] or m["end3"])) for m in _MARK.finditer(text)]
    if not found:
        return found
    decoder, at = json.JSONDecoder(), 0
    for start in (m.start() for m in _STARTS.finditer(text)):
        if start < at or start > found[-1].start:
            continue
        try:
            _, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        found = [mark for mark in found if not start < mark.start < at]
        if not found:
            break
    return found
