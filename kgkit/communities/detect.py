"""`detect_communities`: every entity in one community at each level, also those without a neighbour."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl

from kgkit import tables
from kgkit.communities.methods import Settings, check_quality, partition
from kgkit.communities.network import Indices, Network, make_network, modularity, shrink
from kgkit.communities.reports import make_reports
from kgkit.errors import InputError, OptionError
from kgkit.frames import give, take
from kgkit.ids import framed, hash_framed
from kgkit.results import Result, outcomes_from

__all__ = ["Communities", "detect_communities"]

_POLARITIES = ("positive", "conditional", "reported")
_WEIGHTS = ("weight", "n_documents", "confidence", None)
_STATUS = np.array(["grouped", "small", "isolated"])


@dataclass(frozen=True, repr=False, eq=False)
class Communities(Result):
    """Communities of entities.

    Attributes:
        communities: One row per level and entity, the largest communities first.
        reports: One row per community of two members or more: its title, and the statements that hold it together.
        outcomes: One row per entity: ok, or empty with the reason ``isolated``.
        modularity: Newman's modularity of each level, the finest first; null when no two entities are related.
    """

    stage: ClassVar[str] = "detect_communities"
    main: ClassVar[str] = "communities"

    communities: Any
    reports: Any
    modularity: tuple[float | None, ...]


def detect_communities(
    graph: Any,
    relations: Any = None,
    *,
    resolution: float | Sequence[float] = 1.0,
    levels: int = 1,
    min_size: int = 3,
    seed: int = 0,
    method: Literal["igraph", "leidenalg", "networkit", "graspologic"] = "igraph",
    quality: Literal["modularity", "cpm", "rber", "significance", "surprise"] = "modularity",
    iterations: int = 2,
    weights: Literal["weight", "n_documents", "confidence"] | None = "weight",
    polarity: Collection[str] | None = _POLARITIES,
    ignore_types: Collection[str] = ("DATE",),
    n_evidence: int = 5,
) -> Communities:
    """Find groups of entities that are more related with each other than with the rest, by the Leiden method.

    Relations count without direction; parallel and opposite ones add up; self-relations connect nothing. The same
    graph gives the same communities in any row order. Every entity is in exactly one community at each level: one
    that has no neighbour is ``isolated`` in a community of its own, and members of a connected component below
    ``min_size`` are ``small``; all others are ``grouped``.

    Level 0 is the finest. Each further level groups the communities of the one before, at a lower resolution, so
    that levels are nested and ``parent_id`` leads up.

    Modularity cannot see communities that are small against the whole (in a graph of a million relations, those
    below about a thousand): raise ``resolution`` for smaller ones.

    Args:
        graph: A graph, or an entities frame (only ``entity_id`` is needed; ``name`` for titles).
        relations: A relations frame (``source_id`` and ``target_id`` are needed); the graph's when left out.
        resolution: Higher gives more and smaller communities. One number for level 0, halved for each further
            level, or a descending number for each level.
        levels: Number of levels.
        min_size: Smallest connected component whose members count as grouped.
        seed: Seed of the random steps.
        method: The library: ``"igraph"`` (the default) and ``"leidenalg"`` (slower, more quality functions) are
            under the GPL, ``"networkit"`` and ``"graspologic"`` under the MIT licence.
        quality: What is maximised: ``"modularity"``; with igraph and leidenalg also ``"cpm"``; with leidenalg
            also ``"rber"``, ``"significance"`` (these ignore weights) and ``"surprise"`` (the last two have no
            resolution).
        iterations: How often the whole method is run on its own result; below 0 until nothing improves.
        weights: Column of the relations that is added up, null counting 1; ``None`` to count each relation once.
        polarity: Polarities of the relations that count; by default all but ``negated``. ``None`` for all.
        ignore_types: Types of entities whose relations do not count: by default dates, which would tie together
            what merely shares a year.
        n_evidence: Most statements to name in a report.

    Returns:
        `Communities`, with frames of the kind that came in.

    Raises:
        InputError: An end of a relation is no entity, or a weight is negative.
        OptionError: An option is unknown or out of range.
        MissingExtraError: The method's library is not installed.

    Examples:
        >>> import polars as pl
        >>> entities = pl.DataFrame({"entity_id": list("abcd")})
        >>> relations = pl.DataFrame({"source_id": list("ab"), "target_id": list("bc")})
        >>> detect_communities(entities, relations).frame.select("entity_id", "size", "status").rows()
        [('a', 3, 'grouped'), ('b', 3, 'grouped'), ('c', 3, 'grouped'), ('d', 1, 'isolated')]
    """
    check_quality(method, quality)
    steps = _resolutions(resolution, levels)
    _check_numbers(min_size=min_size, seed=seed, iterations=iterations, n_evidence=n_evidence, weights=weights)
    taken = take(graph, "entities", require=["entity_id"])
    linked = _take_relations(graph, relations)
    counted = linked if polarity is None else linked.filter(_polarity(linked).is_in(list(polarity)))
    counted = _without(counted, taken.frame, ignore_types)
    ids = taken.frame["entity_id"].sort()
    network = make_network(ids, counted, weights)
    status = _status(network, min_size)
    settings = [Settings(method, quality, r, iterations, seed) for r in steps]
    partitions = _levels(network, status, settings)
    numbered = [_community_ids(ids, labels, level) for level, labels in enumerate(partitions)]
    reports = make_reports(graph, taken.frame, counted, network, partitions, numbered, ids, n_evidence)
    params = {
        "resolution": steps, "min_size": min_size, "seed": seed, "method": method, "quality": quality,
        "iterations": iterations, "weights": weights, "polarity": None if polarity is None else sorted(polarity),
        "ignore_types": sorted(ignore_types),
    }  # fmt: skip
    frames = {
        "communities": _members(ids, partitions, numbered, status),
        "reports": reports,
        "outcomes": _outcomes(ids, status, params),
    }
    given = {name: give(frame, name, taken.backend) for name, frame in frames.items()}
    return Communities(**given, modularity=tuple(modularity(network, labels) for labels in partitions))


def _resolutions(resolution: float | Sequence[float], levels: int) -> list[float]:
    if not isinstance(levels, int) or levels < 1:
        msg = f"levels={levels!r} is out of range. Allowed: 1 or more."
        raise OptionError(msg)
    numbers = [resolution] if isinstance(resolution, (int, float, str)) else list(resolution)
    if not all(isinstance(number, (int, float)) for number in numbers):
        msg = f"resolution={resolution!r} cannot be used. Allowed: a number above 0, or a descending list of them."
        raise OptionError(msg)
    if isinstance(resolution, (int, float)):
        steps = [float(resolution) / 2**level for level in range(levels)]
    else:
        steps = [float(r) for r in resolution]
        if len(steps) != levels and levels != 1:
            msg = f"resolution has {len(steps)} numbers for levels={levels}; give one number, or one a level."
            raise OptionError(msg)
    if not steps or min(steps) <= 0 or steps != sorted(steps, reverse=True):
        msg = f"resolution={resolution!r} cannot be used. Allowed: a number above 0, or a descending list of them."
        raise OptionError(msg)
    return steps


def _check_numbers(*, min_size: int, seed: int, iterations: int, n_evidence: int, weights: str | None) -> None:
    for option, value, least in (("min_size", min_size, 1), ("n_evidence", n_evidence, 0)):
        if not isinstance(value, int) or value < least:
            msg = f"{option}={value!r} is out of range. Allowed: {least} or more."
            raise OptionError(msg)
    if not isinstance(seed, int) or not 0 <= seed < 2**31:
        msg = f"seed={seed!r} is out of range. Allowed: a whole number from 0 to 2,147,483,647."
        raise OptionError(msg)
    if iterations == 0:
        msg = "iterations=0 would do nothing. Allowed: 1 or more, or below 0 to go on until nothing improves."
        raise OptionError(msg)
    if weights not in _WEIGHTS:
        raise OptionError.not_one_of("weights", weights, _WEIGHTS)


def _take_relations(graph: Any, relations: Any) -> pl.DataFrame:
    if relations is None and not isinstance(getattr(graph, "frames", None), dict):
        msg = "detect_communities needs a graph, or an entities frame and relations=, a frame of relations."
        raise InputError(msg)
    return take(graph if relations is None else relations, "relations", require=["source_id", "target_id"]).frame


def _polarity(relations: pl.DataFrame) -> pl.Series:
    return relations["polarity"].fill_null("positive")


def _without(relations: pl.DataFrame, entities: pl.DataFrame, types: Collection[str]) -> pl.DataFrame:
    if isinstance(types, str):
        msg = f"ignore_types={types!r} is one text. Give a list of types, such as [{types!r}]; [] for none."
        raise OptionError(msg)
    ignored = entities.filter(pl.col("type").is_in(list(types)))["entity_id"].implode()
    if not len(ignored[0]):
        return relations
    return relations.filter(~pl.col("source_id").is_in(ignored), ~pl.col("target_id").is_in(ignored))


def _status(network: Network, min_size: int) -> Indices:
    """Mark each node: 0 grouped, 1 in a small component, 2 without a neighbour."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not network.n:
        return np.empty(0, np.int64)
    shape = (network.n, network.n)
    matrix = coo_array((np.ones(len(network.left), np.int8), (network.left, network.right)), shape=shape)
    component = connected_components(matrix, directed=False)[1]
    sizes = np.bincount(component)[component]
    return np.where(sizes == 1, 2, np.where(sizes < min_size, 1, 0))


