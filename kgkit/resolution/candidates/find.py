"""`find_candidates`: few pairs of records that hold nearly all that are one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kgkit.errors import OptionError
from kgkit.resolution.candidates import beside
from kgkit.resolution.candidates.blocks import Pairs, Tally
from kgkit.resolution.candidates.expand import Members
from kgkit.resolution.candidates.found import SOURCES, Candidates, empty_candidates
from kgkit.resolution.candidates.nodes import Nodes, nodes_of
from kgkit.resolution.candidates.pairing import pair_nodes
from kgkit.resolution.candidates.ranking import best_pairs
from kgkit.resolution.candidates.reporting import report_of
from kgkit.resolution.records import Records, records_of

__all__ = ["find_candidates"]

_SAME = 3.0  # score of records that nothing tells apart; more than any other pair has


def find_candidates(
    records: Any,
    *,
    per_record: float = 15,
    across: str | None = None,
    across_types: bool = False,
    vectors: Any = None,
) -> Candidates:
    """Find the pairs of records that are worth a closer look: few pairs that hold nearly all that are one.

    Records meet when their names share a key (the same words, a word and an initial, a misspelling of a frequent
    word, a nickname, an acronym, ...), when they are spelled alike, share rare words in further columns, or share
    neighbours in the graph. Keys that many records share are not dropped: those records meet the ones next to them
    in two sorted orders, and those with an equal value in a further column. Up to 30,000 different names are also
    compared all with all by their runs of three characters; beyond that, time grows as n log n. Of all pairs found
    the best are kept, and no row order, id or number of processors changes which.

    Args:
        records: Records, a graph, an entities frame, or any frame with ``entity_id`` and ``name``. All further
            columns count: to divide what shares a key, to rank, and as places of rare words.
        per_record: How many pairs to return at most, as a multiple of the number of records.
        across: A column (such as ``"source"``); only records with different values of it are paired. A record
            without a value is paired with all.
        across_types: Also pair records of different types that share more than their name. Without it, only equal
            names meet across types. Records without a type are paired with all; where there are 25 types or more,
            types do not count.
        vectors: One row of numbers for each record, in the order of their ids; records near by cosine meet too.

    Returns:
        The pairs, with what found them and a report of each source.

    Raises:
        OptionError: ``per_record`` is not above 0, or ``across`` is no further column.
        InputError: ``vectors`` does not have one row for each record.
        SchemaError: The frame cannot be used; see `records_of`.

    Examples:
        >>> import polars as pl
        >>> names = ["Grace Hopper", "Hopper, G.", "Alan Turing", "Alan Turring", "Ada Lovelace"]
        >>> entities = pl.DataFrame({"entity_id": ["a", "b", "c", "d", "e"], "name": names})
        >>> found = find_candidates(entities)
        >>> list(zip(found.left.tolist(), found.right.tolist(), strict=True))
        [(0, 1), (0, 4), (2, 3)]
    """
    if not per_record > 0:
        msg = f"per_record={per_record!r} is out of range. Allowed: any number above 0."
        raise OptionError(msg)
    held = records if isinstance(records, Records) else records_of(records)
    if across is not None and across not in held.extra:
        raise OptionError.not_one_of("across", across, held.extra)
    n = len(held)
    budget = max(1, int(min(per_record, n) * n))
    given = None if vectors is None else beside.checked(vectors, n)
    if n < 2:
        return empty_candidates()
    nodes = nodes_of(held, across, across_types)
    pairs, score, tallies = pair_nodes(nodes)
    found = _of_records(nodes, pairs, score, budget)
    n_found = pairs.sources
    del pairs, score
    for source, more in _beside(held, given, tallies):
        found = found.merged(more, SOURCES.index(source), nodes)
    best = best_pairs(found.left, found.right, found.score, n, budget)
    best = best[np.argsort(found.left[best].astype(np.int64) * n + found.right[best])]
    sources = found.sources[best]
    report = report_of(np.concatenate([n_found, found.sources & beside.MASK]), sources, tallies)
    return Candidates(found.left[best], found.right[best], sources, found.score[best], report)


def _of_records(nodes: Nodes, pairs: Pairs, score: np.ndarray, budget: int) -> beside.Found:
    """Choose pairs of nodes, and make them pairs of records."""
    members = Members(nodes.of, nodes.n)
    left, right = members.within(max(1, budget // 2))
    may = nodes.may_pair(nodes.of[left], nodes.of[right], any_type=True)
    left, right = left[may], right[may]
    counts = members.n_between(pairs.left, pairs.right) if len(nodes.of) > nodes.n else None
    kept = best_pairs(pairs.left, pairs.right, score, nodes.n, max(0, budget - len(left)), counts=counts)
    one, other, pair = members.between(pairs.left[kept], pairs.right[kept])
    return beside.Found(
        np.concatenate([one, left]),
        np.concatenate([other, right]),
        np.concatenate([score[kept][pair], np.full(len(left), _SAME, np.float32)]),
        np.concatenate([pairs.sources[kept][pair], np.full(len(left), 1, np.uint16)]),
    )


def _beside(
    held: Records, vectors: np.ndarray | None, tallies: dict[int, Tally]
) -> Iterator[tuple[str, beside.Scored]]:
    if held.neighbours is not None:
        yield "neighbours", beside.by_neighbours(held.neighbours, tallies)
    if vectors is not None:
        yield "vectors", beside.by_vectors(vectors)
