"""Candidates with their measures and scores, kept together so that answers can be learned from at once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kgkit.resolution.features import Prepared, pair_features
from kgkit.resolution.features.columns import DESCRIPTION, compare
from kgkit.resolution.features.ranks import Ranks
from kgkit.resolution.pieces import in_pieces
from kgkit.resolution.scoring.bins import MEASURES, binned
from kgkit.resolution.scoring.columns import ColumnWeights, fit_columns
from kgkit.resolution.scoring.rules import held, without_proof
from kgkit.resolution.scoring.shift import shift_of
from kgkit.resolution.scoring.store import Measured, Store
from kgkit.resolution.scoring.table import Table, shipped_table
from kgkit.resolution.scoring.verdicts import Verdicts

__all__ = ["Scored", "score_pairs"]

Ints = npt.NDArray[np.int32]
Reals = npt.NDArray[np.float64]
_REMEMBERED = 2_000_000  # pairs
_PIECE = 100_000  # pairs that are measured at once
_FITTED = 2_000_000  # pairs that weights of columns and the share of matches are fitted on
_DRAWN = 20_000


@dataclass(frozen=True, eq=False)
class Scored:
    """Pairs of records with what was measured and what it adds up to.

    Attributes:
        prepared: The records.
        left: Rows of the left records, int32.
        right: Rows of the right ones.
        steps: The step of each measure, uint8 (see `kgkit.resolution.scoring.bins`).
        levels: The level of agreement of each further column, int8.
        similarity: A plain similarity, float32, that ranks are made of.
        ranks: Where pairs stand among the candidates of their records.
        table: The weights of the measures.
        columns: The weights of the further columns.
        shift: What was added to all log-odds because matches are more or less frequent here.
        learned: The model of the answers, or None.
        store: What was measured so far.
        verdicts: What a language model said of pairs.
    """

    prepared: Prepared
    left: Ints
    right: Ints
    steps: npt.NDArray[np.uint8]
    levels: npt.NDArray[np.int8]
    similarity: npt.NDArray[np.float32]
    ranks: Ranks
    table: Table
    columns: ColumnWeights
    shift: float
    learned: Any = field(default=None)
    store: Store = field(default_factory=Store)
    verdicts: Verdicts = field(default_factory=Verdicts)

    def __len__(self) -> int:
        return len(self.left)

    @property
    def base(self) -> float:
        """Log-odds before anything is known of a pair."""
        return self.table.start + self.shift

    @cached_property
    def parts(self) -> Reals:
        """What each measure, each column and at last the verdict adds by the prior; one row per pair."""
        verdict = self.verdicts.of(self.keys)[:, None]
        return np.hstack([self.table.parts(self.steps), self.columns.parts(self.levels), verdict])

    @cached_property
    def by_prior(self) -> Reals:
        """Log-odds by the table, the columns and the verdicts, before any rule."""
        odds = self.table.score(self.steps) + self.columns.score(self.levels) + self.shift
        return odds + self.verdicts.of(self.keys) if len(self.verdicts) else odds

    @cached_property
    def keys(self) -> npt.NDArray[np.int64]:
        """The pairs as numbers, for what is known by pair."""
        low, high = np.minimum(self.left, self.right), np.maximum(self.left, self.right)
        return np.asarray(low.astype(np.int64) * len(self.prepared) + high)

    @cached_property
    def _held(self) -> tuple[Reals, npt.NDArray[np.int8]]:
        odds, rules = np.empty(len(self)), np.empty(len(self), np.int8)

        def fill(piece: slice) -> None:
            odds[piece], rules[piece] = self.rows(piece)._held_at_once()

        in_pieces(fill, len(self), _PIECE)
        return odds, rules

    def _held_at_once(self) -> tuple[Reals, npt.NDArray[np.int8]]:
        odds = self.by_prior if self.learned is None else self.learned.score(self)
        best, which = held(self.codes, odds, self._support)
        return (best, which) if not len(self.verdicts) else without_proof(best, which, self.verdicts.of(self.keys))

    @property
    def _support(self) -> dict[str, Reals]:
        """What is beside the names, all further columns, and those of codes add by the prior."""
        columns = self.columns.parts(self.levels)
        codes = [i for i, column in enumerate(self.prepared.columns) if column.how == "code"]
        told = [i for i, column in enumerate(self.prepared.columns) if column.name != DESCRIPTION]
        beside = np.stack([self.table.weights[i][self.steps[:, i]] for i in _BESIDE], axis=1).sum(axis=1)
        return {
            "beside": beside + columns.sum(axis=1),
            "columns": columns[:, told].sum(axis=1),
            "codes": columns[:, codes].sum(axis=1),
        }

    @property
    def method(self) -> str:
        """How the pairs were scored, in words."""
        return "weights" if self.learned is None else f"weights and {self.learned.n_answers} answers"

    @property
    def log_odds(self) -> Reals:
        """Natural log-odds that the two are one."""
        return self._held[0]

    @property
    def rule(self) -> npt.NDArray[np.int8]:
        """The rule that held the pair down, or -1."""
        return self._held[1]

    @cached_property
    def codes(self) -> dict[str, npt.NDArray[np.uint8]]:
        """The steps by the measures' names."""
        return {m.name: self.steps[:, i] for i, m in enumerate(MEASURES)}

    def rows(self, rows: npt.NDArray[np.integer[Any]] | slice) -> Scored:
        """Take some of the pairs."""
        return replace(
            self, left=self.left[rows], right=self.right[rows], steps=self.steps[rows], levels=self.levels[rows],
            similarity=self.similarity[rows],
        )  # fmt: skip

    def of_pairs(self, left: npt.NDArray[np.integer[Any]], right: npt.NDArray[np.integer[Any]]) -> Scored:
        """Score other pairs of the same records in the same way; what was measured once is remembered."""
        one, two = left.astype(np.int32), right.astype(np.int32)
        keys = one.astype(np.int64) * len(self.prepared) + two
        new = ~self.store.has(keys)
        found = _measure(self.prepared, one[new], two[new], self.ranks)
        known = None if new.all() else self.store.get(keys[~new])
        if len(self.store) + int(new.sum()) <= _REMEMBERED:
            self.store.add(keys[new], found)
        steps, levels, similarity = found if known is None else _put_together(new, found, known)
        return replace(self, left=one, right=two, steps=steps, levels=levels, similarity=similarity)


