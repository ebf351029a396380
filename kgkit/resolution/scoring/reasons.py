"""What speaks for and against a pair: named parts that add up to its log-odds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from kgkit.resolution.features.columns import LEVELS
from kgkit.resolution.scoring.bins import MEASURES
from kgkit.resolution.scoring.rules import RULES
from kgkit.resolution.scoring.scored import Scored

__all__ = ["reasons_of"]

_LEAST = 0.005  # parts below this are added to the start
_LEVEL = dict(
    zip(LEVELS, ("", "the same, and rare", "the same", "nearly the same", "partly the same", "differs"), strict=True)
)
REASONS = pl.List(pl.Struct({"reason": pl.String(), "weight": pl.Float64()}))


def reasons_of(scored: Scored, rows: npt.NDArray[np.integer]) -> pl.Series:
    """List for each of the given pairs its reasons, the heaviest first; their weights add up to its log-odds."""
    if not len(rows):
        return pl.Series("reasons", [], dtype=REASONS)
    steps, levels = scored.steps[rows], scored.levels[rows]
    parts = [scored.table.parts(steps), scored.columns.parts(levels)]
    prior = scored.by_prior[rows]
    total = scored.log_odds[rows]
    extra = (
        [(f"learned from {scored.learned.n_answers} answers", _learned(scored, rows, prior))] if scored.learned else []
    )
    texts = [[f"{m.says}: {s}" for s in m.steps] for m in MEASURES]
    names = [c.name for c in scored.prepared.columns]
    rules = scored.rule[rows]
    listed = []
    for i in range(len(rows)):
        found = [(texts[k][steps[i, k]], w) for k, w in enumerate(parts[0][i].tolist())]
        found += [(f"{names[k]}: {_LEVEL[LEVELS[levels[i, k]]]}", w) for k, w in enumerate(parts[1][i].tolist())]
        found += [(text, float(weights[i])) for text, weights in extra]
        if rules[i] >= 0:
            before = float(prior[i] + sum(weights[i] for _, weights in extra))
            found.append((f"rule: {RULES[rules[i]].says}", float(total[i]) - before))
        found = [(text, weight) for text, weight in found if abs(weight) >= _LEAST]
        found.sort(key=lambda part: (-abs(part[1]), part[0]))
        found.append(("how frequent matches are here", float(total[i]) - sum(w for _, w in found)))
        listed.append([{"reason": text, "weight": weight} for text, weight in found])
    return pl.Series("reasons", listed, dtype=REASONS)


def _learned(scored: Scored, rows: npt.NDArray[np.integer], prior: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(scored.learned.score(scored)[rows] - prior)
