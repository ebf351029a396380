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
    """The similarities of each record's candidates, in one sorted array.

    Between two lists a record has one counterpart or none, so a better candidate speaks against all others. In one list
    a thing may be there twenty times, and the twentieth is as much the same as the first: there ranks are not known.
    """

    two_lists: bool
    keys: npt.NDArray[np.float64]
    start: npt.NDArray[np.int64]
    best: Floats

    @classmethod
    def of(cls, n: int, left: Ints, right: Ints, similarity: Floats, *, two_lists: bool) -> Ranks:
        """Rank all candidates of ``n`` records."""
        rows = np.concatenate([left, right])
        both = np.concatenate([similarity, similarity])
        keys = np.sort(rows * _STEP + (1 - both.astype(np.float64)))
        start = np.searchsorted(keys, np.arange(n) * _STEP - 1)
        best = np.zeros(n, np.float32)
        np.maximum.at(best, rows, both)
        return cls(two_lists, keys, start, best)

    def features(self, left: Ints, right: Ints, similarity: Floats) -> dict[str, npt.NDArray[np.generic]]:
        """Tell for each pair its better and worse rank, and how far it is behind each side's best."""
        gap = np.maximum(self.best[left], self.best[right]) - similarity
        best, worst = self._ranks(left, right, similarity)
        return {"rank_best": best, "rank_worst": worst, "behind": np.maximum(gap, 0).astype(np.float32)}

    def _ranks(self, left: Ints, right: Ints, similarity: Floats) -> tuple[Floats, Floats]:
        if not self.two_lists:
            unknown = np.full(len(left), np.nan, np.float32)
            return unknown, unknown
        place = 1 - similarity.astype(np.float64)
        # Candidates that are better by more than a hair; ties share a rank.
        found = [np.searchsorted(self.keys, r * _STEP + place - 1e-4) - self.start[r] for r in (left, right)]
        return np.minimum(*found).astype(np.float32), np.maximum(*found).astype(np.float32)
