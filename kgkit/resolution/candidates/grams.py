"""Texts that are spelled alike: cosines of the TF-IDF weights of their runs of three characters."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

__all__ = ["alike", "cosines", "vectors"]

_LONGEST = 400  # characters of a text that count
_ROWS = 200_000
_PRODUCTS = 500_000_000  # multiplications that comparing all with all may cost


def vectors(texts: pl.Series) -> Any:
    """Make one sparse row of length 1 for each text; float32."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    cut = texts.str.slice(0, _LONGEST).to_list()
    if not any(text.strip() for text in cut):
        from scipy import sparse

        return sparse.csr_matrix((len(cut), 1), dtype=np.float32)
    vectoriser = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), lowercase=False, dtype=np.float32)
    return vectoriser.fit_transform(cut)


def alike(matrix: Any, most: int, least: float) -> tuple[np.ndarray, np.ndarray]:
    """Pair each row with the ``most`` nearest others whose cosine is at least ``least``.

    Where comparing all with all would cost too much, the most frequent runs of characters are left out.
    """
    from sparse_dot_topn import sp_matmul_topn

    frequency = np.bincount(matrix.indices, minlength=matrix.shape[1]).astype(np.int64)
    rarest = np.argsort(frequency, kind="stable")
    affordable = rarest[np.cumsum(frequency[rarest] ** 2) <= _PRODUCTS]
    kept = matrix[:, np.sort(affordable)] if len(affordable) < len(rarest) else matrix
    near = sp_matmul_topn(kept, kept.T.tocsr(), top_n=most + 1, threshold=least).tocoo()
    differ = near.row != near.col
    return near.row[differ].astype(np.int64), near.col[differ].astype(np.int64)


def cosines(matrix: Any, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Compute the cosine of each pair of rows; float32."""
    parts = [np.empty(0, np.float32)]
    for at in range(0, len(one), _ROWS):
        here = slice(at, at + _ROWS)
        parts.append(np.asarray(matrix[one[here]].multiply(matrix[other[here]]).sum(axis=1)).ravel())
    return np.concatenate(parts)
