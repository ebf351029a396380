"""Scores against gold, and reviewers who know the gold: what the benchmarks of resolution share."""

from __future__ import annotations

import datetime as dt
import json
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np
import polars as pl
from er_sets import Gold

from kgkit.resolution import Merges, propose_merges

ROUND = 10  # answers after which a panel scores anew
PROCESSES = 2

Answers = list[dict[str, object]]
Ask = Callable[[Merges, int, Answers], pl.DataFrame]
"""Give the next pairs to ask about: merges, how many, and what was answered so far."""


@dataclass(frozen=True)
class Score:
    """Pairwise precision, recall and F1; of a set of two lists only pairs across them count."""

    precision: float
    recall: float
    f1: float


def score(gold: Gold, groups: pl.DataFrame) -> Score:
    """Score groups (``members``) of records; a record in none is alone."""
    ids = gold.records["entity_id"].to_list()
    place = {entity: i for i, entity in enumerate(ids)}
    found = np.arange(len(ids))
    for members in groups["members"].to_list():
        rows = [place[m] for m in members]
        found[rows] = min(rows)
    truth = np.unique([gold.clusters[e] for e in ids], return_inverse=True)[1]
    side = np.zeros(len(ids), int)
    if gold.across:
        side = gold.records[gold.across].rank("dense").to_numpy().astype(int)

    def pairs(labels: np.ndarray) -> int:
        if gold.across is None:
            return _within(labels)
        return _within(labels) - _within(labels * (side.max() + 1) + side)

    both = pairs(truth.astype(np.int64) * len(ids) + found)
    precision, recall = both / max(1, pairs(found)), both / max(1, pairs(truth))
    return Score(precision, recall, 2 * precision * recall / max(1e-9, precision + recall))


def _within(labels: np.ndarray) -> int:
    sizes = np.unique(labels, return_counts=True)[1].astype(np.int64)
    return int((sizes * (sizes - 1) // 2).sum())


def answer(gold: Gold, questions: pl.DataFrame, answers: Answers) -> None:
    """Decide as a reviewer who knows the gold."""
    for merge_id, left, right in questions.select("merge_id", "left_id", "right_id").iter_rows():
        same = gold.clusters[left] == gold.clusters[right]
        answers.append(
            {
                "decision_id": f"d{len(answers):06d}",
                "kind": "merge",
                "subject_id": merge_id,
                "verdict": "accepted" if same else "rejected",
                "payload": json.dumps({"entity_ids": [left, right], "apart": []}),
                "reviewer": "gold",
                "note": None,
                "decided_at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=len(answers)),
            }
        )


def decided(answers: Answers) -> pl.DataFrame | None:
    return pl.DataFrame(answers, schema_overrides={"note": pl.String}) if answers else None


def propose(gold: Gold) -> tuple[Merges, float]:
    """Propose without answers; gives the seconds too, without those that importing takes."""
    propose_merges(pl.DataFrame({"entity_id": ["a", "b"], "name": ["Ada Lovelace", "Ada Lovelacc"]}))
    since = time.perf_counter()
    merges = propose_merges(gold.records, across=gold.across)
    return merges, time.perf_counter() - since


def chosen(seed: int) -> Ask:
    """Ask what teaches most, as the panel does."""

    def ask(merges: Merges, n: int, answers: Answers) -> pl.DataFrame:
        questions: pl.DataFrame = merges.next_questions(n, decisions=decided(answers), seed=seed)
        return questions

    return ask


def drawn(seed: int) -> Ask:
    """Ask about what is proposed in random order: all of `Merges.merges`, the proposals that a panel lists.

    Proposals that answers bring in are drawn from too. It ends where everything that is proposed is answered.
    """
    draw = np.random.default_rng(seed)

    def ask(merges: Merges, n: int, answers: Answers) -> pl.DataFrame:
        asked = {row["subject_id"] for row in answers}
        open_: pl.DataFrame = merges.merges.filter(~pl.col("merge_id").is_in(list(asked))).sort("merge_id")
        return open_[draw.permutation(open_.height)[:n]]

    return ask


def simulate(
    gold: Gold, first: Merges, ask: Ask, budgets: Iterable[int], step: int = ROUND
) -> dict[int, tuple[int, Score]]:
    """Ask, answer and score anew until the largest budget is spent.

    Args:
        gold: The set.
        first: What is proposed without answers.
        ask: What chooses the questions.
        budgets: Numbers of answers after which to score the groups.
        step: Answers after which all is scored anew; a budget in between cuts a round short.

    Returns:
        For each budget the number of answers that were to be had, and the score.
    """
    stops = sorted(set(budgets))
    merges, answers, found = first, Answers(), {}
    for stop in stops:
        while len(answers) < stop:
            had = len(answers)
            answer(gold, ask(merges, min(step, stop - had), answers), answers)
            if len(answers) == had:
                break
            merges = merges.rescore(decided(answers))
        found[stop] = (len(answers), score(gold, merges.groups))
    return found


def in_processes(work: Callable[[Any], Any], items: list[Any]) -> Iterator[Any]:
    """Do the work on each item in a few processes; what comes back is in order, as soon as it is there."""
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        yield from pool.map(work, items)


def spread(values: list[float]) -> str:
    """Mean, and the least and most where they differ."""
    mean, low, high = np.mean(values), min(values), max(values)
    return f"{mean:.3f}" if high - low < 0.0005 else f"{mean:.3f} ({low:.3f}–{high:.3f})"
