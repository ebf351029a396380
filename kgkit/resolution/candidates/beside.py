"""What finds candidates beside names: shared neighbours in the graph, and vectors that the caller gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kgkit.errors import InputError
from kgkit.resolution.candidates.blocks import Blocks, Tally, mix
from kgkit.resolution.candidates.found import SOURCES
from kgkit.resolution.candidates.nodes import Nodes

__all__ = ["MASK", "Found", "Scored", "by_neighbours", "by_vectors", "checked"]

_NEIGHBOURS, _VECTORS = SOURCES.index("neighbours"), SOURCES.index("vectors")
MASK = np.uint16(1 << _NEIGHBOURS | 1 << _VECTORS)
_DEGREE = 12  # neighbours of more entities say little about which of them are one
_NEAREST = 10
_AT_ONCE = 4_000_000  # cosines in memory
_EXACT = 50_000  # rows that are compared all with all

Scored = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Found:
    """Pairs of records, each once, with scores and masks of sources."""

    left: np.ndarray
    right: np.ndarray
    score: np.ndarray
    sources: np.ndarray

    def merged(self, more: Scored, source: int, nodes: Nodes) -> Found:
        """Add pairs of another source; the scores of those that both have add up."""
        may = nodes.may_pair(nodes.of[more[0]], nodes.of[more[1]], any_type=False)
        left, right, score = (part[may] for part in more)
        n = len(nodes.of)
        code = self.left.astype(np.int64) * n + self.right
        order = np.argsort(code)
        code = code[order]
        wanted = left.astype(np.int64) * n + right
        at = np.minimum(np.searchsorted(code, wanted), max(0, len(code) - 1))
        both = code[at] == wanted if len(code) else np.zeros(len(wanted), bool)
        scores, sources = self.score.copy(), self.sources.copy()
        scores[order[at[both]]] += score[both]
        sources[order[at[both]]] |= np.uint16(1 << source)
        new = ~both
        return Found(
            np.concatenate([self.left, left[new].astype(np.int32)]),
            np.concatenate([self.right, right[new].astype(np.int32)]),
            np.concatenate([scores, score[new].astype(np.float32)]),
            np.concatenate([sources, np.full(int(new.sum()), 1 << source, np.uint16)]),
        )


def by_neighbours(neighbours: Any, tallies: dict[int, Tally]) -> Scored:
    """Pair records that share neighbours which few records have."""
    entries = neighbours.tocoo()
    blocks = Blocks(neighbours.shape[0], cap=_DEGREE)
    row = entries.row.astype(np.int64)
    blocks.add(_NEIGHBOURS, mix(entries.col), row, leave_large=True)
    tallies.update(blocks.tallies)
    pairs = blocks.pairs()
    score = pairs.weight / np.sqrt(blocks.own[pairs.left] * blocks.own[pairs.right] + 1.0)
    return pairs.left, pairs.right, score


def checked(vectors: Any, n: int) -> np.ndarray:
    """Bring vectors to rows of length 1.

    Raises:
        InputError: There is not one row for each record, or a number is not finite.
    """
    matrix = np.asarray(vectors, dtype=np.float32)
    if matrix.ndim != 2 or len(matrix) != n:
        msg = f"vectors must have one row for each of the {n:,} records, in the order of their ids; got {matrix.shape}."
        raise InputError(msg)
    if not np.isfinite(matrix).all():
        row = int(np.flatnonzero(~np.isfinite(matrix).all(axis=1))[0])
        msg = f"vectors must be finite numbers; row {row} (counted from 0) has one that is not."
        raise InputError(msg)
    length = np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), np.float32(1e-12))
    unit: np.ndarray = matrix / length
    return unit


def by_vectors(matrix: np.ndarray) -> Scored:
    """Pair each record with the nearest others by cosine; exact up to 50,000 rows, else within near cells."""
    n = len(matrix)
    parts = [_nearest(matrix, np.arange(n), matrix, np.arange(n))] if n <= _EXACT else list(_by_cells(matrix))
    one, other, score = (np.concatenate(part) for part in zip(*parts, strict=True))
    left, right = np.minimum(one, other), np.maximum(one, other)
    _, first = np.unique(left * n + right, return_index=True)
    return left[first], right[first], score[first]


def _by_cells(matrix: np.ndarray) -> list[Scored]:
    """Search among the rows that have the same one of about ``sqrt(n)`` rows as one of their two nearest."""
    n = len(matrix)
    centres = matrix[:: max(1, int(n**0.5))]
    nearest = np.concatenate(
        [np.argpartition(-(part @ centres.T), 1, axis=1)[:, :2] for part in np.array_split(matrix, 1 + n // 10_000)]
    )
    cells = []
    for cell in range(len(centres)):
        rows = np.flatnonzero((nearest == cell).any(axis=1))
        if len(rows) > 1:
            cells.append(_nearest(matrix[rows], rows, matrix[rows], rows))
    return cells


def _nearest(matrix: np.ndarray, rows: np.ndarray, others: np.ndarray, at: np.ndarray) -> Scored:
    most = min(_NEAREST + 1, len(others))
    parts = []
    for part in np.array_split(np.arange(len(matrix)), 1 + len(matrix) * len(others) // _AT_ONCE):
        cosine = matrix[part] @ others.T
        best = np.argpartition(-cosine, most - 1, axis=1)[:, :most] if most < len(others) else None
        best = np.broadcast_to(np.arange(len(others)), cosine.shape) if best is None else best
        one, other = np.repeat(rows[part], best.shape[1]), at[best].ravel()
        score = np.take_along_axis(cosine, best, axis=1).ravel().astype(np.float64)
        good = (one != other) & (score > 0)
        parts.append((one[good], other[good], score[good]))
    one, other, score = (np.concatenate(p) for p in zip(*parts, strict=True))
    return one, other, score
