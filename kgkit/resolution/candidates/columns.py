"""Further columns: rare words that two records share in them, and values that agree or differ."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from kgkit.resolution.candidates.blocks import Blocks, mix
from kgkit.resolution.normal import folded, words

__all__ = ["add_column_keys", "agreement", "coded"]

_WORDS = 24  # of a cell
_AGREE, _DIFFER = 0.2, 0.1  # what a rare value in common, or two different values, do to a pair's score


def coded(frame: pl.DataFrame, columns: list[str]) -> dict[str, np.ndarray]:
    """Number the values of the columns whose values recur: 0 and up, -1 where there is none."""
    codes = {}
    for column in columns:
        values = frame.select(folded(column)).to_series().replace("", None)
        known = len(values) - values.null_count()
        if known and values.n_unique() <= known * 0.9:
            codes[column] = (values.rank("dense").cast(pl.Int64) - 1).fill_null(-1).to_numpy()
    return codes


def add_column_keys(blocks: Blocks, source: int, frame: pl.DataFrame, columns: list[str], types: np.ndarray) -> None:
    """Pair rows of one type that share a rare word in one column."""
    for number, column in enumerate(columns):
        text = frame.select(text=folded(column)).select(word=words("text").list.head(_WORDS)).with_row_index("row")
        parts = text.explode("word").drop_nulls("word")
        row = parts["row"].to_numpy().astype(np.int64)
        word = parts["word"].rank("dense").to_numpy()
        blocks.add(source, mix(word, types[row], np.full(len(row), number)), row, leave_large=True)


def agreement(codes: Mapping[str, np.ndarray], left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Weigh which values of each pair agree (by their rarity) and which differ; float32, 0 where nothing is known."""
    total = np.zeros(len(left), np.float32)
    for code in codes.values():
        n_with = np.bincount(code[code >= 0])
        rarity = np.log2(len(code) / n_with) / max(1.0, np.log2(len(code)))
        one, other = code[left], code[right]
        known = (one >= 0) & (other >= 0)
        same = known & (one == other)
        total[same] += _AGREE * rarity[one[same]]
        total[known & ~same] -= _DIFFER
    return total
