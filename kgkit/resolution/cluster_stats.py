"""What holds each group together: its mean, its weakest pair, and the pair without which it falls in two."""

from __future__ import annotations

import numpy as np
import polars as pl

from kgkit.resolution.cluster_link import Ints, Reals

__all__ = ["describe_groups"]

_SCHEMA = {
    "group": pl.Int64,
    "members": pl.List(pl.Int64),
    "n_members": pl.Int64,
    "n_pairs": pl.Int64,
    "n_scored": pl.Int64,
    "mean": pl.Float64,
    "weakest_left": pl.Int64,
    "weakest_right": pl.Int64,
    "weakest": pl.Float64,
    "bridge_left": pl.Int64,
    "bridge_right": pl.Int64,
    "bridge": pl.Float64,
}


def describe_groups(
    pairs: tuple[Ints, Ints, Reals], must: tuple[Ints, Ints], labels: Ints, *, missing: float, limit: float
) -> pl.DataFrame:
    """Describe the groups of two records or more.

    Args:
        pairs: Two records and their log-odds, ordered by both.
        must: Pairs joined by decisions: the bridge of a group is none of them.
        labels: The group of each record, numbered by its smallest one.
        missing: Log-odds of an unscored pair, for the mean.
        limit: The highest log-odds there are.

    Returns:
        One row per group, ordered by it.
    """
    inside = labels[pairs[0]] == labels[pairs[1]]
    left, right, odds = (part[inside] for part in pairs)
    frame = pl.DataFrame({"group": labels, "member": np.arange(len(labels))})
    groups = (
        frame.filter(pl.col("group").is_duplicated())
        .group_by("group", maintain_order=True)
        .agg(members="member", n_members=pl.len().cast(pl.Int64))
        .with_columns(n_pairs=pl.col("n_members") * (pl.col("n_members") - 1) // 2)
        .sort("group")
    )
    scored = pl.DataFrame({"group": labels[left], "odds": odds})
    sums = scored.group_by("group").agg(n_scored=pl.len().cast(pl.Int64), total=pl.col("odds").sum())
    groups = groups.join(sums, on="group", how="left", maintain_order="left")
    groups = groups.with_columns(pl.col("n_scored").fill_null(0), pl.col("total").fill_null(0.0))
    mean = (pl.col("total") + missing * (pl.col("n_pairs") - pl.col("n_scored"))) / pl.col("n_pairs")
    groups = groups.with_columns(mean.alias("mean"))
    for name, rows in (
        ("weakest", _lowest(labels[left], odds)),
        ("bridge", _bridges((left, right, odds), must, labels, limit)),
    ):
        named = {f"{name}_left": left[rows], f"{name}_right": right[rows], name: odds[rows]}
        found = pl.DataFrame({"group": labels[left[rows]], **named})
        groups = groups.join(found, on="group", how="left", maintain_order="left")
    return groups.select(_SCHEMA.keys()).cast(_SCHEMA)  # type: ignore[arg-type]


def _lowest(group: Ints, odds: Reals) -> Ints:
    """Give the row of the lowest value of each group; of equals the first."""
    n = int(group.max()) + 1 if len(group) else 0
    best, first = np.full(n, np.inf), np.full(n, -1, np.int64)
    np.minimum.at(best, group, odds)
    rows = np.flatnonzero(odds == best[group])[::-1]
    first[group[rows]] = rows  # the last one written is the first of them
    found: Ints = first[first >= 0]
    return found


def _bridges(pairs: tuple[Ints, Ints, Reals], must: tuple[Ints, Ints], labels: Ints, limit: float) -> Ints:
    """Give the row of the weakest pair of each group's strongest tree, must-links being stronger than any pair."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    left, right, odds = pairs
    n = len(labels)
    cost = 2.0 + limit - odds  # above 0, as zeros of a sparse matrix do not exist
    keys = left * np.int64(n) + right
    bound = np.unique((np.minimum(*must) * np.int64(n) + np.maximum(*must))[must[0] != must[1]])
    at = np.searchsorted(keys, bound)
    scored = np.append(keys, -1)[at] == bound
    cost[at[scored]] = 1.0
    extra = bound[~scored]
    rows, columns = np.r_[left, extra // n], np.r_[right, extra % n]
    graph = coo_array((np.r_[cost, np.ones(len(extra))], (rows, columns)), shape=(n, n)).tocsr()
    tree = minimum_spanning_tree(graph).tocoo()
    real = tree.data > 1.0
    row, column = tree.row[real].astype(np.int64), tree.col[real].astype(np.int64)
    at = np.searchsorted(keys, np.minimum(row, column) * np.int64(n) + np.maximum(row, column))
    at.sort()
    found: Ints = at[_lowest(labels[left[at]], odds[at])]
    return found
