"""build_graph: what becomes one, what stays apart, and that nothing vanishes."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from graph_data import MENTIONS, STATEMENTS, mentions, statements
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import kgkit as kg
from kgkit import tables
from kgkit.errors import FrameTypeError, OptionError, SchemaError
from kgkit.ids import stable_id

LAW = settings(deadline=None, max_examples=50)


def outcome(graph, item_id):
    return graph.outcomes.row(by_predicate=pl.col("item_id") == item_id, named=True)


def test_names_are_compared_normalised_and_the_most_used_spelling_wins():
    found = mentions({"name": "Ada  Lovelace"}, {"name": "ADA LOVELACE", "doc_id": "d2"}, {"name": "Ada Lovelace"})
    (entity,) = kg.build_graph(found).entities.to_dicts()
    assert entity["entity_id"] == stable_id("entity", "PERSON", "ada lovelace")
    assert (entity["name"], entity["aliases"]) == ("Ada Lovelace", ["ADA LOVELACE"])
    assert (entity["n_mentions"], entity["n_documents"]) == (3, 2)


def test_equally_used_spellings_are_ordered_by_text():
    found = mentions({"name": "b\u00e9"}, {"name": "B\u00c9"}, {"name": "B\u00e9"})
    assert kg.build_graph(found).entities.select("name", "aliases").row(0) == ("BÉ", ["Bé", "bé"])


def test_homographs_of_different_types_stay_apart(shared: Path):
    rows = json.loads((shared / "cases/entities_homograph.json").read_text("utf-8"))["entities"]
    graph = kg.build_graph(mentions(*rows))
    assert graph.entities.height == graph.entities["entity_id"].n_unique() == 4
    assert sorted(graph.find("Larch")["type"]) == ["CONCEPT", "ORGANISATION", "PERSON", "PLACE"]
    assert set(graph.entities["description"]) == {row["description"] for row in rows}


def test_names_in_any_script_stay_apart(shared: Path):
    rows = pl.read_csv(shared / "cases/entities_mixed_script.csv").to_dicts()
    assert kg.build_graph(mentions(*rows)).entities.height == len(rows) == 11


def test_a_mention_without_type_is_an_entity_of_its_own():
    found = mentions({"name": "Ada"}, {"name": "Ada", "type": None}, {"name": "Ada", "type": None})
    entities = kg.build_graph(found).entities.sort("n_mentions")
    assert entities.select("type", "n_mentions").rows() == [("PERSON", 1), (None, 2)]


def test_parallel_opposite_and_self_relations_are_kept(shared: Path):
    case = json.loads((shared / "cases/relations_parallel.json").read_text("utf-8"))
    found = mentions(*({"name": name} for name in case["entities"]))
    said = statements(
        *({"subject": r["source"], "predicate": r["type"], "object": r["target"]} for r in case["relations"])
    )
    graph = kg.build_graph(found, said)
    name = dict(graph.entities.select("entity_id", "name").iter_rows())
    triples = {(name[s], p, name[o]): w for s, p, o, w in
               graph.relations.select("source_id", "predicate", "target_id", "weight").iter_rows()}  # fmt: skip
    assert len(triples) == graph.relations.height == 7
    assert triples["Mira Solen", "FOUNDED", "Calder Works"] == 2
    assert ("Calder Works", "SUED", "Mira Solen") in triples and ("Mira Solen", "SUED", "Calder Works") not in triples
    assert {("Mira Solen", "MENTOR_OF", "Odd Varga"), ("Odd Varga", "MENTOR_OF", "Mira Solen")} <= triples.keys()
    assert ("Calder Works", "RENAMED_TO", "Calder Works") in triples
    founded = graph.relations.filter(pl.col("predicate") == "FOUNDED")["relation_id"][0]
    assert graph.evidence_of(founded)["statement_id"].to_list() == ["s0", "s3"]
    calder = graph.find("Calder Works")["entity_id"][0]
    degrees = graph.degrees().filter(pl.col("entity_id") == calder)
    assert degrees.select("n_relations", "n_neighbours").row(0) == (5, 2)


def test_polarity_keeps_relations_apart_and_confidence_is_the_highest():
    found = mentions({"name": "Ada"}, {"name": "Babbage"})
    base = {"subject": "Ada", "predicate": "know", "object": "Babbage"}
    said = statements(
        {**base, "confidence": 0.25},
        {**base, "confidence": 0.75, "doc_id": "d1"},
        {**base, "polarity": "negated"},
    )
    rows = kg.build_graph(found, said).relations.sort("polarity")
    assert rows.select("polarity", "weight", "n_documents", "confidence").rows() == [
        ("negated", 1.0, 1, None),
        ("positive", 2.0, 1, 0.75),
    ]


def test_ends_resolve_in_the_chunk_before_the_document():
    found = mentions(
        {"name": "Larch", "type": "PERSON", "chunk_id": "c1"},
        {"name": "Larch", "type": "PLACE", "chunk_id": "c2"},
        {"name": "Ada", "chunk_id": "c1"},
    )
    base = {"subject": "Ada", "predicate": "visit", "object": "Larch"}
    graph = kg.build_graph(found, statements({**base, "chunk_id": "c2"}, {**base, "chunk_id": "c3"}))
    kind = dict(graph.entities.select("entity_id", "type").iter_rows())
    assert [kind[t] for t in graph.relations["target_id"]] == ["PLACE"]
    left = outcome(graph, "s1")
    assert (left["status"], left["reason"]) == ("skipped", "ambiguous_end")
    assert left["detail"] == "the object 'Larch' could be any of 2 entities there"


def test_ends_do_not_resolve_in_another_document():
    found = mentions({"name": "Ada"}, {"name": "Babbage", "doc_id": "d2"})
    graph = kg.build_graph(found, statements({"subject": "Ada", "predicate": "know", "object": "Babbage"}))
    assert graph.relations.is_empty()
    assert outcome(graph, "s0")["reason"] == "undeclared_end"


def test_an_undeclared_end_is_skipped_or_an_entity_that_says_so():
    found = mentions({"name": "Calder Works", "type": "ORGANISATION"})
    said = statements(
        {
            "subject": "Calder Works",
            "predicate": "settle_with",
            "object": "Northwick Council",
            "object_type": "COUNCIL",
        },
        {"subject": "", "predicate": "own", "object": "Calder Works"},
        {"subject": "calder works", "predicate": " ", "object": "Calder Works"},
    )
    graph = kg.build_graph(found, said)
    assert [outcome(graph, f"s{i}")["reason"] for i in range(3)] == ["undeclared_end", "empty_end", "empty_predicate"]
    assert "'Northwick Council' as COUNCIL is no located mention" in outcome(graph, "s0")["detail"]
    assert graph.entities.height == 1 and graph.relations.is_empty()
    wide = kg.build_graph(found, said, undeclared="entity")
    assert wide.find("northwick council").select("name", "type", "n_mentions").rows() == [
        ("Northwick Council", "COUNCIL", 0)
    ]
    assert wide.relations.height == 1 and outcome(wide, "s0")["status"] == "ok"


def test_an_undeclared_end_is_the_entity_that_has_its_name_and_type_elsewhere():
    found = mentions({"name": "Ada"}, {"name": "Babbage", "doc_id": "d2"})
    said = statements({"subject": "Ada", "predicate": "know", "object": "BABBAGE", "object_type": "PERSON"})
    graph = kg.build_graph(found, said, undeclared="entity")
    assert graph.entities.select("name", "aliases", "n_mentions").sort("name").rows() == [
        ("Ada", [], 1),
        ("Babbage", ["BABBAGE"], 1),
    ]


def test_unlocated_words_are_no_evidence_unless_kept():
    found = mentions({"name": "Ada"}, {"name": "Ghost", "located": "unlocated"})
    said = statements(
        {"subject": "Ada", "predicate": "see", "object": "Ghost"},
        {"subject": "Ada", "predicate": "be", "object": "Ada", "located": "unlocated"},
    )
    graph = kg.build_graph(found, said)
    assert graph.entities["name"].to_list() == ["Ada"] and graph.relations.is_empty()
    assert [outcome(graph, i)["reason"] for i in ("m1", "s0", "s1")] == ["unlocated", "undeclared_end", "unlocated"]
    assert kg.build_graph(found, said, unlocated="keep").counts["ok"] == 4


def test_attributes_and_descriptions_keep_every_value_in_document_order():
    found = mentions(
        {"name": "Ada", "doc_id": "d2", "attributes": '{"born": 1816}', "description": "a poet's daughter"},
        {"name": "Ada", "doc_id": "d1", "attributes": '{"born": 1815, "of": ["London"]}', "description": "a mind"},
        {"name": "Ada", "doc_id": "d3", "attributes": '{"born": 1815}', "description": "a mind"},
        {"name": "Ada", "doc_id": "d3", "attributes": "[1]"},
    )
    graph = kg.build_graph(found)
    entity = graph.entities.row(0, named=True)
    assert json.loads(entity["attributes"]) == {"born": [1815, 1816], "of": [["London"]], "unparsed": ["[1]"]}
    assert entity["description"] == "a mind ; a poet's daughter"
    assert outcome(graph, "m3")["notes"] == ["bad_attributes: not a JSON object, kept as text"]


@LAW
@given(MENTIONS, STATEMENTS, st.integers(0, 99))
def test_row_order_changes_nothing(found, said, seed):
    for undeclared in ("skip", "entity"):
        one = kg.build_graph(found, said, undeclared=undeclared)
        two = kg.build_graph(
            found.sample(fraction=1, shuffle=True, seed=seed),
            said.sample(fraction=1, shuffle=True, seed=seed + 1),
            undeclared=undeclared,
        )
        for name in ("entities", "relations", "evidence", "outcomes"):
            assert_frame_equal(getattr(one, name), getattr(two, name))


@LAW
@given(MENTIONS, STATEMENTS)
def test_everything_is_accounted_for(found, said):
    for options in ({}, {"undeclared": "entity"}, {"unlocated": "keep"}):
        graph = kg.build_graph(found, said, **options)
        ok = set(graph.outcomes.filter(pl.col("status") == "ok")["item_id"])
        assert set(graph.outcomes["item_id"]) == {*found["mention_id"], *said["statement_id"]}
        assert sorted(graph.evidence["evidence_id"]) == sorted(ok)
        assert graph.entities["n_mentions"].sum() + graph.relations["weight"].sum() == len(ok)
        ends = {*graph.relations["source_id"], *graph.relations["target_id"]}
        assert ends <= set(graph.entities["entity_id"])
        assert graph.entities["entity_id"].is_sorted() and graph.relations["relation_id"].is_sorted()
        for name, frame in graph.frames.items():
            tables.check_key(frame, name)
            assert frame.schema == tables.empty(name).schema


@LAW
@given(MENTIONS, STATEMENTS)
def test_input_is_not_changed_and_is_carried_along(found, said):
    before = found.clone(), said.clone()
    graph = kg.build_graph(found, said)
    assert_frame_equal(found, before[0])
    assert_frame_equal(said, before[1])
    assert_frame_equal(graph.mentions, found)
    assert_frame_equal(graph.statements, said)


def test_empty_in_gives_empty_out_of_the_same_dtypes():
    graph = kg.build_graph(tables.empty("mentions"), tables.empty("statements"))
    full = kg.build_graph(mentions({"name": "Ada"}), statements({"subject": "Ada", "predicate": "be", "object": "Ada"}))
    for name, frame in graph.frames.items():
        assert frame.is_empty()
        assert frame.schema == getattr(full, name).schema
    assert graph.counts["in"] == 0


def test_pandas_in_pandas_out():
    pd = pytest.importorskip("pandas")
    found = mentions({"name": "Ada"}).to_pandas()
    graph = kg.build_graph(found, statements({"subject": "Ada", "predicate": "be", "object": "Ada"}))
    assert all(isinstance(frame, pd.DataFrame) for frame in graph.frames.values())
    assert isinstance(graph.find("ada"), pd.DataFrame)
    again = kg.build_graph(graph)
    pd.testing.assert_frame_equal(again.entities, graph.entities)


def test_a_mention_and_a_statement_may_not_share_an_id():
    said = statements({"statement_id": "m0", "subject": "Ada", "predicate": "be", "object": "Ada"})
    with pytest.raises(SchemaError, match="'m0' is that of a mention and of a statement"):
        kg.build_graph(mentions({"name": "Ada"}), said)


def test_unknown_options_and_inputs_are_named():
    with pytest.raises(OptionError, match="undeclared='drop' is not known. Allowed: 'skip', 'entity'"):
        kg.build_graph(mentions({"name": "Ada"}), undeclared="drop")
    with pytest.raises(FrameTypeError, match="mentions must be a dataframe"):
        kg.build_graph(["Ada"])
