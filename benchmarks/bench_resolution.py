"""propose_merges on public sets with gold answers: without answers, and with answers simulated from gold.

python benchmarks/bench_resolution.py                     all sets, five seeds
python benchmarks/bench_resolution.py abt_buy --seeds 1   only these
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from er_answers import ROUND, in_processes, propose, simulate, spread
from er_sets import SETS, autofj, load

import kgkit as kg

BUDGETS = (0, 25, 50, 100, 200)
AIMS = {
    "fodors_zagat": ".96 / .99 at 50", "dblp_acm": ".955 / .99 at 100", "febrl3": ".997", "abt_buy": ".90 at 100",
    "amazon_google": ".60 at 200", "patstat": ".90 at 50", "synth_10k": ".80 / .92 at 100", "erkgbench": ".65",
}  # fmt: skip


@dataclass(frozen=True)
class Task:
    """One set, and the seeds to go through."""

    name: str
    seeds: int


def lines(names: list[str], seeds: int) -> Iterator[str]:
    yield f"| set | records | s | automatic: pairs, right | F1 at {' | '.join(map(str, BUDGETS))} answers | aim |"
    yield "|---" * (len(BUDGETS) + 5) + "|"
    yield from in_processes(line, [Task(name, seeds) for name in names])


def line(task: Task) -> str:
    gold = load(task.name)
    merges, seconds = propose(gold)
    strong = merges.automatic
    right = [gold.clusters[a] == gold.clusters[b] for a, b in strong.select("left_id", "right_id").iter_rows()]
    runs = [simulate(gold, merges, BUDGETS, seed=seed) for seed in range(task.seeds)]
    cells = [spread([run[n][1].f1 for run in runs]) for n in BUDGETS]
    share = f"{len(right):,}, {np.mean(right):.3f}" if right else "0"
    return (
        f"| {task.name} | {gold.records.height:,} | {seconds:.1f} | {share} | "
        f"{' | '.join(cells)} | {AIMS.get(task.name, '')} |"
    )


def joined() -> Iterator[str]:
    """AutoFJ: each right record with its best left one, where that is proposed."""
    yield "| AutoFJ set | precision | recall | F1 |"
    yield "|---|---|---|---|"
    rows = []
    for name in autofj():
        gold = load(name)
        merges = kg.propose_merges(gold.records, across=gold.across).merges
        best: dict[str, str] = {}
        for left, right in merges.select("left_id", "right_id").iter_rows():  # the most likely first
            one, two = sorted((left, right))  # left records are L0, L1, ..., right ones R0, R1, ...
            best.setdefault(two, one)
        right_ones = sum(gold.clusters[a] == gold.clusters[b] for b, a in best.items())
        there = {c for e, c in gold.clusters.items() if e.startswith("L")}
        wanted = sum(c in there for e, c in gold.clusters.items() if e.startswith("R"))
        precision, recall = right_ones / max(1, len(best)), right_ones / max(1, wanted)
        rows.append((precision, recall, 2 * precision * recall / max(1e-9, precision + recall)))
        yield f"| {name.removeprefix('autofj/')} | {precision:.3f} | {recall:.3f} | {rows[-1][2]:.3f} |"
    mean = np.mean(rows, axis=0)
    yield f"| mean | {mean[0]:.3f} | {mean[1]:.3f} | {mean[2]:.3f} |"


def labelled() -> Iterator[str]:
    """Sets of which only some pairs are labelled."""
    for name in ("nk_name_bench", "ftx_siftkg"):
        gold = load(name)
        merges = kg.propose_merges(gold.records)
        assert merges.scored is not None and gold.pairs is not None
        ids = merges.scored.prepared.records.frame["entity_id"].to_list()
        place = {entity: i for i, entity in enumerate(ids)}
        pairs = np.array([sorted((place[a], place[b])) for a, b, _ in gold.pairs])
        truth = np.array([t for *_, t in gold.pairs])
        odds = merges.scored.of_pairs(pairs[:, 0], pairs[:, 1]).log_odds
        hit, strong = odds >= 0, odds >= np.log(0.95 / 0.05)
        f1 = 2 * (hit & truth).sum() / (hit.sum() + truth.sum())
        known = set(zip(merges.scored.left.tolist(), merges.scored.right.tolist(), strict=True))
        met = [tuple(p) in known for p in pairs.tolist()]
        yield (
            f"- {name}: {len(truth)} labelled pairs, F1 {f1:.3f} at .5; {int((strong & truth).sum())} matches and "
            f"{int((strong & ~truth).sum())} others at .95 or more; {int((truth & met).sum())} of {int(truth.sum())} "
            "matches among the candidates."
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", help="all, and the sets without answers, where none is named")
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    print("## propose_merges\n")
    print(
        f"Default settings on all sets. Answers are simulated from gold, {ROUND} at a time, chosen by "
        f"`Merges.next_questions`; mean of {given.seeds} seeds, with the least and the most. F1 is pairwise over "
        "groups; of two lists only pairs across them count. Sets run two at a time, so seconds are those of a core "
        "that shares its memory.\n"
    )
    for shown in lines(given.sets or list(SETS), given.seeds):
        print(shown, flush=True)
    if not given.sets:
        print("\nWithout answers, each right record joined to its best left one:\n")
        print("\n".join(joined()))
        print()
        print("\n".join(labelled()))


if __name__ == "__main__":
    main()
