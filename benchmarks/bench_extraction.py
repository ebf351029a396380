"""Mentions against gold, and words a second, beside the bare spaCy pipeline, in one run.

python benchmarks/bench_extraction.py            the tables of the benchmarks page
python benchmarks/bench_extraction.py SET ...    other sets of the same form, such as kept-back ones; no times
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

import kgkit as kg
from kgkit.extraction.local.spans import NAMES
from kgkit.extraction.run import TYPES
from kgkit.models.nlp import load_nlp, origin
from kgkit.parallel import count_cores

SHARED = Path(os.environ.get("KGKIT_SHARED", Path(__file__).resolve().parents[2] / "shared"))
SETS = ("redocred_dev", "conll04_train", "conll04_dev", "crossner_ai_test", "wnut17_test")
TERMS = {
    "crossner_ai_test": ("task", "field", "algorithm", "metrics"),
    "scierc_dev": ("Method", "Task", "Metric", "Material", "OtherScientificTerm"),
}
SPEED = (*SETS, "ftx")
DATES, NUMBERS = {"DATE", "TIME"}, {"MONEY", "PERCENT", "QUANTITY", "CARDINAL", "ORDINAL"}
COARSE = {
    "PERSON": "PER",
    "ORGANISATION": "ORG",
    "PLACE": "LOC",
    **dict.fromkeys(("GROUP", "PRODUCT", "WORK", "EVENT", "LAW"), "MISC"),
    **dict.fromkeys(("DATE", "DURATION"), "TIME"),
    "NUMBER": "NUM",
}
GOLD = {
    "PER": "per peop person researcher writer musicalartist politician scientist",
    "ORG": "org organisation organization university corporation group politicalparty band",
    "LOC": "loc location country",
}
GOLD_OF = {name: coarse for coarse, names in GOLD.items() for name in names.split()}
ALL_SIX = {"MISC", "TIME", "NUM"}  # counted only where a set has them under these very names


class GoldSet:
    """One set's chunks and gold mentions, with the coarse types that can be compared."""

    def __init__(self, name: str) -> None:
        folder = SHARED / "data" / "ie" / name
        documents = pl.read_ndjson(folder / "documents.jsonl", infer_schema_length=None)
        self.chunks = documents.select(
            chunk_id="id", doc_id="id", seq=0, start=0, end=pl.col("text").str.len_chars(), text="text"
        )
        gold = pl.read_ndjson(folder / "mentions.jsonl", infer_schema_length=None)
        self.gold = gold.rename({"doc": "doc_id", "text": "quote"})
        labels = self.gold["type"].unique().to_list()
        six = {label for label in labels if label in ALL_SIX} if "TIME" in labels else set()
        self.gold_types = {t: GOLD_OF.get(t.lower(), t) for t in labels if t.lower() in GOLD_OF or t in six}
        self.types = {k: v for k, v in COARSE.items() if v in self.gold_types.values()}

    def score(self, mentions: Any) -> pl.DataFrame:
        return kg.evaluate.mentions(mentions, self.gold, types=self.types, gold_types=self.gold_types)


def bare_mentions(chunks: pl.DataFrame) -> pl.DataFrame:
    rows = []
    for doc_id, doc in zip(chunks["doc_id"], load_nlp().pipe(chunks["text"], batch_size=64), strict=True):
        for ent in doc.ents:
            kind = NAMES.get(ent.label_) or ("DATE" if ent.label_ in DATES else "NUMBER")
            rows.append((doc_id, ent.start_char, ent.end_char, ent.text, kind))
    return pl.DataFrame(rows, schema=["doc_id", "start", "end", "quote", "type"], orient="row")


def figures(scores: pl.DataFrame) -> tuple[float, float, str]:
    typed, span = (scores.filter(pl.col("type").is_null(), measure=m)["f1"][0] or 0.0 for m in ("typed", "span"))
    each = dict(scores.filter(pl.col("type").is_not_null()).select("type", "f1").iter_rows())
    return typed, span, "/".join(f"{each.get(t) or 0:.2f}" for t in ("PER", "ORG", "LOC"))


