"""The way through the tree from one name to another, brought to a short form.

From the token where two names meet, one half of the way leads down to each. A half is a list of steps: what the
grammar calls the edge, the preposition it goes through, and the token it leads to. Coordination takes no step
("founded X and Y": both are objects), a preposition and what it governs are one step.
"""

from __future__ import annotations

from typing import NamedTuple

from kgkit.extraction.local.statements.kinds import DATE, PLACE
from kgkit.extraction.local.statements.places import Place
from kgkit.extraction.local.statements.tree import Tree

__all__ = ["Half", "Meeting", "Step", "meet"]

_COMMA_EDGES = ("appos", "npadvmod")


class Step(NamedTuple):
    """One edge downwards: its label, the preposition's token or -1, and the token it leads to."""

    dep: str
    prep: int
    node: int


class Half(NamedTuple):
    """The way down to one name; ``moved``: it begins at a coordinate of the meeting token, ``top``."""

    top: int
    moved: bool
    steps: tuple[Step, ...]


class Meeting(NamedTuple):
    """Where two names meet; ``through``: a place between them was passed ("born in Ulm, Germany")."""

    token: int
    left: Half
    right: Half
    through: bool


def meet(tree: Tree, left: Place, right: Place) -> Meeting | None:
    """Find the way between two names of a sentence; ``None`` when a third name stands in it, or they overlap."""
    if left.head == right.head or left.chain[-1] != right.chain[-1]:
        return None
    at = {token: k for k, token in enumerate(left.chain)}
    depth = next(k for k, token in enumerate(right.chain) if token in at)  # the sentence's main verb at the latest
    token = right.chain[depth]
    height = at[token]
    passed = max(_passes(tree, left, height, right), _passes(tree, right, depth, left))
    if passed == _BLOCKED or _is_third(tree, token, left, right):
        return None
    return Meeting(token, _half(tree, left, height), _half(tree, right, depth), passed == _THROUGH)


_FREE, _THROUGH, _BLOCKED = 0, 1, 2


def _passes(tree: Tree, place: Place, height: int, other: Place) -> int:
    """Tell whether another name stands between a name and the meeting token."""
    passed = _FREE
    for k in range(1, height):
        token = place.chain[k]
        owner = tree.owner[token]
        if owner < 0 or owner == place.number or owner == other.number:
            continue
        below = tree.dep[place.chain[k - 1]]
        if below == "conj":
            if tree.owner_kinds[owner] != place.kind:
                return _BLOCKED  # what the parser coordinates and is not of one kind, it most often got wrong
            continue
        if below in _COMMA_EDGES and place.kind in (PLACE, DATE) and tree.owner_kind(token) == place.kind:
            passed = _THROUGH
            continue
        return _BLOCKED
    return passed


def _is_third(tree: Tree, token: int, left: Place, right: Place) -> bool:
    return tree.owner[token] not in (-1, left.number, right.number)


def _half(tree: Tree, place: Place, height: int) -> Half:
    top, moved = place.chain[height], False
    steps: list[Step] = []
    prep = -1
    for token in reversed(place.chain[:height]):
        dep = tree.dep[token]
        if dep == "conj":
            if prep >= 0:
                prep = token
            elif steps:
                steps[-1] = steps[-1]._replace(node=token)
            else:
                top, moved = token, True
        elif dep == "prep" or (dep in ("agent", "dative") and tree.pos[token] == "ADP"):
            prep = token
        elif dep in ("pobj", "pcomp") and prep >= 0:
            steps.append(Step("prep" if dep == "pobj" else "pcomp", prep, token))
            prep = -1
        else:  # a preposition that governs no noun and no gerund belongs to no rule
            steps.append(Step(dep if prep < 0 else "dangling", prep, token))
            prep = -1
    return Half(top, moved, tuple(steps))
