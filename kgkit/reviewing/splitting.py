"""Splitting an entity: which mentions it has, and what parting them would do to relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import polars as pl

from kgkit.errors import InputError
from kgkit.frames import give, to_polars
from kgkit.resolution import apply_decisions
from kgkit.resolution.decisions import part_ids
from kgkit.reviewing.desk import Desk
from kgkit.reviewing.store import Wish, as_row
from kgkit.reviewing.told import Split

__all__ = ["Splitting"]

_RELATIONS: Mapping[str, Any] = {
    "part": pl.Int64, "relation_id": pl.String, "source": pl.String, "predicate": pl.String,
    "target": pl.String, "polarity": pl.String, "n_statements": pl.Int64, "statement_ids": pl.List(pl.String),
    "quotes": pl.List(pl.String),
}  # fmt: skip
_PARTS = {
    "part": pl.Int64, "entity_id": pl.String, "name": pl.String, "type": pl.String, "n_mentions": pl.Int64,
    "n_documents": pl.Int64, "n_relations": pl.Int64,
}  # fmt: skip
_MENTIONS: Mapping[str, Any] = {
    "mention_id": pl.String, "entity_id": pl.String, "name": pl.String, "doc_id": pl.String, "source": pl.String,
    "start": pl.Int64, "end": pl.Int64, "quote": pl.String, "quote_start": pl.Int64,
    "marks": pl.List(pl.List(pl.Int64)),
}  # fmt: skip

_TRIED = "~ this split"


class Splitting(Desk):
    """What it takes to part two of one name."""

    def mentions(self, entity_id: str) -> Any:
        """Give the mentions of an entity, and of all that decisions make one with it: what a split can part.

        Returns:
            One row each, in the order of documents and places: ``mention_id``, ``entity_id`` (whose it is without
            decisions), ``name`` (as written), ``doc_id``, ``source``, ``start``, ``end``, ``quote`` (the sentence),
            ``quote_start``, ``marks`` (places of the name in the quote).

        Raises:
            InputError: There is no such entity.
        """
        if not self._cards.has(entity_id):
            msg = f"There is no entity {entity_id!r} in the graph that is reviewed."
            raise InputError(msg)
        with self._lock:
            group = self._state.members.get(self._state.group_of(entity_id), {entity_id})
            rows = [row for member in sorted(group) for row in self._cards.words.mentions(member)]
        rows.sort(key=lambda r: (r["doc_id"], r["start"] is None, r["start"] or 0, r["mention_id"]))
        return give(pl.DataFrame(rows, schema=_MENTIONS), None, self._backend)

    def preview_split(self, entity_id: str, parts: Sequence[Mapping[str, Any]]) -> Split:
        """Tell which mentions, relations and sentences would go to whom; nothing is decided.

        Args:
            entity_id: The entity.
            parts: Who leaves it, each with ``name``, if wanted ``type``, and ``mention_ids`` or ``doc_ids``.

        Returns:
            `Split`: frames ``parts`` and ``relations``.

        Raises:
            InputError: The parts cannot be used.
        """
        given = [dict(part) for part in parts]
        wish = Wish("split", entity_id, "accepted", {"parts": given}, self.reviewer, None)
        now = self._store.frame()
        times = [datetime.now(UTC), *now["decided_at"]]
        one = pl.DataFrame([as_row(wish, _TRIED, max(times))], schema=now.schema)
        after = apply_decisions(self._graph, now.vstack(one))
        outcome = to_polars(after.outcomes).filter(pl.col("item_id") == _TRIED).row(0, named=True)
        if outcome["status"] != "ok":
            msg = f"This split cannot be done: {outcome['detail'] or outcome['reason']}."
            raise InputError(msg)
        canonical = dict(to_polars(after.canonical).select("entity_id", "canonical_id").iter_rows())
        ids = [entity_id, *part_ids(entity_id, given)]
        number_of = {canonical.get(i, i): number for number, i in reversed(list(enumerate(ids)))}
        relations = _relations(after, number_of)
        return Split(
            give(_parts(after, number_of, relations), None, self._backend), give(relations, None, self._backend)
        )


def _parts(after: Any, number_of: Mapping[str, int], relations: pl.DataFrame) -> pl.DataFrame:
    counts = dict(relations.group_by("part").len().iter_rows())
    entities = to_polars(after.entities).filter(pl.col("entity_id").is_in(list(number_of)))
    rows = [
        {**row, "part": number_of[row["entity_id"]], "n_relations": counts.get(number_of[row["entity_id"]], 0)}
        for row in entities.select("entity_id", "name", "type", "n_mentions", "n_documents").iter_rows(named=True)
    ]
    return pl.DataFrame(rows, schema=_PARTS).sort("part")


def _relations(after: Any, number_of: Mapping[str, int]) -> pl.DataFrame:
    names = dict(to_polars(after.entities).select("entity_id", "name").iter_rows())
    ids = list(number_of)
    near = to_polars(after.relations).filter(pl.col("source_id").is_in(ids) | pl.col("target_id").is_in(ids))
    said = (
        to_polars(after.evidence)
        .join(near, left_on="item_id", right_on="relation_id", how="semi")
        .join(to_polars(after.statements), left_on="evidence_id", right_on="statement_id", how="left")
        .sort("doc_id", "start", "evidence_id")
        .group_by("item_id")
        .agg(pl.col("evidence_id"), pl.col("quote").drop_nulls())
    )
    words = {item: (statements, quotes) for item, statements, quotes in said.iter_rows()}
    rows = []
    for row in near.iter_rows(named=True):
        statements, quotes = words.get(row["relation_id"], ([], []))
        rows += [
            {"part": number_of[end], "relation_id": row["relation_id"], "source": names[row["source_id"]],
             "predicate": row["predicate"], "target": names[row["target_id"]], "polarity": row["polarity"],
             "n_statements": len(statements), "statement_ids": statements, "quotes": quotes}
            for end in dict.fromkeys((row["source_id"], row["target_id"])) if end in number_of
        ]  # fmt: skip
    return pl.DataFrame(rows, schema=_RELATIONS).sort("part", "source", "predicate", "target", "relation_id")
