"""Time and memory of group_pairs on 10,000, 100,000 and 1,000,000 records with five pairs above 0 for each.

python benchmarks/bench_groups.py           the table
python benchmarks/bench_groups.py 100000    one row, in this process
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

import numpy as np

SIZES = (10_000, 100_000, 1_000_000)


def make_input(n: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Make records of things with 1 to 20 records each, and noisy log-odds for pairs of them.

    Nine in ten of the pairs within a thing are there; each record also has two pairs with strangers that look alike
    (log-odds around -1, so that a third of them is above 0) and two that do not.
    """
    rng = np.random.default_rng(seed)
    sizes = rng.geometric(0.17, n).clip(1, 20)
    thing = np.repeat(np.arange(n), sizes)[:n]
    starts = np.searchsorted(thing, thing)
    left, right = [], []
    for step in range(1, 20):
        one = np.flatnonzero(np.arange(n) - step >= starts)
        one = one[rng.random(len(one)) < 0.9]
        left.append(one - step)
        right.append(one)
    pairs = sum(map(len, left))
    odds = [rng.normal(4, 2, pairs)]
    for mean in (-1, -4):
        left.append(rng.integers(0, n, 2 * n))
        right.append((left[-1] + rng.integers(1, 2000, 2 * n)) % n)
        odds.append(rng.normal(mean, 2, 2 * n))
    order = rng.permutation(pairs + 4 * n)
    joined = (np.concatenate(part)[order] for part in (left, right, odds))
    return (thing, *joined)


def measure(n: int) -> dict[str, float]:
    from kgkit.resolution.groups import group_pairs

    group_pairs(*(100, *make_input(100)[1:]))  # imports are not what is measured
    thing, left, right, odds = make_input(n)
    wall, cpu = time.perf_counter(), time.process_time()
    groups = group_pairs(n, left, right, odds)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    both = np.unique(np.stack([thing, groups.labels]), axis=1, return_counts=True)[1]
    right_pairs, gold, found = (
        float((sizes * (sizes - 1) // 2).sum()) for sizes in (both, np.bincount(thing), np.bincount(groups.labels))
    )
    return {"wall": wall, "cpu": cpu, "gb": peak, "pairs": len(odds), "above": int((odds > 0).sum()),
            "groups": groups.table.height, "f1": 2 * right_pairs / (gold + found)}  # fmt: skip


def main() -> None:
    print("## group_pairs\n")
    print(
        "Made-up records and noisy log-odds (`make_input` in `benchmarks/bench_groups.py`), each size in a process of "
        "its own. The peak is that of the whole process, with the input. Pairwise F1 against the things they are of.\n"
    )
    print("| records | pairs | above 0 | groups of 2+ | F1 | s | CPU s | peak GB |")
    print("|---|---|---|---|---|---|---|---|")
    for n in SIZES:
        done = subprocess.run([sys.executable, __file__, str(n)], capture_output=True, text=True, check=True)
        row = json.loads(done.stdout)
        print(
            f"| {n:,} | {row['pairs']:,} | {row['above']:,} | {row['groups']:,} | {row['f1']:.3f} | {row['wall']:.1f} "
            f"| {row['cpu']:.1f} | {row['gb']:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(int(sys.argv[1]))))
    else:
        main()
