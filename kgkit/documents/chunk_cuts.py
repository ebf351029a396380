"""Where to cut a text: at section borders, paragraphs, sentences, lines, words, and last of all between graphemes."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kgkit.text import Span, paragraph_spans, sentence_spans

__all__ = ["Borders", "cut_spans", "is_grapheme_break", "next_solid"]

_CLAUSE_MARKS = frozenset("，、；：・,;:|/—–-")
_ZERO_WIDTH_JOINER = "\u200d"


@dataclass(frozen=True)
class Borders:
    """Where sections begin and end, as positions in the text.

    Hard borders are never crossed. Soft ones are crossed only by what is too short to stand alone.
    """

    hard: Sequence[int] = ()
    soft: Sequence[int] = ()


class _Breaks:
    """Sorted positions at which a kind of unit ends, with the white space after each unit counted to it."""

    def __init__(self, text: str, ends: list[int]) -> None:
        self._ends = ends
        self._length = len(text)
        self._solid = [_solid_end(text, low, end) for low, end in pairwise([0, *ends])]

    def last(self, low: int, high: int) -> int | None:
        """Find the last break in ``low..high``; a unit that only loses white space at ``high`` counts as ended."""
        i = bisect_right(self._ends, high)
        if i < len(self._ends) and low < self._solid[i] <= high:
            return self._solid[i]
        return self._ends[i - 1] if i and self._ends[i - 1] >= low else None

    def first(self, low: int, high: int) -> int | None:
        """Find the first break in ``low..high``."""
        i = bisect_left(self._ends, low)
        return self._ends[i] if i < len(self._ends) and self._ends[i] <= high else None

    def after(self, position: int) -> int:
        """Find the first break after ``position``; the text's end when there is none."""
        i = bisect_right(self._ends, position)
        return self._ends[i] if i < len(self._ends) else self._length


class _Cutter:
    def __init__(self, text: str, size: int, overlap: int, borders: Borders) -> None:
        self.text, self.size, self.overlap = text, size, overlap
        self.least = max(1, size // 3)  # what is shorter does not stand alone at a soft border
        self.hard = _Breaks(text, sorted({b for b in borders.hard if 0 < b < len(text)}))
        self.soft = _Breaks(text, sorted({b for b in borders.soft if 0 < b < len(text)}))
        self.paragraphs = _Breaks(text, [end for _, end in paragraph_spans(text)])
        self.sentences = _Breaks(text, [end for _, end in sentence_spans(text)])
        self.lines = _Breaks(text, _line_ends(text))

    def spans(self) -> list[Span]:
        spans: list[Span] = []
        start = end = 0
        while end < len(self.text):
            if spans:
                start = self._next_start(*spans[-1])
            end = self._next_end(start, end)
            spans.append((start, end))
        return spans

    def _next_end(self, start: int, covered: int) -> int:
        """Choose where the chunk that begins at ``start`` ends; after ``covered``, so that each one adds text."""
        limit = min(start + self.size, len(self.text))
        wall = self.hard.first(covered + 1, limit)
        low = max(covered + 1, start + self.least)
        border = self.soft.first(low, wall or limit)
        if border is not None or wall is not None:
            return border or wall or limit
        if limit == len(self.text):
            return limit
        for breaks in (self.paragraphs, self.sentences, self.lines):
            found = breaks.last(low, limit)
            if found is not None:
                return found
        return self._inside_sentence(start, max(covered + 1, start + self.size // 2), limit, covered)

    def _inside_sentence(self, start: int, low: int, limit: int, covered: int) -> int:
        for i in range(limit, low - 1, -1):
            if self.text[i - 1].isspace() and not self.text[i].isspace():
                return i
            if self.text[i].isspace() and not self.text[i - 1].isspace():
                return i
        for i in range(limit, low - 1, -1):
            if self.text[i - 1] in _CLAUSE_MARKS and is_grapheme_break(self.text, i, start):
                return i
        for i in range(limit, covered, -1):
            if is_grapheme_break(self.text, i, start):
                return i
        return limit  # one grapheme longer than the size

    def _next_start(self, start: int, end: int) -> int:
        """Step back from ``end`` for the overlap: to a sentence's start, else a word's, never over a border.

        The overlap shrinks where the sentence that follows would not fit into the chunk otherwise.
        """
        if not self.overlap or self.hard.first(end, end) or self.soft.first(end, end):
            return end
        following = self.sentences.after(end)
        reserve = following - self.size if following - end <= self.size else 0
        low = max(end - self.overlap, reserve, start + 1)
        found = self.sentences.first(low, end - 1) if low < end else None
        if found is not None:
            return found
        words = range(low, end)
        word = next((i for i in words if self.text[i - 1].isspace() and not self.text[i].isspace()), None)
        if word is not None:
            return word
        return next((i for i in words if is_grapheme_break(self.text, i, start)), end)


def cut_spans(text: str, *, size: int, overlap: int = 0, borders: Borders | None = None) -> list[Span]:
    """Cut a text into spans of at most ``size`` characters that cover it from end to end.

    Args:
        text: Any text.
        size: Most characters in a span.
        overlap: Characters that a span may repeat of the one before.
        borders: Where sections begin and end.

    Returns:
        Spans in order; starts and ends both strictly increase, and no character is left out.

    Examples:
        >>> cut_spans("One fish. Two fish.", size=12)
        [(0, 10), (10, 19)]
    """
    return _Cutter(text, size, overlap, borders or Borders()).spans()


def is_grapheme_break(text: str, position: int, start: int = 0) -> bool:
    """Tell whether a cut before ``text[position]`` leaves what a reader sees as one sign whole.

    Holds together: a letter and its marks, Indic conjuncts, Hangul jamo, emoji with modifiers, joiners and tags,
    flags, and CR LF. A simpler form of the rules of Unicode Standard Annex 29. ``start`` is an earlier such break,
    from which flags are counted.
    """
    if position <= 0 or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if _extends(after) or before == _ZERO_WIDTH_JOINER or unicodedata.combining(before) == 9:
        return False
    if _is_flag_half(before) and _is_flag_half(after):
        return _flag_halves_before(text, position, start) % 2 == 0
    return not (_joins_hangul(before, after) or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"))


def next_solid(text: str, position: int) -> int:
    """Find the first character at or after ``position`` that is no white space."""
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _solid_end(text: str, low: int, end: int) -> int:
    while end > low and text[end - 1].isspace():
        end -= 1
    return end


def _line_ends(text: str) -> list[int]:
    ends, position = [], 0
    for line in text.splitlines(keepends=True):
        position += len(line)
        ends.append(position)
    return ends


def _extends(char: str) -> bool:
    return (
        char == _ZERO_WIDTH_JOINER
        or char == "\u200c"
        or "\U0001f3fb" <= char <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= char <= "\U000e007f"  # tags
        or unicodedata.category(char).startswith("M")
    )


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_halves_before(text: str, position: int, start: int) -> int:
    count = 0
    while start + count < position and _is_flag_half(text[position - 1 - count]):
        count += 1
    return count


def _joins_hangul(before: str, after: str) -> bool:
    leading, vowel, trailing = (
        "\u1100" <= before <= "\u115f",
        "\u1160" <= after <= "\u11a7",
        "\u11a8" <= after <= "\u11ff",
    )
    if leading:
        return "\u1100" <= after <= "\u11a7" or "\uac00" <= after <= "\ud7a3"
    if "\uac00" <= before <= "\ud7a3" or "\u1160" <= before <= "\u11a7":
        return vowel or trailing
    return "\u11a8" <= before <= "\u11ff" and trailing
