"""Scores against gold, and reviewers who know the gold: what the benchmarks of resolution share."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np
import polars as pl
from er_sets import Gold

from kgkit.evaluate.resolution_review import reviewed
from kgkit.resolution import Merges, propose_merges

ROUND = 10  # answers after which a panel scores anew
PROCESSES = 2
TINY = Gold(
    "tiny",
    pl.DataFrame({"entity_id": ["a", "b"], "name": ["Ada Lovelace", "Ada Lovelacc"]}),
    {"a": "1", "b": "1"},
    None,
    None,
)


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


def propose(gold: Gold) -> tuple[Merges, float]:
    """Propose without answers; gives the seconds too, without those that importing takes."""
    propose_merges(TINY.records)
    since = time.perf_counter()
    merges = propose_merges(gold.records, across=gold.across)
    return merges, time.perf_counter() - since


def simulate(
    gold: Gold, first: Merges, budgets: Iterable[int], *, order: str = "teach", step: int = ROUND, seed: int = 0
) -> dict[int, tuple[int, Score]]:
    """Review with the gold's answers, and score the groups.

    Args:
        gold: The set.
        first: What is proposed without answers.
        budgets: Numbers of answers after which to score.
        order: ``teach``: what `Merges.next_questions` chooses; ``random``: what is proposed, in random order.
        step: Answers after which all is scored anew.
        seed: Of the order.

    Returns:
        For each budget the number of answers that were to be had, and the score.
    """

    def same(left: str, right: str) -> bool:
        return gold.clusters[left] == gold.clusters[right]

    stops = sorted(budgets)
    states = reviewed(first, same, budgets=stops, order=order, step=step, seed=seed)
    return {stop: (n, score(gold, merges.groups)) for stop, (n, merges) in zip(stops, states, strict=True)}


def in_processes(work: Callable[[Any], Any], items: list[Any]) -> Iterator[Any]:
    """Do the work on each item in a few processes; what comes back is in order, as soon as it is there."""
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        yield from pool.map(work, items)


def spread(values: list[float]) -> str:
    """Mean, and the least and most where they differ."""
    mean, low, high = np.mean(values), min(values), max(values)
    return f"{mean:.3f}" if high - low < 0.0005 else f"{mean:.3f} ({low:.3f}–{high:.3f})"
