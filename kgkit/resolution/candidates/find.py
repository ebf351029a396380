"""`find_candidates`: few pairs of records that hold nearly all that are one."""

from __future__ import annotations

from typing import Any

import numpy as np

from kgkit.errors import OptionError
from kgkit.resolution.candidates import beside, expand
from kgkit.resolution.candidates.found import SOURCES, Candidates, empty_candidates
from kgkit.resolution.candidates.nodes import nodes_of
from kgkit.resolution.candidates.pairing import pair_nodes
from kgkit.resolution.candidates.ranking import best_pairs
from kgkit.resolution.candidates.reporting import report_of
from kgkit.resolution.records import Records, records_of

__all__ = ["find_candidates"]

_ROOM = 1.5  # share of the pairs of nodes that is kept until they are pairs of records


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
        [(0, 1), (2, 3)]
    """
    if not per_record > 0:
        msg = f"per_record={per_record!r} is out of range. Allowed: any number above 0."
        raise OptionError(msg)
    held = records if isinstance(records, Records) else records_of(records)
    if across is not None and across not in held.extra:
        raise OptionError.not_one_of("across", across, held.extra)
    n, budget = len(held), max(1, int(per_record * len(held)))
    given = None if vectors is None else beside.checked(vectors, n)
    if n < 2:
        return empty_candidates()
    nodes = nodes_of(held, across, across_types)
    pairs, score, tallies = pair_nodes(nodes)
    kept = best_pairs(pairs.left, pairs.right, score, nodes.n, int(_ROOM * budget) if n > nodes.n else budget)
    one, other, pair = expand.between(pairs.left[kept], pairs.right[kept], nodes.of, nodes.n)
    same = expand.within(nodes.of, nodes.n, max(1, round(per_record)))
    same = same[:, nodes.may_pair(nodes.of[same[0]], nodes.of[same[1]], any_type=True)]
    found = beside.Found(
        np.concatenate([np.minimum(one, other), same[0]]),
        np.concatenate([np.maximum(one, other), same[1]]),
        np.concatenate([score[kept][pair], np.full(same.shape[1], 3.0)]),
        np.concatenate([pairs.sources[kept][pair], np.full(same.shape[1], 1, np.uint16)]),
    )
    if held.neighbours is not None:
        found = found.merged(beside.by_neighbours(held.neighbours, tallies), SOURCES.index("neighbours"), nodes)
    if given is not None:
        found = found.merged(beside.by_vectors(given), SOURCES.index("vectors"), nodes)
    best = best_pairs(found.left, found.right, found.score, n, budget)
    best = best[np.argsort(found.left[best] * n + found.right[best])]
    left, right, sources = found.left[best].astype(np.int32), found.right[best].astype(np.int32), found.sources[best]
    report = report_of(np.concatenate([pairs.sources, found.sources & beside.MASK]), sources, tallies)
    return Candidates(left, right, sources, found.score[best].astype(np.float32), report)
