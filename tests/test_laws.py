"""The laws, across all stages at once: counting, order, no mutation, dtypes, quotes, kinds of frames."""

from __future__ import annotations

import asyncio
import threading
from functools import cache
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import kgkit as kg
from kgkit import tables
from kgkit.frames import to_polars
from kgkit.results import STATUSES, Result

TEXTS = [
    "Grace Hopper worked at Remington Rand in Philadelphia. She did not found the Eckert-Mauchly Computer Corporation.",
    "Remington Rand bought the Eckert-Mauchly Computer Corporation in 1950. Grace Hopper wrote the A-0 compiler.",
    "Maurice Wilkes built the EDSAC at Cambridge. Maurice Wilkes would have joined IBM.",
    "IBM is based in New York. Thomas Watson led IBM. John von Neumann advised IBM.",
    "Ada Lovelace met Charles Babbage in London. Charles Babbage designed the Analytical Engine in London.",
    "",
    "Wer hat den Rechner gebaut? Konrad Zuse baute die Z3 in Berlin.",
    "\n \t ",
]
QUESTION = "Who wrote the A-0 compiler?"


def documents_frame() -> pl.DataFrame:
    return pl.DataFrame({"source": [f"{i}.txt" for i in range(len(TEXTS))], "text": TEXTS})


def run_all(frame: Any) -> dict[str, Result]:
    documents = kg.read_documents(frame)
    chunks = kg.chunk_documents(documents)
    found = kg.extract(chunks)
    graph = kg.build_graph(found)
    return {
        "documents": documents,
        "chunks": chunks,
        "found": found,
        "graph": graph,
        "communities": kg.detect_communities(graph),
        "hits": kg.search("compiler", chunks),
        "answer": kg.ask(QUESTION, chunks, graph=graph),
    }


@cache
def reference() -> dict[str, Result]:
    return run_all(documents_frame())


def all_frames(results: dict[str, Result]) -> dict[str, Any]:
    return {f"{stage}.{name}": frame for stage, r in results.items() for name, frame in r.frames.items()}


def assert_same(left: dict[str, Result], right: dict[str, Result]) -> None:
    ours, theirs = all_frames(left), all_frames(right)
    assert ours.keys() == theirs.keys()
    for name, frame in ours.items():
        expected = tables.conform(to_polars(theirs[name]), name.split(".")[1])
        assert_frame_equal(tables.conform(to_polars(frame), name.split(".")[1]), expected)


def test_there_is_something_in_every_table() -> None:
    sizes = {name: len(frame) for name, frame in all_frames(reference()).items()}
    assert min(sizes.values()) > 0, sizes


@pytest.mark.parametrize("stage", ["documents", "chunks", "found", "graph", "communities", "hits", "answer"])
def test_every_item_has_one_outcome(stage: str) -> None:
    result = reference()[stage]
    counts = result.counts
    assert counts["in"] == sum(counts[s] for s in STATUSES) == result.outcomes["item_id"].n_unique() > 0


def test_what_goes_in_comes_out_or_is_accounted_for() -> None:
    results = reference()
    assert results["documents"].counts["in"] == len(TEXTS)
    assert set(results["chunks"].outcomes["item_id"]) == set(results["documents"].frame["doc_id"])
    assert set(results["found"].outcomes["item_id"]) == set(results["chunks"].frame["chunk_id"])
    found = results["found"]
    ids = set(found.frames["mentions"]["mention_id"]) | set(found.frames["statements"]["statement_id"])
    assert set(results["graph"].outcomes["item_id"]) == ids
    assert set(results["communities"].outcomes["item_id"]) == set(results["graph"].frame["entity_id"])


def test_every_quote_is_verbatim() -> None:
    results = reference()
    texts = dict(results["documents"].frame.select("doc_id", "text").iter_rows())
    checked = 0
    for frame in (
        results["found"].frames["mentions"],
        results["found"].frames["statements"],
        results["answer"].frames["citations"],
    ):
        for doc_id, start, end, quote in frame.select("doc_id", "start", "end", "quote").iter_rows():
            assert texts[doc_id][start:end] == quote
            checked += 1
    for doc_id, start, end, text in results["chunks"].frame.select("doc_id", "start", "end", "text").iter_rows():
        assert texts[doc_id][start:end] == text
    assert checked > 20


def test_what_is_denied_or_supposed_says_so() -> None:
    statements = reference()["found"].frames["statements"]
    denied = statements.filter(pl.col("quote").str.contains("did not found"), pl.col("predicate").str.contains("found"))
    supposed = statements.filter(pl.col("quote").str.contains("would have joined"))
    assert set(denied["polarity"]) == {"negated"}
    assert set(supposed["polarity"]) == {"conditional"}


@settings(deadline=None, max_examples=5)
@given(st.permutations(range(len(TEXTS))))
def test_row_order_changes_nothing(order: list[int]) -> None:
    assert_same(run_all(documents_frame()[order]), reference())


@settings(deadline=None, max_examples=10)
@given(st.randoms(use_true_random=False))
def test_row_order_changes_nothing_between_stages(random: Any) -> None:
    def shuffled(frame: pl.DataFrame) -> pl.DataFrame:
        order = list(range(frame.height))
        random.shuffle(order)
        return frame[order]

    results = reference()
    found = results["found"].frames
    graph = kg.build_graph(shuffled(found["mentions"]), shuffled(found["statements"]))
    for name in ("entities", "relations", "evidence"):
        assert_frame_equal(graph.frames[name], results["graph"].frames[name])
    again = kg.detect_communities(shuffled(graph.entities), shuffled(graph.relations))
    assert_frame_equal(again.communities, results["communities"].frame)
    hits = kg.search("compiler", shuffled(results["chunks"].frame))
    assert_frame_equal(hits.hits, results["hits"].frame)


@pytest.mark.parametrize(
    ("kind", "make"), [(pd.DataFrame, lambda f: f.to_pandas()), (pa.Table, lambda f: f.to_arrow())]
)
def test_the_kind_of_frame_goes_through_all_stages(kind: type, make: Any) -> None:
    results = run_all(make(documents_frame()))
    wrong = [name for name, frame in all_frames(results).items() if not isinstance(frame, kind)]
    assert not wrong
    assert_same(results, reference())


def test_nothing_that_went_in_is_changed() -> None:
    frame = documents_frame().to_pandas()
    before = frame.copy(deep=True)
    documents = kg.read_documents(frame)
    pd.testing.assert_frame_equal(frame, before)
    snapshots = []
    for stage in (kg.chunk_documents, kg.extract, kg.build_graph, kg.detect_communities):
        snapshots.append((documents, {n: f.copy(deep=True) for n, f in documents.frames.items()}))
        documents = stage(documents)
    for result, frames in snapshots:
        for name, kept in frames.items():
            pd.testing.assert_frame_equal(result.frames[name], kept)


def test_empty_in_gives_empty_out_with_the_same_dtypes() -> None:
    results = run_all(documents_frame().clear())
    full = all_frames(reference())
    for name, frame in all_frames(results).items():
        if name.split(".")[1] not in ("outcomes", "answers"):
            assert frame.height == 0, name
        assert frame.schema == full[name].schema, name


def test_plain_functions_work_in_a_thread_and_under_asyncio() -> None:
    seen: list[dict[str, Result]] = []
    thread = threading.Thread(target=lambda: seen.append(run_all(documents_frame())))
    thread.start()
    thread.join()

    async def main() -> None:
        seen.append(run_all(documents_frame()))

    asyncio.run(main())
    for results in seen:
        assert_same(results, reference())
    assert len(seen) == 2
