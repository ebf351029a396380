"""Text in any script: normalised names, words, sentences, and spans of them.

Spans are ``(start, end)`` in characters, half open, so that ``text[start:end]`` is the thing itself.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

__all__ = ["Span", "collapse_spaces", "normalise_name", "paragraph_spans", "sentence_spans", "trim_span"]

Span = tuple[int, int]

_SPACES = re.compile(r"\s+")
_NO_SPACE = re.compile(r"\S")
_QUOTES = str.maketrans(
    {"‘": "'", "’": "'", "‛": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "‐": "-", "‑": "-", "–": "-"}
)
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n\s*|\r[^\S\r\n]*\r\s*|[\f\u2029]\s*")
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff]")

# A sentence ends after closing marks; CJK, Arabic, Devanagari, Armenian, Ethiopic and others have marks of their own.
# Runs of marks are taken whole (`++` and the look-behind), so that a million full stops take linear time.
_WIDE_END = "。！？｡︒"
_END = ".!?…؟۔।॥։።፧‼⁇⁈⁉။།។"
_SENTENCE_END = re.compile(
    rf"(?<![{_WIDE_END}])[{_WIDE_END}]++[”’」』）】》\"']*+"
    rf"|(?<![{_END}])[{_END}]++[\"'”’»)\]]*+(?:\[\d{{1,3}}\])*+(?=\s|$)",
)
# Items of a list, Markdown headings, and rows of a table are sentences of their own.
_LINE_START = re.compile(r"\n(?=[ \t]*(?:[-*+•‣◦]|\#{1,6}|\d{1,3}[.)])[ \t]+\S)")
_LINE_END = re.compile(r"^(?:[ \t]{0,3}\#{1,6}[ \t]+[^\n]*|[^\t|\n]*(?:\t|[ \t]\|[ \t])[^\n]*)\n", re.MULTILINE)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“])(?:[A-Z]|Mr|Mrs|Ms|Mx|Dr|Prof|Rev|Hon|Sen|Rep|Gov|Gen|Col|Lt|Capt|Sgt|Cmdr|Adm|Maj|Pres|"
    r"St|Mt|Jr|Sr|vs|cf|etc|Vol|eds|Inc|Corp|Co|Ltd|Bros|approx|ca|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec|"
    r"e\.g|i\.e|a\.m|p\.m|U\.S|U\.K|Ph\.D|al|bzw|Nr|z\.B|d\.h|u\.a|Hr|Fr|Mme|Mlle|Sra|Sr)\.$"
)
_BEFORE_NUMBER = re.compile(r"(?:^|[\s(\[])(?:[Nn]os?|[Vv]ols?|pp?|[Ff]igs?|[Ss]ec|[Cc]h|[Ee]qs?|[Aa]rt|ed)\.$")
_LIST_NUMBER = re.compile(r"(?:^|\n)[ \t]*(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})\.$")


def collapse_spaces(text: str) -> str:
    """Replace each run of white space by one blank, and strip the ends."""
    return _SPACES.sub(" ", text).strip()


def normalise_name(name: str) -> str:
    r"""Bring a name to the form under which equal names are equal, in any script.

    Compatibility forms, case, invisible characters, runs of white space, and the shapes of quotes and hyphens do
    not count; letters, accents, digits and signs do: ``C``, ``C#`` and ``C++`` stay three names, and so do ``★``
    and ``♠``.

    Examples:
        >>> normalise_name("  Grace\u00a0HOPPER ")
        'grace hopper'
    """
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", name)).translate(_QUOTES)
    folded = unicodedata.normalize("NFKC", collapse_spaces(text).casefold())
    return folded or collapse_spaces(name)


def trim_span(text: str, start: int, end: int) -> Span:
    """Shrink a span so that it neither begins nor ends with white space."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def paragraph_spans(text: str) -> list[Span]:
    """Split at blank lines and page breaks. Each character is in exactly one span; the breaks go with what ends."""
    cuts = [m.end() for m in _PARAGRAPH_END.finditer(text)]
    return _between(cuts, len(text))


def sentence_spans(text: str) -> list[Span]:
    """Split into sentences, in any script. Each character is in exactly one span; blanks go with what ends.

    Full stops after initials, list numbers and common abbreviations, and marks before lower-case letters, end
    nothing. Blank lines, list items, Markdown headings and table rows always do.

    Examples:
        >>> [("Dr. Wu spoke. 他走了。She left."[a:b]) for a, b in sentence_spans("Dr. Wu spoke. 他走了。She left.")]
        ['Dr. Wu spoke. ', '他走了。', 'She left.']
    """
    cuts = [m.end() for m in _PARAGRAPH_END.finditer(text)]
    cuts += [m.end() for m in _LINE_START.finditer(text)]
    cuts += [m.end() for m in _LINE_END.finditer(text)]
    for match in _SENTENCE_END.finditer(text):
        end = _skip_spaces(text, match.end())
        if _ends_sentence(text, match, end):
            cuts.append(end)
    return _between(cuts, len(text))


def _skip_spaces(text: str, position: int) -> int:
    found = _NO_SPACE.search(text, position)
    return found.start() if found else len(text)


def _ends_sentence(text: str, match: re.Match[str], following: int) -> bool:
    mark = match.group()
    if mark[0] in _WIDE_END or following >= len(text):
        return True
    after = text[following]
    if after.islower():  # Yahoo! was; "Really?" she asked; approx. half
        return False
    if mark != ".":
        return True
    before = text[max(0, match.start() - 12) : match.end()]
    if _ABBREVIATION.search(before) or _LIST_NUMBER.search(before):
        return False
    return not (after.isdigit() and (before[-2:-1].isdigit() or _BEFORE_NUMBER.search(before)))


def _between(cuts: list[int], length: int) -> list[Span]:
    edges = [0, *sorted({c for c in cuts if 0 < c < length}), length]
    return [(a, b) for a, b in pairwise(edges) if b > a]
