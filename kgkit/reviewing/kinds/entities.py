"""Entities: is this one thing, with the right name and type?"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from kgkit.reviewing.entries import Entry
from kgkit.reviewing.kinds.kind import Kind
from kgkit.reviewing.payload import Wanted

if TYPE_CHECKING:
    import polars as pl

    from kgkit.reviewing.cards import Card, Cards

__all__ = ["Entities"]


class Entities(Kind):
    """Entities: their types and names, and whether they are several."""

    name: ClassVar[str] = "type"
    others: ClassVar[tuple[str, ...]] = ("split",)
    needs: ClassVar[frozenset[str]] = frozenset({"entity_id"})
    takes: ClassVar[tuple[str, ...]] = ("name", "type", "parts", "revoked")
    silent: ClassVar[tuple[str, ...]] = ("name", "type", "revoked")

    def entries(self, frame: pl.DataFrame, held: Mapping[str, Any], *, groups: bool) -> list[Entry]:
        """Make one item for each entity."""
        scores = frame["score"].to_list() if "score" in frame.columns else [None] * frame.height
        rows = zip(frame["entity_id"].to_list(), scores, strict=True)
        return [Entry(e, "type", (e,), score, "given") for e, score in rows]

    def label(self, entry: Entry, cards: Cards) -> str:
        """Give name and type."""
        return f"{cards.name(entry.members[0])} · {cards.type(entry.members[0]) or 'no type'}"

    def card(self, entry: Entry, cards: Cards, apart: Collection[tuple[str, str]]) -> Card:
        """Show the entity, and where it is mentioned."""
        entity_id = entry.members[0]
        return {
            "question": "Is this one thing, with the right name and type?",
            "sides": [cards.side(entity_id) | {"neighbours": cards.near(entity_id)}],
            "documents": cards.words.by_document(entity_id),
            "against": [],
        }

    def decision(self, entry: Entry, verdict: str, said: Mapping[str, Any], cards: Cards) -> Wanted:
        """Keep or change type and name, or split."""
        if verdict != "accepted":
            return Wanted("type", entry.item_id, {})
        if said.get("parts"):
            return Wanted("split", entry.item_id, {"parts": [dict(p) for p in said["parts"]]})
        chosen = {k: v for k, v in said.items() if k != "parts"}
        if not chosen:
            name, kind = cards.name(entry.members[0]), cards.type(entry.members[0])
            chosen = {"type": kind} if kind else {"name": name}
        return Wanted("type", entry.item_id, chosen)
