"""The tables that `propose_merges` answers with, written from scored and grouped pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from kgkit import tables
from kgkit.ids import stable_id_series
from kgkit.resolution.groups import Groups
from kgkit.resolution.scoring import Scored
from kgkit.resolution.scoring.reasons import reasons_of
from kgkit.results import outcomes_from

__all__ = ["Links", "groups_table", "merges_table", "outcomes_table", "pairs_table"]

Ints = npt.NDArray[np.int64]
Links = list[tuple[int, int]]
"""Pairs of rows."""
_APART = 1.0  # most log-odds of a pair that the clustering kept apart


def merges_table(
    scored: Scored, grouped: Groups, ids: pl.Series, must: Links, cannot: Links, threshold: float
) -> pl.DataFrame:
    """Write the proposals: open pairs at the threshold or above, the likeliest first."""
    apart = grouped.labels[scored.left] != grouped.labels[scored.right]
    odds = np.where(apart, np.minimum(scored.log_odds, _APART), scored.log_odds)
    n = len(ids)
    kept = np.flatnonzero(odds >= np.log(threshold / (1 - threshold)))
    low, high = np.minimum(scored.left, scored.right)[kept], np.maximum(scored.left, scored.right)[kept]
    settled = np.array([a * n + b for a, b in [*must, *cannot]], np.int64)
    open_ = ~np.isin(low.astype(np.int64) * n + high, settled)
    kept, low, high = kept[open_], low[open_], high[open_]
    best = np.lexsort((high, low, -_chance(odds[kept])))  # rows are in the order of the ids
    return pairs_table(scored, kept[best], ids, odds[kept[best]])


def _chance(odds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-odds)))


def pairs_table(scored: Scored, rows: Ints, ids: pl.Series, odds: npt.NDArray[np.float64]) -> pl.DataFrame:
    """Write pairs as a merges table, in the order given."""
    low, high = np.minimum(scored.left, scored.right)[rows], np.maximum(scored.left, scored.right)[rows]
    left, right = ids.gather(low), ids.gather(high)
    frame = pl.DataFrame(
        {
            "merge_id": stable_id_series("merge", left, right),
            "left_id": left,
            "right_id": right,
            "score": _chance(odds),
            "method": pl.repeat(scored.method, len(rows), dtype=pl.String, eager=True),
            "reasons": reasons_of(scored, rows, odds),
        }
    )
    return tables.conform(frame, "merges")


def groups_table(grouped: Groups, ids: pl.Series) -> pl.DataFrame:
    """Write the groups by their entities' ids."""
    table = grouped.table

    def named(column: str) -> pl.Series:
        return ids.gather(table[column])

    def chance(column: str) -> pl.Expr:
        return 1 / (1 + (-pl.col(column)).exp())

    rows = table.select("n_members", "n_pairs", "n_scored", mean_score=chance("mean"), weakest_score=chance("weakest"))
    number = table.select("members").with_row_index("at").explode("members")
    listed = number.select("at", members=ids.gather(number["members"])).group_by("at", maintain_order=True)
    members = listed.agg("members")["members"]
    whole = rows.with_columns(
        members,
        weakest_left_id=named("weakest_left"),
        weakest_right_id=named("weakest_right"),
    )
    key = stable_id_series("group", members.list.join("\n"))
    return tables.conform(whole.with_columns(key.alias("group_id")), "groups")


def outcomes_table(scored: Scored, ids: pl.Series, merges: pl.DataFrame, settings: dict[str, Any]) -> pl.DataFrame:
    """Write what became of each entity."""
    met = np.zeros(len(ids), bool)
    met[scored.left] = met[scored.right] = True
    proposed = pl.concat([merges["left_id"], merges["right_id"]]).unique()
    rows = pl.DataFrame({"item_id": ids, "met": met}).with_columns(ids.is_in(proposed.implode()).alias("proposed"))
    return outcomes_from(
        "propose_merges",
        ids,
        rows.select(
            "item_id",
            status=pl.when("met").then(pl.lit("ok")).otherwise(pl.lit("empty")),
            reason=pl.when(~pl.col("met"))
            .then(pl.lit("no_candidate"))
            .when(~pl.col("proposed"))
            .then(pl.lit("no_proposal")),
            detail=pl.when(~pl.col("met")).then(pl.lit("nothing like it among the others")),
        ),
        params=settings,
    )
