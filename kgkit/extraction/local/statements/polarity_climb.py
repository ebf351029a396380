"""The way from a verb up to the sentence's main verb, and what each word on it makes of the verbs below."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kgkit.extraction.local.statements import polarity_words as lexicon
from kgkit.extraction.local.statements.polarity_marks import (
    SUBJECTS,
    VERBAL,
    Marks,
    adjective_marks,
    clause_marks,
    has_no,
    own_marks,
)
from kgkit.extraction.local.statements.tree import Tree

__all__ = ["climb"]

_BASE_FORMS = ("VB", "VBN", "VBG")


class _Step(NamedTuple):
    """The next word on the way up: whether what belongs to it counts, and how a "not" there is to be read."""

    token: int
    own: bool
    complement: str


def climb(tree: Tree, token: int, marks: Marks) -> None:
    """Go up from a verb to the main verb, and let each word on the way have its say."""
    step: _Step | None = _Step(token, True, "")
    while step is not None:
        if step.own:
            own_marks(tree, step.token, step.complement, marks)
        else:
            clause_marks(tree, step.token, marks)
        token, head = step.token, tree.head[step.token]
        if head == token:
            return
        step = _UP.get(tree.dep[token], _plainly_up)(tree, token, head, marks)


def _plainly_up(tree: Tree, token: int, head: int, marks: Marks) -> _Step:
    return _Step(head, True, "")


def _up_from_relative(tree: Tree, token: int, head: int, marks: Marks) -> _Step | None:
    """Stop, for a noun's clause stands for itself; but "it was not Hopper who" goes on."""
    verb = tree.head[head]
    subject = tree.child(verb, "nsubj")
    cleft = tree.dep[head] == "attr" and subject >= 0 and tree.lower[subject] == "it"
    return _Step(verb, True, "") if cleft else None


def _up_from_aside(tree: Tree, token: int, head: int, marks: Marks) -> _Step:
    return _Step(head, False, "")


def _up_from_coordinate(tree: Tree, token: int, head: int, marks: Marks) -> _Step:
    if any(tree.lower[c] == "nor" for c in tree.children[head]):
        marks.denials.add(-1)
    return _Step(head, _shares_auxiliary(tree, token), "")


def _up_from_adverbial(tree: Tree, token: int, head: int, marks: Marks) -> _Step:
    """Note that purposes ("to join") and what is still to come ("when she joins, they will") are open."""
    if _is_infinitive(tree, token):
        came_to = tree.lemma[head] in lexicon.HAPPENING and tree.lower[head + 1 : token] in (["to"], ["on", "to"])
        if _is_result(tree, token, head):
            return _Step(head, True, "")
        marks.open |= not came_to
    elif tree.tag[token] in ("VBZ", "VBP"):
        marks.open |= any(tree.lower[c] in ("will", "'ll", "’ll") for c in tree.children[head])
    marks.open |= tree.lower[head] == "long"
    return _Step(head, False, "")


def _is_result(tree: Tree, verb: int, head: int) -> bool:
    """Tell "merged to form", which is as true as the merger."""
    return tree.lemma[head] in lexicon.PARTING and tree.lemma[verb] in lexicon.RESULTS


def _up_from_argument(tree: Tree, token: int, head: int, marks: Marks) -> _Step:
    if tree.pos[token] not in VERBAL:
        _action_marks(tree, head, marks)
    return _Step(head, True, "")


def _is_infinitive(tree: Tree, verb: int) -> bool:
    return any(tree.lower[c] == "to" and tree.dep[c] == "aux" for c in tree.children[verb])


def _shares_auxiliary(tree: Tree, verb: int) -> bool:
    """Tell whether a coordinate verb shares its auxiliary: "did not stop and JOIN", not "and JOINED"."""
    if tree.tag[verb] not in _BASE_FORMS or tree.pos[verb] not in VERBAL:
        return tree.pos[verb] not in VERBAL
    return not any(tree.dep[c] in ("aux", "auxpass", *SUBJECTS) and tree.lower[c] != "to" for c in tree.children[verb])


def _up_from_open_complement(tree: Tree, verb: int, head: int, marks: Marks) -> _Step:
    lemma = tree.lemma[head].lower()
    yet = lemma == "have" and any(tree.lower[c] == "yet" for c in tree.children[head])
    if lemma in lexicon.DENYING or yet:
        marks.denials.add(head)
    elif (lemma == "go" and tree.tag[head] == "VBG" and _is_infinitive(tree, verb)) or lemma in lexicon.OPENING:
        marks.open = True
    elif lemma in lexicon.HAPPENING or _is_result(tree, verb, head):
        return _Step(head, True, "")
    elif lemma in lexicon.REPORTING:
        marks.reported = True
    elif _is_infinitive(tree, verb):
        marks.open = True
    return _Step(head, True, "")


