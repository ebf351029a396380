"""Predicates in normal form: the lemma, and the preposition, in snake_case.

=============================  ====================
words                          predicate
=============================  ====================
works at                       ``work_at``
was born in                    ``born_in``
was founded by (active)        ``found``
is the director of             ``director_of``
is a former director of        ``former_director_of``
took over                      ``take_over``
took a degree at               ``take_degree_at``
is a town in                   ``located_in``
=============================  ====================
"""

from __future__ import annotations

import re

from kgkit.extraction.local.statements.kinds import BODY, DATE, GROUP, OTHER, PERSON, PLACE
from kgkit.extraction.local.statements.tree import Tree
from kgkit.extraction.local.statements.vocabulary import words as _words

__all__ = [
    "between_names",
    "is_place_noun",
    "noun_predicate",
    "origin_predicate",
    "participle",
    "preposition",
    "verb_predicate",
]

_WORD = re.compile(r"[^\w]+")
_QUALIFIERS = _words("former ex late vice deputy assistant associate acting interim honorary co joint")
_LEMMA = {"bear": "born"}
_PARTICIPLE = {"began": "begun", "bore": "born", "drew": "drawn", "sang": "sung", "took": "taken", "wrote": "written"}
_PLACE_NOUNS = _words(
    """
    area borough capital center centre city commune community county department district hamlet island lake locality
    municipality mountain neighborhood neighbourhood parish port province quarter region river settlement state
    station street suburb territory town township valley village ward zone
    """
)
_LIGHT = _words("earn gain get give have hold keep lose make obtain play receive show spend start take win")
"""Verbs that say little without their object: "took a degree at"."""
_BARE = _words("put brought bring take taken get set")
_TOGETHER = _words("together apart away back down forward up out")
_ONE_SOUND = re.compile(r"[^aeiou]*[aeiou][bdgkmnpt]")
_IN = _words("in at within inside near on")


def verb_predicate(tree: Tree, verb: int, prep: int = -1, *, passive: bool = False) -> str:
    """Name what a verb says: ``work_at``, ``take_over``, and for a passive without its agent ``located_in``."""
    as_written = passive or (tree.lower[verb] == "found" and _is_bare(tree, verb))
    lemma = tree.lower[verb] if as_written else _lemma(tree, verb)
    words = [_LEMMA.get(lemma, lemma)]
    held = -1 if passive or prep < 0 or words[0] not in _LIGHT else tree.child(verb, "dobj")
    if 0 <= held < prep and tree.owner[held] < 0 and tree.pos[held] == "NOUN":
        words.append(tree.lemma[held].lower())
    particle = tree.child(verb, "prt")
    if particle < 0 and words[0] in _BARE:
        particle = next((c for c in tree.children[verb] if c > verb and tree.lower[c] in _TOGETHER), -1)
    if particle >= 0:
        words.append(tree.lower[particle])
    if prep >= 0:
        words.append(preposition(tree, prep))
    return _joined(words)


def _lemma(tree: Tree, verb: int) -> str:
    """Give the lemma, put right where a final "e" was lost: "taped" is of "tape", or it were "tapped"."""
    lemma = tree.lemma[verb].lower()
    return f"{lemma}e" if tree.lower[verb] == f"{lemma}ed" and _ONE_SOUND.fullmatch(lemma) else lemma


def _is_bare(tree: Tree, verb: int) -> bool:
    """Tell the verb "to found" from a past form of "to find", which the lemmatizer does not."""
    return tree.tag[verb] == "VB" or any(tree.lemma[c] == "do" and tree.dep[c] == "aux" for c in tree.children[verb])


def participle(tree: Tree, verb: int) -> str:
    """Give a verb's past participle, as a passive would have it."""
    return _PARTICIPLE.get(tree.lower[verb], tree.lower[verb])


def noun_predicate(tree: Tree, noun: int, prep: str = "of") -> str:
    """Name what a noun says of two names: ``director_of``, ``vice_president_of``, ``professor_at``."""
    words = [tree.lower[c] for c in tree.children[noun] if c < noun and tree.lower[c] in _QUALIFIERS]
    in_law = ["in_law"] if tree.lower[noun + 1 : noun + 5] == ["-", "in", "-", "law"] else []
    return _joined([*words, tree.lemma[noun].lower(), *in_law, prep])


def is_place_noun(tree: Tree, noun: int) -> bool:
    """Tell whether a noun says that something is a place: "the city of X"."""
    return tree.lemma[noun].lower() in _PLACE_NOUNS


def preposition(tree: Tree, prep: int) -> str:
    """Give the preposition's word; ``without`` is ``with``, for the polarity says that it is not."""
    word = tree.lower[prep]
    if word == "without":
        return "with"
    head = tree.head[prep]
    if tree.dep[prep] == "prep" and tree.dep[head] == "prep" and head == prep - 1:
        return f"{tree.lower[head]}_{word}"
    return word


def origin_predicate(subject_kind: str) -> str:
    """Name what "a German painter" says of a person, "a German company" of anything else."""
    return "nationality" if subject_kind == PERSON else "origin"


def between_names(tree: Tree, subject_kind: str, object_kind: str, prep: str, noun: int = -1) -> str:
    """Name what a preposition between two names says, perhaps through a noun ("X, a town in Y").

    Examples:
        "the Grand Hotel in Oslo" gives ``located_in``, "Ada of Ockham" gives ``from``.
    """
    if object_kind == DATE:
        return "dated"
    placed = object_kind == PLACE and subject_kind in (PLACE, BODY, OTHER)
    if noun >= 0:
        if (
            object_kind in (PLACE, GROUP)
            and subject_kind == PLACE
            and is_place_noun(tree, noun)
            and (prep in _IN or prep == "of")
        ):
            return "located_in"
        return noun_predicate(tree, noun, prep)
    if placed and (prep in _IN or (prep == "of" and subject_kind == PLACE)):
        return "located_in"
    if subject_kind == PERSON and object_kind == BODY and prep in ("at", "of", "from", "in", "with"):
        return "affiliated_with"
    if subject_kind == PERSON and object_kind == PLACE and prep in ("in", "at", "of", "from"):
        return "located_in" if prep in ("in", "at") else "from"
    return prep


def _joined(words: list[str]) -> str:
    return "_".join(filter(None, (_WORD.sub("_", word).strip("_") for word in words)))
