"""How well each sentence of the chunks found supports an answer, from the words that it shares with the question.

The weights were fitted on half of the questions of XQuAD (English) and rounded; `benchmarks/bench_search.py` prints
what they do on all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kgkit.retrieval.find import Found
from kgkit.retrieval.index import SearchIndex
from kgkit.retrieval.question import Question, has_answer_kind
from kgkit.text import sentence_spans, trim_span

__all__ = ["Supported", "missing_words", "rank_sentences"]

# How much speaks for a sentence against others. Shares of the question's words, by rarity: in the sentence itself
# (names and numbers apart), new in the one before and the one after; words as they are written, words side by side,
# something of the kind asked for, the score of its chunk.
_ORDER = {
    "own": 1.0,
    "own_names": 0.7,
    "before": 0.5,
    "after": 0.3,
    "literal": 1.0,
    "pairs": 0.3,
    "kind": 0.15,
    "chunk": 1.5,
    "fragment": -0.5,
    "nameless": -0.4,
}
# How sure it is that it supports an answer at all (a logistic curve). "near" is the share of the words that are no
# names in the sentence and its neighbours, "chunk_names" that of the names in the chunk, its title and headings.
# "unnamed": almost none, or none, of what is asked about the names is near. "unmeasured": a date or number is asked
# for, and there is none. "nameless": none of the names is near, nor in title or headings. These three weigh more than
# XQuAD says: better no answer than a sentence that has only the name, or speaks of something else.
_SURE = {
    "own": 1.0,
    "own_names": 2.8,
    "before": 1.1,
    "literal": 2.4,
    "pairs": 1.9,
    "near": 1.5,
    "chunk_names": 1.7,
    "unknown": -1.2,
    "unnamed": -1.3,
    "unmeasured": -1.0,
    "nameless": -1.2,
}
_BIAS = -3.6


@dataclass(frozen=True)
class Supported:
    """A sentence of a chunk: its place in the document, how it ranks, and how sure it is to support an answer."""

    row: int
    doc_id: str
    start: int
    end: int
    text: str
    order: float
    confidence: float
    held: frozenset[str]


@dataclass(frozen=True)
class _Asked:
    """A question's terms with their weights, and what of it is in no document."""

    question: Question
    weights: dict[str, float]
    special: frozenset[str]
    literal: frozenset[str]
    words: frozenset[str]
    n_unknown: int

    def share(self, terms: Iterable[str]) -> float:
        """Weigh terms against all of the question."""
        return self._sum(terms) / (self._sum(self.weights) or 1.0)

    def part(self, terms: frozenset[str], wanted: frozenset[str]) -> float:
        """Weigh those of the wanted terms that are held against all that are wanted; 1 where none is."""
        total = self._sum(wanted)
        return self._sum(wanted & terms) / total if total else 1.0

    def _sum(self, terms: Iterable[str]) -> float:
        return sum(self.weights[t] for t in sorted(terms))


def rank_sentences(index: SearchIndex, question: Question, found: Found) -> list[Supported]:
    """Rank the sentences of the chunks that a question found, best first; ties by document and place."""
    asked = _read(index, question)
    best = max((float(found.scores[r]) for r in found.rows), default=0.0) or 1.0
    sentences = [s for row in found.rows for s in _of_chunk(index, asked, row, float(found.scores[row]) / best)]
    sentences = [s for s in sentences if not _says_nothing(s.text)]
    return sorted(sentences, key=lambda s: (-s.order, s.doc_id, s.start, index.ids[s.row]))


def missing_words(index: SearchIndex, question: Question, held: frozenset[str]) -> list[str]:
    """List the question's words that a sentence lacks: those that no document has first, names and numbers first."""
    lacking = []
    for i, word in enumerate(question.words):
        terms = word.terms.main
        if terms and not any(t in held for t in terms):
            known = any(index.lexical.n_rows_with(t) for t in terms)
            lacking.append((known, i not in question.special, i, word.text))
    return list(dict.fromkeys(text for *_, text in sorted(lacking)))


