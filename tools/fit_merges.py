"""Fit the weights that `kgkit.propose_merges` scores with, from public sets with gold answers.

    python tools/fit_merges.py            write kgkit/resolution/scoring/weights.tsv
    python tools/fit_merges.py --check    how well each set is scored by weights fitted without it

The sets lie in ``er/`` of the folder with public data (`KGKIT_SHARED`). Each counts the same however large it is (those
of AutoFJ a quarter each: they are alike). The weights are those of a logistic regression on the steps of the measures
(`kgkit/resolution/scoring/bins.py`), held near nought by a Gaussian prior, with steps of a number forced to rise or to
fall where the measure says so, and with a start of its own for each set, so that how frequent matches are in a set
does not colour the weights.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))
from er_sets import SETS, Gold, autofj, load

from kgkit.resolution.candidates import find_candidates
from kgkit.resolution.features import prepare
from kgkit.resolution.records import records_of
from kgkit.resolution.scoring.bins import MEASURES
from kgkit.resolution.scoring.scored import Scored, score_pairs
from kgkit.resolution.scoring.table import Table, write_table

WEIGHTS = Path(__file__).resolve().parent.parent / "kgkit" / "resolution" / "scoring" / "weights.tsv"
REMARKS = """What each step of each measure adds to the log-odds (natural logarithm) that two records are one.
Made by tools/fit_merges.py; columns: measure, step, weight. "start" is where a pair begins of which nothing is known.
A step that is "not known" or "none" weighs nothing. Sets used: {sets}.
Weights that are judgements, set by hand, since no set tells them: {by_hand}."""

BY_HAND = {
    "generation": (0, -0.5, 1.0, -3.0),
    "type": (0, 0, 0, 0),  # the sets with types are the easier ones, which is not what types do
    "neighbours": (0, -0.3, 0, 0.2, 0.4, 1.2, 2.2),
    "together": (0, 0.3, -1.0, -1.5),
    "related": (0, 2.0, -2.0),
    "born": (0, 1.5, -2.0),
    "more": (0, 0, 0, 0, 0, 0, 0),  # rules hold these down
    "value": (0, 0.5, -2.0),
}
ROWS = 4_000  # matches, and other pairs, of one set at most
MATCHES = 100.0  # what the matches of a set weigh, in pairs
MODEST = ("described",)  # sentences of documents are shared by those they name, unlike the sets' texts
MODEST_STEP = 0.3
PULL = 0.2


@dataclass(frozen=True)
class Fitted:
    """One set's candidates, measured, with the truth."""

    name: str
    scored: Scored
    truth: np.ndarray
    share: float


def measured(gold: Gold) -> Fitted:
    """Find and measure a set's candidates."""
    records = records_of(gold.records)
    prepared = prepare(records, across=gold.across)
    ids = records.frame["entity_id"]
    found = find_candidates(records, across=gold.across)
    scored = score_pairs(prepared, found.left, found.right)
    if gold.pairs is not None:
        row = {entity: i for i, entity in enumerate(ids.to_list())}
        one, two, truth = (np.array(c) for c in zip(*gold.pairs, strict=True))
        scored = scored.of_pairs(np.array([row[e] for e in one]), np.array([row[e] for e in two]))
        return Fitted(gold.name, scored, truth.astype(bool), gold.share)
    cluster = np.unique([gold.clusters[entity] for entity in ids.to_list()], return_inverse=True)[1]
    return Fitted(gold.name, scored, cluster[scored.left] == cluster[scored.right], gold.share)


