"""What a target costs in answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from kgkit import frames
from kgkit.errors import SchemaError

__all__ = ["review_cost"]


def review_cost(curve: Any, *, targets: Iterable[float] = (0.8, 0.85, 0.9, 0.95, 0.99)) -> Any:
    """Tell how many answers a target F1 takes, from a curve of answers and F1.

    Args:
        curve: What `review_curve` gives, or a frame with ``n_answers`` and ``f1``, and ``run`` where there are several
            runs (seeds).
        targets: F1 values to reach.

    Returns:
        One row per target, of the kind of ``curve``: ``target``, ``n_runs``, ``n_reached`` (runs that reached it),
        ``n_answers`` (median over runs, a run that did not reach it counting as more than any; null when the median
        run did not), ``lowest`` and ``highest`` (over runs that reached it).

    Raises:
        SchemaError: A column is missing.

    Examples:
        >>> import polars as pl
        >>> curve = pl.DataFrame({"n_answers": [0, 50, 100], "f1": [0.7, 0.88, 0.93]})
        >>> review_cost(curve, targets=[0.9]).select("target", "n_answers").row(0)
        (0.9, 100.0)
    """
    table = frames.to_polars(curve, "curve")
    missing = [c for c in ("n_answers", "f1") if c not in table.columns]
    if missing:
        msg = f"The curve needs the column {', '.join(missing)}; it has: {', '.join(table.columns)}."
        raise SchemaError(msg)
    if "run" not in table.columns:
        table = table.with_columns(run=pl.lit(0))
    runs = sorted(table["run"].unique().to_list())
    rows = []
    for target in targets:
        reached = (
            table.filter(pl.col("f1") >= target).group_by("run").agg(pl.col("n_answers").min())["n_answers"].sort()
        )
        counts = [float(n) for n in reached] + [float("inf")] * (len(runs) - len(reached))
        middle = (counts[(len(counts) - 1) // 2] + counts[len(counts) // 2]) / 2 if counts else float("inf")
        half = None if middle == float("inf") else middle
        rows.append((float(target), len(runs), len(reached), half, reached.min(), reached.max()))
    names = ["target", "n_runs", "n_reached", "n_answers", "lowest", "highest"]
    kinds = [pl.Float64, pl.Int64, pl.Int64, pl.Float64, pl.Int64, pl.Int64]
    made = pl.DataFrame(rows, schema=dict(zip(names, kinds, strict=True)), orient="row")
    return frames.give(made, None, frames.backend_of(curve))
