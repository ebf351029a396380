"""What a community is about, as far as it can be said without a model: its central members and strongest ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from kgkit import tables
from kgkit.communities.network import Indices, Network
from kgkit.frames import take

__all__ = ["make_reports"]

_TITLE_NAMES = 3


def make_reports(
    graph: Any,
    entities: pl.DataFrame,
    relations: pl.DataFrame,
    network: Network,
    partitions: list[Indices],
    numbered: list[pl.Series],
    ids: pl.Series,
    n_evidence: int,
) -> pl.DataFrame:
    """Report on each community of two members or more, at each level.

    The title names the members with the most weight of relations inside the community, ties by id. The evidence
    are statements of its strongest edges, ties by the ends' ids.
    """
    names = entities.select("entity_id", pl.coalesce("name", "entity_id")).sort("entity_id")["name"]
    rows = []
    for level, (labels, communities) in enumerate(zip(partitions, numbered, strict=True)):
        titles = _titles(network, labels, names)
        edges = _strongest(network, labels, n_evidence)
        evidence = _statements(graph, relations, network, labels, edges, ids, n_evidence)
        frame = titles.join(evidence, on="label", how="left").with_columns(
            level=pl.lit(level, pl.Int64), community_id=communities.gather(titles["label"]), size="size"
        )
        rows.append(frame.sort("size", "community_id", descending=[True, False]))
    told = pl.concat(rows).with_columns(pl.col("evidence").fill_null([]), summary=pl.lit(None, pl.String))
    return tables.conform(told, "reports")


def _titles(network: Network, labels: Indices, names: pl.Series) -> pl.DataFrame:
    inside = labels[network.left] == labels[network.right]
    weight = network.weight[inside]
    tie = np.bincount(network.left[inside], weight, network.n) + np.bincount(network.right[inside], weight, network.n)
    order = np.lexsort((-tie, labels))  # stable: equal nodes stay in the order of their ids
    ranked = labels[order]
    place = _place_in_run(ranked)
    top = order[place < _TITLE_NAMES]
    sizes = np.bincount(labels) if len(labels) else np.empty(0, np.int64)
    frame = pl.DataFrame({"label": labels[top], "name": names.gather(top)})
    titles = frame.group_by("label", maintain_order=True).agg(pl.col("name").str.join(", ").alias("title"))
    return titles.with_columns(size=pl.Series(sizes).gather(titles["label"])).filter(pl.col("size") > 1)


def _strongest(network: Network, labels: Indices, count: int) -> Indices:
    inside = np.flatnonzero(labels[network.left] == labels[network.right])
    order = inside[np.lexsort((-network.weight[inside], labels[network.left[inside]]))]
    return order[_place_in_run(labels[network.left[order]]) < count]


def _place_in_run(sorted_labels: Indices) -> Indices:
    """Count from 0 within each run of equal labels."""
    position = np.arange(len(sorted_labels))
    starts = np.flatnonzero(np.diff(sorted_labels, prepend=-1))
    return position - np.repeat(starts, np.diff(np.append(starts, len(sorted_labels))))


def _statements(
    graph: Any,
    relations: pl.DataFrame,
    network: Network,
    labels: Indices,
    edges: Indices,
    ids: pl.Series,
    count: int,
) -> pl.DataFrame:
    """Name statements of the chosen edges, one of each edge first: ``label, evidence``."""
    known = take(graph, "evidence").frame if "evidence" in (getattr(graph, "frames", None) or {}) else None
    empty = pl.DataFrame(schema={"label": pl.Int64, "evidence": pl.List(pl.String)})
    if known is None or not len(edges):
        return empty
    chosen = pl.DataFrame(
        {
            "low": ids.gather(network.left[edges]),
            "high": ids.gather(network.right[edges]),
            "label": labels[network.left[edges]],
            "rank": np.arange(len(edges)),
        }
    )
    ends = pl.DataFrame({"id": pl.concat([chosen["low"], chosen["high"]]).unique()})
    near = relations.select("relation_id", "source_id", "target_id", "weight")
    for end in ("source_id", "target_id"):
        near = near.join(ends, left_on=end, right_on="id", how="semi")
    near = near.with_columns(
        low=pl.min_horizontal("source_id", "target_id"), high=pl.max_horizontal("source_id", "target_id")
    )
    ties = chosen.join(near, on=["low", "high"])
    links = ties.join(known.select("item_id", "evidence_id"), left_on="relation_id", right_on="item_id")
    links = links.sort("rank", "weight", "evidence_id", descending=[False, True, False])
    turn = links.with_columns(turn=pl.int_range(pl.len()).over("label", "rank")).sort("label", "turn", "rank")
    return turn.group_by("label", maintain_order=True).agg(pl.col("evidence_id").head(count).alias("evidence"))
