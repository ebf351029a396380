"""What a text says a name is: "Grace Hopper, a rear admiral", "Lund is a city in Sweden"."""

from __future__ import annotations

from typing import Any

from kgkit.extraction.local.found import FoundName
from kgkit.extraction.local.lexicon import Lexicon
from kgkit.extraction.local.spans import Parsed

__all__ = ["describe"]

_MOST_TOKENS = 14
_STOPS = frozenset(
    {"who", "whom", "whose", "which", "that", "where", "when", "while", "and", "but", ",", ";", ":", "("}
)
_AGENTS = ("er", "or", "ist", "ian", "man", "woman", "eer")
_CLAUSES = frozenset({"relcl", "acl", "advcl", "cc", "conj", "appos", "parataxis"})


def describe(parsed: Parsed, name: FoundName, words: Lexicon) -> str | None:
    """Give the words that say what a name is, from an apposition or a plain "X is a ..."; None when there are none.

    Denied and uncertain sentences ("is not a", "may be a") describe nothing.
    """
    if name.type in ("DATE", "DURATION", "NUMBER", "GROUP"):
        return None
    span = parsed.doc.char_span(name.start, name.end, alignment_mode="expand")
    if span is None:
        return None
    root = span.root
    head = _apposition(root, span.end) or _complement(root)
    if head is None or not _fits(head, name.type, words) or not _agrees(parsed, root, head, name.type):
        return None
    return _words(parsed, head)


def _agrees(parsed: Parsed, name: Any, head: Any, kind: str) -> bool:
    """Hold a description to the number of what it describes, and to the name's own item of a list."""
    if any(token.text == ";" for token in parsed.tokens[min(name.i, head.i) : max(name.i, head.i)]):
        return False
    many = head.tag_ in ("NNS", "NNPS")
    return not many or (kind != "PERSON" and not any(c.dep_ == "nummod" for c in head.lefts))


def _fits(head: Any, kind: str, words: Lexicon) -> bool:
    """Tell whether a noun can be said of a thing of that type: a person is no photograph."""
    said = words.nouns.get(head.lemma_.lower())
    if said is None and kind == "PERSON":
        return str(head.lemma_).lower().endswith(_AGENTS)
    return said == kind


def _apposition(root: Any, end: int) -> Any:
    for child in root.rights:
        if child.dep_ == "appos" and child.pos_ == "NOUN" and child.left_edge.i >= end:
            return child
    return None


def _complement(root: Any) -> Any:
    verb = root.head
    if root.dep_ != "nsubj" or verb.lemma_ != "be":
        return None
    found = None
    for child in verb.children:
        if child.dep_ in ("neg", "aux", "mark") or child.lower_ in ("not", "never", "if"):
            return None
        if child.dep_ == "attr" and child.pos_ == "NOUN" and child.i > verb.i:
            found = child
    return found


def _words(parsed: Parsed, head: Any) -> str | None:
    tokens = parsed.tokens
    first, last = head.left_edge.i, head.i + 1
    stop = min(head.right_edge.i + 1, first + _MOST_TOKENS)
    while last < stop and tokens[last].lower_ not in _STOPS and tokens[last].dep_ not in _CLAUSES:
        last += 1
    while last > head.i + 1 and tokens[last - 1].dep_ in ("prep", "det", "amod", "compound", "nmod", "poss", "punct"):
        last -= 1
    if last - first > _MOST_TOKENS or first > head.i:
        return None
    words = parsed.text[tokens[first].idx : tokens[last - 1].idx + len(tokens[last - 1])]
    return " ".join(words.split()).strip(" \"'“”") or None
