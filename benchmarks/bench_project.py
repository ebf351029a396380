"""A project of 2,000, 20,000 and 200,000 documents: opening, status, adding 100 documents, memory while extracting.

Each step runs in a process of its own. Keeping is measured, not finding: a regular expression stands in for the
extractor. The floor is the same tables written as plain Parquet files by polars, without versions, ledger or outcomes.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

SIZES = (2_000, 20_000, 200_000)
RECORDS_A_FILE = 1_000
ADDED = 100
NAME = re.compile(r"[A-Z][a-z]+ [A-Z][a-z]+")
TABLES = ("documents", "chunks", "mentions", "statements")
STEPS = ("read", "chunk", "extract", "build")


def texts(first: int, count: int) -> list[dict[str, str]]:
    """Documents of about 1,000 characters with 7 or 8 names out of 40,000."""
    made = []
    for number in range(first, first + count):
        chance = random.Random(number)
        sentences = []
        for _ in range(chance.choice((3, 4, 4, 4))):
            names = [f"{word(chance.randrange(200))} {word(chance.randrange(200))}" for _ in range(2)]
            filler = " ".join(word(chance.randrange(20_000)).lower() for _ in range(30))
            sentences.append(f"{names[0]} wrote to {names[1]} that {filler}.")
        made.append({"id": f"note-{number}", "text": " ".join(sentences)})
    return made


def word(number: int) -> str:
    letters = "bdfgklmnprstvz"
    parts = []
    for _ in range(3):
        parts.append(letters[number % 14] + "aeiou"[number // 14 % 5])
        number //= 70
    return "".join(parts).capitalize() + "n"


def write_files(folder: Path, first: int, count: int) -> None:
    folder.mkdir(exist_ok=True)
    for start in range(first, first + count, RECORDS_A_FILE):
        rows = texts(start, min(RECORDS_A_FILE, first + count - start))
        lines = "\n".join(json.dumps(row) for row in rows)
        (folder / f"notes-{start:07d}.jsonl").write_text(lines, encoding="utf-8")


def find_names(chunks: Any, **options: Any) -> Any:
    """Stand in for the extractor: two capitalised words are a name, neighbours are related."""
    from kgkit import tables
    from kgkit.extraction import Extraction
    from kgkit.results import outcomes_from

    mentions: list[tuple[Any, ...]] = []
    statements: list[tuple[Any, ...]] = []
    for doc_id, chunk_id, begin, text in chunks.select("doc_id", "chunk_id", "start", "text").iter_rows():
        found = [(m.start() + begin, m.end() + begin, m.group()) for m in NAME.finditer(text)]
        mentions += [(f"m{doc_id}{s}", doc_id, chunk_id, name, "PERSON", s, e, name) for s, e, name in found]
        for (s, _, left), (_, e, right) in pairwise(found):
            quote = text[s - begin : e - begin]
            statements.append((f"s{doc_id}{s}", doc_id, chunk_id, left, "write_to", right, s, e, quote))
    same = {"located": "exact", "origin": "bench"}
    columns = {
        "mentions": ["mention_id", "doc_id", "chunk_id", "name", "type", "start", "end", "quote"],
        "statements": ["statement_id", "doc_id", "chunk_id", "subject", "predicate", "object", "start", "end", "quote"],
    }
    frames = {
        "mentions": frame(mentions, columns["mentions"], same | {"attributes": "{}"}, tables),
        "statements": frame(statements, columns["statements"], same | {"polarity": "positive"}, tables),
    }
    done = chunks.select(item_id="chunk_id").with_columns(status=pl_lit("ok"))
    return Extraction(**frames, outcomes=outcomes_from("extract", chunks["chunk_id"], done))


def pl_lit(text: str) -> Any:
    import polars as pl

    return pl.lit(text)


def frame(rows: list[tuple[Any, ...]], columns: list[str], same: dict[str, str], tables: Any) -> Any:
    import polars as pl

    name = columns[0].removesuffix("_id") + "s"
    made = pl.DataFrame(rows, schema={c: tables.get(name).schema[c] for c in columns}, orient="row")
    return tables.conform(made.with_columns(**{c: pl.lit(v) for c, v in same.items()}), name).sort(
        "doc_id", "start", "end"
    )


def step(name: str, path: str, folder: str) -> None:
    """One step, in its own process; prints seconds and peak memory."""
    import polars as pl

    import kgkit as kg

    kg.extract = find_names  # type: ignore[assignment]
    kg.tables.empty("mentions")
    pl.DataFrame({"x": [1]}).write_parquet(os.devnull)
    since = time.perf_counter()
    if name == "floor":
        project = kg.Project(path)
        frames = {table: project.table(table) for table in TABLES}
        since = time.perf_counter()
        for table, rows in frames.items():
            rows.write_parquet(Path(path).parent / f"{table}.parquet")
    elif name == "read floor":
        for table in TABLES:
            pl.read_parquet(Path(path).parent / f"{table}.parquet")
    elif name == "read tables":
        project = kg.Project(path)
        since = time.perf_counter()
        for table in TABLES:
            project.table(table)
    elif name == "open":
        kg.Project(path)
    elif name == "status":
        project = kg.Project(path)
        since = time.perf_counter()
        project.status()
    elif name == "bare find":
        project = kg.Project(path)
        chunks = project.table("chunks")
        since = time.perf_counter()
        find_names(chunks)
    else:
        project = kg.Project(path)
        since = time.perf_counter()
        getattr(project, name)(*([folder] if name == "read" else []))
    seconds = time.perf_counter() - since
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def run(name: str, path: Path, folder: Path) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, __file__, name, str(path), str(folder)], stdout=subprocess.PIPE, text=True, check=True
    )
    seconds, memory = json.loads(done.stdout.splitlines()[-1])
    return seconds, memory


def best(name: str, path: Path, folder: Path, times: int = 3) -> float:
    return min(run(name, path, folder)[0] for _ in range(times))


def measure(size: int, scratch: Path) -> dict[str, Any]:
    folder, path = scratch / "docs", scratch / "p.kg"
    write_files(folder, 0, size)
    time.sleep(2.5)  # files that were written just now are read again, since they may still change
    told: dict[str, Any] = {}
    for name in STEPS:
        told[name], told[f"{name} MB"] = run(name, path, folder)
    told["bare find"], _ = run("bare find", path, folder)
    told["floor"] = best("floor", path, folder, 1)
    told["read floor"], told["read tables"] = (best(name, path, folder) for name in ("read floor", "read tables"))
    told["open"], told["status"] = best("open", path, folder), best("status", path, folder)
    write_files(folder, size, ADDED)
    for name in STEPS:
        told[f"add {name}"], _ = run(name, path, folder)
        if name == "read":
            told["stale status"] = best("status", path, folder)
    told["disk"] = sum(f.stat().st_size for f in path.rglob("*") if f.is_file()) / 1e6
    import kgkit as kg

    project = kg.Project(path)
    told["mentions"] = project.status().filter(project.status()["table"] == "mentions")["rows"][0]
    return told


def main(sizes: tuple[int, ...] = SIZES) -> None:
    rows = {}
    for size in sizes:
        scratch = Path(tempfile.mkdtemp(prefix="kgkit-bench-"))
        try:
            rows[size] = measure(size, scratch)
            print(size, rows[size], file=sys.stderr)
        finally:
            shutil.rmtree(scratch)
    tell(rows)


def tell(rows: dict[int, dict[str, Any]]) -> None:
    sizes = list(rows)

    def line(label: str, cell: Callable[[dict[str, Any]], str]) -> str:
        return f"| {label} | " + " | ".join(cell(rows[size]) for size in sizes) + " |"

    print("## Projects\n")
    print(__doc__.split("\n\n", 1)[1].strip().replace("\n", " "), "\n")
    print("| | " + " | ".join(f"{size:,} documents" for size in sizes) + " |")
    print("|---|" + "---|" * len(sizes))
    print(line("mentions", lambda r: f"{r['mentions']:,}"))
    print(line("open, s (aim: under 1)", lambda r: f"{r['open']:.2f}"))
    print(line("status, s (aim: under 2)", lambda r: f"{r['status']:.2f}"))
    print(line("status after 100 documents came, s", lambda r: f"{r['stale status']:.2f}"))
    for name in STEPS:
        print(line(f"{name} all, s", lambda r, name=name: f"{r[name]:.1f}"))
    print(line("the stand-in alone, without keeping, s", lambda r: f"{r['bare find']:.1f}"))
    print(line("plain Parquet: write the four tables once, s", lambda r: f"{r['floor']:.2f}"))
    print(line("read the four tables, s (plain Parquet)", lambda r: f"{r['read tables']:.2f} ({r['read floor']:.2f})"))
    for name in STEPS:
        print(line(f"add {ADDED} documents: {name}, s", lambda r, name=name: f"{r[f'add {name}']:.2f}"))
    print(line("peak memory while extracting, MB", lambda r: f"{r['extract MB']:.0f}"))
    print(line("peak memory while reading, MB", lambda r: f"{r['read MB']:.0f}"))
    print(line("peak memory while chunking, MB", lambda r: f"{r['chunk MB']:.0f}"))
    print(line("project on disk, MB", lambda r: f"{r['disk']:.0f}"))


if __name__ == "__main__":
    if len(sys.argv) > 3:
        step(*sys.argv[1:4])
    else:
        main(tuple(int(arg) for arg in sys.argv[1:]) or SIZES)
