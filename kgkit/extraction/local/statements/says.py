"""What a verb or a noun says of the name it belongs to and of a name below it in the tree."""

from __future__ import annotations

import re
from typing import NamedTuple

from kgkit.extraction.local.statements.kinds import DATE, GROUP, PLACE
from kgkit.extraction.local.statements.paths import Step
from kgkit.extraction.local.statements.predicates import (
    between_names,
    noun_predicate,
    origin_predicate,
    preposition,
    verb_predicate,
)
from kgkit.extraction.local.statements.tree import Tree
from kgkit.extraction.local.statements.vocabulary import words as _words

__all__ = [
    "OBJECT",
    "PASSIVE",
    "SUBJECT",
    "Said",
    "clause_says",
    "controls_object",
    "is_bare",
    "is_based",
    "is_done",
    "noun_says",
    "role_of_antecedent",
    "states_a_date",
]

SUBJECT, PASSIVE, OBJECT = "subject", "passive", "object"

_VERBAL = ("VERB", "AUX")
_MODIFIER = ("compound", "nmod", "amod", "poss")
_LINKING = _words("be become remain")
_NO_RELATION = _words("like unlike despite except besides than as per according including between among")
_YEAR = re.compile(r"\b\d{3,4}(?:s|\b)")
_ONE_OF = _words("one some many most several two three")
_ORDER = _words("four five six seven eight nine ten first second third last next other rest half")
_OF_NAMES = _words("name surname pseudonym nickname alias")
_AS_SUBJECT = _words("join leave succeed replace enter")
_BEING = _words("in at on near from within inside under with against for")
_SAYING_NOTHING = _words("do happen say seem want")
_OBJECT_CONTROL = _words(
    """
    advise allow appoint ask authorise authorize cause choose commission compel convince direct employ enable
    encourage engage expect force get help hire induce inspire instruct invite lead let make motivate need order
    permit persuade press prompt push recruit require see send teach tell tempt urge want warn watch
    """
)
_NAMING = _words("bear call dub know name nickname style term title")
_INTENTIONS = _words(
    """
    agreement attempt bid chance contract deal decision desire effort intention invitation offer opportunity option
    order permission plan promise proposal refusal request right vow
    """
)
_HAPPENS = _words(
    """
    begin close collapse crash debut die disband dissolve emigrate end expire explode form graduate merge occur open
    premiere resign retire sink start
    """
)
_IS_DONE = _words(
    """
    abolish acquire adopt air annex appoint arrest assassinate award bear build buy capture close commission
    complete conclude conquer construct create demolish destroy disband discontinue discover dissolve elect enact
    establish execute expand find form found inaugurate incorporate introduce invade invent kill launch merge murder
    occupy open organise organize patent premiere publish ratify record rediscover release rename sign start unveil
    win write design develop fight hold make pass produce
    """
)


class Said(NamedTuple):
    """A predicate; ``inverse``: the name below is the subject. The rest is as in a ``Finding``."""

    predicate: str
    pattern: str
    words: tuple[int, ...]
    inverse: bool = False
    asserted: bool = True


def states_a_date(tree: Tree, verb: int, role: str, date: str) -> bool:
    """Tell whether a verb says when something came about, and the date names a year.

    "Ada joined the firm in 1950" dates the joining, not Ada: only what happens of itself (die, open), and what is
    done to something (found, release), dates the thing.
    """
    if _YEAR.search(date) is None:
        return False
    if role == SUBJECT:
        return tree.lemma[verb].lower() in _HAPPENS and tree.child(verb, "dobj") < 0
    return is_done(tree, verb)


def is_done(tree: Tree, verb: int) -> bool:
    """Tell whether a verb says how its object came about or ended: found, build, open, destroy."""
    return tree.lemma[verb].lower() in _IS_DONE


def clause_says(
    tree: Tree, verb: int, role: str, steps: tuple[Step, ...], kinds: tuple[str, str], below: str
) -> Said | None:
    """Tell what a clause says of its subject (or object) and a name below its verb.

    Args:
        tree: The chunk.
        verb: The verb.
        role: What the first name is to the verb.
        steps: The way from the verb down to the other name.
        kinds: Kinds of both names.
        below: The other name's words.
    """
    words: tuple[int, ...] = (verb,)
    while steps and (inner := _inner_clause(tree, verb, role, steps)):
        verb, role, taken = inner
        words = (verb, *words)
        steps = steps[taken:]
    if not steps:
        return None
    said = _argument_says(tree, verb, role, steps, kinds, below)
    if said is None or (kinds[1] == DATE and said.predicate != "dated" and not states_a_date(tree, verb, role, below)):
        return None
    return said._replace(words=(*said.words, *words))


