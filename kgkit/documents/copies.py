"""Documents of equal content: each gets an id of its own, numbered in the order of their sources."""

from __future__ import annotations

import polars as pl

from kgkit.ids import stable_id, stable_id_series

__all__ = ["COPIES", "COPY_NOTE", "number_copies"]

COPIES = ("source", "content_hash")
"""The columns that ids of documents are made from."""

COPY_NOTE = "duplicate: same content as "


def number_copies(documents: pl.DataFrame) -> pl.DataFrame:
    """Make the ids of documents that were read from files.

    Args:
        documents: One row a document, with the columns `COPIES`; no source twice.

    Returns:
        ``source``, ``content_hash``, ``doc_id`` and ``note``, which names the first of those with the same content;
        in the order of the rows.
    """
    numbered = documents.select(COPIES).with_row_index("row").sort("source")
    numbered = numbered.with_columns(
        number=pl.int_range(pl.len()).over("content_hash"), first=pl.col("source").first().over("content_hash")
    ).sort("row")
    ids = stable_id_series("doc", numbered["content_hash"])
    copies = numbered.filter(pl.col("number") > 0).select("row", "content_hash", "number")
    for row, digest, number in copies.iter_rows():
        ids[row] = stable_id("doc", digest, number + 1)
    note = pl.when(pl.col("number") > 0).then(pl.lit(COPY_NOTE) + pl.col("first"))
    return numbered.select(*COPIES, ids.alias("doc_id"), note.alias("note"))