def _read(index: SearchIndex, question: Question) -> _Asked:
    weights: dict[str, float] = {}
    special: set[str] = set()
    unknown = 0
    for i, word in enumerate(question.words):
        terms = [
            t if index.lexical.n_rows_with(t) or not index.lexical.n_rows_with("=" + t) else "=" + t
            for t in word.terms.main
        ]
        terms = ["~" + t for t in terms] if word.stop else terms
        weights |= {t: index.lexical.idf(t) for t in terms}
        if i in question.special:
            special.update(terms)
            unknown += not any(index.lexical.n_rows_with(t) for t in terms)
    literal = frozenset("=" + t for w in question.words for t in w.terms.exact)
    words = frozenset(w.text.casefold() for w in index.analyser.words(question.text))
    return _Asked(question, weights, frozenset(special), literal, words, unknown)


def _of_chunk(index: SearchIndex, asked: _Asked, row: int, chunk_score: float) -> list[Supported]:
    text, offset = index.chunks["text"][row], index.chunks["start"][row]
    trimmed = [trim_span(text, a, b) for a, b in sentence_spans(text)]
    spans = [(a, b) for a, b in trimmed if a < b]
    terms = [frozenset(index.analyser.count(text[a:b])) for a, b in spans]
    above = frozenset(index.analyser.count(" ".join(index.chunks[c][row] or "" for c in ("title", "heading"))))
    chunk_names = asked.part(above.union(*terms), asked.special)
    out = []
    for i, (a, b) in enumerate(spans):
        features = _features(index, asked, terms[max(0, i - 1) : i + 2], min(i, 1), text[a:b])
        near = above.union(*terms[max(0, i - 1) : i + 2])
        features["nameless"] = float(bool(asked.special) and not asked.special & near)
        features |= {"chunk": chunk_score, "chunk_names": chunk_names, "unknown": float(asked.n_unknown)}
        order = sum(weight * features[name] for name, weight in _ORDER.items())
        sure = _BIAS + sum(weight * features[name] for name, weight in _SURE.items())
        held = frozenset(asked.weights) & terms[i]
        spot = (row, index.chunks["doc_id"][row], offset + a, offset + b, text[a:b])
        out.append(Supported(*spot, round(order, 9), _logistic(sure), held))
    return out


def _features(
    index: SearchIndex, asked: _Asked, window: Sequence[frozenset[str]], middle: int, sentence: str
) -> dict[str, float]:
    wanted = frozenset(asked.weights)
    plain = wanted - asked.special
    own = wanted & window[middle]
    before = (wanted & window[middle - 1]) - own if middle else frozenset[str]()
    after = (wanted & window[middle + 1]) - own - before if middle + 1 < len(window) else frozenset[str]()
    near = asked.part(own | before | after, plain)
    kind = _kind(asked, sentence) if own else -1.0
    return {
        "own": asked.share(own & plain),
        "own_names": asked.share(own & asked.special),
        "before": asked.share(before),
        "after": asked.share(after),
        "near": near,
        "unnamed": 2.0 if near < 0.01 else float(near < 0.4),
        "unmeasured": float(kind < 0 and asked.question.kind in ("time", "number")),
        "literal": len(asked.literal & window[middle]) / max(1, len(asked.literal)),
        "pairs": _shared_pairs(index, asked, sentence) if own else 0.0,
        "kind": kind,
        "fragment": float(_is_fragment(sentence)),
    }


def _is_fragment(sentence: str) -> bool:
    """Tell headings and labels: they seldom say anything that could answer."""
    return sentence[-1].isalnum() and len(sentence.split()) < 8


def _says_nothing(sentence: str) -> bool:
    """Tell questions and Markdown headings: they are no answer, however many words they share with the question."""
    return sentence.endswith(("?", "？", "؟")) or sentence.startswith("#")


def _kind(asked: _Asked, sentence: str) -> float:
    if asked.question.kind == "other":
        return 0.0
    return 1.0 if has_answer_kind(asked.question.kind, sentence, asked.words) else -1.0


def _shared_pairs(index: SearchIndex, asked: _Asked, sentence: str) -> float:
    wanted = list(pairwise(w.terms.main for w in asked.question.words))
    have = set(pairwise(w.terms.main for w in index.analyser.words(sentence) if not w.stop))
    return sum(pair in have for pair in wanted) / max(1, len(wanted))


def _logistic(x: float) -> float:
    return round(1 / (1 + math.exp(-x)), 6)
