"""Where a pair stands among the other candidates of its two records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Ranks"]

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]
_STEP = 4.0  # more than any two similarities differ


@dataclass(frozen=True)
class Ranks:
    """The similarities of each record's candidates, in one sorted array."""

    keys: npt.NDArray[np.float64]
    start: npt.NDArray[np.int64]
    best: Floats

    @classmethod
    def of(cls, n: int, left: Ints, right: Ints, similarity: Floats) -> Ranks:
        """Rank all candidates of ``n`` records."""
        rows = np.concatenate([left, right])
        both = np.concatenate([similarity, similarity])
        keys = np.sort(rows * _STEP + (1 - both.astype(np.float64)))
        start = np.searchsorted(keys, np.arange(n) * _STEP - 1)
        best = np.zeros(n, np.float32)
        np.maximum.at(best, rows, both)
        return cls(keys, start, best)

    def features(self, left: Ints, right: Ints, similarity: Floats) -> dict[str, npt.NDArray[np.generic]]:
        """Tell for each pair its better and worse rank, and how far it is behind each side's best."""
        place = 1 - similarity.astype(np.float64)
        # Candidates that are better by more than a hair; ties share a rank.
        found = [np.searchsorted(self.keys, r * _STEP + place - 1e-4) - self.start[r] for r in (left, right)]
        gap = np.maximum(self.best[left], self.best[right]) - similarity
        return {
            "rank_best": np.minimum(*found).astype(np.float32),
            "rank_worst": np.maximum(*found).astype(np.float32),
            "behind": np.maximum(gap, 0).astype(np.float32),
        }
