"""How well each sentence of the chunks found supports an answer, from the words that it shares with the question.

The weights were fitted on half of the questions of XQuAD (English) and rounded; `benchmarks/bench_search.py` prints
what they do on all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from kgkit.search.find import Found
from kgkit.search.index import SearchIndex
from kgkit.search.question import Question, has_answer_kind
from kgkit.text import sentence_spans, trim_span

__all__ = ["Supported", "missing_words", "rank_sentences"]

# How much speaks for a sentence against others: question words in it, in the sentences before and after, as written,
# side by side, the right kind of answer, and the rank of its chunk
_ORDER = {"own": 1.0, "before": 0.4, "after": 0.25, "literal": 0.5, "pairs": 0.1, "kind": 0.12, "chunk": 0.6}
# How sure it is that it supports an answer at all (a logistic curve)
_SURE = {"own": 5.5, "before": 1.8, "after": 1.0, "around": 3.0, "literal": 2.9, "pairs": 2.5, "special": 1.0}
_BIAS = -5.0
_UNKNOWN = -0.9  # for each name or number that stands nowhere in the documents


@dataclass(frozen=True)
class Supported:
    """A sentence of a chunk: its place in the document, how it ranks, and how sure it is to support an answer."""

    row: int
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
        return sum(self.weights[t] for t in terms) / (sum(self.weights.values()) or 1.0)


def rank_sentences(index: SearchIndex, question: Question, found: Found) -> list[Supported]:
    """Rank the sentences of the chunks that a question found, best first; ties by document and place."""
    asked = _read(index, question)
    best = max((float(found.scores[r]) for r in found.rows), default=0.0) or 1.0
    sentences = [s for row in found.rows for s in _of_chunk(index, asked, row, float(found.scores[row]) / best)]
    ids = index.chunks["doc_id"]
    return sorted(sentences, key=lambda s: (-s.order, str(ids[s.row]), s.start, index.ids[s.row]))


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
    spans = [trim_span(text, a, b) for a, b in sentence_spans(text)]
    spans = [(a, b) for a, b in spans if a < b]
    terms = [frozenset(index.analyser.count(text[a:b])) for a, b in spans]
    held = [frozenset(t for t in asked.weights if t in have) for have in terms]
    above = index.analyser.count(" ".join(index.chunks[c][row] or "" for c in ("title", "heading")))
    around = frozenset(t for t in asked.weights if t in above).union(*held)
    out = []
    for i, (a, b) in enumerate(spans):
        before = held[i - 1] - held[i] if i else frozenset()
        after = held[i + 1] - held[i] - before if i + 1 < len(spans) else frozenset()
        features = {
            "own": asked.share(held[i]),
            "before": asked.share(before),
            "after": asked.share(after),
            "around": asked.share(around - held[i]),
            "literal": len(asked.literal & terms[i]) / max(1, len(asked.literal)),
            "pairs": _shared_pairs(index, asked, text[a:b]) if held[i] else 0.0,
            "kind": _kind(asked, text[a:b]) if held[i] else -1.0,
            "chunk": chunk_score,
            "special": len(asked.special & around) / len(asked.special) if asked.special else 1.0,
        }
        order = sum(weight * features[name] for name, weight in _ORDER.items())
        sure = _BIAS + _UNKNOWN * asked.n_unknown + sum(weight * features[name] for name, weight in _SURE.items())
        out.append(Supported(row, offset + a, offset + b, text[a:b], round(order, 9), _logistic(sure), held[i]))
    return out


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
