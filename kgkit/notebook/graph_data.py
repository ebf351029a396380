"""What a graph view shows: which entities and relations, in which order, and what is left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kgkit import tables
from kgkit.errors import InputError, OptionError
from kgkit.frames import take, to_polars

__all__ = ["POLARITIES", "ColorBy", "GraphData", "Group", "SizeBy", "find_entities", "gather"]

ColorBy = Literal["community", "type"]
SizeBy = Literal["degree", "mentions", "documents"]
POLARITIES = ("positive", "negated", "conditional", "reported")
_UNTYPED = "(no type)"


@dataclass(frozen=True)
class Group:
    """One community: its id, title and number of members shown."""

    group_id: str
    title: str
    size: int
    status: str


@dataclass(frozen=True)
class GraphData:
    """The part of a graph that is shown.

    ``entities`` has one row per node, ordered by ``entity_id``, with ``degree``, ``type_index`` and ``group_index``
    (-1 for none). ``relations`` has one row per relation, ordered by ``relation_id``, with ``source`` and ``target``
    as row numbers of ``entities``. ``notes`` say what is not shown, in words.
    """

    entities: pl.DataFrame
    relations: pl.DataFrame
    types: list[str]
    groups: list[Group]
    total_entities: int
    total_relations: int
    notes: list[str]

    @property
    def sources(self) -> NDArray[np.int64]:
        """Row number of each relation's source."""
        return self.relations["source"].to_numpy().astype(np.int64)

    @property
    def targets(self) -> NDArray[np.int64]:
        """Row number of each relation's target."""
        return self.relations["target"].to_numpy().astype(np.int64)

    @property
    def group_index(self) -> NDArray[np.int64]:
        """Group number of each node, -1 for none."""
        return self.entities["group_index"].to_numpy().astype(np.int64)

    def sizes(self, size_by: SizeBy) -> NDArray[np.float64]:
        """What a node's area stands for: number of relations, mentions or documents."""
        column = {"degree": "degree", "mentions": "n_mentions", "documents": "n_documents"}.get(size_by)
        if column is None:
            raise OptionError.not_one_of("size_by", size_by, ("degree", "mentions", "documents"))
        return self.entities[column].to_numpy().astype(np.float64)


def gather(
    entities: Any,
    relations: Any,
    *,
    communities: Any = None,
    level: int = 0,
    focus: str | Iterable[str] | None = None,
    hops: int = 1,
    max_nodes: int = 20_000,
    like: GraphData | None = None,
) -> GraphData:
    """Choose what is shown.

    With ``focus``, the entities within ``hops`` steps of it; otherwise all. If that is more than ``max_nodes``, those
    nearest to the focus, then with most relations, then most mentions, then first by id. Whatever is left out is said
    in ``notes``. Types and groups that ``like`` has keep their numbers, and so their shapes and colours.

    Raises:
        InputError: The focus is not in the graph, or a relation has an end that is no entity.
        OptionError: A number is out of range, or the communities have no such level.
    """
    if max_nodes < 1 or hops < 0:
        msg = f"max_nodes={max_nodes} must be at least 1, and hops={hops} at least 0."
        raise OptionError(msg)
    nodes, edges = _indexed(take(entities, "entities").frame, take(relations, "relations").frame)
    total, total_edges = nodes.height, edges.height
    distance, notes = None, []
    if focus is not None:
        row = {i: n for n, i in enumerate(nodes["entity_id"])}
        wanted = [row[i] for i in find_entities(nodes, focus)]
        distance = _distances(nodes.height, edges, wanted, hops)
    keep, said = _choose(nodes, distance, max_nodes, hops)
    notes += said
    nodes, edges = _cut(nodes, edges, keep)
    if edges.height < total_edges:
        notes.append(f"{edges.height:,} of {total_edges:,} relations shown: those between the entities shown.")
    types = _in_order(_types(nodes), like.types if like else [])
    numbers = {name: number for number, name in enumerate(types)}
    nodes = nodes.with_columns(
        pl.col("type").fill_null(_UNTYPED).replace_strict(numbers, return_dtype=pl.Int64).alias("type_index")
        if nodes.height
        else pl.lit(0, pl.Int64).alias("type_index")
    )
    groups, index = _groups(nodes, communities, level, like.groups if like else [])
    nodes = nodes.with_columns(pl.Series("group_index", index, dtype=pl.Int64))
    return GraphData(nodes, edges, types, groups, total, total_edges, notes)


