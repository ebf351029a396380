"""Where the words that a model quotes stand in the text: found by code, never taken from the model."""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from html import unescape
from typing import Literal, NamedTuple

from kgkit.extraction.model.folded import Folded, fold, fold_text
from kgkit.text import Span, trim_span

__all__ = ["MIN_SCORE", "How", "Place", "Text", "weaker"]

MIN_SCORE = 90.0
"""Least similarity (0 to 100) of a quote and the words it is taken for: twice the letters that both have in order,
through all letters of both."""

How = Literal["exact", "normalised", "fuzzy", "unlocated"]
_ORDER: tuple[How, ...] = ("exact", "normalised", "fuzzy", "unlocated")

_MIN_FUZZY = 8  # letters; in shorter quotes one letter decides what is meant
_MIN_PIECE = 6
_MIN_SQUEEZED = 4
_MAX_LOOSE = 1.5  # times as long, at most, as the words that are looked for
_MIN_ALIKE = 60.0  # of 100, for one word and the one in its place
_SMALL = 3  # letters: words so short may be left out or put in
_MAX_GAP = 300  # characters that a quote may leave out with "..."
_MARKS = " \t\r\n\"'“”„«»‘’.…,;:"
_DOTS = r"(?:\.{3,}|…|\. \. \.)"
_GAP = re.compile(rf"\[ ?{_DOTS} ?\]|\( ?{_DOTS} ?\)|{_DOTS}")
# Words that many names have: alone they do not tell one from another.
_COMMON = frozenset(
    "corp corporation company limited group holding holdings bank university college institute school society museum "  # noqa: SIM905
    "association committee council department ministry agency office court party union club church trust foundation "
    "national royal international american british german french north south east west northern southern eastern "
    "western person sample example first second great saint state states county city street road river lake mount "
    "world research laboratory laboratories systems system machine machines computer computers computing "
    "engine project".split()
)
_LATIN = re.compile("[A-Za-zÀ-ɏ]")
_NUMBER = re.compile(r"\d+")
_WORDS = re.compile(r"\w+")
_NOT = re.compile(
    r"\b(?:not|no|never|nor|neither|none|nobody|nothing|without|cannot|nicht|kein\w*|nie|niemals|ohne|weder|ne|n|pas|"
    r"jamais|sans|aucun\w*|non|mai|senza|nunca|jamás|sin|ningun\w*|ningún|não|nem|sem|не|нет|ни|без|никогда)\b|n't\b"
)
# Scripts without blanks between words, or in which small words are written together with a name.
_UNSPACED = re.compile(
    "[\u0590-\u07ff\uac00-\ud7a3\u0e00-\u0eff\u1000-\u109f"
    "\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


class Place(NamedTuple):
    """Where words stand: ``text[start:end]``, and how they were found."""

    start: int
    end: int
    how: How


class Text:
    """A text in which quotes and names are looked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def folded(self) -> Folded:
        """The text without regard to case, white space and shapes."""
        return fold(self.text)

    @cached_property
    def plain(self) -> Folded:
        """The same without accents."""
        return fold(self.text, plain=True)

    @cached_property
    def letters(self) -> Folded:
        """Only the letters and digits of the plain text."""
        kept: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        for character, start, end in zip(*self.plain, strict=True):
            for letter in "and" if character == "&" else character if character.isalnum() else "":
                kept.append(letter)
                starts.append(start)
                ends.append(end)
        return Folded("".join(kept), starts, ends)

    def find_quote(self, quote: str | None) -> Place | None:
        """Find the words of a quote: as they are, normalised, with a gap where it has dots, or nearly (`MIN_SCORE`).

        Nearly is not enough where a number or a "not" differs: such a quote says something else.

        Examples:
            >>> Text("It  paid 65,000 crowns.").find_quote("it paid 65,000")
            Place(start=0, end=15, how='normalised')
        """
        if quote is None or not quote.strip():
            return None
        for words in dict.fromkeys((quote.strip(), quote.strip(_MARKS))):
            found = self._find_words(words) if words else None
            if found is not None:
                return found
        return self._with_gaps(quote) or self._nearly(quote)

    def find_name(self, name: str) -> list[Place]:
        """Find every place where a name stands as a whole word: as written, or else normalised."""
        name = name.strip()
        if not name:
            return []
        exact = [Place(start, start + len(name), "exact") for start in _starts(self.text, name)]
        exact = [place for place in exact if self._is_whole(place.start, place.end)]
        return exact or [Place(*span, "normalised") for span in self._folded_spans(name) if self._is_whole(*span)]

    def find_like_name(self, name: str, within: Place) -> Place | None:
        """Find, within a quote, the name spelled a little otherwise, or the part of it that stands there.

        ``Grace Hopper`` in *Admiral Hopper retired* is *Hopper*.
        """
        inner = Text(self.text[within.start : within.end])
        near = inner._nearly(name) or inner._inflected(name) or inner._longest_part(name)
        return None if near is None else Place(within.start + near.start, within.start + near.end, "fuzzy")

    def find_near_name(self, name: str) -> Place | None:
        """Find the name spelled a little otherwise, or with another ending in scripts other than Latin, anywhere."""
        return self._nearly(name) or (None if _LATIN.search(name) else self._inflected(name))

    def _find_words(self, words: str) -> Place | None:
        exact = self._best([(start, start + len(words)) for start in _starts(self.text, words)])
        if exact is not None:
            return Place(*exact, "exact")
        span = self._best(self._folded_spans(words))
        return None if span is None else Place(*span, "normalised")

    def _best(self, spans: list[Span]) -> Span | None:
        """Take the first place of whole words; of long quotes also one that begins or ends within a word."""
        whole = next((span for span in spans if self._is_whole(*span)), None)
        return whole or next((span for span in spans if span[1] - span[0] >= _MIN_FUZZY), None)

    def _folded_spans(self, words: str) -> list[Span]:
        wanted = fold_text(words)
        if not wanted:
            return []
        spans = [self.folded.span(at, at + len(wanted)) for at in _starts(self.folded.text, wanted)]
        return [span for span in spans if fold_text(self.text[span[0] : span[1]]) == wanted]

    def _with_gaps(self, quote: str) -> Place | None:
        """Find the pieces of a quote that leaves words out, one after the other."""
        pieces = [piece for piece in _GAP.split(quote.strip()) if len(piece.strip(_MARKS)) >= _MIN_PIECE]
        if len(pieces) < 2:
            return None
        places: list[Place] = []
        for piece in pieces:
            after = places[-1].end if places else 0
            found = Text(self.text[after:])._find_words(piece.strip())
            if found is None or (places and found.start > _MAX_GAP):
                return None
            places.append(Place(after + found.start, after + found.end, found.how))
        return Place(places[0].start, places[-1].end, "fuzzy")

    def _nearly(self, words: str) -> Place | None:
        from rapidfuzz.fuzz import partial_ratio_alignment, ratio

        wanted = fold_text(words.strip(_MARKS), plain=True)
        if len(wanted) < _MIN_FUZZY or len(wanted) * 0.9 > len(self.plain.text):
            return self._squeezed(words)
        best = partial_ratio_alignment(wanted, self.plain.text, score_cutoff=MIN_SCORE)
        if best is None or best.dest_end <= best.dest_start:
            return self._squeezed(words)
        start, end = trim_span(self.text, *self._to_words(*self.plain.span(best.dest_start, best.dest_end)))
        meant = fold_text(self.text[start:end], plain=True)
        if ratio(wanted, meant) < MIN_SCORE or _says(wanted) != _says(meant) or _has_other_words(wanted, meant):
            return self._squeezed(words)
        return Place(start, end, "fuzzy")

    def _squeezed(self, words: str) -> Place | None:
        """Find the same letters and digits, whatever signs and blanks stand between: ``J. R. R.`` and ``J.R.R.``."""
        wanted = "".join(c for c in fold_text(unescape(words), plain=True).replace("&", "and") if c.isalnum())
        if len(wanted) < (_MIN_SQUEEZED if wanted.isascii() else 2):
            return None
        letters, starts, ends = self.letters
        for at in _starts(letters, wanted):
            start, end = starts[at], ends[at + len(wanted) - 1]
            there = fold_text(self.text[start:end], plain=True)
            same = _NUMBER.findall(there) == _NUMBER.findall(fold_text(words, plain=True))
            if same and self._is_whole(start, end) and len(there) <= _MAX_LOOSE * len(words):
                return Place(start, end, "fuzzy")
        return None

    def _inflected(self, name: str) -> Place | None:
        """Find the name with other endings of its words: up to two letters less, up to three other ones."""
        words = name.split()
        if not words or not words[0][0].isupper() or not any(len(word) > 4 for word in words):
            return None
        stems = [re.escape(w) if len(w) < 5 else re.escape(w[: max(4, len(w) - 2)]) + r"[^\W\d_]{0,3}" for w in words]
        found = re.search(r"(?<!\w)" + r"\s+".join(stems) + r"(?!\w)", self.text)
        return None if found is None else Place(*found.span(), "fuzzy")

    def _longest_part(self, name: str) -> Place | None:
        """Find the longest run of a name's words that stands here; words that many names have are not enough."""
        words = name.split()
        runs = [words[i:j] for i in range(len(words)) for j in range(i + 1, len(words) + 1) if j - i < len(words)]
        for run in sorted(runs, key=lambda run: (-len(run), -len(" ".join(run)))):
            if any(len(word) > 3 and word.casefold().strip(".,") not in _COMMON for word in run):
                found = self.find_name(" ".join(run))
                if found and self.text[found[0].start].isupper():
                    return found[0]
        return None

    def _to_words(self, start: int, end: int) -> Span:
        """Move the ends of a span to the borders of words."""
        while 0 < start < end and not self._is_border(start):
            start -= 1
        while end < len(self.text) and not self._is_border(end):
            end += 1
        return start, end

    def _is_whole(self, start: int, end: int) -> bool:
        return self._is_border(start) and self._is_border(end)

    def _is_border(self, at: int) -> bool:
        if at in (0, len(self.text)):
            return True
        left, right = self.text[at - 1], self.text[at]
        if unicodedata.category(right)[0] == "M":  # it belongs to the letter before
            return False
        if _UNSPACED.match(left) or _UNSPACED.match(right):
            return True
        return not ((left.isalnum() or unicodedata.category(left)[0] == "M") and right.isalnum())


def weaker(left: How, right: How) -> How:
    """Give the less certain of two ways of finding."""
    return max(left, right, key=_ORDER.index)


def _starts(text: str, words: str) -> list[int]:
    found = []
    at = text.find(words)
    while at >= 0:
        found.append(at)
        at = text.find(words, at + len(words))
    return found


def _says(folded: str) -> tuple[list[str], int]:
    return _NUMBER.findall(folded), len(_NOT.findall(folded))


def _has_other_words(wanted: str, meant: str) -> bool:
    """Tell whether a word of one text stands for another word, or for none, in the other: *May* is not *March*."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.fuzz import ratio

    left, right = _WORDS.findall(wanted), _WORDS.findall(meant)
    for step in Levenshtein.opcodes(left, right):
        if step.tag == "equal":
            continue
        one, two = "".join(left[step.src_start : step.src_end]), "".join(right[step.dest_start : step.dest_end])
        if not one or not two:
            if len(one + two) > _SMALL:
                return True
        elif ratio(one, two) < _MIN_ALIKE:
            return True
    return False
