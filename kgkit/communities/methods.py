"""The libraries that partition a network, behind one signature.

All take a `Network` in its canonical form and give one label per node. Leiden is the method of Traag, Waltman and
van Eck, "From Louvain to Leiden: guaranteeing well-connected communities", Scientific Reports 9 (2019) 5233.
Modularity's limit of resolution is that of Fortunato and Barthélemy, PNAS 104 (2007) 36.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from threading import Lock
from typing import Any

import numpy as np

from kgkit.communities.network import Indices, Network
from kgkit.errors import MissingExtraError, OptionError

__all__ = ["METHODS", "QUALITIES", "Settings", "check_quality", "partition"]

_LOCK = Lock()  # igraph and networkit have one generator a process
_PURPOSE = "detect_communities(method={!r})"


@dataclass(frozen=True)
class Settings:
    """How to partition: what to maximise, at which resolution, how often to go over it, and the seed."""

    method: str
    quality: str
    resolution: float
    iterations: int
    seed: int


def partition(network: Network, settings: Settings) -> Indices:
    """Partition a network; labels count from 0 in the order of each community's first node.

    Raises:
        MissingExtraError: The method's library is not installed.
    """
    if not len(network.left):
        return np.arange(network.n)
    labels = np.asarray(METHODS[settings.method](network, settings), dtype=np.int64)
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def check_quality(method: str, quality: str) -> None:
    """Raise unless a method can maximise a quality function.

    Raises:
        OptionError: One of them is unknown, or they do not go together.
    """
    if method not in METHODS:
        raise OptionError.not_one_of("method", method, METHODS)
    if quality not in QUALITIES[method]:
        option = f"method={method!r}, quality"
        raise OptionError.not_one_of(option, quality, QUALITIES[method])


def _igraph(network: Network, settings: Settings) -> Any:
    import igraph

    graph = igraph.Graph(network.n, np.column_stack([network.left, network.right]))
    # Modularity written as a Potts model: igraph's own form of it does not count loops, which levels need.
    modular = settings.quality == "modularity"
    nodes = network.strengths if modular else network.sizes
    scale = 1 / (2 * network.total) if modular else 1.0
    with _LOCK:
        igraph.set_random_number_generator(random.Random(settings.seed))
        try:
            found = graph.community_leiden(
                "CPM",
                weights=network.weight.tolist(),
                node_weights=nodes.tolist(),
                resolution=settings.resolution * scale,
                n_iterations=settings.iterations,
            )
        finally:
            igraph.set_random_number_generator(random)
    return found.membership


def _leidenalg(network: Network, settings: Settings) -> Any:
    igraph = import_module("igraph")
    leidenalg = _library("leidenalg", "leidenalg", settings.method)
    graph = igraph.Graph(network.n, np.column_stack([network.left, network.right]))
    options: dict[str, Any] = {"weights": network.weight.tolist()}
    if settings.quality in ("cpm", "rber"):
        options["node_sizes"] = network.sizes.tolist()
    if settings.quality in ("surprise", "significance"):
        options = {"weights": options["weights"]} if settings.quality == "surprise" else {}
        options["node_sizes"] = network.sizes.tolist()
    else:
        options["resolution_parameter"] = settings.resolution
    kind = getattr(leidenalg, _LEIDENALG[settings.quality])
    found = leidenalg.find_partition(graph, kind, n_iterations=settings.iterations, seed=settings.seed, **options)
    return found.membership


def _networkit(network: Network, settings: Settings) -> Any:
    networkit = _library("networkit", "permissive", settings.method)
    rounds = settings.iterations if settings.iterations > 0 else 100
    with _LOCK:
        threads = networkit.getMaxNumberOfThreads()
        networkit.setNumberOfThreads(1)  # with more, the result depends on their race
        networkit.setSeed(settings.seed, True)
        try:
            coo = (network.weight, (network.left, network.right))
            graph = networkit.GraphFromCoo(coo, n=network.n, weighted=True, directed=False)
            found = networkit.community.ParallelLeiden(graph, iterations=rounds, gamma=settings.resolution)
            found.run()
        finally:
            networkit.setNumberOfThreads(threads)
    return found.getPartition().getVector()


def _graspologic(network: Network, settings: Settings) -> Any:
    native = _library("graspologic_native", "permissive", settings.method)
    left, right = network.left.tolist(), network.right.tolist()
    # It does not count loops: a loop becomes a node of its own that hangs on nothing else.
    edges = [
        (str(a), f"loop{a}" if a == b else str(b), w)
        for a, b, w in zip(left, right, network.weight.tolist(), strict=True)
    ]
    _, found = native.leiden(
        edges,
        resolution=settings.resolution,
        iterations=settings.iterations if settings.iterations > 0 else 100,
        use_modularity=True,
        seed=settings.seed,
    )
    return [found.get(str(i), -1 - i) for i in range(network.n)]


def _library(name: str, extra: str, method: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError.for_extra(name, extra, _PURPOSE.format(method)) from error


_LEIDENALG = {
    "modularity": "RBConfigurationVertexPartition",  # modularity, with a resolution
    "cpm": "CPMVertexPartition",
    "rber": "RBERVertexPartition",
    "significance": "SignificanceVertexPartition",
    "surprise": "SurpriseVertexPartition",
}
METHODS: dict[str, Callable[[Network, Settings], Any]] = {
    "igraph": _igraph,
    "leidenalg": _leidenalg,
    "networkit": _networkit,
    "graspologic": _graspologic,
}
QUALITIES: dict[str, tuple[str, ...]] = {
    "igraph": ("modularity", "cpm"),
    "leidenalg": tuple(_LEIDENALG),
    "networkit": ("modularity",),
    "graspologic": ("modularity",),
}
