"""Learning from answers: a model of these pairs that starts from the shipped table and leaves it as answers come in.

Two models share the work. One keeps the table's form: each measure's weight is scaled by a factor that starts at 1
and is pulled back to 1 (logistic regression with a Gaussian prior), so it needs few answers and explains itself. The
other, extremely randomised trees, finds what the sum cannot say: two agreements that count only together. They
disagree where more answers are worth most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from kgkit.resolution.scoring.scored import Scored

__all__ = ["Learned", "learn"]

Reals = npt.NDArray[np.float64]
_PULL = 4.0  # how strongly the factors are held at 1
_PULL_START = 0.25  # sets differ by about 2 (a standard deviation) in what their log-odds are off
_LEAST_FOR_TREES = 10
_TREES = 60
_ANCHORS = 300
_ANCHOR_WEIGHT = 6.0  # what all anchors weigh together, in answers
_LIMIT = 8.0
_SURE = -6.0  # log-odds by the weights below which trees are not asked: they could not lift the pair to even


@dataclass(frozen=True, eq=False)
class Learned:
    """A model of the answers.

    Attributes:
        factors: What each measure's and column's weight is multiplied by.
        start: What is added to all log-odds.
        trees: The trees, or None with too few answers.
        share: How much of the log-odds is the trees'.
        n_answers: Number of pairs that were answered.
    """

    factors: Reals
    start: float
    trees: Any
    share: float
    n_answers: int

    def linear(self, scored: Scored) -> Reals:
        """Log-odds by the scaled weights alone."""
        return scored.parts @ self.factors + self.start

    def by_trees(self, scored: Scored) -> Reals:
        """Log-odds by the trees alone."""
        if not len(scored):
            return np.zeros(0)
        inputs = _inputs(scored)
        # One tree after the other: pieces are scored in threads already, where the forest's own would only warn.
        said = sum(tree.predict_proba(inputs, check_input=False)[:, 1] for tree in self.trees.estimators_)
        likely = (said + 1) / (_TREES + 2)
        return np.asarray(np.log(likely / (1 - likely)))

    def score(self, scored: Scored) -> Reals:
        """Log-odds by both."""
        linear = self.linear(scored)
        if self.trees is None:
            return linear
        odds = np.clip(linear, -_LIMIT, _LIMIT)
        open_ = np.flatnonzero(odds > _SURE)
        odds[open_] = (1 - self.share) * odds[open_] + self.share * self.by_trees(scored.rows(open_))
        return odds

    def apart(self, scored: Scored) -> Reals:
        """How far the two parts of the model are apart, in log-odds."""
        return np.asarray(np.clip(self.linear(scored), -_LIMIT, _LIMIT) - self.by_trees(scored))


def learn(scored: Scored, must: list[tuple[int, int]], cannot: list[tuple[int, int]]) -> Scored:
    """Give pairs a model of the answers; without answers they keep the shipped weights.

    Args:
        scored: The candidates.
        must: Pairs of rows that people said are one.
        cannot: Pairs of rows that people said are two.
    """
    plain = replace(scored, learned=None)
    pairs = np.array([*must, *cannot], np.int32).reshape(-1, 2)
    if not len(pairs):
        return plain
    answered = plain.of_pairs(pairs[:, 0], pairs[:, 1])
    truth = np.r_[np.ones(len(must)), np.zeros(len(cannot))]
    anchors = _anchors(plain)
    supposed = 1 / (1 + np.exp(-np.clip(anchors.by_prior, -_LIMIT, _LIMIT)))
    weight = np.r_[np.ones(len(truth)), np.full(len(anchors), _ANCHOR_WEIGHT / max(1, len(anchors)))]
    target = np.r_[truth, supposed]
    factors, start = _fit_linear(np.vstack([answered.parts, anchors.parts]), target, weight, plain.base)
    trees = None
    if len(truth) >= _LEAST_FOR_TREES and 0 < truth.sum() < len(truth):
        trees = _fit_trees(np.vstack([_inputs(answered), _inputs(anchors)]), target, weight)
    return replace(plain, learned=Learned(factors, start, trees, _share(len(truth)), len(truth)))


def _share(n_answers: int) -> float:
    return min(0.6, n_answers / (n_answers + 60))


def _anchors(scored: Scored) -> Scored:
    """Some candidates, spread over all scores, that stand in for those nobody has been asked about."""
    order = np.lexsort((np.arange(len(scored)), scored.by_prior))
    chosen = order[np.linspace(0, len(order) - 1, min(_ANCHORS, len(order))).astype(int)]
    return scored.rows(np.unique(chosen))


def _fit_linear(parts: Reals, target: Reals, weight: Reals, base: float) -> tuple[Reals, float]:
    """Fit factors by Newton's method; the target may be a probability."""
    inputs = np.column_stack([parts, np.ones(len(parts))])
    prior = np.r_[np.ones(parts.shape[1]), base]
    pull = np.r_[np.full(parts.shape[1], _PULL), _PULL_START]
    factors = prior.copy()
    for _ in range(30):
        likely = 1 / (1 + np.exp(-np.clip(inputs @ factors, -30, 30)))
        slope = inputs.T @ (weight * (target - likely)) - pull * (factors - prior)
        curve = (inputs * (weight * likely * (1 - likely))[:, None]).T @ inputs + np.diag(pull)
        step = np.linalg.solve(curve, slope)
        step *= min(1.0, 2.0 / max(1e-9, float(np.abs(step).max())))
        factors = factors + step
        if np.abs(step).max() < 1e-5:
            break
    return factors[:-1], float(factors[-1])


def _fit_trees(inputs: npt.NDArray[np.float32], target: Reals, weight: Reals) -> Any:
    from sklearn.ensemble import ExtraTreesClassifier

    trees = ExtraTreesClassifier(
        n_estimators=_TREES, min_samples_leaf=1, max_features=0.4, bootstrap=False, random_state=0, n_jobs=1
    )
    both = np.vstack([inputs, inputs])  # a probability is both answers, each with its weight
    answers = np.r_[np.ones(len(target)), np.zeros(len(target))]
    weights = np.r_[weight * target, weight * (1 - target)]
    kept = weights > 1e-6
    trees.fit(both[kept], answers[kept], sample_weight=weights[kept])
    return trees


def _inputs(scored: Scored) -> npt.NDArray[np.float32]:
    return np.column_stack([scored.steps, scored.levels, scored.by_prior]).astype(np.float32)
