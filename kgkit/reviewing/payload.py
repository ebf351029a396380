"""What an answer says as a decision: its kind, its subject and its payload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from kgkit.errors import InputError, OptionError

if TYPE_CHECKING:
    from kgkit.reviewing.cards import Cards
    from kgkit.reviewing.entries import Entry

__all__ = ["COUNT", "SEEN", "VERDICTS", "Wanted", "core_of", "wanted"]

VERDICTS = ("accepted", "rejected", "skipped", "flagged")
COUNT = VERDICTS[:2]
"""Verdicts that decide; the others put off."""
SEEN = ("score", "method", "blind", "item", "rule", "by", "batch", "threshold", "settles")
"""Keys of a payload that say what was seen and how it was decided, not what."""

_TEXTS = ("name", "type", "predicate")


class Wanted(NamedTuple):
    """A decision to be kept."""

    kind: str
    subject_id: str
    payload: dict[str, Any]


def wanted(entry: Entry, verdict: str, given: Mapping[str, Any], cards: Cards) -> Wanted:
    """Write an answer about an item as a decision.

    Args:
        entry: The item.
        verdict: accepted, rejected, skipped or flagged.
        given: What else was answered; values that are None were not.
        cards: The graph.

    Raises:
        OptionError: The verdict is not known, or something was answered that this kind of item has not.
        InputError: The answer does not fit the item.
    """
    from kgkit.reviewing.kinds import kind_of

    if verdict not in VERDICTS:
        raise OptionError.not_one_of("verdict", verdict, VERDICTS)
    kind = kind_of(entry.kind)
    said = {k: v for k, v in given.items() if v is not None}
    strange = [k for k in said if k not in kind.takes]
    if strange:
        allowed = ", ".join(kind.takes) or "a verdict and a note"
        msg = f"{strange[0]}= is nothing that a {entry.kind} has. Allowed: {allowed}."
        raise OptionError(msg)
    for key in _TEXTS:
        if key in said and not str(said[key]).strip():
            msg = f"{key}= must be text, and not empty."
            raise InputError(msg)
    return kind.decision(entry, verdict, said, cards)


def core_of(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Give what a payload decides, without what was seen."""
    return {k: v for k, v in payload.items() if k not in SEEN}
