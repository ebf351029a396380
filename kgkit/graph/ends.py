"""Which entity each end of a statement means.

An end is looked up in its chunk, then in its document; never in one table of names over all documents, where
the last writer of a name would win. An end with a type means the entity of that name and type. An end without
a type means the one entity of that name that the chunk (else the document) mentions; when there are several,
it stays open.
"""

from __future__ import annotations

import polars as pl

__all__ = ["SIDES", "end_columns", "ends_of", "resolve_ends"]

SIDES = ("subject", "object")
_PLACE = ["doc_id", "chunk_id", "key", "type"]


def end_columns(side: str) -> list[str]:
    """Name the columns that say what the end on one side is."""
    return ["doc_id", "chunk_id", f"{side}_key", f"{side}_type"]


def ends_of(statements: pl.DataFrame) -> pl.DataFrame:
    """List the different ends of statements: ``doc_id, chunk_id, key, type``."""
    sides = [statements.select(pl.col(c).alias(p) for c, p in zip(end_columns(s), _PLACE, strict=True)) for s in SIDES]
    return pl.concat(sides).unique()


def resolve_ends(ends: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """Find the entity that each end means.

    Args:
        ends: As `ends_of` lists them.
        mentions: ``doc_id, chunk_id, key, type, entity`` of the mentions that count.

    Returns:
        The ends with ``entity`` (null when not found) and ``candidates`` (how many there were: 0, 1 or more).
    """
    typed = ends.filter(pl.col("type").is_not_null())
    declared = mentions.select("doc_id", "key", "type", "entity").unique()
    found = typed.join(declared, on=["doc_id", "key", "type"], how="left")
    found = found.with_columns(candidates=pl.col("entity").is_not_null().cast(pl.UInt32))
    return pl.concat([found, _resolve_bare(ends.filter(pl.col("type").is_null()), mentions)], how="diagonal")


def _resolve_bare(ends: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    near = _candidates(mentions, ["doc_id", "chunk_id", "key"], "near")
    wide = _candidates(mentions, ["doc_id", "key"], "wide")
    both = ends.join(near, on=["doc_id", "chunk_id", "key"], how="left").join(wide, on=["doc_id", "key"], how="left")
    candidates = pl.coalesce("near_n", "wide_n").fill_null(0)
    one = pl.when(candidates == 1).then(pl.coalesce("near", "wide"))
    return both.select(*_PLACE, one.alias("entity"), candidates.cast(pl.UInt32).alias("candidates"))


def _candidates(mentions: pl.DataFrame, keys: list[str], name: str) -> pl.DataFrame:
    distinct = mentions.select(*keys, "entity").unique()
    return distinct.group_by(keys).agg(pl.col("entity").min().alias(name), pl.len().alias(f"{name}_n"))
