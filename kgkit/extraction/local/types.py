"""What kind of thing a name names: the recogniser's guess, weighed against what words and syntax say.

Each cue is a vote with a weight. A document's votes for one name are added up in `kgkit.extraction.local.agreement`,
so that one clear sentence ("Ubisoft is a company") types all its mentions.
"""

from __future__ import annotations

import re
from typing import Any

from kgkit.extraction.local.lexicon import Lexicon
from kgkit.extraction.local.products import product_vote
from kgkit.extraction.local.spans import Parsed, Span

__all__ = ["Votes", "head_type", "technical_nouns", "vote"]

Votes = dict[str, float]

KNOWN = 3.0
HEAD = 3.5
SAID = 3.0
TITLED = 2.5
GIVEN_NAME = 1.6
INITIALS = 2.0
ACTS = 1.5
PLACED = 1.7
QUOTED = 1.7
REGION = 1.7
TECHNICAL = 1.7
CODED = 1.7
MADE = 1.7
JOINED = 1.7

_MISTAKEN = frozenset({"ORGANISATION", "PLACE", "PERSON"})  # what the recogniser takes other things for
_ANYONE_CAN = frozenset({"say", "tell", "argue", "explain"})  # organisations and countries too
_KINDS = frozenset({"one", "name", "type", "kind", "form"})
_OPEN = frozenset('"“')
_CLOSE = frozenset('"”')

_INITIALS = re.compile(r"(?!U\.[SKN]\.|D\.C\.)(?:[A-Z]\.[ -]?)+(?:[A-Z][\w'’-]+ ?)+$")
_ACRONYM = re.compile(r"(?:[A-Z]{2,}[0-9]*|[A-Z]+[0-9]+|(?:[A-Z][a-z]?){2,}[A-Z])s?$")
_CODE = re.compile(r"[A-Z][A-Za-z]{0,3}-?[0-9]+[A-Za-z]?$")
_MARK = re.compile(r".* Mark (?:[IVX]+|[0-9]+)$")
_OF = frozenset({"of", "for", "de", "di", "du", "da", "del", "des", "der", "und", "&"})
_OPENS = {
    "mount": "PLACE", "mt.": "PLACE", "lake": "PLACE", "cape": "PLACE", "fort": "PLACE", "port": "PLACE",
    "río": "PLACE", "rio": "PLACE", "isle": "PLACE", "hurricane": "EVENT", "uss": "PRODUCT", "hms": "PRODUCT",
    "rms": "PRODUCT", "university": "ORGANISATION", "universidad": "ORGANISATION", "universität": "ORGANISATION",
}  # fmt: skip


def vote(parsed: Parsed, span: Span, words: Lexicon, *, technical: bool = False) -> Votes:
    """Collect what the form, the neighbours and the syntax of one mention say of its type."""
    votes: Votes = {}
    text = parsed.text[span.start : span.end]
    tokens = [t for t in parsed.tokens[span.first : span.last] if span.start <= t.idx < span.end]
    if not tokens:
        return votes
    _by_form(votes, text, tokens, span.type, words)
    _by_neighbours(votes, parsed.tokens, span, tokens, words)
    _by_syntax(votes, parsed, span, tokens, words, technical=technical)
    if technical and "GROUP" in votes and text not in words.groups:  # a language, and one for machines
        _add(votes, "PRODUCT", votes.pop("GROUP"))
    if technical and span.type in _MISTAKEN and len(tokens) == 1 and _is_unknown_acronym(text, words):
        _add(votes, "CONCEPT", TECHNICAL)
    return votes


def _is_unknown_acronym(text: str, words: Lexicon) -> bool:
    return bool(_ACRONYM.fullmatch(text)) and text not in words.known and text not in words.places


def _add(votes: Votes, kind: str | None, weight: float) -> None:
    if kind and weight:
        votes[kind] = votes.get(kind, 0.0) + weight


def _by_form(votes: Votes, text: str, tokens: list[Any], kind: str, words: Lexicon) -> None:
    if text in words.groups:
        _add(votes, "GROUP", KNOWN)
    elif words.is_place(text):
        _add(votes, "PLACE", KNOWN)
    elif text in words.known:
        _add(votes, words.known[text], KNOWN)
    if kind in _MISTAKEN and (_CODE.fullmatch(tokens[-1].text) or _MARK.match(text)):
        _add(votes, "PRODUCT", CODED)
    if len(tokens) == 1:
        return
    person = tokens[0].text in words.given_names and tokens[1].text[:1].isupper()
    head = head_type(tokens, words)
    if head is not None and not _is_surname(head, tokens, kind, person) and not _keeps(tokens, kind, words):
        _add(votes, head, HEAD)
    elif person and len(tokens) <= 4 and all(t.text[:1].isupper() or t.is_punct for t in tokens):
        _add(votes, "PERSON", GIVEN_NAME)
    elif _INITIALS.fullmatch(text):
        _add(votes, "PERSON", INITIALS)


