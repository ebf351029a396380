"""A graph made of entities and relations that somebody already has."""

from __future__ import annotations

from typing import Any

import polars as pl

from kgkit import tables
from kgkit.frames import take
from kgkit.ids import stable_id_series
from kgkit.results import outcomes_from

__all__ = ["complete"]

_SAME = ["source_id", "predicate", "target_id", "polarity"]


def complete(entities: pl.DataFrame, relations: Any) -> dict[str, pl.DataFrame]:
    """Fill in what entities and relations leave out, and account for every row.

    Args:
        entities: An entities frame with ``entity_id`` and ``name``.
        relations: A relations frame of any kind with ``source_id`` and ``target_id``, or ``None``.

    Returns:
        All frames of a graph.
    """
    filled = entities.with_columns(
        pl.col("aliases").fill_null([]),
        pl.col("attributes").fill_null("{}"),
        pl.col("n_mentions", "n_documents").fill_null(0),
    ).sort("entity_id")
    given = _with_ids(tables.empty("relations") if relations is None else _take(relations))
    known = pl.all_horizontal(pl.col(c).is_in(filled["entity_id"].implode()) for c in ("source_id", "target_id"))
    kept = given.filter(known)
    return {
        "entities": tables.conform(filled, "entities"),
        "relations": tables.conform(kept, "relations"),
        **{name: tables.empty(name) for name in ("evidence", "mentions", "statements")},
        "outcomes": _outcomes(filled["entity_id"], given.with_columns(known=known)),
    }


def _take(relations: Any) -> pl.DataFrame:
    frame = take(relations, "relations", require=["source_id", "target_id"]).frame
    return frame.with_columns(
        pl.col("predicate").fill_null("related_to"),
        pl.col("polarity").fill_null("positive"),
        pl.col("weight").fill_null(1.0),
        pl.col("n_documents").fill_null(0),
    )


def _with_ids(relations: pl.DataFrame) -> pl.DataFrame:
    """Give ids to relations without one, and make those one that then have the same."""
    made = stable_id_series("relation", *(relations[c] for c in _SAME))
    own = relations.filter(pl.col("relation_id").is_not_null())
    tables.check_key(own, "relations")
    named = relations.with_columns(relation_id=pl.coalesce("relation_id", made))
    one = named.sort("relation_id", "weight").group_by("relation_id", maintain_order=True)
    return one.agg(
        pl.col(*_SAME).first(),
        pl.col("weight").sum(),
        pl.col("n_documents").max(),
        pl.col("confidence").max(),
        rows=pl.len(),
    )


def _outcomes(ids: pl.Series, relations: pl.DataFrame) -> pl.DataFrame:
    lost = ~pl.col("known")
    several = pl.concat_list(pl.format("same_relation: {} rows are this one relation", "rows"))
    of_relations = relations.select(
        item_id="relation_id",
        status=pl.when(lost).then(pl.lit("skipped")).otherwise(pl.lit("ok")),
        reason=pl.when(lost).then(pl.lit("undeclared_end")),
        detail=pl.when(lost).then(
            pl.format("an end of {} {} {} is no entity of the graph", "source_id", "predicate", "target_id")
        ),
        notes=pl.when(pl.col("rows") > 1).then(several).otherwise(pl.lit([], pl.List(pl.String))),
    )
    of_entities = pl.DataFrame({"item_id": ids}).with_columns(status=pl.lit("ok"))
    rows = pl.concat([of_entities, of_relations], how="diagonal").with_columns(pl.col("notes").fill_null([]))
    return outcomes_from("build_graph", rows["item_id"], rows)
