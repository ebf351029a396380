"""Words that stand for a name: he, she, it, and "the company", where one name only can be meant.

The rule is that of the centre of attention: the name that was the subject of the latest sentence with such a subject
is what the next pronoun means, if it is of a fitting kind. A pronoun in the same sentence means the sentence's own
subject, if that is a name and comes before it. Where the latest subject does not fit, nothing is resolved.
"""

from __future__ import annotations

from kgkit.extraction.local.statements.kinds import BODY, DATE, GROUP, OTHER, PERSON, PLACE
from kgkit.extraction.local.statements.tree import Place, Tree
from kgkit.extraction.local.statements.vocabulary import words as _words

__all__ = ["place_pronouns"]

_PERSONAL = _words("he she him his her")
_NEUTER = _words("it its")
_SUBJECTS = ("nsubj", "nsubjpass")
_NOUNS = {
    BODY: _words(
        """
        agency association bank band brand broadcaster business charity chain church club college company
        corporation firm foundation group institute institution manufacturer museum network newspaper organisation
        organization party publisher school studio team university
        """
    ),
    PLACE: _words(
        """
        area borough building city commune community country county district island lake municipality park province
        region river settlement station town township village
        """
    ),
    OTHER: _words(
        """
        album award book computer device episode event film game language machine magazine novel play program
        project series show single software song system war battle
        """
    ),
    PERSON: frozenset(),
}


def place_pronouns(tree: Tree, places: list[Place]) -> list[Place]:
    """Find the words that stand for one of the names, each as a further place of that name."""
    if not places:
        return []
    subjects = _subjects(tree, places)
    described = _descriptions(tree, places)
    centre: dict[str, Place] = {}
    found: list[Place] = []
    for number, (first, last) in enumerate(tree.sentences):
        own = subjects.get(number)
        for i in range(first, last):
            word = tree.lower[i]
            if word in _PERSONAL:
                antecedent = _of_sentence(own, i, PERSON) or centre.get(PERSON)
            elif word in _NEUTER:
                antecedent = _thing_of_sentence(own, i) or centre.get(OTHER)
            elif word in ("the", "this") and number > 0:
                antecedent, i = _definite(tree, i, described, centre)
            else:
                continue
            if antecedent is not None and tree.owner[i] < 0:
                found.append(_stand_in(tree, antecedent, i, len(places) + len(found), word))
        if own is not None:
            centre[PERSON if own.kind == PERSON else OTHER] = own
    return found


def _stand_in(tree: Tree, antecedent: Place, i: int, number: int, word: str) -> Place:
    means = "noun" if word in ("the", "this") else "pronoun"
    place = Place(number, antecedent.name, tree, i, i + 1, means)
    tree.owner[i] = number
    tree.owner_kinds.append(place.kind)
    return place


def _subjects(tree: Tree, places: list[Place]) -> dict[int, Place]:
    found: dict[int, Place] = {}
    for place in places:
        head = place.head
        if tree.dep[head] in _SUBJECTS and place.kind not in (DATE, GROUP):
            verb = tree.head[head]
            if tree.head[verb] == verb or tree.dep[verb] == "ccomp":
                found.setdefault(tree.sentence[head], place)
    return found


def _of_sentence(own: Place | None, i: int, kind: str) -> Place | None:
    return own if own is not None and own.last <= i and own.kind == kind else None


def _thing_of_sentence(own: Place | None, i: int) -> Place | None:
    return own if own is not None and own.last <= i and own.kind != PERSON else None


def _descriptions(tree: Tree, places: list[Place]) -> dict[str, Place]:
    """Nouns by which a name is introduced: "Olympia is a machine", "the firm Leo Computers"."""
    found: dict[str, Place] = {}
    for place in places:
        head = place.head
        if tree.dep[head] == "nsubj" and tree.lemma[tree.head[head]] == "be":
            noun = tree.child(tree.head[head], "attr")
            if noun >= 0 and tree.owner[noun] < 0:
                found.setdefault(tree.lemma[noun].lower(), place)
    return found


def _definite(tree: Tree, i: int, described: dict[str, Place], centre: dict[str, Place]) -> tuple[Place | None, int]:
    noun = tree.head[i]
    if tree.dep[i] != "det" or not i < noun <= i + 1 or tree.pos[noun] != "NOUN" or tree.tag[noun] != "NN":
        return None, noun
    lemma = tree.lemma[noun].lower()
    place = described.get(lemma)
    if place is not None and place.last <= i:
        return place, noun
    thing = centre.get(OTHER)
    if thing is not None and lemma in _NOUNS.get(thing.kind, ()):
        return thing, noun
    return None, noun
