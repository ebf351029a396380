"""How long reviewing takes at 20,000 proposals, without a browser: opening, deciding, undoing, many at once.

python benchmarks/bench_review.py [NUMBER OF PROPOSALS]
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import polars as pl

import kgkit as kg


def timed(what: str, act: Callable[[], Any], times: int = 1) -> Any:
    spent, result = [], None
    for _ in range(times):
        start = time.perf_counter()
        result = act()
        spent.append(time.perf_counter() - start)
    print(f"{what:<44} {1000 * median(spent):9.1f} ms")
    return result


def proposals(n: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    rng = random.Random(0)
    people = pl.DataFrame({"entity_id": [f"p{i:06}" for i in range(n)], "name": [f"Person {i}" for i in range(n)]})
    pairs = {tuple(sorted(rng.sample(range(n), 2))): rng.random() for _ in range(n)}
    rows = [(f"p{a:06}", f"p{b:06}", score) for (a, b), score in pairs.items()]
    return people, pl.DataFrame(rows, schema=["left_id", "right_id", "score"], orient="row")


def main(n: int) -> None:
    people, pairs = proposals(n)
    with tempfile.TemporaryDirectory() as folder:
        project = kg.Project(Path(folder) / "p.kg")
        desk = timed(f"open {pairs.height:,} proposals", lambda: kg.review(pairs, people, project=project, learn=False))
        timed("decide, kept in a project, panel told", lambda: desk.decide(desk.upcoming(1)[0], "rejected"), 50)
        timed("undo one", desk.undo)
        timed("preview accepting at 0.95", lambda: desk.preview("accepted", at=0.95))
        done = timed("accept at 0.95", lambda: desk.decide_all("accepted", at=0.95))
        timed(f"undo these {done.n:,} in one step", desk.undo)
        timed("open again, with these decisions", lambda: kg.review(pairs, people, project=project, learn=False))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