def _indexed(nodes: pl.DataFrame, edges: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Order both by id, number the nodes, and put row numbers for the ends of relations."""
    nodes = nodes.sort("entity_id")
    rows = nodes.select("entity_id", row=pl.int_range(pl.len(), dtype=pl.Int64))
    edges = edges.sort("relation_id")
    for end, column in (("source_id", "source"), ("target_id", "target")):
        edges = edges.join(rows.rename({"entity_id": end, "row": column}), on=end, how="left", maintain_order="left")
        lost = edges.filter(pl.col(column).is_null())
        if lost.height:
            msg = (
                f"{lost.height:,} relations have a {end} that is not in entities, first {lost[end][0]!r} of relation "
                f"{lost['relation_id'][0]!r}. Give both frames of the same graph."
            )
            raise InputError(msg)
    ends = np.concatenate([edges["source"].to_numpy(), edges["target"].to_numpy()]).astype(np.int64)
    loops = edges.filter(pl.col("source") == pl.col("target"))["source"].to_numpy().astype(np.int64)
    degree = np.bincount(ends, minlength=nodes.height) - np.bincount(loops, minlength=nodes.height)
    return nodes.with_columns(pl.Series("degree", degree, dtype=pl.Int64)), edges


def find_entities(entities: pl.DataFrame, focus: str | Iterable[str]) -> list[str]:
    """Find entities by id, or by exact name where no id fits; gives their ids.

    Raises:
        InputError: There is none.
    """
    ids: list[str] = []
    for wanted in [focus] if isinstance(focus, str) else focus:
        hit = entities.filter(pl.col("entity_id") == wanted)
        hit = hit if hit.height else entities.filter(pl.col("name") == wanted)
        if not hit.height:
            msg = f"focus={wanted!r} is neither an entity_id nor a name in this graph of {entities.height:,} entities."
            raise InputError(msg)
        ids += hit["entity_id"].to_list()
    return ids


def _distances(n_nodes: int, edges: pl.DataFrame, start: list[int], hops: int) -> NDArray[np.int64]:
    """Count steps from the start along relations, in either direction; -1 beyond ``hops``."""
    distance = np.full(n_nodes, -1, dtype=np.int64)
    distance[start] = 0
    source = edges["source"].to_numpy().astype(np.int64)
    target = edges["target"].to_numpy().astype(np.int64)
    for step in range(1, hops + 1):
        at = distance == step - 1
        reached = np.zeros(n_nodes, dtype=bool)
        reached[target[at[source]]] = True
        reached[source[at[target]]] = True
        distance[reached & (distance < 0)] = step
    return distance


def _choose(
    nodes: pl.DataFrame, distance: NDArray[np.int64] | None, max_nodes: int, hops: int
) -> tuple[NDArray[np.bool_], list[str]]:
    """Say which rows are shown, and in words what is not."""
    near = np.ones(nodes.height, dtype=bool) if distance is None else distance >= 0
    total, found = nodes.height, int(near.sum())
    step = "step" if hops == 1 else "steps"
    if found <= max_nodes:
        told = (
            [] if found == total else [f"{found:,} of {total:,} entities shown: those within {hops} {step} of focus."]
        )
        return near, told
    far = np.zeros(nodes.height, dtype=np.int64) if distance is None else distance
    order = np.lexsort((-nodes["n_mentions"].to_numpy(), -nodes["degree"].to_numpy(), far, ~near))
    keep = np.zeros(nodes.height, dtype=bool)
    keep[order[:max_nodes]] = True
    if distance is None:
        why = "those with most relations. Use focus= for others, or a larger max_nodes."
    else:
        why = f"of {found:,} within {hops} {step} of focus, the nearest and those with most relations."
    return keep, [f"{max_nodes:,} of {total:,} entities shown: {why}"]


def _cut(nodes: pl.DataFrame, edges: pl.DataFrame, keep: NDArray[np.bool_]) -> tuple[pl.DataFrame, pl.DataFrame]:
    if keep.all():
        return nodes, edges
    number = pl.Series("n", np.cumsum(keep) - 1, dtype=pl.Int64)
    inside = keep[edges["source"].to_numpy()] & keep[edges["target"].to_numpy()]
    edges = edges.filter(pl.Series(inside))
    edges = edges.with_columns(source=number.gather(edges["source"]), target=number.gather(edges["target"]))
    return nodes.filter(pl.Series(keep)), edges


def _types(nodes: pl.DataFrame) -> list[str]:
    """List types, most frequent first, ties by name."""
    counted = nodes.group_by(pl.col("type").fill_null(_UNTYPED)).len().sort("len", "type", descending=[True, False])
    return counted["type"].to_list()


def _in_order(found: list[str], first: list[str]) -> list[str]:
    """Put those that come first before the others, also where they are not found."""
    return list(dict.fromkeys([*first, *found]))


def _groups(nodes: pl.DataFrame, communities: Any, level: int, first: list[Group]) -> tuple[list[Group], list[int]]:
    if communities is None:
        return [], [-1] * nodes.height
    members = take(communities, "communities").frame
    levels = members["level"].unique().sort().to_list()
    if members.height and level not in levels:
        raise OptionError.not_one_of("level", level, levels)
    members = members.filter(pl.col("level") == level).select("entity_id", "community_id", "status")
    joined = nodes.select("entity_id", "name", "degree").join(
        members, on="entity_id", how="left", maintain_order="left", validate="1:1"
    )
    titles = _titles(communities, level)
    grouped = (
        joined.filter(pl.col("community_id").is_not_null())
        .sort("degree", "entity_id", descending=[True, False])
        .group_by("community_id", maintain_order=True)
        .agg(pl.len().alias("size"), pl.col("name").head(2), pl.col("status").first())
        .sort("size", "community_id", descending=[True, False])
    )
    found = {
        i: Group(i, titles.get(i) or ", ".join(names), size, status)
        for i, size, names, status in grouped.select("community_id", "size", "name", "status").iter_rows()
    }
    known = {g.group_id: g for g in first}
    groups = [
        replace(known.get(i) or found[i], size=found[i].size if i in found else 0)
        for i in _in_order(list(found), list(known))
    ]
    number = {group.group_id: n for n, group in enumerate(groups)}
    return groups, [number.get(i, -1) for i in joined["community_id"].to_list()]


def _titles(communities: Any, level: int) -> dict[str, str]:
    """Read the titles of communities, where the result brings them."""
    held = getattr(communities, "frames", None)
    if not isinstance(held, dict) or "reports" not in held:
        return {}
    reports = tables.conform(to_polars(held["reports"], "reports"), "reports").filter(pl.col("level") == level)
    return dict(reports.select("community_id", "title").iter_rows())