def score_pairs(prepared: Prepared, left: Ints, right: Ints, *, table: Table | None = None) -> Scored:
    """Measure and score pairs without any answer.

    Args:
        prepared: The records.
        left: Rows of the left records.
        right: Rows of the right ones.
        table: Weights of the measures; the shipped ones by default.
    """
    weights = table or shipped_table()
    steps, levels, similarity = _measure(prepared, left, right, None)
    ranks = Ranks.of(len(prepared), left, right, similarity, two_lists=prepared.two_lists)
    _add_ranks(steps, ranks, left, right, similarity)
    some = slice(None, None, max(1, -(-len(left) // _FITTED)))
    by_name = weights.score(steps[some])
    columns = fit_columns(levels[some], by_name, _at_random(prepared))
    shift = shift_of(by_name + columns.score(levels[some]))
    return Scored(prepared, left, right, steps, levels, similarity, ranks, weights, columns, shift)


_BESIDE = tuple(i for i, m in enumerate(MEASURES) if m.name in ("described", "neighbours", "born"))
_RANKED = tuple(i for i, m in enumerate(MEASURES) if m.name in ("rank_best", "rank_worst", "behind"))


def _measure(prepared: Prepared, left: Ints, right: Ints, ranks: Ranks | None) -> Measured:
    steps = np.zeros((len(left), len(MEASURES)), np.uint8)
    levels = np.zeros((len(left), len(prepared.columns)), np.int8)
    similarity = np.zeros(len(left), np.float32)
    plain = tuple(m for i, m in enumerate(MEASURES) if i not in _RANKED)
    where = [i for i in range(len(MEASURES)) if i not in _RANKED]

    def fill(piece: slice) -> None:
        found = pair_features(prepared, left[piece], right[piece])
        steps[piece, where] = binned(found.values, plain)
        levels[piece], similarity[piece] = found.levels, found.similarity

    if len(left) > _PIECE:
        pair_features(prepared, left[:1000], right[:1000])  # what is made once is made before there are threads
    in_pieces(fill, len(left), _PIECE)
    if ranks is not None:
        _add_ranks(steps, ranks, left, right, similarity)
    return steps, levels, similarity


def _put_together(new: npt.NDArray[np.bool_], found: Measured, known: Measured) -> Measured:
    """Put measures that were made now and those that were known in the order of the pairs."""
    order = np.empty(len(new), np.int64)
    order[np.concatenate([np.flatnonzero(new), np.flatnonzero(~new)])] = np.arange(len(new))
    steps, levels, similarity = found
    return (
        np.concatenate([steps, known[0]])[order],
        np.concatenate([levels, known[1]])[order],
        np.concatenate([similarity, known[2]])[order],
    )


def _add_ranks(
    steps: npt.NDArray[np.uint8], ranks: Ranks, left: Ints, right: Ints, similarity: npt.NDArray[np.float32]
) -> None:
    ranked = tuple(MEASURES[i] for i in _RANKED)

    def fill(piece: slice) -> None:
        values = ranks.features(left[piece], right[piece], similarity[piece])
        steps[piece, list(_RANKED)] = binned(values, ranked)

    in_pieces(fill, len(left), _PIECE)


def _at_random(prepared: Prepared) -> npt.NDArray[np.int8]:
    """Levels of pairs drawn at random."""
    rng = np.random.default_rng(0)
    n = len(prepared)
    if n < 2:
        return np.zeros((0, len(prepared.columns)), np.int8)
    left, right = (rng.integers(0, n, _DRAWN).astype(np.int32) for _ in range(2))
    apart = left != right
    found = [compare(column, left[apart], right[apart])[0] for column in prepared.columns]
    return np.stack(found, axis=1) if found else np.zeros((int(apart.sum()), 0), np.int8)
