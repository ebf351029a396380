"""Which pairs a language model is asked about: each once, as one of several candidates of one entity."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kgkit.ids import stable_id

__all__ = ["Question", "questions_of"]

Ints = npt.NDArray[np.integer[Any]]
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Question:
    """One entity and its candidates, by their rows among the records: which of these are the same?"""

    question_id: str
    record: int
    others: tuple[int, ...]


def questions_of(left: Ints, right: Ints, log_odds: Reals, ids: Sequence[str], *, most: int) -> list[Question]:
    """Part pairs into questions so that each pair is asked once, and few questions cover all.

    The entity with most pairs left takes its likeliest candidates; then the next. Selecting among candidates takes
    fewer requests than judging pairs, and shows the model what it has to tell apart.

    Wang et al.: Match, Compare, or Select? An Investigation of Large Language Models for Entity Matching (2024),
    arXiv 2405.16884.

    Args:
        left: Rows of the left records of the pairs.
        right: Rows of the right ones.
        log_odds: Their scores.
        ids: Entity ids by row.
        most: Most candidates of one question.

    Returns:
        The questions, in the order of the entities they are about.
    """
    pairs: dict[int, list[tuple[float, int]]] = {}
    for one, two, odds in zip(left.tolist(), right.tolist(), log_odds.tolist(), strict=True):
        pairs.setdefault(one, []).append((-odds, two))
        pairs.setdefault(two, []).append((-odds, one))
    open_ = {record: {other for _, other in others} for record, others in pairs.items()}
    for others in pairs.values():
        others.sort()
    heap = [(-len(others), record) for record, others in open_.items()]
    heapq.heapify(heap)
    found = []
    while heap:
        size, record = heapq.heappop(heap)
        left_over = open_[record]
        if len(left_over) != -size:
            if left_over:
                heapq.heappush(heap, (-len(left_over), record))
            continue
        if not left_over:
            continue
        chosen = [other for _, other in pairs[record] if other in left_over][:most]
        for other in chosen:
            left_over.discard(other)
            open_[other].discard(record)
        if left_over:
            heapq.heappush(heap, (-len(left_over), record))
        name = stable_id("question", ids[record], *(ids[other] for other in chosen))
        found.append(Question(name, record, tuple(chosen)))
    return sorted(found, key=lambda q: (q.record, q.others))
