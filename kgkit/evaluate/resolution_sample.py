"""Precision and recall without gold: a sample of pairs that a person labels, with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from kgkit import frames
from kgkit.errors import InputError
from kgkit.evaluate.intervals import wilson
from kgkit.evaluate.resolution_pairs import backend_of_pairs, pairs_of, require

__all__ = ["estimate_resolution", "sample_pairs"]

_DRAWS = 4000


def sample_pairs(
    pairs: Any, *, n: int = 200, threshold: float = 0.5, least: float = 0.01, n_bins: int = 10, seed: int = 0
) -> Any:
    """Draw pairs to label by hand, from all ranges of scores, so that few labels say much.

    Pairs are put into bins by score, cut at the threshold too, and each bin gives about the same number: bins at both
    ends are large and almost pure, and what is uncertain lies between. Every pair knows how many it stands for.

    Recall needs pairs that are not proposed. The result of `propose_merges` has them: of it all candidates that nobody
    decided on are drawn from. A frame should hold some of a score below the threshold; without any, recall is not told.

    Args:
        pairs: A frame with ``left_id``, ``right_id`` and ``score``, or the result of `propose_merges`.
        n: Number of pairs to draw; all of them when there are fewer.
        threshold: Pairs of this score or more are taken to be one.
        least: Pairs of a lower score are not drawn: they are many, and a few labels cannot tell a few matches among
            them from none. What matches there are among them, recall does not count.
        n_bins: Number of bins of equal width; the lowest is cut once more, at a third of its width.
        seed: Of the draw. The order of rows changes nothing.

    Returns:
        The pairs drawn, of the kind that came in, in an order that tells nothing of their scores, with their names
        where they are known (``left_name``, ``right_name``), ``stratum``,
        ``stratum_size``, ``stands_for`` (pairs that this one stands for), ``accepted`` (score at the threshold or
        above) and ``label`` (empty: fill in true or false).

    Raises:
        SchemaError: A column is missing.
        InputError: ``n`` or ``n_bins`` is below 1, or ``least`` above the threshold.

    Examples:
        >>> import polars as pl
        >>> pairs = pl.DataFrame({"left_id": ["a"] * 9, "right_id": list("bcdefghij"), "score": [0.1] * 6 + [0.9] * 3})
        >>> sample_pairs(pairs, n=4).select("stratum_size", "stands_for").unique().sort("stratum_size").rows()
        [(3, 1.5), (6, 3.0)]
    """
    if n < 1 or n_bins < 1:
        msg = f"n={n} and n_bins={n_bins} must be 1 or more."
        raise InputError(msg)
    if least > threshold:
        msg = f"least={least} must not be above threshold={threshold}: proposals are drawn from too."
        raise InputError(msg)
    table = pairs_of(pairs, needed=("left_id", "right_id", "score")).drop_nulls(["left_id", "right_id", "score"])
    table = table.filter(pl.col("score") >= least)
    at = (pl.col("score") * n_bins).floor().clip(0, n_bins - 1).cast(pl.Int64)
    at = pl.when(pl.col("score") * n_bins < 1 / 3).then(-1).otherwise(at)
    table = table.with_columns(accepted=pl.col("score") >= threshold, bin=at).sort("left_id", "right_id", "score")
    strata = table.group_by("bin", "accepted").len("stratum_size").sort("bin", "accepted").with_row_index("stratum")
    table = table.join(strata, on=["bin", "accepted"], maintain_order="left").drop("bin")
    shares = _allocate(strata["stratum_size"].to_list(), n)
    draw, rows = np.random.default_rng(seed), []
    for stratum, take in enumerate(shares):
        members = np.flatnonzero(table["stratum"].to_numpy() == stratum)
        rows.append(draw.choice(members, take, replace=False))
    order = draw.permutation(np.concatenate(rows)) if rows else np.zeros(0, np.int64)
    takes = pl.DataFrame(
        {"stratum": range(len(shares)), "taken": shares}, schema={"stratum": pl.UInt32, "taken": pl.Int64}
    )
    chosen = table[order].join(takes, on="stratum", maintain_order="left")
    chosen = chosen.with_columns(
        pl.col("stratum", "stratum_size").cast(pl.Int64),
        stands_for=pl.col("stratum_size") / pl.col("taken"),
        label=pl.lit(None, pl.Boolean),
    )
    return frames.give(chosen.drop("taken"), None, backend_of_pairs(pairs))


def estimate_resolution(sample: Any, *, confidence: float = 0.95, seed: int = 0) -> Any:
    """Estimate precision, recall and F1 from pairs drawn by `sample_pairs` and labelled by a person.

    Each labelled pair counts for as many as it stands for (Horvitz and Thompson, 1952). Intervals come from drawing
    each stratum's share of matches from what its labels leave open (a beta distribution with Jeffreys' prior). Recall
    is about matches among the pairs that the sample was drawn from: matches that were never candidates are unknown.

    Args:
        sample: The labelled sample: ``stratum``, ``stratum_size``, ``accepted``, ``label`` (true or false; also yes or
            no, 1 or 0, as a spreadsheet may write them). Pairs without a label
            count as not drawn; a stratum without any label cannot be told, and its size is taken out. Recall and F1
            are null where no pair below the threshold has a label.
        confidence: Of the intervals.
        seed: Of the draws for the intervals.

    Returns:
        One row per ``measure``, of the kind that came in: ``precision``, ``recall``, ``f1`` and ``matches`` (how many
        there are), then ``stratum 0`` and so on (the share of matches, with its Wilson interval): ``estimate``,
        ``low``, ``high``, ``n_labelled``, ``n_pairs``.

    Raises:
        SchemaError: A column is missing.
        InputError: Nothing is labelled, or a label is something else.

    Examples:
        >>> import polars as pl
        >>> drawn = {"stratum": [0, 0, 1, 1], "stratum_size": [90, 90, 10, 10], "accepted": [False, False, True, True]}
        >>> sample = pl.DataFrame(drawn | {"label": [False, False, True, True]})
        >>> estimate_resolution(sample).select("measure", "estimate").rows()[:2]
        [('precision', 1.0), ('recall', 1.0)]
    """
    table = require(sample, "sample", ["stratum", "stratum_size", "accepted", "label"])
    table = table.with_columns(label=_said(table["label"])).drop_nulls("label")
    if table.is_empty():
        msg = "No pair of the sample has a label; fill in the column 'label' with true or false."
        raise InputError(msg)
    strata = (
        table.group_by("stratum")
        .agg(
            pl.col("stratum_size", "accepted").first(),
            n=pl.len().cast(pl.Int64),
            right=pl.col("label").sum().cast(pl.Int64),
        )
        .sort("stratum")
    )
    sizes, accepted = strata["stratum_size"].to_numpy().astype(float), strata["accepted"].to_numpy()
    n, right = strata["n"].to_numpy(), strata["right"].to_numpy()
    draws = np.random.default_rng(seed).beta(right + 0.5, n - right + 0.5, (_DRAWS, len(n)))
    draws[:, n == sizes] = (right / n)[n == sizes]  # all pairs of the stratum are labelled
    only = accepted.all()  # nothing tells of matches that are not accepted
    point, spread = _measures(sizes, accepted, (right / n)[None]), _measures(sizes, accepted, draws)
    tail = (1 - confidence) / 2 * 100
    rows: list[tuple[Any, ...]] = []
    for name, values in spread.items():
        best = float(point[name][0])
        if (only and name in ("recall", "f1")) or np.isnan(best) or np.isnan(values).all():
            told: tuple[float | None, ...] = (None, None, None)
        else:  # where all or none of the labels are right, all draws lie to one side of the estimate
            low, high = np.nanpercentile(values, [tail, 100 - tail])
            told = (best, min(float(low), best), max(float(high), best))
        rows.append((name, *told, int(n.sum()), int(sizes.sum())))
    for number, size, labelled, good in strata.select("stratum", "stratum_size", "n", "right").iter_rows():
        limits = wilson(good, labelled, confidence=confidence)
        rows.append((f"stratum {number}", good / labelled, *limits, labelled, size))
    names = ["measure", "estimate", "low", "high", "n_labelled", "n_pairs"]
    kinds = [pl.String, pl.Float64, pl.Float64, pl.Float64, pl.Int64, pl.Int64]
    made = pl.DataFrame(rows, schema=dict(zip(names, kinds, strict=True)), orient="row")
    return frames.give(made, None, frames.backend_of(sample))


def _said(labels: pl.Series) -> pl.Series:
    """Read labels: true and false, 1 and 0, or words as a spreadsheet writes them."""
    if labels.dtype == pl.String:
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, "": None}
        told = labels.str.strip_chars().str.to_lowercase()
        strange = sorted(set(told.drop_nulls()) - words.keys())
        if strange:
            msg = (
                f"{strange[0]!r} is no label. Allowed: true or false, yes or no, 1 or 0; nothing where it is not known."
            )
            raise InputError(msg)
        return told.replace_strict(words, return_dtype=pl.Boolean)
    return labels.cast(pl.Boolean)


def _measures(sizes: Any, accepted: Any, shares: Any) -> dict[str, Any]:
    matches = shares * sizes
    total, good = matches.sum(axis=1), matches[:, accepted].sum(axis=1)
    said = sizes[accepted].sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = good / said, good / total
        return {"precision": precision, "recall": recall, "f1": 2 * good / (said + total), "matches": total}


def _allocate(sizes: list[int], n: int) -> list[int]:
    """Share n among strata as evenly as their sizes allow, each at least one."""
    shares = [0] * len(sizes)
    left = min(max(n, len(sizes)), sum(sizes))
    while left:
        open_ = [i for i, size in enumerate(sizes) if shares[i] < size]
        step = max(1, left // len(open_))
        for i in open_:
            more = min(step, sizes[i] - shares[i], left)
            shares[i] += more
            left -= more
    return shares
