"""What a language model said of pairs: one more measure, with a weight of its own."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

__all__ = ["Verdicts"]

Ints = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Verdicts by pair, in the order of the pairs' keys (``smaller row * number of records + larger row``).

    Attributes:
        keys: Keys of the pairs, sorted, each once.
        weights: Log-odds that each adds: above 0 for one, below for two, 0 where the model was unsure.
        who: Which of ``models`` said it.
        models: Names of the models.
    """

    keys: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    weights: Reals = field(default_factory=lambda: np.empty(0, np.float64))
    who: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    models: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.keys)

    def more(self, keys: Ints, weights: Reals, model: str) -> Verdicts:
        """Add what a model said; of a pair that is there already the new verdict holds."""
        models = self.models if model in self.models else (*self.models, model)
        kept = ~np.isin(self.keys, keys)
        who = np.full(len(keys), models.index(model), np.int64)
        parts = ((self.keys, keys), (self.weights, weights), (self.who, who))
        joined = [np.concatenate([old[kept], new]) for old, new in parts]
        order = np.argsort(joined[0], kind="stable")
        return Verdicts(joined[0][order], joined[1][order], joined[2][order], models)

    def of(self, keys: Ints) -> Reals:
        """Give the log-odds of pairs; 0 where nothing was said."""
        return np.where(self.said(keys) >= 0, self.weights[self._at(keys)] if len(self) else 0.0, 0.0)

    def said(self, keys: Ints) -> Ints:
        """Tell for each pair where its verdict is, or -1."""
        if not len(self):
            return np.full(len(keys), -1, np.int64)
        at = self._at(keys)
        return np.where(self.keys[at] == keys, at, -1)

    def words(self, at: int) -> str:
        """Say a verdict as a reason."""
        weight = self.weights[at]
        what = "cannot tell" if not weight else "says that they are one" if weight > 0 else "says that they are two"
        return f"language model {self.models[self.who[at]]} {what}"

    def _at(self, keys: Ints) -> Ints:
        return np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
