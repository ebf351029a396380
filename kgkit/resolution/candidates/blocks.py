"""Blocks: records with one key are compared with each other, all of them or, in large blocks, near ones only.

A pair is one 64-bit number, so that finding the pairs that several keys share is one sort of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from kgkit.errors import InputError

__all__ = ["Blocks", "Pairs", "Tally", "mix", "runs"]

_WEIGHT_BITS, _SOURCE_BITS = 8, 4
_LOW_BITS = _WEIGHT_BITS + _SOURCE_BITS
_LEFT = "not compared"
_WALKED = "compared with near ones in sorted order, and within equal further columns"
_STEP = 8  # weights are bits of information in eighths


@dataclass
class Tally:
    """What a source's blocks came to."""

    n_blocks: int = 0
    n_cut: int = 0
    n_rows_cut: int = 0
    why: str = ""


@dataclass(frozen=True)
class Pairs:
    """Pairs of rows (int32), the sum of the weights of their common keys (uint32), and masks of sources (uint16)."""

    left: np.ndarray
    right: np.ndarray
    weight: np.ndarray
    sources: np.ndarray


def mix(*parts: np.ndarray) -> np.ndarray:
    """Hash columns of whole numbers into one column of 64 bits; the order of the columns counts."""
    mixed = np.full(len(parts[0]), 0x9E3779B97F4A7C15, np.uint64)
    for part in parts:
        mixed = (mixed ^ part.astype(np.uint64)) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(32)
    return mixed


def runs(ordered: np.ndarray) -> np.ndarray:
    """Give the positions where a new value begins in an ordered column."""
    if not len(ordered):
        return np.empty(0, np.int64)
    return np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))


