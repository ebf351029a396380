"""What a rule hands over: two places in the tree, the predicate, the rule's name, and the words to judge it by."""

from __future__ import annotations

from typing import NamedTuple

from kgkit.extraction.local.statements.places import Place

__all__ = ["Finding"]


class Finding(NamedTuple):
    """One relation that a rule found.

    ``words`` are the tokens that say it (verbs first), from which the polarity is read; ``asserted``: the words
    are a clause of their own and may be negated or reported, otherwise they are taken for granted by the sentence
    (as an apposition is).
    """

    subject: Place
    predicate: str
    object: Place
    pattern: str
    words: tuple[int, ...] = ()
    asserted: bool = False
