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
from kgkit.extraction.local.statements.tree import Place, Tree

__all__ = ["CONDITIONAL", "NEGATED", "POSITIVE", "REPORTED", "polarity_of"]

POSITIVE, NEGATED, CONDITIONAL, REPORTED = "positive", "negated", "conditional", "reported"

_VERBAL = ("VERB", "AUX")
_SUBJECTS = ("nsubj", "nsubjpass")
_ARGUMENTS = (*_SUBJECTS, "dobj", "attr", "expl")
_BASE_FORMS = ("VB", "VBN", "VBG")


class _Marks:
    """What the words met so far say."""

    __slots__ = ("denials", "open", "reported")

    def __init__(self) -> None:
        self.denials: set[int] = set()
        self.open = False
        self.reported = False

    def polarity(self) -> str:
        if len(self.denials) % 2 == 1:
            return NEGATED
        if self.open or self.denials:
            return CONDITIONAL
        return REPORTED if self.reported else POSITIVE


def polarity_of(tree: Tree, finding: Finding) -> str:
    """Tell whether a relation is asserted (``positive``), ``negated``, ``conditional`` or ``reported``.

    Example:
        "She did not join IBM" is negated, "she hoped to join IBM" conditional, "she reportedly joined IBM" reported.
    """
    marks = _Marks()
    for place in (finding.subject, finding.object):
        _argument_marks(tree, place, finding.words, marks)
    for token in finding.words:
        if tree.pos[token] not in _VERBAL:
            _word_marks(tree, token, marks)
    if finding.asserted and finding.words:
        verbs = [token for token in finding.words if tree.pos[token] in _VERBAL]
        _climb(tree, verbs[0] if verbs else finding.words[0], marks)
        _question_marks(tree, finding.words[0], marks)
    return marks.polarity()


def _argument_marks(tree: Tree, place: Place, stops: tuple[int, ...], marks: _Marks) -> None:
    """Read "neither X nor Y", "X but not Y", "no member of X"."""
    for token in place.chain:
        if token in stops or tree.pos[token] in _VERBAL:
            return
        for child in tree.children[token]:
            word = tree.lower[child]
            if word in ("neither", "nor") or (word == "no" and tree.dep[child] == "det"):
                marks.denials.add(-1)  # one denial, however often its words occur: neither ... nor
            elif word == "not" and not _is_not_only(tree, child) and child < token:
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


def _word_marks(tree: Tree, token: int, marks: _Marks) -> None:
    """Read what belongs to a noun or a preposition: "no", "alleged", "proposed", "without"."""
    if tree.lower[token] == "without":
        marks.denials.add(token)
        return
    if tree.pos[token] == "ADP":
        return
    for child in tree.children[token]:
        word = tree.lower[child]
        if word in lexicon.NEGATIVE or (word == "no" and tree.dep[child] in ("det", "neg")):
            if not _is_not_only(tree, child):
                marks.denials.add(child)
        elif tree.dep[child] in ("amod", "compound", "advmod", "nmod"):
            _adjective_marks(word, child, marks)


def _adjective_marks(word: str, token: int, marks: _Marks) -> None:
    if word in lexicon.DENYING_ADJECTIVES:
        marks.denials.add(token)
    elif word in lexicon.OPEN_ADJECTIVES or word in lexicon.OPEN_ADVERBS:
        marks.open = True
    elif word in lexicon.REPORTED_ADJECTIVES or word in lexicon.REPORTED_ADVERBS:
        marks.reported = True


