"""What a graph view sends to the browser, which part of a graph it is, and what it says of the rest."""

from __future__ import annotations

import json
import random
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from browser.samples import Held, entity, history, hostile, planted, relation
from hypothesis import given, settings
from hypothesis import strategies as st

import kgkit as kg
from kgkit import tables
from kgkit.errors import InputError, OptionError
from kgkit.notebook.layout import layout_nodes


def star(leaves: int = 5, **more: Any) -> Held:
    rows = [entity("hub", "Hub"), *(entity(f"leaf{k}", f"Leaf {k}", None) for k in range(leaves))]
    links = [relation(f"r{k}", "hub", f"leaf{k}", **more) for k in range(leaves)]
    return Held({"entities": tables.from_rows("entities", rows), "relations": tables.from_rows("relations", links)})


def test_the_view_says_what_it_is_in_few_words() -> None:
    assert repr(kg.view_graph(star())) == "GraphView(6 entities, 5 relations)"
    assert repr(kg.view_graph(star(1))) == "GraphView(2 entities, 1 relation)"


def test_buffers_hold_the_tables() -> None:
    view = kg.view_graph(star())
    assert view._meta["ids"] == ["hub", *(f"leaf{k}" for k in range(5))]
    assert view._meta["types"] == ["(no type)", "PERSON"]
    nodes = np.frombuffer(view._nodes, "<u4").reshape(-1, 5)
    assert nodes[:, 0].tolist() == [1, 0, 0, 0, 0, 0]
    assert nodes[:, 2].tolist() == [5, 1, 1, 1, 1, 1]
    relations = np.frombuffer(view._relations, "<u4").reshape(-1, 5)
    assert relations[:, :2].tolist() == [[0, k] for k in range(1, 6)]
    assert np.isfinite(np.frombuffer(view._positions, "<f4")).all()
    assert len(view._positions) == 6 * 8 and len(view._weights) == 5 * 4


@pytest.mark.parametrize("polarity", [0, 1, 2, 3])
def test_polarity_travels_as_a_number(polarity: int) -> None:
    name = ["positive", "negated", "conditional", "reported"][polarity]
    view = kg.view_graph(star(1, polarity=name))
    assert np.frombuffer(view._relations, "<u4")[3] == polarity


@settings(deadline=None, max_examples=8)
@given(st.randoms(use_true_random=False))
def test_row_order_changes_nothing(rng: random.Random) -> None:
    graph, topics, documents = history(60)
    mixed = {name: f[rng.sample(range(f.height), f.height)] for name, f in {**graph.frames, **topics.frames}.items()}
    topics_mixed = Held({name: mixed[name] for name in topics.frames})
    first = kg.view_graph(graph, communities=topics, documents=documents)
    second = kg.view_graph(Held(mixed), communities=topics_mixed, documents=documents)
    assert first.to_html() == second.to_html()


def test_pandas_frames_give_the_same_view_and_stay_as_they_were() -> None:
    graph, topics, _ = history(40)
    pandas = {n: f.to_pandas() for n, f in {**graph.frames, **topics.frames}.items()}
    before = {n: f.copy(deep=True) for n, f in pandas.items()}
    view = kg.view_graph(entities=pandas["entities"], relations=pandas["relations"], communities=pandas["communities"])
    same = kg.view_graph(entities=graph.entities, relations=graph.relations, communities=topics.communities)
    assert view.to_html() == same.to_html()
    for name, frame in pandas.items():
        assert frame.equals(before[name])


def test_the_seed_moves_the_picture() -> None:
    graph, *_ = history(40)
    assert kg.view_graph(graph, seed=1)._positions != kg.view_graph(graph, seed=2)._positions


def test_what_is_left_out_is_said() -> None:
    view = kg.view_graph(star(), max_nodes=3)
    assert view._meta["ids"] == ["hub", "leaf0", "leaf1"]
    assert view._meta["notes"] == [
        "3 of 6 entities shown: those with most relations. Use focus= for others, or a larger max_nodes.",
        "2 of 5 relations shown: those between the entities shown.",
    ]
    assert "3 of 6 entities shown" in view.to_html()


