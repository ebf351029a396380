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
from kgkit.resolution.scoring.wording import GROUP, PATTERNS, RULE, SAID, START, column_says

__all__ = ["reasons_of"]

_PIECE = 50_000
_LEAST = 0.005  # parts below this are added to the start
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
    final = scored.log_odds[rows] if log_odds is None else log_odds
    pieces = [slice(start, start + _PIECE) for start in range(0, len(rows), _PIECE)]
    made = [_reasons(scored, rows[piece], final[piece]) for piece in pieces]
    return pl.concat(made) if made else pl.Series("reasons", [], dtype=REASONS)


def _reasons(scored: Scored, rows: npt.NDArray[np.integer[Any]], final: npt.NDArray[np.float64]) -> pl.Series:
    part = scored.rows(rows)
    parts, start = part.parts, part.base
    if part.learned is not None:
        parts, start = parts * part.learned.factors, part.learned.start
    before = part.by_prior if part.learned is None else part.learned.score(part)
    held = scored.log_odds[rows]
    weights = np.column_stack([parts, before - parts.sum(axis=1) - start, held - before, final - held])
    weights[np.abs(weights) < _LEAST] = 0
    order = np.argsort(-np.abs(weights), axis=1, kind="stable")
    weights = np.column_stack([np.take_along_axis(weights, order, axis=1), final - weights.sum(axis=1)])
    texts, which = _texts(scored, part, scored.rule[rows])
    which = np.column_stack([np.take_along_axis(which, order, axis=1), np.full(len(rows), len(texts) - 1)])
    kept = weights != 0
    kept[:, -1] = True
    place, column = np.nonzero(kept)
    flat = pl.DataFrame(
        {"row": place, "reason": texts.gather(which[place, column]), "weight": weights[place, column]},
    )
    listed = flat.group_by("row", maintain_order=True).agg(pl.struct("reason", "weight").alias("reasons"))
    return listed["reasons"].cast(REASONS)


def _texts(scored: Scored, part: Scored, rule: npt.NDArray[np.int8]) -> tuple[pl.Series, npt.NDArray[np.int64]]:
    """All texts that a reason can have, and which of them each part of each pair has."""
    texts: list[str] = []
    which = np.zeros((len(part), part.parts.shape[1] + 3), np.int64)
    for i, measure in enumerate(MEASURES):
        which[:, i] = len(texts) + part.steps[:, i].astype(np.int64)
        texts += SAID[measure.name]
    for i, column in enumerate(scored.prepared.columns):
        which[:, len(MEASURES) + i] = len(texts) + part.levels[:, i].astype(np.int64)
        texts += [column_says(column.name, level) for level in LEVELS]
    which[:, -4] = len(texts) + np.maximum(part.verdicts.said(part.keys), 0)
    texts += [part.verdicts.words(at) for at in range(len(part.verdicts))] or [""]
    which[:, -3] = len(texts)
    texts.append(PATTERNS)
    which[:, -2] = len(texts) + np.maximum(rule, 0).astype(np.int64)
    texts += [f"{RULE}: {r.says}" for r in RULES]
    which[:, -1] = len(texts)
    return pl.Series([*texts, GROUP, START], dtype=pl.String), which
