"""Lists of numbers of many records in two arrays, and numbers for texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

__all__ = ["Ragged", "numbers_of", "numbers_of_few"]

Ints = npt.NDArray[np.int32]
Big = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Ragged:
    """A list of numbers for each record, one after the other; record ``i`` has ``values[start[i]:start[i + 1]]``."""

    start: Big
    values: Ints

    @classmethod
    def of(cls, n: int, place: Big, values: Ints) -> Ragged:
        """Lay numbers, given with their records in the order of these, one list after the other."""
        start = np.zeros(n + 1, np.int64)
        np.cumsum(np.bincount(place, minlength=n), out=start[1:])
        return cls(start, values.astype(np.int32))

    @classmethod
    def sets(cls, n: int, place: Big, values: Ints | Big) -> Ragged:
        """Lay numbers, given with their records in any order, one list after the other, in order and each once."""
        most = int(values.max()) + 1 if len(values) else 1
        keys = np.unique(place * np.int64(most) + values)
        return cls.of(n, keys // most, keys % most)

    def take(self, rows: Ints) -> tuple[Big, Ints]:
        """List the values of several records: the position in ``rows`` and the value."""
        first, sizes = self.start[rows], self.start[rows + 1] - self.start[rows]
        place = np.repeat(np.arange(len(rows), dtype=np.int64), sizes)
        ends = np.cumsum(sizes)
        within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - sizes, sizes)
        return place, self.values[np.repeat(first, sizes) + within]


def numbers_of(texts: Sequence[str]) -> Ints:
    """Give each different text a number, in their order."""
    found: Ints = (pl.Series(texts, dtype=pl.String).rank("dense").cast(pl.Int32) - 1).to_numpy(writable=True)
    return found


def numbers_of_few(texts: Iterable[str], n: int) -> Ints:
    """Give each different text a number, and the empty text, which most are, -1."""
    found = np.full(n, -1, np.int32)
    known: dict[str, int] = {}
    for i, text in enumerate(texts):
        if text:
            found[i] = known.setdefault(text, len(known))
    return found
