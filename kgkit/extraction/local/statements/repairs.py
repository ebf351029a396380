"""Attachments that the kinds of the names show to be wrong, put right before any rule looks at the tree."""

from __future__ import annotations

from kgkit.extraction.local.statements.kinds import BODY, OTHER, PERSON, PLACE
from kgkit.extraction.local.statements.tree import Tree
from kgkit.extraction.local.statements.vocabulary import words

__all__ = ["repair"]

_NAMING = words(
    """
    appoint brand call choose consider crown declare deem dub elect hail label make name nominate proclaim
    """
)
_CIRCUMSTANCE = ("at", "in", "on")


def repair(tree: Tree, heads: list[tuple[int, str]]) -> None:
    """Attach anew what follows a name.

    - "founded by Jobs **in Cupertino**": the founding was there, so the phrase belongs to the verb.
    - "the president of Ford, **John Smith**": no firm is a person, so the apposition belongs to "president".
    - "Ada, an engineer; **the firm Leo**; and Bo": what follows a semicolon is another item of the list.
    - "Ada, **at the bank in Ulm**, wanted ...": set off by commas, it says where Ada was.
    - "left to found Leo **with Bo**": Bo is no part of a firm, so the phrase belongs to the verb.
    - "called Hopper **the founder**", "elected Hopper **president**": without a comma it is what she was called.

    Args:
        tree: The chunk; its ``head``, ``dep`` and ``children`` are changed.
        heads: The topmost token of each name, and the name's kind.
    """
    for head, kind in heads:
        _part_list(tree, head)
        _repair_aside(tree, head, kind)
        if kind in (PERSON, BODY) and tree.dep[head] in ("dobj", "compound"):
            _repair_office(tree, head)
        elif kind == PERSON and tree.dep[head] == "pobj" and tree.dep[tree.head[head]] == "agent":
            verb = tree.head[tree.head[head]]
            for child in [c for c in tree.children[head] if tree.dep[c] == "prep" and tree.lower[c] in _CIRCUMSTANCE]:
                _move(tree, child, verb)
        elif kind == PERSON and tree.dep[head] == "appos":
            holder = tree.head[head]
            noun = tree.head[tree.head[holder]]
            named = tree.owner_kind(holder) in (BODY, PLACE) and tree.owner[noun] < 0
            if named and tree.dep[holder] == "pobj" and tree.pos[noun] == "NOUN":
                _move(tree, head, noun)


def _part_list(tree: Tree, head: int) -> None:
    """Cut an apposition off that stands behind a semicolon, or is many things where the name is one person."""
    for child in tree.children[head]:
        if tree.dep[child] == "appos" and any(tree.lower[i] == ";" for i in range(head, child)):
            tree.dep[child] = "parataxis"
    if tree.dep[head] == "appos" and any(tree.lower[i] == ";" for i in range(tree.head[head], head)):
        tree.dep[head] = "parataxis"


def _repair_aside(tree: Tree, head: int, kind: str) -> None:
    if kind == PERSON and tree.dep[head] in ("nsubj", "nsubjpass"):
        verb, prep = tree.head[head], head + 2
        aside = prep < verb and tree.lower[head + 1] == "," and tree.lower[prep] in ("at", "of", "from")
        if aside and tree.head[prep] == verb and tree.dep[prep] == "prep":
            _move(tree, prep, head)
    elif kind == PERSON and tree.dep[head] == "pobj" and tree.lower[tree.head[head]] == "with":
        prep = tree.head[head]
        held = tree.head[prep]
        if tree.dep[held] == "dobj" and tree.owner_kind(held) in (BODY, OTHER):
            _move(tree, prep, tree.head[held])


def _repair_office(tree: Tree, name: int) -> None:
    above = tree.head[name]
    if tree.dep[name] == "dobj" and tree.lemma[above].lower() in _NAMING:
        for noun in [c for c in tree.children[name] if tree.dep[c] == "appos" and tree.owner[c] < 0]:
            if not any(tree.lower[i] in (",", "(", "-", "--", "–", "—") for i in range(name, noun)):
                _move(tree, noun, above)
                tree.dep[noun] = "oprd"
    elif tree.dep[name] == "compound" and above == name + 1 and tree.dep[above] == "dobj" and tree.owner[above] < 0:
        verb = tree.head[above]
        if tree.lemma[verb].lower() in _NAMING:
            _move(tree, name, verb)
            tree.dep[name], tree.dep[above] = "dobj", "oprd"


def _move(tree: Tree, token: int, head: int) -> None:
    tree.children[tree.head[token]].remove(token)
    tree.head[token] = head
    tree.children[head] = sorted([*tree.children[head], token])
