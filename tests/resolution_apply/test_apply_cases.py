"""Faults that users of other tools reported, held against apply_decisions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from deciding import apply, assert_same_graph, decision, entity, frame, merge, reason_of, triples, undo
from polars.testing import assert_frame_equal

import kgkit as kg
from kgkit import tables
from kgkit.graph import Graph
from kgkit.resolution import active, conflicts


def calder(shared: Path) -> Graph:
    """The graph of entities_merge_loss.json, with its evidence as mentions and statements."""
    case = json.loads((shared / "cases" / "entities_merge_loss.json").read_text("utf-8"))
    names = {"id": "entity_id"}
    entities = [{names.get(k, k): v for k, v in e.items() if k != "evidence"} for e in case["entities"]]
    for row in entities:
        row["n_mentions"] = len(next(e for e in case["entities"] if e["id"] == row["entity_id"]).get("evidence", []))
        row["n_documents"] = row["n_mentions"]
    relations = [
        {"relation_id": r["id"], "source_id": r["source"], "target_id": r["target"], "predicate": r["type"],
         "polarity": "positive", "weight": float(len(r["evidence"])), "n_documents": len(r["evidence"])}
        for r in case["relations"]
    ]  # fmt: skip
    plain = Graph.from_frames(pl.DataFrame(entities, strict=False), pl.DataFrame(relations))
    links = [(e["id"], "entity", m) for e in case["entities"] for m in e.get("evidence", [])]
    links += [(r["id"], "relation", s) for r in case["relations"] for s in r["evidence"]]
    evidence = pl.DataFrame(links, schema=["item_id", "item_kind", "evidence_id"], orient="row")
    ids = sorted({link[2] for link in links})
    where = {"located": "exact", "origin": "case"}
    mentions = [{"mention_id": i, "doc_id": i[:2], "name": "Calder Works", "attributes": "{}", **where} for i in ids]
    said = {"subject": "?", "predicate": "?", "object": "?", "polarity": "positive"}
    statements = [{"statement_id": i, "doc_id": i[:2], **said, **where} for i in ids]
    return Graph(
        entities=plain.entities,
        relations=plain.relations,
        evidence=tables.conform(evidence, "evidence"),
        mentions=tables.from_rows("mentions", mentions),
        statements=tables.from_rows("statements", statements),
        outcomes=plain.outcomes,
    )


def evidence_of(graph: Graph, item_id: str) -> list[str]:
    return graph.evidence.filter(pl.col("item_id") == item_id)["evidence_id"].to_list()


def test_merging_keeps_what_the_absorbed_one_knew(shared: Path) -> None:
    before = calder(shared)
    after = apply(before, merge(1, ["e1", "e2"], name="Calder Works"))
    one = entity(after, "e1")
    assert one["name"] == "Calder Works"
    assert set(one["aliases"]) == {"CW", "Calder Works Ltd", "Calder Pottery"}
    assert sorted(one["description"].split(" ; ")) == [
        "A pottery.",
        "Pottery with two kilns, founded in 1987, supplier to Northwick Council.",
    ]
    assert (one["n_mentions"], one["n_documents"]) == (3, 3)
    assert evidence_of(after, "e1") == ["d1:0", "d2:4", "d3:1"]
    assert "e2" not in after.entities["entity_id"]
    assert triples(after) == [("e1", "SUED", "e3"), ("e3", "BUYS_FROM", "e1"), ("e4", "FOUNDED", "e1")]
    assert evidence_of(after, "r1") == ["d1:0", "d2:4"]
    assert after.relations.filter(pl.col("relation_id") == "r1").select("weight", "n_documents").row(0) == (2.0, 2)
    assert not set(after.evidence["item_id"]) - set(after.entities["entity_id"]) - set(after.relations["relation_id"])


def test_a_relation_that_a_merge_turns_on_itself_is_withheld_and_recorded(shared: Path) -> None:
    after = apply(calder(shared), merge(1, ["e1", "e2"]))
    row = after.withheld.to_dicts()[0]
    assert (row["relation_id"], row["reason"], row["statement_ids"]) == ("r4", "self_loop", ["d3:1"])
    assert row["decision_ids"] == ["x001"]
    assert after.outcomes["notes"].to_list() == [["self_loop: r4 is withheld"]]


def test_undoing_a_merge_gives_the_starting_state(shared: Path) -> None:
    before = calder(shared)
    after = apply(before, merge(1, ["e1", "e2"]), undo(2, 1))
    assert_same_graph(after, before, ("entities", "relations", "evidence", "mentions", "statements"))
    assert after.canonical["entity_id"].to_list() == after.canonical["canonical_id"].to_list()


def test_namesakes_stay_four_until_somebody_decides(shared: Path) -> None:
    case = json.loads((shared / "cases" / "entities_homograph.json").read_text("utf-8"))
    rows = [
        {"mention_id": f"m{i}", "doc_id": "d1", "located": "exact", "attributes": "{}", "origin": "case", **e}
        for i, e in enumerate(case["entities"])
    ]
    graph = kg.build_graph(tables.from_rows("mentions", rows))
    assert kg.apply_decisions(graph, tables.empty("decisions")).entities.height == 4
    ids = dict(graph.entities.select("type", "entity_id").iter_rows())
    after = apply(graph, merge(1, [ids["PLACE"], ids["ORGANISATION"]], type="PLACE"))
    assert after.entities.height == 3
    one = entity(after, min(ids["PLACE"], ids["ORGANISATION"]))
    assert one["type"] == "PLACE"
    assert "run by a parish" in one["description"]
    assert (
        "types_differ: ORGANISATION, PLACE" in after.outcomes["notes"][0][0]
        or "PLACE, ORG" in after.outcomes["notes"][0][0]
    )
    assert after.find("larch").height == 3


def two(**more: Any) -> Graph:
    rows = {"entity_id": ["x", "y", "z"], "name": ["Ex", "Why", "Zed"]}
    return Graph.from_frames(pl.DataFrame(rows | more))


def test_no_sticks_whatever_is_added_or_changed() -> None:
    no = {**merge(1, ["y", "x"], "rejected"), "note": "two people"}
    for graph in (two(), two(description=["a long tale", None, None]), two(n_mentions=[5, 1, 1])):
        after = apply(graph, no, merge(2, ["x", "z"]), merge(3, ["z", "y"]))
        stands = dict(after.canonical.iter_rows())
        assert stands["x"] != stands["y"]
    kept = active(frame(no)).to_dicts()[0]
    assert (kept["reviewer"], kept["note"]) == ("Ada", "two people")
    reopened = apply(two(), no, merge(2, ["x", "y"]))
    assert dict(reopened.canonical.iter_rows())["y"] == "x"


def test_a_refused_pair_is_not_proposed_again() -> None:
    rows = [("Grace Hopper", "PERSON"), ("G. Hopper", "PERSON"), ("Grace B. Hopper", "PERSON"), ("Larch", "PLACE")]
    entities = pl.DataFrame(rows, schema=["name", "type"], orient="row").with_row_index("entity_id")
    entities = entities.with_columns(pl.format("e{}", "entity_id").alias("entity_id"), n_mentions=pl.lit(1))

    def proposed(frame_: pl.DataFrame, *decided: dict[str, Any]) -> set[tuple[str, str]]:
        graph = apply(Graph.from_frames(frame_), *decided)
        found = [kg.propose_merges(g, decisions=frame(*decided)).merges for g in (graph.base, graph)]
        return {pair for merges in found for pair in merges.select("left_id", "right_id").iter_rows()}

    assert ("e0", "e1") in proposed(entities)
    no, yes = merge(1, ["e1", "e0"], "rejected"), merge(2, ["e0", "e2"])
    longer = entities.with_columns(description=pl.lit("a tale much longer than before"))
    unrelated = pl.DataFrame({"entity_id": ["e9"], "name": ["Ferry Pact"], "type": ["WORK"], "n_mentions": [1]})
    for later in (entities, longer, longer[::-1], pl.concat([entities, unrelated], how="diagonal_relaxed")):
        assert ("e0", "e1") not in proposed(later, no)
        assert not proposed(later, no, yes) & {("e0", "e1"), ("e1", "e2")}


def test_the_same_decision_twice_is_one() -> None:
    once = apply(two(), merge(1, ["x", "y"]))
    twice = apply(two(), merge(1, ["x", "y"]), merge(2, ["x", "y"]))
    for name in ("entities", "relations", "evidence", "canonical"):
        assert_frame_equal(getattr(once, name), getattr(twice, name))
    assert reason_of(twice, 1) == ("skipped", "replaced")
    doubled = kg.apply_decisions(two(), pl.concat([frame(merge(1, ["x", "y"]))] * 2))
    assert_same_graph(once, doubled, (*once.frames,))
    again = kg.apply_decisions(once, frame(merge(1, ["x", "y"])))
    assert_same_graph(once, again)
    assert again.outcomes["notes"].to_list() == [["already_applied: the graph had it"]]


def test_a_contradiction_is_set_aside_and_explained() -> None:
    rows = [merge(1, ["x", "y"]), merge(2, ["y", "z"]), merge(3, ["x", "z"], "rejected")]
    after = apply(two(), *rows)
    assert dict(after.canonical.iter_rows()) == {"x": "x", "y": "y", "z": "y"}
    assert reason_of(after, 1) == ("failed", "conflicting")
    row = conflicts(frame(*rows)).to_dicts()[0]
    assert (row["left_id"], row["right_id"], row["apart_by"]) == ("x", "z", "x003")
    assert (row["joined_by"], row["set_aside"]) == (["x001", "x002"], "x001")
    assert "Undo x001" in row["settle"]


def test_those_whose_subjects_are_gone_are_kept_and_listed() -> None:
    rows = [
        merge(1, ["x", "gone"]),
        decision(2, "type", "lost", "accepted", {"type": "PLACE"}),
        decision(3, "split", "lost", "accepted", {"parts": [{"name": "A", "doc_ids": ["d"]}]}),
        decision(4, "relation", "lost", "rejected", {}),
        decision(5, "split", "x", "accepted", {"parts": [{"name": "A", "doc_ids": ["d"]}]}),
    ]
    after = apply(two(), *rows)
    reasons = [reason_of(after, n) for n in range(1, 6)]
    assert reasons == [("skipped", "subject_gone")] * 4 + [("skipped", "nothing_to_move")]
    assert_frame_equal(after.entities, two().entities)


def test_a_gone_entity_still_links_the_others() -> None:
    after = apply(two(), merge(1, ["x", "gone"]), merge(2, ["gone", "z"]))
    assert dict(after.canonical.iter_rows()) == {"x": "x", "y": "y", "z": "x"}
    assert after.outcomes["notes"].to_list() == [["gone: gone"], ["gone: gone"]]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (merge(1, ["x"]), "two different"),
        (merge(1, ["x", "y"], apart=["y"]), "in entity_ids and in apart"),
        (decision(1, "type", "x", "accepted", {}), "needs type, name or revoked"),
        (decision(1, "type", "x", "accepted", {"type": 3}), "must be text"),
        (decision(1, "split", "x", "accepted", {"parts": []}), "needs parts"),
        (decision(1, "relation", "x", "accepted", {"polarity": "maybe"}), "polarity must be one of"),
        (decision(1, "type", "x", "undone", {}), "needs a decision_id"),
        (merge(1, ["x", "y"], "Accepted"), "'Accepted' is not known"),
        (decision(1, "split", "x", "accepted", {"parts": [{"name": "A"}]}), "needs mention_ids or doc_ids"),
        (decision(1, "relation", "x", "rejected", {"statement_ids": []}), "statement_ids must be"),
    ],
)
def test_a_payload_that_cannot_be_used_is_told(row: dict[str, Any], words: str) -> None:
    after = apply(two(), row)
    assert reason_of(after, 1) == ("failed", "bad_payload")
    assert words in after.outcomes["detail"][0]
    assert_frame_equal(after.entities, two().entities)


def test_payloads_may_be_mappings_in_a_pandas_frame() -> None:
    parts = [{"name": "A", "doc_ids": ["d1"]}, {"name": "B", "mention_ids": ["m1"]}]
    rows = [
        {**merge(1, ["x", "y"]), "payload": {"entity_ids": ["x", "y"], "name": "Both"}},
        {**decision(2, "split", "z", "accepted", {}), "payload": {"parts": parts}},
        {**decision(3, "type", "z", "accepted", {}), "payload": {"type": "PLACE"}},
    ]
    after = kg.apply_decisions(two(), pd.DataFrame(rows))
    assert [reason_of(after, n) for n in (1, 2, 3)] == [("ok", None), ("skipped", "nothing_to_move"), ("ok", None)]
    assert entity(after, "x")["name"] == "Both"


def test_text_that_is_no_json_is_told() -> None:
    after = apply(two(), {**merge(1, ["x", "y"]), "payload": "{nonsense"})
    assert reason_of(after, 1) == ("failed", "bad_payload")
