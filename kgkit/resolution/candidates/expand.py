"""From pairs of nodes to pairs of records, where several records that nothing tells apart are one node."""

from __future__ import annotations

import numpy as np

__all__ = ["between", "within"]

_ALL = 64  # pairs of the records of two nodes: up to here all, beyond it each meets some


class _Members:
    def __init__(self, of: np.ndarray, n: int) -> None:
        self.size = np.bincount(of, minlength=n)
        self.start = np.cumsum(self.size) - self.size
        self.record = np.argsort(of, kind="stable")


def between(left: np.ndarray, right: np.ndarray, of: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pair the records of each two nodes.

    Args:
        left: Nodes of the pairs.
        right: Nodes of the pairs.
        of: The node of each record.
        n: Number of nodes.

    Returns:
        Two arrays of records, and the number of the pair of nodes that each comes from.
    """
    members = _Members(of, n)
    a, b = members.size[left], members.size[right]
    large, small = np.maximum(a, b), np.minimum(a, b)
    rounds = np.minimum(small, np.maximum(1, _ALL // large))
    pair = np.repeat(np.arange(len(left)), large * rounds)
    nth = np.arange(len(pair)) - np.repeat(np.cumsum(large * rounds) - large * rounds, large * rounds)
    in_large = nth % large[pair]
    in_small = (in_large + nth // large[pair]) % small[pair]
    swapped = (b > a)[pair]
    one = members.record[members.start[left[pair]] + np.where(swapped, in_small, in_large)]
    other = members.record[members.start[right[pair]] + np.where(swapped, in_large, in_small)]
    return one, other, pair


def within(of: np.ndarray, n: int, most: int) -> np.ndarray:
    """Pair the records of each node with the next ``most`` of the same node; two rows, int64."""
    members = _Members(of, n)
    node = of[members.record]
    one, other = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for step in range(1, min(most, int(members.size.max(initial=0)) - 1) + 1):
        same = node[step:] == node[:-step]
        one.append(members.record[:-step][same])
        other.append(members.record[step:][same])
    return np.stack([np.concatenate(one), np.concatenate(other)])
