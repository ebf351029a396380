"""Attachments that the kinds of the names show to be wrong, put right before any rule looks at the tree."""

from __future__ import annotations

from kgkit.extraction.local.statements.kinds import BODY, PERSON, PLACE
from kgkit.extraction.local.statements.tree import Tree

__all__ = ["repair"]

_CIRCUMSTANCE = ("at", "in", "on")


def repair(tree: Tree, heads: list[tuple[int, str]]) -> None:
    """Attach anew what follows a name.

    - "founded by Jobs **in Cupertino**": the founding was there, so the phrase belongs to the verb.
    - "the president of Ford, **John Smith**": no firm is a person, so the apposition belongs to "president".

    Args:
        tree: The chunk; its ``head`` and ``children`` are changed.
        heads: The topmost token of each name, and the name's kind.
    """
    for head, kind in heads:
        if kind == PERSON and tree.dep[head] == "pobj" and tree.dep[tree.head[head]] == "agent":
            verb = tree.head[tree.head[head]]
            for child in [c for c in tree.children[head] if tree.dep[c] == "prep" and tree.lower[c] in _CIRCUMSTANCE]:
                _move(tree, child, verb)
        elif kind == PERSON and tree.dep[head] == "appos":
            holder = tree.head[head]
            noun = tree.head[tree.head[holder]]
            named = tree.owner_kind(holder) in (BODY, PLACE) and tree.owner[noun] < 0
            if named and tree.dep[holder] == "pobj" and tree.pos[noun] == "NOUN":
                _move(tree, head, noun)


def _move(tree: Tree, token: int, head: int) -> None:
    tree.children[tree.head[token]].remove(token)
    tree.head[token] = head
    tree.children[head] = sorted([*tree.children[head], token])
