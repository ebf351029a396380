"""Where the names are in the tree."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from kgkit.extraction.local.found import FoundName
from kgkit.extraction.local.statements.kinds import NUMBER, kind_of
from kgkit.extraction.local.statements.repairs import repair
from kgkit.extraction.local.statements.tree import Tree

__all__ = ["Place", "place_names"]


class Place:
    """Where a name is in the tree, or a word that stands for it: tokens, the topmost of them, and the way up."""

    __slots__ = ("chain", "end", "first", "head", "kind", "last", "means", "name", "number", "start")

    def __init__(self, number: int, name: FoundName, tree: Tree, first: int, last: int, means: str) -> None:
        self.number = number
        self.name = name
        self.kind = kind_of(name.type)
        self.first = first
        self.last = last
        self.means = means
        self.start, self.end = tree.starts[first], tree.ends[last - 1]
        self.head = topmost(tree, first, last)
        self.chain = _way_up(tree, self.head)


def place_names(tree: Tree, names: Sequence[FoundName]) -> list[Place]:
    """Find each name's place in the tree, in the order of the text. Numbers take no part in statements."""
    spans = _token_spans(tree, names)
    repair(tree, [(topmost(tree, first, last), kind_of(name.type)) for name, first, last in spans])
    return [Place(n, name, tree, first, last, "name") for n, (name, first, last) in enumerate(spans)]


def _token_spans(tree: Tree, names: Sequence[FoundName]) -> list[tuple[FoundName, int, int]]:
    spans: list[tuple[FoundName, int, int]] = []
    for name in sorted(names, key=lambda n: (n.start, -n.end, n.type, n.name)):
        if kind_of(name.type) == NUMBER:
            continue
        first = max(bisect_right(tree.starts, name.start) - 1, 0)
        last = bisect_left(tree.starts, name.end)
        if first >= last or tree.ends[last - 1] <= name.start:
            continue
        for i in range(first, last):
            if tree.owner[i] < 0:
                tree.owner[i] = len(spans)
        tree.owner_kinds.append(kind_of(name.type))
        spans.append((name, first, last))
    return spans


def topmost(tree: Tree, first: int, last: int) -> int:
    """Give the token of a span that the others depend on."""
    for i in range(last - 1, first - 1, -1):
        if not first <= tree.head[i] < last and tree.dep[i] not in ("punct", "case", "det"):
            return i
    for i in range(last - 1, first - 1, -1):
        if not first <= tree.head[i] < last or tree.head[i] == i:
            return i
    return last - 1


def _way_up(tree: Tree, i: int) -> list[int]:
    way = [i]
    while tree.head[i] != i:
        i = tree.head[i]
        way.append(i)
    return way
