"""What became of each mention and each statement, and why."""

from __future__ import annotations

import polars as pl

from kgkit.errors import SchemaError
from kgkit.results import outcomes_from

__all__ = ["account"]

_SIDES = ("subject", "object")
_DETAILS = {
    "unlocated": "its words were not found in the text, so it is no evidence",
    "no_name": "its name is empty",
    "empty_end": "its subject or object is empty",
    "empty_predicate": "its predicate is empty",
}


def account(heard: pl.DataFrame, stated: pl.DataFrame, bad: pl.Series, params: dict[str, str]) -> pl.DataFrame:
    """Make the outcomes of `build_graph`.

    Args:
        heard: All mentions with the ``reason`` why one does not count, null when it does.
        stated: All statements with their ``reason``, and what is known of their ends.
        bad: Attributes' texts that are no JSON objects.
        params: The stage's options.

    Raises:
        SchemaError: A mention and a statement have the same id.
    """
    odd = pl.col("reason").is_null() & pl.col("attributes").str.strip_chars().is_in(bad.implode())
    none = pl.lit([], pl.List(pl.String))
    note = pl.lit(["bad_attributes: not a JSON object, kept as text"], pl.List(pl.String))
    parts = [
        _rows(heard, "mention_id", pl.when(odd).then(note).otherwise(none)),
        _rows(_with_ends(stated), "statement_id", none),
    ]
    rows = pl.concat(parts)
    shared = rows["item_id"].filter(rows["item_id"].is_duplicated())
    if len(shared):
        msg = f"The id {shared.sort()[0]!r} is that of a mention and of a statement; each needs an id of its own."
        raise SchemaError(msg)
    return outcomes_from("build_graph", rows["item_id"], rows, params=params)


def _rows(items: pl.DataFrame, item_id: str, notes: pl.Expr) -> pl.DataFrame:
    known = pl.col("reason").replace_strict(_DETAILS, default=None, return_dtype=pl.String)
    return items.select(
        pl.col(item_id).alias("item_id"),
        pl.when(pl.col("reason").is_null()).then(pl.lit("ok")).otherwise(pl.lit("skipped")).alias("status"),
        "reason",
        (pl.coalesce("ends", known) if "ends" in items.columns else known).alias("detail"),
        notes.alias("notes"),
    )


def _with_ends(stated: pl.DataFrame) -> pl.DataFrame:
    """Say in words which ends of a statement stayed open."""
    words = pl.concat_str(*map(_blame, _SIDES), separator="; ", ignore_nulls=True)
    blamed = pl.col("reason").is_in(["undeclared_end", "ambiguous_end"])
    return stated.with_columns(pl.when(blamed).then(words).alias("ends"))


def _blame(side: str) -> pl.Expr:
    kind = pl.col(f"{side}_type")
    typed = pl.when(kind.is_null()).then(pl.lit("")).otherwise(pl.concat_str(pl.lit(" as "), kind))
    name = pl.concat_str(pl.lit(f"the {side} '"), side, pl.lit("'"), typed)
    absent = pl.concat_str(name, pl.lit(" is no located mention in its document"))
    several = pl.concat_str(name, pl.lit(" could be any of "), f"{side}_candidates", pl.lit(" entities there"))
    open_end = pl.col(f"{side}_entity").is_null()
    return pl.when(open_end & (pl.col(f"{side}_candidates") > 1)).then(several).when(open_end).then(absent)