def quality(names: tuple[str, ...]) -> None:
    print(f"Model: {origin()}. F1 by exact span; *typed* also needs the right one of the types that a set annotates.")
    print("*Default* is what `extract` keeps unless told otherwise: no numbers, no lengths of time.\n")
    print("| set | bare typed | bare span | typed | span | typed, default | bare PER/ORG/LOC | PER/ORG/LOC |")
    print("|---|---|---|---|---|---|---|---|")
    gains = []
    for name in names:
        gold = GoldSet(name)
        if not gold.gold_types:
            continue
        found = kg.extract(gold.chunks, types=TYPES).mentions
        bare = figures(gold.score(bare_mentions(gold.chunks)))
        ours = figures(gold.score(found))
        default = figures(gold.score(found.filter(~pl.col("type").is_in(["DURATION", "NUMBER"]))))
        gains.append(ours[0] - bare[0])
        row = f"{bare[0]:.3f} | {bare[1]:.3f} | **{ours[0]:.3f}** | **{ours[1]:.3f}** | {default[0]:.3f}"
        print(f"| {name} | {row} | {bare[2]} | {ours[2]} |", flush=True)
    print(f"\nTyped F1 over the bare model: {sum(gains) / len(gains):+.3f} on average, {min(gains):+.3f} at least.\n")


def terms() -> None:
    print("Technical terms (CONCEPT) by exact span, against what the sets annotate as tasks, methods and the like:\n")
    print("| set | found | precision | recall |\n|---|---|---|---|")
    for name, kinds in TERMS.items():
        gold = GoldSet(name)
        found = kg.extract(gold.chunks, types="CONCEPT")
        scores = kg.evaluate.mentions(found, gold.gold, types={"CONCEPT": "T"}, gold_types=dict.fromkeys(kinds, "T"))
        n, precision, recall = scores.select("n_found", "precision", "recall").row(0)
        print(f"| {name} | {n} | {precision or 0:.2f} | {recall or 0:.2f} |")


def timed(what: Callable[[], Any]) -> tuple[float, float]:
    cpu, wall = os.times(), time.perf_counter()
    what()
    used = os.times()
    spent = sum(used[i] - cpu[i] for i in range(4))  # user and system time, also of processes that have ended
    return time.perf_counter() - wall, spent


def speed() -> None:
    chunks = pl.concat([GoldSet(name).chunks for name in SPEED])
    texts, cores, nlp = chunks["text"].to_list(), count_cores(), load_nlp()
    words = sum(len(text.split()) for text in texts)
    runs: dict[str, Callable[[], Any]] = {
        "bare pipeline, 1 process": lambda: list(nlp.pipe(texts, batch_size=64)),
        "extract, 1 process": lambda: kg.extract(chunks, workers=1),
        f"bare pipeline, n_process={cores}": lambda: list(nlp.pipe(texts, batch_size=64, n_process=cores)),
        f"extract, {cores} processes": lambda: kg.extract(chunks, workers=cores),
    }
    print(
        f"\nSpeed on {words:,} words in {len(texts):,} texts of all sets; `extract` also finds the statements, and its"
    )
    print(
        "processes load the model anew (some seconds each), where those of the bare pipeline are copies of this one.\n"
    )
    print("| | words a second | words a CPU second |\n|---|---|---|")
    for label, run in runs.items():
        wall, cpu = timed(run)
        print(f"| {label} | {words / wall:,.0f} | {words / cpu:,.0f} |", flush=True)


def main(names: list[str]) -> None:
    print("## Extraction: mentions\n")
    quality(tuple(names) or SETS)
    if not names:
        terms()
        speed()


if __name__ == "__main__":
    main(sys.argv[1:])