def _up_from_clausal_complement(tree: Tree, verb: int, head: int, marks: Marks) -> _Step | None:
    """Note what the verb above makes of its clause, and how a "not" there is to be read."""
    lemma = tree.lemma[head].lower()
    if lemma in lexicon.FACTIVE:
        return None
    if tree.tag[verb] == "VB" and not any(tree.dep[c] in ("aux", "auxpass") for c in tree.children[verb]):
        marks.open = True  # demanded that she join
    told_to = tree.child(head, *SUBJECTS) < 0 or tree.lemma[tree.head[head]] == "let"
    if lemma in ("suppose", "assume", "imagine") and told_to:
        marks.open = True
    elif lemma == "have" and any(tree.lower[c] == "it" and tree.dep[c] == "dobj" for c in tree.children[head]):
        marks.reported = True  # legend has it that
    elif lemma == "be":
        _adjective_above(tree, head, marks)
    elif lemma in lexicon.DENYING_THAT:
        marks.denials.add(head)
    elif lemma in lexicon.TELLING:
        marks.reported = True
        return _Step(head, True, "word")
    elif lemma in lexicon.OPENING:
        marks.open = True
    elif lemma in lexicon.REPORTING:
        marks.reported = True
    elif lemma in lexicon.PROVING:
        return _Step(head, True, "proof")
    return _Step(head, True, "")


def _adjective_above(tree: Tree, verb: int, marks: Marks) -> None:
    """Read "it is possible that", "it is false that"."""
    for child in tree.children[verb]:
        if tree.dep[child] in ("acomp", "attr"):
            adjective_marks(tree.lower[child], child, marks)


def _up_from_gerund(tree: Tree, verb: int, prep: int, marks: Marks) -> _Step:
    """Note what a preposition makes of its "joining"."""
    word, head = tree.lower[prep], tree.head[prep]
    if word in ("without", "than") or (word == "of" and prep > 0 and tree.lower[prep - 1] == "instead"):
        marks.denials.add(prep)
    lemma = tree.lemma[head].lower()
    if word == "from" and lemma in lexicon.PREVENTING:
        marks.denials.add(prep)
    elif word == "of" and lemma in lexicon.ACCUSING:
        marks.reported = True
    elif word in ("about", "to", "against", "towards", "toward") or lemma in lexicon.OPENING:
        marks.open = True
    return _Step(head, False, "")


def _up_from_noun_clause(tree: Tree, clause: int, noun: int, marks: Marks) -> _Step | None:
    """Note what a noun makes of its clause: "the plan to join", "the claim that she joined"."""
    lemma = tree.lemma[noun].lower()
    if _is_infinitive(tree, clause):
        near = {tree.lower[c] for c in tree.children[noun]} | {tree.lower[noun]}
        if near & lexicon.RANKING or any(tree.tag[c] == "JJS" for c in tree.children[noun]):
            return _Step(noun, True, "")
        if lemma in lexicon.DENYING_NOUNS:
            marks.denials.add(noun)
        marks.open = True
        _action_marks(tree, tree.head[noun], marks)
        return None
    if not any(tree.dep[c] == "mark" for c in tree.children[clause]):
        return None
    if has_no(tree, noun) or lemma in lexicon.DENYING_NOUNS:
        marks.denials.add(-1)
    elif lemma in lexicon.OPEN_NOUNS:
        marks.open = True
    elif lemma in lexicon.REPORTED_NOUNS:
        marks.reported = True
    _action_marks(tree, tree.head[noun], marks)
    return None


def _action_marks(tree: Tree, verb: int, marks: Marks) -> None:
    """Note what a verb makes of an action that is its subject or object: "blocked the acquisition of"."""
    lemma = tree.lemma[verb].lower()
    if lemma in lexicon.UNDOING:
        marks.denials.add(verb)
    elif lemma in lexicon.OPENING:
        marks.open = True
    elif lemma in lexicon.REPORTING:
        marks.reported = True


_UP: dict[str, Callable[[Tree, int, int, Marks], _Step | None]] = {
    "relcl": _up_from_relative,
    "conj": _up_from_coordinate,
    "xcomp": _up_from_open_complement,
    "ccomp": _up_from_clausal_complement,
    "advcl": _up_from_adverbial,
    "pcomp": _up_from_gerund,
    "acl": _up_from_noun_clause,
    "parataxis": _up_from_aside,
    "dobj": _up_from_argument,
    "pobj": _up_from_argument,
    "nsubj": _up_from_argument,
    "nsubjpass": _up_from_argument,
    "attr": _up_from_argument,
}
