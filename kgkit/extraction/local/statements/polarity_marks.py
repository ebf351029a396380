"""What a verb, a noun or a preposition carries with it: "not", "might", "perhaps", "if", "alleged"."""

from __future__ import annotations

from kgkit.extraction.local.statements import polarity_words as lexicon
from kgkit.extraction.local.statements.tree import Tree

__all__ = [
    "CONDITIONAL",
    "NEGATED",
    "POSITIVE",
    "REPORTED",
    "SUBJECTS",
    "VERBAL",
    "Marks",
    "adjective_marks",
    "clause_marks",
    "has_no",
    "is_not_only",
    "own_marks",
    "word_marks",
]

POSITIVE, NEGATED, CONDITIONAL, REPORTED = "positive", "negated", "conditional", "reported"
VERBAL = ("VERB", "AUX")
SUBJECTS = ("nsubj", "nsubjpass")
_ARGUMENTS = (*SUBJECTS, "dobj", "attr", "expl")


class Marks:
    """What the words met so far say."""

    __slots__ = ("denials", "open", "reported")

    def __init__(self) -> None:
        self.denials: set[int] = set()
        self.open = False
        self.reported = False

    def polarity(self) -> str:
        """Bring the marks to one word, by the precedence that `polarity` states."""
        if len(self.denials) % 2 == 1:
            return NEGATED
        if self.open or self.denials:
            return CONDITIONAL
        return REPORTED if self.reported else POSITIVE


def word_marks(tree: Tree, token: int, marks: Marks) -> None:
    """Read what belongs to a noun or a preposition: "no", "alleged", "proposed", "without"."""
    if tree.lower[token] == "without":
        marks.denials.add(token)
        return
    if tree.pos[token] in ("NOUN", "PROPN") and _word_before_phrase(tree, token) in lexicon.NEGATIVE:
        marks.denials.add(-1)
    marks.open |= tree.lemma[token].lower() in lexicon.OPEN_ROLES
    for child in tree.children[token]:
        word = tree.lower[child]
        if word == "no" and tree.dep[child] in ("det", "neg"):
            marks.denials.add(-1)
        elif word in lexicon.NEGATIVE:
            if not is_not_only(tree, child):
                marks.denials.add(child)
        elif tree.dep[child] in ("amod", "compound", "advmod", "nmod"):
            adjective_marks(word, child, marks)


def _word_before_phrase(tree: Tree, noun: int) -> str:
    """Give the word before a noun phrase: "not" in "X, not a member of Y"."""
    first = noun
    while tree.children[first] and tree.children[first][0] < first:
        first = tree.children[first][0]
    if first == 0 or tree.lower[first] in lexicon.NEGATIVE or tree.dep[first - 1] != "neg":
        return ""
    return "" if tree.head[first - 1] == tree.head[noun] and tree.dep[noun] == "attr" else tree.lower[first - 1]


def adjective_marks(word: str, token: int, marks: Marks) -> None:
    """Read an adjective or adverb: "failed", "proposed", "alleged", "perhaps", "reportedly"."""
    if word in lexicon.DENYING_ADJECTIVES:
        marks.denials.add(token)
    elif word in lexicon.OPEN_ADJECTIVES or word in lexicon.OPEN_ADVERBS:
        marks.open = True
    elif word in lexicon.REPORTED_ADJECTIVES or word in lexicon.REPORTED_ADVERBS:
        marks.reported = True


def own_marks(tree: Tree, verb: int, complement: str, marks: Marks) -> None:
    """Read what belongs to a verb: "not", "might", "perhaps", "if", "according to", no subject or object."""
    for child in tree.children[verb]:
        word, dep = tree.lower[child], tree.dep[child]
        if dep == "neg" or word in lexicon.NEGATIVE:
            _negative_marks(tree, verb, child, complement, marks)
        elif word == "longer" and any(tree.lower[c] == "no" for c in tree.children[child]):
            marks.denials.add(child)
        elif dep in ("aux", "auxpass"):
            _auxiliary_marks(tree, verb, child, marks)
        elif dep in _ARGUMENTS and has_no(tree, child):
            marks.denials.add(-1)
        elif dep == "advmod":
            adjective_marks(word, child, marks)
        elif dep == "mark" and word == "than":
            marks.denials.add(child)
    clause_marks(tree, verb, marks)


def _auxiliary_marks(tree: Tree, verb: int, auxiliary: int, marks: Marks) -> None:
    word = tree.lower[auxiliary]
    if word in lexicon.MODALS:
        marks.open |= not (word in ("would", "'d", "’d") and _tells_the_future_in_the_past(tree, verb))
    marks.denials.update(c for c in tree.children[auxiliary] if tree.dep[c] == "neg" and not is_not_only(tree, c))


