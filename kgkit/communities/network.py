"""Relations as an undirected weighted network in a canonical form, the same for any row order.

Nodes are numbered by the order of their ids. Parallel and opposite relations add up to one edge; each edge is
stored once, with the smaller number first, ordered. A loop (an edge from a node to itself) stands for what lies
inside a community when communities become the nodes of the next level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from kgkit.errors import InputError

Indices = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]

__all__ = ["Indices", "Network", "Weights", "add_up", "make_network", "modularity", "shrink"]


@dataclass(frozen=True)
class Network:
    """Edges ``left[i] - right[i]`` of ``weight[i]`` between ``n`` nodes that stand for ``sizes`` entities."""

    n: int
    left: Indices
    right: Indices
    weight: Weights
    sizes: Indices

    @property
    def strengths(self) -> Weights:
        """Sum of the weights at each node; a loop counts at both of its ends."""
        ends = np.bincount(self.left, self.weight, self.n) + np.bincount(self.right, self.weight, self.n)
        return ends.astype(np.float64)

    @property
    def total(self) -> float:
        """Sum of all weights."""
        return float(self.weight.sum())


def make_network(ids: pl.Series, relations: pl.DataFrame, weights: str | None) -> Network:
    """Number the ends of relations and add up what lies between two entities.

    Args:
        ids: All entity ids, sorted.
        relations: ``source_id``, ``target_id``, and the weights' column.
        weights: Column to add up, null counting 1; each relation counts 1 when it is ``None``.

    Returns:
        The network, without self-relations and without edges of no weight.

    Raises:
        InputError: An end is no entity, or a weight is negative or infinite.
    """
    left, right = _number(ids, relations["source_id"], relations["target_id"])
    if weights is None:
        weight: Weights = np.ones(relations.height)
    else:
        weight = relations[weights].cast(pl.Float64).fill_null(1.0).to_numpy()
    if not np.isfinite(weight).all() or (weight < 0).any():
        wrong = weight[~((weight >= 0) & np.isfinite(weight))][0]
        msg = f"The column {weights!r} holds {wrong}; weights are 0 or more, and finite."
        raise InputError(msg)
    keep = (left != right) & (weight > 0)
    if not keep.all():
        left, right, weight = left[keep], right[keep], weight[keep]
    return add_up(len(ids), left, right, weight, np.ones(len(ids), np.int64))


def _number(ids: pl.Series, sources: pl.Series, targets: pl.Series) -> tuple[Indices, Indices]:
    """Replace each end by its place among ``ids``."""
    places = pl.DataFrame({"id": ids}).with_row_index("place")
    ends = pl.DataFrame({"id": pl.concat([sources.alias("id"), targets.alias("id")])})
    found = ends.join(places, on="id", how="left", maintain_order="left")["place"]
    if found.null_count():
        lost = ends["id"].filter(found.is_null()).unique().sort()
        msg = (
            f"{len(lost):,} ends of relations are no entities, such as {', '.join(map(repr, lost.head(3)))}. "
            "Give entities and relations of the same graph."
        )
        raise InputError(msg)
    numbers = found.cast(pl.Int64).to_numpy()
    return numbers[: len(sources)], numbers[len(sources) :]


def add_up(n: int, left: Indices, right: Indices, weight: Weights, sizes: Indices) -> Network:
    """Make a network out of edges in any order and direction, any of them more than once."""
    low, high = np.minimum(left, right), np.maximum(left, right)
    key = low * n + high
    whole = bool((weight == np.rint(weight)).all())  # sums of whole numbers are exact in any order
    order = np.argsort(key) if whole else np.lexsort((weight, key))
    key, weight = key[order], weight[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    if len(first) < len(key):
        key, weight = key[first], np.add.reduceat(weight, first) if len(first) else weight
    return Network(n, key // n if n else key, key % n if n else key, weight.astype(np.float64), sizes)


def shrink(network: Network, labels: Indices) -> Network:
    """Make each community a node: edges between communities add up, those inside become loops."""
    n = int(labels.max()) + 1 if len(labels) else 0
    sizes = np.bincount(labels, network.sizes, n).astype(np.int64)
    return add_up(n, labels[network.left], labels[network.right], network.weight, sizes)


def modularity(network: Network, labels: Indices) -> float | None:
    """Compute Newman's modularity of a partition, at resolution 1; null when there is no edge."""
    if not network.total:
        return None
    inside = network.weight[labels[network.left] == labels[network.right]].sum() / network.total
    strengths = np.bincount(labels, network.strengths)
    return float(inside - np.square(strengths / (2 * network.total)).sum())
