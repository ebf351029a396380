"""What a person needs to see to decide on one item, as plain values that any front end can show."""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from kgkit.reviewing.entries import as_reasons
from kgkit.reviewing.kinds import kind_of
from kgkit.reviewing.words import Words, as_card

if TYPE_CHECKING:
    from kgkit.reviewing.entries import Entry

__all__ = ["Card", "Cards"]

_QUOTES = 3

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
        return kind_of(entry.kind).label(entry, self)

    def touched(self, entry: Entry) -> int:
        """Count what a yes would touch, in mentions."""
        return kind_of(entry.kind).touched(entry, self)

    def card(self, entry: Entry, apart: Collection[tuple[str, str]]) -> Card:
        """Make the card of an item: everything but how it stands."""
        made = kind_of(entry.kind).card(entry, self, apart)
        plain: Card = {"question": "", "sides": [], "against": [], "reasons": as_reasons(entry.reasons)}
        return {**plain, **made, "item_id": entry.item_id, "kind": entry.kind, "label": self.label(entry)}

    def side(self, entity_id: str) -> Card:
        """Show one entity: its name, type, aliases, counts, attributes and quotes."""
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
            "quotes": [as_card(q) for q in quotes],
            "n_quotes": n_quotes,
        }

    def near(self, entity_id: str) -> list[Card]:
        """Give an entity's neighbours, each with what is said."""
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
