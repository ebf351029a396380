"""Several entities become one, and nothing that one of them knew is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kgkit.graph.merged import UNPARSED
from kgkit.resolution.apply.choices import Choices
from kgkit.resolution.apply.members import Member
from kgkit.text import normalise_name

__all__ = ["Alias", "United", "unite"]

_JOIN = " ; "


class Alias(NamedTuple):
    """Another name of an entity, the member that brought it, and the decision that revoked it."""

    alias: str
    member_id: str
    revoked_by: str | None


class United(NamedTuple):
    """An entity made of members, its aliases with where they come from, and a remark where types differed."""

    row: Member
    aliases: list[Alias]
    remark: str | None


def unite(entity_id: str, members: Sequence[Member], choices: Choices, n_documents: int) -> United:
    """Make one entity of members.

    The members' order is: most mentions, then longest name, then smallest id. The name is a person's choice, else
    that of the first member; the type a person's choice, else the one with most mentions, then the first member's.
    Descriptions and attributes are those of all members, each once, in that order.

    Args:
        entity_id: Its id.
        members: Rows of the entities table, one or more.
        choices: What people chose.
        n_documents: Number of documents that mention it, as far as evidence tells.
    """
    ranked = sorted(members, key=lambda m: (-m["n_mentions"], -len(m["name"]), m["entity_id"]))
    names = list(dict.fromkeys(_names(ranked)))
    name = choices.name[0] if choices.name else _first_name(names, choices.revoked)
    aliases = [Alias(text, member_id, _revoked(text, choices)) for text, member_id in _first_of(names) if text != name]
    kinds = _kinds(ranked)
    best = max(kinds, key=lambda kind: (kinds[kind], -list(kinds).index(kind)), default=None)
    type_ = choices.type[0] if choices.type else best
    row: Member = {
        "entity_id": entity_id,
        "name": name,
        "type": type_,
        "aliases": [a.alias for a in aliases if a.revoked_by is None],
        "description": _descriptions(ranked),
        "attributes": _attributes(ranked),
        "n_mentions": sum(m["n_mentions"] for m in ranked),
        "n_documents": max(n_documents, *(m["n_documents"] for m in ranked)),
    }
    remark = f"types_differ: {', '.join(kinds)}; it is {type_}" if len(kinds) > 1 else None
    return United(row, aliases, remark)


def _names(members: Sequence[Member]) -> Iterator[tuple[str, str]]:
    for member in members:
        yield from ((text, member["entity_id"]) for text in (member["name"], *member["aliases"]))


def _first_of(names: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    first: dict[str, str] = {}
    for text, member_id in names:
        first.setdefault(text, member_id)
    yield from first.items()


def _first_name(names: Sequence[tuple[str, str]], revoked: Mapping[str, str]) -> str:
    """Give the first name that nobody revoked; when all are, the first."""
    return next((text for text, _ in names if normalise_name(text) not in revoked), names[0][0])


def _revoked(text: str, choices: Choices) -> str | None:
    return choices.revoked.get(normalise_name(text)) if choices.revoked else None


def _kinds(members: Sequence[Member]) -> dict[str, int]:
    kinds: dict[str, int] = {}
    for member in members:
        if member["type"] is not None:
            kinds[member["type"]] = kinds.get(member["type"], 0) + member["n_mentions"]
    return kinds


def _descriptions(members: Sequence[Member]) -> str | None:
    if len(members) == 1:
        return members[0]["description"]  # type: ignore[no-any-return]
    parts = [part for m in members if m["description"] for part in m["description"].split(_JOIN)]
    return _JOIN.join(dict.fromkeys(parts)) or None


def _attributes(members: Sequence[Member]) -> str:
    """Collect for every key the list of all different values; a single value counts as a list of one."""
    told = list(dict.fromkeys(m["attributes"] for m in members if m["attributes"].strip() not in ("", "{}", "null")))
    if len(told) < 2:
        return told[0] if told else "{}"
    merged: dict[str, dict[str, Any]] = {}
    for text in told:
        for key, values in _read(text).items():
            for value in values if isinstance(values, list) else [values]:
                merged.setdefault(key, {}).setdefault(_write(value), value)
    return _write({key: list(values.values()) for key, values in sorted(merged.items())})


def _read(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {UNPARSED: [text]}


def _write(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
