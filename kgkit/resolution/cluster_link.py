"""Average linkage on sparse pairs, by rounds of merges that do not touch each other.

In each round every pair of clusters that are each other's nearest merges. For average linkage this gives the same
groups as merging one nearest pair at a time (Sumengen et al., "Scaling Hierarchical Agglomerative Clustering to
Billion-sized Datasets", arXiv 2105.11653), because a merged cluster is never nearer to a third one than the nearer of
its two parts was. It needs a few rounds of array operations instead of a heap of millions of pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgkit.resolution.cluster_slow import link_heap, link_matrix, roots

__all__ = ["Edges", "Flags", "Ints", "Reals", "connected", "link", "run_starts", "totals"]

_SLOW = 20  # a round that merges fewer than one cluster in this many is slow
_DENSE = 4000  # clusters whose means fit into a matrix

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Edges:
    """Pairs of records or of clusters, ``left < right``, each at most once."""

    left: Ints
    right: Ints
    total: Reals
    """Sum of the log-odds of the scored pairs between the two."""
    count: Ints
    """How many pairs that are."""
    barred: Flags
    """Whether a cannot-link runs between the two."""

    def __len__(self) -> int:
        return len(self.left)

    def where(self, rows: Flags | Ints | slice) -> Edges:
        """Take some of the edges."""
        return Edges(self.left[rows], self.right[rows], self.total[rows], self.count[rows], self.barred[rows])

    def joined(self, other: Edges) -> Edges:
        """Put edges of other clusters after these."""
        return Edges(
            np.concatenate([self.left, other.left]),
            np.concatenate([self.right, other.right]),
            np.concatenate([self.total, other.total]),
            np.concatenate([self.count, other.count]),
            np.concatenate([self.barred, other.barred]),
        )

    def renamed(self, labels: Ints) -> Edges:
        """Replace records by their clusters, add up what then runs between the same two, drop what is within one."""
        left, right = labels[self.left], labels[self.right]
        low, high = np.minimum(left, right), np.maximum(left, right)
        apart = low != high
        keys = low[apart] * np.int64(len(labels)) + high[apart]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        starts = run_starts(keys)
        kept = keys[starts]
        return Edges(
            kept // len(labels),
            kept % len(labels),
            totals(self.total[apart][order], starts),
            totals(self.count[apart][order], starts).astype(np.int64),
            totals(self.barred[apart][order], starts) > 0,
        )


def run_starts(keys: Ints) -> Ints:
    """Give where each run of equal values begins."""
    return np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]]) if len(keys) else np.zeros(0, np.int64)


def totals(values: Reals | Ints | Flags, starts: Ints) -> Reals:
    """Add up the runs of values that begin at ``starts``."""
    return np.add.reduceat(values.astype(np.float64), starts) if len(starts) else np.zeros(0)


def link(edges: Edges, sizes: Ints, *, missing: float, threshold: float) -> Ints:
    """Merge clusters while the mean log-odds between two of them is above the threshold, nearest first.

    Args:
        edges: What is known between clusters; they are numbered by their smallest record.
        sizes: Records of each cluster, by its number.
        missing: Log-odds of each pair of records that was not scored.
        threshold: Two clusters with a mean of this or less stay apart.

    Returns:
        The cluster of each cluster.
    """
    n = len(sizes)
    sizes, labels = sizes.copy(), np.arange(n)
    best, turn = np.empty(n), np.empty(n, np.int64)
    while True:
        means = _means(edges, sizes, missing)
        near = means > threshold
        live = np.zeros(n, bool)
        live[edges.left[near]] = live[edges.right[near]] = True
        kept = live[edges.left] & live[edges.right]  # a cluster that is near none never will be
        if not kept.any():
            return roots(labels)
        edges, means = edges.where(kept), means[kept]
        first, second = _nearest(edges, means, threshold, best, turn)
        labels[second] = first
        np.add.at(sizes, first, sizes[second])
        moved = np.zeros(n, bool)
        moved[first] = moved[second] = True
        touched = moved[edges.left] | moved[edges.right]
        edges = edges.where(~touched).joined(edges.where(touched).renamed(labels))
        if len(first) * _SLOW < np.count_nonzero(live):
            _finish(edges, sizes, labels, missing, threshold)
            return roots(labels)


def _finish(edges: Edges, sizes: Ints, labels: Ints, missing: float, threshold: float) -> None:
    """Finish all components one by one, where rounds would merge two clusters each."""
    components = connected(len(sizes), edges.left, edges.right)[edges.left]
    order = np.argsort(components, kind="stable")
    edges, components = edges.where(order), components[order]
    starts = run_starts(components)
    for start, end in zip(starts, np.r_[starts[1:], len(edges)], strict=True):
        part = edges.where(slice(start, end))
        members = np.unique(np.r_[part.left, part.right])
        row, column = np.searchsorted(members, part.left), np.searchsorted(members, part.right)
        if len(members) <= _DENSE and len(part) * _SLOW > len(members) ** 2:
            means = np.full((len(members), len(members)), float(missing))
            means[row, column] = means[column, row] = _means(part, sizes, missing)
            np.fill_diagonal(means, -np.inf)
            own = link_matrix(means, sizes[members], threshold)
        else:
            columns = (row, column, part.total, part.count, part.barred)
            listed = zip(*(column.tolist() for column in columns), strict=True)
            own = link_heap(listed, sizes[members].tolist(), missing=missing, threshold=threshold)
        labels[members] = members[own]


def connected(n: int, left: Ints, right: Ints) -> Ints:
    """Number the connected components of ``n`` records by their smallest record."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(left), bool), (left, right)), shape=(n, n))
    _, found = connected_components(links, directed=False)
    first = np.full(n, n, np.int64)
    np.minimum.at(first, found, np.arange(n))
    components: Ints = first[found]
    return components


def _means(edges: Edges, sizes: Ints, missing: float) -> Reals:
    pairs = (sizes[edges.left] * sizes[edges.right]).astype(np.float64)
    means = (edges.total + missing * (pairs - edges.count)) / pairs
    means[edges.barred] = -np.inf
    return means


def _nearest(edges: Edges, means: Reals, threshold: float, best: Reals, turn: Ints) -> tuple[Ints, Ints]:
    """Find the pairs that are each other's nearest; where several are equally near, number by number in binary."""
    best.fill(-np.inf)
    np.maximum.at(best, edges.left, means)
    np.maximum.at(best, edges.right, means)
    top = (means > threshold) & (means == best[edges.left]) & (means == best[edges.right])
    left, right = edges.left[top], edges.right[top]
    distance = left ^ right  # differs for all partners of one cluster, and pairs up many equals at once: 0-1, 2-3, ...
    turn.fill(np.iinfo(np.int64).max)
    np.minimum.at(turn, left, distance)
    np.minimum.at(turn, right, distance)
    chosen = (turn[left] == distance) & (turn[right] == distance)
    return left[chosen], right[chosen]
