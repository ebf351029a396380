"""propose_merges on public sets with gold answers: without answers, and with answers simulated from gold.

python benchmarks/bench_resolution.py           all sets, five seeds
python benchmarks/bench_resolution.py abt_buy   only these
"""

from __future__ import annotations

import datetime as dt
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from er_sets import SETS, Gold, autofj, load

import kgkit as kg

BUDGETS = (0, 50, 100, 200)
SEEDS = 5
ROUND = 10
AIMS = {
    "fodors_zagat": ".96 / .99 at 50", "dblp_acm": ".955 / .99 at 100", "febrl3": ".997", "abt_buy": ".90 at 100",
    "amazon_google": ".60 at 200", "patstat": ".90 at 50", "synth_10k": ".80 / .92 at 100", "erkgbench": ".65",
}  # fmt: skip


@dataclass(frozen=True)
class Score:
    """Pairwise precision, recall and F1; of a set of two lists only pairs across them count."""

    precision: float
    recall: float
    f1: float


def score(gold: Gold, groups: pl.DataFrame) -> Score:
    ids = gold.records["entity_id"].to_list()
    place = {entity: i for i, entity in enumerate(ids)}
    found = np.arange(len(ids))
    for members in groups["members"].to_list():
        rows = [place[m] for m in members]
        found[rows] = min(rows)
    truth = np.unique([gold.clusters[e] for e in ids], return_inverse=True)[1]
    side = np.zeros(len(ids), int)
    if gold.across:
        side = gold.records[gold.across].rank("dense").to_numpy().astype(int)

    def pairs(labels: np.ndarray) -> int:
        if gold.across is None:
            return _within(labels)
        return _within(labels) - _within(labels * (side.max() + 1) + side)

    both = pairs(truth.astype(np.int64) * len(ids) + found)
    precision, recall = both / max(1, pairs(found)), both / max(1, pairs(truth))
    return Score(precision, recall, 2 * precision * recall / max(1e-9, precision + recall))


def _within(labels: np.ndarray) -> int:
    sizes = np.unique(labels, return_counts=True)[1].astype(np.int64)
    return int((sizes * (sizes - 1) // 2).sum())


def answer(gold: Gold, questions: pl.DataFrame, answers: list[dict[str, object]]) -> None:
    """Decide as a reviewer who knows the gold."""
    for merge_id, left, right in questions.select("merge_id", "left_id", "right_id").iter_rows():
        same = gold.clusters[left] == gold.clusters[right]
        answers.append(
            {
                "decision_id": f"d{len(answers):06d}",
                "kind": "merge",
                "subject_id": merge_id,
                "verdict": "accepted" if same else "rejected",
                "payload": json.dumps({"entity_ids": [left, right], "apart": []}),
                "reviewer": "gold",
                "note": None,
                "decided_at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=len(answers)),
            }
        )


def decided(answers: list[dict[str, object]]) -> pl.DataFrame | None:
    return pl.DataFrame(answers, schema_overrides={"note": pl.String}) if answers else None


def reviewed(gold: Gold, first: kg.resolution.Merges, seed: int) -> dict[int, Score]:
    """Ask, answer and score anew until the largest budget is spent."""
    merges, answers, found = first, [], {}
    for n in range(0, max(BUDGETS) + 1, ROUND):
        if n in BUDGETS:
            found[n] = score(gold, merges.groups)
        if n == max(BUDGETS):
            break
        answer(gold, merges.next_questions(ROUND, decisions=decided(answers), seed=seed), answers)
        merges = merges.rescore(decided(answers))
    return found


def lines(names: list[str]) -> Iterator[str]:
    yield "| set | records | s | automatic: pairs, right | F1 at 0 answers | 50 | 100 | 200 | aim |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name in names:
        gold = load(name)
        since = time.perf_counter()
        merges = kg.propose_merges(gold.records, across=gold.across)
        seconds = time.perf_counter() - since
        strong = merges.automatic
        right = [gold.clusters[a] == gold.clusters[b] for a, b in strong.select("left_id", "right_id").iter_rows()]
        runs = [reviewed(gold, merges, seed) for seed in range(SEEDS)]
        cells = [_spread([run[n].f1 for run in runs]) for n in BUDGETS]
        share = f"{len(right):,}, {np.mean(right):.3f}" if right else "0"
        yield (
            f"| {name} | {gold.records.height:,} | {seconds:.1f} | {share} | "
            f"{' | '.join(cells)} | {AIMS.get(name, '')} |"
        )


def _spread(values: list[float]) -> str:
    mean, low, high = np.mean(values), min(values), max(values)
    return f"{mean:.3f}" if high - low < 0.0005 else f"{mean:.3f} ({low:.3f}–{high:.3f})"


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
    names = sys.argv[1:]
    print("## propose_merges\n")
    print(
        f"Default settings on all sets. Answers are simulated from gold, {ROUND} at a time, chosen by "
        f"`Merges.next_questions`; mean of {SEEDS} seeds, with the least and the most. F1 is pairwise over groups; of "
        "two lists only pairs across them count.\n"
    )
    for line in lines(names or list(SETS)):
        print(line, flush=True)
    if not names:
        print("\nWithout answers, each right record joined to its best left one:\n")
        print("\n".join(joined()))
        print()
        print("\n".join(labelled()))


if __name__ == "__main__":
    main()
