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
    typed = ends.filter(pl.col("type_no").is_not_null())
    declared = mentions.select("doc_no", "key_no", "type_no", "entity").unique()
    found = typed.join(declared, on=["doc_no", "key_no", "type_no"], how="left")
    named = found.select("end", "entity", candidates=pl.col("entity").is_not_null().cast(pl.UInt32))
    bare = _resolve_bare(ends.filter(pl.col("type_no").is_null()), mentions)
    return pl.concat([named, bare]).sort("end").drop("end")


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
