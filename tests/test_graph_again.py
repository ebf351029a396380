"""A graph view that shows what became of its graph: everything stays where it was; and a review that goes along."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from browser.samples import Held, entity, history, planted, relation

import kgkit as kg
from kgkit import tables
from kgkit.notebook import GraphView
from kgkit.resolution import merge_id


def places(view: GraphView) -> dict[str, tuple[float, float]]:
    xy = np.frombuffer(view._positions, "<f4").reshape(-1, 2)
    return dict(zip(view._meta["ids"], map(tuple, xy.tolist()), strict=True))


def decisions(*rows: tuple[str, str, str, str]) -> pl.DataFrame:
    made = [
        {"decision_id": f"d{n}", "kind": kind, "subject_id": subject, "verdict": verdict, "payload": payload}
        for n, (kind, subject, verdict, payload) in enumerate(rows)
    ]
    frame = pl.DataFrame(
        made, schema=dict.fromkeys(("decision_id", "kind", "subject_id", "verdict", "payload"), pl.String)
    )
    times = pl.int_range(pl.len(), dtype=pl.Int64).cast(pl.Datetime("us", "UTC"))
    return frame.with_columns(reviewer=pl.lit("Ada"), note=pl.lit(None, pl.String), decided_at=times)


def one_of(*ids: str, name: str | None = None) -> tuple[str, str, str, str]:
    more = f', "name": "{name}"' if name else ""
    listed = ", ".join(f'"{i}"' for i in ids)
    return "merge", merge_id(ids), "accepted", f'{{"entity_ids": [{listed}]{more}}}'


def test_a_merge_moves_relations_and_nothing_else() -> None:
    graph, topics, documents = history(90)
    view = kg.view_graph(graph, communities=topics, documents=documents)
    view.selected = "ent_0001"
    before, colours, groups = places(view), view._meta["types"], [g[0] for g in view._meta["groups"]]
    view.apply_decisions(decisions(one_of("ent_0000", "ent_0001", name="Both of them")))
    assert view.selected == "ent_0000" and view._meta["names"][0] == "Both of them"
    assert places(view) == {i: at for i, at in before.items() if i != "ent_0001"}
    assert view._meta["types"] == colours and [g[0] for g in view._meta["groups"]] == groups
    now = kg.apply_decisions(graph, decisions(one_of("ent_0000", "ent_0001", name="Both of them")))
    assert len(view._meta["details"]["relations"]) == now.relations.height
    assert repr(view) == f"GraphView(89 entities, {now.relations.height} relations)"
    view.apply_decisions(decisions())
    assert places(view) == before and view.selected == "ent_0000"
    assert "Ada Lovelace" in view.to_svg()


def test_what_a_split_makes_stands_beside_its_neighbours() -> None:
    graph, topics, documents = history(90)
    view = kg.view_graph(graph, communities=topics, documents=documents)
    before = places(view)
    hub = kg.view_graph(graph)._shown.data.entities.sort("degree", descending=True)["entity_id"][0]
    docs = graph.mentions.join(graph.evidence, left_on="mention_id", right_on="evidence_id").filter(item_id=hub)[
        "doc_id"
    ]
    part = f'{{"parts": [{{"name": "The other", "doc_ids": ["{docs[0]}"]}}]}}'
    view.apply_decisions(decisions(("split", hub, "accepted", part)))
    new = places(view).keys() - before.keys()
    assert len(new) == 1 and {i: at for i, at in places(view).items() if i in before} == before
    assert np.isfinite(list(places(view).values())).all()


def test_a_focus_goes_over_to_what_stands_for_it() -> None:
    graph = history(60)[0]
    view = kg.view_graph(graph, focus="Charles Babbage", hops=1)
    assert view.selected == "ent_0001"
    view.apply_decisions(decisions(one_of("ent_0000", "ent_0001")))
    assert view.selected == "ent_0000" and "ent_0000" in view._meta["ids"] and "ent_0001" not in view._meta["ids"]


def test_frames_without_evidence_and_a_graph_that_grows() -> None:
    rows = [entity(i, i.upper()) for i in "abc"]
    links = [relation("r1", "a", "c"), relation("r2", "b", "c")]
    entities, relations = tables.from_rows("entities", rows), tables.from_rows("relations", links)
    view = kg.view_graph(entities=entities, relations=relations)
    before = places(view)
    view.apply_decisions(decisions(one_of("a", "b")))
    assert view._meta["ids"] == ["a", "c"] and len(view._relations) == 20  # the two relations say the same now
    more = [*rows, entity("d", "D", "MACHINE"), entity("e", "E")]
    held = {"entities": tables.from_rows("entities", more)}
    held["relations"] = tables.from_rows("relations", [*links, relation("r3", "d", "a")])
    view.show(Held(held))
    assert {i: at for i, at in places(view).items() if i in before} == before
    assert len(set(places(view).values())) == 5 and view._meta["types"] == ["PERSON", "MACHINE"]


def test_questions_about_rows_that_were_are_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    view = kg.view_graph(planted(600)[0])
    sent: list[Any] = []
    monkeypatch.setattr(view, "send", sent.append)
    view._handle_custom_msg({"ask": "nodes", "rows": [1], "times": 0}, [])
    view.apply_decisions(decisions(one_of("e000000", "e000001")))
    view._handle_custom_msg({"ask": "nodes", "rows": [1], "times": 0}, [])
    view._handle_custom_msg({"ask": "nodes", "rows": [1], "times": 1}, [])
    assert [m["rows"] for m in sent] == [[1], [1]]


def test_a_review_and_a_view_go_together() -> None:
    graph, topics, documents = history(60)
    pairs = pl.DataFrame(
        {"left_id": ["ent_0000", "ent_0002"], "right_id": ["ent_0001", "ent_0003"], "score": [0.9, 0.8]}
    )
    panel = kg.review(pairs, graph, documents=documents, reviewer="Ada", order="score")
    view = kg.view_graph(graph, communities=topics)
    panel.follow(view)
    view.selected = "ent_0001"
    assert panel.filters.entity == "ent_0001" and panel.progress.total == 1
    panel.decide(panel.next()["item_id"], "accepted")
    panel._following.wait()
    assert "ent_0001" not in view._meta["ids"] and view.selected == "ent_0000"
    assert panel.filters.entity == "ent_0001"  # still about what was selected
    view.selected = None
    assert panel.filters.entity is None and panel.progress.total == 2
    panel.undo()
    panel._following.wait()
    assert "ent_0001" in view._meta["ids"]


def test_a_view_that_cannot_follow_is_told_and_deciding_goes_on() -> None:
    graph = history(60)[0]
    pairs = pl.DataFrame({"left_id": ["ent_0000"], "right_id": ["ent_0001"], "score": [0.9]})
    panel = kg.review(pairs, graph, reviewer="Ada")
    view = kg.view_graph(entities=graph.entities, relations=graph.relations)
    view._graph = None
    panel.follow(view)
    panel._following.wait()
    assert "needs a graph" in panel.errors["graph"]
    panel.decide(panel.next()["item_id"], "accepted")
    assert panel.progress.accepted == 1
