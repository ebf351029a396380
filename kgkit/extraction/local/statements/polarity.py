"""Whether a sentence asserts a relation, denies it, leaves it open, or only reports it.

From the verb that says the relation the way goes up to the sentence's main verb, and each word on it has its say:
"He **denied** that she **might** have joined". The precedence is

1. ``negated``: not, never, no longer, without; failed to, refused to, denied that, prevented from; neither, nor, no.
2. ``conditional``: if, unless, whether; might, could, would, should, must, will; planned to, wanted to, tried to;
   perhaps; questions; and two negations at once ("did not fail to"), which the rules do not dare to resolve.
3. ``reported``: said that, according to, reportedly, is believed to have, alleged.
4. ``positive``: all else.

So "she said that he did not join" is negated, and nothing that is denied comes out as positive. What a noun phrase
takes for granted ("X, director of Y, did not come") is positive whatever becomes of the verb.
"""

from __future__ import annotations

from kgkit.extraction.local.statements import polarity_words as lexicon
from kgkit.extraction.local.statements.finding import Finding
from kgkit.extraction.local.statements.places import Place
from kgkit.extraction.local.statements.polarity_climb import climb
from kgkit.extraction.local.statements.polarity_marks import (
    CONDITIONAL,
    NEGATED,
    POSITIVE,
    REPORTED,
    VERBAL,
    Marks,
    is_not_only,
    word_marks,
)
from kgkit.extraction.local.statements.tree import Tree

__all__ = ["CONDITIONAL", "NEGATED", "POSITIVE", "REPORTED", "polarity_of"]


def polarity_of(tree: Tree, finding: Finding) -> str:
    """Tell whether a relation is asserted (``positive``), ``negated``, ``conditional`` or ``reported``.

    Examples:
        "She did not join IBM" is negated, "she hoped to join IBM" conditional, "she reportedly joined IBM" reported.
    """
    marks = Marks()
    for token in finding.words:
        if tree.pos[token] not in VERBAL:
            word_marks(tree, token, marks)
    if finding.asserted and finding.words:
        for place in (finding.subject, finding.object):
            _argument_marks(tree, place, finding.words, marks)
        verbs = [token for token in finding.words if tree.pos[token] in VERBAL]
        marks.reported |= bool(verbs) and _is_called(tree, verbs[0], finding.pattern)
        climb(tree, verbs[0] if verbs else finding.words[0], marks)
        _question_marks(tree, finding.words[0], marks)
    return marks.polarity()


def _is_called(tree: Tree, verb: int, pattern: str) -> bool:
    """Tell "called her the founder of", "is considered a founder of"."""
    ways = pattern.split(".")
    return tree.lemma[verb].lower() in lexicon.CALLING and not {"copula", "object_complement", "role"}.isdisjoint(ways)


def _argument_marks(tree: Tree, place: Place, stops: tuple[int, ...], marks: Marks) -> None:
    """Read "neither X nor Y", "X but not Y", "no member of X"."""
    for token in place.chain:
        if token in stops or tree.pos[token] in VERBAL:
            return
        for child in tree.children[token]:
            word = tree.lower[child]
            if word in ("neither", "nor") or (word == "no" and tree.dep[child] == "det"):
                marks.denials.add(-1)  # one denial, however often its words occur: neither ... nor
            elif word == "not" and not is_not_only(tree, child) and child < token:
                marks.denials.add(child)
        if tree.dep[token] == "conj" and _is_excluded(tree, token):
            marks.denials.add(-2)
        if tree.dep[token] in ("relcl", "acl"):
            return


def _is_excluded(tree: Tree, token: int) -> bool:
    """Tell whether a coordinate is the one that is not: "Y but not Z", "Y, not Z", "Y rather than Z"."""
    head = tree.head[token]
    between = tree.lower[head + 1 : token] if head < token else []
    own = {c for c in tree.children[token] if tree.lower[c] == "not"}
    return not own and ("not" in between or "than" in between) and "only" not in between


def _question_marks(tree: Tree, token: int, marks: Marks) -> None:
    _, last = tree.sentences[tree.sentence[token]]
    while last > 0 and tree.lower[last - 1] in ('"', "'", "''", "”", "’", ")", "\n", " "):
        last -= 1
    marks.open |= last > 0 and tree.lower[last - 1] == "?"