def head_type(tokens: list[Any], words: Lexicon) -> str | None:
    """Tell what the head of a name says: its last word, or the word before "of", or an opening such as "Lake"."""
    opening = _OPENS.get(tokens[0].lower_)
    for i, token in enumerate(tokens[1:], 1):
        if token.lower_ in _OF and i + 1 < len(tokens):
            before = words.heads.get(tokens[i - 1].lower_)
            if before is not None or token.lower_ == "of":
                if before is None and tokens[i - 1].lower_ in words.place_of:
                    return "PLACE"
                return before
    last = tokens[-1]
    if last.lower_.rstrip(".") in words.heads and last.text[:1].isupper():
        return words.heads[last.lower_.rstrip(".")]
    return opening


def _is_surname(head: str, tokens: list[Any], kind: str, person: bool) -> bool:
    return head in ("PLACE", "CONCEPT", "GROUP") and kind == "PERSON" and person and len(tokens) == 2


def _keeps(tokens: list[Any], kind: str, words: Lexicon) -> bool:
    """Under some heads organisations and places meet: the recogniser's choice between the two stands."""
    return tokens[-1].lower_ in words.shared_heads and kind in ("PLACE", "ORGANISATION", "EVENT")


def _by_neighbours(votes: Votes, text: list[Any], span: Span, tokens: list[Any], words: Lexicon) -> None:
    first, last = tokens[0].i, tokens[-1].i + 1
    before = text[first - 1] if first else None
    after = text[last] if last < len(text) else None
    if before is not None:
        if before.text in words.honorifics and before.text[0].isupper():
            _add(votes, "PERSON", TITLED + 1)
        elif before.text in words.offices and len(tokens) <= 4 and tokens[0].text[:1].isupper():
            _add(votes, "PERSON", TITLED)
        elif before.lower_ == "of" and first > 1 and text[first - 2].lower_ in words.place_of:
            _add(votes, "PLACE", SAID)
        elif before.pos_ == "NOUN":
            _add(votes, words.nouns.get(before.lower_), SAID - 0.5)
        elif before.text == "@":
            _add(votes, "PERSON", ACTS)
    if after is not None:
        _by_following(votes, text, tokens, after, span.type, words)
    if before is not None and before.lower_ in ("in", "near") and span.type in ("PERSON", "PLACE"):
        _add(votes, "PLACE", PLACED)
    if before is not None and after is not None and before.text in _OPEN and after.text in _CLOSE:
        _add(votes, "WORK", QUOTED)


def _by_following(votes: Votes, text: list[Any], tokens: list[Any], after: Any, span_type: str, words: Lexicon) -> None:
    if after.text == "(" and after.i + 1 < len(text) and text[after.i + 1].lower_ in ("born", "b.", "d.", "née"):
        _add(votes, "PERSON", SAID)
    elif after.text == "," and after.i + 1 < len(text):
        wider = text[after.i + 1].text in words.places
        if wider and tokens[0].text not in words.given_names and tokens[-1].lower_ not in words.heads:
            _add(votes, "PLACE", PLACED)
    elif after.lower_ in words.regions and after.text.islower() and span_type in _MISTAKEN:
        _add(votes, "PLACE", REGION)
    elif _ACRONYM.fullmatch(tokens[-1].text) and after.pos_ == "NOUN":
        said = words.nouns.get(after.lemma_.lower())
        if said in ("CONCEPT", "PRODUCT"):
            _add(votes, "CONCEPT", SAID)


