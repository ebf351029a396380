"""Policies, disagreements and splits: what the state tells, and what front ends may ask for."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest
from desk_data import Groups, documents, graph, item, merged, pairs, review
from split_data import TEXTS, smiths

import kgkit as kg
from kgkit.errors import InputError
from kgkit.reviewing import Review, agreement, answer_message

PAIR = item("e1", "e2")


def say(desk: Review, do: str, **message: Any) -> dict[str, Any]:
    answer = answer_message(desk, {"do": do, "token": "t", **message})
    json.dumps(answer)  # plain values
    return answer


# Policies


def test_a_policy_is_previewed_applied_listed_and_taken_back() -> None:
    desk = review(order="score")
    seen = say(desk, "policy", name="sure", at=0.8)
    assert seen["preview"]["n"] == 2 and desk.decisions.is_empty() and desk.state()["policies"] == []
    assert [w["name"] for w in seen["preview"]["weakest"]] == ["Ada Lovelace = A. Lovelace", "Grace Hopper = G. Hopper"]
    done = say(desk, "policy", name="sure", at=0.8, apply=True, n=2)
    assert done["ok"] and desk.progress.accepted == 2
    desk.decide(item("e7", "e8"), "rejected")
    desk.decide(PAIR, "rejected", note="two people")
    (row,) = desk.state()["policies"]
    assert {k: row[k] for k in ("policy", "verdict", "threshold", "n", "n_replaced", "by", "batch")} == {
        "policy": "sure", "verdict": "accepted", "threshold": 0.8, "n": 1, "n_replaced": 1, "by": "Ada",
        "batch": done["batch"],
    }  # fmt: skip
    assert desk.queue.filter(pl.col("reviewer") == "rule: sure").height == 1
    assert len(say(desk, "undo", batch=row["batch"])["items"]) == 2
    assert desk.policies.is_empty() and desk.progress.decided == 2 and desk.status_of(PAIR) == "rejected"
    with pytest.raises(InputError, match="nothing to take back"):
        desk.undo_batch(row["batch"])


def test_a_policy_that_would_do_something_else_than_what_was_seen_does_nothing() -> None:
    desk = review()
    seen = say(desk, "policy", name="sure", at=0.8)["preview"]["n"]
    desk.decide(PAIR, "rejected")
    again = say(desk, "policy", name="sure", at=0.8, apply=True, n=seen)
    assert not again["ok"] and "look again" in again["error"] and again["preview"]["n"] == 1
    assert desk.decisions.height == 1
    for bad in ({"name": " "}, {"name": None}, {"at": 7}, {"verdict": "skipped"}):
        assert not say(desk, "policy", **{"name": "sure", "at": 0.8, "apply": True, "n": 1, **bad})["ok"]
    assert desk.decisions.height == 1


def test_rejecting_many_does_not_part_what_a_person_joined() -> None:
    desk = review(Groups())
    trio = item("e3", "e4", "e5")
    joined = review(pairs([("e3", "e4", 0.9)]))
    joined.decide(item("e3", "e4"), "accepted")
    desk = review(Groups(), decisions=joined.decisions)
    assert desk.preview("rejected", at=0.9).barred == 1
    desk.decide_all("rejected", at=0.9)
    assert desk.status_of(trio) == "undecided" and desk.progress.conflicts == 0 and merged(desk)["e4"] == "e3"


# Disagreements


def two_reviewers(**options: Any) -> Review:
    first = review(reviewer="Ada")
    for ids, verdict in ((("e1", "e2"), "accepted"), (("e3", "e4"), "accepted"), (("e7", "e8"), "rejected")):
        first.decide(item(*ids), verdict, note="by Ada")
    second = review(reviewer="Bo", decisions=first.decisions, second_opinion=1.0)
    for ids, verdict in ((("e1", "e2"), "rejected"), (("e3", "e4"), "accepted"), (("e7", "e8"), "rejected")):
        second.decide(item(*ids), verdict, note="by Bo")
    return review(decisions=second.decisions, **options)


def test_disagreements_are_a_queue_with_who_said_what() -> None:
    desk = two_reviewers(reviewer="Cy")
    state = desk.state()
    assert state["n_disagreements"] == 1 and state["agreement"][0]["kappa"] == pytest.approx(0.4)
    assert "disagreements" in state["orders"] and "disagreements" not in review().orders
    rows = say(desk, "disagreements")["disagreements"]
    assert [(r["reviewer"], r["verdict"], r["note"]) for r in rows] == [
        ("Ada", "accepted", "by Ada"),
        ("Bo", "rejected", "by Bo"),
    ]
    say(desk, "ask", order="disagreements")
    assert desk.upcoming(9) == [PAIR] and desk.progress.total == 1
    card = desk.item(PAIR)
    assert card["disputed"] and [v["reviewer"] for v in card["voices"]] == ["Ada", "Bo"]
    assert desk.preview("accepted", at=0.0).n == 0  # nothing there is undecided


@pytest.mark.parametrize("who", ["Ada", "Bo", "Cy"])
@pytest.mark.parametrize("verdict", ["accepted", "rejected"])
def test_a_deciding_answer_settles_a_disagreement_until_it_is_taken_back(who: str, verdict: str) -> None:
    desk = two_reviewers(reviewer=who, order="disagreements")
    assert desk.decide(PAIR, verdict).status == "recorded"
    assert desk.state()["n_disagreements"] == 0 and desk.next() is None and desk.status_of(PAIR) == verdict
    assert desk.decide(PAIR, verdict).status == "already applied"
    assert agreement(desk.decisions).disagreements.is_empty()
    assert agreement(desk.decisions).pairs["kappa"][0] == pytest.approx(0.4)  # what they said before they knew
    desk.undo()
    assert desk.state()["n_disagreements"] == 1 and desk.next()["item_id"] == PAIR


def test_outside_the_queue_of_disagreements_only_a_third_person_settles() -> None:
    for who, n_left in (("Ada", 1), ("Bo", 1), ("Cy", 0)):
        desk = two_reviewers(reviewer=who)
        said = "rejected" if who == "Bo" else "accepted"
        desk.decide(PAIR, said)  # Ada and Bo said so before
        assert desk.decide(PAIR, said).status == "already applied" and desk.state()["n_disagreements"] == n_left
    desk = two_reviewers(reviewer="Ada")
    desk.decide(PAIR, "rejected")
    assert desk.state()["n_disagreements"] == 0


def test_a_second_press_on_the_answer_that_makes_a_disagreement_does_not_settle_it() -> None:
    first = review(reviewer="Ada")
    first.decide(PAIR, "accepted")
    for order in ("score", "disagreements"):
        desk = review(reviewer="Bo", decisions=first.decisions, order=order)
        assert [desk.decide(PAIR, "rejected").status for _ in range(2)] == ["recorded", "already applied"]
        assert desk.state()["n_disagreements"] == 1


def test_a_disagreement_that_is_put_off_comes_back_and_takes_no_word_back() -> None:
    desk = two_reviewers(reviewer="Bo", order="disagreements")
    desk.decide(PAIR, "skipped")
    assert desk.upcoming(3) == [PAIR] and desk.item(PAIR)["status"] == "skipped"
    assert desk.state()["n_disagreements"] == 1 and merged(desk)["e2"] == "e2"


def test_a_second_opinion_that_is_put_off_comes_back_last() -> None:
    first = review(reviewer="Ada", order="score")
    for _ in range(3):
        first.decide(first.next()["item_id"], "rejected")
    desk = review(reviewer="Bo", decisions=first.decisions, second_opinion=1.0, order="score")
    put_off = desk.next()["item_id"]
    desk.decide(put_off, "skipped")
    assert desk.upcoming(9)[-1] == put_off and desk.next()["item_id"] != put_off


def test_in_blind_mode_nobody_hears_others_before_deciding() -> None:
    desk = two_reviewers(reviewer="Cy", blind=True)
    card = desk.item(PAIR)
    assert card["voices"] == [] and card["decision"] is None and card["against"] == []
    assert desk.disagreements.is_empty() and desk.queue["reviewer"].null_count() == 5
    desk.decide(PAIR, "accepted")
    heard = desk.item(PAIR)
    assert [v["reviewer"] for v in heard["voices"]] == ["Ada", "Bo", "Cy"] and heard["disputed"]
    assert desk.disagreements.height == 3


def test_other_words_about_the_same_verdict_are_a_disagreement() -> None:
    trio = item("e3", "e4", "e5")
    first = review(Groups(), reviewer="Ada")
    first.decide(trio, "accepted", name="Ada King")
    for members, n in ((["e3", "e4"], 1), (None, 0)):
        second = review(Groups(), reviewer="Bo", decisions=first.decisions)
        second.decide(trio, "accepted", members=members)
        assert second.state()["n_disagreements"] == n
    relations = Review(graph().relations, graph(), reviewer="Ada")
    relations.decide("r0", "accepted")
    other = Review(graph().relations, graph(), reviewer="Bo", decisions=relations.decisions)
    other.decide("r0", "accepted", reverse=True)
    assert other.disagreements["says"].to_list() == [None, "reverse: True"]


def test_a_person_who_corrects_a_rule_is_no_disagreement() -> None:
    desk = review()
    desk.apply_policy("sure", 0.8)
    desk.decide(PAIR, "rejected")
    assert desk.state()["n_disagreements"] == 0 and desk.agreement.is_empty()


# Splits: two people with one name


def told(rows: list[dict[str, Any]]) -> dict[tuple[int, str, str], list[str]]:
    return {(r["part"], r["predicate"], r["target"]): r["statement_ids"] for r in rows}


def test_relations_go_with_the_chosen_mentions() -> None:
    graph, texts = smiths()
    desk = Review(graph.entities, graph, documents=texts, reviewer="Ada")
    john = graph.entities.filter(pl.col("name") == "John Smith")["entity_id"][0]
    mentions = say(desk, "mentions", item_id=john)
    assert mentions["n"] == 7
    for m in mentions["mentions"]:
        assert TEXTS[m["doc_id"]][m["quote_start"] :].startswith(m["quote"]) and m["source"] == f"{m['doc_id']}.txt"
        assert [m["quote"][a:b] for a, b in m["marks"]] == ["John Smith"]
    builder = [m["mention_id"] for m in mentions["mentions"] if m["doc_id"] == "d1" or "Critics" in m["quote"]]
    parts = [{"name": "John Smith, shipbuilder", "mention_ids": builder}]
    seen = say(desk, "split", item_id=john, parts=parts)
    assert [(p["name"], p["n_mentions"], p["n_relations"]) for p in seen["parts"]] == [
        ("John Smith", 4, 3),
        ("John Smith, shipbuilder", 3, 2),
    ]
    assert told(seen["relations"]) == {
        (0, "meet", "Ann Roe"): ["s2"], (0, "vote for", "Ship Act"): ["s3"], (0, "write to", "John Smith"): ["s5"],
        (1, "build", "ships"): ["s0", "s4"], (1, "hire", "Mary Pell"): ["s1"],
    }  # fmt: skip
    assert desk.decisions.is_empty()
    assert say(desk, "decide", item_id=john, verdict="accepted", parts=parts)["status"] == "recorded"
    after = kg.apply_decisions(graph, desk.decisions)
    names = dict(after.entities.select("entity_id", "name").iter_rows())
    assert sorted((names[s], p) for s, p in after.relations.select("source_id", "predicate").iter_rows()) == [
        ("John Smith", "meet"), ("John Smith", "vote for"), ("John Smith", "write to"),
        ("John Smith, shipbuilder", "build"), ("John Smith, shipbuilder", "hire"),
    ]  # fmt: skip
    desk.undo()
    assert kg.apply_decisions(graph, desk.decisions).relations.equals(graph.relations)


def test_of_a_relation_that_both_have_each_keeps_the_sentences_about_it() -> None:
    graph, texts = smiths()
    desk = Review(graph.entities, graph, documents=texts, reviewer="Ada")
    john = graph.entities.filter(pl.col("name") == "John Smith")["entity_id"][0]
    seen = say(desk, "split", item_id=john, parts=[{"name": "John Smith II", "doc_ids": ["d1"]}])
    found = told(seen["relations"])
    assert (found[0, "build", "ships"], found[1, "build", "ships"]) == (["s4"], ["s0"])
    quotes = {(r["part"], r["predicate"]): r["quotes"] for r in seen["relations"]}
    assert quotes[0, "build"] == ["Critics say John Smith built ships."]
    three = [
        {"name": "John Smith II", "doc_ids": ["d1"]},
        {"name": "John Smith III", "mention_ids": ["d3-000"]},
    ]
    seen = say(desk, "split", item_id=john, parts=three)
    assert [p["n_mentions"] for p in seen["parts"]] == [4, 2, 1]
    for bad in ([], [{"name": "x"}], [{"name": "x", "doc_ids": ["d9"]}], [*three, three[0]], "x", [7]):
        answer = say(desk, "split", item_id=john, parts=bad)
        assert not answer["ok"] and answer["error"], bad
    assert desk.decisions.is_empty()


def test_the_mentions_of_all_that_is_one_can_be_parted() -> None:
    merges = review()
    merges.decide(PAIR, "accepted")
    desk = Review(graph().entities, graph(), documents=documents(), decisions=merges.decisions, reviewer="Ada")
    assert set(desk.mentions("e1")["entity_id"]) == {"e1", "e2"} == set(desk.mentions("e2")["entity_id"])
    own = desk.mentions("e1").filter(pl.col("entity_id") == "e2")["mention_id"].to_list()
    seen = desk.preview_split("e1", [{"name": "G. Hopper", "mention_ids": own}])
    assert seen.relations.filter(pl.col("part") == 1)["predicate"].to_list() == ["lead"]
    with pytest.raises(InputError, match="no entity 'e9'"):
        desk.mentions("e9")
