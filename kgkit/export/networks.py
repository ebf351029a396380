"""Graphs as networkx and igraph objects, with every column on them."""

from __future__ import annotations

from typing import Any

import polars as pl

from kgkit.errors import InputError
from kgkit.frames import take

__all__ = ["to_igraph", "to_networkx"]


def to_networkx(graph: Any, *, relations: Any = None, communities: Any = None, level: int = 0) -> Any:
    """Convert a graph to a networkx ``MultiDiGraph``: parallel, opposite and self-relations are all there.

    Columns that you added to the entities or relations go along, whatever their names.

    Args:
        graph: A graph, or an entities frame.
        relations: A relations frame; the graph's when left out.
        communities: A result of `detect_communities`, to give each node its ``community_id``.
        level: Which level of the communities.

    Returns:
        A ``networkx.MultiDiGraph``. Nodes are entity ids in order, edges are keyed by ``relation_id``, and every
        other column of their tables is an attribute, null as ``None``.

    Raises:
        InputError: An end of a relation is no entity.

    Examples:
        >>> import polars as pl
        >>> entities = pl.DataFrame({"entity_id": ["a", "b"], "name": ["Ada", "Babbage"]})
        >>> relations = pl.DataFrame({"relation_id": ["r"], "source_id": ["a"], "target_id": ["b"]})
        >>> to_networkx(entities, relations=relations).nodes["a"]["name"]
        'Ada'
    """
    import networkx as nx

    nodes, edges = _parts(graph, relations, communities, level)
    out = nx.MultiDiGraph()
    out.add_nodes_from((row.pop("entity_id"), row) for row in nodes.iter_rows(named=True))
    out.add_edges_from(
        (row.pop("source_id"), row.pop("target_id"), row.pop("relation_id"), row) for row in edges.iter_rows(named=True)
    )
    return out


def to_igraph(graph: Any, *, relations: Any = None, communities: Any = None, level: int = 0) -> Any:
    """Convert a graph to a directed ``igraph.Graph``: parallel, opposite and self-relations are all there.

    Columns that you added to the entities or relations go along, whatever their names.

    Args:
        graph: A graph, or an entities frame.
        relations: A relations frame; the graph's when left out.
        communities: A result of `detect_communities`, to give each vertex its ``community_id``.
        level: Which level of the communities.

    Returns:
        An ``igraph.Graph`` whose vertices and edges stand in the order of their ids, with every column of their
        tables as an attribute. The attribute ``name`` is the entity's name, which several may share: look
        vertices up by ``entity_id``.

    Raises:
        InputError: An end of a relation is no entity.

    Examples:
        >>> import polars as pl
        >>> entities = pl.DataFrame({"entity_id": ["b", "a"], "name": ["Babbage", "Ada"]})
        >>> relations = pl.DataFrame({"relation_id": ["r"], "source_id": ["b"], "target_id": ["a"]})
        >>> to_igraph(entities, relations=relations).get_edgelist()
        [(1, 0)]
    """
    import igraph

    nodes, edges = _parts(graph, relations, communities, level)
    number = dict(zip(nodes["entity_id"], range(nodes.height), strict=True))
    pairs = [(number[s], number[t]) for s, t in edges.select("source_id", "target_id").iter_rows()]
    return igraph.Graph(
        nodes.height,
        pairs,
        directed=True,
        vertex_attrs=nodes.to_dict(as_series=False),
        edge_attrs=edges.to_dict(as_series=False),
    )


def _in_order(frame: pl.DataFrame, key: str) -> pl.DataFrame:
    return frame[frame[key].arg_sort()]  # not by sort(): columns of your own may hold what polars cannot sort


def _parts(graph: Any, relations: Any, communities: Any, level: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    if relations is None and not isinstance(getattr(graph, "frames", None), dict):
        msg = "Give a graph, or an entities frame and relations=, a frame of relations."
        raise InputError(msg)
    ends_and_id = ["relation_id", "source_id", "target_id"]
    held = graph if relations is None else relations
    nodes = _in_order(take(graph, "entities", require=["entity_id"], extra=True).frame, "entity_id")
    edges = _in_order(take(held, "relations", require=ends_and_id, extra=True).frame, "relation_id")
    ends = pl.concat([edges["source_id"], edges["target_id"]]).unique()
    lost = ends.filter(~ends.is_in(nodes["entity_id"].implode())).sort()
    if len(lost):
        msg = (
            f"{len(lost):,} ends of relations are no entities, such as {', '.join(map(repr, lost.head(3)))}. "
            "Give entities and relations of the same graph."
        )
        raise InputError(msg)
    if communities is not None:
        members = take(communities, "communities").frame.filter(pl.col("level") == level)
        nodes = nodes.drop("community_id", strict=False)
        nodes = nodes.join(
            members.select("entity_id", "community_id"), on="entity_id", how="left", maintain_order="left"
        )
    return nodes, edges
