"""Texts brought to a common form, with the way back: which character of the text each character came from."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from kgkit.text import Span

__all__ = ["Folded", "fold", "fold_text"]


def _chars(*codes: int) -> str:
    return "".join(map(chr, codes))


_QUOTES = dict.fromkeys("‘’‚‛ʼ′`´‹›❛❜", "'") | dict.fromkeys("“”„‟″«»❝❞〝〞〟「」『』", '"')
_HYPHENS = dict.fromkeys("‐‑‒–—―−﹘﹣－⁃⸺⸻", "-")
_POINTS = "\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u0670" + _chars(*range(0x591, 0x5BE), *range(0x64B, 0x653))
"""Vowel signs of Hebrew and Arabic, which most texts leave out, and the stroke that makes Arabic words longer."""
_HIDDEN = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff" + _chars(
    *range(0x202A, 0x202F), *range(0x2066, 0x206A)
)
_GONE = dict.fromkeys(_HIDDEN + _POINTS, "")
_DIVIDED = re.compile(r"(?<=[^\W\d_])(?:[-‐]|\u00ad)[ \t]*\r?\n[ \t]*(?=([^\W\d_]))")
_LETTERS = {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
_SHAPES = {**_QUOTES, **_HYPHENS, **_GONE}


class Folded(NamedTuple):
    """A folded text; its character ``i`` came from ``starts[i]:ends[i]`` of the text itself."""

    text: str
    starts: list[int]
    ends: list[int]

    def span(self, start: int, end: int) -> Span:
        """Give the place in the text itself of ``text[start:end]``, which is not empty."""
        return self.starts[start], self.ends[end - 1]


def fold(text: str, *, plain: bool = False) -> Folded:
    """Bring a text to the form in which case, white space, and the shapes of quotes, hyphens and signs do not count.

    Words that a line divides are whole, and the vowel signs of Hebrew and Arabic are left out.

    Args:
        text: Any text.
        plain: Whether accents on letters do not count either.

    Examples:
        >>> fold("“Ada  Lovelace”").text
        '"ada lovelace"'
    """
    folded: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    skipped = _within_words(text)
    for i, character in enumerate(text):
        if i in skipped:
            continue
        new = _folded(character, plain)
        if not new and ends and character not in _GONE:  # an accent goes with its letter
            ends[-1] = i + 1
        for part in new:
            if part == " " and (not folded or folded[-1] == " "):
                if ends:
                    ends[-1] = i + 1
                continue
            folded.append(part)
            starts.append(i)
            ends.append(i + 1)
    if folded and folded[-1] == " ":
        folded.pop(), starts.pop(), ends.pop()
    return Folded("".join(folded), starts, ends)


def _within_words(text: str) -> set[int]:
    """Find the hyphens and line ends by which a line divides a word, in front of a small letter."""
    if "\n" not in text:
        return set()
    return {i for m in _DIVIDED.finditer(text) if m[1].islower() for i in range(*m.span())}


def fold_text(text: str, *, plain: bool = False) -> str:
    """Give the folded text alone."""
    return fold(text, plain=plain).text


def _folded(character: str, plain: bool) -> str:
    if character.isascii():
        return " " if character.isspace() else "'" if character == "`" else character.lower()
    if character.isspace():
        return " "
    shape = _SHAPES.get(character)
    if shape is not None:
        return shape
    new = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    new = "".join(" " if c.isspace() else _SHAPES.get(c, c) for c in new)
    if plain:
        new = "".join(_LETTERS.get(c, c) for c in new if not "\u0300" <= c <= "\u036f")
    return new
