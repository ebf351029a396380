"""Answering a question with sentences of the documents, each quoted and cited, or saying that they do not answer it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from kgkit import tables
from kgkit.errors import OptionError
from kgkit.frames import Backend, check_backend, give
from kgkit.ids import stable_id
from kgkit.results import Outcome, outcomes_frame
from kgkit.retrieval.answer import Answer
from kgkit.retrieval.expand import names_asked
from kgkit.retrieval.find import check_count, clean_question, find_rows, hits_frame, index_of
from kgkit.retrieval.index import SearchIndex
from kgkit.retrieval.question import Question, read_question
from kgkit.retrieval.support import Supported, missing_words, rank_sentences
from kgkit.text import collapse_spaces

__all__ = ["ask"]

_MOST_SENTENCES = 3
_ADDS = 0.15  # share of the question that a further sentence must add
_RELATED = 0.6  # how near to the best any further sentence must be
_AGREES = 0.92  # how near to the best a sentence of another document must be to stand beside it


def ask(
    question: str,
    chunks: Any,
    *,
    graph: Any = None,
    model: None = None,
    k: int = 8,
    min_confidence: float = 0.5,
    backend: Backend | None = None,
) -> Answer:
    """Answer a question with one to three sentences of the documents, each quoted and cited.

    Without a model nothing is written: the sentences that support an answer best are quoted word for word. Where no
    sentence covers what is asked, the status is ``not_in_documents``, with the reason, and the hits as near misses.

    Args:
        question: What is asked, in any language.
        chunks: Chunks of any kind, or an index of them: build one with `kgkit.build_index` to ask more than once.
        graph: Result of `kgkit.build_graph`, or an entities frame: other names of what is asked for are looked for.
        model: Must be ``None``: answers that a language model writes are not supported yet.
        k: Most chunks to look into, at least 1.
        min_confidence: Below this confidence, 0 to 1, nothing is answered. Higher answers less, and less wrongly.
        backend: Kind of frame to return; by default the kind that the chunks came in.

    Returns:
        ``answers`` (one row), ``answer_sentences``, ``citations`` (``quote`` is the document's ``text[start:end]``),
        ``hits``, and ``outcomes``: ``ok``, or ``empty`` where the documents do not answer. ``str()`` of it is the
        answer with its sources.

    Raises:
        OptionError: An option is out of range, a model is given, or the question is not text.
        SchemaError: A column is missing.

    Examples:
        >>> import polars as pl
        >>> chunks = pl.DataFrame({"chunk_id": ["a"], "text": ["The ferry opened in 1921. It is red."]})
        >>> ask("When did the ferry open?", chunks).text
        'The ferry opened in 1921. [1]'
    """
    _check(k, min_confidence, model)
    question = clean_question(question)
    index = index_of(chunks)
    out = backend or index.backend
    check_backend(out)
    found = find_rows(index, question, k, names_asked(question, graph))
    asked = read_question(index.analyser, question)
    ranked = _about_both(asked, rank_sentences(index, asked, found), min_confidence)
    chosen = _choose(index, ranked, min_confidence)
    reason = None if chosen else _reason(index, ranked, asked)
    frames = _frames(index, question, chosen, ranked, reason)
    item = stable_id("question", question)
    outcome = Outcome(
        item,
        "ok" if chosen else "empty",
        None if chosen else "not_in_documents",
        reason,
        notes=found.notes,
        chars_available=len(question),
        chars_sent=len(question),
    )
    params = {"k": k, "min_confidence": min_confidence}
    frames["hits"] = hits_frame(index, question, found)
    frames["outcomes"] = outcomes_frame("ask", [item], [outcome], params=params)
    return Answer(**{name: give(frame, name, out) for name, frame in frames.items()})


def _check(k: int, min_confidence: float, model: object) -> None:
    check_count("k", k)
    if isinstance(min_confidence, bool) or not isinstance(min_confidence, (int, float)) or not 0 <= min_confidence <= 1:
        msg = f"min_confidence={min_confidence!r} must be a number from 0 to 1."
        raise OptionError(msg)
    if model is not None:
        msg = f"model={type(model).__name__}: answers from a language model are not supported yet; leave model out."
        raise OptionError(msg)


def _about_both(asked: Question, ranked: list[Supported], least: float) -> list[Supported]:
    """Put first what speaks of all names, where it is asked whether: "Did Ada build it?" is about Ada and the thing.

    A sentence that has the verb and one of the names is no answer, however many words it shares with the question.
    """
    names = [frozenset(word.terms.main) for word in asked.last_names()] if asked.asks_whether else []
    if len(names) < 2:
        return ranked
    both = [s for s in ranked if s.confidence >= least and all(name & s.held for name in names)]
    return both or ranked


def _choose(index: SearchIndex, ranked: Sequence[Supported], least: float) -> list[list[Supported]]:
    """Choose sentences, best first; each comes with the other places where the same words stand."""
    if not ranked or ranked[0].confidence < least or not ranked[0].held:
        return []
    weights = {t: index.lexical.idf(t) for s in ranked for t in sorted(s.held)}
    total = sum(weights[t] for t in sorted(weights)) or 1.0
    chosen = [[ranked[0]]]
    covered = set(ranked[0].held)
    for sentence in ranked[1:]:
        if any(_overlap(sentence, other) for group in chosen for other in group):
            continue
        same = next((group for group in chosen if _same(group[0], sentence)), None)
        if same is not None:
            same.append(sentence)
        elif len(chosen) < _MOST_SENTENCES and sentence.confidence >= least:
            adds = sum(weights[t] for t in sorted(sentence.held - covered)) / total
            elsewhere = all(sentence.doc_id != group[0].doc_id for group in chosen)
            nearness = sentence.order / ranked[0].order
            if (adds >= _ADDS and nearness >= _RELATED) or (elsewhere and nearness >= _AGREES):
                chosen.append([sentence])
                covered |= sentence.held
    return chosen


def _overlap(left: Supported, right: Supported) -> bool:
    return left.doc_id == right.doc_id and left.start < right.end and right.start < left.end


def _same(left: Supported, right: Supported) -> bool:
    return collapse_spaces(left.text).casefold() == collapse_spaces(right.text).casefold()


def _reason(index: SearchIndex, ranked: Sequence[Supported], asked: Question) -> str:
    if not len(index):
        return "There are no chunks to search."
    if not asked.words:
        return "The question holds no words."
    missing = missing_words(index, asked, ranked[0].held if ranked else frozenset())
    if not ranked:
        return f"No chunk holds anything of the question: {', '.join(missing)}."
    if missing:
        return f"No passage answers it; the nearest says nothing of: {', '.join(missing)}."
    return "No passage covers enough of the question."


def _frames(
    index: SearchIndex, question: str, chosen: list[list[Supported]], ranked: Sequence[Supported], reason: str | None
) -> dict[str, pl.DataFrame]:
    origin = "kgkit extractive (bm25" + ("+lsa)" if index.vector_weight > 0 else ")")
    spots = [f"{index.ids[s.row]}:{s.start}:{s.end}" for group in chosen for s in group]
    answer_id = stable_id("answer", question, origin, *spots)
    sentences: list[dict[str, object]] = []
    citations: list[dict[str, object]] = []
    parts: list[str] = []
    for seq, group in enumerate(chosen):
        sentence_id = stable_id("sentence", answer_id, seq)
        numbers = range(len(citations) + 1, len(citations) + 1 + len(group))
        citations += [_citation(index, answer_id, sentence_id, n, s) for n, s in zip(numbers, group, strict=True)]
        text = collapse_spaces(group[0].text)
        parts.append(text + " " + "".join(f"[{n}]" for n in numbers))
        sentences.append(
            {"sentence_id": sentence_id, "answer_id": answer_id, "seq": seq, "text": text, "support": "quoted"}
        )
    answer: dict[str, object] = {
        "answer_id": answer_id,
        "question": question,
        "text": " ".join(parts) or None,
        "status": "answered" if chosen else "not_in_documents",
        "reason": reason,
        "confidence": chosen[0][0].confidence if chosen else None,
        "origin": origin,
    }
    return {
        "answers": tables.from_rows("answers", [answer]),
        "answer_sentences": tables.from_rows("answer_sentences", sentences),
        "citations": tables.from_rows("citations", citations),
    }


def _citation(index: SearchIndex, answer_id: str, sentence_id: str, number: int, s: Supported) -> dict[str, object]:
    chunk = index.chunks.row(s.row, named=True)
    kept = {name: chunk[name] for name in ("chunk_id", "doc_id", "place", "source", "title")}
    spot = {"number": number, "start": s.start, "end": s.end, "quote": s.text}
    return {"answer_id": answer_id, "sentence_id": sentence_id} | spot | kept
