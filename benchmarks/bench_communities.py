"""detect_communities against the bare igraph call, and its four libraries against each other, on planted graphs."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

SIZES = {"1k": (300, 791, 11), "100k": (20_000, 92_476, 187), "1M": (200_000, 928_890, 1_834)}
METHODS = ("igraph", "leidenalg", "networkit", "graspologic")


def plant(n: int, n_edges: int, n_groups: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Plant groups of uneven size: 62 % of the edges lie inside a group. Returns the groups and the edges."""
    rng = np.random.default_rng(seed)
    group = np.sort(rng.choice(n_groups, n, p=_uneven(rng, n_groups)))
    first, count = np.searchsorted(group, group), np.bincount(group, minlength=n_groups)[group]
    edges = np.empty((0, 2), np.int64)
    while len(edges) < n_edges:
        left = rng.integers(0, n, 2 * n_edges)
        inside = rng.random(2 * n_edges) < 0.62
        within = first[left] + rng.integers(0, 1 << 40, 2 * n_edges) % count[left]
        right = np.where(inside, within, rng.integers(0, n, 2 * n_edges))
        pairs = np.column_stack([np.minimum(left, right), np.maximum(left, right)])
        edges = np.unique(np.vstack([edges, pairs[left != right]]), axis=0)
    edges = edges[np.sort(rng.choice(len(edges), n_edges, replace=False))]
    linked, renumbered = np.unique(edges, return_inverse=True)  # without the few nodes that got no edge
    return group[linked], renumbered.reshape(edges.shape)


def _uneven(rng: np.random.Generator, n_groups: int) -> np.ndarray:
    weights = rng.uniform(0.3, 1.7, n_groups)
    return weights / weights.sum()


def frames(n: int, edges: np.ndarray, seed: int = 0) -> tuple[pl.DataFrame, pl.DataFrame]:
    ids = pl.Series([f"entity_{i:020x}" for i in range(n)])
    order = np.random.default_rng(seed).permutation(len(edges))
    relations = pl.DataFrame(
        {
            "relation_id": [f"relation_{i:020x}" for i in range(len(edges))],
            "source_id": ids.gather(edges[order, 0]),
            "predicate": pl.repeat("know", len(edges), eager=True),
            "target_id": ids.gather(edges[order, 1]),
            "polarity": pl.repeat("positive", len(edges), eager=True),
            "weight": pl.repeat(1.0, len(edges), eager=True),
        }
    )
    return pl.DataFrame({"entity_id": ids, "name": ids}), relations


def bare(n: int, edges: np.ndarray) -> Any:
    """Partition with igraph alone: from an array of numbered edges to a membership."""
    import igraph

    graph = igraph.Graph(n, edges)
    igraph.set_random_number_generator(random.Random(0))
    return graph.community_leiden("modularity", weights=[1.0] * len(edges), n_iterations=2)


def best(run: Callable[[], Any], times: int) -> tuple[float, float, Any]:
    """Run several times; give the least wall and CPU seconds, and the last result."""
    walls, cpus, result = [], [], None
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        result = run()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return min(walls), min(cpus), result


def agreement(one: np.ndarray, two: np.ndarray) -> float:
    from sklearn.metrics import normalized_mutual_info_score

    return float(normalized_mutual_info_score(one, two))


def labels(result: Any) -> np.ndarray:
    rows = result.communities.filter(pl.col("level") == 0).sort("entity_id")
    return rows["community_id"].cast(pl.Categorical).to_physical().to_numpy()


def main() -> None:
    import kgkit as kg

    planted = {name: plant(*size) for name, size in SIZES.items()}
    for method in METHODS:  # imports are not what is measured
        kg.detect_communities(*frames(3, np.array([[0, 1], [1, 2]])), method=method)
    print("## detect_communities\n")
    print(
        "Graphs with planted groups, weights 1. *Bare* is igraph alone, from an array of numbered edges to a "
        "membership (two iterations, the same seed); *kgkit* goes from two frames with text ids, rows shuffled, to "
        "frames of communities, reports and outcomes. Least of several runs.\n"
    )
    print("| edges | bare s | kgkit s | overhead | bare CPU s | kgkit CPU s | overhead | same partition |")
    print("|---|---|---|---|---|---|---|---|")
    for name, (group, edges) in planted.items():
        n = len(group)
        entities, relations = frames(n, edges)
        times = 3 if n > 100_000 else 7
        wall, cpu, found = best(lambda n=n, edges=edges: bare(n, edges), times)
        own, own_cpu, result = best(lambda e=entities, r=relations: kg.detect_communities(e, r), times)
        same = agreement(np.array(found.membership), labels(result)) > 1 - 1e-9
        print(
            f"| {name} | {wall:.3f} | {own:.3f} | {own / wall - 1:.0%} | {cpu:.3f} | {own_cpu:.3f} "
            f"| {own_cpu / cpu - 1:.0%} | {'yes' if same else 'no'} |",
            flush=True,
        )
    print("\nThe four libraries, through `detect_communities`; NMI is agreement with the planted groups.\n")
    print("| edges | method | s | CPU s | communities | modularity | NMI |")
    print("|---|---|---|---|---|---|---|")
    for name, (group, edges) in planted.items():
        entities, relations = frames(len(group), edges)
        for method in METHODS:
            wall, cpu, result = best(lambda m=method, e=entities, r=relations: kg.detect_communities(e, r, method=m), 1)
            found = labels(result)
            quality = f"{len(np.unique(found)):,} | {result.modularity[0]:.4f} | {agreement(group, found):.3f}"
            print(f"| {name} | {method} | {wall:.2f} | {cpu:.2f} | {quality} |", flush=True)


if __name__ == "__main__":
    main()
