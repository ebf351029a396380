"""Where the other names of entities come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from kgkit import tables
from kgkit.resolution.apply.choices import Choices
from kgkit.resolution.apply.entities import United
from kgkit.resolution.decided import Decision
from kgkit.resolution.decided_groups import Merging

__all__ = ["alias_table"]


def alias_table(
    entities: pl.DataFrame,
    united: Mapping[str, United],
    choices: Mapping[str, Choices],
    decisions: Sequence[Decision],
    merging: Merging,
) -> pl.DataFrame:
    """List the aliases of all entities with their origin: the text, or the merge that brought their member.

    Args:
        entities: The entities after decisions.
        united: What was made of those that decisions touch.
        choices: What people chose for them.
        decisions: Decisions that count, oldest first.
        merging: What merges make of entity ids.
    """
    brought = {i: d.decision_id for d in decisions if d.decision_id in merging.applied for i in d.payload["entity_ids"]}
    rest = entities.filter(~pl.col("entity_id").is_in(pl.Series(list(united), dtype=pl.String).implode()))
    plain = rest.select("entity_id", alias="aliases").explode("alias").drop_nulls("alias").unique()
    plain = plain.with_columns(origin=pl.lit("text"), member_id="entity_id", revoked_by=pl.lit(None, pl.String))
    rows = []
    for entity_id, one in united.items():
        for alias, member_id, revoked_by in one.aliases:
            origin = "text" if member_id == entity_id else brought.get(member_id, "text")
            rows.append((entity_id, alias, origin, member_id, revoked_by))
    made = pl.DataFrame(rows, schema=tables.get("aliases").schema, orient="row")
    return tables.conform(pl.concat([plain.select(made.columns), made]).sort("entity_id", "alias"), "aliases")
