"""Pairs of nodes from all that names and further columns say, with a score to rank them by."""

from __future__ import annotations

import numpy as np
import polars as pl

from kgkit.resolution.candidates import columns, grams
from kgkit.resolution.candidates.blocks import Blocks, Pairs, Tally
from kgkit.resolution.candidates.found import SOURCES
from kgkit.resolution.candidates.keys import add_name_keys
from kgkit.resolution.candidates.names import names_of
from kgkit.resolution.candidates.nodes import Nodes

__all__ = ["pair_nodes"]

_SPELLED = 30_000  # nodes that are compared all with all by spelling; the cost grows with the square
_NEAREST, _LEAST = 20, 0.1
_SAME_NAME, _SPELLING, _COLUMNS = (SOURCES.index(s) for s in ("same_name", "spelling", "columns"))


def pair_nodes(nodes: Nodes) -> tuple[Pairs, np.ndarray, dict[int, Tally]]:
    """Find pairs of nodes.

    Returns:
        The pairs, their scores (float32, higher is likelier), and what the blocks of each source came to.
    """
    codes = columns.coded(nodes.frame, nodes.columns)
    filtered = nodes.sides is not None or nodes.untyped

    def allowed(source: int, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return nodes.may_pair(one, other, any_type=source == _SAME_NAME)

    orders = [_backwards(nodes.frame["text"])]
    blocks = Blocks(nodes.n, orders, list(codes.values()), allowed if filtered else None)
    blocks.window *= 1 if nodes.sides is None else 2  # about half of the near ones are of the same side
    types = np.zeros(nodes.n, np.int64) if nodes.untyped else nodes.types
    add_name_keys(blocks, names_of(nodes.frame), types)
    columns.add_column_keys(blocks, _COLUMNS, nodes.frame, nodes.columns, types)
    spelled = _spelled(blocks, nodes) if nodes.n <= _SPELLED else []
    pairs = blocks.pairs()
    own = blocks.own.astype(np.float32) + 1
    score = pairs.weight / np.minimum(own[pairs.left], own[pairs.right])
    for matrix, share in spelled:
        score += share * grams.cosines(matrix, pairs.left, pairs.right)
    score += columns.agreement(codes, pairs.left, pairs.right)
    return pairs, np.maximum(score, 0).astype(np.float32), blocks.tallies


def _backwards(texts: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    """Order the texts from their ends: the place of each, and what is at each place."""
    turned = pl.DataFrame({"text": texts.str.reverse()}).with_row_index("at").sort("text", "at")
    at = turned["at"].to_numpy().astype(np.int64)
    place = np.empty(len(at), np.int64)
    place[at] = np.arange(len(at))
    return place, at


def _spelled(blocks: Blocks, nodes: Nodes) -> list[tuple[object, float]]:
    """Add pairs of nodes whose names, or names and columns together, are spelled alike."""
    texts = [(_SPELLING, nodes.frame["text"], 1.0)]
    if nodes.columns:
        joined = pl.concat_str(["text", *nodes.columns], separator=" ", ignore_nulls=True).str.to_lowercase()
        texts.append((_COLUMNS, nodes.frame.select(joined).to_series(), 0.5))
    matrices: list[tuple[object, float]] = []
    for source, text, share in texts:
        matrix = grams.vectors(text)
        one, other = grams.alike(matrix, _NEAREST, _LEAST)
        typed = nodes.may_pair(one, other, any_type=False)
        blocks.emit(source, one[typed], other[typed], 0)
        matrices.append((matrix, share))
    return matrices