def clause_marks(tree: Tree, verb: int, marks: Marks) -> None:
    """Read what belongs to the clause rather than to its verb alone, and so holds for coordinates as well."""
    for child in tree.children[verb]:
        word, dep = tree.lower[child], tree.dep[child]
        if dep in ("mark", "advmod", "prep") and word in lexicon.OPEN_MARKS:
            marks.open |= not (word == "if" and child > 0 and tree.lower[child - 1] == "even")
        elif dep == "advcl":
            marks.open |= _is_condition(tree, child)
            marks.reported |= _is_as_told(tree, child)
        elif dep == "prep":
            _prepositional_marks(tree, child, marks)
        elif dep == "parataxis":
            marks.reported |= tree.lemma[child].lower() in lexicon.REPORTING
    marks.open |= _is_inverted(tree, verb)


def _prepositional_marks(tree: Tree, prep: int, marks: Marks) -> None:
    """Read "according to", "in the view of", "at no time"."""
    word = tree.lower[prep]
    marks.reported |= word == "according"
    for noun in tree.children[prep]:
        if word in ("in", "by") and _is_opinion(tree, noun):
            marks.reported = True
        elif tree.lemma[noun].lower() in lexicon.WAYS and any(tree.lower[c] == "no" for c in tree.children[noun]):
            marks.denials.add(prep)


def _is_opinion(tree: Tree, noun: int) -> bool:
    """Tell "in the view of Turing" and "by his own account", but not "in full view of"."""
    own = {tree.dep[c] for c in tree.children[noun]}
    return tree.lemma[noun].lower() in lexicon.OPINIONS and ("poss" in own or own >= {"det", "prep"})


def _is_as_told(tree: Tree, clause: int) -> bool:
    """Tell "as Turing wrote"."""
    told = tree.lemma[clause].lower() in lexicon.REPORTING
    return told and any(tree.lower[c] == "as" and tree.dep[c] == "mark" for c in tree.children[clause])


def _negative_marks(tree: Tree, verb: int, negative: int, complement: str, marks: Marks) -> None:
    if is_not_only(tree, negative):
        return
    if complement == "word":
        marks.reported = True
    elif complement == "proof":
        marks.open = True
    elif not _is_until(tree, verb):
        marks.denials.add(-1 if tree.lower[negative] in ("neither", "nor") else negative)


def is_not_only(tree: Tree, negative: int) -> bool:
    """Tell "not only", which denies nothing, from "not"."""
    return negative + 1 < tree.length and tree.lower[negative + 1] in lexicon.NOT_ALONE


def _is_until(tree: Tree, verb: int) -> bool:
    """Tell "did not join until 1950", which says that he then did join."""
    return any(
        tree.lower[c] == "until" or any(tree.lower[m] == "until" and tree.dep[m] == "mark" for m in tree.children[c])
        for c in tree.children[verb]
    )


def has_no(tree: Tree, argument: int) -> bool:
    """Tell "no engineer", "neither firm", "nobody"."""
    if tree.lower[argument] in ("nobody", "none", "nothing", "neither"):
        return True
    return any(tree.lower[c] in lexicon.NO and tree.dep[c] in ("det", "preconj") for c in tree.children[argument])


def _tells_the_future_in_the_past(tree: Tree, verb: int) -> bool:
    words = {tree.lower[c] for c in tree.children[verb]}
    if "have" in words or any(_is_condition(tree, c) for c in tree.children[verb]):
        return False
    return bool(words & lexicon.LATER) or (tree.lemma[verb] == "go" and "on" in words)


def _is_condition(tree: Tree, clause: int) -> bool:
    if tree.dep[clause] != "advcl":
        return False
    for child in tree.children[clause]:
        if tree.dep[child] in ("mark", "advmod") and tree.lower[child] in lexicon.CONDITION_MARKS:
            return not (child > 0 and tree.lower[child - 1] in ("even", "as"))
    return _is_inverted(tree, clause)


def _is_inverted(tree: Tree, clause: int) -> bool:
    """Tell "Had she joined", "Were he to join", "Should they join"."""
    if tree.dep[clause] != "advcl":
        return False
    subject = tree.child(clause, *SUBJECTS)
    return any(
        tree.dep[c] in ("aux", "auxpass") and tree.lower[c] in ("had", "were", "should") and c < subject
        for c in tree.children[clause]
    )