def _levels(network: Network, status: Indices, settings: list[Settings]) -> list[Indices]:
    """Partition the nodes that have neighbours, level by level; the others keep communities of their own."""
    linked = np.flatnonzero(status != 2)
    place = np.cumsum(status != 2) - 1
    current = Network(len(linked), place[network.left], place[network.right], network.weight, network.sizes[linked])
    inner: Indices = np.arange(len(linked))
    labels = inner
    partitions: list[Indices] = []
    for level, step in enumerate(settings):
        if level:
            current = shrink(current, labels)
        labels = partition(current, step)
        inner = labels[inner]
        whole = np.empty(network.n, np.int64)
        whole[linked] = inner
        alone = np.flatnonzero(status == 2)
        n_groups = int(inner.max()) + 1 if len(inner) else 0
        whole[alone] = np.arange(n_groups, n_groups + len(alone))
        partitions.append(whole)
    return partitions


def _community_ids(ids: pl.Series, labels: Indices, level: int) -> pl.Series:
    """Make the id of each label's community out of its level and its members, in the order of the labels."""
    members = pl.DataFrame({"label": labels, "id": ids}).select("label", framed("id").alias("part"))
    joined = members.group_by("label", maintain_order=True).agg(pl.col("part").str.join("")).sort("label")
    return hash_framed("community", f"i{level}:" + joined["part"])


