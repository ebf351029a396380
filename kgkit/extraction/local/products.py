"""What gives away that a name is a thing that was made, such as a machine or a program.

The recogniser hardly knows such names and takes them for organisations, people or places. What is said of things only
tells: they are designed and programmed, have memories and users, and are written in or for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kgkit.extraction.local.lexicon import Lexicon
from kgkit.extraction.local.spans import Parsed, Span

__all__ = ["model_spans", "product_vote"]

CUE = 1.7
SAID = 3.0
_DOUBTED = frozenset({"ORGANISATION", "PLACE", "PERSON", "GROUP", "WORK"})
_NAMED = frozenset({"call", "name", "nickname", "dub", "christen", "rename"})
_BUILDING = frozenset({"build", "construct", "design", "develop"})  # what is done to houses and towns too
_PEOPLE_GO_ON = frozenset(
    {"are", "were", "and", "-", "of", "&", "family"}
)  # the Otomi are; the Lewis and Clark Expedition
_KINDS = frozenset({"system", "successor", "predecessor"})

_MOST_TOKENS = 5
_YEAR = r"(?:1[5-9]|20)\d\d(?!\d)"
_NUMBER = r"(?:\d{1,4}[A-Z]?|(?=[IVX]{2})[IVX]{1,4}|[IVX](?= (?:was|is|had|has|were)\b|\s*[|,.;:)]|\s*$))"
_MARKED = r"(?!The |An? |In |On |When |Its? )[A-Z][\w.-]+ Mark (?:[IVX]{1,4}|\d{1,2})"
_NO_CODE = "AD|BC|CE|AM|PM|UTC|GMT|CET|EST|PST|EDT|PDT|BST|USD|EUR|GBP|RFC|ISO|ISBN|ISSN|PO|NO|US|UN|AP|EP"
_CODED = rf"(?!(?:{_NO_CODE})\b)[A-Z]{{2,}}(?!.{_YEAR})(?:-\d{{1,4}}[A-Z]?| {_NUMBER})"
_MODEL = re.compile(
    rf"(?<![\w$€£#/-])(?:{_MARKED}|{_CODED})(?![\w%-]|[.,:]\d| (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))"
)
_SHORT = r"[CDF-HJKLO-QS-Z]-?\d{1,2}"  # roads are A, B, E, I, M, N and R
_NUMBERED = rf"[A-Z][a-z]+ (?!{_YEAR}|\d00\b)\d{{3,4}}"
_ARTICLED = re.compile(rf"\b(?:[Tt]he|[Aa]n?|first) ({_NUMBERED}|{_SHORT})(?![\w%-]|[.,:]\d| (?-i:[A-Z]))")


def model_spans(parsed: Parsed) -> Iterator[Span]:
    """Find things by their numbers: "Harvard Mark I", "PDP-8", "LEO III", "a Boeing 747"."""
    found = [m.span() for m in _MODEL.finditer(parsed.text)] + [m.span(1) for m in _ARTICLED.finditer(parsed.text)]
    for start, end in found:
        tokens = parsed.doc.char_span(start, end, alignment_mode="expand")
        if tokens is not None and len(tokens) <= _MOST_TOKENS:
            yield Span(tokens.start, tokens.end, start, end, "")


def product_vote(parsed: Parsed, span: Span, root: Any, tokens: list[Any], words: Lexicon) -> float:
    """Weigh what speaks for a made thing around one mention; 0.0 when nothing does."""
    if span.type and span.type not in _DOUBTED:
        return 0.0
    if _is_called(root, words):
        return SAID
    return CUE if span.type and (_by_role(root, words) or _by_article(parsed, span, root, tokens)) else 0.0


def _by_role(root: Any, words: Lexicon) -> bool:
    above, dep = root.head, str(root.dep_)
    if any(c.dep_ == "acl" and c.tag_ == "VBN" and c.lemma_ in words.making for c in root.rights) and root.is_upper:
        return True
    if dep == "nsubjpass":
        return above.lemma_ in words.making and (root.is_upper or above.lemma_ not in _BUILDING)
    if dep == "nsubj":
        return above.lemma_ == "run" and any(c.dep_ == "dobj" and c.lemma_ in words.works_on for c in above.rights)
    if dep == "poss":
        return above.lemma_ in words.parts
    if dep == "compound":
        return above.lemma_ in words.used_by
    if dep == "pobj":
        noun = above.head.lemma_
        if above.lower_ == "of":
            return noun in words.made_of
        if above.lower_ == "for":
            return noun in words.works_on
        if above.lower_ == "on":
            return noun in words.run_on
        if above.lower_ in ("like", "as"):  # computers such as X
            return words.nouns.get(noun.lower()) == "PRODUCT"
        return bool(above.lower_ == "in" and noun in words.coding and above.head.tag_ == "VBN")
    return False


def _is_called(root: Any, words: Lexicon) -> bool:
    """Tell "a machine called X", "a system, called X"."""
    verb = root.head
    if root.dep_ not in ("oprd", "attr", "dobj") or verb.lemma_ not in _NAMED:
        return False
    subject = next((c for c in verb.lefts if c.dep_ == "nsubjpass"), None)
    noun = (verb.head if verb.dep_ in ("acl", "relcl") else subject or verb).lemma_.lower()
    return noun in _KINDS or words.nouns.get(noun) == "PRODUCT"


def _by_article(parsed: Parsed, span: Span, root: Any, tokens: list[Any]) -> bool:
    """Tell "the Baby" from people, who have no article: what is taken for a person and has one is a thing."""
    if span.type != "PERSON" or len(tokens) != 1 or root.dep_ == "compound" or tokens[0].tag_ != "NNP":
        return False
    before = parsed.tokens[span.first - 1].text if span.first else ""
    after = parsed.tokens[span.last].lower_ if span.last < len(parsed.tokens) else ""
    return before in ("the", "The") and after not in _PEOPLE_GO_ON
