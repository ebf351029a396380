"""All names of one text: the recogniser's, put right, and those it passed over that words or marks give away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kgkit.extraction.local.lexicon import Lexicon
from kgkit.extraction.local.products import model_spans
from kgkit.extraction.local.spans import Parsed, Span, entity_spans, is_junk
from kgkit.extraction.local.types import Votes, head_type, vote

__all__ = ["Name", "capitalised_runs", "defined_acronyms", "find_names", "taken_tokens"]

_ACRONYM_IN_BRACKETS = re.compile(r"\((?:the )?[\"“]?([A-Z][A-Za-z0-9&./-]{0,9}[A-Z0-9]s?|[A-Z]{2,10}s?)[\"”]?[);,]")

_NUMBERED = 2.0
_ACRONYM_LENGTH = 3
_HANDLE = 1.5
_SAYS_SO = 2.4  # a vote that only a sentence that says what a thing is reaches


class Name(NamedTuple):
    """One name in a text, the type the recogniser gave ("" when it gave none), and votes for its type."""

    span: Span
    text: str
    recognised: str
    votes: Votes


def find_names(parsed: Parsed, words: Lexicon, *, technical: bool = False) -> list[Name]:
    """Find the names in one spaCy ``Doc``, in order and without overlaps; dates and numbers are among them."""
    found = [_named(parsed, span, span.type, words, technical) for span in entity_spans(parsed, words)]
    for span in model_spans(parsed):
        if any(n.span.start < span.end and span.start < n.span.end and _sticks_out(n.span, span) for n in found):
            continue
        found = [n for n in found if n.span.end <= span.start or n.span.start >= span.end]
        found.append(Name(span, parsed.text[span.start : span.end], "", {"PRODUCT": _NUMBERED}))
    for span in _handles(parsed):
        if not any(n.span.start < span.end and span.start < n.span.end for n in found):
            found.append(Name(span, parsed.text[span.start : span.end], "", {"PERSON": _HANDLE}))
    for first, last in capitalised_runs(parsed, taken_tokens(parsed, [n.span for n in found])):
        for span, needed in _passed_over(parsed, first, last, words):
            name = _named(parsed, span, "", words, technical)
            if max(name.votes.values(), default=0.0) > needed and not is_junk(name.text):
                found.append(name)
    found = [n for n in found if not _is_a_letter_of(parsed.text, n.span)]
    return sorted(found, key=lambda n: n.span.start)


def _is_a_letter_of(text: str, span: Span) -> bool:
    """Tell a letter within hyphens, as in "C-T-R", from the language C."""
    one = span.end - span.start == 1 and text[span.start].isalpha()
    return one and "-" in (text[span.start - 1 : span.start], text[span.end : span.end + 1])


def defined_acronyms(parsed: Parsed, words: Lexicon) -> Iterator[tuple[str, int, int, int, int]]:
    """Find "full name (ABC)": the acronym, and where both stand, as characters.

    Yields:
        The acronym, its start and end, and the start and end of the words that it abbreviates.
    """
    for match in _ACRONYM_IN_BRACKETS.finditer(parsed.text):
        short = match.group(1)
        opening = parsed.doc.char_span(match.start(), match.start() + 1)
        if opening is None:
            continue
        first = _expansion(parsed.tokens, opening.start, short, words)
        if first is not None:
            last = parsed.tokens[opening.start - 1]
            yield short, match.start(1), match.end(1), parsed.tokens[first].idx, last.idx + len(last)


def _sticks_out(name: Span, model: Span) -> bool:
    """Tell whether a name goes on after a number: "Kiev UT-1 Television Network"."""
    return name.end > model.end


def _handles(parsed: Parsed) -> Iterator[Span]:
    """Find the accounts that posts name: "@GraceHopper"."""
    if "@" in parsed.text:
        for i, token in enumerate(parsed.tokens):
            text = token.text
            if len(text) > 2 and text[0] == "@" and text[1:].replace("_", "").isalnum() and not text[1:].isdigit():
                yield Span(i, i + 1, token.idx + 1, token.idx + len(text), "")


def _named(parsed: Parsed, span: Span, recognised: str, words: Lexicon, technical: bool) -> Name:
    if span.type in ("DATE", "DURATION", "NUMBER"):
        return Name(span, parsed.text[span.start : span.end], span.type, {})
    votes = vote(parsed, span, words, technical=technical)
    return Name(span, parsed.text[span.start : span.end], recognised, votes)


def taken_tokens(parsed: Parsed, spans: Iterable[Span]) -> list[bool]:
    """Mark the tokens that spans cover."""
    taken = [False] * len(parsed.tokens)
    for span in spans:
        for i in range(span.first, span.last):
            taken[i] = True
    return taken


def capitalised_runs(parsed: Parsed, taken: list[bool]) -> Iterator[tuple[int, int]]:
    """Find the longest runs of capitalised proper nouns that nothing covers yet."""
    first = None
    for i, token in enumerate(parsed.tokens):
        inside = not taken[i] and token.pos_ == "PROPN" and token.text[:1].isupper()
        if inside and first is None:
            first = i
        elif not inside and first is not None:
            yield first, i
            first = None
    if first is not None:
        yield first, len(parsed.tokens)


def _passed_over(parsed: Parsed, first: int, last: int, words: Lexicon) -> Iterator[tuple[Span, float]]:
    """Offer a run of capitalised words that the recogniser left out, with the vote that is needed to keep it."""
    doc, titled = parsed.tokens, False
    while first < last and (doc[first].text in words.offices or doc[first].text in words.honorifics):
        titled = titled or doc[first].text in words.honorifics
        first += 1
    if first == last:
        return
    tokens = doc[first:last]
    end = tokens[-1].idx + len(tokens[-1])
    text = parsed.text[tokens[0].idx : end]
    known = words.is_place(text) or text in words.groups or (text in words.known and len(text) > 1)
    named = len(tokens) > 1 and (tokens[0].text in words.given_names or head_type(tokens, words) is not None)
    before = doc[first - 1].text if first else ""
    if known or named or titled or before == "@" or (before in words.honorifics and before[0].isupper()):
        yield Span(first, last, tokens[0].idx, end, ""), 0.0
    elif text.isupper() and (len(tokens) > 1 or len(text) < _ACRONYM_LENGTH):
        yield from ((span, 0.0) for span in _places_in_capitals(parsed, first, last, words))
    else:
        yield Span(first, last, tokens[0].idx, end, ""), _SAYS_SO


def _places_in_capitals(parsed: Parsed, first: int, last: int, words: Lexicon) -> Iterator[Span]:
    """Find listed places in a line of capitals, where nothing shows where a name ends: "FLOODS IN SOUTH KOREA"."""
    tokens = parsed.tokens
    i = first
    while i < last:
        for j in range(min(last, i + 3), i, -1):
            start, end = tokens[i].idx, tokens[j - 1].idx + len(tokens[j - 1])
            if words.is_place(parsed.text[start:end]):
                yield Span(i, j, start, end, "")
                i = j - 1
                break
        i += 1


def _expansion(doc: list[Any], opening: int, short: str, words: Lexicon) -> int | None:
    """Find the first of the words before a bracket whose initials make the acronym in it."""
    letters = [c.lower() for c in short.rstrip("s") if c.isalnum()]
    at = len(letters) - 1
    i = opening - 1
    while i >= 0 and opening - i <= 2 * len(letters) + 4:
        word = doc[i].lower_
        if not word[:1].isalpha():
            if word not in ("-", "–", "&", ",", "/"):
                return None
        elif at >= 0 and word[0] == letters[at]:
            at -= 1
            if at < 0:
                return i
        elif word not in words.linking:
            inner = [k for k in range(at, -1, -1) if word[0] == letters[k]]
            if not inner or not all(c in word[1:] for c in letters[inner[0] + 1 : at + 1]):
                return None
            at = inner[0] - 1
            if at < 0:
                return i
        i -= 1
    return None