def _members(ids: pl.Series, partitions: list[Indices], numbered: list[pl.Series], status: Indices) -> pl.DataFrame:
    rows = []
    for level, (labels, names) in enumerate(zip(partitions, numbered, strict=True)):
        above = level + 1 < len(partitions)
        parent = numbered[level + 1].gather(partitions[level + 1]) if above else pl.repeat(None, len(ids), eager=True)
        frame = pl.DataFrame(
            {
                "level": pl.repeat(level, len(ids), dtype=pl.Int64, eager=True),
                "community_id": names.gather(labels),
                "entity_id": ids,
                "parent_id": parent.cast(pl.String),
                "size": np.bincount(labels)[labels] if len(labels) else [],
                "status": pl.Series(_STATUS[status], dtype=pl.String),
            }
        )
        rows.append(frame.sort("size", "community_id", "entity_id", descending=[True, False, False]))
    return tables.conform(pl.concat(rows), "communities")


def _outcomes(ids: pl.Series, status: Indices, params: dict[str, Any]) -> pl.DataFrame:
    alone = pl.Series(status == 2)
    rows = pl.DataFrame({"item_id": ids, "alone": alone}).select(
        "item_id",
        status=pl.when("alone").then(pl.lit("empty")).otherwise(pl.lit("ok")),
        reason=pl.when("alone").then(pl.lit("isolated")),
        detail=pl.when("alone").then(pl.lit("no counted relation to another entity")),
    )
    return outcomes_from("detect_communities", ids, rows, params=params)