def fit(sets: list[Fitted], seed: int = 0) -> Table:
    """Fit a table to sets."""
    from scipy import sparse
    from scipy.optimize import minimize

    rng = np.random.default_rng(seed)
    drawn = [_drawn(s.truth, s.share, rng) for s in sets]
    steps = np.vstack([s.scored.steps[rows] for s, (rows, _) in zip(sets, drawn, strict=True)])
    truth = np.concatenate([s.truth[rows] for s, (rows, _) in zip(sets, drawn, strict=True)]).astype(float)
    of = np.repeat(np.arange(len(sets)), [len(rows) for rows, _ in drawn])
    weight = np.concatenate([w for _, w in drawn])
    columns, bounds = _columns(steps)
    own = sparse.csr_array((np.ones(len(of)), (np.arange(len(of)), of)))
    inputs = sparse.hstack([columns, own, np.ones((len(of), 1))]).tocsr()
    turned = inputs.T.tocsr()
    pull = np.r_[np.full(columns.shape[1], PULL), np.full(len(sets), PULL / 10), 0.0]
    sign = 2 * truth - 1

    def loss(factors: np.ndarray) -> tuple[float, np.ndarray]:
        margin = (inputs @ factors) * sign
        slope = -weight * sign / (1 + np.exp(np.clip(margin, -500, 500)))
        value = float((np.logaddexp(0, -margin) * weight).sum() + 0.5 * (pull * factors**2).sum())
        return value, turned @ slope + pull * factors

    free = [(None, None)] * (len(sets) + 1)
    found = minimize(
        loss, np.zeros(inputs.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds + free, options={"maxiter": 150}
    )
    return _table(found.x[: columns.shape[1]], float(found.x[-1]))


def _drawn(truth: np.ndarray, share: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of a set, and their weights: its matches together weigh ``share`` times `MATCHES`."""
    rows, weights = [], []
    each = share * MATCHES / max(1, truth.sum())
    for side in (True, False):
        there = np.flatnonzero(truth == side)
        chosen = np.sort(rng.permutation(there)[:ROWS])
        rows.append(chosen)
        weights.append(np.full(len(chosen), each * len(there) / max(1, len(chosen))))
    return np.concatenate(rows), np.concatenate(weights)


def _columns(steps: np.ndarray) -> tuple[Any, list[tuple[float | None, float | None]]]:
    """One column per step: "at least this step" where steps may only rise or fall, "this step" elsewhere."""
    from scipy import sparse

    columns, bounds = [], []
    for i, measure in enumerate(MEASURES):
        for step in range(1, len(measure.steps)):
            columns.append(steps[:, i] >= step if measure.trend else steps[:, i] == step)
            first = step == 1 or not measure.trend
            free = (None, None) if first else (0, None) if measure.trend > 0 else (None, 0)
            if measure.name in MODEST:
                free = (-1.0, 0.0) if first else (0.0, MODEST_STEP)
            if measure.name in BY_HAND:
                given = BY_HAND[measure.name]
                free = (given[step] - (given[step - 1] if measure.trend else 0),) * 2
            bounds.append(free)
    return sparse.csr_array(np.stack(columns, axis=1).astype(float)), bounds


def _table(factors: np.ndarray, start: float) -> Table:
    weights, at = [], 0
    for measure in MEASURES:
        own = factors[at : at + len(measure.steps) - 1]
        at += len(own)
        weights.append(np.r_[0.0, np.cumsum(own) if measure.trend else own])
    return Table(start, tuple(weights))


def check(sets: list[Fitted]) -> pl.DataFrame:
    """Score each set by a table that was fitted without it (those of AutoFJ: without a quarter of them)."""
    from sklearn.metrics import average_precision_score

    alike = [s for s in sets if s.name.startswith("autofj")]
    held = [[s] for s in sets if s not in alike] + [alike[i::4] for i in range(4) if alike[i::4]]
    rows = []
    for out in held:
        names = {s.name for s in out}
        table = fit([s for s in sets if s.name not in names])
        for one in out:
            odds = table.score(one.scored.steps)
            hit = odds >= 0
            found = 2 * (hit & one.truth).sum() / max(1, hit.sum() + one.truth.sum())
            strong = odds >= np.log(0.95 / 0.05)
            rows.append(
                {
                    "set": one.name,
                    "pairs": len(odds),
                    "matches": int(one.truth.sum()),
                    "average precision": float(average_precision_score(one.truth, odds)),
                    "F1 at .5": float(found),
                    "at .95 or more": int(strong.sum()),
                    "start that fits": _start(one.truth, odds),
                    "right among them": float(one.truth[strong].mean()) if strong.any() else None,
                }
            )
    return pl.DataFrame(rows)


def _start(truth: np.ndarray, odds: np.ndarray) -> float:
    """What would have to be added to the log-odds for as many matches as there are."""
    low, high = -8.0, 8.0
    for _ in range(30):
        middle = (low + high) / 2
        high, low = (middle, low) if (1 / (1 + np.exp(-odds - middle))).sum() > truth.sum() else (high, middle)
    return middle


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="score each set by weights fitted without it")
    options = parser.parse_args()
    names = [*SETS, *autofj(), "nk_name_bench"]
    sets = [measured(load(name)) for name in names]
    if options.check:
        with pl.Config(tbl_rows=-1, tbl_formatting="MARKDOWN", float_precision=3):
            print(check(sets))
        return
    remarks = REMARKS.format(sets=", ".join(names), by_hand=", ".join(BY_HAND))
    WEIGHTS.write_text(write_table(fit(sets), remarks), encoding="utf-8")


if __name__ == "__main__":
    main()
