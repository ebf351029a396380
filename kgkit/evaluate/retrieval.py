"""How well hits and answers agree with what people judged to be right."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from kgkit import frames
from kgkit.errors import OptionError, SchemaError

__all__ = ["answers", "hits"]

_MEASURES = {"measure": pl.String, "n_questions": pl.Int64, "value": pl.Float64}


def hits(found: Any, relevant: Any, *, k: int = 10, by: str = "chunk_id") -> Any:
    """Score hits against judgements, averaged over the questions that have anything relevant.

    Args:
        found: A hits frame, or a result that holds one; of one or more questions. A question without hits scores 0.
        relevant: Frame with ``question``, the column ``by``, and optionally ``grade`` (1 where it is absent; 0 or less
            is not relevant).
        k: How many hits are looked at.
        by: What was judged: ``"chunk_id"`` or ``"doc_id"``. Of several hits of one document the best counts.

    Returns:
        One row per measure, with ``measure``, ``n_questions`` and ``value``: ``ndcg@k`` (linear gain), ``recall@k``
        and ``reciprocal_rank@k``. The same kind of frame as ``relevant``.

    Raises:
        OptionError: ``k`` or ``by`` is out of range.
        SchemaError: A column is missing.

    Examples:
        >>> found = pl.DataFrame({"question": ["q", "q"], "rank": [1, 2], "chunk_id": ["a", "b"]})
        >>> hits(found, pl.DataFrame({"question": ["q"], "chunk_id": ["b"]}))["value"].round(3).to_list()
        [0.631, 1.0, 0.5]
    """
    if by not in ("chunk_id", "doc_id"):
        raise OptionError.not_one_of("by", by, ("chunk_id", "doc_id"))
    if k < 1:
        msg = f"k={k} must be 1 or more."
        raise OptionError(msg)
    ranked = _columns(getattr(found, "hits", found), "hits", ["question", "rank", by])
    judged = _columns(relevant, "relevant", ["question", by])
    if "grade" not in judged.columns:
        judged = judged.with_columns(grade=pl.lit(1.0))
    order = {q: rows for (q,), rows in ranked.sort("question", "rank").group_by("question", maintain_order=True)}
    scores: list[tuple[float, float, float]] = []
    for (question,), rows in judged.sort("question", by).group_by("question", maintain_order=True):
        grades = {item: float(grade) for item, grade in rows.select(by, "grade").iter_rows() if grade > 0}
        if grades:
            listed = order[question][by].to_list() if question in order else []
            scores.append(_score(list(dict.fromkeys(listed))[:k], grades, k))
    names = (f"ndcg@{k}", f"recall@{k}", f"reciprocal_rank@{k}")
    values = [_mean([s[i] for s in scores]) for i in range(3)]
    data = {"measure": names, "n_questions": [len(scores)] * 3, "value": values}
    return frames.give(pl.DataFrame(data, schema=_MEASURES), None, frames.backend_of(relevant))


def answers(found: Any, gold: Any) -> Any:
    """Score answers against questions of which it is known whether, and where, the documents answer them.

    Args:
        found: Results of `kgkit.ask`, one for each question.
        gold: Frame with one row per piece of evidence: ``question``, ``answerable`` (Boolean), and ``doc_id``,
            ``start``, ``end`` of words that answer it (null where it cannot be answered).

    Returns:
        One row per measure: ``answered`` (share of the answerable questions that got an answer), ``cited`` (share of
        them with a citation that meets the evidence), ``cited_first`` (by the first citation alone), ``abstained``
        (share of the unanswerable ones without an answer), ``right`` (cited or abstained, of all). The same kind of
        frame as ``gold``.

    Raises:
        SchemaError: A column is missing, or a question of ``found`` is not in ``gold``.
    """
    judged = _columns(gold, "gold", ["question", "answerable", "doc_id", "start", "end"])
    evidence: dict[str, list[tuple[str, int, int]]] = {}
    answerable: dict[str, bool] = {}
    for row in judged.iter_rows(named=True):
        answerable[row["question"]] = row["answerable"]
        if row["doc_id"] is not None:
            evidence.setdefault(row["question"], []).append((row["doc_id"], row["start"], row["end"]))
    got: dict[str, list[float]] = {m: [] for m in ("answered", "cited", "cited_first", "abstained", "right")}
    for result in found:
        answer = frames.to_polars(result.answers).row(0, named=True)
        if answer["question"] not in answerable:
            msg = f"The question {answer['question']!r} is not in the gold frame."
            raise SchemaError(msg)
        spots = list(frames.to_polars(result.citations).sort("number").select("doc_id", "start", "end").iter_rows())
        meets = [
            any(d == e and a < z and b > y for e, y, z in evidence.get(answer["question"], [])) for d, a, b in spots
        ]
        if answerable[answer["question"]]:
            got["answered"].append(answer["status"] == "answered")
            got["cited"].append(any(meets))
            got["cited_first"].append(bool(meets) and meets[0])
            got["right"].append(any(meets))
        else:
            got["abstained"].append(answer["status"] != "answered")
            got["right"].append(answer["status"] != "answered")
    data = {
        "measure": list(got),
        "n_questions": [len(v) for v in got.values()],
        "value": [_mean(v) for v in got.values()],
    }
    return frames.give(pl.DataFrame(data, schema=_MEASURES), None, frames.backend_of(gold))


def _score(listed: Sequence[str], grades: Mapping[str, float], k: int) -> tuple[float, float, float]:
    gains = [grades.get(item, 0.0) for item in listed]
    ideal = sorted(grades.values(), reverse=True)[:k]
    first = next((1 / rank for rank, gain in enumerate(gains, start=1) if gain), 0.0)
    return _discounted(gains) / _discounted(ideal), sum(g > 0 for g in gains) / len(grades), first


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _columns(frame: Any, name: str, needed: list[str]) -> pl.DataFrame:
    out = frames.to_polars(frame, name)
    missing = [c for c in needed if c not in out.columns]
    if missing:
        have = ", ".join(out.columns) or "none"
        msg = f"A {name} frame needs the columns {', '.join(map(repr, missing))}; it has: {have}."
        raise SchemaError(msg)
    return out
