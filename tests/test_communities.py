"""detect_communities: everybody is in, any row order gives the same, and levels are nested."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import igraph
import polars as pl
import pytest
from graph_data import mentions, statements
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import kgkit as kg
from kgkit import tables
from kgkit.communities.methods import METHODS
from kgkit.errors import InputError, MissingExtraError, OptionError

LAW = settings(deadline=None, max_examples=40)


def frames(nodes, edges):
    relations = pl.DataFrame(
        edges, schema={"source_id": pl.String, "target_id": pl.String, "weight": pl.Float64}, orient="row"
    )
    return pl.DataFrame({"entity_id": nodes}, schema={"entity_id": pl.String}), relations


def groups(result, level=0):
    rows = result.communities.filter(pl.col("level") == level).group_by("community_id").agg("entity_id")
    return {frozenset(members) for members in rows["entity_id"]}


def cliques(n, size=6):
    """Make cliques in a ring, joined by one light edge each."""
    edges = [(f"{k}-{i}", f"{k}-{j}", 1.0) for k in range(n) for i in range(size) for j in range(i)]
    edges += [(f"{k}-0", f"{(k + 1) % n}-1", 0.2 if k % 2 else 0.6) for k in range(n)]
    return frames([f"{k}-{i}" for k in range(n) for i in range(size)], edges)


@pytest.fixture(params=sorted(METHODS))
def method(request):
    return request.param


def test_isolates_and_small_components_are_kept_and_marked(shared: Path, method):
    case = json.loads((shared / "cases/edges_with_isolates.json").read_text("utf-8"))
    result = kg.detect_communities(*frames(case["nodes"], case["edges"]), method=method)
    assert result.communities.height == 9
    status = dict(result.communities.select("entity_id", "status").iter_rows())
    assert [e for e, s in sorted(status.items()) if s == "isolated"] == ["C1", "LONE1", "LONE2"]
    assert {e for e, s in status.items() if s == "small"} == {"B1", "B2"}
    home = dict(result.communities.select("entity_id", "community_id").iter_rows())
    assert not {home[e] for e in ("A1", "A2", "A3", "A4")} & {home["B1"], home["B2"]}
    assert result.counts == {"in": 9, "ok": 6, "empty": 3, "failed": 0, "skipped": 0}


def test_planted_groups_are_found_by_all_methods(method):
    entities, relations = cliques(8)
    result = kg.detect_communities(entities, relations, method=method)
    assert groups(result) == {frozenset(f"{k}-{i}" for i in range(6)) for k in range(8)}
    assert result.modularity[0] == pytest.approx(0.85, abs=0.03)


def test_levels_are_nested_and_parents_lead_up(method):
    entities, relations = cliques(8)
    result = kg.detect_communities(entities, relations, method=method, levels=3, resolution=[1.0, 0.1, 0.001])
    sizes = [len(groups(result, level)) for level in range(3)]
    assert sizes[0] == 8 > sizes[1] > sizes[2] == 1
    rows = result.communities
    for level in range(2):
        up = dict(rows.filter(pl.col("level") == level + 1).select("entity_id", "community_id").iter_rows())
        here = rows.filter(pl.col("level") == level)
        assert all(up[e] == parent for e, parent in here.select("entity_id", "parent_id").iter_rows())
    assert rows.filter(pl.col("level") == 2)["parent_id"].is_null().all()


EDGES = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 1.0, 2.0])), max_size=30
)


@LAW
@given(EDGES, st.integers(0, 99), st.sampled_from(sorted(METHODS)))
def test_row_order_and_direction_change_nothing(edges, seed, method):
    rng = random.Random(seed)
    nodes = [f"n{i}" for i in range(10)]
    shuffled = [(b, a, w) if rng.random() < 0.5 else (a, b, w) for a, b, w in edges]
    rng.shuffle(shuffled)
    one = kg.detect_communities(*frames(nodes, [(f"n{a}", f"n{b}", w) for a, b, w in edges]), method=method, levels=2)
    two = kg.detect_communities(
        *frames(rng.sample(nodes, 10), [(f"n{a}", f"n{b}", w) for a, b, w in shuffled]), method=method, levels=2
    )
    for name in one.frames:
        assert_frame_equal(getattr(one, name), getattr(two, name))
    assert one.modularity == two.modularity


@LAW
@given(EDGES, st.sampled_from(sorted(METHODS)))
def test_every_entity_has_one_community_a_level(edges, method):
    nodes = [f"n{i}" for i in range(10)]
    result = kg.detect_communities(
        *frames(nodes, [(f"n{a}", f"n{b}", w) for a, b, w in edges]), method=method, levels=2
    )
    rows = result.communities
    assert sorted(rows["entity_id"]) == sorted(nodes * 2)
    assert (
        rows.group_by("level", "community_id")
        .agg(pl.len(), pl.col("size").first())
        .filter(pl.col("len") != pl.col("size"))
        .is_empty()
    )
    linked = {n for a, b, w in edges if a != b and w > 0 for n in (f"n{a}", f"n{b}")}
    assert set(rows.filter(pl.col("status") != "isolated")["entity_id"]) == linked
    for name, frame in result.frames.items():
        tables.check_key(frame, name)
        assert frame.schema == tables.empty(name).schema


def test_the_default_is_bare_igraph():
    rng = random.Random(1)
    edges = sorted({tuple(sorted(rng.sample(range(100), 2))) for _ in range(400)})
    bare = igraph.Graph(100, edges)
    igraph.set_random_number_generator(random.Random(7))
    found = bare.community_leiden("modularity", weights=[1.0] * len(edges), n_iterations=2)
    igraph.set_random_number_generator(random)
    result = kg.detect_communities(
        *frames([f"{i:03}" for i in range(100)], [(f"{a:03}", f"{b:03}", 1.0) for a, b in edges]), seed=7
    )
    assert groups(result) == {frozenset(f"{i:03}" for i in part) for part in found}
    assert result.modularity[0] == pytest.approx(found.modularity)


def test_pythons_own_random_numbers_are_left_alone(method):
    entities, relations = cliques(4)
    random.seed(5)
    expected = [random.random() for _ in range(3)]
    random.seed(5)
    kg.detect_communities(entities, relations, method=method)
    assert [random.random() for _ in range(3)] == expected


@pytest.fixture
def graph():
    found = mentions(*({"name": n} for n in ("Ada", "Babbage", "Clement", "Dora", "Zuse")))
    said = statements(
        {"subject": "Ada", "predicate": "know", "object": "Babbage"},
        {"subject": "Ada", "predicate": "know", "object": "Babbage"},
        {"subject": "Babbage", "predicate": "teach", "object": "Ada"},
        {"subject": "Clement", "predicate": "serve", "object": "Babbage"},
        {"subject": "Dora", "predicate": "meet", "object": "Clement", "polarity": "negated"},
    )
    return kg.build_graph(found, said)


def test_reports_name_central_members_and_their_statements(graph):
    (report,) = kg.detect_communities(graph).reports.to_dicts()
    assert report["title"] == "Babbage, Ada, Clement"
    assert report["evidence"] == ["s0", "s3", "s1", "s2"]
    (short,) = kg.detect_communities(graph, n_evidence=2).reports.to_dicts()
    assert short["evidence"] == ["s0", "s3"]


def test_negated_relations_connect_only_when_asked(graph):
    dora = graph.find("Dora")["entity_id"][0]
    status = lambda r: dict(r.communities.select("entity_id", "status").iter_rows())[dora]  # noqa: E731
    assert status(kg.detect_communities(graph)) == "isolated"
    assert status(kg.detect_communities(graph, polarity=None)) == "grouped"


def test_weights_can_be_left_out():
    entities, relations = frames(list("abcd"), [("a", "b", 9.0), ("b", "c", 0.0), ("c", "d", 9.0), ("b", "d", 0.0)])
    assert groups(kg.detect_communities(entities, relations)) == {frozenset("ab"), frozenset("cd")}
    assert kg.detect_communities(entities, relations, weights=None).communities["status"].unique().to_list() == [
        "grouped"
    ]


@pytest.mark.parametrize("quality", ["modularity", "cpm", "rber", "significance", "surprise"])
def test_leidenalg_offers_more_qualities(quality):
    entities, relations = cliques(6)
    result = kg.detect_communities(entities, relations, method="leidenalg", quality=quality, resolution=0.5, levels=2)
    assert frozenset(f"0-{i}" for i in range(6)) in groups(result)


def test_no_relations_and_no_entities():
    entities, relations = frames(["a", "b"], [])
    alone = kg.detect_communities(entities, relations, levels=2)
    assert alone.communities["status"].to_list() == ["isolated"] * 4
    assert alone.modularity == (None, None) and alone.reports.is_empty()
    empty = kg.detect_communities(entities.clear(), relations)
    for name, frame in empty.frames.items():
        assert frame.is_empty() and frame.schema == getattr(alone, name).schema


def test_pandas_in_pandas_out():
    pd = pytest.importorskip("pandas")
    entities, relations = cliques(3)
    result = kg.detect_communities(entities.to_pandas(), relations.to_pandas())
    assert all(isinstance(frame, pd.DataFrame) for frame in result.frames.values())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "louvain"}, "method='louvain' is not known. Allowed: 'igraph'"),
        ({"quality": "rber"}, "method='igraph', quality='rber' is not known. Allowed: 'modularity', 'cpm'"),
        ({"levels": 0}, "levels=0 is out of range"),
        ({"resolution": [1.0, 2.0], "levels": 2}, "descending"),
        ({"resolution": [1.0, 0.5], "levels": 3}, "2 numbers for levels=3"),
        ({"resolution": 0}, "above 0"),
        ({"resolution": "1"}, "above 0"),
        ({"levels": 1.5}, "levels=1.5"),
        ({"seed": "x"}, "seed='x'"),
        ({"seed": -1}, "seed=-1"),
        ({"iterations": 0}, "iterations=0"),
        ({"weights": "size"}, "weights='size' is not known"),
        ({"min_size": 0}, "min_size=0"),
    ],
)
def test_options_out_of_range_are_named(options, message):
    with pytest.raises(OptionError, match=message):
        kg.detect_communities(*frames(["a"], []), **options)


def test_unusable_relations_are_named():
    with pytest.raises(InputError, match="1 ends of relations are no entities, such as 'x'"):
        kg.detect_communities(*frames(["a"], [("a", "x", 1.0)]))
    with pytest.raises(InputError, match="holds -1.0; weights are 0 or more"):
        kg.detect_communities(*frames(["a", "b"], [("a", "b", -1.0)]))
    with pytest.raises(InputError, match="holds inf; weights are 0 or more"):
        kg.detect_communities(*frames(["a", "b"], [("a", "b", float("inf"))]))
    with pytest.raises(InputError, match="entities frame and relations="):
        kg.detect_communities(frames(["a"], [])[0])


@pytest.mark.parametrize(
    ("method", "library", "extra"),
    [
        ("leidenalg", "leidenalg", "leidenalg"),
        ("networkit", "networkit", "permissive"),
        ("graspologic", "graspologic_native", "permissive"),
    ],
)
def test_an_absent_library_is_named_with_its_extra(monkeypatch, method, library, extra):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=rf"'{library}'.*kgkit\[{extra}\]"):
        kg.detect_communities(*cliques(2), method=method)


def test_dates_do_not_tie_together_what_shares_a_year() -> None:
    entities = pl.DataFrame({"entity_id": list("abcdy"), "type": ["PERSON"] * 4 + ["DATE"]})
    relations = pl.DataFrame({"source_id": list("acad"), "target_id": list("bdyy")})
    apart = kg.detect_communities(entities, relations, min_size=2).communities
    assert dict(apart.select("entity_id", "size").iter_rows()) == {"a": 2, "b": 2, "c": 2, "d": 2, "y": 1}
    assert apart.filter(pl.col("entity_id") == "y")["status"].item() == "isolated"
    together = kg.detect_communities(entities, relations, min_size=2, ignore_types=[]).communities
    assert set(together.filter(pl.col("entity_id") == "y")["size"]) != {1}
    with pytest.raises(OptionError, match="Give a list of types"):
        kg.detect_communities(entities, relations, ignore_types="DATE")
