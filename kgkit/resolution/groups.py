"""Groups of records that are one, from scores of pairs and from what people decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kgkit.errors import InputError
from kgkit.resolution.cluster_complete import Complete, complete_pairs
from kgkit.resolution.cluster_link import Edges, Ints, Reals, connected, link, run_starts
from kgkit.resolution.cluster_moves import move_records
from kgkit.resolution.cluster_spread import spread_links
from kgkit.resolution.cluster_stats import describe_groups

__all__ = ["MISSING", "Groups", "group_pairs"]

MISSING = -3.0
"""Log-odds of a pair that nothing scored: about 1 in 20."""
_LIMIT = 12.0

_Pairs = tuple[Ints, Ints, Reals]


@dataclass(frozen=True)
class Groups:
    """What `group_pairs` found.

    Attributes:
        labels: The group of each record, int64, numbered by its smallest record; a record alone is its own group.
        table: One row per group of two or more: ``group``, ``members``, ``n_members``, ``n_pairs``, ``n_scored``,
            ``mean`` (log-odds of its pairs), ``weakest_left``, ``weakest_right``, ``weakest`` (its least likely
            scored pair), ``bridge_left``, ``bridge_right``, ``bridge`` (the weakest pair of the strongest tree that
            holds the group together: without it the group falls in two; null when decisions alone hold it).
        n_completed: Pairs scored by ``complete``.
        n_moved: Records moved after the linkage.
    """

    labels: Ints
    table: pl.DataFrame
    n_completed: int
    n_moved: int


def group_pairs(
    n: int,
    left: Sequence[int] | NDArray[np.integer[Any]],
    right: Sequence[int] | NDArray[np.integer[Any]],
    log_odds: Sequence[float] | Reals,
    *,
    must: Iterable[tuple[int, int]] = (),
    cannot: Iterable[tuple[int, int]] = (),
    complete: Complete | None = None,
    threshold: float = 0.0,
    missing: float = MISSING,
) -> Groups:
    """Group records by average linkage on the log-odds of their pairs, within what people decided.

    Records that any chain of pairs above the threshold connects are looked at together, and only there: pairs
    among them that were no candidates are scored by ``complete``, and count as ``missing`` where there is no score.
    Then the two groups with the highest mean of all pairs between them become one, as long as that mean is above
    the threshold. So no chain of near-matches joins its two ends, and a group at the threshold stays small. At last
    single records move to the group they agree with most, while the sum of log-odds within groups rises.

    Records that must be one start in one group. Records that cannot be one are never in one group, and neither are
    the groups that hold them. Equal means are settled by the numbers of records; the order of pairs changes nothing.

    Args:
        n: Number of records; they are numbered 0 to n - 1.
        left: One record of each pair. A pair given twice has the higher score.
        right: The other one.
        log_odds: Natural log-odds that the two are one, calibrated; held within -12 to 12, so that no single pair
            outweighs a group.
        must: Pairs that are one.
        cannot: Pairs that are not.
        complete: Function of two int64 arrays of records (left < right) that gives the log-odds of each pair;
            called with up to a million pairs. Tentative groups of more than 1,200 records are cut at higher
            thresholds first; after two million pairs no more are asked for, so those of the largest groups are
            ``missing``.
        threshold: Groups with a mean of this or less stay apart.
        missing: Log-odds of a pair that was not scored; must be below the threshold.

    Returns:
        `Groups`.

    Raises:
        InputError: A record number is out of range, a score is not a number, lengths differ, ``missing`` is not
            below the threshold, or must-links join what a cannot-link separates.

    Examples:
        >>> group_pairs(4, [0, 1, 2], [1, 2, 3], [2.6, 2.3, 2.9]).labels.tolist()  # a chain
        [0, 0, 2, 2]
        >>> group_pairs(3, [0, 1, 0], [1, 2, 2], [2.6, 2.3, 2.0], cannot=[(0, 2)]).labels.tolist()
        [0, 0, 2]
    """
    if not missing < threshold:
        msg = f"missing={missing} must be below threshold={threshold}: no evidence would join records."
        raise InputError(msg)
    checked = _checked_pairs(n, left, right, log_odds)
    same, apart = _checked_links(n, must, "must"), _checked_links(n, cannot, "cannot")
    blocks = connected(n, *same)
    _refuse_contradiction(blocks, apart)
    pairs = _ordered(n, _inside(checked, blocks, threshold))
    del checked
    pairs, n_completed = _completed(n, pairs, complete, threshold)
    if len(same[0]):
        alone = _linked(pairs, apart, np.arange(n), missing, threshold)
        blocks = connected(n, *spread_links(pairs, same, apart, alone, missing=missing))
    labels = _linked(pairs, apart, blocks, missing, threshold)
    labels, n_moved = _moved(pairs, apart, blocks, labels, missing, threshold)
    table = describe_groups(pairs, same, labels, missing=missing, limit=_LIMIT)
    return Groups(labels, table, n_completed, n_moved)


def _checked_pairs(n: int, left: Any, right: Any, log_odds: Any) -> _Pairs:
    """Check numbers, and bring log-odds within the limits."""
    one, other = _numbers(n, left, "left"), _numbers(n, right, "right")
    odds = np.asarray(log_odds, np.float64).ravel()
    if not len(one) == len(other) == len(odds):
        msg = f"left, right and log_odds must be of one length; they have {len(one)}, {len(other)} and {len(odds)}."
        raise InputError(msg)
    if np.isnan(odds).any():
        msg = f"log_odds must be numbers; pair {int(np.isnan(odds).argmax())} (counted from 0) has none."
        raise InputError(msg)
    return one, other, np.clip(odds, -_LIMIT, _LIMIT)


def _inside(pairs: _Pairs, blocks: Ints, threshold: float) -> _Pairs:
    """Take the pairs within tentative groups, ``left < right``: what pairs above the threshold and must-links connect.

    No other pair changes anything: none joins groups, and all of them speak against a move.
    """
    left, right, odds = pairs
    near = odds > threshold
    bound = np.flatnonzero(blocks != np.arange(len(blocks)))
    components = connected(len(blocks), np.r_[left[near], bound], np.r_[right[near], blocks[bound]])
    within = np.flatnonzero((components[left] == components[right]) & (left != right))
    one, other = left[within].astype(np.int64), right[within].astype(np.int64)
    return np.minimum(one, other), np.maximum(one, other), odds[within]


def _ordered(n: int, pairs: _Pairs) -> _Pairs:
    """Order pairs, each once, with its highest log-odds."""
    keys, odds = pairs[0] * np.int64(n) + pairs[1], pairs[2]
    order = np.argsort(keys, kind="stable")
    keys, odds = keys[order], odds[order]
    starts = run_starts(keys)
    best = np.maximum.reduceat(odds, starts) if len(starts) else odds
    return keys[starts] // n, keys[starts] % n, best


def _numbers(n: int, values: Any, name: str) -> Ints:
    given = np.asarray(values).ravel()
    whole = given if given.dtype.kind == "i" else given.astype(np.int64)
    if len(given) and (not np.array_equal(whole, given) or whole.min() < 0 or whole.max() >= n):
        msg = f"{name} must hold record numbers from 0 to {n - 1}."
        raise InputError(msg)
    return whole


def _checked_links(n: int, links: Iterable[tuple[int, int]], name: str) -> tuple[Ints, Ints]:
    listed = np.asarray(links if isinstance(links, np.ndarray) else list(links), np.int64).reshape(-1, 2)
    return _numbers(n, listed[:, 0], name), _numbers(n, listed[:, 1], name)


def _refuse_contradiction(blocks: Ints, apart: tuple[Ints, Ints]) -> None:
    wrong = blocks[apart[0]] == blocks[apart[1]]
    if wrong.any():
        at = int(wrong.argmax())
        msg = (
            f"Records {int(apart[0][at])} and {int(apart[1][at])} cannot be one, and must-links join them. "
            "Take one of these links back."
        )
        raise InputError(msg)


def _completed(n: int, pairs: _Pairs, complete: Complete | None, threshold: float) -> tuple[_Pairs, int]:
    if complete is None or not len(pairs[0]):
        return pairs, 0
    found = [pairs]
    for one, other, said in complete_pairs(n, pairs, complete, threshold):
        odds = np.asarray(said, np.float64).ravel()
        if len(odds) != len(one) or np.isnan(odds).any():
            msg = f"complete() must give one number for each of the {len(one)} pairs."
            raise InputError(msg)
        found.append((one, other, np.clip(odds, -_LIMIT, _LIMIT)))
    left, right, odds = (np.concatenate(part) for part in zip(*found, strict=True))
    return _ordered(n, (left, right, odds)), len(left) - len(pairs[0])


def _linked(pairs: _Pairs, apart: tuple[Ints, Ints], blocks: Ints, missing: float, threshold: float) -> Ints:
    sizes = np.bincount(blocks, minlength=len(blocks))
    return link(_edges(pairs, apart, blocks, threshold), sizes, missing=missing, threshold=threshold)[blocks]


def _edges(pairs: _Pairs, apart: tuple[Ints, Ints], blocks: Ints, threshold: float) -> Edges:
    """Give the pairs within tentative groups, as edges between blocks of records that must be one."""
    left, right, odds = _inside(pairs, blocks, threshold)
    edges = Edges(left, right, odds, np.ones(len(left), np.int64), np.zeros(len(left), bool))
    if not len(apart[0]) and np.array_equal(blocks, np.arange(len(blocks))):
        return edges
    none, bars = np.zeros(len(apart[0])), np.ones(len(apart[0]), bool)
    return edges.joined(Edges(*apart, none, none.astype(np.int64), bars)).renamed(blocks)


def _moved(
    pairs: _Pairs, apart: tuple[Ints, Ints], blocks: Ints, labels: Ints, missing: float, threshold: float
) -> tuple[Ints, int]:
    left, right, odds = pairs
    fixed = np.bincount(blocks, minlength=len(blocks))[blocks] > 1
    moved, count = move_records((left, right, odds - threshold), apart, labels, fixed, missing=missing - threshold)
    if not count:
        return labels, 0
    touched = np.zeros(2 * len(blocks), bool)
    touched[moved[moved != labels]] = touched[labels[moved != labels]] = True
    kept = (moved[left] == moved[right]) & touched[moved[left]]
    again = _linked((left[kept], right[kept], odds[kept]), apart, blocks, missing, threshold)
    labels = np.where(touched[moved], again, moved)  # a group that lost its middle may have fallen apart
    return labels, count
