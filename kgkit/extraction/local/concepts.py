"""Technical terms: the noun phrases of a text that are worth a node, such as "stored-program computer".

A phrase is a term when enough speaks for it within its own document: the word it ends in, a hyphen, being repeated,
being named as one ("known as ..."). In a text that is not technical only what is named as a term counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from kgkit.extraction.local.found import FoundName
from kgkit.extraction.local.lexicon import Lexicon
from kgkit.extraction.local.spans import Parsed

__all__ = ["find_concepts"]

MOST_WORDS = 4
NEEDED = 2.5
NEEDED_IN_TECHNICAL = 1.0
_CONFIDENCE = 0.5
_NAMED_CONFIDENCE = 0.6
_INSIDE = frozenset({"NOUN", "PROPN", "ADJ"})


class _Term(NamedTuple):
    start: int
    end: int
    key: str
    score: float
    named: bool


def find_concepts(
    texts: Sequence[Parsed], names: Sequence[Sequence[FoundName]], words: Lexicon, *, technical: bool
) -> list[list[FoundName]]:
    """Find the terms of a document's texts that no name covers.

    Args:
        texts: The document's chunks, parsed.
        names: The names of each, in order.
        words: The word lists.
        technical: Whether the document is a technical one.
    """
    terms = [list(_terms(parsed, found, words)) for parsed, found in zip(texts, names, strict=True)]
    repeated = Counter(term.key for one in terms for term in one)
    named = {term.key for one in terms for term in one if term.named}
    needed = NEEDED_IN_TECHNICAL if technical else NEEDED
    out = []
    for parsed, one in zip(texts, terms, strict=True):
        kept = []
        for term in one:
            score = term.score + (1.0 if repeated[term.key] > 1 else 0.0)
            if term.key in named or score >= needed:
                confidence = _NAMED_CONFIDENCE if term.key in named else _CONFIDENCE
                text = parsed.text[term.start : term.end]
                kept.append(FoundName(term.start, term.end, text, "CONCEPT", confidence))
        out.append(kept)
    return out


def _terms(parsed: Parsed, names: Sequence[FoundName], words: Lexicon) -> Iterator[_Term]:
    covered = [False] * len(parsed.tokens)
    for name in names:
        for token in _tokens_within(parsed, name):
            covered[token.i] = True
    for first, last in _phrases(parsed.tokens, covered, words):
        tokens = parsed.tokens[first:last]
        head = tokens[-1]
        named = _is_named(tokens, words)
        score = _score(tokens, words)
        if len(tokens) > 1 and head.text.islower():
            end = head.idx + len(head)
            key = " ".join([*(t.lower_ for t in tokens[:-1]), head.lemma_.lower()])
            yield _Term(tokens[0].idx, end, key, score, named)


def _tokens_within(parsed: Parsed, name: FoundName) -> Any:
    return parsed.doc.char_span(name.start, name.end, alignment_mode="expand") or ()


def _phrases(tokens: list[Any], covered: list[bool], words: Lexicon) -> Iterator[tuple[int, int]]:
    """Find the longest runs of adjectives and nouns that end in a common noun."""
    first = None
    for i, token in enumerate([*tokens, None]):
        inside = token is not None and not covered[i] and _is_inside(token, tokens[i + 1 : i + 2])
        if inside and first is None:
            first = i
        elif not inside and first is not None:
            span = _trimmed(tokens, first, i, words)
            if span is not None:
                yield span
            first = None


def _is_inside(token: Any, following: list[Any]) -> bool:
    if token.text == "-":
        return True
    if token.is_alpha and following and following[0].text == "-":  # "stored-program"
        return True
    return token.pos_ in _INSIDE and (token.is_alpha or "-" in token.text)


def _trimmed(tokens: list[Any], first: int, last: int, words: Lexicon) -> tuple[int, int] | None:
    while last > first and tokens[last - 1].pos_ != "NOUN":
        last -= 1
    while first < last and (tokens[first].lower_ in words.empty or tokens[first].text == "-"):
        first += 1
    plain = sum(1 for i in range(first, last) if tokens[i].text != "-")
    if not 0 < plain <= MOST_WORDS or tokens[last - 1].lower_ in words.empty:
        return None
    return first, last


def _score(tokens: list[Any], words: Lexicon) -> float:
    score = 0.0
    if tokens[-1].lemma_.lower() in words.term_heads:
        score += 2.0
    if any(t.lemma_.lower() in words.technical for t in tokens):
        score += 0.5
    if any("-" in t.text for t in tokens[:-1]):
        score += 0.5
    return score


def _is_named(tokens: list[Any], words: Lexicon) -> bool:
    """Tell whether the text says that this is a term: "called X", "known as X", "X is a method"."""
    head = tokens[-1]
    verb = head.head
    if words.nouns.get(head.lemma_.lower(), "CONCEPT") not in ("CONCEPT", "PRODUCT"):
        return False
    if head.dep_ == "oprd" and verb.lemma_ in words.naming:
        return True
    if head.dep_ == "pobj" and verb.lower_ == "as" and verb.head.lemma_ in words.naming:
        return True
    if head.dep_ == "nsubj" and verb.lemma_ == "be":
        kinds = (words.nouns.get(c.lemma_.lower()) for c in verb.rights if c.dep_ == "attr")
        return next(kinds, None) == "CONCEPT"
    return False
