"""A row for every request that was sent, also for those that failed."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

import polars as pl

__all__ = ["UsageLog", "group_usage"]

SCHEMA: dict[str, Any] = {
    "stage": pl.String(),
    "item_id": pl.String(),
    "attempt": pl.Int64(),
    "model": pl.String(),
    "served": pl.String(),
    "status": pl.String(),
    "reason": pl.String(),
    "tokens_in": pl.Int64(),
    "tokens_out": pl.Int64(),
    "cost": pl.Float64(),
    "seconds": pl.Float64(),
    "started_at": pl.Datetime("us", "UTC"),
}
_BLOCK = 2_000


class UsageLog:
    """Rows of `SCHEMA`, kept small: a frame for each two thousand."""

    def __init__(self) -> None:
        self._rows: list[Sequence[Any]] = []
        self._frames: list[pl.DataFrame] = []
        self._lock = Lock()

    def add(self, *row: Any) -> None:
        """Add one row; the time is given in seconds since 1970."""
        with self._lock:
            self._rows.append(row)
            if len(self._rows) >= _BLOCK:
                self._frames.append(_frame(self._rows))
                self._rows = []

    def frame(self) -> pl.DataFrame:
        """Give all rows, in the order in which the calls ended."""
        with self._lock:
            return pl.concat([*self._frames, _frame(self._rows)], rechunk=False)

    def __reduce__(self) -> tuple[type[UsageLog], tuple[()]]:
        return UsageLog, ()  # a copy in another process counts anew


def group_usage(frame: pl.DataFrame) -> pl.DataFrame:
    """Sum up calls by stage and model. A sum of costs is null when a call that may cost has no known price."""
    billed = pl.col("tokens_in").is_not_null() | pl.col("tokens_out").is_not_null()
    unknown = (billed & pl.col("cost").is_null()).any()
    return (
        frame.group_by("stage", "model")
        .agg(
            pl.len().cast(pl.Int64).alias("calls"),
            (pl.col("status") == "failed").sum().cast(pl.Int64).alias("failed"),
            pl.col("item_id").n_unique().cast(pl.Int64).alias("items"),
            pl.col("tokens_in").sum(),
            pl.col("tokens_out").sum(),
            pl.when(unknown).then(None).otherwise(pl.col("cost").sum()).alias("cost"),
            pl.col("seconds").sum(),
        )
        .sort("stage", "model", nulls_last=True)
    )


def _frame(rows: list[Sequence[Any]]) -> pl.DataFrame:
    schema = {**SCHEMA, "started_at": pl.Float64()}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.with_columns((pl.col("started_at") * 1e6).cast(pl.Int64).cast(SCHEMA["started_at"]))
