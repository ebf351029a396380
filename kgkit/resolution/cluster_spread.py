"""How far a must-link reaches: to two records alone, or to the groups that they are in."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kgkit.resolution.cluster_link import Ints, Reals, connected

__all__ = ["spread_links"]


def spread_links(
    pairs: tuple[Ints, Ints, Reals], must: tuple[Ints, Ints], apart: tuple[Ints, Ints], labels: Ints, *, missing: float
) -> tuple[Ints, Ints]:
    """Extend must-links to whole groups where that contradicts the scores less than tearing a record out of its group.

    Somebody says that *Philips Electronics* is *Philips Gloeilampen*. Each is in a large group of spellings, and the
    scores of the pairs between the two groups say no. All of them say it for one reason, which the answer has settled:
    so it is their mean that counts against the mean that holds either record in its group.

    Args:
        pairs: Two records and their log-odds, within tentative groups.
        must: Pairs that are one.
        apart: Pairs that are not.
        labels: The group of each record when must-links are left out.
        missing: Log-odds of an unscored pair.

    Returns:
        Must-links that bind what the given ones bind and the members of joined groups. They join nothing that
        ``apart`` separates.
    """
    across = labels[must[0]] != labels[must[1]]
    if not across.any():
        return must
    one, two = must[0][across], must[1][across]
    sizes = np.bincount(labels, minlength=len(labels))
    against = -_between(pairs, labels, sizes, one, two, missing)
    held = np.minimum(_within(pairs, labels, sizes, one, missing), _within(pairs, labels, sizes, two, missing))
    order = np.lexsort((two, one, against - held))
    wanted = [(labels[one[i]], labels[two[i]]) for i in order if against[i] < held[i]]
    blocks = _joined(connected(len(labels), *must), labels, apart, wanted)
    bound = np.flatnonzero(blocks != np.arange(len(labels)))
    return blocks[bound], bound


def _between(pairs: tuple[Ints, Ints, Reals], labels: Ints, sizes: Ints, one: Ints, two: Ints, missing: float) -> Reals:
    """Mean log-odds between the groups of pairs of records."""
    n = np.int64(len(labels))
    a, b = labels[pairs[0]], labels[pairs[1]]
    keys = np.minimum(a, b) * n + np.maximum(a, b)
    c, d = labels[one], labels[two]
    wanted = np.minimum(c, d) * n + np.maximum(c, d)
    unique, inverse = np.unique(wanted, return_inverse=True)
    at = np.searchsorted(unique, keys)
    at[at == len(unique)] = 0
    hit = unique[at] == keys
    total = np.bincount(at[hit], pairs[2][hit], len(unique))[inverse]
    count = np.bincount(at[hit], minlength=len(unique))[inverse]
    all_pairs = sizes[c] * sizes[d]
    return np.asarray((total + missing * (all_pairs - count)) / all_pairs)


def _within(pairs: tuple[Ints, Ints, Reals], labels: Ints, sizes: Ints, records: Ints, missing: float) -> Reals:
    """Mean log-odds between records and the others of their groups; infinite for a record alone."""
    inside = labels[pairs[0]] == labels[pairs[1]]
    ends = np.concatenate([pairs[0][inside], pairs[1][inside]])
    total = np.bincount(ends, np.concatenate([pairs[2][inside]] * 2), len(labels))[records]
    count = np.bincount(ends, minlength=len(labels))[records]
    others = sizes[labels[records]] - 1
    mean = (total + missing * (others - count)) / np.maximum(others, 1)
    return np.where(others > 0, mean, np.inf)


def _joined(blocks: Ints, labels: Ints, apart: tuple[Ints, Ints], wanted: Iterable[tuple[int, int]]) -> Ints:
    """Join groups, in order, each whole and with all that must be one with it, unless that joins what is apart."""
    for one, two in wanted:
        whole = np.isin(blocks, blocks[(labels == one) | (labels == two)])
        if not (whole[apart[0]] & whole[apart[1]]).any():
            blocks = np.where(whole, np.flatnonzero(whole)[0], blocks)
    return blocks
