"""Time and memory of build_graph on 10,000, 100,000 and 1,000,000 mentions and as many statements.

python benchmarks/bench_graph.py           the table
python benchmarks/bench_graph.py 100000    one row, in this process
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

import numpy as np
import polars as pl

SIZES = (10_000, 100_000, 1_000_000)
TYPES = np.array(["PERSON", "ORGANISATION", "PLACE", "CONCEPT"])


def make_input(n: int, seed: int = 0) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Make n mentions of about n/5 names, few of them often, and n statements between mentions of a document.

    A tenth of the names is in capitals, a tenth of the mentions has descriptions and attributes, and a fifth of the
    objects states no type.
    """
    rng = np.random.default_rng(seed)
    names = max(10, n // 5)
    docs = max(1, n // 50)
    who = (names * rng.random(n) ** 3).astype(int)
    doc = rng.integers(0, docs, n)
    capitals, rare = rng.random(n) < 0.1, rng.random(n) < 0.1
    text = [f"Name{i} Surname{i % 997}" for i in range(names)]
    mentions = pl.DataFrame(
        {
            "mention_id": [f"mention_{i:020x}" for i in range(n)],
            "doc_id": [f"doc_{d:020x}" for d in doc],
            "chunk_id": [f"chunk_{d:016x}{i % 5:04x}" for i, d in enumerate(doc)],
            "name": [text[i].upper() if up else text[i] for i, up in zip(who, capitals, strict=True)],
            "type": TYPES[who % 4].tolist(),
            "start": rng.integers(0, 5000, n),
            "located": pl.repeat("exact", n, eager=True),
            "description": [f"the one of kind {i % 7}" if r else None for i, r in enumerate(rare)],
            "attributes": [f'{{"year": {1900 + i % 5}}}' if r else "{}" for i, r in enumerate(rare)],
            "confidence": rng.random(n),
            "origin": pl.repeat("benchmark", n, eager=True),
        }
    )
    order = np.argsort(doc, kind="stable")
    subject = rng.integers(0, n, n)
    first, count = np.searchsorted(doc[order], doc[subject]), np.bincount(doc, minlength=docs)[doc[subject]]
    obj = order[first + rng.integers(0, 1 << 30, n) % count]
    untyped = rng.random(n) < 0.2
    statements = pl.DataFrame(
        {
            "statement_id": [f"statement_{i:020x}" for i in range(n)],
            "doc_id": mentions["doc_id"].gather(subject),
            "chunk_id": mentions["chunk_id"].gather(subject),
            "subject": mentions["name"].gather(subject),
            "subject_type": mentions["type"].gather(subject),
            "predicate": [f"predicate_{i}" for i in rng.integers(0, 50, n)],
            "object": mentions["name"].gather(obj),
            "object_type": pl.Series([None if u else TYPES[who[o] % 4] for u, o in zip(untyped, obj, strict=True)]),
            "polarity": pl.repeat("positive", n, eager=True),
            "located": pl.repeat("exact", n, eager=True),
            "confidence": rng.random(n),
            "origin": pl.repeat("benchmark", n, eager=True),
        }
    )
    return mentions, statements


def measure(n: int) -> dict[str, float]:
    import kgkit as kg

    kg.build_graph(*make_input(100))  # imports are not what is measured
    mentions, statements = make_input(n)
    wall, cpu = time.perf_counter(), time.process_time()
    graph = kg.build_graph(mentions, statements)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    counts = graph.counts
    assert counts["in"] == 2 * n
    return {"wall": wall, "cpu": cpu, "gb": peak, "entities": graph.entities.height,
            "relations": graph.relations.height, "skipped": counts["skipped"]}  # fmt: skip


def main() -> None:
    print("## build_graph\n")
    print(
        "Made-up mentions and statements (`make_input` in `benchmarks/bench_graph.py`), each size in a process of its "
        "own. The peak is that of the whole process, with the input and the libraries.\n"
    )
    print("| mentions + statements | entities | relations | s | CPU s | µs a row | peak GB |")
    print("|---|---|---|---|---|---|---|")
    for n in SIZES:
        done = subprocess.run([sys.executable, __file__, str(n)], capture_output=True, text=True, check=True)
        row = json.loads(done.stdout)
        print(
            f"| {n:,} + {n:,} | {row['entities']:,} | {row['relations']:,} | {row['wall']:.2f} | {row['cpu']:.2f} "
            f"| {row['wall'] / n / 2 * 1e6:.1f} | {row['gb']:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(int(sys.argv[1]))))
    else:
        main()
