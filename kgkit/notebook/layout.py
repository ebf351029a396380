"""Positions for the nodes of a graph: the same graph gives the same picture, in any row order.

Each connected component is laid out by itself, by the stress model of Kamada and Kawai (1989), in which distances in
the picture follow distances in the graph. Large components are laid out in two steps, which is both faster and
clearer: every group of nodes becomes a disc, the discs are arranged by the links between them, and the members are
arranged inside, with the forces of Fruchterman and Reingold (1991). Both are igraph's implementations. The largest
component comes first; smaller ones and then single nodes stand beside it in columns.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SPACING", "Points", "layout_nodes", "place_again"]

Points = NDArray[np.float64]
Indices = NDArray[np.int64]

SPACING = 40.0  # world units between neighbours
_WHOLE = 700  # components up to this size are laid out in one step
_MOST_GROUPS = 600  # more discs than this are not arranged one by one
_WIDER = 1.35  # width by height, as screens are


def layout_nodes(
    n_nodes: int,
    sources: Indices,
    targets: Indices,
    *,
    groups: Indices | None = None,
    seed: int = 0,
) -> Points:
    """Place ``n_nodes`` nodes in the plane.

    Args:
        n_nodes: Number of nodes; nodes are ``0 .. n_nodes - 1``.
        sources: One end of each edge, int64, shape ``(m,)``.
        targets: The other end, int64, shape ``(m,)``. Loops and repeated edges are allowed.
        groups: A group number per node, int64, shape ``(n_nodes,)``; negative means none. Members of one group are
            drawn together. Where left out, large components are split by igraph's Leiden method, for placing only.
        seed: Seed of everything random.

    Returns:
        Coordinates, float64, shape ``(n_nodes, 2)``, centred on the origin.

    Examples:
        >>> import numpy as np
        >>> layout_nodes(3, np.array([0, 1]), np.array([1, 2])).shape
        (3, 2)
    """
    if not n_nodes:
        return np.zeros((0, 2))
    import igraph

    graph = igraph.Graph(n_nodes, np.column_stack([sources, targets]).tolist())
    graph.simplify()
    with _seeded(seed):
        start = np.random.default_rng(seed).normal(size=(n_nodes, 2))
        parts = sorted(graph.connected_components(), key=lambda part: (-len(part), part[0]))
        placed = [_place_component(graph, np.asarray(part), groups, start) for part in parts]
    points = np.zeros((n_nodes, 2))
    for part, local, centre in zip(parts, placed, _columns(placed), strict=True):
        points[part] = local + centre
    low, high = points.min(axis=0), points.max(axis=0)
    return np.asarray((points - (low + high) / 2) * SPACING)


def place_again(known: dict[str, Points], ids: list[str], sources: Indices, targets: Indices) -> Points:
    """Place the nodes of a graph that changed: those known where they were, new ones beside their neighbours.

    Args:
        known: Places by id.
        ids: The ids of all nodes, in order.
        sources: One end of each edge, as for `layout_nodes`.
        targets: The other end.

    Returns:
        Coordinates, float64, shape ``(len(ids), 2)``.
    """
    points = np.array([known.get(i, (np.nan, np.nan)) for i in ids]).reshape(-1, 2)
    new = np.flatnonzero(np.isnan(points[:, 0]))
    low = np.nanmax(points, axis=0) if len(new) < len(ids) else np.zeros(2)
    for number, row in enumerate(new.tolist()):
        near = np.concatenate([targets[sources == row], sources[targets == row]])
        near = near[~np.isnan(points[near, 0])]
        turn = 2.4 * number  # the golden angle: no two beside the same neighbour are in one place
        away = 0.8 * SPACING * np.array([np.cos(turn), np.sin(turn)])
        points[row] = (points[near].mean(axis=0) if len(near) else low + SPACING) + away
    return points


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Give igraph a generator of its own, and then the one that it had by default."""
    import igraph

    igraph.set_random_number_generator(random.Random(seed))
    try:
        yield
    finally:
        igraph.set_random_number_generator(random)


