"""Relations: is this what the text says?"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from kgkit.frames import take
from kgkit.reviewing.entries import Entry
from kgkit.reviewing.kinds.kind import Kind
from kgkit.reviewing.words import as_card

if TYPE_CHECKING:
    import polars as pl

    from kgkit.reviewing.cards import Card, Cards

__all__ = ["Relations"]


class Relations(Kind):
    """Relations, with the sentences that say them."""

    name: ClassVar[str] = "relation"
    table: ClassVar[str | None] = "relations"
    needs: ClassVar[frozenset[str]] = frozenset({"relation_id"})
    takes: ClassVar[tuple[str, ...]] = ("predicate", "reverse", "polarity", "statement_ids")

    def entries(self, frame: pl.DataFrame, held: Mapping[str, Any], *, groups: bool) -> list[Entry]:
        """Make one item for each relation."""
        table = take(frame, "relations", require=["relation_id", "source_id", "target_id"]).frame
        rows = table.select("relation_id", "source_id", "target_id", "confidence").iter_rows()
        return [Entry(r, "relation", (source, target), score, "extraction") for r, source, target, score in rows]

    def label(self, entry: Entry, cards: Cards) -> str:
        """Say the relation."""
        row = cards.relation(entry.item_id)
        denied = "" if row["polarity"] == "positive" else f" ({row['polarity']})"
        source, target = map(cards.name, entry.members)
        return f"{source} · {row['predicate'].replace('_', ' ')}{denied} · {target}"

    def card(self, entry: Entry, cards: Cards, apart: Collection[tuple[str, str]]) -> Card:
        """Show both ends and the sentences."""
        row = cards.relation(entry.item_id)
        quotes = cards.words.of_relation(entry.item_id)
        against = [] if row["polarity"] == "positive" else [f"the text says so as {row['polarity']}"]
        return {
            "question": "Is this what the text says?",
            "sides": [cards.side(m) | {"quotes": []} for m in entry.members],
            "predicate": row["predicate"],
            "polarity": row["polarity"],
            "quotes": [as_card(q) for q in quotes],
            "against": against if quotes else [*against, "no words of a document support it"],
        }

    def touched(self, entry: Entry, cards: Cards) -> int:
        """Count its statements."""
        return int(cards.relation(entry.item_id)["weight"] or 0)
