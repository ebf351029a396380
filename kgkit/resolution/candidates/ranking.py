"""Which pairs to keep when there are more than wanted."""

from __future__ import annotations

import numpy as np

from kgkit.resolution.candidates.blocks import runs

__all__ = ["best_pairs"]

_LEVELS = 12  # bits of a score that count in ranking
_GRADES = 65_535
_PORTION = 10_000_000  # places in memory
_PATIENCE = 16  # the 17th best pair of both its rows counts half as much as a best one


def best_pairs(
    left: np.ndarray, right: np.ndarray, score: np.ndarray, n: int, budget: int, *, counts: np.ndarray | None = None
) -> np.ndarray:
    """Choose pairs: by score, and rather the first of a row than one more of a row that has many.

    A pair's score is divided by ``1 + rank / 16``, where the rank is its place among the pairs of its left or its
    right row, whichever is better. A fixed number for each row would spend most on rows that have nothing.

    Args:
        left: Rows of the pairs.
        right: Rows of the pairs.
        score: How good each pair is, 0 or more; float32. Ties go to the earlier pair.
        n: Number of rows.
        budget: How much the chosen pairs may count together.
        counts: What each pair counts; 1 without it.

    Returns:
        Positions of the chosen pairs, in order.
    """
    total = len(left) if counts is None else int(counts.sum())
    if total <= budget:
        return np.arange(len(left))
    value = score / (1 + _ranks(left, right, score, n).astype(np.float32) / _PATIENCE)
    grade = ((1 - value / max(float(value.max()), 1e-9)) * _GRADES).astype(np.uint16)
    spent = np.cumsum(np.bincount(grade, weights=counts, minlength=_GRADES + 1))
    full = int(np.searchsorted(spent, budget, side="right"))  # the first grade that does not fit as a whole
    last = np.flatnonzero(grade == full)
    last = last[np.argsort(-value[last], kind="stable")]
    room = budget - (spent[full - 1] if full else 0)
    fits = np.arange(1, len(last) + 1) if counts is None else np.cumsum(counts[last])
    return np.sort(np.concatenate([np.flatnonzero(grade < full), last[fits <= room]]))


def _ranks(left: np.ndarray, right: np.ndarray, score: np.ndarray, n: int) -> np.ndarray:
    """Give the better of each pair's places among the pairs of its two rows; rows are taken in portions."""
    pair_bits = len(left).bit_length()
    levels = min(_LEVELS, 64 - max(1, n.bit_length()) - pair_bits)
    worse = ((1 - score / max(float(score.max()), 1e-9)) * ((1 << levels) - 1)).astype(np.uint16)
    shift, low = np.uint64(levels + pair_bits), np.uint64((1 << pair_bits) - 1)
    ranks = np.full(len(left), np.iinfo(np.int32).max, np.int32)
    step = max(1, n * _PORTION // (2 * len(left)))
    for begin in range(0, n, step):
        places = []
        for row in (left, right):
            pair = np.flatnonzero((row >= begin) & (row < begin + step)).astype(np.uint64)
            grade = worse[pair].astype(np.uint64) << np.uint64(pair_bits)
            places.append((row[pair].astype(np.uint64) << shift) | grade | pair)
        placed = np.concatenate(places)
        placed.sort()
        first = runs(placed >> shift)
        nth = np.arange(len(placed)) - np.repeat(first, np.diff(np.append(first, len(placed))))
        np.minimum.at(ranks, (placed & low).astype(np.int64), nth.astype(np.int32))
    return ranks
