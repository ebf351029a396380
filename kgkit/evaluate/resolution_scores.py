"""How well entities were found to be one: groups, candidates, and whether scores mean what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from kgkit import frames
from kgkit.errors import InputError, SchemaError
from kgkit.evaluate.intervals import wilson
from kgkit.evaluate.resolution_pairs import backend_of_pairs, pairs_of, require
from kgkit.evaluate.resolution_plots import Picture, plot_lines

__all__ = ["ResolutionScores", "groups_of", "reliability", "resolution"]

_SCORES = {
    "measure": pl.String(),
    "n_gold": pl.Int64(),
    "n_found": pl.Int64(),
    "n_right": pl.Float64(),
    "precision": pl.Float64(),
    "recall": pl.Float64(),
    "f1": pl.Float64(),
}
_GROUPS = ("canonical_id", "cluster_id", "cluster", "group", "gold_id")


@dataclass(frozen=True)
class ResolutionScores:
    """What `resolution` found.

    Attributes:
        scores: One row each for ``pairwise`` (pairs in one group), ``bcubed`` (averaged over entities) and ``groups``
            (groups of two or more found exactly): ``n_gold``, ``n_found``, ``n_right``, ``precision``, ``recall``,
            ``f1`` (null where nothing was there to count).
        candidates: Which of the gold's pairs were candidates: ``method``, ``n_pairs``, ``n_right``, ``n_gold``,
            ``recall``, ``pairs_per_entity``; first ``all``, then each method, or of all that `propose_merges` looked
            at those that are ``proposed``. Empty without pairs.
        reliability: See `reliability`. Empty without scored pairs.
    """

    scores: Any
    candidates: Any
    reliability: Any

    def plot_reliability(self) -> Picture:
        """Draw the share of matches over the mean score of each bin, beside the line on which they are equal."""
        rows = frames.to_polars(self.reliability).drop_nulls("share")
        points = rows.select("mean_score", "share", "low", "high").rows()
        return plot_lines(
            {"share of matches": points}, title="Reliability", across="score", up="share of matches", diagonal=True
        )

    def _repr_html_(self) -> str:
        shown = [frames.to_polars(f) for f in (self.scores, self.candidates) if len(f)]
        parts = [f._repr_html_() for f in shown]
        if len(self.reliability):
            parts.append(self.plot_reliability()._repr_html_())
        return "".join(parts)


def resolution(predicted: Any, gold: Any, *, pairs: Any = None, n_bins: int = 10) -> ResolutionScores:
    """Score groups of entities against gold groups, and candidate pairs and their scores with them.

    Entities that the gold does not have are not judged. Entities that only the gold has are alone in what was found.

    Pairwise measures count pairs of entities in one group; B-cubed measures (Bagga and Baldwin, 1998) average over
    entities the share of their group that is right, so that one large group does not outweigh all others.

    Args:
        predicted: A reviewed graph, the result of `propose_merges` (its groups), or a frame with ``entity_id`` and its
            group: ``canonical_id``, ``cluster_id``, ``cluster``, ``group`` or ``gold_id``.
        gold: A frame of the same form.
        pairs: Proposed or candidate pairs: ``left_id`` and ``right_id``, and if known ``score`` and ``method``; or the
            result of `propose_merges`, of which all candidates count, also those that are not proposed.
        n_bins: Number of bins of the reliability curve.

    Returns:
        `ResolutionScores`, with frames of the kind of ``predicted``.

    Raises:
        FrameTypeError: An argument is no frame.
        SchemaError: A column is missing, or an entity is in two groups.

    Examples:
        >>> import polars as pl
        >>> gold = pl.DataFrame({"entity_id": ["a", "b", "c", "d"], "cluster": [1, 1, 1, 2]})
        >>> found = pl.DataFrame({"entity_id": ["a", "b", "c", "d"], "cluster": [1, 1, 2, 2]})
        >>> resolution(found, gold).scores.select("measure", "precision", "recall").rows()[0]
        ('pairwise', 0.5, 0.3333333333333333)
    """
    held = getattr(predicted, "frames", {})
    inner = held.get("canonical", held.get("groups", predicted))
    truth = groups_of(gold, "gold").rename({"group": "gold"})
    found = groups_of(inner, "predicted").rename({"group": "found"})
    both = truth.join(found, on="entity_id", how="left")
    both = both.with_columns(found=pl.coalesce("found", pl.format("alone {}", "entity_id")))
    candidates, curve = _empty_candidates(), _bins(pl.DataFrame(schema={"score": pl.Float64, "match": pl.Boolean}), 0)
    if pairs is not None:
        judged = _judged(pairs, truth)
        candidates = _candidates(judged, truth)
        if "score" in judged.columns:
            curve = _bins(judged.select("score", "match").drop_nulls(), n_bins)
    backend = frames.backend_of(inner)
    return ResolutionScores(*(frames.give(f, None, backend) for f in (_scores(both), candidates, curve)))


def reliability(pairs: Any, gold: Any, *, n_bins: int = 10) -> Any:
    """Compare scores with what they promise: among pairs scored .9, are nine in ten matches?

    Args:
        pairs: A frame with ``left_id``, ``right_id`` and ``score`` (0 to 1), or the result of `propose_merges`, of
            which all candidates that nobody decided on count.
        gold: A frame with ``entity_id`` and its group, as for `resolution`.
        n_bins: Number of bins of equal width.

    Returns:
        One row per bin, of the kind of ``pairs``: ``lower``, ``upper``, ``n``, ``mean_score``, ``share`` (of
        matches), ``low`` and ``high`` (Wilson interval of the share, 95 %); null where the bin is empty.

    Raises:
        SchemaError: A column is missing.

    Examples:
        >>> import polars as pl
        >>> gold = pl.DataFrame({"entity_id": ["a", "b", "c"], "cluster": [1, 1, 2]})
        >>> pairs = pl.DataFrame({"left_id": ["a", "a"], "right_id": ["b", "c"], "score": [0.9, 0.1]})
        >>> reliability(pairs, gold, n_bins=2).select("upper", "n", "share").rows()
        [(0.5, 1, 0.0), (1.0, 1, 1.0)]
    """
    judged = _judged(pairs, groups_of(gold, "gold").rename({"group": "gold"}))
    if "score" not in judged.columns:
        msg = "The pairs need the column 'score' for a reliability curve."
        raise SchemaError(msg)
    rows = _bins(judged.select("score", "match").drop_nulls(), n_bins)
    return frames.give(rows, None, backend_of_pairs(pairs))


def groups_of(frame: Any, side: str) -> pl.DataFrame:
    """Read the group of each entity: ``entity_id``, ``group``."""
    table = frames.to_polars(frame, side)
    if {"group_id", "members"} <= set(table.columns):
        table = table.select(entity_id="members", cluster_id="group_id").explode("entity_id")
    table = require(table, side, ["entity_id"])
    name = next((c for c in _GROUPS if c in table.columns), None)
    if name is None:
        msg = f"The {side} frame needs a column with the group, one of: {', '.join(_GROUPS)}."
        raise SchemaError(msg)
    rows = table.select(pl.col("entity_id").cast(pl.String), pl.col(name).cast(pl.String).alias("group")).drop_nulls()
    rows = rows.unique()
    twice = rows.filter(pl.col("entity_id").is_duplicated())
    if twice.height:
        msg = f"The {side} frame has {twice['entity_id'].min()!r} in two groups."
        raise SchemaError(msg)
    return rows


def _scores(both: pl.DataFrame) -> pl.DataFrame:
    cells = both.group_by("gold", "found").agg(n=pl.len().cast(pl.Float64)).sort("gold", "found")
    cells = cells.with_columns(gold_size=pl.col("n").sum().over("gold"), found_size=pl.col("n").sum().over("found"))
    right = _pairs(cells["n"])
    gold = cells.select("gold", "gold_size").unique()["gold_size"]
    found = cells.select("found", "found_size").unique()["found_size"]
    exact = cells.filter(
        (pl.col("n") == pl.col("gold_size")) & (pl.col("n") == pl.col("found_size")) & (pl.col("n") > 1)
    )
    n_gold, n_found = int((gold > 1).sum()), int((found > 1).sum())
    total = float(both.height)
    sums = cells.select(
        precision=(pl.col("n") ** 2 / pl.col("found_size")).sum(), recall=(pl.col("n") ** 2 / pl.col("gold_size")).sum()
    ).row(0)
    rows = [
        ("pairwise", _pairs(gold), _pairs(found), right, _share(right, _pairs(found)), _share(right, _pairs(gold))),
        ("bcubed", total, total, None, _share(sums[0], total), _share(sums[1], total)),
        ("groups", n_gold, n_found, float(exact.height), _share(exact.height, n_found), _share(exact.height, n_gold)),
    ]
    full = [(name, int(n), int(m), n_right, p, r, _f1(p, r)) for name, n, m, n_right, p, r in rows]
    return pl.DataFrame(full, schema=_SCORES, orient="row")


def _pairs(sizes: pl.Series) -> float:
    return float((sizes * (sizes - 1) / 2).sum())


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _f1(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _judged(pairs: Any, truth: pl.DataFrame) -> pl.DataFrame:
    """Give different pairs of entities that the gold has, with ``match``."""
    table = pairs_of(pairs)
    table = table.select("left_id", "right_id", *(c for c in ("score", "method", "proposed") if c in table.columns))
    low, high = pl.min_horizontal("left_id", "right_id"), pl.max_horizontal("left_id", "right_id")
    table = table.with_columns(low.alias("left_id"), high.alias("right_id")).filter(
        pl.col("left_id") != pl.col("right_id")
    )
    for side in ("left", "right"):
        table = table.join(truth.rename({"entity_id": f"{side}_id", "gold": f"{side}_gold"}), on=f"{side}_id")
    match = pl.col("left_gold") == pl.col("right_gold")
    return table.with_columns(match.alias("match")).drop("left_gold", "right_gold")


def _empty_candidates() -> pl.DataFrame:
    names = {"method": pl.String, "n_pairs": pl.Int64, "n_right": pl.Int64, "n_gold": pl.Int64}
    return pl.DataFrame(schema=names | {"recall": pl.Float64, "pairs_per_entity": pl.Float64})


def _candidates(judged: pl.DataFrame, truth: pl.DataFrame) -> pl.DataFrame:
    gold = _pairs(truth.group_by("gold").len()["len"].cast(pl.Float64))
    parts = [("all", judged)]
    if "method" in judged.columns:
        parts += [(str(name), part) for (name,), part in sorted(judged.partition_by("method", as_dict=True).items())]
    if "proposed" in judged.columns:
        parts.append(("proposed", judged.filter("proposed")))
    rows = []
    for name, part in parts:
        once = part.unique(["left_id", "right_id"])
        right = int(once["match"].sum())
        per = _share(once.height, truth.height)
        rows.append((name, once.height, right, int(gold), _share(right, gold), per))
    return pl.DataFrame(rows, schema=_empty_candidates().schema, orient="row")


def _bins(judged: pl.DataFrame, n_bins: int) -> pl.DataFrame:
    if judged.height and n_bins < 1:
        msg = f"n_bins={n_bins!r} must be 1 or more."
        raise InputError(msg)
    edges = pl.DataFrame({"bin": range(n_bins)}, schema={"bin": pl.Int64})
    at = (pl.col("score") * n_bins).floor().clip(0, max(n_bins - 1, 0)).cast(pl.Int64)
    held = (
        judged.sort("score")
        .group_by(at.alias("bin"), maintain_order=True)
        .agg(n=pl.len().cast(pl.Int64), mean_score=pl.col("score").mean(), right=pl.col("match").sum().cast(pl.Int64))
    )
    rows = edges.join(held, on="bin", how="left", maintain_order="left").with_columns(pl.col("n", "right").fill_null(0))
    limits = [wilson(right, n) for right, n in rows.select("right", "n").iter_rows()]
    return rows.select(
        lower=pl.col("bin") / max(n_bins, 1),
        upper=(pl.col("bin") + 1) / max(n_bins, 1),
        n="n",
        mean_score="mean_score",
        share=pl.when(pl.col("n") > 0).then(pl.col("right") / pl.col("n")),
        low=pl.Series([low for low, _ in limits], dtype=pl.Float64),
        high=pl.Series([high for _, high in limits], dtype=pl.Float64),
    )