def _inner_clause(tree: Tree, verb: int, role: str, steps: tuple[Step, ...]) -> tuple[int, str, int] | None:
    """Follow "wanted to JOIN", "left after JOINING", "was able to JOIN", "made an offer to JOIN": one subject for both.

    Returns the inner verb, what the subject is to it, and how many steps lead there.
    """
    if role == OBJECT:
        return None
    taken = 1
    first = steps[0]
    if len(steps) > 1 and (
        (first.dep == "acomp" and steps[1].dep == "xcomp")
        or (first.dep == "dobj" and steps[1].dep == "acl" and tree.lemma[first.node].lower() in _INTENTIONS)
    ):
        taken = 2
    elif first.dep not in ("xcomp", "advcl", "pcomp") or controls_object(tree, verb, first.node):
        return None
    node = steps[taken - 1].node
    has_object = tree.child(verb, "dobj") >= 0
    if has_object and first.dep == "pcomp" and tree.lower[first.prep] in ("into", "from"):
        return None
    if has_object and first.dep == "advcl" and tree.tag[node] == "VBN" and node > verb:
        return None
    if tree.pos[node] not in _VERBAL or tree.child(node, "nsubj", "nsubjpass") >= 0:
        return None
    passive = tree.child(node, "auxpass") >= 0 or (first.dep == "advcl" and tree.tag[node] == "VBN")
    return node, PASSIVE if passive else SUBJECT, taken


def controls_object(tree: Tree, verb: int, inner: int) -> bool:
    """Tell whether it is a verb's object that is to act: "asked X to join", unlike "left X to join"."""
    if tree.child(verb, "dobj") < 0 or tree.lemma[verb].lower() not in _OBJECT_CONTROL:
        return False
    return tree.dep[inner] == "xcomp" or any(tree.lower[c] == "to" for c in tree.children[inner])


def _argument_says(
    tree: Tree, verb: int, role: str, steps: tuple[Step, ...], kinds: tuple[str, str], below: str
) -> Said | None:
    first, rest = steps[0], steps[1:]
    if role == OBJECT:
        bare = first.dep == "nsubj" and is_bare(rest)
        return Said(verb_predicate(tree, verb), "object_clause", (), inverse=True) if bare else None
    if first.dep == "prep":
        return _prepositional_says(tree, verb, role, first, rest, kinds, below)
    if first.dep == "oprd" and role == SUBJECT and tree.child(verb, "dobj") >= 0:
        return None  # named X director: it is X who is
    if first.dep in ("attr", "oprd") or (first.dep == "dobj" and tree.lemma[verb] in _LINKING):
        return _complement_says(tree, verb, role, first, rest, kinds, below)
    if first.dep in ("dobj", "dative", "obj"):
        return _object_says(tree, verb, role, first, rest)
    if first.dep == "acomp" and rest and rest[0].dep == "prep" and is_bare(rest[1:]):
        predicate = noun_predicate(tree, first.node, preposition(tree, rest[0].prep))
        return Said(predicate, "adjective", (first.node,))
    if first.dep == "npadvmod" and kinds[1] == DATE and not rest:
        return Said(verb_predicate(tree, verb, passive=role == PASSIVE) + "_on", "adjunct_date", ())
    return None


