"""Graph: finding entities, what is behind them, and graphs from one's own frames."""

from __future__ import annotations

import polars as pl
import pytest
from graph_data import mentions, statements

import kgkit as kg
from kgkit.errors import InputError, SchemaError
from kgkit.graph import Graph


@pytest.fixture
def graph() -> Graph:
    found = mentions(
        {"name": "FTX Trading Ltd", "type": "ORGANISATION", "start": 30, "quote": "FTX Trading Ltd"},
        {"name": "FTX Trading Ltd", "type": "ORGANISATION", "start": 3, "quote": "FTX Trading Ltd"},
        {"name": "FTX", "type": "ORGANISATION", "doc_id": "d2", "start": 0, "quote": "FTX"},
        {"name": "ftx", "type": "ORGANISATION", "start": 50, "quote": "ftx"},
        {"name": "Ada", "start": 0, "quote": "Ada"},
    )
    said = statements(
        {"subject": "Ada", "predicate": "join", "object": "FTX Trading Ltd", "start": 9, "quote": "Ada joined."},
        {"subject": "Ada", "predicate": "join", "object": "FTX Trading Ltd", "start": 0, "quote": "Ada joins."},
        {"subject": "FTX Trading Ltd", "predicate": "pay", "object": "Ada"},
        {"subject": "Ada", "predicate": "praise", "object": "Ada"},
    )
    return kg.build_graph(found, said)


def test_find_puts_exact_names_before_aliases_before_parts(graph):
    assert graph.find("ftx").select("name", "match").rows() == [("FTX", "name"), ("FTX Trading Ltd", "part")]
    aliased = Graph.from_frames(
        pl.DataFrame(
            {"entity_id": ["a", "b", "c"], "name": ["FTX Trading", "FTX", "Other"], "aliases": [[], [], ["ftx"]]}
        )
    )
    assert aliased.find("FTX").select("entity_id", "match").rows() == [("b", "name"), ("c", "alias"), ("a", "part")]


@pytest.mark.parametrize("name", ["", "  ", "nobody", "(", "[a-z]"])
def test_find_takes_any_text(graph, name):
    assert graph.find(name).is_empty()
    assert graph.find(name).columns == [*graph.entities.columns, "match"]


def test_evidence_and_quotes_come_in_document_order(graph):
    entity = graph.find("FTX Trading Ltd")["entity_id"][0]
    assert graph.evidence_of(entity)["mention_id"].to_list() == ["m1", "m0"]
    join = graph.relations.filter(pl.col("predicate") == "join")["relation_id"][0]
    assert graph.quotes(join)["quote"].to_list() == ["Ada joins.", "Ada joined."]


def test_neighbours_say_the_direction(graph):
    ada = graph.find("Ada")["entity_id"][0]
    rows = graph.neighbours(ada).select("direction", "predicate", "name", "weight").rows()
    assert rows[0] == ("out", "join", "FTX Trading Ltd", 2.0)
    assert sorted(rows[1:]) == [("in", "pay", "FTX Trading Ltd", 1.0), ("self", "praise", "Ada", 1.0)]


def test_degrees_count_relations_and_neighbours_apart(graph):
    ada, ftx = graph.find("Ada")["entity_id"][0], graph.find("FTX")["entity_id"][0]
    counts = {row[0]: row[1:] for row in graph.degrees().iter_rows()}
    assert counts[ada] == (3, 1)
    assert counts[ftx] == (0, 0)
    assert graph.degrees().schema == {"entity_id": pl.String, "n_relations": pl.Int64, "n_neighbours": pl.Int64}


def test_an_unknown_id_is_named(graph):
    for look in (graph.evidence_of, graph.quotes, graph.neighbours):
        with pytest.raises(InputError, match="'x' is neither an entity_id nor a relation_id"):
            look("x")
    with pytest.raises(InputError, match="takes an entity_id"):
        graph.neighbours(graph.relations["relation_id"][0])


def test_repr_is_short_and_html_escapes():
    graph = kg.build_graph(mentions({"name": "<script>alert(1)</script>"}))
    assert repr(graph) == "Graph(1 entities, 0 relations, 1 evidence, 1 mentions, 0 statements; 1 in: 1 ok)"
    assert "<script" not in graph._repr_html_()


def test_own_frames_make_a_graph_and_lost_ends_are_told():
    entities = pl.DataFrame({"entity_id": ["b", "a"], "name": ["Babbage", "Ada"]})
    relations = pl.DataFrame({"source_id": ["a", "a", "a"], "target_id": ["b", "b", "z"], "weight": [1.0, 0.5, 1.0]})
    graph = Graph.from_frames(entities, relations)
    assert graph.entities["entity_id"].to_list() == ["a", "b"]
    assert graph.relations.select("source_id", "predicate", "target_id", "polarity", "weight").rows() == [
        ("a", "related_to", "b", "positive", 1.5)
    ]
    assert graph.counts == {"in": 4, "ok": 3, "empty": 0, "failed": 0, "skipped": 1}
    assert graph.outcomes["notes"].list.join("").str.contains("2 rows are this one relation").sum() == 1


def test_own_ids_may_not_repeat():
    entities = pl.DataFrame({"entity_id": ["a", "a"], "name": ["Ada", "Ada"]})
    with pytest.raises(SchemaError, match="'a'} more than once"):
        Graph.from_frames(entities)
