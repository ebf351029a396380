"""Reviews by somebody who knows the gold: what a number of answers is worth."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from kgkit import frames, tables
from kgkit.errors import InputError, OptionError
from kgkit.evaluate.resolution_plots import Picture, plot_lines
from kgkit.evaluate.resolution_scores import groups_of, resolution

__all__ = ["plot_review", "review_curve", "reviewed"]

_ORDERS = ("teach", "random")
_START = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)


def review_curve(
    merges: Any,
    gold: Any,
    *,
    budgets: Iterable[int] = (0, 25, 50, 100, 200),
    order: str = "teach",
    step: int = 10,
    seeds: Iterable[int] = (0,),
) -> Any:
    """Simulate reviews of proposals by somebody who knows the gold, and score the groups after some answers.

    A review starts with no answer: decisions that the merges have learned from are not kept.

    Args:
        merges: The result of `propose_merges`, with its candidates.
        gold: A frame with ``entity_id`` and its group, as for `resolution`. Questions about entities that it does not
            have are answered with no.
        budgets: Numbers of answers after which to score.
        order: ``teach`` asks what teaches most, as the review panel does; ``random`` asks about what is proposed, in
            random order.
        step: Answers after which everything is scored anew.
        seeds: One review for each.

    Returns:
        One row per review and budget, of the kind of ``merges``: ``run`` (the seed), ``order``, ``n_answers`` (fewer
        than the budget where nothing is left to ask), ``precision``, ``recall`` and ``f1`` (pairwise).

    Raises:
        InputError: The merges hold no candidates.
        OptionError: The order is not known, or a number is out of range.

    Examples:
        >>> import polars as pl, kgkit as kg
        >>> names = ["Grace Hopper", "Hopper, Grace", "G. Hopper", "Alan Turing"]
        >>> people = pl.DataFrame({"entity_id": list("abcd"), "name": names, "type": ["PERSON"] * 4})
        >>> gold = pl.DataFrame({"entity_id": list("abcd"), "cluster": [1, 1, 1, 2]})
        >>> review_curve(kg.propose_merges(people), gold, budgets=[2]).select("n_answers", "recall").rows()
        [(2, 1.0)]
    """
    truth = dict(groups_of(gold, "gold").iter_rows())

    def same(left: str, right: str) -> bool:
        return left in truth and truth[left] == truth.get(right)

    rows = []
    for seed in seeds:
        for n, then in reviewed(merges, same, budgets=budgets, order=order, step=step, seed=seed):
            pairwise = frames.to_polars(resolution(then, gold).scores).row(0, named=True)
            rows.append((seed, order, n, pairwise["precision"], pairwise["recall"], pairwise["f1"]))
    schema = {"run": pl.Int64, "order": pl.String, "n_answers": pl.Int64}
    made = pl.DataFrame(rows, schema=schema | dict.fromkeys(("precision", "recall", "f1"), pl.Float64()), orient="row")
    return frames.give(made, None, frames.backend_of(merges.merges))


def plot_review(curve: Any) -> Picture:
    """Draw F1 over answers: the mean of the runs, and their range.

    Args:
        curve: What `review_curve` gives, or several of them in one frame.
    """
    table = frames.to_polars(curve, "curve").drop_nulls("f1")
    grouped = table.group_by("order", "n_answers").agg(
        mean=pl.col("f1").mean(), low=pl.col("f1").min(), high=pl.col("f1").max()
    )
    series: dict[str, Sequence[tuple[float, ...]]] = {
        str(name): part.select("n_answers", "mean", "low", "high").rows()
        for (name,), part in sorted(grouped.sort("n_answers").partition_by("order", as_dict=True).items())
    }
    return plot_lines(series, title="What answers are worth", across="answers", up="F1")


def reviewed(
    merges: Any,
    same: Callable[[str, str], bool],
    *,
    budgets: Iterable[int],
    order: str = "teach",
    step: int = 10,
    seed: int = 0,
) -> Iterator[tuple[int, Any]]:
    """Ask, answer and score anew; see `review_curve`. Gives the number of answers and the merges at each budget."""
    stops = sorted(set(budgets))
    if order not in _ORDERS:
        raise OptionError.not_one_of("order", order, _ORDERS)
    if step < 1 or (stops and stops[0] < 0):
        msg = f"step={step} must be 1 or more, and budgets={stops} not below 0."
        raise OptionError(msg)
    if getattr(merges, "scored", None) is None:
        msg = "A review is simulated with the candidates of propose_merges; these merges hold none."
        raise InputError(msg)
    draw = np.random.default_rng(seed)
    answers: list[dict[str, Any]] = []
    for stop in stops:
        while len(answers) < stop:
            n = min(step, stop - len(answers))
            asked = _drawn(merges, answers, n, draw) if order == "random" else _chosen(merges, answers, n, seed)
            if asked.is_empty():
                break
            answers += [_decision(row, same, len(answers) + i) for i, row in enumerate(asked.to_dicts())]
            merges = merges.rescore(_frame(answers))
        yield len(answers), merges


def _chosen(merges: Any, answers: list[dict[str, Any]], n: int, seed: int) -> pl.DataFrame:
    return frames.to_polars(merges.next_questions(n, decisions=_frame(answers), seed=seed))


def _drawn(merges: Any, answers: list[dict[str, Any]], n: int, draw: np.random.Generator) -> pl.DataFrame:
    asked = [row["subject_id"] for row in answers]
    open_ = frames.to_polars(merges.merges).filter(~pl.col("merge_id").is_in(asked)).sort("merge_id")
    return open_[draw.permutation(open_.height)[:n]]


def _frame(answers: list[dict[str, Any]]) -> pl.DataFrame:
    return tables.conform(pl.DataFrame(answers), "decisions") if answers else tables.empty("decisions")


def _decision(row: dict[str, Any], same: Callable[[str, str], bool], number: int) -> dict[str, Any]:
    ends = [row["left_id"], row["right_id"]]
    return {
        "decision_id": f"decision_{number:06d}",
        "kind": "merge",
        "subject_id": row["merge_id"],
        "verdict": "accepted" if same(*ends) else "rejected",
        "payload": json.dumps({"entity_ids": ends, "apart": []}),
        "reviewer": "gold",
        "note": None,
        "decided_at": _START + dt.timedelta(seconds=number),
    }
