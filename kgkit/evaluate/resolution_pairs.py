"""Pairs to judge: a frame of them, or all that `propose_merges` looked at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from kgkit import frames
from kgkit.errors import SchemaError

__all__ = ["backend_of_pairs", "pairs_of", "require"]


def require(frame: Any, side: str, needed: Iterable[str]) -> pl.DataFrame:
    """Read a frame that must have some columns; ``side`` is what it is called in an error."""
    table = frames.to_polars(frame, side)
    missing = [c for c in needed if c not in table.columns]
    if missing:
        msg = f"The {side} frame needs the column {', '.join(missing)}; it has: {', '.join(table.columns)}."
        raise SchemaError(msg)
    return table


def pairs_of(pairs: Any, *, needed: tuple[str, ...] = ("left_id", "right_id")) -> pl.DataFrame:
    """Read pairs as they are, or every candidate of a result of `propose_merges` that still has them.

    Of such a result there are names too, and ``proposed`` tells which candidates are proposals; the scores of these
    are those of its merges frame. A pair that somebody decided on is a candidate without a score.

    Raises:
        SchemaError: A column is missing.
    """
    table = require(getattr(pairs, "frames", {}).get("merges", pairs), "pairs", needed)
    table = table.with_columns(pl.col("left_id", "right_id").cast(pl.String))
    scored = getattr(pairs, "scored", None)
    if scored is None:
        return table
    known = scored.prepared.records.frame.select("entity_id", "name")
    left, right = (known[side] for side in (scored.left, scored.right))
    every = pl.DataFrame({"prior": 1 / (1 + np.exp(-scored.log_odds))}).hstack(
        [*left.rename({"entity_id": "left_id", "name": "left_name"}).get_columns(),
         *right.rename({"entity_id": "right_id", "name": "right_name"}).get_columns()]
    )  # fmt: skip
    told = table.select("left_id", "right_id", "score", proposed=pl.lit(True))
    every = every.join(told, on=["left_id", "right_id"], how="left")
    least = pairs.settings.get("threshold", 0.5)
    open_ = pl.when(pl.col("prior") < least).then("prior")  # at the threshold or above, and no proposal: decided
    score = pl.coalesce("score", open_)
    return every.select(
        "left_id", "right_id", "left_name", "right_name", score.alias("score"), pl.col("proposed").fill_null(False)
    )


def backend_of_pairs(pairs: Any) -> frames.Backend:
    """Tell which kind of frames pairs came in."""
    return frames.backend_of(getattr(pairs, "frames", {}).get("merges", pairs))
