"""Which entity each end of a statement means.

An end is looked up in its chunk, then in its document; never in one table of names over all documents, where
the last writer of a name would win. An end with a type means the entity of that name and type. An end without
a type means the one entity of that name that the chunk (else the document) mentions; when there are several,
it stays open.
"""

from __future__ import annotations

import polars as pl

__all__ = ["resolve_ends"]


def resolve_ends(ends: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """Find the entity that each end means.

    Args:
        ends: ``doc_no, chunk_no, key_no, type_no``, one row per end.
        mentions: The same of the mentions that count, with the ``entity`` of each.

    Returns:
        ``entity`` (null when not found) and ``candidates`` (how many there were: 0, 1 or more), in the order
        of the ends.
    """
    ends = ends.with_row_index("end")
    named = _resolve_typed(ends.filter(pl.col("type_no").is_not_null()), mentions)
    bare = _resolve_bare(ends.filter(pl.col("type_no").is_null()), mentions)
    return pl.concat([named, bare]).sort("end").drop("end")


def _resolve_typed(ends: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """Find the entity of a name and type, if the document mentions it."""
    groups = mentions.select(_pack("type_no", "key_no").alias("named"), "entity").drop_nulls().unique("named")
    found = ends.with_columns(_pack("type_no", "key_no").alias("named")).join(groups, on="named", how="left")
    declared = mentions.select(_pack("doc_no", "entity").alias("place")).unique().with_columns(known=pl.lit(value=True))
    placed = found.with_columns(_pack("doc_no", "entity").alias("place")).join(declared, on="place", how="left")
    known = pl.col("known").fill_null(value=False)
    return placed.select("end", pl.when(known).then("entity").alias("entity"), candidates=known.cast(pl.UInt32))


def _pack(high: str, low: str) -> pl.Expr:
    """Make one number of two, null when one is: tables join on one number much faster than on two columns."""
    return pl.col(high).cast(pl.UInt64) * 2**32 + pl.col(low)


def _resolve_bare(ends: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    near_keys, wide_keys = ["doc_no", "chunk_no", "key_no"], ["doc_no", "key_no"]
    near, wide = _candidates(mentions, near_keys, "near"), _candidates(mentions, wide_keys, "wide")
    both = ends.join(near, on=near_keys, how="left").join(wide, on=wide_keys, how="left")
    candidates = pl.coalesce("near_n", "wide_n").fill_null(0).cast(pl.UInt32)
    return both.select("end", pl.when(candidates == 1).then(pl.coalesce("near", "wide")).alias("entity"),
                       candidates.alias("candidates"))  # fmt: skip


def _candidates(mentions: pl.DataFrame, keys: list[str], name: str) -> pl.DataFrame:
    distinct = mentions.select(*keys, "entity").unique()
    return distinct.group_by(keys).agg(pl.col("entity").min().alias(name), pl.len().alias(f"{name}_n"))
