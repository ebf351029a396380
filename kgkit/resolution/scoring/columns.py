"""Weights of further columns, learned from the pairs at hand: Fellegi and Sunter's model, fitted by EM.

The shipped table cannot know what a column *phone* or *year* is worth here. So its score of the names is taken as a
first guess of which pairs match; from it follows how often each level of agreement occurs among matches (m) and among
others (u), log(m / u) is what the level adds, and that improves the guess in turn. A prior of some imagined pairs
keeps small tables sane. Columns repeat each other, so the more there are, the more they are damped.

Fellegi, Sunter: A theory for record linkage, JASA 64 (1969); Winkler: Using the EM algorithm for weight computation
in the Fellegi-Sunter model of record linkage (1988).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kgkit.resolution.features.columns import LEVELS

__all__ = ["ColumnWeights", "fit_columns"]

Reals = npt.NDArray[np.float64]
Levels = npt.NDArray[np.int8]

# How levels are spread among matches and others before anything is seen: missing is left out.
_MATCHES = np.array([0.35, 0.2, 0.17, 0.12, 0.16])
_OTHERS = np.array([0.03, 0.12, 0.05, 0.15, 0.65])
_IMAGINED = 30.0
_ROUNDS = 12
_LEAST, _MOST = -4.0, 6.0
_DAMPED = 0.45  # with very many columns; a single one counts whole


@dataclass(frozen=True)
class ColumnWeights:
    """``weights[column, level]``: what a level of agreement adds to the log-odds; 0 where a cell is missing."""

    weights: Reals

    def parts(self, levels: Levels) -> Reals:
        """Give the weight of each column of each pair."""
        return self.weights[np.arange(self.weights.shape[0])[None, :], levels]

    def score(self, levels: Levels) -> Reals:
        """Add up the weights of pairs."""
        total = np.zeros(len(levels))
        for i in range(self.weights.shape[0]):
            total += self.weights[i, levels[:, i]]
        return total


def fit_columns(levels: Levels, by_name: Reals, at_random: Levels) -> ColumnWeights:
    """Fit what each level of each column is worth.

    Args:
        levels: Levels of the candidates: one row per pair, one column per column.
        by_name: Log-odds of the candidates without these columns.
        at_random: Levels of pairs drawn at random, nearly none of which match.
    """
    n_columns = levels.shape[1]
    weights = np.zeros((n_columns, len(LEVELS)))
    damped = _DAMPED + (1 - _DAMPED) / max(1, n_columns)
    if not len(levels) or not n_columns:
        return ColumnWeights(weights)
    counts = [np.eye(len(LEVELS))[levels[:, i]] for i in range(n_columns)]
    drawn = np.stack([np.bincount(at_random[:, i], minlength=len(LEVELS))[1:] for i in range(n_columns)]).astype(float)
    for _ in range(_ROUNDS):
        odds = by_name + ColumnWeights(weights).score(levels)
        likely = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
        for i in range(n_columns):
            m = likely @ counts[i][:, 1:] + _IMAGINED * _MATCHES
            u = (1 - likely) @ counts[i][:, 1:] + drawn[i] + _IMAGINED * _OTHERS
            ratio = np.log(m / m.sum()) - np.log(u / u.sum())
            weights[i, 1:] = np.clip(damped * ratio, _LEAST, _MOST)
    return ColumnWeights(weights)