def _place_component(graph: Any, part: Indices, groups: Indices | None, start: Points) -> Points:
    if len(part) == 1:
        return np.zeros((1, 2))
    if len(part) == 2:
        return np.array([[-0.6, 0.0], [0.6, 0.0]])
    inner = graph.induced_subgraph(part)
    given = None if groups is None else groups[part]
    if len(part) <= _WHOLE:
        return _level(_separate(_stress(inner, start[part], _labels(inner, None) if given is None else given)))
    labels = _labels(inner, given)
    if labels is None:
        return _level(_springs(inner, start[part] * len(part) ** 0.5))
    return _level(_discs(inner, labels, start[part]))


def _stress(graph: Any, start: Points, groups: Indices | None) -> Points:
    """Lay out by distances; edges within a group are shorter, so that groups can be told apart."""
    lengths = None
    if groups is not None and graph.ecount():
        ends = np.asarray(graph.get_edgelist())
        same = (groups[ends[:, 0]] == groups[ends[:, 1]]) & (groups[ends[:, 0]] >= 0)
        lengths = np.where(same, 0.85, 1.3).tolist()
    where = graph.layout_kamada_kawai(seed=start.tolist(), maxiter=50 * graph.vcount(), weights=lengths)
    return _scaled(np.asarray(where.coords))


def _springs(graph: Any, start: Points) -> Points:
    """Lay out a large graph that falls into no groups."""
    where = graph.layout_fruchterman_reingold(seed=start.tolist(), niter=120, grid="grid")
    return _scaled(np.asarray(where.coords))


def _scaled(points: Points) -> Points:
    """Centre points, and make the usual distance to the nearest other point about one."""
    return np.asarray((points - points.mean(axis=0)) * min(1.15 / _typical_gap(points), 2.5))


def _typical_gap(points: Points) -> float:
    """Median distance to the nearest other point."""
    from scipy.spatial import cKDTree

    nearest = cKDTree(points).query(points, k=2)[0][:, 1]
    return max(float(np.median(nearest)), 1e-6)


def _separate(points: Points, *, gap: float = 0.75, rounds: int = 40) -> Points:
    """Push points apart that lie closer than ``gap``."""
    from scipy.spatial import cKDTree

    points = points.copy()
    for _ in range(rounds):
        pairs = cKDTree(points).query_pairs(gap, output_type="ndarray")
        if not len(pairs):
            break
        step = points[pairs[:, 0]] - points[pairs[:, 1]]
        length = np.linalg.norm(step, axis=1, keepdims=True)
        step = np.where(length > 1e-9, step / np.maximum(length, 1e-9), [[1.0, 0.0]])
        move = step * (gap - length) * 0.4
        np.add.at(points, pairs[:, 0], move)
        np.add.at(points, pairs[:, 1], -move)
    return points


def _labels(graph: Any, given: Indices | None) -> Indices | None:
    """Number the groups that become discs: those given, or found ones; ``None`` where there are too many."""
    if given is not None and (given >= 0).all():
        labels = np.unique(given, return_inverse=True)[1]
        if 1 < labels.max() + 1 <= _MOST_GROUPS:
            return labels.astype(np.int64)
    found = graph.community_leiden(objective_function="modularity", n_iterations=2)
    return np.asarray(found.membership) if 1 < len(found) <= _MOST_GROUPS else None


def _discs(graph: Any, labels: Indices, start: Points) -> Points:
    sizes = np.bincount(labels)
    radii = 0.62 * np.sqrt(sizes) + 0.6
    order = np.argsort(labels, kind="stable")
    members = np.split(order, np.cumsum(sizes)[:-1])
    centres = _arrange(graph, labels, radii, start)
    points = np.zeros((len(labels), 2))
    for number, part in enumerate(members):
        points[part] = _inside(graph, part, radii[number], start) + centres[number]
    return points


