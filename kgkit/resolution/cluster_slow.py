"""Average linkage on one component, one merge at a time, where rounds would merge two clusters each.

Both functions give the groups that `kgkit.resolution.cluster_link.link` gives.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = ["link_heap", "link_matrix", "roots"]

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]
_Row = dict[int, tuple[float, int]]
_BARRED = (-np.inf, 0)


def link_matrix(means: Reals, sizes: Ints, threshold: float) -> Ints:
    """Link a component whose means fit into a matrix, along chains of nearest neighbours.

    Args:
        means: Mean log-odds between clusters, ``-inf`` where they must stay apart and on the diagonal. Changed.
        sizes: Records of each.
        threshold: Two clusters with a mean of this or less stay apart.

    Returns:
        The row of the cluster that each row belongs to.
    """
    weights, labels = sizes.astype(np.float64), np.arange(len(sizes))
    waiting = list(range(len(sizes) - 1, -1, -1))
    chain: list[int] = []
    while chain or waiting:
        if not chain:
            start = waiting.pop()
            if labels[start] == start:
                chain.append(start)
            continue
        last = chain[-1]
        nearest = int(means[last].argmax())
        if len(chain) > 1 and means[last, chain[-2]] >= means[last, nearest]:
            nearest = chain[-2]
        if means[last, nearest] <= threshold:
            chain.pop()
        elif len(chain) > 1 and nearest == chain[-2]:
            del chain[-2:]
            low, high = sorted((last, nearest))
            _merge_rows(means, weights, low, high)
            labels[high] = low
            waiting.append(low)
        else:
            chain.append(nearest)
    return roots(labels)


def _merge_rows(means: Reals, weights: Reals, low: int, high: int) -> None:
    both = weights[low] + weights[high]
    row = (weights[low] * means[low] + weights[high] * means[high]) / both
    row[[low, high]] = -np.inf
    means[low] = means[:, low] = row
    means[high] = means[:, high] = -np.inf
    weights[low] = both


def link_heap(
    edges: Iterable[tuple[int, int, float, int, bool]], sizes: list[int], *, missing: float, threshold: float
) -> Ints:
    """Link a large component of few pairs with a heap.

    Args:
        edges: Of two clusters: both, the sum of log-odds, the number of scored pairs, and whether they must stay apart.
        sizes: Records of each cluster. Changed.
        missing: Log-odds of each pair of records that was not scored.
        threshold: Two clusters with a mean of this or less stay apart.

    Returns:
        The cluster of each cluster.
    """
    rows: list[_Row | None] = [{} for _ in sizes]
    for left, right, total, count, barred in edges:
        rows[left][right] = rows[right][left] = _BARRED if barred else (total, count)  # type: ignore[index]
    labels = np.arange(len(sizes))

    def mean(left: int, right: int, known: tuple[float, int]) -> float:
        pairs = sizes[left] * sizes[right]
        return (known[0] + missing * (pairs - known[1])) / pairs

    def near(low: int, row: _Row) -> list[tuple[float, int, int]]:
        ranked = ((-mean(low, other, known), min(low, other), max(low, other)) for other, known in row.items())
        return [entry for entry in ranked if -entry[0] > threshold]

    heap = [entry for low, row in enumerate(rows) for entry in near(low, row or {}) if entry[1] == low]
    heapq.heapify(heap)
    while heap:
        negative, low, high = heapq.heappop(heap)
        mine, other = rows[low], rows[high]
        if mine is None or other is None or -mean(low, high, mine[high]) != negative:
            continue  # one of the two has changed since
        rows[low], rows[high] = _united(rows, low, high), None
        sizes[low] += sizes[high]
        labels[high] = low
        for entry in near(low, rows[low] or {}):
            heapq.heappush(heap, entry)
    return roots(labels)


def _united(rows: list[_Row | None], low: int, high: int) -> _Row:
    """Add up what two clusters have with others, and let the others know."""
    mine, other = rows[low] or {}, rows[high] or {}
    united = {third: known for third, known in mine.items() if third != high}
    for third, (total, count) in other.items():
        if third != low:
            before = united.get(third, (0.0, 0))
            united[third] = (before[0] + total, before[1] + count)
            del rows[third][high]  # type: ignore[union-attr]
    for third, known in united.items():
        rows[third][low] = known  # type: ignore[index]
    return united


def roots(labels: Ints) -> Ints:
    """Follow labels to the ends of their chains."""
    while True:
        higher = labels[labels]
        if np.array_equal(higher, labels):
            return labels
        labels = higher
