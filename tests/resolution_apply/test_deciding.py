"""Which decisions count, what they join and keep apart."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pytest
from deciding import apply, assert_same_graph, decision, entity, frame, merge, reason_of, triples, undo

import kgkit as kg
from kgkit.errors import FrameTypeError, SchemaError
from kgkit.graph import Graph
from kgkit.ids import stable_id
from kgkit.resolution import active, conflicts, links, merge_id


def counting(*rows: dict[str, Any]) -> list[str]:
    return active(frame(*rows))["decision_id"].to_list()


def test_the_newest_on_a_subject_replaces_earlier_ones_of_anybody() -> None:
    yes, no = merge(1, ["a", "b"]), merge(2, ["b", "a"], "rejected")
    assert counting(yes, {**no, "reviewer": "Bo"}) == ["x002"]
    assert counting(yes, {**no, "verdict": "skipped"}) == ["x001"]
    assert counting(yes, {**no, "verdict": "flagged"}) == ["x001"]


def test_undoing_brings_back_what_was_replaced() -> None:
    rows = [merge(1, ["a", "b"]), merge(2, ["a", "b"], "rejected"), undo(3, 2)]
    assert counting(*rows) == ["x001"]
    assert counting(*rows, undo(4, 3)) == ["x002"]
    assert counting(*rows, undo(4, 3), undo(5, 4)) == ["x001"]


def test_an_undo_counts_whenever_it_was_written() -> None:
    early = {**undo(0, 1), "decided_at": merge(1, "ab")["decided_at"].replace(year=2020)}
    assert counting(merge(1, ["a", "b"]), early) == []


def test_undos_that_undo_each_other_and_undos_of_nothing_are_told() -> None:
    graph = Graph.from_frames(pl.DataFrame({"entity_id": ["a", "b"], "name": ["A", "B"]}))
    after = apply(graph, undo(1, 2), undo(2, 1), undo(3, 99), merge(4, ["a", "b"]))
    assert [reason_of(after, n)[1] for n in (1, 2, 3, 4)] == ["circular", "circular", "no_such_decision", None]


def test_links_are_what_is_joined_and_kept_apart() -> None:
    found = links(frame(merge(1, ["c", "a", "b"], apart=["z"]), merge(2, ["x", "y", "w"], "rejected")))
    assert found.must == [("a", "b"), ("b", "c")]
    assert found.cannot == [("a", "z"), ("b", "z"), ("c", "z"), ("w", "x"), ("w", "y"), ("x", "y")]


def test_what_is_apart_stays_apart_under_another_id() -> None:
    found = links(frame(merge(1, ["b", "c"], "rejected"), merge(2, ["a", "b"])))
    assert found.cannot == [("a", "c"), ("b", "c")]


def test_a_newer_word_on_the_very_pair_holds() -> None:
    group_no, pair_yes = merge(1, ["a", "b", "c"], "rejected"), merge(2, ["a", "b"])
    found = links(frame(group_no, pair_yes))
    assert found.must == [("a", "b")]
    assert found.cannot == [("a", "c"), ("b", "c")]
    assert conflicts(frame(group_no, pair_yes)).is_empty()


def test_a_chain_never_overrules_a_no() -> None:
    no = merge(1, ["a", "d"], "rejected")
    chain = [merge(2, ["a", "b"]), merge(3, ["b", "c"]), merge(4, ["c", "d"])]
    found = links(frame(no, *chain))
    assert found.must == [("b", "c"), ("c", "d")]
    row = conflicts(frame(no, *chain)).to_dicts()[0]
    assert (row["joined_by"], row["set_aside"]) == (["x002", "x003", "x004"], "x002")


def test_conflicts_come_as_the_kind_of_frame_that_went_in() -> None:
    rows = frame(merge(1, ["a", "b"]), merge(2, ["b", "c"]), merge(3, ["a", "c"], "rejected")).to_pandas()
    assert isinstance(conflicts(rows), pd.DataFrame)
    assert isinstance(active(rows), pd.DataFrame)


def test_two_rows_of_one_id_must_be_equal() -> None:
    with pytest.raises(SchemaError, match="more than once"):
        links(frame(merge(1, ["a", "b"]), merge(1, ["a", "c"])))


def test_merge_ids_do_not_depend_on_order_or_repeats() -> None:
    assert merge_id(["b", "a", "b"]) == merge_id(["a", "b"]) == stable_id("merge", "a", "b")


def test_only_a_graph_can_be_reviewed() -> None:
    with pytest.raises(FrameTypeError, match="build_graph"):
        kg.apply_decisions(pl.DataFrame({"entity_id": ["a"]}), frame())


def network() -> Graph:
    entities = {
        "entity_id": ["a", "b", "c"],
        "name": ["A", "Bee", "C"],
        "type": ["T", "T", None],
        "n_mentions": [1, 3, 1],
    }
    rows = {"source_id": ["a", "b", "c"], "predicate": ["met", "met", "met"], "target_id": ["c", "c", "c"]}
    return Graph.from_frames(pl.DataFrame(entities), pl.DataFrame(rows))


def relation(one: str, predicate: str, other: str, polarity: str = "positive") -> str:
    return stable_id("relation", one, predicate, other, polarity)


def test_a_rejected_relation_is_gone_also_after_its_ends_are_merged() -> None:
    no = decision(1, "relation", relation("b", "met", "c"), "rejected", {})
    assert triples(apply(network(), no)) == [("a", "met", "c"), ("c", "met", "c")]
    after = apply(network(), no, merge(2, ["a", "b"]))
    assert triples(after) == [("c", "met", "c")]
    assert after.withheld["relation_id"].to_list() == sorted([relation("a", "met", "c"), relation("b", "met", "c")])


def test_a_relation_can_be_corrected_and_the_correction_rejected() -> None:
    turn = decision(1, "relation", relation("a", "met", "c"), "accepted", {"predicate": "knows", "reverse": True})
    assert ("c", "knows", "a") in triples(apply(network(), turn))
    no = decision(2, "relation", relation("c", "knows", "a"), "rejected", {})
    assert triples(apply(network(), turn, no)) == [("b", "met", "c"), ("c", "met", "c")]
    negated = decision(3, "relation", relation("a", "met", "c"), "accepted", {"polarity": "negated"})
    after = apply(network(), turn, negated)
    assert relation("a", "met", "c", "negated") in after.relations["relation_id"]


def test_corrections_that_lead_in_a_circle_end() -> None:
    to = decision(1, "relation", relation("a", "met", "c"), "accepted", {"predicate": "knows"})
    fro = decision(2, "relation", relation("a", "knows", "c"), "accepted", {"predicate": "met"})
    assert ("a", "met", "c") in triples(apply(network(), to, fro))


def test_weights_add_up_and_a_self_relation_of_old_stays() -> None:
    after = apply(network(), merge(1, ["a", "b"]))
    assert after.relations.select("source_id", "target_id", "weight").sort("source_id").rows() == [
        ("a", "c", 2.0),
        ("c", "c", 1.0),
    ]


def test_the_name_is_chosen_by_a_stated_rule() -> None:
    assert entity(apply(network(), merge(1, ["a", "b"])), "a")["name"] == "Bee"
    chosen = apply(network(), merge(1, ["a", "b"], name="Ann"))
    assert entity(chosen, "a")["name"] == "Ann"
    assert entity(chosen, "a")["aliases"] == ["Bee", "A"]
    newer = apply(network(), merge(1, ["a", "b"], name="Ann"), decision(2, "type", "b", "accepted", {"name": "Bo"}))
    assert entity(newer, "a")["name"] == "Bo"
    assert newer.outcomes["notes"].to_list() == [["overruled: name Ann, by a newer choice"], []]


def test_aliases_say_where_they_come_from_and_can_be_revoked() -> None:
    one = merge(1, ["a", "b"])
    after = apply(network(), one)
    assert after.aliases.rows() == [("a", "A", "text", "a", None)]
    other = apply(network(), {**one}, decision(2, "type", "a", "accepted", {"name": "A"}))
    assert other.aliases.rows() == [("a", "Bee", "x001", "b", None)]
    revoked = apply(network(), one, decision(2, "type", "a", "accepted", {"name": "A", "revoked": ["BEE"]}))
    assert entity(revoked, "a")["aliases"] == []
    assert revoked.aliases.rows() == [("a", "Bee", "x001", "b", "x002")]
    back = apply(network(), one, decision(2, "type", "a", "accepted", {"revoked": ["BEE"]}), undo(3, 2))
    assert_same_graph(back, after)


def test_a_type_is_changed_without_changing_the_id() -> None:
    after = apply(network(), decision(1, "type", "c", "accepted", {"type": "PLACE", "name": "Sea"}))
    one = entity(after, "c")
    assert (one["type"], one["name"], one["aliases"]) == ("PLACE", "Sea", ["C"])


def test_frames_come_out_as_the_graph_came_in() -> None:
    graph = network().to_pandas()
    after = kg.apply_decisions(graph, frame(merge(1, ["a", "b"])))
    assert all(isinstance(f, pd.DataFrame) for f in after.frames.values())
    assert_same_graph(after.to_polars(), apply(network(), merge(1, ["a", "b"])))


def test_members_are_the_entities_before() -> None:
    after = apply(network(), merge(1, ["a", "b"]))
    assert after.members("a")["name"].to_list() == ["A", "Bee"]
