"""A must-link between members of two groups: whether the groups follow."""

from __future__ import annotations

from itertools import combinations

import pytest

from kgkit.resolution.groups import group_pairs


def two_groups(size: int, inside: float, between: float) -> tuple[list[int], list[int], list[float]]:
    """Two groups of records with all their pairs scored, and one pair between them that makes them candidates."""
    pairs = list(combinations(range(2 * size), 2))
    odds = [inside if (a < size) == (b < size) else between for a, b in pairs]
    left, right = zip(*pairs, strict=True)
    return list(left), list(right), odds


@pytest.mark.parametrize(
    ("between", "groups"),
    [(-1.0, 1), (-2.9, 1), (-5.0, 3)],
    ids=["little against it", "less against it than holds the groups", "more against it: the two leave their groups"],
)
def test_groups_follow_a_must_link(between: float, groups: int) -> None:
    left, right, odds = two_groups(8, 3.0, between)
    assert len(set(group_pairs(16, left, right, odds).labels.tolist())) == 2
    linked = group_pairs(16, left, right, odds, must=[(0, 8)]).labels
    assert linked[0] == linked[8]
    assert len(set(linked.tolist())) == groups


def test_no_group_follows_over_a_cannot_link() -> None:
    left, right, odds = two_groups(4, 3.0, -1.0)
    linked = group_pairs(8, left, right, odds, must=[(0, 4)], cannot=[(1, 5)]).labels
    assert linked[0] == linked[4]
    assert linked[1] != linked[5]


def test_the_order_of_links_changes_nothing() -> None:
    left, right, odds = two_groups(5, 3.0, -1.0)
    must = [(0, 5), (1, 6), (2, 7)]
    once, again = (group_pairs(10, left, right, odds, must=m).labels.tolist() for m in (must, must[::-1]))
    assert once == again == [0] * 10
