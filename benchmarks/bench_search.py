"""Quality and speed of search and ask, as Markdown tables: ``python benchmarks/bench_search.py [--quick]``.

Needs the folder of public data sets beside the project (or KGKIT_SHARED). BM25 alone is bm25s with its defaults and
an English stemmer, installed with ``pip install bm25s``.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl

import kgkit as kg
from kgkit.retrieval import SearchIndex, build_index

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("KGKIT_SHARED", ROOT.parent / "shared")) / "data"
SETS = ("cranfield", "med", "scifact")


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def load(name: str) -> tuple[pl.DataFrame, dict[str, str], pl.DataFrame]:
    folder = SHARED / "ir" / name
    corpus = rows(folder / "corpus.jsonl")
    texts = [f"{d.get('title') or ''} {d['text']}".strip() for d in corpus]
    chunks = pl.DataFrame({"chunk_id": [d["id"] for d in corpus], "text": texts})
    queries = {q["id"]: q["text"] for q in rows(folder / "queries.jsonl")}
    judged = [line.split() for line in (folder / "qrels.tsv").read_text().splitlines()]
    relevant = pl.DataFrame(
        [(queries[j[0]], j[1], float(j[-1])) for j in judged if j[0] in queries],
        schema={"question": pl.String, "chunk_id": pl.String, "grade": pl.Float64},
        orient="row",
    )
    return chunks, queries, relevant


def ndcg(found: pl.DataFrame, relevant: pl.DataFrame) -> float:
    return kg.evaluate.hits(found, relevant)["value"][0]


def run(index: SearchIndex, questions: list[str]) -> tuple[pl.DataFrame, float]:
    started = time.perf_counter()
    found = [kg.search(q, index).hits for q in questions]
    return pl.concat(found), 1000 * (time.perf_counter() - started) / len(questions)


def run_bm25s(chunks: pl.DataFrame, questions: list[str]) -> pl.DataFrame:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    options = {"stopwords": "en", "stemmer": stemmer, "show_progress": False}
    retriever = bm25s.BM25(k1=1.5, b=0.75)
    retriever.index(bm25s.tokenize(chunks["text"].to_list(), **options), show_progress=False)
    ids = chunks["chunk_id"].to_list()
    found = []
    for question in questions:
        terms = bm25s.tokenize(question, return_ids=False, **options)[0]
        scores = retriever.get_scores(terms) if terms else []
        order = sorted(range(len(scores)), key=lambda i: -scores[i])[:10]
        found += [(question, rank, ids[i]) for rank, i in enumerate(order, start=1) if scores[i] > 0]
    return pl.DataFrame(found, schema=["question", "rank", "chunk_id"], orient="row")


def retrieval() -> Iterator[str]:
    yield "| set | chunks | bm25s | kgkit words | kgkit | vector weight | explained | index s | ms a question |"
    yield "|---|---|---|---|---|---|---|---|---|"
    totals = []
    for name in SETS:
        chunks, queries, relevant = load(name)
        questions = list(dict.fromkeys(queries.values()))
        build_index(chunks.head(20))  # what is imported once does not count
        started = time.perf_counter()
        index = build_index(chunks)
        seconds = time.perf_counter() - started
        words, _ = run(build_index(chunks, vectors=None), questions)
        found, ms = run(index, questions)
        values = [ndcg(f, relevant) for f in (run_bm25s(chunks, questions), words, found)]
        totals.append(values)
        shown = " | ".join(f"{v:.4f}" for v in values)
        yield (
            f"| {name} | {len(index):,} | {shown} | {index.vector_weight:.3f} | {index.explained:.3f} "
            f"| {seconds:.1f} | {ms:.1f} |"
        )
    means = [sum(column) / len(SETS) for column in zip(*totals, strict=True)]
    yield f"| mean | | {' | '.join(f'{m:.4f}' for m in means)} | | | | |"


def xquad() -> tuple[pl.DataFrame, list[dict]]:
    documents = rows(SHARED / "xquad_en" / "documents.jsonl")
    frame = pl.DataFrame({"chunk_id": [d["id"] for d in documents], "text": [d["text"] for d in documents]})
    return frame, rows(SHARED / "xquad_en" / "questions.jsonl")


def gold_of(questions: list[dict], answerable: bool) -> pl.DataFrame:
    found = [
        (q["question"], answerable, q["doc"], start, start + len(words))
        for q in questions
        for start, words in zip(q["starts"], q["answers"], strict=True)
    ]
    schema = {
        "question": pl.String,
        "answerable": pl.Boolean,
        "doc_id": pl.String,
        "start": pl.Int64,
        "end": pl.Int64,
    }
    return pl.DataFrame(found, schema=schema, orient="row")


def value(scores: pl.DataFrame, measure: str) -> str:
    return f"{scores.filter(pl.col('measure') == measure)['value'].item():.3f}"


def answering(step: int) -> Iterator[str]:
    frame, questions = xquad()
    questions = questions[::step]
    yield "| XQuAD, English | questions | answered | cited words hold the answer | first citation does | abstained |"
    yield "|---|---|---|---|---|---|"
    index = build_index(frame)
    started = time.perf_counter()
    found = [kg.ask(q["question"], index) for q in questions]
    ms = 1000 * (time.perf_counter() - started) / len(questions)
    scores = kg.evaluate.answers(found, gold_of(questions, True))
    shown = " | ".join(value(scores, m) for m in ("answered", "cited", "cited_first"))
    yield f"| all paragraphs there ({ms:.0f} ms a question) | {len(found)} | {shown} | |"
    for label, part in (("paragraph removed", str), ("article removed", lambda d: d.split("#")[0])):
        missed = []
        for gone in dict.fromkeys(part(q["doc"]) for q in questions):
            kept = frame.filter(pl.Series([part(d) != gone for d in frame["chunk_id"]]))
            without = build_index(kept)
            missed += [kg.ask(q["question"], without) for q in questions if part(q["doc"]) == gone]
        scores = kg.evaluate.answers(missed, gold_of(questions, False))
        yield f"| {label} | {len(missed)} | | | | {value(scores, 'abstained')} |"


def pioneers() -> Iterator[str]:
    folder = ROOT / "data" / "pioneers"
    documents = kg.read_documents(folder / "documents")
    ids = dict(documents.documents.select("source", "doc_id").iter_rows())
    gold = []
    for q in rows(folder / "gold" / "questions.jsonl"):
        spots = [(ids.get(e["source"]), e["start"], e["end"]) for e in q["evidence"]] or [(None, None, None)]
        gold += [(q["question"], q["answerable"], *spot) for spot in spots]
    schema = {
        "question": pl.String,
        "answerable": pl.Boolean,
        "doc_id": pl.String,
        "start": pl.Int64,
        "end": pl.Int64,
    }
    table = pl.DataFrame(gold, schema=schema, orient="row")
    index = build_index(kg.chunk_documents(documents))
    found = [kg.ask(q, index) for q in table["question"].unique(maintain_order=True)]
    scores = kg.evaluate.answers(found, table)
    yield "| data/pioneers | questions | value |"
    yield "|---|---|---|"
    for measure, n, share in scores.iter_rows():
        yield f"| {measure} | {n} | {share:.3f} |"


def main() -> None:
    print("## Search and answers\n")
    print("nDCG@10 of words alone (bm25s with its defaults, then kgkit's BM25) and of kgkit's default, which adds")
    print("latent semantics by the weight shown. The weights were set on these sets and XQuAD.\n")
    quick = "--quick" in sys.argv
    for part in (retrieval(), answering(10 if quick else 1), pioneers()):
        for line in part:
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
