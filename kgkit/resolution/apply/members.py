"""The entities that decisions touch, before they are united: as they were, or told anew from their mentions."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import polars as pl

from kgkit.graph.merged import merge_attributes, merge_descriptions, merge_spellings
from kgkit.resolution.apply.splits import Splits
from kgkit.text import collapse_spaces

__all__ = ["Member", "members_of"]

Member = dict[str, Any]
"""A row of the entities table."""


def members_of(
    entities: pl.DataFrame, evidence: pl.DataFrame, mentions: pl.DataFrame, splits: Splits, wanted: Collection[str]
) -> dict[str, Member]:
    """Give the rows of entities and of parts of splits.

    An entity that lost mentions, and each part, is told anew from the mentions it has now. One that lost all is left
    out: it has nothing to tell.

    Args:
        entities: The entities before.
        evidence: ``item_id`` and ``evidence_id`` of entities and their mentions, after the splits.
        mentions: The mentions.
        splits: What splits did.
        wanted: Ids of entities and parts.
    """
    anew = sorted((splits.touched | splits.parts.keys()) & set(wanted))
    ids = pl.Series(sorted(set(wanted) - set(anew)), dtype=pl.String)
    rows = entities.filter(pl.col("entity_id").is_in(ids.implode()))
    known = {row["entity_id"]: row for row in rows.iter_rows(named=True)}
    if not anew:
        return known
    bases = [splits.parts[i].base_id if i in splits.parts else i for i in anew]
    types = dict(entities.filter(pl.col("entity_id").is_in(bases)).select("entity_id", "type").iter_rows())
    told = _tell(evidence, mentions, anew)
    anew_ids = pl.Series(anew, dtype=pl.String).implode()
    silent = set(evidence.filter(pl.col("item_id").is_in(anew_ids))["item_id"]) - told.keys()  # mentions not held
    for row in entities.filter(pl.col("entity_id").is_in(sorted(silent))).iter_rows(named=True):
        known[row["entity_id"]] = row
    for entity_id, base_id in zip(anew, bases, strict=True):
        if entity_id in told:
            part = splits.parts.get(entity_id)
            type_ = types.get(base_id) if part is None or part.type is None else part.type
            known[entity_id] = {**told[entity_id], "type": type_}
    return known


def _tell(evidence: pl.DataFrame, mentions: pl.DataFrame, entity_ids: list[str]) -> dict[str, Member]:
    numbers = pl.DataFrame({"item_id": entity_ids}).with_row_index("entity")
    own = evidence.join(numbers, on="item_id").join(mentions, left_on="evidence_id", right_on="mention_id")
    spelled = pl.Series("spelling", [collapse_spaces(name) for name in own["name"].to_list()], dtype=pl.String)
    own = own.with_columns(spelled, mention_id="evidence_id", mentioned=pl.lit(value=True))
    counts = own.group_by("entity").agg(n_mentions=pl.len(), n_documents=pl.col("doc_id").n_unique())
    rows = numbers.join(merge_spellings(own.select("entity", "spelling", "mentioned")), on="entity")
    for part in (merge_descriptions(own), merge_attributes(own)[0], counts):
        rows = rows.join(part, on="entity", how="left")
    rows = rows.with_columns(pl.col("attributes").fill_null("{}")).rename({"item_id": "entity_id"})
    return {row["entity_id"]: row for row in rows.drop("entity").iter_rows(named=True)}
