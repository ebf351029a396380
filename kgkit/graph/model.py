"""The graph: entities, relations and their evidence, and short ways to look at them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import polars as pl

from kgkit import tables
from kgkit.errors import InputError
from kgkit.frames import Backend, backend_of, give, take, to_polars
from kgkit.results import Result
from kgkit.text import normalise_name

__all__ = ["Graph"]

_RANKS = ("name", "alias", "part")


@dataclass(frozen=True, repr=False, eq=False)
class Graph(Result):
    """What mentions and statements agree on; made by `build_graph`, or from your own frames by `Graph.from_frames`.

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

    @classmethod
    def from_frames(cls, entities: Any, relations: Any = None) -> Graph:
        """Make a graph of entities and relations that you already have, without mentions or statements.

        Relations that agree in ends, predicate and polarity become one if they have no ids of their own; their
        weights add up. A relation with an end that is no entity is left out, and its outcome says so.

        Args:
            entities: A frame with ``entity_id`` and ``name``; other columns of the entities table are kept.
            relations: A frame with ``source_id`` and ``target_id``; other columns of the relations table are
                kept. Where absent, ``predicate`` is ``related_to``, ``polarity`` positive and ``weight`` 1.

        Raises:
            SchemaError: A column that is needed is absent, or an id occurs twice.

        Examples:
            >>> import polars as pl
            >>> entities = pl.DataFrame({"entity_id": ["a", "b"], "name": ["Ada", "Babbage"]})
            >>> Graph.from_frames(entities, pl.DataFrame({"source_id": ["a"], "target_id": ["b"]}))
            Graph(2 entities, 1 relations, 0 evidence, 0 mentions, 0 statements; 3 in: 3 ok)
        """
        from kgkit.graph.own import complete

        taken = take(entities, "entities", require=["entity_id", "name"])
        return cls(**{n: give(f, n, taken.backend) for n, f in complete(taken.frame, relations).items()})

    def evidence_of(self, item_id: str) -> Any:
        """Give the mentions of an entity, or the statements of a relation, in the order of the documents.

        Raises:
            InputError: There is no such entity or relation.
        """
        table, key = self._kind(item_id)
        links = to_polars(self.evidence).filter(pl.col("item_id") == item_id)
        rows = to_polars(getattr(self, table)).join(links, left_on=key, right_on="evidence_id", how="semi")
        return give(rows.sort("doc_id", "start", key, nulls_last=True), table, self._backend)

    def quotes(self, item_id: str) -> Any:
        """Give the words behind an entity or relation: ``doc_id, chunk_id, start, end, quote, located``, each once.

        Raises:
            InputError: There is no such entity or relation.
        """
        rows = to_polars(self.evidence_of(item_id))
        words = rows.select("doc_id", "chunk_id", "start", "end", "quote", "located")
        return give(words.unique(maintain_order=True), None, self._backend)

    def find(self, name: str) -> Any:
        """Find entities by a name, whatever its case and spacing; all of them, when several share it.

        Returns:
            Rows of the entities table with ``match``: first those of that ``name``, then those with it as an
            ``alias``, then those whose name or alias holds it as a ``part``; within each the most mentioned first.

        Examples:
            >>> import polars as pl
            >>> entities = pl.DataFrame({"entity_id": ["a", "b"], "name": ["Ada Lovelace", "Ada"]})
            >>> Graph.from_frames(entities).find("ADA")["name"].to_list()
            ['Ada', 'Ada Lovelace']
        """
        wanted = normalise_name(name)
        entities = to_polars(self.entities)
        if not wanted:
            return give(entities.clear().with_columns(match=pl.lit("name")), None, self._backend)
        rank = (
            pl.when(pl.col("key") == wanted)
            .then(pl.when("is_name").then(0).otherwise(1))
            .when(pl.col("key").str.contains(wanted, literal=True))
            .then(2)
        )
        hits = self._names.select("row", rank.alias("rank")).drop_nulls().group_by("row").agg(pl.col("rank").min())
        found = entities.with_row_index("row").join(hits, on="row")
        found = found.sort("rank", "n_mentions", "entity_id", descending=[False, True, False])
        match = pl.col("rank").replace_strict(dict(enumerate(_RANKS)), return_dtype=pl.String)
        return give(found.select(*entities.columns, match.alias("match")), None, self._backend)

    def neighbours(self, entity_id: str) -> Any:
        """Give an entity's relations as seen from it.

        Returns:
            One row per relation: ``direction`` (out, in or self), ``predicate``, ``polarity``, ``neighbour_id``,
            ``name`` and ``type`` of the neighbour, ``weight`` and ``relation_id``, the heaviest first.

        Raises:
            InputError: There is no such entity.
        """
        if self._kind(entity_id)[0] != "mentions":
            msg = f"{entity_id!r} is a relation; neighbours() takes an entity_id."
            raise InputError(msg)
        relations = to_polars(self.relations)
        out, into = pl.col("source_id") == entity_id, pl.col("target_id") == entity_id
        own = relations.filter(out | into).with_columns(
            direction=pl.when(out & into).then(pl.lit("self")).when(out).then(pl.lit("out")).otherwise(pl.lit("in")),
            neighbour_id=pl.when(out).then("target_id").otherwise("source_id"),
        )
        named = to_polars(self.entities).select("entity_id", "name", "type")
        rows = own.join(named, left_on="neighbour_id", right_on="entity_id").sort(
            "weight", "relation_id", descending=[True, False]
        )
        columns = ["direction", "predicate", "polarity", "neighbour_id", "name", "type", "weight", "relation_id"]
        return give(rows.select(columns), None, self._backend)

    def degrees(self) -> Any:
        """Count what each entity is linked to, one row per entity, ordered by id.

        Returns:
            ``entity_id``; ``n_relations``, relations that start or end at it (one with itself counts once);
            ``n_neighbours``, different other entities.
        """
        ends = to_polars(self.relations).select("source_id", "target_id")
        turned = ends.filter(pl.col("source_id") != pl.col("target_id")).select(
            source_id="target_id", target_id="source_id"
        )
        both = pl.concat([ends, turned])
        other = pl.col("target_id").filter(pl.col("target_id") != pl.col("source_id"))
        counts = both.group_by("source_id").agg(n_relations=pl.len(), n_neighbours=other.n_unique())
        ids = to_polars(self.entities).select("entity_id").sort("entity_id")
        rows = ids.join(counts, left_on="entity_id", right_on="source_id", how="left", maintain_order="left")
        return give(rows.with_columns(pl.exclude("entity_id").fill_null(0).cast(pl.Int64)), None, self._backend)

    @property
    def _backend(self) -> Backend:
        return backend_of(self.entities)

    @cached_property
    def _names(self) -> pl.DataFrame:
        """Normalised names and aliases with the row of their entity."""
        entities = to_polars(self.entities).with_row_index("row")
        own = entities.select("row", key="name", is_name=pl.lit(value=True))
        other = entities.select("row", key="aliases", is_name=pl.lit(value=False)).explode("key").drop_nulls("key")
        both = pl.concat([own, other])
        keys = pl.Series("key", [normalise_name(name) for name in both["key"].to_list()], dtype=pl.String)
        return both.with_columns(keys)

    def _kind(self, item_id: str) -> tuple[str, str]:
        for table, key, evidence in (("entities", "entity_id", "mentions"), ("relations", "relation_id", "statements")):
            if (to_polars(getattr(self, table))[key] == item_id).any():
                return evidence, tables.get(evidence).key[0]
        msg = f"{item_id!r} is neither an entity_id nor a relation_id of this graph; graph.find(name) finds ids."
        raise InputError(msg)
