"""What the notebook of the browser test works on."""

from __future__ import annotations

import random
from typing import Any

import polars as pl

import kgkit as kg

HOSTILE = ('<img src=x onerror="window.__kgkit_pwn=1">', "</script><script>window.__kgkit_pwn=2</script>")


def people(n: int) -> pl.DataFrame:
    names = [*HOSTILE, *(f"Person {i}" for i in range(n - 2))]
    return pl.DataFrame({"entity_id": [f"p{i:05}" for i in range(n)], "name": names, "type": ["PERSON"] * n})


def pairs(n: int, rows: int, seed: int = 0) -> pl.DataFrame:
    rng = random.Random(seed)
    found = {tuple(sorted(rng.sample(range(2, n), 2))): rng.random() for _ in range(rows)}
    found[(0, 1)] = 1.0
    data = [(f"p{a:05}", f"p{b:05}", score) for (a, b), score in found.items()]
    return pl.DataFrame(data, schema=["left_id", "right_id", "score"], orient="row")


class Stubborn:
    """A project that refuses to be written until it is told otherwise."""

    def __init__(self, path: str) -> None:
        self.project, self.broken = kg.Project(path), False

    def decide(self, *args: Any, **more: Any) -> Any:
        if self.broken:
            msg = "the ledger is read-only"
            raise OSError(msg)
        return self.project.decide(*args, **more)

    def decisions(self) -> Any:
        return self.project.decisions()
