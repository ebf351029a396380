"""`find_lookalikes`: a first look at entities whose names suggest that they are one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from kgkit.errors import OptionError
from kgkit.frames import give, take
from kgkit.resolution import spelling
from kgkit.text import collapse_spaces, normalise_name

__all__ = ["find_lookalikes"]

_REASONS = ("same_name", "same_letters", "initials", "acronym", "contained", "spelling")
_COLUMNS = {"id": "entity_id", "name": "name", "type": "type"}
_SCHEMA = {
    "left_id": pl.String(),
    "right_id": pl.String(),
    "left_name": pl.String(),
    "right_name": pl.String(),
    "left_type": pl.String(),
    "right_type": pl.String(),
    "similarity": pl.Float64(),
    "reason": pl.String(),
}


def find_lookalikes(graph: Any, *, min_similarity: float = 0.6, across_types: bool = False) -> Any:
    """List pairs of entities whose names look alike, as a plain frame to read through.

    This is a first look by names alone: it reads no evidence, weighs nothing, and proposes no merge. It shows
    many pairs that are two things (a place and a person of one name, a father and a son) and misses those whose
    names have nothing in common (nicknames, maiden names, renamed firms).

    Reasons, the strongest first; a pair has the strongest that applies:

    - ``same_name``: equal normalised names, of any types.
    - ``same_letters``: equal but for blanks, dots, commas, hyphens and apostrophes.
    - ``initials``: the same last word, and the others agree where one has initials: *G. Hopper*.
    - ``acronym``: one is the first letters of the other's words: *IBM*.
    - ``contained``: all words of one are in the other: *Hopper*, *Grace Hopper*.
    - ``spelling``: cosine of character 3-grams of at least ``min_similarity``, and no different numbers.

    Args:
        graph: A graph, or an entities frame with ``entity_id`` and ``name``. Aliases are names too.
        min_similarity: Least cosine for the reason ``spelling``, above 0, at most 1.
        across_types: Also pair entities of different types for reasons other than ``same_name``. Entities
            without a type are paired with all.

    Returns:
        One row per pair, of the kind that came in: ``left_id``, ``right_id`` (left sorts before right),
        ``left_name``, ``right_name`` (the spellings that look alike), ``left_type``, ``right_type``,
        ``similarity`` (cosine of 3-grams, whatever the reason) and ``reason``; the strongest reason first,
        then by similarity, then by ids.

    Raises:
        OptionError: ``min_similarity`` is out of range.

    Examples:
        >>> import polars as pl
        >>> names = ["Grace Hopper", "G. Hopper", "Alan Turing"]
        >>> entities = pl.DataFrame({"entity_id": ["e1", "e2", "e3"], "name": names})
        >>> find_lookalikes(entities).select("left_name", "right_name", "reason").rows()
        [('Grace Hopper', 'G. Hopper', 'initials')]
    """
    if not 0 < min_similarity <= 1:
        msg = f"min_similarity={min_similarity!r} is out of range. Allowed: above 0, at most 1."
        raise OptionError(msg)
    taken = take(graph, "entities", require=["entity_id", "name"])
    names = _names(taken.frame)
    rows = _rows(names, min_similarity, across_types) if names.height > 1 else pl.DataFrame(schema=_SCHEMA)
    return give(rows, None, taken.backend)


def _names(entities: pl.DataFrame) -> pl.DataFrame:
    """List each entity's different names: ``entity_id, type, name, key``, in the order of the ids."""
    own = entities.select("entity_id", "type", "name", place=pl.lit(0))
    other = entities.select("entity_id", "type", name="aliases", place=pl.lit(1)).explode("name").drop_nulls("name")
    both = pl.concat([own, other])
    texts = [collapse_spaces(name) for name in both["name"].to_list()]
    keys = [normalise_name(text) for text in texts]
    both = both.with_columns(pl.Series("name", texts, dtype=pl.String), pl.Series("key", keys, dtype=pl.String))
    return (
        both.filter(pl.col("key") != "")
        .sort("entity_id", "place", "name")
        .unique(["entity_id", "key"], keep="first", maintain_order=True)
    )


def _rows(names: pl.DataFrame, least: float, across_types: bool) -> pl.DataFrame:
    keys, ids, types = names["key"].to_list(), names["entity_id"].to_list(), names["type"].to_list()
    matrix = spelling.vectors(keys)
    best: dict[tuple[str, str], tuple[int, spelling.Pair]] = {}
    for rank, pair in _candidates(names, matrix, least):
        left, right = sorted(pair)  # rows are in the order of ids
        apart = types[left] != types[right] and None not in (types[left], types[right])
        if ids[left] == ids[right] or (apart and rank and not across_types):
            continue
        best.setdefault((ids[left], ids[right]), (rank, (left, right)))
    pairs = [pair for _, pair in best.values()]
    similarity = spelling.cosines(matrix, pairs)
    sides = {side: names[[pair[i] for pair in pairs]] for i, side in enumerate(("left", "right"))}
    frame = pl.DataFrame(
        {
            **{f"{side}_{c}": rows[n] for side, rows in sides.items() for c, n in _COLUMNS.items()},
            "similarity": pl.Series(similarity, dtype=pl.Float64),
            "rank": pl.Series([rank for rank, _ in best.values()], dtype=pl.Int64),
        }
    )
    frame = frame.sort("rank", "similarity", "left_id", "right_id", descending=[False, True, False, False])
    reason = pl.col("rank").replace_strict(dict(enumerate(_REASONS)), return_dtype=pl.String)
    return frame.with_columns(reason.alias("reason")).select(_SCHEMA.keys()).cast(_SCHEMA)  # type: ignore[arg-type]


def _candidates(names: pl.DataFrame, matrix: Any, least: float) -> Iterator[tuple[int, spelling.Pair]]:
    """Yield pairs of rows with the rank of their reason, the strongest reason first."""
    keys = names["key"].to_list()
    found = (
        spelling.same_keys(keys),
        spelling.same_letters(keys),
        spelling.initials(keys),
        spelling.acronyms(names["name"].to_list()),
        spelling.contained(keys),
        spelling.spelled_alike(keys, matrix, least),
    )
    for rank, pairs in enumerate(found):
        for pair in pairs:
            yield rank, pair
