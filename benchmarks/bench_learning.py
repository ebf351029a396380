"""What answers teach: F1 after some answers, in the order that `next_questions` chooses and in random order.

python benchmarks/bench_learning.py                               all sets, five seeds
python benchmarks/bench_learning.py abt_buy erkgbench --seeds 1   only these
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from bench_neighbours import meant_in_pioneers
from er_answers import ROUND, in_processes, propose, simulate, spread
from er_sets import SETS, Gold, load

from kgkit.resolution import Merges, propose_merges

BUDGETS = (0, 25, 50, 100, 200)
PIONEERS = "pioneers"
RESCORED = 25  # in random order nothing but the list to draw from depends on the scores, so they are made less often
HEAD = """## What answers teach

Answers are simulated from gold. *Chosen*: `Merges.next_questions`, as the review panel asks, {round} at a time, scored
anew after each {round}. *Random*: drawn from the proposals that the panel lists, which are those of probability .5 or
more, anew from the list that the answers left every {rescored} answers; where all of them are answered it ends, and
the number of answers stands with the figure. Both train the same model. Pairwise F1 over groups; mean of {seeds}
seeds, with the least and the most. `pioneers` is the sample corpus as the local extractor makes a graph of it, with
neighbours and sentences: the entities of which its gold tells. *Gain*: what 50 chosen answers and what 100 in random
order add.
"""


@dataclass(frozen=True)
class Task:
    """One set, and the seeds to go through."""

    name: str
    seeds: int


@dataclass(frozen=True)
class Learned:
    """The F1 of each seed after each number of answers; and how many answers there were where it was fewer."""

    name: str
    n_proposals: int
    chosen: dict[int, list[float]]
    drawn: dict[int, list[float]]
    fewer: dict[int, float]

    @property
    def gains(self) -> tuple[float, float]:
        """What 50 chosen answers and 100 in random order add, on average."""
        base = np.mean(self.chosen[0])
        return float(np.mean(self.chosen[50]) - base), float(np.mean(self.drawn[100]) - base)


def learned(task: Task) -> Learned:
    gold, merges = pioneers() if task.name == PIONEERS else of_set(task.name)
    asked = [simulate(gold, merges, BUDGETS, seed=seed) for seed in range(task.seeds)]
    random = [simulate(gold, merges, BUDGETS, order="random", step=RESCORED, seed=seed) for seed in range(task.seeds)]
    had = {n: float(np.mean([run[n][0] for run in random])) for n in BUDGETS}
    return Learned(
        task.name,
        merges.merges.height,
        {n: [run[n][1].f1 for run in asked] for n in BUDGETS},
        {n: [run[n][1].f1 for run in random] for n in BUDGETS},
        {n: count for n, count in had.items() if count < n},
    )


def of_set(name: str) -> tuple[Gold, Merges]:
    gold = load(name)
    return gold, propose(gold)[0]


def pioneers() -> tuple[Gold, Merges]:
    """The sample corpus as the local extractor makes a graph of it: the entities of which the gold tells."""
    graph, meant = meant_in_pioneers()
    known = graph.entities.filter(pl.col("entity_id").is_in(list(meant)))
    return Gold(PIONEERS, known, meant, None, None), propose_merges(replace(graph, entities=known))


def lines(names: list[str], seeds: int) -> Iterator[str]:
    yield f"| set | proposals | order | {' | '.join(map(str, BUDGETS))} answers | gain |"
    yield "|---" * (len(BUDGETS) + 4) + "|"
    better = []
    for one in in_processes(learned, [Task(name, seeds) for name in names]):
        yield from rows(one)
        better.append(one.gains[0] > one.gains[1])
    yield ""
    yield (
        f"On {sum(better)} of {len(better)} sets 50 chosen answers gain more than 100 in random order (aim: 5 of 7)."
    )


def rows(one: Learned) -> Iterator[str]:
    for order, found, gain in (("chosen", one.chosen, one.gains[0]), ("random", one.drawn, one.gains[1])):
        cells = [spread(found[n]) + (_had(one, n) if order == "random" else "") for n in BUDGETS]
        start = f"| {one.name} | {one.n_proposals:,} |" if order == "chosen" else "| | |"
        at = 50 if order == "chosen" else 100
        yield f"{start} {order} | {' | '.join(cells)} | {gain:+.3f} at {at} |"


def _had(one: Learned, n: int) -> str:
    return f", {one.fewer[n]:.0f} answers" if n in one.fewer else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=[*SETS, PIONEERS])
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    print(HEAD.format(round=ROUND, rescored=RESCORED, seeds=given.seeds))
    for line in lines(given.sets, given.seeds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