def _by_syntax(votes: Votes, parsed: Parsed, span: Span, tokens: list[Any], words: Lexicon, *, technical: bool) -> None:
    root = parsed.doc[tokens[0].i : tokens[-1].i + 1].root
    dep = root.dep_
    if dep in ("nsubj", "nsubjpass"):
        _by_verb(votes, root, words)
        if dep == "nsubj" and span.type == "PLACE" and root.head.lemma_ in words.trading:
            _add(votes, "ORGANISATION", JOINED)
    elif dep == "dobj" and root.head.lemma_ in words.making and span.type in _MISTAKEN:
        _add(votes, "PRODUCT", MADE)
    elif dep == "dobj" and root.head.lemma_ == "write" and span.type == "PLACE":
        _add(votes, "PRODUCT" if technical else "WORK", MADE)
    elif span.type in _MISTAKEN and (_is_joined(root, words) or _has_staff(root, words)):
        _add(votes, "ORGANISATION", JOINED)
    elif dep == "attr" and root.head.lemma_ == "be":
        _add(votes, _said_of_subject(root, words), SAID)
    elif dep == "appos" and root.head.pos_ == "NOUN":
        _add(votes, _noun_type(root.head, words), SAID)
    apposed = next((c for c in root.rights if c.dep_ == "appos" and c.pos_ == "NOUN"), None)
    if apposed is not None:
        _add(votes, _noun_type(apposed, words), SAID)
    if len(tokens) == 1 and span.type in _MISTAKEN and _is_counted_acronym(parsed, tokens[0]):
        _add(votes, "CONCEPT", SAID)
    _add(votes, "PRODUCT", product_vote(parsed, span, root, tokens, words))


def _by_verb(votes: Votes, root: Any, words: Lexicon) -> None:
    verb = root.head
    if verb.lemma_ == "be" and root.dep_ == "nsubj":
        said = next((c for c in verb.rights if c.dep_ == "attr"), None)
        if said is not None and not any(c.dep_ == "neg" for c in verb.children):
            _add(votes, _noun_type(said, words), SAID)
    elif verb.lemma_ in words.person_verbs:
        _add(votes, "PERSON", ACTS if verb.lemma_ not in _ANYONE_CAN else ACTS / 3)


def _is_counted_acronym(parsed: Parsed, token: Any) -> bool:
    """Tell an acronym that is one of many, which organisations are not: "an SVM", "SVMs"."""
    if not _ACRONYM.fullmatch(token.text):
        return False
    before = parsed.tokens[token.i - 1].lower_ if token.i else ""
    counted = before in ("a", "an") and token.dep_ != "compound"
    return bool(counted or token.text[-1] == "s")


def _is_joined(root: Any, words: Lexicon) -> bool:
    """Tell whether a name stands where organisations do: "joined X", "worked for X", "was hired by X"."""
    verb, dep = root.head, str(root.dep_)
    if dep == "dobj":  # "to found" is of "found", which the lemmatizer does not know
        return (str(verb.lower_) if verb.tag_ == "VB" else str(verb.lemma_)) in words.joining
    if dep == "pobj" and verb.lower_ in ("for", "by"):
        return str(verb.head.lemma_) in (words.serving if verb.lower_ == "for" else words.hiring)
    if dep == "pobj" and verb.lower_ == "from":
        return str(verb.head.lemma_) in ("hire", "recruit")
    return False


def _has_staff(root: Any, words: Lexicon) -> bool:
    """Tell whether a name has what firms have ("X's engineers"), or is where people work ("an engineer at X")."""
    verb, dep = root.head, str(root.dep_)
    if dep == "poss":
        return verb.lemma_.lower() in words.staff
    return dep == "pobj" and verb.lower_ == "at" and verb.head.lemma_ in words.working_at


def _said_of_subject(root: Any, words: Lexicon) -> str | None:
    """Tell the type that "the software was X" speaks for."""
    subject = next((c for c in root.head.lefts if c.dep_ == "nsubj" and c.pos_ == "NOUN"), None)
    definite = subject is not None and any(c.lower_ in ("the", "its", "his", "her", "their") for c in subject.lefts)
    denied = any(c.dep_ == "neg" for c in root.head.children)
    return _noun_type(subject, words) if definite and not denied else None


def _noun_type(token: Any, words: Lexicon) -> str | None:
    """Tell the type that a noun speaks for; of "a kind of boat" the boat counts."""
    lemma = token.lemma_.lower()
    if lemma not in _KINDS:
        return words.nouns.get(lemma)
    of = next((c for c in token.rights if c.lower_ == "of"), None)
    inner = next((c for c in of.rights if c.dep_ == "pobj"), None) if of is not None else None
    return words.nouns.get(inner.lemma_.lower()) if inner is not None else None


def technical_nouns(parsed: Parsed, words: Lexicon) -> tuple[int, int]:
    """Count a text's nouns, and those among them that are technical terms."""
    nouns = [t.lemma_.lower() for t in parsed.tokens if t.pos_ == "NOUN"]
    return len(nouns), sum(n in words.technical for n in nouns)
