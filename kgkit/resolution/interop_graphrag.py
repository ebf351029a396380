"""GraphRAG's tables as a graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from kgkit.errors import InputError, SchemaError
from kgkit.frames import backend_of
from kgkit.graph import Graph
from kgkit.ids import stable_id_series
from kgkit.resolution.interop_formats import load
from kgkit.text import normalise_name

__all__ = ["read_graphrag"]


def read_graphrag(source: Any, relationships: Any = None) -> Graph:
    """Read the entities and relationships that GraphRAG wrote, as a graph.

    GraphRAG joins entities by title, so their relations name titles, not ids. Entities of one title and different
    types stay apart here; a relation whose end has several is left out, as the outcomes tell. Ids are made anew from
    type and name: GraphRAG's differ from run to run.

    Args:
        source: Its output folder (with ``entities.parquet`` and ``relationships.parquet``), or the path or frame of
            the entities: ``title``, and if there ``type``, ``description``, ``frequency``, ``text_unit_ids``.
        relationships: Path or frame of the relationships: ``source``, ``target``, and if there ``description``
            (which becomes no predicate: all are ``related_to``), ``weight``, ``text_unit_ids``.

    Returns:
        A `Graph` without mentions and statements. ``n_mentions`` is the number of text units that mention an entity.

    Raises:
        InputError: A file cannot be read.
        SchemaError: ``title``, ``source`` or ``target`` is missing.

    Examples:
        >>> import polars as pl
        >>> entities = pl.DataFrame({"title": ["ADA", "BABBAGE"], "type": ["PERSON", "PERSON"]})
        >>> links = pl.DataFrame({"source": ["ADA"], "target": ["BABBAGE"], "weight": [2.0]})
        >>> read_graphrag(entities, links).counts["ok"]
        3
    """
    if isinstance(source, (str, Path)) and Path(source).is_dir():
        folder = Path(source)
        source = folder / "entities.parquet"
        found = folder / "relationships.parquet"
        relationships = found if relationships is None and found.exists() else relationships
    backend = "polars" if isinstance(source, (str, Path)) else backend_of(source)
    entities = _entities(_table(source, "entities", ["title"]))
    graph = Graph.from_frames(entities, None if relationships is None else _relations(relationships, entities))
    return graph.to(backend)


def _table(source: Any, name: str, needed: list[str]) -> pl.DataFrame:
    table = load(source)
    if not isinstance(table, pl.DataFrame):
        msg = f"The {name} must be a frame, or a Parquet or CSV file."
        raise InputError(msg)
    missing = [column for column in needed if column not in table.columns]
    if missing:
        msg = f"GraphRAG's {name} need the column {', '.join(missing)}; these have {', '.join(table.columns)}."
        raise SchemaError(msg)
    return table


def _entities(table: pl.DataFrame) -> pl.DataFrame:
    """Make one entity of each type and title; descriptions of repeated ones are joined."""
    known = {"type", "description", "text_unit_ids"} & set(table.columns)
    units = pl.col("text_unit_ids").list.len().cast(pl.Int64) if "text_unit_ids" in known else pl.lit(0)
    rows = table.select(
        name=pl.col("title").cast(pl.String),
        type=_filled("type", known),
        description=_filled("description", known),
        n_mentions=units.fill_null(0),
    ).filter(pl.col("name").is_not_null())
    keys = pl.Series("key", [normalise_name(name) for name in rows["name"].to_list()], dtype=pl.String)
    rows = rows.with_columns(keys, entity_id=stable_id_series("entity", rows["type"], keys))
    order = ["entity_id", "n_mentions", "name", "description"]
    ranked = rows.sort(order, descending=[False, True, False, False], nulls_last=True)
    return ranked.group_by("entity_id", maintain_order=True).agg(
        pl.col("name", "type", "key").first(),
        aliases=pl.col("name").unique(maintain_order=True).slice(1),
        description=pl.col("description").drop_nulls().unique(maintain_order=True).str.join(" ; ").replace("", None),
        n_mentions=pl.col("n_mentions").sum(),
    )


def _filled(column: str, known: set[str]) -> pl.Expr:
    """Give a text column, null where it is empty or absent."""
    text = pl.col(column).cast(pl.String).str.strip_chars() if column in known else pl.lit(None, pl.String)
    return pl.when(text != "").then(text)


def _relations(source: Any, entities: pl.DataFrame) -> pl.DataFrame:
    """Find the ends of relations by title; an end with several entities, or none, stays open and is told."""
    table = _table(source, "relationships", ["source", "target"])
    weight = pl.col("weight").cast(pl.Float64) if "weight" in table.columns else pl.lit(1.0)
    rows = table.select(pl.col("source", "target").cast(pl.String), weight=weight.fill_null(1.0))
    one = entities.filter(~pl.col("key").is_duplicated()).select("key", "entity_id")
    for side in ("source", "target"):
        keys = pl.Series("key", [normalise_name(name or "") for name in rows[side].to_list()], dtype=pl.String)
        rows = rows.with_columns(keys).join(one, on="key", how="left", maintain_order="left")
        rows = rows.with_columns(pl.coalesce("entity_id", side, pl.lit("")).alias(f"{side}_id")).drop(
            "key", "entity_id"
        )
    return rows.select("source_id", "target_id", "weight")
