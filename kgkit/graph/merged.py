"""What the mentions of one entity say together: its spellings, descriptions and attributes, with nothing lost.

All functions work on ``entity``, a row number into the entities in the order of their ids, and read mentions in
the order of documents: by ``doc_id``, then position, then ``mention_id``.
"""

from __future__ import annotations

import json
from typing import Any

import polars as pl

__all__ = ["UNPARSED", "merge_attributes", "merge_descriptions", "merge_spellings"]

UNPARSED = "unparsed"
_ORDER = ["doc_id", "start", "mention_id"]
_JOIN = " ; "


def merge_spellings(uses: pl.DataFrame) -> pl.DataFrame:
    """Choose each entity's name and aliases.

    Args:
        uses: ``entity``, ``spelling``, ``mentioned`` (Boolean: by a mention, or only as the end of a statement).

    Returns:
        ``entity``, ``name`` (the most used spelling; of equals, the first by text) and ``aliases`` (the others).
    """
    counted = uses.group_by("entity", "spelling").agg(pl.col("mentioned").sum(), pl.len().alias("uses"))
    ranked = counted.sort("entity", "mentioned", "uses", "spelling", descending=[False, True, True, False])
    spelling = pl.col("spelling")
    return ranked.group_by("entity", maintain_order=True).agg(
        spelling.first().alias("name"), spelling.slice(1).alias("aliases")
    )


def merge_descriptions(mentions: pl.DataFrame) -> pl.DataFrame:
    """Join each entity's different descriptions, in the order of the documents: ``entity, description``."""
    said = mentions.select("entity", *_ORDER, pl.col("description").str.strip_chars())
    said = said.filter(pl.col("description") != "").sort("entity", *_ORDER, nulls_last=True)
    distinct = said.unique(["entity", "description"], keep="first", maintain_order=True)
    return distinct.group_by("entity", maintain_order=True).agg(pl.col("description").str.join(_JOIN))


def merge_attributes(mentions: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Collect each entity's attributes: for every key the list of all different values, in document order.

    Where mentions disagree, all values are there. A value that is a list stays one value, so that what was said
    together stays together. Text that is no JSON object is kept whole under the key ``unparsed``.

    Args:
        mentions: ``entity``, ``attributes`` and the columns of the documents' order.

    Returns:
        ``entity, attributes`` of the entities that have any, and the texts that are no JSON objects.
    """
    told = mentions.select("entity", *_ORDER, pl.col("attributes").str.strip_chars())
    told = told.filter(~pl.col("attributes").is_in(["", "{}", "null"])).sort("entity", *_ORDER, nulls_last=True)
    distinct = told.unique(["entity", "attributes"], keep="first", maintain_order=True)
    parsed = {text: _parse(text) for text in distinct["attributes"].unique().to_list()}
    merged: dict[int, dict[str, dict[str, Any]]] = {}
    for entity, text in distinct.select("entity", "attributes").iter_rows():
        values = merged.setdefault(entity, {})
        for key, value in (parsed[text] or {UNPARSED: text}).items():
            values.setdefault(key, {}).setdefault(_write(value), value)
    schema: dict[str, Any] = {"entity": mentions.schema["entity"], "attributes": pl.String}
    texts = [_write({key: list(values.values()) for key, values in sorted(v.items())}) for v in merged.values()]
    bad = pl.Series("attributes", [text for text, value in parsed.items() if value is None], dtype=pl.String)
    return pl.DataFrame({"entity": list(merged), "attributes": texts}, schema=schema), bad


def _parse(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text, parse_constant=str)  # NaN and Infinity are not JSON: kept as text
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _write(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
