"""Other names of the entities that a question asks for, out of a graph."""

from __future__ import annotations

import re
from typing import Any

import polars as pl

from kgkit.frames import take
from kgkit.text import normalise_name

__all__ = ["names_asked"]

_MOST = 12  # names that may be added to one question
_SHORTEST = 2


def names_asked(question: str, graph: Any) -> list[str]:
    """Find the entities that a question names, and list their other names.

    A name counts when it stands in the question as whole words. A long name wins over a short one inside it.

    Args:
        question: What is asked.
        graph: A result with ``entities``, an entities frame, or ``None``.
    """
    if graph is None:
        return []
    entities = take(graph, "entities", require=["entity_id", "name"]).frame
    asked = normalise_name(question)
    names = (
        entities.select("entity_id", name=pl.concat_list(pl.concat_list("name"), pl.col("aliases").fill_null([])))
        .explode("name")
        .drop_nulls()
        .filter(pl.lit(asked).str.contains(pl.col("name").str.to_lowercase(), literal=True))
        .sort(pl.col("name").str.len_chars(), "name", "entity_id", descending=[True, False, False])
    )
    free = asked
    chosen: dict[str, None] = {}
    for entity_id, name in names.iter_rows():
        found = _whole_words(normalise_name(name), asked)
        if len(name) < _SHORTEST or not found:
            continue
        if _whole_words(normalise_name(name), free):
            chosen.setdefault(entity_id)
            free = free.replace(normalise_name(name), "\0") if free.count(normalise_name(name)) == 1 else free
    if not chosen:
        return []
    rows = entities.filter(pl.col("entity_id").is_in(list(chosen))).sort("entity_id")
    others = [n for name, aliases in rows.select("name", "aliases").iter_rows() for n in [name, *(aliases or [])]]
    return [n for n in dict.fromkeys(others) if normalise_name(n) not in asked][:_MOST]


def _whole_words(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
