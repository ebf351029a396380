"""Ask a language model about pairs that are near even, and weigh what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from kgkit.errors import OptionError
from kgkit.models import ChatModel, ask_items
from kgkit.models.items import Answer
from kgkit.resolution.adjudicate.facts import Facts, facts_of
from kgkit.resolution.adjudicate.prompt import FIELD, ask_about, candidate_label, choice_of
from kgkit.resolution.adjudicate.questions import Question, questions_of
from kgkit.resolution.records import Records
from kgkit.resolution.scoring.verdicts import Verdicts
from kgkit.results import Outcome, outcomes_frame

__all__ = ["STAGE", "Adjudicated", "adjudicate_pairs", "no_verdicts"]

STAGE = "adjudicate"
_VERDICTS = {
    "question_id": pl.String(),
    "left_id": pl.String(),
    "right_id": pl.String(),
    "verdict": pl.String(),
    "weight": pl.Float64(),
    "model": pl.String(),
}


@dataclass(frozen=True)
class Adjudicated:
    """What a language model said of pairs.

    Attributes:
        verdicts: By pair, for the scores.
        frame: One row per pair that was judged: ``question_id``, ``left_id``, ``right_id``, ``verdict`` (same,
            different, unsure), ``weight`` (log-odds), ``model``.
        outcomes: What became of each question.
    """

    verdicts: Verdicts
    frame: pl.DataFrame
    outcomes: pl.DataFrame


def adjudicate_pairs(
    records: Records,
    left: npt.NDArray[np.integer[Any]],
    right: npt.NDArray[np.integer[Any]],
    log_odds: npt.NDArray[np.float64],
    model: ChatModel,
    *,
    known: Verdicts | None = None,
    weight: float = 2.0,
    most: int = 6,
    size: int = 10,
    graph: Any = None,
    documents: Any = None,
) -> Adjudicated:
    """Ask about pairs, each once.

    Args:
        records: The records.
        left: Rows of the left records of the pairs to ask about.
        right: Rows of the right ones.
        log_odds: Their scores: the likeliest candidates of an entity stand in one question.
        model: The model.
        known: What was said before.
        weight: Log-odds that a verdict adds or takes away.
        most: Most candidates in a question.
        size: Most questions in a request.
        graph: The graph, for quotes.
        documents: The documents, for the words around mentions.

    Returns:
        `Adjudicated`. A question that failed says nothing of its pairs.

    Raises:
        OptionError: ``weight``, ``most`` or ``size`` is out of range.
        InputError: ``documents`` without a graph.
    """
    _check(weight, most, size)
    ids = records.frame["entity_id"].to_list()
    questions = questions_of(left, right, log_odds, ids, most=most)
    facts = facts_of(records, _rows(questions), graph=graph, documents=documents)
    by_id = {q.question_id: q for q in questions}
    rows: list[tuple[str, int, int, int, str]] = []
    outcomes = []
    asked = ask_items(
        model,
        by_id.items(),
        make=lambda labelled: ask_about(labelled, facts),
        check=choice_of,
        stage=STAGE,
        size=size,
        field_name=FIELD,
    )
    for answer in asked:
        question = by_id[answer.item_id]
        said, outcome = _read(question, answer, facts)
        name = answer.model or model.name
        rows += [(question.question_id, *pair, verdict, name) for pair, verdict in said.items()]
        outcomes.append(outcome)
    rows.sort(key=lambda row: row[1:3])
    params = {"model": model.identity(), "weight": weight, "most": most, "size": size}
    told = outcomes_frame(STAGE, by_id, outcomes, params=params)
    return Adjudicated(_verdicts(rows, len(ids), weight, known), _frame(rows, ids, weight), told)


def no_verdicts() -> pl.DataFrame:
    """Make an empty frame of verdicts."""
    return pl.DataFrame(schema=_VERDICTS)


def _check(weight: float, most: int, size: int) -> None:
    if not weight > 0:
        msg = f"weight={weight!r} is out of range. Allowed: any number above 0."
        raise OptionError(msg)
    for name, value in (("candidates", most), ("batch_size", size)):
        if value < 1:
            msg = f"{name}={value!r} is out of range. Allowed: 1 or more."
            raise OptionError(msg)


def _rows(questions: list[Question]) -> list[int]:
    return [row for question in questions for row in (question.record, *question.others)]


def _read(question: Question, answer: Answer, facts: dict[int, Facts]) -> tuple[dict[tuple[int, int], int], Outcome]:
    """Give the verdict on each pair of a question (1, 0 or -1), and what became of it."""
    status, reason, detail = answer.status, answer.reason, answer.detail
    said: dict[tuple[int, int], int] = {}
    if status == "ok":
        labels = [candidate_label("", i) for i in range(len(question.others))]
        strange = sorted(answer.value.keys() - set(labels))
        if strange:
            status, reason = "failed", "unusable_reply"
            detail = f"The answer cannot be used: the question has no candidate {', '.join(strange)[:60]}"
        else:
            for label, other in zip(labels, question.others, strict=True):
                pair = (min(question.record, other), max(question.record, other))
                said[pair] = answer.value.get(label, -1)
    told = [facts[row] for row in (question.record, *question.others)]
    sent = sum(f.sent for f in told) if answer.attempts or answer.cached else 0
    outcome = Outcome(
        question.question_id, status, reason, detail, answer.notes, answer.attempts,
        sum(f.available for f in told), sent, answer.tokens_in, answer.tokens_out, answer.cost,
    )  # fmt: skip
    return said, outcome


def _verdicts(rows: list[tuple[str, int, int, int, str]], n: int, weight: float, known: Verdicts | None) -> Verdicts:
    verdicts = known or Verdicts()
    for model in sorted({row[4] for row in rows}):
        own = [row for row in rows if row[4] == model]
        keys = np.array([one * n + two for _, one, two, _, _ in own], np.int64)
        verdicts = verdicts.more(keys, weight * np.array([float(row[3]) for row in own]), model)
    return verdicts


def _frame(rows: list[tuple[str, int, int, int, str]], ids: list[str], weight: float) -> pl.DataFrame:
    words = {1: "same", 0: "unsure", -1: "different"}
    made = [(q, ids[one], ids[two], words[said], weight * said, model) for q, one, two, said, model in rows]
    return pl.DataFrame(made, schema=_VERDICTS, orient="row")
