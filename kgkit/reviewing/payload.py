"""What an answer says as a decision: its kind, its subject and its payload."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kgkit.errors import InputError, OptionError
from kgkit.resolution import merge_id
from kgkit.reviewing.entries import Entry

__all__ = ["SEEN", "VERDICTS", "Wanted", "core_of", "wanted"]

VERDICTS = ("accepted", "rejected", "skipped", "flagged")
SEEN = ("score", "method", "blind", "item", "rule", "by", "batch")
"""Keys of a payload that say what was seen and how it was decided, not what."""

_FOR = {
    "merge": ("members", "name", "type"),
    "relation": ("predicate", "reverse", "polarity", "statement_ids"),
    "type": ("name", "type", "parts", "revoked"),
}


class Wanted(NamedTuple):
    """A decision to be kept."""

    kind: str
    subject_id: str
    payload: dict[str, Any]


def wanted(entry: Entry, verdict: str, given: Mapping[str, Any], current: Mapping[str, Any]) -> Wanted:
    """Write an answer about an item as a decision.

    Args:
        entry: The item.
        verdict: accepted, rejected, skipped or flagged.
        given: What else was answered; values that are None were not.
        current: ``name`` and ``type`` of an entity that is decided on, for accepting it as it is.

    Raises:
        OptionError: The verdict is not known, or something was answered that this kind of item has not.
        InputError: The members are not those of the item, or too few.
    """
    if verdict not in VERDICTS:
        raise OptionError.not_one_of("verdict", verdict, VERDICTS)
    said = {k: v for k, v in given.items() if v is not None}
    strange = [k for k in said if k not in _FOR[entry.kind]]
    if strange:
        msg = f"{strange[0]}= is nothing that a {entry.kind} has. Allowed: {', '.join(_FOR[entry.kind])}."
        raise OptionError(msg)
    for key in ("name", "type", "predicate"):
        if key in said and not str(said[key]).strip():
            msg = f"{key}= must be text, and not empty."
            raise InputError(msg)
    if entry.kind == "merge":
        return _merge(entry, verdict, said)
    if entry.kind == "relation":
        return Wanted("relation", entry.item_id, said if verdict in ("accepted", "rejected") else {})
    return _entity(entry, verdict, said, current)


def _merge(entry: Entry, verdict: str, said: dict[str, Any]) -> Wanted:
    ticked = _ticked(entry.members, said.get("members"))
    more: dict[str, Any] = {k: said[k] for k in ("name", "type") if k in said}
    if verdict != "accepted" or len(ticked) == len(entry.members):
        if verdict != "accepted":
            more = {}
        return Wanted("merge", entry.item_id, {"entity_ids": list(entry.members), **more})
    if len(ticked) < 2:
        msg = "At least two members must be ticked to make them one; reject the item when none are."
        raise InputError(msg)
    left_out = [m for m in entry.members if m not in ticked]
    return Wanted("merge", merge_id(ticked), {"entity_ids": ticked, "apart": left_out, "item": entry.item_id, **more})


def _ticked(members: Sequence[str], given: Iterable[str] | None) -> list[str]:
    if given is None:
        return list(members)
    ticked = set(given)
    strange = sorted(ticked - set(members))
    if strange:
        msg = f"{strange[0]!r} is no member of this item. Members: {', '.join(members)}."
        raise InputError(msg)
    return [m for m in members if m in ticked]


def _entity(entry: Entry, verdict: str, said: dict[str, Any], current: Mapping[str, Any]) -> Wanted:
    if verdict != "accepted":
        return Wanted("type", entry.item_id, {})
    if said.get("parts"):
        return Wanted("split", entry.item_id, {"parts": [dict(p) for p in said["parts"]]})
    said.pop("parts", None)
    if not said:
        said = {"type": current["type"]} if current["type"] else {"name": current["name"]}
    return Wanted("type", entry.item_id, said)


def core_of(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Give what a payload decides, without what was seen."""
    return {k: v for k, v in payload.items() if k not in SEEN}
