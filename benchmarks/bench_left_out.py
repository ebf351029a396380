"""propose_merges on sets that its weights were not fitted to: for each set they are fitted anew without it.

python benchmarks/bench_left_out.py                     all sets, two seeds
python benchmarks/bench_left_out.py abt_buy --seeds 1   only these
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from er_answers import in_processes, propose, simulate, spread
from er_sets import SETS, autofj, load

from kgkit.resolution.scoring import scored

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
from fit_merges import fit, measured

BUDGETS = (0, 50, 100, 200)
STEPS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)


@dataclass(frozen=True)
class Found:
    """What became of one set: a row of either table."""

    scores: str
    calibration: str


def run(task: tuple[str, int]) -> Found:
    """Fit without a set, and score it."""
    name, seeds = task
    names = [n for n in [*SETS, *autofj(), "nk_name_bench"] if n != name]
    table = fit([measured(load(n)) for n in names])
    scored.shipped_table = lambda: table
    gold = load(name)
    merges, _ = propose(gold)
    truth = np.array(
        [gold.clusters[a] == gold.clusters[b] for a, b in merges.merges.select("left_id", "right_id").rows()]
    )
    score = merges.merges["score"].to_numpy()
    strong = score >= merges.settings["automatic"]
    runs = [simulate(gold, merges, BUDGETS, seed=seed) for seed in range(seeds)]
    cells = [spread([one[n][1].f1 for one in runs]) for n in BUDGETS]
    automatic = f"{strong.sum():,} | {truth[strong].mean():.3f}" if strong.any() else "0 | "
    held = [(score >= low) & (score < high) for low, high in zip(STEPS, (*STEPS[1:-1], 1.01), strict=False)]
    shares = [f"{truth[rows].mean():.2f} ({rows.sum():,})" if rows.any() else "" for rows in held]
    return Found(f"| {name} | {' | '.join(cells)} | {automatic} |", f"| {name} | {' | '.join(shares)} |")


def lines(names: list[str], seeds: int) -> Iterator[str]:
    found = list(in_processes(run, [(name, seeds) for name in names]))
    yield f"| set | {' | '.join(f'{n} answers' for n in BUDGETS)} | automatic | right |"
    yield "|---" * (len(BUDGETS) + 3) + "|"
    yield from (one.scores for one in found)
    yield "\nShare of matches among proposals by score, without answers (and how many proposals):\n"
    yield f"| set | {' | '.join(f'{low}–{high}' for low, high in pairwise(STEPS))} |"
    yield "|---" * len(STEPS) + "|"
    yield from (one.calibration for one in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="all where none is named")
    parser.add_argument("--seeds", type=int, default=2)
    given = parser.parse_args()
    print("## propose_merges on sets that its weights have not seen\n")
    print(
        "For each set the weights are fitted anew on all others; then all is as by default. Pairwise F1 over groups, "
        f"answers simulated from gold: mean of {given.seeds} seeds, with the least and the most. `automatic`: "
        "proposals of .95 or more without answers, and the share of them that is right.\n"
    )
    for line in lines(given.sets or list(SETS), given.seeds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
