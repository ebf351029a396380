"""What speaks for and against a pair: named parts that add up to its log-odds."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from kgkit.resolution.features.columns import LEVELS
from kgkit.resolution.scoring.bins import MEASURES
from kgkit.resolution.scoring.rules import RULES
from kgkit.resolution.scoring.scored import Scored

__all__ = ["reasons_of"]

_PATTERNS = "patterns in the answers"
_GROUP = "rule: the rest of the group does not agree"
_LEAST = 0.005  # parts below this are added to the start
_LEVEL = dict(
    zip(LEVELS, ("", "the same, and rare", "the same", "nearly the same", "partly the same", "differs"), strict=True)
)
REASONS = pl.List(pl.Struct({"reason": pl.String(), "weight": pl.Float64()}))


def reasons_of(
    scored: Scored, rows: npt.NDArray[np.integer[Any]], log_odds: npt.NDArray[np.float64] | None = None
) -> pl.Series:
    """List for each of the given pairs its reasons, the heaviest first; their weights add up to its log-odds.

    Args:
        scored: The pairs.
        rows: Those to explain.
        log_odds: Their final log-odds, where groups held some of them down; by default the pairs' own.
    """
    if not len(rows):
        return pl.Series("reasons", [], dtype=REASONS)
    part = scored.rows(rows)
    steps, levels = part.steps, part.levels
    parts, start = part.parts, part.base
    if part.learned is not None:
        parts, start = parts * part.learned.factors, part.learned.start
    before = part.by_prior if part.learned is None else part.learned.score(part)
    total = scored.log_odds[rows]
    final = total if log_odds is None else log_odds
    patterns = before - parts.sum(axis=1) - start
    texts = [[f"{m.says}: {s}" for s in m.steps] for m in MEASURES]
    names = [c.name for c in scored.prepared.columns]
    rules = scored.rule[rows]
    listed = []
    for i in range(len(rows)):
        weights = parts[i].tolist()
        found = [(texts[k][steps[i, k]], weights[k]) for k in range(len(texts))]
        found += [(f"{name}: {_LEVEL[LEVELS[levels[i, k]]]}", weights[len(texts) + k]) for k, name in enumerate(names)]
        found.append((_PATTERNS, float(patterns[i])))
        if rules[i] >= 0:
            found.append((f"rule: {RULES[rules[i]].says}", float(total[i] - before[i])))
        found.append((_GROUP, float(final[i] - total[i])))
        found = [(text, weight) for text, weight in found if abs(weight) >= _LEAST]
        found.sort(key=lambda part: (-abs(part[1]), part[0]))
        found.append(("how frequent matches are here", float(final[i]) - sum(w for _, w in found)))
        listed.append([{"reason": text, "weight": weight} for text, weight in found])
    return pl.Series("reasons", listed, dtype=REASONS)
