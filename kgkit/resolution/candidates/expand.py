"""From pairs of nodes to pairs of records, where several records that nothing tells apart are one node."""

from __future__ import annotations

import numpy as np

__all__ = ["Members"]

_ALL = 64  # pairs of the records of two nodes: up to here all, beyond it each meets some
_AT_ONCE = 2_000_000


class Members:
    """The records of each node."""

    def __init__(self, of: np.ndarray, n: int) -> None:
        """Group records by their node: the node of each record, and the number of nodes."""
        self.of = of
        self.size = np.bincount(of, minlength=n)
        self.start = np.cumsum(self.size) - self.size
        self.record = np.argsort(of, kind="stable")

    def n_between(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Tell how many pairs of records `between` makes of each pair of nodes; int64."""
        large, rounds = self._rounds(left, right)
        n_pairs: np.ndarray = large * rounds
        return n_pairs

    def between(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Pair the records of each two nodes.

        Args:
            left: Nodes of the pairs.
            right: Other nodes of the pairs.

        Returns:
            Left and right records, and the number of the pair of nodes that each comes from; int32.
        """
        parts = [(np.empty(0, np.int32),) * 3]
        for at in range(0, len(left), _AT_ONCE):
            here = slice(at, at + _AT_ONCE)
            one, other, pair = self._between(left[here], right[here])
            low, high = np.minimum(one, other), np.maximum(one, other)
            parts.append((low.astype(np.int32), high.astype(np.int32), (pair + at).astype(np.int32)))
        one, other, pair = (np.concatenate(part) for part in zip(*parts, strict=True))
        return one, other, pair

    def within(self, budget: int) -> tuple[np.ndarray, np.ndarray]:
        """Pair the records of each node with the next ones of the same node, as many as fit the budget; int32.

        Returns:
            Left and right records. Each is paired with as many next ones as all can have within the budget, but at
            least one, and at most 63.
        """
        node = self.of[self.record]
        parts = [(np.empty(0, np.int32),) * 2]
        n_pairs = 0
        for step in range(1, min(_ALL, int(self.size.max(initial=0)))):
            n_pairs += int(np.maximum(self.size - step, 0).sum())
            if step > 1 and n_pairs > budget:
                break
            same = node[step:] == node[:-step]
            both = (self.record[:-step][same], self.record[step:][same])
            parts.append((both[0].astype(np.int32), both[1].astype(np.int32)))
        one, other = (np.concatenate(part) for part in zip(*parts, strict=True))
        return one, other

    def _rounds(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        a, b = self.size[left], self.size[right]
        large = np.maximum(a, b)
        return large, np.minimum(np.minimum(a, b), np.maximum(1, _ALL // large))

    def _between(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        large, rounds = self._rounds(left, right)
        n_pairs = large * rounds
        pair = np.repeat(np.arange(len(left)), n_pairs)
        nth = np.arange(len(pair)) - np.repeat(np.cumsum(n_pairs) - n_pairs, n_pairs)
        small = np.minimum(self.size[left], self.size[right])[pair]
        in_large = nth % large[pair]
        in_small = (in_large + nth // large[pair]) % small
        swapped = (self.size[right] > self.size[left])[pair]
        one = self.record[self.start[left[pair]] + np.where(swapped, in_small, in_large)]
        other = self.record[self.start[right[pair]] + np.where(swapped, in_large, in_small)]
        return one, other, pair
