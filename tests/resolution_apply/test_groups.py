"""Groups of records, from scores of pairs."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgkit.errors import InputError
from kgkit.resolution.cluster_link import Edges, link
from kgkit.resolution.cluster_slow import link_heap, link_matrix
from kgkit.resolution.groups import MISSING, group_pairs


def test_no_chain_joins_what_nobody_would_join(shared: Path) -> None:
    case = json.loads((shared / "cases" / "pairs_chain.json").read_text("utf-8"))
    left, right, score = (np.array(column) for column in zip(*case["scored_pairs"], strict=True))
    odds = np.log(score / (1 - score))
    for threshold in (0.0, float(np.log(0.9 / 0.1)) - 1e-9):
        found = group_pairs(len(case["names"]), left, right, odds, threshold=threshold)
        assert found.labels[0] != found.labels[5]
        table = found.table.to_dicts()
        assert [row["members"] for row in table] == [[0, 1], [2, 3], [4, 5]]
        assert [round(1 / (1 + np.exp(-row["weakest"])), 2) for row in table] == [0.93, 0.92, 0.95]


def test_the_weakest_pair_and_the_bridge_of_a_group() -> None:
    pairs = [(0, 1, 4.0), (1, 2, 4.0), (0, 2, 3.0), (2, 3, 2.0), (1, 3, 1.0), (0, 3, -0.5)]
    row = group_pairs(4, *zip(*pairs, strict=True)).table.to_dicts()[0]
    assert (row["members"], row["n_pairs"], row["n_scored"]) == ([0, 1, 2, 3], 6, 6)
    assert (row["weakest_left"], row["weakest_right"], row["weakest"]) == (0, 3, -0.5)
    assert (row["bridge_left"], row["bridge_right"], row["bridge"]) == (2, 3, 2.0)
    assert row["mean"] == pytest.approx(13.5 / 6)


def test_open_pairs_are_scored_within_tentative_groups_only() -> None:
    asked: list[tuple[int, int]] = []

    def complete(left: Any, right: Any) -> Any:
        asked.extend(zip(left.tolist(), right.tolist(), strict=True))
        return np.full(len(left), 3.0)

    chain = [(0, 1), (1, 2), (2, 3), (5, 6), (6, 4), (7, 8)]
    odds = [2.0, 2.0, 2.0, 2.0, -1.0, 5.0]
    alone = group_pairs(9, *zip(*chain, strict=True), odds)
    assert alone.labels.tolist() == [0, 0, 2, 2, 4, 5, 5, 7, 7]
    found = group_pairs(9, *zip(*chain, strict=True), odds, complete=complete)
    assert found.labels.tolist() == [0, 0, 0, 0, 4, 5, 5, 7, 7]
    assert sorted(asked) == [(0, 2), (0, 3), (1, 3)]
    assert found.n_completed == 3


def test_large_tentative_groups_are_cut_before_they_are_scored() -> None:
    n = 3000
    left = np.arange(n - 1)
    odds = np.where(left % 1000 == 999, 0.5, 4.0)  # three long chains, weakly linked

    def complete(one: Any, other: Any) -> Any:
        return np.where(one // 1000 == other // 1000, 4.0, -6.0)

    found = group_pairs(n, left, left + 1, odds, complete=complete)
    assert np.array_equal(found.labels, np.arange(n) // 1000 * 1000)


def test_must_and_cannot_links_are_hard() -> None:
    pairs = [(0, 1, 5.0), (1, 2, 5.0), (0, 2, 5.0), (3, 4, 5.0)]
    left, right, odds = zip(*pairs, strict=True)
    assert group_pairs(5, left, right, odds, cannot=[(0, 2)]).labels.tolist() in ([0, 0, 2, 3, 3], [0, 1, 1, 3, 3])
    assert group_pairs(5, left, right, odds, must=[(1, 3)], cannot=[(1, 0)]).labels.tolist() == [0, 1, 0, 1, 1]
    through = group_pairs(5, left, right, odds, must=[(2, 3)], cannot=[(4, 0), (4, 2)])
    assert through.labels.tolist() == [0, 0, 0, 0, 4]
    row = group_pairs(3, [0], [1], [2.0], must=[(1, 2)]).table.to_dicts()[0]
    assert (row["members"], row["n_scored"], row["bridge_left"], row["bridge_right"]) == ([1, 2], 0, None, None)


def test_a_record_moves_to_the_group_it_agrees_with_most() -> None:
    pairs = [(0, 1, 5.0), (0, 2, 0.2), (1, 2, 1.0), (2, 3, 4.9), (3, 4, 1.0), (2, 4, 1.0)]
    found = group_pairs(5, *zip(*pairs, strict=True))
    total = _objective(found.labels, {(a, b): w for a, b, w in pairs})
    best = max(_objective(np.array(labels), {(a, b): w for a, b, w in pairs}) for labels in _partitions(5))
    assert total == pytest.approx(best)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (dict(left=[0], right=[9], log_odds=[1.0]), "from 0 to 2"),
        (dict(left=[0, 1], right=[1], log_odds=[1.0]), "one length"),
        (dict(left=[0], right=[1], log_odds=[float("nan")]), "must be numbers"),
        (dict(left=[0], right=[1], log_odds=[1.0], must=[(0, 1), (1, 2)], cannot=[(0, 2)]), "must-links join"),
        (dict(left=[0], right=[1], log_odds=[1.0], missing=1.0), "below threshold"),
        (dict(left=[0, 1], right=[1, 2], log_odds=[1.0, 1.0], complete=lambda a, b: [1.0, 2.0]), "one number for each"),
    ],
)
def test_what_cannot_be_used_is_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        group_pairs(3, **arguments)


def test_nothing_in_gives_nothing_out() -> None:
    found = group_pairs(0, [], [], [])
    assert (len(found.labels), found.table.height) == (0, 0)
    assert group_pairs(2, [], [], []).labels.tolist() == [0, 1]
    assert group_pairs(2, [0, 1], [0, 0], [9.0, -9.0]).labels.tolist() == [0, 1]


PAIRS = st.integers(2, 9).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.dictionaries(
            st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] < p[1]),
            st.floats(-6, 6, allow_nan=False, width=16),
        ),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=2),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=3),
    )
)


@settings(deadline=None, max_examples=150)
@given(PAIRS, st.randoms(use_true_random=False))
def test_links_hold_order_is_nothing_and_no_group_is_below_the_threshold(data: Any, shuffle: Any) -> None:
    n, scored, must, cannot = data
    rows = [(a, b, w) for (a, b), w in scored.items()]
    columns = list(zip(*rows, strict=True)) if rows else [(), (), ()]
    try:
        found = group_pairs(n, *columns, must=must, cannot=cannot)
    except InputError:
        return
    labels = found.labels
    assert all(labels[a] == labels[b] for a, b in must)
    assert all(labels[a] != labels[b] for a, b in cannot)
    assert all(labels[i] == min(np.flatnonzero(labels == labels[i])) for i in range(n))
    shuffle.shuffle(rows)
    turned = [(b, a, w) for a, b, w in rows]
    again = list(zip(*turned, strict=True)) if rows else [(), (), ()]
    assert np.array_equal(group_pairs(n, *again, must=must, cannot=cannot).labels, labels)
    held = {m for pair in must for m in pair}
    for row in found.table.to_dicts():
        if not held & set(row["members"]):
            assert row["mean"] > 0
        weights = [scored.get(pair, MISSING) for pair in combinations(row["members"], 2)]
        assert row["mean"] == pytest.approx(np.mean(weights))


@settings(deadline=None, max_examples=100)
@given(st.integers(2, 10), st.integers(0, 10_000), st.floats(0.1, 1))
def test_all_ways_of_linking_give_the_groups_of_one_merge_at_a_time(n: int, seed: int, share: float) -> None:
    draw = np.random.default_rng(seed)
    left, right = (side.astype(np.int64) for side in np.triu_indices(n, 1))
    known = draw.random(len(left)) < share
    left, right, odds = left[known], right[known], draw.normal(0.5, 3, len(left))[known]
    means = np.full((n, n), MISSING)
    means[left, right] = means[right, left] = odds
    expected = _one_at_a_time(means)
    count, barred = np.ones(len(left), np.int64), np.zeros(len(left), bool)
    rounds = link(Edges(left, right, odds, count, barred), np.ones(n, np.int64), missing=MISSING, threshold=0.0)
    listed = zip(left.tolist(), right.tolist(), odds.tolist(), [1] * len(left), [False] * len(left), strict=True)
    heap = link_heap(listed, [1] * n, missing=MISSING, threshold=0.0)
    np.fill_diagonal(means, -np.inf)
    matrix = link_matrix(means, np.ones(n, np.int64), 0.0)
    for found in (rounds, heap, matrix):
        assert _sets(found) == expected


def test_long_components_that_merge_one_pair_a_round_are_finished() -> None:
    n = 6000
    left = np.arange(n - 1)
    found = group_pairs(n, left, left + 1, np.linspace(0.1, 11, n - 1))
    sizes = np.bincount(np.bincount(found.labels, minlength=n))
    assert len(sizes) <= 6 and sizes[2:].sum() == found.table.height > n / 4


def _one_at_a_time(weights: Any) -> set[frozenset[int]]:
    groups = [[i] for i in range(len(weights))]
    while True:
        ranked = [
            (np.mean([weights[a, b] for a in one for b in other]), i, j)
            for (i, one), (j, other) in combinations(enumerate(groups), 2)
        ]
        best = max(ranked, default=(0.0, 0, 0), key=lambda entry: entry[0])
        if best[0] <= 0:
            return {frozenset(g) for g in groups}
        groups[best[1]] += groups.pop(best[2])


def _sets(labels: Any) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}


def _objective(labels: Any, weights: dict[tuple[int, int], float]) -> float:
    return sum(weights.get(p, MISSING) for p in combinations(range(len(labels)), 2) if labels[p[0]] == labels[p[1]])


def _partitions(n: int, labels: tuple[int, ...] = ()) -> Any:
    if len(labels) == n:
        yield labels
        return
    for label in range(max(labels, default=-1) + 2):
        yield from _partitions(n, (*labels, label))