def _climb(tree: Tree, token: int, marks: _Marks) -> None:
    """Go up from a verb to the main verb, and let each word on the way have its say."""
    own, complement = True, ""
    while True:
        if own:
            _own_marks(tree, token, complement, marks)
        elif complement == "":
            _clause_marks(tree, token, marks)
        dep, head = tree.dep[token], tree.head[token]
        if head == token or dep == "relcl":
            return
        own, complement = True, ""
        if dep == "conj":
            own = _shares_auxiliary(tree, token)
            if any(tree.lower[c] == "nor" for c in tree.children[head]):
                marks.denials.add(-1)
        elif dep == "xcomp":
            complement = _xcomp_marks(tree, token, head, marks)
        elif dep == "ccomp":
            complement = _ccomp_marks(tree, token, head, marks)
        elif dep == "advcl":
            own = False
            marks.open |= _is_purpose(tree, token)
        elif dep == "pcomp":
            own = False
            head = _pcomp_marks(tree, head, marks)
        elif dep == "acl":
            if not _acl_marks(tree, token, head, marks):
                return
        elif dep in ("dobj", "pobj", "nsubj", "nsubjpass", "attr") and tree.pos[token] not in _VERBAL:
            _action_marks(tree, head, marks)
        elif dep not in ("prep", "acomp", "oprd", "csubj", "csubjpass", "dep", "advmod", "ROOT", "amod", "agent"):
            own = dep not in ("parataxis", "meta", "intj")
        token = head


def _own_marks(tree: Tree, verb: int, complement: str, marks: _Marks) -> None:
    """Read what belongs to a verb: "not", "might", "perhaps", "if", "according to", no subject or object."""
    for child in tree.children[verb]:
        word, dep = tree.lower[child], tree.dep[child]
        if dep == "neg" or word in lexicon.NEGATIVE:
            _negative_marks(tree, verb, child, complement, marks)
        elif word == "longer" and any(tree.lower[c] == "no" for c in tree.children[child]):
            marks.denials.add(child)
        elif dep in ("aux", "auxpass") and word in lexicon.MODALS:
            marks.open |= not (word in ("would", "'d", "’d") and _tells_the_future_in_the_past(tree, verb))
        elif dep in _ARGUMENTS and _has_no(tree, child):
            marks.denials.add(-1)
        elif dep == "advmod":
            _adjective_marks(word, child, marks)
    _clause_marks(tree, verb, marks)


def _clause_marks(tree: Tree, verb: int, marks: _Marks) -> None:
    """Read what belongs to the clause rather than to its verb alone, and so holds for coordinates as well."""
    for child in tree.children[verb]:
        word, dep = tree.lower[child], tree.dep[child]
        if dep in ("mark", "advmod", "prep") and word in lexicon.OPEN_MARKS:
            marks.open |= not (word == "if" and child > 0 and tree.lower[child - 1] == "even")
        elif dep == "advcl" and _is_condition(tree, child):
            marks.open = True
        elif word == "according":
            marks.reported = True
        elif dep in ("parataxis", "ccomp") and child != verb and tree.lemma[child] in lexicon.REPORTING:
            marks.reported |= dep == "parataxis"
    marks.open |= _is_inverted(tree, verb)


def _negative_marks(tree: Tree, verb: int, negative: int, complement: str, marks: _Marks) -> None:
    if _is_not_only(tree, negative) or complement == "fact":
        return
    if complement == "word":
        marks.reported = True
    elif complement == "proof":
        marks.open = True
    elif not _is_until(tree, verb):
        marks.denials.add(-1 if tree.lower[negative] in ("neither", "nor") else negative)


def _is_not_only(tree: Tree, negative: int) -> bool:
    return negative + 1 < tree.length and tree.lower[negative + 1] in lexicon.NOT_ALONE


def _is_until(tree: Tree, verb: int) -> bool:
    """Tell "did not join until 1950", which says that he then did join."""
    return any(
        tree.lower[c] == "until" or any(tree.lower[m] == "until" and tree.dep[m] == "mark" for m in tree.children[c])
        for c in tree.children[verb]
    )


def _has_no(tree: Tree, argument: int) -> bool:
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
    subject = tree.child(clause, *_SUBJECTS)
    return any(
        tree.dep[c] in ("aux", "auxpass") and tree.lower[c] in ("had", "were", "should") and c < subject
        for c in tree.children[clause]
    )


def _is_infinitive(tree: Tree, verb: int) -> bool:
    return any(tree.lower[c] == "to" and tree.dep[c] == "aux" for c in tree.children[verb])


def _is_purpose(tree: Tree, clause: int) -> bool:
    return _is_infinitive(tree, clause)


def _shares_auxiliary(tree: Tree, verb: int) -> bool:
    """Tell whether a coordinate verb shares its auxiliary: "did not stop and JOIN", unlike "did not stop and JOINED"."""
    if tree.tag[verb] not in _BASE_FORMS or tree.pos[verb] not in _VERBAL:
        return tree.pos[verb] not in _VERBAL
    return not any(tree.dep[c] in ("aux", "auxpass", *_SUBJECTS) and tree.lower[c] != "to" for c in tree.children[verb])


