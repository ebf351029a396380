"""The graph: entities, relations and their evidence, and short ways to look at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kgkit.results import Result

__all__ = ["Graph"]


@dataclass(frozen=True, repr=False, eq=False)
class Graph(Result):
    """What mentions and statements agree on.

    Attributes:
        entities: One row per entity, ordered by id.
        relations: One row per relation, ordered by id.
        evidence: Which mention supports which entity, and which statement which relation.
        mentions: The mentions it was made from, as they came.
        statements: The statements it was made from, as they came.
        outcomes: What became of each mention and each statement.
    """

    stage: ClassVar[str] = "build_graph"
    main: ClassVar[str] = "entities"

    entities: Any
    relations: Any
    evidence: Any
    mentions: Any
    statements: Any
