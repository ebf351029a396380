"""Which relation the way between two names stands for, if any."""

from __future__ import annotations

from kgkit.extraction.local.statements import nominal
from kgkit.extraction.local.statements.finding import Finding
from kgkit.extraction.local.statements.kinds import DATE, GROUP, PERSON, PLACE
from kgkit.extraction.local.statements.paths import Half, Meeting, Step
from kgkit.extraction.local.statements.places import Place
from kgkit.extraction.local.statements.predicates import participle, preposition
from kgkit.extraction.local.statements.says import (
    PASSIVE,
    SUBJECT,
    Said,
    clause_says,
    controls_object,
    is_bare,
    is_done,
    noun_says,
    states_a_date,
)
from kgkit.extraction.local.statements.tree import Tree

__all__ = ["find_relation"]

_SUBJECTS = ("nsubj", "nsubjpass")
_VERBAL = ("VERB", "AUX")


def find_relation(tree: Tree, left: Place, right: Place, meeting: Meeting) -> Finding | None:
    """Find what the sentence says of two of its names; ``left`` comes first in the text."""
    if left.kind == DATE and right.kind == DATE:
        return None
    owner = tree.owner[meeting.token]
    if owner == left.number:
        return nominal.below_name(tree, left, right, meeting.right)
    if owner == right.number:
        return nominal.below_name(tree, right, left, meeting.left)
    if tree.pos[meeting.token] in _VERBAL:
        return _in_clause(tree, left, right, meeting)
    return nominal.at_noun(tree, left, right, meeting)


def _in_clause(tree: Tree, left: Place, right: Place, meeting: Meeting) -> Finding | None:
    for one, other, mine, its in (
        (left, right, meeting.left, meeting.right),
        (right, left, meeting.right, meeting.left),
    ):
        finding = _from_subject(tree, one, other, mine, its) or _from_object(tree, one, other, mine, its)
        if finding is not None:
            return finding
    return None


def _from_subject(tree: Tree, subject: Place, other: Place, mine: Half, its: Half) -> Finding | None:
    if mine.moved or not mine.steps or mine.steps[0].dep not in _SUBJECTS or subject.kind == DATE:
        return None
    if its.moved and tree.child(its.top, *_SUBJECTS) >= 0:
        return None
    rest = mine.steps[1:]
    if rest and rest[0].dep != "appos":
        return _inverse_copula(tree, subject, other, mine, its)
    if len(rest) > 1:
        return None
    passive = tree.child(its.top, "auxpass") >= 0 if its.moved else mine.steps[0].dep == "nsubjpass"
    if its.moved and tree.tag[its.top] == "VBN" and mine.steps[0].dep == "nsubjpass":
        passive = passive or tree.child(its.top, "aux") < 0
    kinds = (subject.kind, other.kind)
    said = clause_says(tree, its.top, PASSIVE if passive else SUBJECT, its.steps, kinds, other.name.name)
    return _finding(subject, other, said)


def _inverse_copula(tree: Tree, below: Place, named: Place, mine: Half, its: Half) -> Finding | None:
    """Read "the director of Y is X"."""
    if tree.lemma[its.top] != "be" or [step.dep for step in its.steps] != ["attr"] or named.kind == GROUP:
        return None
    noun = mine.steps[0].node
    said = noun_says(tree, noun, mine.steps[1:], (named.kind, below.kind), below.name.name)
    if said is None:
        return None
    said = said._replace(pattern="inverse_copula", words=(its.top,), asserted=True)
    return _finding(named, below, said)


def _from_object(tree: Tree, held: Place, other: Place, mine: Half, its: Half) -> Finding | None:
    """Read "named X director of Y", "asked X to join Y": the object is the subject of what follows."""
    if mine.moved or its.moved or [step.dep for step in mine.steps] != ["dobj"] or not its.steps:
        return None
    first = its.steps[0]
    kinds = (held.kind, other.kind)
    said: Said | None = None
    if first.dep in ("oprd", "xcomp") and tree.pos[first.node] in ("NOUN", "PROPN"):
        said = noun_says(tree, first.node, its.steps[1:], kinds, other.name.name)
        said = said and said._replace(pattern="object_complement", words=(its.top,), asserted=True)
    elif first.dep in ("xcomp", "advcl") and controls_object(tree, its.top, first.node):
        said = clause_says(tree, first.node, SUBJECT, its.steps[1:], kinds, other.name.name)
        said = said and said._replace(pattern="object_control", words=(*said.words, its.top))
    elif other.kind == DATE and first.dep in ("prep", "npadvmod") and len(its.steps) == 1:
        said = _object_dated(tree, its.top, first, other)
    elif other.kind == PLACE and held.kind != PERSON and first.dep == "prep" and is_bare(its.steps[1:]):
        said = _object_placed(tree, its.top, first)
    elif first.dep == "prep" and tree.lower[first.prep] == "as" and len(its.steps) > 1:
        said = noun_says(tree, first.node, its.steps[1:], kinds, other.name.name)
        said = said and said._replace(pattern="object_complement", words=(its.top,), asserted=True)
    return _finding(held, other, said)


def _object_dated(tree: Tree, verb: int, step: Step, date: Place) -> Said | None:
    """Read "released Y in 1990": the same as "Y was released in 1990"."""
    if tree.tag[verb] not in ("VBD", "VBN") or not states_a_date(tree, verb, PASSIVE, date.name.name):
        return None
    words = (verb, step.prep) if step.prep >= 0 else (verb,)
    return Said(
        f"{participle(tree, verb)}_{preposition(tree, step.prep) if step.prep >= 0 else 'on'}", "object_date", words
    )


def _object_placed(tree: Tree, verb: int, step: Step) -> Said | None:
    """Read "opened Y in Oslo": the same as "Y was opened in Oslo"."""
    word = preposition(tree, step.prep)
    if tree.tag[verb] not in ("VBD", "VBN") or not is_done(tree, verb) or word not in ("in", "at", "near", "on"):
        return None
    return Said(f"{participle(tree, verb)}_{word}", "object_place", (verb, step.prep))


def _finding(one: Place, other: Place, said: Said | None) -> Finding | None:
    if said is None:
        return None
    subject, object_ = (other, one) if said.inverse else (one, other)
    if subject.kind == DATE:
        return None
    return Finding(subject, said.predicate, object_, said.pattern, said.words, said.asserted)
