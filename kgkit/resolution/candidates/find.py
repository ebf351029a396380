"""`find_candidates`: few pairs of records that hold nearly all that are one."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from kgkit.errors import OptionError
from kgkit.resolution.candidates import expand
from kgkit.resolution.candidates.blocks import Blocks, Pairs
from kgkit.resolution.candidates.found import Candidates, empty_candidates
from kgkit.resolution.candidates.keys import add_name_keys
from kgkit.resolution.candidates.names import Nodes, names_of, nodes_of
from kgkit.resolution.candidates.ranking import among_best
from kgkit.resolution.candidates.reporting import report_of
from kgkit.resolution.records import Records, records_of

__all__ = ["find_candidates"]

_MOST_TYPES = 24  # with more, types are a description


def find_candidates(
    records: Any, *, per_record: int = 15, across: str | None = None, across_types: bool = False
) -> Candidates:
    """Find the pairs of records that are worth a closer look."""
    if per_record < 1:
        msg = f"per_record={per_record!r} is out of range. Allowed: 1 or more."
        raise OptionError(msg)
    held = records if isinstance(records, Records) else records_of(records)
    if across is not None and across not in held.extra:
        raise OptionError.not_one_of("across", across, held.extra)
    if len(held) < 2:
        return empty_candidates()
    nodes = nodes_of(held, held.extra)
    types, blocks = _blocks(nodes, across, across_types, held.extra)
    add_name_keys(blocks, names_of(nodes), types)
    pairs = blocks.pairs()
    score = pairs.weight / np.sqrt(blocks.own[pairs.left] * blocks.own[pairs.right] + 1.0)
    kept = among_best(pairs.left, pairs.right, score, blocks.n, per_record)
    return _of_records(held, nodes, pairs, score, kept, blocks, per_record)


def _blocks(nodes: Nodes, across: str | None, across_types: bool, extra: list[str]) -> tuple[np.ndarray, Blocks]:
    n = nodes.frame.height
    types = _numbered(nodes.frame["type"])
    typed = not across_types and 0 < types.max() < _MOST_TYPES
    mixed = typed and bool((types < 0).any())
    backwards = nodes.frame["key"].str.reverse().arg_sort().to_numpy().astype(np.int64)
    place = np.empty(n, np.int64)
    place[backwards] = np.arange(n)
    sides = _numbered(nodes.frame[across]) if across else None

    def allowed(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        may = np.ones(len(one), bool)
        if sides is not None:
            may &= (sides[one] != sides[other]) | (sides[one] < 0)
        if mixed:
            may &= (types[one] == types[other]) | (types[one] < 0) | (types[other] < 0)
        return may

    seconds = [_numbered(nodes.frame[c]) for c in extra if c != across]
    blocks = Blocks(n, [(place, backwards)], seconds, allowed if mixed or across else None)
    return types if typed and not mixed else np.zeros(n, np.int64), blocks


def _numbered(column: pl.Series) -> np.ndarray:
    """Number the different values of a column from 0, in order; -1 where there is none."""
    return (column.rank("dense").cast(pl.Int64) - 1).fill_null(-1).to_numpy()


def _of_records(
    held: Records, nodes: Nodes, pairs: Pairs, score: np.ndarray, kept: np.ndarray, blocks: Blocks, per_record: int
) -> Candidates:
    one, other, pair = expand.between(pairs.left[kept], pairs.right[kept], nodes.of, blocks.n)
    same_one, same_other = expand.within(nodes.of, blocks.n, per_record)
    left = np.concatenate([np.minimum(one, other), same_one])
    right = np.concatenate([np.maximum(one, other), same_other])
    strength = np.concatenate([score[kept][pair], np.full(len(same_one), 2.0)])
    sources = np.concatenate([pairs.sources[kept][pair], np.ones(len(same_one), np.uint16)])
    if len(held) > blocks.n:
        best = among_best(left, right, strength, len(held), per_record)
        left, right, strength, sources = left[best], right[best], strength[best], sources[best]
    order = np.argsort(left * len(held) + right)
    left, right, sources = left[order].astype(np.int32), right[order].astype(np.int32), sources[order]
    report = report_of(pairs.sources, sources, blocks.tallies)
    return Candidates(left, right, sources, strength[order].astype(np.float32), report)
