"""The graph that decisions make of a graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import polars as pl

from kgkit.frames import give, to_polars
from kgkit.graph import Graph

__all__ = ["Reviewed"]


@dataclass(frozen=True, repr=False, eq=False)
class Reviewed(Graph):
    """A graph after decisions; made by `apply_decisions`.

    Everything a `Graph` has, and

    Attributes:
        canonical: Which entity stands for which: one row per entity of the graph before, and per part of a split.
        aliases: Where each other name comes from: the text, or the decision that brought it; also revoked ones.
        withheld: Relations that decisions took out, with their statements: rejected ones, and those that a merge
            made relations of an entity with itself.
        outcomes: What became of each decision.
        base: The graph before. Applying decisions to a reviewed graph starts from it again.
    """

    stage: ClassVar[str] = "apply_decisions"

    canonical: Any
    aliases: Any
    withheld: Any
    base: Graph = field(kw_only=True)

    @classmethod
    def from_frames(cls, entities: Any, relations: Any = None) -> Graph:
        """Make a `Graph` of one's own frames, as `Graph.from_frames` does: nothing is reviewed yet."""
        return Graph.from_frames(entities, relations)

    def members(self, entity_id: str) -> Any:
        """Give the entities of the graph before that are this one now, as rows of its entities table."""
        ids = to_polars(self.canonical).filter(pl.col("canonical_id") == entity_id)["entity_id"]
        rows = to_polars(self.base.entities).filter(pl.col("entity_id").is_in(ids.implode()))
        return give(rows.sort("entity_id"), "entities", self._backend)
