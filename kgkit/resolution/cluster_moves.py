"""Local moves: single records go to the group they agree with most, while that raises the agreement of all."""

from __future__ import annotations

import numpy as np

from kgkit.resolution.cluster_link import Flags, Ints, Reals, run_starts, totals

__all__ = ["move_records"]

_ROUNDS = 20


def move_records(
    pairs: tuple[Ints, Ints, Reals], cannot: tuple[Ints, Ints], labels: Ints, fixed: Flags, *, missing: float
) -> tuple[Ints, int]:
    """Move records between groups while the sum of log-odds within groups rises by it.

    A record moves to a group with which it agrees in sum (unscored pairs count as ``missing``) more than with the
    rest of its own, or out of a group with the rest of which it disagrees. In each round a group takes part in one
    move at most, the one that gains most; of equals the one of the smallest record.

    Args:
        pairs: Two records and their log-odds, the threshold already subtracted.
        cannot: Pairs that must stay apart.
        labels: The group of each record.
        fixed: True for records that must-links hold in their group.
        missing: Log-odds of an unscored pair, the threshold already subtracted.

    Returns:
        The new groups, numbered by any record of theirs or by ``n`` and more, and the number of moves.
    """
    moves = 0
    labels = labels.copy()
    loose = _loose(pairs, labels, missing) & ~fixed
    left, right, odds = pairs
    kept = loose[left] | loose[right]
    pairs = (left[kept], right[kept], odds[kept])
    for _ in range(_ROUNDS if loose.any() else 0):
        record, target = _best_moves(pairs, cannot, labels, loose, missing)
        if not len(record):
            break
        labels[record] = target
        moves += len(record)
    return labels, moves


def _loose(pairs: tuple[Ints, Ints, Reals], labels: Ints, missing: float) -> Flags:
    """Tell which records could gain: all that speaks for others outweighs their own group, or nothing holds them."""
    n, own = len(labels), _own(pairs, labels, missing)
    left, right, odds = (part[(labels[pairs[0]] != labels[pairs[1]]) & (pairs[2] > 0)] for part in pairs)
    outside = np.bincount(left, odds, n) + np.bincount(right, odds, n)
    found: Flags = (outside > own) & ((outside > 0) | (own < 0))
    return found


def _own(pairs: tuple[Ints, Ints, Reals], labels: Ints, missing: float) -> Reals:
    """Sum of log-odds of each record with the rest of its group."""
    n = len(labels)
    inside = labels[pairs[0]] == labels[pairs[1]]
    left, right, odds = (part[inside] for part in pairs)
    known = np.bincount(left, odds, n) + np.bincount(right, odds, n)
    count = np.bincount(left, minlength=n) + np.bincount(right, minlength=n)
    size = np.bincount(labels, minlength=2 * n)[labels]
    return known + missing * (size - 1 - count)


def _best_moves(
    pairs: tuple[Ints, Ints, Reals], cannot: tuple[Ints, Ints], labels: Ints, loose: Flags, missing: float
) -> tuple[Ints, Ints]:
    n = len(labels)
    own = _own(pairs, labels, missing)  # complete for loose records, whose pairs are all here
    record, target, gain = _to_groups(pairs, labels, loose, missing)
    free = ~np.isin(record * np.int64(2 * n) + target, _barred(cannot, labels, n))
    record, target, gain = record[free], target[free], gain[free] - own[record[free]]
    out = np.flatnonzero(loose & (own < 0))
    record, target, gain = np.r_[record, out], np.r_[target, n + out], np.r_[gain, -own[out]]
    good = gain > 1e-9
    record, target, gain = record[good], target[good], gain[good]
    order = np.lexsort((target, record, -gain))
    record, target = record[order], target[order]
    source, rank = labels[record], np.arange(len(record))
    first = np.full(2 * n, len(record), np.int64)
    np.minimum.at(first, source, rank)
    np.minimum.at(first, target, rank)
    chosen = (first[source] == rank) & (first[target] == rank)
    return record[chosen], target[chosen]


def _to_groups(pairs: tuple[Ints, Ints, Reals], labels: Ints, loose: Flags, missing: float) -> tuple[Ints, Ints, Reals]:
    """Sum of log-odds of loose records with each other group in which they have a scored pair, where it is above 0."""
    n = len(labels)
    left, right, odds = pairs
    record, other, both = np.r_[left, right], np.r_[right, left], np.r_[odds, odds]
    kept = loose[record] & (labels[record] != labels[other])
    record, target, both = record[kept], labels[other[kept]], both[kept]
    keys = record * np.int64(2 * n) + target
    order = np.argsort(keys, kind="stable")
    starts = run_starts(keys[order])
    keys = keys[order][starts]
    record, target = keys // (2 * n), keys % (2 * n)
    size = np.bincount(labels, minlength=2 * n)[target]
    known = np.diff(np.r_[starts, len(order)])
    agreed = totals(both[order], starts) + missing * (size - known)
    good = agreed > 0
    return record[good], target[good], agreed[good]


def _barred(cannot: tuple[Ints, Ints], labels: Ints, n: int) -> Ints:
    record, other = np.r_[cannot[0], cannot[1]], np.r_[cannot[1], cannot[0]]
    keys: Ints = record * np.int64(2 * n) + labels[other]
    return keys
