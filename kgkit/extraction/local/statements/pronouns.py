"""Words that stand for a name: he, she, it, and "the company", where one name only can be meant.

The rule is that of the centre of attention: the name that was the subject of the latest sentence with such a subject
is what the next pronoun means, if it is of a fitting kind. A pronoun in the same sentence means the sentence's own
subject, if that is a name and comes before it. Where the latest subject does not fit, or is a name that
was not found, nothing is resolved; nor is "he" to what a given name, or an earlier pronoun, shows to be a woman.
"""

from __future__ import annotations

from kgkit.extraction.local.statements.kinds import BODY, DATE, GROUP, OTHER, PERSON, PLACE
from kgkit.extraction.local.statements.places import Place
from kgkit.extraction.local.statements.tree import Tree
from kgkit.extraction.local.statements.vocabulary import words as _words

__all__ = ["place_pronouns"]

_PERSONAL = {"he": "m", "him": "m", "his": "m", "she": "f", "her": "f"}
_FEMALE = _words(
    """
    ada adele agnes alice amy andrea angela anita ann anna anne annie barbara beatrice betty carol caroline
    catherine charlotte christine claire clara daisy deborah diana dorothy edith elena elizabeth ella ellen emily
    emma esther eva evelyn florence frances gertrude grace hannah harriet helen helena ida irene isabel isabella
    jane janet jean jennifer jessica joan joanna judith julia julie karen kate katherine kathleen klara laura leah
    linda lisa louise lucy lydia mabel margaret maria marie marion martha mary maud michelle mildred miriam nancy
    natalie nina nora olga olivia pamela patricia pauline rachel rebecca rosa rose rosalind ruth sally sandra sara
    sarah sharon sophia sophie stephanie susan sylvia teresa theresa ursula valerie vera victoria virginia
    """
)
_MALE = _words(
    """
    aaron abraham adam alan albert alexander alfred andrew anthony antonio arnold arthur benjamin bernard bill bob
    brian carl carlos charles christopher claude clifford daniel david dennis donald douglas edgar edmund edward
    eric ernest eugene felix francis frank franz fred frederick gary geoffrey george gerald gilbert giovanni gordon
    gregory hans harold harry heinrich henry herbert herman howard hugh isaac ivan jack jacob james jason jeffrey
    jim joe johann john johnny jonathan jose joseph juan julius karl keith kenneth kevin konrad lawrence leonard
    louis luigi mark martin matthew max michael nathan nicholas norman oscar otto patrick paul peter philip ralph
    raymond richard robert roger ronald roy samuel scott sebastian simon stanley stephen steve steven thomas timothy
    tom tommy victor vincent vladimir walter wilhelm william wolfgang
    """
)
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
    unknown = _unknown_subjects(tree)
    resolver = _Resolver(tree, places, _descriptions(tree, places))
    found: list[Place] = []
    for number, (first, last) in enumerate(tree.sentences):
        if first and "\n\n" in tree.text[tree.starts[first - 1] : tree.starts[first]]:
            resolver.begin_paragraph()
        resolver.enter(subjects.get(number), unknown=number in unknown)
        for i in range(first, last):
            antecedent, token = resolver.resolve(i)
            if antecedent is not None and tree.owner[token] < 0:
                found.append(_stand_in(tree, antecedent, token, len(places) + len(found), tree.lower[i]))
        resolver.leave()
    return found


class _Resolver:
    """What is at the centre of attention, sentence by sentence."""

    def __init__(self, tree: Tree, places: list[Place], described: dict[str, Place]) -> None:
        self._tree = tree
        self._places = places
        self._described = described
        self._person: Place | None = None
        self._thing: Place | None = None
        self._own: Place | None = None
        self._gender: dict[str, str] = {}

    def enter(self, own: Place | None, *, unknown: bool) -> None:
        """Begin a sentence, whose subject is the name ``own``, or a name that was not found."""
        self._own = own
        if unknown:
            self._person = self._thing = None

    def begin_paragraph(self) -> None:
        """Forget the thing that was talked of: a new paragraph most often has another; people go on."""
        self._thing = None

    def leave(self) -> None:
        """End a sentence: its subject is what the next pronouns mean."""
        if self._own is not None and self._own.kind == PERSON:
            self._person = self._own
        elif self._own is not None:
            self._thing = self._own

    def resolve(self, i: int) -> tuple[Place | None, int]:
        """Tell what token ``i`` stands for, and the token at the head of its phrase."""
        word = self._tree.lower[i]
        gender = _PERSONAL.get(word)
        if gender is not None:
            person = self._partner(i, person=True) or self._before(i, person=True) or self._person
            return (person if person is not None and self._agrees(person, gender) else None), i
        if word in _NEUTER:
            return self._partner(i, person=False) or self._before(i, person=False) or self._thing, i
        if word in ("the", "this"):
            return self._definite(i)
        return None, i

    def _partner(self, i: int, *, person: bool) -> Place | None:
        """Read "Pouzin and his network", "Ford and its president": the one that is named with it."""
        tree, noun = self._tree, self._tree.head[i]
        if tree.dep[i] != "poss" or tree.dep[noun] != "conj":
            return None
        owner = tree.owner[tree.head[noun]]
        place = self._places[owner] if 0 <= owner < len(self._places) else None
        return place if place is not None and (place.kind == PERSON) == person else None

    def _before(self, i: int, *, person: bool) -> Place | None:
        own = self._own
        return own if own is not None and own.last <= i and (own.kind == PERSON) == person else None

    def _agrees(self, person: Place, gender: str) -> bool:
        """Hold each person to the gender of the given name, or else of the first pronoun for it."""
        given = person.name.name.split()[0].lower()
        known = "f" if given in _FEMALE else "m" if given in _MALE else ""
        return (known or self._gender.setdefault(person.name.name, gender)) == gender

    def _definite(self, i: int) -> tuple[Place | None, int]:
        """Read "the company" as the company that was introduced as such, or that the last sentence was about."""
        tree, noun = self._tree, self._tree.head[i]
        if tree.dep[i] != "det" or noun != i + 1 or tree.tag[noun] != "NN":
            return None, noun
        if any(tree.dep[c] in ("relcl", "acl", "prep") for c in tree.children[noun]):
            return None, noun  # the group that built it: another one
        lemma = tree.lemma[noun].lower()
        place = self._described.get(lemma)
        if place is not None and tree.sentence[place.head] < tree.sentence[noun]:
            return place, noun
        thing = self._thing
        return (thing if thing is not None and lemma in _NOUNS.get(thing.kind, ()) else None), noun


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
        if tree.dep[head] in _SUBJECTS and place.kind not in (DATE, GROUP) and tree.tag[head] not in ("NNS", "NNPS"):
            verb = tree.head[head]
            if tree.head[verb] == verb or tree.dep[verb] == "ccomp":
                found.setdefault(tree.sentence[head], place)
    return found


def _unknown_subjects(tree: Tree) -> set[int]:
    """Sentences about a name that was not found: what a pronoun in or after them means cannot be known."""
    found = set()
    for i in range(tree.length):
        if tree.dep[i] in _SUBJECTS and tree.pos[i] == "PROPN" and tree.owner[i] < 0:
            verb = tree.head[i]
            if tree.head[verb] == verb:
                found.add(tree.sentence[i])
    return found


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