@dataclass
class Blocks:
    """Collects pairs from blocks of equal keys.

    Attributes:
        n: Number of rows.
        orders: Further orders in which large blocks are walked, beside that of the rows: the place of each row,
            and the row at each place.
        seconds: Second keys (whole numbers, negative where absent), by which large blocks are divided.
        allowed: Tells which pairs of a source may be; all by default.
        cap: Largest block that is compared all with all.
        window: How many rows that follow in an order a row of a larger block is compared with.
    """

    n: int
    orders: Sequence[tuple[np.ndarray, np.ndarray]] = ()
    seconds: Sequence[np.ndarray] = ()
    allowed: Callable[[int, np.ndarray, np.ndarray], np.ndarray] | None = None
    cap: int = 40
    window: int = 4
    own: np.ndarray = field(init=False)
    tallies: dict[int, Tally] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._bits = max(1, int(self.n).bit_length())
        if 2 * self._bits + _LOW_BITS > 64:
            msg = f"{self.n:,} records are too many for one run; at most {1 << (64 - _LOW_BITS) // 2:,} are possible."
            raise InputError(msg)
        self._codes: list[np.ndarray] = []
        self.own = np.zeros(self.n, np.int64)

    def add(
        self, source: int, keys: np.ndarray, rows: np.ndarray, *, factor: float = 1.0, leave_large: bool = False
    ) -> None:
        """Compare the rows that share a key.

        Args:
            source: Number of the source that the pairs are credited to.
            keys: Hashes (`mix`), one for each place.
            rows: The row of each place; several places may have the same row.
            factor: Share of a key's information that counts, as keys of one name overlap.
            leave_large: Whether blocks larger than the cap give no pairs.
        """
        code, start, size = self._sorted(keys, rows)
        if not len(code):
            return
        row = self._row(code)
        weight = self._weight(size, factor)
        counted = np.where(size > self.cap, 0, weight) if leave_large else weight
        self.own += np.bincount(row, weights=np.repeat(counted, size), minlength=self.n).astype(np.int64)
        tally = self.tallies.setdefault(source, Tally())
        tally.n_blocks += int((size > 1).sum())
        self._complete(source, row, start, size, factor)
        large = size > self.cap
        if large.any():
            tally.n_cut += int(large.sum())
            tally.n_rows_cut += int(size[large].sum())
            tally.why = f"more than {self.cap} records share the key: {_LEFT if leave_large else _WALKED}"
        if large.any() and not leave_large:
            inside = np.repeat(large, size)
            block = np.repeat(np.arange(int(large.sum())), size[large])
            self._near(source, row[inside], block, np.repeat(weight[large], size[large]))
            self._divide(source, row[inside], block, factor)

    def emit(self, source: int, one: np.ndarray, other: np.ndarray, weight: np.ndarray | int) -> None:
        """Add pairs of different rows, found otherwise, with a weight of 0 to 255 for each."""
        if self.allowed is not None:
            may = self.allowed(source, one, other)
            one, other = one[may], other[may]
            weight = weight[may] if isinstance(weight, np.ndarray) and weight.ndim else weight
        left, right = np.minimum(one, other).astype(np.uint64), np.maximum(one, other).astype(np.uint64)
        low = (np.asarray(weight).astype(np.uint64) << np.uint64(_SOURCE_BITS)) | np.uint64(source)
        self._codes.append((((left << np.uint64(self._bits)) | right) << np.uint64(_LOW_BITS)) | low)

    def pairs(self) -> Pairs:
        """Sum up: each pair once, ordered by left and right."""
        codes = np.concatenate([np.empty(0, np.uint64), *self._codes])
        self._codes = []
        codes.sort()
        first = runs(codes >> np.uint64(_LOW_BITS))
        pair = codes[first] >> np.uint64(_LOW_BITS)
        left, right = (pair >> np.uint64(self._bits)).astype(np.int32), self._row(pair).astype(np.int32)
        if not len(pair):
            return Pairs(left, right, np.empty(0, np.uint32), np.empty(0, np.uint16))
        low = (codes & np.uint64((1 << _LOW_BITS) - 1)).astype(np.uint16)
        del codes, pair
        weight = np.add.reduceat(low >> _SOURCE_BITS, first, dtype=np.uint32)
        sources = np.bitwise_or.reduceat(np.uint16(1) << (low & np.uint16((1 << _SOURCE_BITS) - 1)), first)
        return Pairs(left, right, weight, sources)

    def _row(self, code: np.ndarray) -> np.ndarray:
        return (code & np.uint64((1 << self._bits) - 1)).astype(np.int64)

    def _sorted(self, keys: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Order places by key and row, each once; with the start and the size of each block."""
        code = (keys << np.uint64(self._bits)) | rows.astype(np.uint64)
        code.sort()
        code = code[runs(code)]
        start = runs(code >> np.uint64(self._bits))
        return code, start, np.diff(np.append(start, len(code)))

    def _weight(self, size: np.ndarray, factor: float) -> np.ndarray:
        bits = _STEP * factor * np.log2(np.maximum(1, self.n / size))
        return np.clip(np.rint(bits), 1, (1 << _WEIGHT_BITS) - 1).astype(np.int64)

    def _complete(self, source: int, row: np.ndarray, start: np.ndarray, size: np.ndarray, factor: float) -> None:
        for many in np.unique(size[(size > 1) & (size <= self.cap)]).tolist():
            members = row[start[size == many][:, None] + np.arange(many)]
            i, j = np.triu_indices(many, 1)
            weight = self._weight(np.array([many]), factor)[0]
            self.emit(source, members[:, i].ravel(), members[:, j].ravel(), weight)

    def _near(self, source: int, row: np.ndarray, block: np.ndarray, weight: np.ndarray) -> None:
        """Compare each row with those that follow in its block, in each order."""
        for order in (None, *self.orders):
            if order is not None:
                place, at = order
                walk = (block.astype(np.uint64) << np.uint64(self._bits)) | place[row].astype(np.uint64)
                walk.sort()
                row = at[self._row(walk)]
            for step in range(1, self.window + 1):
                same = block[step:] == block[:-step]
                self.emit(source, row[:-step][same], row[step:][same], weight[step:][same])

    def _divide(self, source: int, row: np.ndarray, block: np.ndarray, factor: float) -> None:
        """Compare the rows of a large block that share a second key, where those are few enough."""
        for number, second in enumerate(self.seconds):
            value = second[row]
            known = value >= 0
            keys = mix(block[known], np.full(int(known.sum()), number), value[known])
            code, start, size = self._sorted(keys, row[known])
            self._complete(source, self._row(code), start, size, factor)