def _inside(graph: Any, part: Indices, radius: float, start: Points) -> Points:
    """Lay out one group within a disc."""
    if len(part) == 1:
        return np.zeros((1, 2))
    inner = graph.induced_subgraph(part)
    grid = "grid" if len(part) > 150 else "nogrid"
    rounds = 150 if len(part) <= 30 else 50
    where = inner.layout_fruchterman_reingold(seed=start[part].tolist(), niter=rounds, grid=grid)
    points = np.asarray(where.coords)
    points -= np.median(points, axis=0)
    away = np.hypot(*points.T)
    rank = np.argsort(np.argsort(away, kind="stable"), kind="stable")
    even = radius * np.sqrt((rank + 0.5) / len(part))  # keep the directions; fill the disc evenly
    turn = np.arctan2(points[:, 1], points[:, 0])
    return np.column_stack([np.cos(turn), np.sin(turn)]) * even[:, None]


def _arrange(graph: Any, labels: Indices, radii: Points, start: Points) -> Points:
    """Arrange discs by the links between them, without overlap."""
    import igraph

    count = len(radii)
    ends = np.sort(labels[np.asarray(graph.get_edgelist())], axis=1)
    ends = ends[ends[:, 0] != ends[:, 1]]
    pairs, times = np.unique(ends, axis=0, return_counts=True)
    quotient = igraph.Graph(count, pairs.tolist())
    weights = np.log1p(times).tolist()
    where = quotient.layout_fruchterman_reingold(seed=start[:count].tolist(), niter=400, weights=weights, grid="nogrid")
    centres = np.asarray(where.coords)
    centres -= centres.mean(axis=0)
    spread = np.sqrt((centres**2).sum(axis=1).mean()) or 1.0
    centres *= np.sqrt((radii**2).sum()) / spread * 0.8
    return _push_apart(centres, radii * 1.08 + 0.4)


def _push_apart(centres: Points, radii: Points, *, rounds: int = 80) -> Points:
    from scipy.spatial import cKDTree

    reach = 2 * float(radii.max())
    for _ in range(rounds):
        pairs = cKDTree(centres).query_pairs(reach, output_type="ndarray")
        step = centres[pairs[:, 0]] - centres[pairs[:, 1]]
        length = np.sqrt((step**2).sum(axis=1)) + 1e-9
        overlap = radii[pairs].sum(axis=1) - length
        if overlap.max(initial=0.0) < 0.05:
            break
        hit = overlap > 0
        move = step[hit] * (overlap[hit] / length[hit] * 0.45)[:, None]
        centres = centres.copy()
        np.add.at(centres, pairs[hit, 0], move)
        np.add.at(centres, pairs[hit, 1], -move)
    return centres


def _level(points: Points) -> Points:
    """Turn the longest direction level; the same turn for mirrored input rows, since it depends on points alone."""
    points = points - points.mean(axis=0)
    axes = np.linalg.svd(points, full_matrices=False)[2]
    axes *= np.where(axes[np.arange(2), np.abs(axes).argmax(axis=1)] < 0, -1.0, 1.0)[:, None]
    return np.asarray(points @ axes.T)


def _columns(parts: list[Points]) -> Points:
    """Give each part a centre: the first at the left, the others beside it in columns, largest first."""
    centres = np.zeros((len(parts), 2))
    boxes = np.array([np.abs(part).max(axis=0) * 2 for part in parts])
    names = 2.6 if len(parts) <= 60 else 1.0  # room for names beside a few single nodes
    boxes += [names, 1.0]
    area = float((boxes[1:, 0] * boxes[1:, 1]).sum())
    height = max(boxes[0, 1], (area / _WIDER) ** 0.5)
    at, left = 1, boxes[0, 0] / 2 + 2.0
    while at < len(parts):
        column = [at]
        while column[-1] + 1 < len(parts) and boxes[at : column[-1] + 2, 1].sum() <= height:
            column.append(column[-1] + 1)
        width, y = boxes[column, 0].max(), -boxes[column, 1].sum() / 2
        for number in column:
            centres[number] = left + width / 2, y + boxes[number, 1] / 2
            y += boxes[number, 1]
        left += width
        at = column[-1] + 1
    return centres