def test_focus_shows_what_is_near_and_selects_it() -> None:
    rows = [entity(i, n) for i, n in [("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")]]
    links = [relation("r1", "b", "a"), relation("r2", "b", "c"), relation("r3", "c", "d")]
    frames = {"entities": tables.from_rows("entities", rows), "relations": tables.from_rows("relations", links)}
    view = kg.view_graph(**frames, focus="A")
    assert view._meta["ids"] == ["a", "b"]
    assert view.selected == "a"
    assert "2 of 4 entities shown: those within 1 step of focus." in view._meta["notes"]
    assert kg.view_graph(**frames, focus=["a"], hops=2)._meta["ids"] == ["a", "b", "c"]
    assert kg.view_graph(**frames, focus="a", hops=3, max_nodes=2)._meta["ids"] == ["a", "b"]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"focus": "Nobody"}, InputError, "focus='Nobody' is neither an entity_id nor a name"),
        ({"max_nodes": 0}, OptionError, "max_nodes=0 must be at least 1"),
        ({"size_by": "weight"}, OptionError, "size_by='weight' is not known. Allowed: 'degree'"),
        ({"color_by": "community"}, InputError, "needs communities="),
        ({"color_by": "age"}, OptionError, "color_by='age' is not known"),
        ({"theme": "pink"}, OptionError, "theme='pink' is not known"),
    ],
)
def test_options_that_cannot_be_used_are_refused(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        kg.view_graph(star(), **options)


def test_frames_that_do_not_fit_are_refused() -> None:
    graph = star()
    with pytest.raises(InputError, match="1 relations have a target_id that is not in entities, first 'leaf4'"):
        kg.view_graph(entities=graph.entities.head(5), relations=graph.relations)
    with pytest.raises(InputError, match="view_graph needs entities and relations; it was given nothing"):
        kg.view_graph()
    topics = planted(200)[1]
    with pytest.raises(OptionError, match=r"level=3 is not known. Allowed: 0"):
        kg.view_graph(star(), communities=topics, level=3)


def test_an_empty_graph_can_be_looked_at() -> None:
    view = kg.view_graph(entities=tables.empty("entities"), relations=tables.empty("relations"))
    assert repr(view) == "GraphView(0 entities, 0 relations)"
    assert "No entities to show." in view.to_svg()
    assert view._positions == b""


def test_only_shown_entities_can_be_selected() -> None:
    view = kg.view_graph(star())
    view.selected = "leaf3"
    assert view.selected == "leaf3"
    with pytest.raises(InputError, match="selected='leaf9' is not among the 6 entities shown"):
        view.selected = "leaf9"
    view.selected = None
    assert view.selected is None


def test_communities_have_titles_sizes_and_an_order() -> None:
    graph, topics, _ = history(80)
    groups = kg.view_graph(graph, communities=topics)._meta["groups"]
    titles = dict(topics.reports.select("community_id", "title").iter_rows())
    grouped = [g for g in groups if g[3] == "grouped"]
    assert [g[2] for g in groups] == sorted((g[2] for g in groups), reverse=True)
    assert all(title == titles[i] for i, title, _, _ in grouped)
    plain = kg.view_graph(graph, communities=topics.communities)._meta["groups"]
    assert plain[0][1].count(",") >= 1  # without reports: the names of the two with most relations


def test_quotes_show_how_widely_something_is_said() -> None:
    graph, topics, documents = history(60)
    details = kg.view_graph(graph, communities=topics, documents=documents)._meta["details"]
    texts = dict(documents.select("source", "text").iter_rows())
    many = [d for d in details["relations"] if d.get("n", 0) >= 3]
    assert many
    for found in many:
        assert len({q["source"] for q in found["quotes"]}) == 3
    for found in [*details["relations"], *details["nodes"]]:
        for q in found.get("quotes", []):
            assert texts[q["source"]][q["start"] : q["end"]] == q["quote"]


def test_a_mention_is_shown_with_the_words_around_it() -> None:
    text = "x" * 100 + " when Ada spoke, they listened."
    at = text.index("Ada")
    mention = {"mention_id": "m", "doc_id": "d", "name": "Ada", "start": at, "end": at + 3, "quote": "Ada",
               "located": "exact", "attributes": "{}", "origin": "t"}  # fmt: skip
    document = {"doc_id": "d", "source": "a.txt", "media_type": "text/plain", "text": text, "n_chars": len(text),
                "content_hash": "h", "metadata": "{}", "sections": []}  # fmt: skip
    graph = {
        "entities": [entity("e", "Ada")],
        "relations": [],
        "evidence": [{"item_id": "e", "item_kind": "entity", "evidence_id": "m"}],
        "mentions": [mention],
        "statements": [],
    }
    held = Held({name: tables.from_rows(name, rows) for name, rows in graph.items()})
    view = kg.view_graph(held, documents=tables.from_rows("documents", [document]))
    (quote,) = view._meta["details"]["nodes"][0]["quotes"]
    assert quote["before"].startswith("…x") and quote["before"].endswith(" when ")
    assert (quote["quote"], quote["after"], quote["source"]) == ("Ada", " spoke, they listened.", "a.txt")


def test_large_graphs_send_quotes_when_asked() -> None:
    graph, topics = planted(500)
    view = kg.view_graph(graph, communities=topics)
    assert "details" not in view._meta
    sent: list[Any] = []
    view.send = sent.append
    view._answer(view, {"ask": "nodes", "rows": [3, 1]}, [])
    view._answer(view, {"ask": "relations", "rows": [0, 10**9, -1, "x", True]}, [])
    view._answer(view, {"ask": "nodes", "rows": "all"}, [])
    view._answer(view, {"ask": "files", "rows": [0]}, [])
    view._answer(view, "ask", [])
    assert [(s["answer"], s["rows"], len(s["details"])) for s in sent] == [
        ("nodes", [3, 1], 2),
        ("relations", [0], 1),
        ("nodes", [], 0),
    ]


def test_a_notebook_file_keeps_a_still_picture(shared: Path) -> None:
    graph, _ = hostile(shared)
    view = kg.view_graph(graph)
    bundle = view._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert data["text/plain"] == "GraphView(4 entities, 4 relations)"
    root = ET.fromstring(data["image/svg+xml"])
    texts = {t.text for t in root.iter("{http://www.w3.org/2000/svg}text")}
    assert "O'Neil \\u003cb\\u003e" in texts
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))
    assert data["image/svg+xml"] == kg.view_graph(graph).to_svg()