def _prepositional_says(
    tree: Tree, verb: int, role: str, first: Step, rest: tuple[Step, ...], kinds: tuple[str, str], below: str
) -> Said | None:
    word = tree.lower[first.prep]
    if role == PASSIVE and (tree.dep[first.prep] == "agent" or word == "by") and kinds[1] != DATE:
        agent = Said(verb_predicate(tree, verb), "passive_agent", (first.prep,), inverse=True)
        return agent if is_bare(rest) else None
    if word == "as":
        return _as_says(tree, verb, role, first, rest, kinds, below)
    silent = word in _NO_RELATION or tree.lower[tree.head[first.prep]] in _NO_RELATION
    if silent or tree.lemma[verb] in _SAYING_NOTHING:
        return None
    passive = role == PASSIVE
    if is_bare(rest):
        if tree.lemma[verb] == "be":
            return _being_says(tree, first.prep, kinds) if role == SUBJECT else None
        pattern = "adjunct_date" if kinds[1] == DATE else "passive_prep" if passive else "verb_prep"
        return Said(verb_predicate(tree, verb, first.prep, passive=passive), pattern, (first.prep,))
    if rest[0].dep == "prep" and is_bare(rest[1:]) and kinds[1] != DATE:
        prep = first.prep if tree.lower[rest[0].prep] == "of" else rest[0].prep
        return Said(verb_predicate(tree, verb, prep, passive=passive), "verb_prep_prep", (prep,))
    if rest[0].dep == "poss" and is_bare(rest[1:]):
        noun = noun_predicate(tree, first.node)
        predicate = f"{verb_predicate(tree, verb, first.prep, passive=passive)}_{noun}"
        return Said(predicate, "verb_prep_possessive", (first.prep,))
    return None


def _as_says(
    tree: Tree, verb: int, role: str, first: Step, rest: tuple[Step, ...], kinds: tuple[str, str], below: str
) -> Said | None:
    """Read "served as director of", "known as"."""
    if not rest:
        return Said("also_known_as", "alias", (first.prep,)) if role == PASSIVE and _names(tree, verb) else None
    if tree.child(verb, "dobj") >= 0 and tree.lemma[verb].lower() not in _AS_SUBJECT:
        return None  # named X as director: it is X who is
    said = noun_says(tree, first.node, rest, kinds, below)
    return said._replace(pattern="role." + said.pattern, words=(first.prep,), asserted=True) if said else None


def _being_says(tree: Tree, prep: int, kinds: tuple[str, str]) -> Said | None:
    """Read "is in"."""
    word = tree.lower[prep]
    if kinds[1] == DATE or word not in _BEING:
        return None
    located = between_names(tree, kinds[0], kinds[1], word)
    return Said(located if located == "located_in" else "be_" + word, "copula_prep", (prep,))


def _complement_says(
    tree: Tree, verb: int, role: str, first: Step, rest: tuple[Step, ...], kinds: tuple[str, str], below: str
) -> Said | None:
    """Read "is a director of", "became director of", "was elected director of"."""
    if not rest:
        if tree.tag[first.node] == "PRP$":
            return None  # X is his
        if _names(tree, verb):
            alias = role == PASSIVE and not _is_genitive(tree, first.node)
            return Said("also_known_as", "alias", ()) if alias else None
        return Said("is" if tree.lemma[verb] == "be" else verb_predicate(tree, verb), "copula", ())
    if rest[0].dep in ("relcl", "acl") and tree.child(verb, "neg") >= 0:
        return None  # is not the one who did it
    said = noun_says(tree, first.node, rest, kinds, below)
    return said._replace(pattern="copula." + said.pattern, asserted=True) if said else None


def _object_says(tree: Tree, verb: int, role: str, first: Step, rest: tuple[Step, ...]) -> Said | None:
    if tree.lemma[verb] == "do":
        return None
    if is_bare(rest):
        if role == PASSIVE and _names(tree, verb):
            return Said("also_known_as", "alias", ())
        if rest and tree.owner[first.node] < 0 and tree.lemma[first.node].lower() in _OF_NAMES:
            return Said("also_known_as", "alias", ()) if role == SUBJECT else None
        return Said(verb_predicate(tree, verb, passive=role == PASSIVE), "subject_verb_object", ())
    if rest[0].dep in ("prep", "poss") and is_bare(rest[1:]) and tree.owner[first.node] < 0:
        by_prep = rest[0].dep == "prep"
        noun = noun_predicate(tree, first.node, preposition(tree, rest[0].prep) if by_prep else "of")
        predicate = f"{verb_predicate(tree, verb, passive=role == PASSIVE)}_{noun}"
        pattern = "verb_object_prep" if by_prep else "verb_object_possessive"
        return Said(predicate, pattern, (rest[0].prep,) if by_prep else ())
    return None


def _is_genitive(tree: Tree, token: int) -> bool:
    """Tell "called Airy's", which names something of Airy's."""
    return tree.lower[token + 1 : token + 2] in (["'s"], ["’s"])


def _names(tree: Tree, verb: int) -> bool:
    """Tell whether a verb gives a name: "called Steve", "known as C-T-R"."""
    return tree.lemma[verb].lower() in _NAMING


