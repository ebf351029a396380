"""Which pairs to keep: those that are among the best of one of their two."""

from __future__ import annotations

import numpy as np

from kgkit.resolution.candidates.blocks import runs

__all__ = ["among_best"]

_LEVELS = 12  # bits of a score that count in ranking


def among_best(left: np.ndarray, right: np.ndarray, score: np.ndarray, n: int, most: int) -> np.ndarray:
    """Tell which pairs are among the ``most`` best of their left or of their right row.

    Args:
        left: Rows of the pairs.
        right: Rows of the pairs.
        score: Any numbers, higher is better; ties go to the earlier pair.
        n: Number of rows.
        most: How many pairs a row may bring.

    Returns:
        A Boolean array.
    """
    if not len(left):
        return np.empty(0, bool)
    row_bits, pair_bits = max(1, n.bit_length()), len(left).bit_length()
    levels = min(_LEVELS, 64 - row_bits - pair_bits)
    low, high = float(score.min()), float(score.max())
    scaled = (score - low) / (high - low) if high > low else np.zeros(len(score))
    worse = ((1 - scaled) * ((1 << levels) - 1)).astype(np.uint64)
    pair = (worse << np.uint64(pair_bits)) | np.arange(len(left), dtype=np.uint64)
    shift = np.uint64(levels + pair_bits)
    places = np.concatenate([(row.astype(np.uint64) << shift) | pair for row in (left, right)])
    places.sort()
    first = runs(places >> shift)
    nth = np.arange(len(places)) - np.repeat(first, np.diff(np.append(first, len(places))))
    kept = np.zeros(len(left), bool)
    kept[(places[nth < most] & np.uint64((1 << pair_bits) - 1)).astype(np.int64)] = True
    return kept
