"""search: any string in any script, no hit without a reason, the same order always."""

from __future__ import annotations

import importlib
import inspect
import json
import random
from dataclasses import replace

import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import kgkit as kg
from kgkit import tables
from kgkit.errors import FrameTypeError, OptionError, SchemaError
from kgkit.retrieval import build_index, fuse
from kgkit.retrieval.vectors import build_latent

TEXTS = {
    "a": "The ferry to Northwick leaves at noon. Mira Solen steers it.",
    "b": "Calder Works fires its kiln twice a week.",
    "c": "The kiln was built by Odd Varga, who later bought the ferry.",
    "d": "Überholverbot für die straße am Hafen.",
    "e": "",
}


def frame_of(texts: dict[str, str]) -> pl.DataFrame:
    return pl.DataFrame({"chunk_id": list(texts), "text": list(texts.values())})


@pytest.fixture(scope="module")
def index():
    return build_index(frame_of(TEXTS))


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("港", "m1"),
        ("등대", "m2"),
        ("паром", "m3"),
        ("strasse", "m5"),
        ("overtimeledger", "m4"),
        ("HCA060T", "m4"),
        ("to be or not to be", "m6"),
        ("항", "m2"),
        ("overtime ledger", "m4"),
        ("ＨＣＡ０６０Ｔ", "m4"),
    ],
)
def test_every_script_and_identifier_finds_its_chunk(shared, question, first):
    lines = (shared / "cases" / "multilingual_chunks.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    hits = kg.search(question, frame_of({r["id"]: r["text"] for r in rows})).hits
    assert hits["chunk_id"][0] == first
    assert hits["score"].min() > 0


def test_no_match_is_an_empty_frame_and_an_empty_outcome(index):
    found = kg.search("zzz", index)
    assert found.hits.equals(tables.empty("hits"))
    assert found.counts == {"in": 1, "ok": 0, "empty": 1, "failed": 0, "skipped": 0}
    assert found.outcomes["reason"].to_list() == ["no_hits"]


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=60))
@example("")
@example("***")
@example("a\0b")
@example('"; DROP TABLE chunks; -- AND OR NOT NEAR/3 (kiln* [a-z]+ \\')
@example("kiln " * 2000)
@example("\ud800 kiln")
def test_any_string_is_a_question(index, question):
    found = kg.search(question, index, k=3)
    hits = found.hits
    assert hits.height <= 3
    assert hits.schema == tables.empty("hits").schema
    assert hits["rank"].to_list() == list(range(1, hits.height + 1))
    assert all(0 < score <= 1 for score in hits["score"])
    assert found.counts["in"] == 1


def test_stop_words_alone_bring_no_hit_beside_real_words(index):
    assert kg.search("what is the capital of France?", index).hits.height == 0
    assert set(kg.search("the kiln", index).hits["chunk_id"]) == {"b", "c"}


def test_written_as_asked_ranks_first():
    texts = {"a": "The resume lies here.", "b": "The résumé lies here.", "c": "The resumes lie here."}
    for question, first in (("résumé", "b"), ("resume", "a"), ("resumes", "c")):
        hits = kg.search(question, frame_of(texts)).hits
        assert hits["chunk_id"][0] == first
        assert hits.height >= 2


def test_a_misspelt_word_is_found_and_said(index):
    found = kg.search("Northwck", index)
    assert found.hits["chunk_id"].to_list() == ["a"]
    assert found.outcomes["notes"][0].to_list() == ["spelling: northwck stands nowhere; northwick was looked for"]


def test_row_order_changes_nothing_and_ties_go_by_id():
    texts = {f"c{i}": "The same words stand here." for i in range(9)} | {"z": "Other words, of the kiln and the ferry."}
    frame = frame_of(texts)
    hits = [
        kg.search("same words", f).hits
        for f in (frame, frame.reverse(), frame.sample(fraction=1, shuffle=True, seed=3))
    ]
    assert hits[0].equals(hits[1])
    assert hits[0].equals(hits[2])
    assert hits[0]["chunk_id"].to_list()[:9] == sorted(texts)[:9]


def test_vectors_find_what_shares_no_word():
    rng = random.Random(0)
    words = {topic: [f"{topic}word{letter}" for letter in "abcdefghijklmnopqrst"] for topic in ("sea", "oven")}
    texts = {f"{topic}{i:02}": " ".join(rng.sample(words[topic], 8)) for topic in words for i in range(40)}
    index = build_index(frame_of(texts))
    two_topics = build_latent([index.analyser.count(t) for t in index.chunks["text"]], dimensions=2)
    index = replace(index, latent=two_topics, vector_weight=0.3)
    hits = kg.search("seaworda", index, k=100).hits
    assert {c[:3] for c in hits["chunk_id"]} == {"sea"}
    assert hits.height == 40
    by_words = hits["lexical_score"].is_not_null()
    assert 0 < by_words.sum() < 40
    assert by_words.to_list() == sorted(by_words.to_list(), reverse=True)
    assert hits["vector_score"].min() >= 0.3
    assert set(kg.search("seaworda", build_index(frame_of(texts), vectors=None), k=100).hits["chunk_id"]) == set(
        hits.filter(by_words)["chunk_id"]
    )


