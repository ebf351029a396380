"""Relations inside noun phrases: apposition, possession, titles, prepositions, place commas, actions as nouns."""

from __future__ import annotations

import re

from kgkit.extraction.local.statements.finding import Finding
from kgkit.extraction.local.statements.kinds import BODY, DATE, GROUP, OTHER, PERSON, PLACE
from kgkit.extraction.local.statements.paths import Half, Meeting, Step
from kgkit.extraction.local.statements.places import Place
from kgkit.extraction.local.statements.predicates import (
    between_names,
    is_place_noun,
    noun_predicate,
    origin_predicate,
    preposition,
)
from kgkit.extraction.local.statements.says import Said, clause_says, is_bare, is_based, noun_says, role_of_antecedent
from kgkit.extraction.local.statements.tree import Tree

__all__ = ["at_noun", "below_name"]

_MODIFIER = ("compound", "nmod", "amod", "poss")
_COMMA = ("appos", "npadvmod")
_NAME_PREPOSITIONS = frozenset(
    ["at", "by", "for", "from", "in", "inside", "near", "of", "on", "under", "with", "within"]
)
_ACTIONS = {
    "acquisition": "acquire",
    "adoption": "adopt",
    "annexation": "annex",
    "appointment": "appoint",
    "arrest": "arrest",
    "assassination": "assassinate",
    "attack": "attack",
    "bombing": "bomb",
    "conquest": "conquer",
    "construction": "build",
    "creation": "create",
    "defeat": "defeat",
    "design": "design",
    "destruction": "destroy",
    "development": "develop",
    "discovery": "discover",
    "election": "elect",
    "execution": "execute",
    "foundation": "found",
    "founding": "found",
    "introduction": "introduce",
    "invasion": "invade",
    "invention": "invent",
    "killing": "kill",
    "liberation": "liberate",
    "murder": "murder",
    "nomination": "nominate",
    "occupation": "occupy",
    "ownership": "own",
    "portrayal": "portray",
    "publication": "publish",
    "purchase": "buy",
    "sale": "sell",
    "shooting": "shoot",
    "support": "support",
    "takeover": "take_over",
    "translation": "translate",
    "use": "use",
}
_BORN = re.compile(r"\b(?:born|b\.)")
_DIED = re.compile(r"\b(?:died|d\.|†)")
_RANGE = re.compile(r"\d{3,4}\s*[-–—]\s*\d{2,4}")
_DASH_AFTER = re.compile(r"\s*[-–—]\s*\w")
_DASH_BEFORE = re.compile(r"\w\s*[-–—]\s*$")
_WHERE = frozenset(["at", "in", "into", "on", "near", "to"])
_FEW = 2  # words that may stand in "Ulm (in Germany)", "X (born in 1815)"
_YEARS = re.compile(r"\d{3,4}")


def below_name(tree: Tree, name: Place, other: Place, way: Half) -> Finding | None:
    """Find what a noun phrase says of the name at its head and a name inside it."""
    if way.moved and not way.steps:
        return _comma_pair(tree, name, other)
    if way.moved or not way.steps or name.kind == DATE:
        return None
    first, rest = way.steps[0], way.steps[1:]
    if other.kind == PLACE and is_based(tree, way.steps):
        return Finding(name, "based_in", other, "based")
    if first.dep in _COMMA and is_bare(rest) and (not rest or tree.owner[first.node] >= 0):
        return _in_apposition(tree, name, other, first)
    if first.dep in (*_MODIFIER, "nummod") and all(step.dep in _MODIFIER for step in rest):
        return _before_name(tree, name, other, way.steps)
    if first.dep == "prep" and is_bare(rest):
        return _after_preposition(tree, name, other, first)
    if first.dep == "appos" and tree.owner[first.node] < 0:
        said = noun_says(tree, first.node, rest, (name.kind, other.kind), other.name.name)
        return _found(name, other, said and said._replace(pattern="apposition." + said.pattern))
    if first.dep in ("relcl", "acl"):
        role = role_of_antecedent(tree, first.node, first.dep)
        who = any(tree.lower[c] == "who" for c in tree.children[first.node])
        if role is None or (who and name.kind in (PLACE, OTHER)):
            return None
        said = clause_says(tree, first.node, role, rest, (name.kind, other.kind), other.name.name)
        return _found(name, other, said and said._replace(pattern="clause." + said.pattern))
    return None


