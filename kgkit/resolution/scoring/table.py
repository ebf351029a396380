"""The shipped table of weights: what each step of each measure adds to the log-odds that two records are one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from kgkit.resolution.scoring.bins import MEASURES

__all__ = ["Table", "read_table", "shipped_table"]

Reals = npt.NDArray[np.float64]
_START = "start"


@dataclass(frozen=True, eq=False)
class Table:
    """Weights in natural log-odds.

    Attributes:
        start: Log-odds of a candidate pair of which nothing is known.
        weights: For each of `MEASURES` one weight per step; step 0 weighs nothing.
    """

    start: float
    weights: tuple[Reals, ...]

    def score(self, steps: npt.NDArray[np.uint8]) -> Reals:
        """Add up the weights of pairs: one row of ``steps`` each."""
        total = np.full(len(steps), self.start)
        for i, weight in enumerate(self.weights):
            total += weight[steps[:, i]]
        return total

    def parts(self, steps: npt.NDArray[np.uint8]) -> Reals:
        """Give the weight of each measure of each pair; with ``start`` they add up to `score`."""
        return np.stack([weight[steps[:, i]] for i, weight in enumerate(self.weights)], axis=1)


def read_table(text: str) -> Table:
    """Read a table from its text: lines of measure, step and weight, parted by tabs; ``#`` begins a remark."""
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    found = {(measure, step): float(weight) for measure, step, weight in rows}
    weights = tuple(np.array([found[m.name, step] for step in m.steps]) for m in MEASURES)
    return Table(found[_START, ""], weights)


def write_table(table: Table, remarks: str) -> str:
    """Write a table as `read_table` reads it, with remarks above it."""
    lines = [f"# {line}".rstrip() for line in remarks.splitlines()]
    lines.append(f"{_START}\t\t{table.start:.3f}")
    for measure, weights in zip(MEASURES, table.weights, strict=True):
        lines.append(f"# {measure.says}")
        lines += [f"{measure.name}\t{step}\t{w:.3f}" for step, w in zip(measure.steps, weights, strict=True)]
    return "\n".join(lines) + "\n"


@cache
def shipped_table() -> Table:
    """Read the table that kgkit ships."""
    return read_table(files("kgkit").joinpath("resolution", "scoring", "weights.tsv").read_text("utf-8"))
