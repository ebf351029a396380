"""Latent semantic analysis: vectors made of nothing but the corpus itself.

Source: Deerwester et al., Indexing by Latent Semantic Analysis (1990); the decomposition is the randomised one of
Halko, Martinsson and Tropp (2011), with a seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Latent", "build_latent"]

Floats = npt.NDArray[np.float64]

DIMENSIONS = 200
_LEAST_ROWS = 8  # below that there is nothing to learn


@dataclass(frozen=True)
class Latent:
    """A unit vector for each row, and what turns a query's terms into one of the same space.

    ``explained`` is the share of the corpus's variance that the vectors keep.
    """

    vocabulary: dict[str, int]
    idf: Floats
    components: npt.NDArray[np.float32]
    rows: npt.NDArray[np.float32]
    explained: float

    def cosines(self, query: Mapping[str, float]) -> Floats | None:
        """Compare a query's terms with all rows; ``None`` when none of its terms is known."""
        known = sorted((self.vocabulary[t], w) for t, w in query.items() if t in self.vocabulary and w > 0)
        if not known:
            return None
        index = np.array([i for i, _ in known])
        weights = (1 + np.log(np.maximum(1.0, [w for _, w in known]))) * self.idf[index]
        vector = weights @ self.components[:, index].T.astype(np.float64)
        norm = float(np.linalg.norm(vector))
        if norm < 1e-9:
            return None
        return np.asarray(self.rows @ (vector / norm).astype(np.float32), dtype=np.float64)


def build_latent(counts: Sequence[Counter[str]], *, dimensions: int = DIMENSIONS, seed: int = 0) -> Latent | None:
    """Make vectors of rows of counted terms; ``None`` where there are too few rows or terms.

    Args:
        counts: For each row its terms; only main terms that occur in two rows or more are used.
        dimensions: Most numbers in a vector.
        seed: For the randomised decomposition.
    """
    df = Counter(t for c in counts for t in c if t[0] not in "=~")
    vocabulary = {t: i for i, t in enumerate(sorted(t for t, n in df.items() if n > 1))}
    size = min(dimensions, len(counts) // 4, len(vocabulary) // 2)
    if len(counts) < _LEAST_ROWS or size < 2:
        return None
    matrix, idf = _tf_idf(counts, vocabulary, df)
    from sklearn.utils.extmath import randomized_svd

    _, values, components = randomized_svd(matrix, size, n_iter=2, power_iteration_normalizer="none", random_state=seed)
    projected = matrix @ components.T
    norms = np.linalg.norm(projected, axis=1, keepdims=True)
    rows = np.divide(projected, norms, out=np.zeros_like(projected), where=norms > 1e-9)
    total = float(matrix.multiply(matrix).sum())
    explained = float((values**2).sum() / total) if total else 0.0
    return Latent(vocabulary, idf, components.astype(np.float32), rows.astype(np.float32), min(1.0, explained))


def _tf_idf(counts: Sequence[Counter[str]], vocabulary: Mapping[str, int], df: Mapping[str, int]) -> tuple[Any, Floats]:
    from scipy.sparse import csr_matrix

    idf = np.log((1 + len(counts)) / (1 + np.array([df[t] for t in vocabulary], dtype=np.float64))) + 1
    kept = [[(vocabulary[t], n) for t, n in c.items() if t in vocabulary] for c in counts]
    columns = np.array([i for row in kept for i, _ in row], dtype=np.int64)
    tf = 1 + np.log(np.array([n for row in kept for _, n in row], dtype=np.float64))
    starts = np.concatenate([[0], np.cumsum([len(row) for row in kept])])
    matrix = csr_matrix((tf * idf[columns], columns, starts), shape=(len(counts), len(vocabulary)))
    matrix.sort_indices()
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    matrix.data /= np.repeat(np.where(norms > 0, norms, 1.0), np.diff(matrix.indptr))
    return matrix, idf