def _xcomp_marks(tree: Tree, verb: int, head: int, marks: _Marks) -> str:
    lemma = tree.lemma[head].lower()
    if lemma in lexicon.DENYING:
        marks.denials.add(head)
    elif (lemma == "go" and tree.tag[head] == "VBG" and _is_infinitive(tree, verb)) or lemma in lexicon.OPENING:
        marks.open = True
    elif lemma in lexicon.HAPPENING:
        pass
    elif lemma in lexicon.REPORTING:
        marks.reported = True
    elif _is_infinitive(tree, verb):
        marks.open = True
    return ""


def _ccomp_marks(tree: Tree, verb: int, head: int, marks: _Marks) -> str:
    """Note what the verb above makes of its clause, and how a "not" there is to be read."""
    lemma = tree.lemma[head].lower()
    if lemma in lexicon.FACTIVE:
        return "fact"
    if lemma in lexicon.DENYING:
        marks.denials.add(head)
        return ""
    if lemma in ("say", "tell", "claim", "report", "announce", "declare", "state", "mention", "write"):
        marks.reported = True
        return "word"
    if lemma in lexicon.OPENING:
        marks.open = True
        return ""
    if lemma in lexicon.REPORTING:
        marks.reported = True
        return ""
    introduced = any(tree.lower[c] == "that" and tree.dep[c] == "mark" for c in tree.children[verb])
    return "proof" if introduced else ""


def _pcomp_marks(tree: Tree, prep: int, marks: _Marks) -> int:
    """Note what a preposition makes of its "joining", and give the word that the preposition belongs to."""
    word, head = tree.lower[prep], tree.head[prep]
    if word in ("without", "than") or (word == "of" and tree.lower[head] == "instead"):
        marks.denials.add(prep)
    lemma = tree.lemma[head].lower()
    if word == "from" and lemma in lexicon.PREVENTING:
        marks.denials.add(prep)
    elif word == "of" and lemma in lexicon.ACCUSING:
        marks.reported = True
    elif word in ("about", "to", "against", "towards", "toward") or lemma in lexicon.OPENING:
        marks.open = True
    return head


def _acl_marks(tree: Tree, clause: int, noun: int, marks: _Marks) -> bool:
    """Note what a noun makes of its clause; tell whether what stands above the noun matters too."""
    lemma = tree.lemma[noun].lower()
    if _is_infinitive(tree, clause):
        near = {tree.lower[c] for c in tree.children[noun]} | {tree.lower[noun]}
        if near & lexicon.RANKING or any(tree.tag[c] == "JJS" for c in tree.children[noun]):
            return True
        if lemma in lexicon.DENYING_NOUNS:
            marks.denials.add(noun)
        marks.open = True
        _action_marks(tree, tree.head[noun], marks)
        return False
    if not any(tree.dep[c] == "mark" for c in tree.children[clause]):
        return False
    if lemma in lexicon.DENYING_NOUNS:
        marks.denials.add(noun)
    elif lemma in lexicon.OPEN_NOUNS:
        marks.open = True
    elif lemma in lexicon.REPORTED_NOUNS:
        marks.reported = True
    _action_marks(tree, tree.head[noun], marks)
    return False


def _action_marks(tree: Tree, verb: int, marks: _Marks) -> None:
    """Note what a verb makes of an action that is its subject or object: "blocked the acquisition of"."""
    lemma = tree.lemma[verb].lower()
    if lemma in lexicon.UNDOING:
        marks.denials.add(verb)
    elif lemma in lexicon.OPENING:
        marks.open = True
    elif lemma in lexicon.REPORTING:
        marks.reported = True


def _question_marks(tree: Tree, token: int, marks: _Marks) -> None:
    _, last = tree.sentences[tree.sentence[token]]
    while last > 0 and tree.lower[last - 1] in ('"', "'", "''", "”", "’", ")", "\n", " "):
        last -= 1
    marks.open |= last > 0 and tree.lower[last - 1] == "?"