def noun_says(tree: Tree, noun: int, steps: tuple[Step, ...], kinds: tuple[str, str], below: str) -> Said | None:
    """Tell what a noun that stands for the first name says of it and a name below: "X, director of Y"."""
    if not steps:
        return None
    first, rest = steps[0], steps[1:]
    if is_based(tree, steps):
        return Said("based_in", "based", (), asserted=False)
    if first.dep == "prep":
        return _noun_prep_says(tree, noun, first, rest, kinds)
    if first.dep in (*_MODIFIER, "nummod") and all(step.dep in _MODIFIER for step in rest):
        if kinds[1] == DATE:
            return Said("dated", "date_modifier", (noun,), asserted=False) if _YEAR.search(below) else None
        if kinds[1] == GROUP:
            return Said(origin_predicate(kinds[0]), "group", (noun,), asserted=False)
        predicate = between_names(tree, kinds[0], kinds[1], "of", noun)
        pattern = "possessive" if first.dep == "poss" else "modifier"
        return Said(predicate, pattern, (noun,), asserted=False)
    if first.dep in ("relcl", "acl") and tree.pos[first.node] in _VERBAL:
        role = role_of_antecedent(tree, first.node, first.dep)
        if role is None:
            return None
        said = clause_says(tree, first.node, role, rest, kinds, below)
        return said._replace(pattern="clause." + said.pattern) if said else None
    return None


def _noun_prep_says(tree: Tree, noun: int, first: Step, rest: tuple[Step, ...], kinds: tuple[str, str]) -> Said | None:
    word = preposition(tree, first.prep)
    words = (noun, first.prep)
    if word in _NO_RELATION or kinds[1] == DATE:
        return None
    if is_bare(rest) and tree.lemma[noun].lower() in _ONE_OF | _ORDER:
        return None  # four from Europe, the first for X: it is not said what
    if is_bare(rest):
        return Said(between_names(tree, kinds[0], kinds[1], word, noun), "noun_prep", words, asserted=False)
    if tree.lemma[noun].lower() in _ONE_OF and word == "of":
        return noun_says(tree, first.node, rest, kinds, "")
    if rest[0].dep == "prep" and is_bare(rest[1:]):
        if kinds[1] == PLACE and kinds[0] == PLACE:
            return Said(between_names(tree, *kinds, "in", noun), "noun_prep_prep", words, asserted=False)
        return Said(
            noun_predicate(tree, noun, preposition(tree, rest[0].prep)), "noun_prep_prep", words, asserted=False
        )
    if all(step.dep in _MODIFIER for step in rest) and kinds[1] != GROUP:
        return Said(noun_predicate(tree, noun, word), "noun_prep_modifier", words, asserted=False)
    return None


def role_of_antecedent(tree: Tree, verb: int, dep: str) -> str | None:
    """Tell what the noun before a relative or participle clause is to the clause's verb."""
    if dep == "acl":
        if tree.child(verb, "nsubj", "nsubjpass") >= 0:
            return None
        return {"VBN": PASSIVE, "VBD": PASSIVE, "VBG": SUBJECT, "VB": SUBJECT}.get(tree.tag[verb])
    own_subject = tree.child(verb, "nsubj", "nsubjpass")
    if own_subject < 0:
        return PASSIVE if tree.tag[verb] == "VBN" else SUBJECT
    if tree.tag[own_subject] in ("WP", "WDT") or tree.lower[own_subject] in ("who", "which", "that"):
        return PASSIVE if tree.dep[own_subject] == "nsubjpass" else SUBJECT
    if tree.child(verb, "dobj") >= 0 and tree.tag[tree.child(verb, "dobj")] not in ("WP", "WDT"):
        return None
    if any(tree.tag[c] in ("WP$", "WRB") for c in tree.children[verb]):
        return None
    return OBJECT


def is_based(tree: Tree, steps: tuple[Step, ...]) -> bool:
    """Tell "the London-based firm"."""
    return len(steps) == 2 and steps[0].dep == "amod" and tree.lower[steps[0].node] == "based"


def is_bare(rest: tuple[Step, ...]) -> bool:
    """Tell whether the way ends here, or at a name in apposition ("the lawyer Abebe Worke", "in Ulm, Germany")."""
    return all(step.dep in ("appos", "npadvmod") for step in rest)