def test_the_still_picture_is_small_and_says_its_limits() -> None:
    graph, topics = planted(3000)
    svg = kg.view_graph(graph, communities=topics).to_svg()
    assert len(svg) < 80_000
    assert "220 of 3,000 entities" in svg


def test_layout_keeps_parts_apart_and_the_global_generator_alone() -> None:
    random.seed(7)
    before = random.getstate()
    source = np.array([0, 1, 2, 0, 5, 6])
    target = np.array([1, 2, 3, 3, 6, 7])
    points = layout_nodes(12, source, target, seed=4)
    assert random.getstate() == before
    left, right = points[:4], points[5:8]
    assert left[:, 0].max() < right[:, 0].min()
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)[np.triu_indices(12, 1)]
    assert gaps.min() > 10
    assert np.array_equal(points, layout_nodes(12, source, target, seed=4))


def test_members_of_a_community_lie_together_in_large_graphs() -> None:
    graph, topics = planted(1500)
    view = kg.view_graph(graph, communities=topics)
    points = np.frombuffer(view._positions, "<f4").reshape(-1, 2)
    nodes = np.frombuffer(view._nodes, "<u4").reshape(-1, 5)
    linked = nodes[:, 2] > 2
    spread = [points[linked & (nodes[:, 1] == g)].std(axis=0).mean() for g in range(10)]
    assert max(spread) < 0.5 * points[linked].std(axis=0).mean()


def test_meta_is_json() -> None:
    graph, topics, documents = history(30)
    meta = kg.view_graph(graph, communities=topics, documents=documents)._meta
    assert json.loads(json.dumps(meta)) == meta


def test_inputs_stay_as_they_were() -> None:
    graph, topics, documents = history(30)
    before = {n: f.clone() for n, f in graph.frames.items()}
    kg.view_graph(graph, communities=topics, documents=documents)
    assert all(f.equals(before[n]) for n, f in graph.frames.items())
    assert isinstance(graph.entities, pl.DataFrame)