def _comma_pair(tree: Tree, name: Place, other: Place) -> Finding | None:
    """Read "Ulm, Germany" where the parser saw a list of two: places with a comma between and no "and"."""
    if name.kind != PLACE or other.kind != PLACE or tree.text[name.name.end : other.name.start] != ", ":
        return None
    family = (*tree.children[name.head], *tree.children[other.head])
    longer = tree.dep[name.head] == "conj" or sum(tree.dep[c] in ("cc", "conj") for c in family) > 1
    return None if longer else Finding(name, "located_in", other, "place_list")


def _in_apposition(tree: Tree, name: Place, other: Place, step: Step) -> Finding | None:
    kinds = (name.kind, other.kind)
    between = range(min(name.last, other.last), max(name.first, other.first))
    if sum(tree.owner[i] < 0 and tree.lower[i].isalpha() for i in between) > _FEW:
        return None
    if other.kind == PLACE and name.kind in (PLACE, BODY, OTHER):
        return Finding(name, "located_in", other, "place_comma" if name.kind == PLACE else "body_comma")
    if name.kind == PLACE and other.kind == BODY:
        return Finding(other, "located_in", name, "comma_body")
    if other.kind == DATE and _YEARS.search(other.name.name):
        predicate = _date_in_brackets(tree, name, other)
        if predicate == "dated" and name.kind == PERSON and "(" not in tree.text[name.name.end : other.name.start]:
            return None  # a year beside a person says nothing
        return Finding(name, predicate, other, "bracketed_date")
    if kinds == (PERSON, PLACE):
        return Finding(name, "from", other, "person_comma")
    if kinds == (PERSON, BODY):
        return Finding(name, "affiliated_with", other, "person_comma")
    if _abbreviates(other.name.name, name.name.name):
        return Finding(name, "also_known_as", other, "abbreviation")
    return None


def _date_in_brackets(tree: Tree, name: Place, date: Place) -> str:
    """Name what the date after a name is: "Hopper (9 December 1906 – 1 January 1992)"."""
    before, after = tree.text[name.name.end : date.name.start], tree.text[date.name.end : date.name.end + 4]
    if name.kind != PERSON or not ("(" in before or before.strip() in (",", ",-") or _DASH_BEFORE.search(before)):
        return "dated"
    if _RANGE.search(date.name.name):
        return "lived"
    if _BORN.search(before):
        return "born_in"
    if _DIED.search(before):
        return "die_in"
    if _DASH_AFTER.match(after):
        return "born_in"
    return "die_in" if _DASH_BEFORE.search(before) else "dated"


def _abbreviates(short: str, long: str) -> bool:
    letters = [c.lower() for c in short if c.isalpha()]
    initials = [w[0].lower() for w in re.findall(r"[^\W\d_]+", long) if w[0].isupper()]
    return 2 <= len(letters) <= 8 and letters == initials


def _before_name(tree: Tree, name: Place, other: Place, steps: tuple[Step, ...]) -> Finding | None:
    """Read "Ford executive X", "the German painter X", "Ethiopia's High Court"."""
    if other.kind == DATE:
        dated = name.kind == OTHER and _YEARS.search(other.name.name)
        return Finding(name, "dated", other, "date_before") if dated else None
    titles = [
        i
        for i in range(other.last, name.first)
        if tree.owner[i] < 0 and tree.pos[i] in ("NOUN", "PROPN") and tree.dep[i] in (*_MODIFIER, "appos")
    ]
    if other.kind == GROUP:
        return Finding(name, origin_predicate(name.kind), other, "title.group")
    if titles and (steps[0].dep != "poss" or name.kind == PERSON):
        return Finding(name, noun_predicate(tree, titles[-1]), other, "title")
    if steps[0].dep == "poss":
        return Finding(name, between_names(tree, name.kind, other.kind, "of"), other, "possessive")
    if other.kind == PLACE and name.kind in (BODY, PLACE):
        return Finding(name, "located_in", other, "place_before")
    if name.kind == PERSON and other.kind == BODY:
        return Finding(name, "affiliated_with", other, "body_before")
    return None


