"""The words behind entities and relations, made ready to be shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import polars as pl

from kgkit.frames import take
from kgkit.text import collapse_spaces

__all__ = ["QUOTES", "Evidence"]

QUOTES = 3  # quotes shown per entity and per relation
_AROUND = 70  # characters of context on either side of a mention
_COLUMNS = ["item_id", "rank", "n", "quote", "source", "start", "end", "polarity", "before", "after"]


class Evidence:
    """Looks up quotes for entities and relations of one graph.

    For a relation, the sentences that say so. For an entity, the sentences of its relations, then its mentions, with
    the words around them where the documents' texts were given. Quotes from different documents come first, and for
    an entity those of different relations, so that a few show how widely something is said.
    """

    def __init__(self, parts: dict[str, Any], documents: Any = None) -> None:
        self._parts = parts
        self._documents = documents

    @cached_property
    def relations(self) -> pl.DataFrame:
        """All quotes of relations: item_id, rank, n, quote, source, start, end, polarity, before, after."""
        return self._quotes("relation", "statements")

    @cached_property
    def mentions(self) -> pl.DataFrame:
        """All mentions of entities, in the same columns."""
        return self._quotes("entity", "mentions")

    def of_relations(self, ids: Sequence[str], *, limit: int = QUOTES) -> dict[str, dict[str, Any]]:
        """Quotes of several relations: ``{relation_id: {"n": 7, "quotes": [...]}}``; none where nothing is known."""
        return _gathered(self.relations, ids, limit)

    def of_entities(
        self, ids: Sequence[str], relations: pl.DataFrame, *, limit: int = QUOTES
    ) -> dict[str, dict[str, Any]]:
        """Quotes of several entities; ``relations`` are those to take sentences from."""
        ends = pl.concat(
            [
                relations.select(pl.col(end).alias("entity_id"), "relation_id", "weight")
                for end in ("source_id", "target_id")
            ]
        ).filter(pl.col("entity_id").is_in(list(ids)))
        said = (
            ends.join(self.relations, left_on="relation_id", right_on="item_id")
            .with_columns(nth=pl.int_range(pl.len(), dtype=pl.Int64).over("entity_id", "relation_id"))
            .sort("entity_id", "nth", "weight", "relation_id", descending=[False, False, True, False])
            .unique(["entity_id", "source", "start", "quote"], keep="first", maintain_order=True)
            .with_columns(item_id="entity_id", rank=_spread("entity_id"), n=pl.len().over("entity_id"))
            .select(_COLUMNS)
        )
        out = _gathered(said, ids, limit)
        named = _gathered(self.mentions, [i for i in ids if len(out.get(i, {"quotes": []})["quotes"]) < limit], limit)
        for item, found in named.items():
            have = out.setdefault(item, {"n": 0, "quotes": []})
            have["quotes"] += found["quotes"][: limit - len(have["quotes"])]
            have["n"] += found["n"]
        return out

    def _quotes(self, kind: str, name: str) -> pl.DataFrame:
        evidence, items = self._parts.get("evidence"), self._parts.get(name)
        key = f"{name[:-1]}_id"
        if evidence is None or items is None:
            return pl.DataFrame(schema=_SCHEMA)
        links = take(evidence, "evidence").frame.filter(pl.col("item_kind") == kind)
        found = take(items, name).frame.filter(pl.col("quote").is_not_null() & (pl.col("located") != "unlocated"))
        if "polarity" not in found.columns:
            found = found.with_columns(polarity=pl.lit(None, pl.String))
        joined = (
            links.join(found, left_on="evidence_id", right_on=key)
            .sort("item_id", "doc_id", "start", "evidence_id")
            .with_columns(rank=_spread("item_id", "doc_id"), n=pl.len().over("item_id"))
        )
        joined = self._with_sources(joined, around=kind == "entity")
        return joined.sort("item_id", "rank", maintain_order=True).select(_COLUMNS).cast(_SCHEMA)

    def _with_sources(self, joined: pl.DataFrame, *, around: bool) -> pl.DataFrame:
        if self._documents is None:
            empty = pl.lit(None, pl.String)
            return joined.with_columns(source="doc_id", before=empty, after=empty)
        documents = take(self._documents, "documents", require=["doc_id", "source"]).frame
        joined = joined.join(
            documents.select("doc_id", "source", pl.col("text").alias("whole")),
            on="doc_id", how="left", maintain_order="left",
        ).with_columns(pl.col("source").fill_null(pl.col("doc_id")))  # fmt: skip
        if not around:
            return joined.with_columns(before=pl.lit(None, pl.String), after=pl.lit(None, pl.String))
        start, end = pl.col("start"), pl.col("end")
        first = (start - _AROUND).clip(0)
        return joined.with_columns(
            before=pl.col("whole").str.slice(first, start - first), after=pl.col("whole").str.slice(end, _AROUND)
        )


_SCHEMA = pl.Schema(
    {
        "item_id": pl.String(),
        "rank": pl.Int64(),
        "n": pl.Int64(),
        "quote": pl.String(),
        "source": pl.String(),
        "start": pl.Int64(),
        "end": pl.Int64(),
        "polarity": pl.String(),
        "before": pl.String(),
        "after": pl.String(),
    }
)


def _spread(*within: str) -> pl.Expr:
    """Rank rows within a group by their order, so that each document's first comes before any second."""
    return pl.int_range(pl.len(), dtype=pl.Int64).over(within)


def _gathered(quotes: pl.DataFrame, ids: Sequence[str], limit: int) -> dict[str, dict[str, Any]]:
    wanted = quotes.filter(pl.col("item_id").is_in(list(ids))).group_by("item_id", maintain_order=True).head(limit)
    out: dict[str, dict[str, Any]] = {}
    for row in wanted.iter_rows(named=True):
        shown = out.setdefault(row["item_id"], {"n": row["n"], "quotes": []})
        shown["quotes"].append(_shown(row))
    return out


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    quote = {k: row[k] for k in ("quote", "source", "start", "end", "polarity") if row[k] is not None}
    if row["before"]:
        quote["before"] = ("…" if row["start"] > _AROUND else "") + _flat(row["before"])
    if row["after"]:
        quote["after"] = _flat(row["after"]) + ("…" if len(row["after"]) == _AROUND else "")
    return quote


def _flat(text: str) -> str:
    inner = collapse_spaces(text)
    return (" " if text[:1].isspace() else "") + inner + (" " if text[-1:].isspace() else "")
