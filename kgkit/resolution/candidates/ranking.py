"""Which pairs to keep when there are more than wanted."""

from __future__ import annotations

import numpy as np

from kgkit.resolution.candidates.blocks import runs

__all__ = ["best_pairs"]

_LEVELS = 12  # bits of a score that count in ranking
_PATIENCE = 16  # the 17th best pair of both its rows counts half as much as a best one


def best_pairs(left: np.ndarray, right: np.ndarray, score: np.ndarray, n: int, budget: int) -> np.ndarray:
    """Choose pairs: by score, and rather the first of a row than one more of a row that has many.

    A pair's score is divided by ``1 + rank / 16``, where the rank is its place among the pairs of its left or its
    right row, whichever is better. A fixed number for each row spends most on rows that have nothing.

    Args:
        left: Rows of the pairs.
        right: Rows of the pairs.
        score: How good each pair is, 0 or more; ties go to the earlier pair.
        n: Number of rows.
        budget: How many pairs to choose.

    Returns:
        Positions of the chosen pairs, in order.
    """
    if len(left) <= budget:
        return np.arange(len(left))
    value = score / (1 + _ranks(left, right, score, n) / _PATIENCE)
    least = np.partition(value, len(value) - budget)[len(value) - budget]
    above = np.flatnonzero(value > least)
    equal = np.flatnonzero(value == least)[: budget - len(above)]
    return np.sort(np.concatenate([above, equal]))


def _ranks(left: np.ndarray, right: np.ndarray, score: np.ndarray, n: int) -> np.ndarray:
    row_bits, pair_bits = max(1, n.bit_length()), len(left).bit_length()
    levels = min(_LEVELS, 64 - row_bits - pair_bits)
    worse = ((1 - score / max(float(score.max()), 1e-9)) * ((1 << levels) - 1)).astype(np.uint64)
    pair = (worse << np.uint64(pair_bits)) | np.arange(len(left), dtype=np.uint64)
    shift = np.uint64(levels + pair_bits)
    places = np.concatenate([(row.astype(np.uint64) << shift) | pair for row in (left, right)])
    places.sort()
    first = runs(places >> shift)
    nth = np.arange(len(places)) - np.repeat(first, np.diff(np.append(first, len(places))))
    places &= np.uint64((1 << pair_bits) - 1)
    ranks = np.full(len(left), n, np.int64)
    np.minimum.at(ranks, places.astype(np.int64), nth)
    return ranks
