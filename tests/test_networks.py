"""Graphs for networkx and igraph, and tables on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from graph_data import mentions, statements
from polars.testing import assert_frame_equal

import kgkit as kg
from kgkit import tables
from kgkit.errors import InputError, SchemaError


@pytest.fixture
def graph():
    found = mentions({"name": "Ada"}, {"name": "Babbage"}, {"name": "ada"}, {"name": "Zuse", "type": None})
    said = statements(
        {"subject": "Ada", "predicate": "know", "object": "Babbage", "confidence": 0.5},
        {"subject": "Ada", "predicate": "help", "object": "Babbage"},
        {"subject": "Babbage", "predicate": "know", "object": "Ada"},
        {"subject": "Ada", "predicate": "be", "object": "Ada"},
    )
    return kg.build_graph(found, said)


def test_networkx_has_every_row_and_column(graph):
    network = kg.to_networkx(graph)
    assert network.is_directed() and network.is_multigraph()
    assert list(network.nodes) == graph.entities["entity_id"].to_list()
    for row in graph.entities.to_dicts():
        assert network.nodes[row.pop("entity_id")] == row
    assert network.number_of_edges() == graph.relations.height == 4
    for row in graph.relations.to_dicts():
        source, target, key = row.pop("source_id"), row.pop("target_id"), row.pop("relation_id")
        assert network.edges[source, target, key] == row


def test_igraph_has_every_row_and_column(graph):
    network = kg.to_igraph(graph)
    assert network.is_directed() and network.ecount() == 4
    assert [v.attributes() for v in network.vs] == graph.entities.to_dicts()
    assert [e.attributes() for e in network.es] == graph.relations.to_dicts()
    ids = network.vs["entity_id"]
    assert [(ids[e.source], ids[e.target]) for e in network.es] == graph.relations.select(
        "source_id", "target_id"
    ).rows()


def test_all_parallel_relations_of_the_case_arrive(shared: Path):
    case = json.loads((shared / "cases/relations_parallel.json").read_text("utf-8"))
    said = ({"subject": r["source"], "predicate": r["type"], "object": r["target"]} for r in case["relations"])
    graph = kg.build_graph(mentions(*({"name": n} for n in case["entities"])), statements(*said))
    assert kg.to_networkx(graph).number_of_edges() == kg.to_igraph(graph).ecount() == 7


def test_communities_become_an_attribute(graph):
    topics = kg.detect_communities(graph)
    home = dict(topics.communities.select("entity_id", "community_id").iter_rows())
    assert dict(kg.to_networkx(graph, communities=topics).nodes(data="community_id")) == home
    assert kg.to_igraph(graph, communities=topics).vs["community_id"] == [home[i] for i in sorted(home)]


@pytest.mark.parametrize("convert", [kg.to_networkx, kg.to_igraph])
def test_frames_will_do_and_lost_ends_are_named(graph, convert):
    assert convert(graph.entities.to_pandas(), relations=graph.relations.to_pandas()) is not None
    with pytest.raises(InputError, match="ends of relations are no entities"):
        convert(graph.entities.head(1), relations=graph.relations)
    with pytest.raises(InputError, match="Give a graph, or an entities frame"):
        convert(graph.entities)


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_tables_come_back_equal(graph, tmp_path, backend):
    paths = kg.write_tables(graph.to(backend), tmp_path / "new" / "tables")
    assert {name: path.name for name, path in paths.items()} == {name: f"{name}.parquet" for name in graph.frames}
    again = kg.read_tables(tmp_path / "new" / "tables")
    assert list(again) == [name for name in tables.names() if name in graph.frames]
    for name, frame in graph.frames.items():
        assert_frame_equal(again[name], frame)


def test_empty_tables_keep_their_dtypes(tmp_path):
    kg.write_tables({"entities": tables.empty("entities"), "mine": pl.DataFrame({"x": [1]})}, tmp_path)
    again = kg.read_tables(tmp_path)
    assert again["entities"].schema == tables.empty("entities").schema
    assert list(again) == ["entities", "mine"]


def test_a_failed_write_leaves_the_old_files(graph, tmp_path, monkeypatch):
    kg.write_tables(graph, tmp_path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    original, done = pl.DataFrame.write_parquet, []

    def failing(frame, path):
        if len(done) == 2:
            raise OSError(28, "No space left on device")
        done.append(path)
        original(frame, path)

    monkeypatch.setattr(pl.DataFrame, "write_parquet", failing)
    with pytest.raises(OSError, match="No space"):
        kg.write_tables({n: f.clear() for n, f in graph.frames.items()}, tmp_path)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", ["../x", "a/b", "", "CON", "a.b", "/etc/x"])
def test_a_name_cannot_leave_the_folder(tmp_path, name):
    with pytest.raises(InputError, match="cannot name a table's file"):
        kg.write_tables({name: pl.DataFrame({"x": [1]})}, tmp_path / "in")
    assert not list(tmp_path.rglob("*"))


def test_what_cannot_be_written_or_read_is_named(tmp_path):
    with pytest.raises(InputError, match="needs a result"):
        kg.write_tables({}, tmp_path)
    with pytest.raises(SchemaError, match="'canonical_id'"):
        kg.write_tables({"canonical": pl.DataFrame({"entity_id": ["a"]})}, tmp_path)
    with pytest.raises(InputError, match="holds no .parquet file"):
        kg.read_tables(tmp_path)


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame])
def test_columns_with_nothing_in_them_yet_are_written_and_can_grow(tmp_path, make):
    kg.write_tables(
        {"mine": make({"id": ["a", "b"], "many": [[], []], "year": [None, None], "map": [{}, {}]})}, tmp_path
    )
    first = kg.read_tables(tmp_path)["mine"]
    assert first.rows() == [("a", [], None, "{}"), ("b", [], None, "{}")]
    more = pl.DataFrame({"id": ["c"], "many": [["x"]], "year": [1900], "map": ['{"k": 1}']})
    kg.write_tables({"mine": pl.concat([first, more], how="vertical_relaxed")}, tmp_path)
    assert kg.read_tables(tmp_path)["mine"].rows()[-1] == ("c", ["x"], 1900, '{"k": 1}')


def test_values_of_several_kinds_and_damaged_files_are_named(tmp_path):
    with pytest.raises(SchemaError, match="'x' of 'mine' holds values of several kinds"):
        kg.write_tables({"mine": pd.DataFrame({"x": [1, "b"]})}, tmp_path)
    (tmp_path / "entities.parquet").write_bytes(b"junk")
    with pytest.raises(InputError, match="entities.parquet' is no Parquet file"):
        kg.read_tables(tmp_path)


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame])
def test_columns_of_your_own_go_along(make):
    mixed = pl.Series([1, "one"], dtype=pl.Object) if make is pl.DataFrame else [1, "one"]
    nodes = make({"entity_id": ["b", "a"], "name": ["B", "A"], "pid": [7, 8], "label": ["x", None], "viz": mixed})
    ends = {"relation_id": ["s", "r"], "source_id": ["a", "b"], "target_id": ["b", "a"]}
    edges = make({**ends, "key": ["k", "l"], "id": [1, 2], "type": ["T", "U"], "weight": [1.0, 2.0]})
    out = kg.to_networkx(nodes, relations=edges)
    assert [out.nodes[n][c] for n in "ab" for c in ("pid", "label", "viz")] == [8, None, "one", 7, "x", 1]
    assert [out.edges["b", "a", "r"][c] for c in ("key", "id", "type", "weight")] == ["l", 2, "U", 2.0]
    same = kg.to_igraph(nodes, relations=edges)
    assert (same.vs["pid"], same.vs["viz"], same.es["type"]) == ([8, 7], ["one", 1], ["U", "T"])