def test_vectors_weigh_more_where_they_explain_more():
    def weight(texts):
        return build_index(frame_of({f"{i:03}": t for i, t in enumerate(texts)})).vector_weight

    rng = random.Random(0)
    letters = "abcdefghijklmnopqrstuvwxyz"
    mixed = [
        " ".join(a + b for a, b in zip(rng.sample(letters, 20), rng.sample(letters, 20), strict=True))
        for _ in range(80)
    ]
    about = [" ".join(rng.sample([f"word{i % 4}{c}" for c in letters[:12]], 10)) for i in range(80)]
    assert weight(mixed) < weight(about) == 0.35
    assert weight(["One.", "Two."]) == 0.0


def test_other_names_in_the_graph_are_looked_for(index):
    entities = pl.DataFrame({"entity_id": ["e1"], "name": ["Northwick Line"], "aliases": [["ferry"]]})
    assert kg.search("Northwick Line", index).hits["chunk_id"].to_list() == ["a"]
    assert kg.search("Northwick Line", index, graph=entities).hits["chunk_id"].to_list() == ["a", "c"]
    assert kg.search("kiln", index, graph=entities).hits.equals(kg.search("kiln", index).hits)


def test_title_and_heading_are_searched_and_places_come_along():
    frame = frame_of({"a": "It opened in 1921.", "b": "It opened in 1954."}).with_columns(
        title=pl.Series(["Ferries", "Quays"]), place=pl.lit("page 3"), source=pl.lit("town.pdf")
    )
    hits = kg.search("ferry", frame).hits
    assert hits.select("chunk_id", "place", "source", "title").rows() == [("a", "page 3", "town.pdf", "Ferries")]


def test_same_kind_of_frame_comes_out():
    frame = frame_of(TEXTS).to_pandas()
    before = frame.copy()
    hits = kg.search("kiln", frame).hits
    assert isinstance(hits, pd.DataFrame)
    pd.testing.assert_frame_equal(frame, before)
    assert isinstance(kg.search("kiln", frame, backend="polars").hits, pl.DataFrame)
    assert isinstance(kg.search("kiln", build_index(frame)).hits, pd.DataFrame)


def test_wrong_arguments_are_named(index):
    with pytest.raises(OptionError, match="k=0 must be"):
        kg.search("kiln", index, k=0)
    with pytest.raises(OptionError, match="must be text; this is a list"):
        kg.search(["kiln"], index)
    with pytest.raises(OptionError, match="vectors='bert' is not known"):
        build_index(frame_of(TEXTS), vectors="bert")
    with pytest.raises(OptionError, match="language='xx' is not known"):
        build_index(frame_of(TEXTS), language="xx")
    with pytest.raises(SchemaError, match="needs the columns 'chunk_id' and 'text'"):
        build_index(pl.DataFrame({"id": ["a"], "text": ["b"]}))
    with pytest.raises(SchemaError, match="more than once"):
        build_index(pl.DataFrame({"chunk_id": ["a", "a"], "text": ["b", "c"]}))
    with pytest.raises(FrameTypeError, match="must be a dataframe"):
        build_index(["text"])


def test_fused_rankings_reward_only_what_they_hold(shared):
    case = json.loads((shared / "cases" / "rrf_rankings.json").read_text(encoding="utf-8"))
    both = fuse({"keyword": case["keyword"], "vector": case["vector"]}, k=case["k"])
    assert next(iter(both)) == case["expected_first"]
    assert set(both) == {*case["keyword"], *case["vector"]}
    assert list(fuse(case["one_sided"])) == case["one_sided"]["vector"]
    twice = fuse(case["duplicates"])
    assert twice["y"] == pytest.approx(1 / 61 + 1 / 62)
    assert twice["b"] == pytest.approx(1 / 62)
    orders = {tuple(fuse(dict(pairs))) for pairs in (case["ties"].items(), reversed(case["ties"].items()))}
    assert orders == {("p", "q")}


def test_weights_of_rankings():
    rankings = {"words": ["a", "b"], "meaning": ["b", "a"]}
    assert list(fuse(rankings, weights={"meaning": 0.3})) == ["a", "b"]
    with pytest.raises(OptionError, match="weights must be 0 or more"):
        fuse(rankings, weights={"other": 1.0})


def test_search_is_a_function_however_it_was_reached(index):
    importlib.import_module("kgkit.retrieval.find")
    assert inspect.isfunction(kg.search)
    assert kg.search("kiln", index).hits.height == 2
