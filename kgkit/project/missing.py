"""What of a stage is done already: documents that are as they were, and the rows made from them."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from kgkit.results import outcomes_from

__all__ = [
    "CHUNKED",
    "EXTRACTED",
    "INTERRUPTED",
    "first_documents",
    "in_order",
    "only",
    "unchanged",
    "unfinished",
    "waiting",
    "without",
]

CHUNKED = ("doc_id", "source", "title", "text", "sections")
"""The columns of documents that chunks are made from."""

EXTRACTED = ("doc_id", "chunk_id", "seq", "start", "end", "text")
"""The columns of chunks that mentions and statements are made from."""


INTERRUPTED = "interrupted"
"""The reason of items that were not reached."""


def unchanged(old: pl.DataFrame, new: pl.DataFrame, columns: Sequence[str]) -> pl.Series:
    """Give the ids of documents all of whose rows are the same in both frames, in the columns that matter."""
    before, after = _comparable(old, columns), _comparable(new, columns)
    same = after.join(before, on=list(columns), how="semi", nulls_equal=True)
    counts = [frame.group_by("doc_id").len() for frame in (before, after, same)]
    agreed = counts[0].join(counts[1], on=["doc_id", "len"]).join(counts[2], on=["doc_id", "len"])
    return agreed["doc_id"].sort()


def unfinished(outcomes: pl.DataFrame, *, retry_failed: bool) -> pl.Series:
    """Give the items that an interrupt left undone, and those that failed if they are to be tried again."""
    again = pl.col("reason") == INTERRUPTED
    if retry_failed:
        again = again.fill_null(value=False) | (pl.col("status") == "failed")
    return outcomes.filter(again)["item_id"]


def first_documents(chunks: pl.DataFrame, n_chars: int) -> pl.DataFrame:
    """Take the chunks of the first documents that have about this much text together; of one at least."""
    sizes = chunks.group_by("doc_id").agg(pl.col("text").str.len_chars().sum()).sort("doc_id")
    taken = sizes.filter(pl.col("text").cum_sum() - pl.col("text") < n_chars)["doc_id"]
    return only(chunks, "doc_id", taken)


def waiting(stage: str, items: pl.Series) -> pl.DataFrame:
    """Make the outcomes of items that are for a later batch."""
    rows = items.to_frame("item_id").with_columns(
        status=pl.lit("skipped"), reason=pl.lit(INTERRUPTED), detail=pl.lit("Not reached yet; run the stage again.")
    )
    return outcomes_from(stage, items, rows)


def only(frame: pl.DataFrame, column: str, ids: pl.Series) -> pl.DataFrame:
    """Keep the rows with these ids."""
    return frame.filter(pl.col(column).is_in(ids.implode()))


def without(frame: pl.DataFrame, column: str, ids: pl.Series) -> pl.DataFrame:
    """Leave out the rows with these ids."""
    return frame.filter(~pl.col(column).is_in(ids.implode()))


def in_order(name: str, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Put rows of several runs together, in the order in which one run gives them."""
    orders = {
        "chunks": ["source", "doc_id", "seq"],
        "mentions": ["doc_id", "start", "end", "mention_id"],
        "statements": ["doc_id", "start", "end", "statement_id"],
        "outcomes": ["item_id"],
    }
    return pl.concat(parts).sort(orders[name], nulls_last=name == "chunks")


def _comparable(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Write lists of structs as JSON, by which rows can be joined."""
    nested = [name for name in columns if frame.schema[name].is_nested()]
    return frame.select(columns).with_columns(
        pl.col(name).list.eval(pl.element().struct.json_encode()).list.join("\n") for name in nested
    )
