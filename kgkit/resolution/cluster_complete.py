"""Completion: scores for the pairs inside a tentative group that were no candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kgkit.resolution.cluster_link import Ints, Reals, connected

__all__ = ["Complete", "complete_pairs"]

Complete = Callable[[Ints, Ints], Any]

_LARGEST = 1200  # records of a component in which all pairs are scored
_MOST = 2_000_000  # pairs scored in all; those of small components first
_AT_ONCE = 1_000_000


def complete_pairs(
    n: int, pairs: tuple[Ints, Ints, Reals], complete: Complete, threshold: float
) -> Iterator[tuple[Ints, Ints, Any]]:
    """Score the open pairs of each tentative component, small components first.

    A component of more than 1,200 records is looked at again with a threshold one higher, until its parts are
    smaller: open pairs within the parts are scored, those between them stay open. So do those of the largest parts
    when two million pairs are scored.

    Args:
        n: Number of records.
        pairs: Two records and their log-odds, ordered by both.
        complete: Scores pairs of records.
        threshold: Pairs above it make the components.

    Yields:
        Two records and what ``complete`` said of them, in pieces.
    """
    left, right, odds = pairs
    known = left * np.int64(n) + right
    spent = 0
    while True:
        strong = odds > threshold
        components = connected(n, left[strong], right[strong])
        members = np.argsort(components, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(components[members]) != 0]) if n else np.zeros(0, np.int64)
        sizes = np.diff(np.r_[starts, n])
        for one, other in _gathered(_open_of_sizes(members, starts, sizes, known, n)):
            if spent >= _MOST:
                return
            spent += len(one)
            yield one, other, complete(one, other)
        big = np.repeat(sizes > _LARGEST, sizes)
        if not big.any():
            return
        inside = np.zeros(n, bool)
        inside[members[big]] = True
        odds = np.where(inside[left], odds, -np.inf)
        threshold += 1.0


def _open_of_sizes(members: Ints, starts: Ints, sizes: Ints, known: Ints, n: int) -> Iterator[tuple[Ints, Ints]]:
    """List the open pairs of the components, small components first."""
    for size in np.unique(sizes[(sizes > 2) & (sizes <= _LARGEST)]).tolist():
        rows = starts[sizes == size]
        step = max(1, _AT_ONCE // (size * (size - 1) // 2))
        for i in range(0, len(rows), step):
            yield _open_pairs(members[rows[i : i + step, None] + np.arange(size)], known, n)


def _gathered(parts: Iterator[tuple[Ints, Ints]]) -> Iterator[tuple[Ints, Ints]]:
    """Join parts until there is enough to score at once."""
    held: list[tuple[Ints, Ints]] = []
    for part in parts:
        if held and sum(len(one) for one, _ in held) + len(part[0]) > _AT_ONCE:
            yield _joined(held)
            held = []
        if len(part[0]):
            held.append(part)
    if held:
        yield _joined(held)


def _joined(parts: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    return np.concatenate([one for one, _ in parts]), np.concatenate([other for _, other in parts])


def _open_pairs(members: Ints, known: Ints, n: int) -> tuple[Ints, Ints]:
    row, column = np.triu_indices(members.shape[1], 1)
    one, other = members[:, row].ravel(), members[:, column].ravel()
    keys = one * np.int64(n) + other
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    unseen = known[at] != keys
    return one[unseen], other[unseen]