def _after_preposition(tree: Tree, name: Place, other: Place, step: Step) -> Finding | None:
    word = preposition(tree, step.prep)
    if other.kind == DATE and not _YEARS.search(other.name.name):
        return None
    predicate = between_names(tree, name.kind, other.kind, word)
    technical = name.kind == OTHER and other.kind == OTHER
    if word not in _NAME_PREPOSITIONS and not (technical and word.isalpha()):
        return None
    group = word if word in ("in", "of", "at", "from", "by", "for", "with") else "other"
    return Finding(name, predicate, other, "name_prep." + group)


def at_noun(tree: Tree, left: Place, right: Place, meeting: Meeting) -> Finding | None:
    """Find what a common noun says of two names that both belong to it."""
    noun = meeting.token
    if tree.pos[noun] not in ("NOUN", "PROPN") or meeting.left.moved or meeting.right.moved:
        return None
    for one, other, mine, its in (
        (left, right, meeting.left, meeting.right),
        (right, left, meeting.right, meeting.left),
    ):
        if [step.dep for step in mine.steps] == ["appos"]:
            said = noun_says(tree, noun, its.steps, (one.kind, other.kind), other.name.name)
            return _found(one, other, said and said._replace(pattern="noun_apposition." + said.pattern))
    return _action(tree, left, right, meeting) or _held_by_noun(tree, left, right, meeting)


def _action(tree: Tree, left: Place, right: Place, meeting: Meeting) -> Finding | None:
    """Read "the acquisition of Y by X", "X's acquisition of Y"."""
    verb = _ACTIONS.get(tree.lemma[meeting.token].lower())
    if verb is None or len(meeting.left.steps) != 1 or len(meeting.right.steps) != 1:
        return None
    roles = {}
    for place, half in ((left, meeting.left), (right, meeting.right)):
        step = half.steps[0]
        word = tree.lower[step.prep] if step.dep == "prep" else step.dep
        roles[word] = place
    done_by = roles.get("by") or roles.get("poss") or roles.get("compound")
    done_to = roles.get("of") or (roles.get("poss") if "by" in roles else None)
    if done_by is None or done_to is None or done_by is done_to or DATE in (done_by.kind, done_to.kind):
        return None
    return Finding(done_by, verb, done_to, "action_noun", (meeting.token,), True)


def _held_by_noun(tree: Tree, left: Place, right: Place, meeting: Meeting) -> Finding | None:
    """Read "X's contract with Y", "the German city of Y"."""
    first, second = meeting.left.steps, meeting.right.steps
    if len(first) != 1 or len(second) != 1 or second[0].dep != "prep" or DATE in (left.kind, right.kind):
        return None
    word = preposition(tree, second[0].prep)
    city = is_place_noun(tree, meeting.token)
    if city and first[0].dep in _MODIFIER and word == "of" and right.kind == PLACE and left.kind in (PLACE, GROUP):
        return Finding(right, "located_in", left, "place_of")
    if first[0].dep == "poss":
        held = tree.dep[meeting.token] in ("dobj", "pobj", "conj", "oprd")
        if left.means == "pronoun" and held and word in _WHERE:
            return None  # ran its program in Ulm: the running was there
        return Finding(left, noun_predicate(tree, meeting.token, word), right, "possessed_prep", (meeting.token,))
    if (
        first[0].dep == "compound"
        and right.kind == PLACE
        and left.kind in (BODY, OTHER)
        and word in ("in", "at", "near")
    ):
        return Finding(left, "located_in", right, "compound_in")
    if first[0].dep == "prep" and left.kind == PLACE and right.kind == PLACE and word in ("in", "of"):
        return Finding(left, "located_in", right, "prep_prep_place")
    return None


def _found(one: Place, other: Place, said: Said | None) -> Finding | None:
    if said is None:
        return None
    subject, object_ = (other, one) if said.inverse else (one, other)
    if subject.kind == DATE:
        return None
    return Finding(subject, said.predicate, object_, said.pattern, said.words, said.asserted)
