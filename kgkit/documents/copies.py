"""Documents of equal content: each gets an id of its own, numbered in the order of their sources."""

from __future__ import annotations

import polars as pl

from kgkit.ids import stable_id

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
    ids = [
        stable_id("doc", digest) if number == 0 else stable_id("doc", digest, number + 1)
        for digest, number in numbered.select("content_hash", "number").iter_rows()
    ]
    note = pl.when(pl.col("number") > 0).then(pl.lit(COPY_NOTE) + pl.col("first"))
    return numbered.select(*COPIES, pl.Series("doc_id", ids, dtype=pl.String), note.alias("note"))
