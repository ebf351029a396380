"""What a person needs to see to decide on one item, as plain values that any front end can show."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import combinations
from typing import Any

import polars as pl

from kgkit.reviewing.entries import Entry
from kgkit.reviewing.words import Quote, Words

__all__ = ["Cards"]

_QUOTES, _NEIGHBOURS, _LONG = 3, 12, 160
_NAMED = 6  # members of a group named in one line
_BORN = re.compile(r"(?:\bborn\b[^.;()]{0,40}?|\(\s*(?:b\.\s*|c\.\s*)?)(1\d{3}|20\d{2})\b")
_BIRTH_KEYS = ("born", "birth", "birth_year", "year_of_birth", "birth_date", "date_of_birth")
_WORDS = re.compile(r"\s+|[^\s]+")
_ALIKE = 0.5  # share of letters that two words have in common, from which they are compared by letters
_DIGITS = re.compile(r"\d+")

Card = dict[str, Any]


class Cards:
    """Makes the cards of one graph.

    Args:
        entities: The entities table.
        relations: The relations table.
        words: Where quotes come from.
    """

    def __init__(self, entities: pl.DataFrame, relations: pl.DataFrame, words: Words) -> None:
        self.words = words
        self._entities, self._relations = entities, relations
        self._number = {e: i for i, e in enumerate(entities["entity_id"].to_list())}

    @property
    def ids(self) -> list[str]:
        """The ids of all entities."""
        return list(self._number)

    def has(self, entity_id: str) -> bool:
        """Tell whether an entity is in the graph."""
        return entity_id in self._number

    def name(self, entity_id: str) -> str:
        """Give an entity's name."""
        return str(self._names[self._number[entity_id]])

    def type(self, entity_id: str) -> str | None:
        """Give an entity's type."""
        return self._types[self._number[entity_id]]

    def n_mentions(self, entity_id: str) -> int:
        """Give the number of an entity's mentions."""
        return self._counts[self._number[entity_id]]

    def relation(self, relation_id: str) -> dict[str, Any]:
        """Give a relation's row."""
        return self._relations.row(self._relation_number[relation_id], named=True)

    def label(self, entry: Entry) -> str:
        """Name an item in one line."""
        names = [self.name(m) for m in entry.members]
        if entry.kind == "relation":
            row = self.relation(entry.item_id)
            denied = "" if row["polarity"] == "positive" else f" ({row['polarity']})"
            return f"{names[0]} · {row['predicate'].replace('_', ' ')}{denied} · {names[1]}"
        if entry.kind == "type":
            return f"{names[0]} · {self.type(entry.members[0]) or 'no type'}"
        more = [f"{len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
        return " = ".join([*names[:_NAMED], *more])

    def card(self, entry: Entry, apart: Collection[tuple[str, str]]) -> Card:
        """Make the card of an item: everything but how it stands."""
        made: Card = {"item_id": entry.item_id, "kind": entry.kind, "label": self.label(entry), "against": []}
        made["reasons"] = [{"reason": r["reason"], "weight": round(r["weight"], 2)} for r in entry.reasons]
        if entry.kind == "relation":
            return made | self._of_relation(entry)
        made["sides"] = [self._side(m) for m in entry.members]
        if entry.kind == "merge":
            return made | self._of_merge(entry, made["sides"], apart)
        made["documents"] = self.words.by_document(entry.members[0])
        made["sides"][0]["neighbours"] = self._near(entry.members[0])
        return made

    def _side(self, entity_id: str) -> Card:
        row = self._entities.row(self._number[entity_id], named=True)
        quotes, n_quotes = self.words.of_entity(entity_id, _QUOTES)
        return {
            "entity_id": entity_id,
            "name": row["name"],
            "parts": [[row["name"], False]],
            "type": row["type"],
            "aliases": row["aliases"] or [],
            "n_mentions": row["n_mentions"],
            "n_documents": row["n_documents"],
            "description": row["description"],
            "attributes": _attributes(row["attributes"]),
            "quotes": [_quote(q) for q in quotes],
            "n_quotes": n_quotes,
        }

    def _of_merge(self, entry: Entry, sides: list[Card], apart: Collection[tuple[str, str]]) -> Card:
        near = [{n["entity_id"]: n for n in self._near(m)} for m in entry.members]
        shared = set.intersection(*map(set, near)) if near else set()
        for side, own in zip(sides, near, strict=True):
            side["neighbours"] = [n for i, n in own.items() if i not in shared and i not in entry.members][:_NEIGHBOURS]
            side["n_neighbours"] = len(own)
        found = [(a, b, q) for a, b in combinations(entry.members[:6], 2) for q in self.words.together(a, b)]
        between = [q for _, _, q in found][:_QUOTES]
        together = sorted({(self.name(a), self.name(b)) for a, b, _ in found})
        made: Card = {
            "question": "Are these one?" if len(sides) == 2 else "Which of these are one?",
            "common": sorted((near[0][i]["name"] for i in shared), key=str)[:_NEIGHBOURS],
            "n_common": len(shared),
            "between": [_quote(q) for q in between],
            "against": _against(sides, together, entry.members, apart, self.name),
        }
        if len(sides) == 2:
            sides[0]["parts"], sides[1]["parts"] = _differences(sides[0]["name"], sides[1]["name"])
            _mark_attributes(sides)
        if entry.weakest is not None:
            made["weakest"] = [self.name(i) for i in entry.weakest]
        return made

    def _of_relation(self, entry: Entry) -> Card:
        row = self.relation(entry.item_id)
        quotes = self.words.of_relation(entry.item_id)
        against = [] if row["polarity"] == "positive" else [f"the text says so as {row['polarity']}"]
        return {
            "question": "Is this what the text says?",
            "sides": [self._side(m) | {"quotes": []} for m in entry.members],
            "predicate": row["predicate"],
            "polarity": row["polarity"],
            "quotes": [_quote(q) for q in quotes],
            "against": against if quotes else [*against, "no words of a document support it"],
        }

    def _near(self, entity_id: str) -> list[Card]:
        found: dict[str, Card] = {}
        for predicate, other, out in self._adjacent.get(entity_id, ()):
            said = predicate.replace("_", " ")
            held = found.setdefault(other, {"entity_id": other, "name": self.name(other), "said": []})
            held["said"].append(said if out else f"{said} (it)")
        return list(found.values())

    @cached_property
    def _names(self) -> list[str]:
        return self._entities["name"].to_list()

    @cached_property
    def _types(self) -> list[str | None]:
        return self._entities["type"].to_list()

    @cached_property
    def _counts(self) -> list[int]:
        return self._entities["n_mentions"].fill_null(0).to_list()

    @cached_property
    def _relation_number(self) -> dict[str, int]:
        return {r: i for i, r in enumerate(self._relations["relation_id"].to_list())}

    @cached_property
    def _adjacent(self) -> dict[str, list[tuple[str, str, bool]]]:
        found: dict[str, list[tuple[str, str, bool]]] = {}
        rows = self._relations.sort("weight", "relation_id", descending=[True, False])
        for source, predicate, target in rows.select("source_id", "predicate", "target_id").iter_rows():
            if source in self._number and target in self._number:
                found.setdefault(source, []).append((predicate, target, True))
                found.setdefault(target, []).append((predicate, source, False))
        return found


def _quote(quote: Quote) -> Card:
    return {
        "text": quote.text, "doc_id": quote.doc_id, "source": quote.source, "start": quote.start, "end": quote.end,
        "marks": sorted(map(list, set(quote.marks))), "polarity": quote.polarity, "evidence_id": quote.evidence_id,
    }  # fmt: skip


def _attributes(text: str | None) -> list[list[Any]]:
    """Flatten attributes to name, value and whether it differs from the other side's."""
    try:
        held = json.loads(text or "{}")
    except ValueError:
        return [["attributes", text, False]]
    return [[str(k), _plain(v), False] for k, v in sorted(held.items())] if isinstance(held, dict) else []


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(map(_plain, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _mark_attributes(sides: Sequence[Card]) -> None:
    one, other = ({k: v for k, v, _ in side["attributes"]} for side in sides)
    for side in sides:
        for row in side["attributes"]:
            row[2] = row[0] in one and row[0] in other and one[row[0]] != other[row[0]]


def _differences(one: str, other: str) -> tuple[list[list[Any]], list[list[Any]]]:
    """Cut two names into parts: the text, and whether it differs from the other's. Like words differ in letters."""
    if max(len(one), len(other)) > _LONG:
        return [[one, False]], [[other, False]]
    words = [_WORDS.findall(name) for name in (one, other)]
    left: list[list[Any]] = []
    right: list[list[Any]] = []
    for tag, a, b, c, d in _matching(*words):
        parts = "".join(words[0][a:b]), "".join(words[1][c:d])
        if tag == "replace" and b - a == d - c == 1 and SequenceMatcher(None, *parts).ratio() >= _ALIKE:
            for inner, e, f, g, h in _matching(*parts):
                left.append([parts[0][e:f], inner != "equal"])
                right.append([parts[1][g:h], inner != "equal"])
        else:
            left.append([parts[0], tag != "equal"])
            right.append([parts[1], tag != "equal"])
    return [p for p in left if p[0]], [p for p in right if p[0]]


def _matching(one: Sequence[str], other: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    left, right = ([part.casefold() for part in parts] for parts in (one, other))
    return list(SequenceMatcher(None, left, right, autojunk=False).get_opcodes())


def _against(
    sides: Sequence[Card],
    together: Sequence[tuple[str, str]],
    members: Sequence[str],
    apart: Collection[tuple[str, str]],
    name: Any,
) -> list[str]:
    found = []
    years = [_born(side) for side in sides]
    known = {y for y in years if y}
    if len(known) > 1:
        found.append("years of birth differ: " + ", ".join(map(str, sorted(known))))
    types = {side["type"] for side in sides if side["type"]}
    if len(types) > 1:
        found.append("types differ: " + ", ".join(sorted(types)))
    numbers = {tuple(_DIGITS.findall(side["name"])) for side in sides} - {()}
    if len(numbers) > 1:
        found.append("numbers in the names differ")
    if together and len(sides) == 2:
        found.append("both are named in one sentence")
    else:
        found += [f"{one} and {other} are named in one sentence" for one, other in together]
    for a, b in combinations(members, 2):
        pair = tuple(sorted((a, b)))
        if pair in apart:
            found.append(f"somebody decided that {name(a)} and {name(b)} are not one")
    return found


def _born(side: Card) -> int | None:
    for key, value, _ in side["attributes"]:
        year = re.search(r"\b(1\d{3}|20\d{2})\b", value) if key.casefold() in _BIRTH_KEYS else None
        if year:
            return int(year.group())
    said = _BORN.search(side["description"] or "")
    return int(said.group(1)) if said else None
