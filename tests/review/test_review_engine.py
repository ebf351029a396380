"""Deciding item by item: what is kept, what comes back, what changes nothing."""

from __future__ import annotations

import json
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from desk_data import NAMES, Broken, Groups, graph, item, merged, pairs, review
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import kgkit as kg
from kgkit.errors import InputError, OptionError
from kgkit.resolution.decisions import read_decisions
from kgkit.reviewing import Review
from kgkit.reviewing.state import State


def test_the_queue_is_a_frame_in_the_order_of_asking() -> None:
    desk = review(order="uncertain")
    assert desk.queue["score"].to_list() == [0.55, 0.6, 0.3, 0.8, 0.9]
    assert desk.queue["status"].unique().to_list() == ["undecided"]
    assert desk.queue.row(0, named=True)["name"] == "A. Lovelace = Lovelace"
    assert desk.next()["item_id"] == item("e4", "e5")


@pytest.mark.parametrize(
    ("order", "first"),
    [("score", ("e1", "e2")), ("uncertain", ("e4", "e5")), ("consequential", ("e1", "e3"))],
)
def test_orders(order: str, first: tuple[str, str]) -> None:
    desk = review(pairs([("e1", "e2", 0.9), ("e1", "e3", 0.1), ("e4", "e5", 0.55)]), order=order)
    assert desk.next()["item_id"] == item(*first)


def test_an_audit_is_drawn_by_its_seed_alone() -> None:
    drawn = [tuple(review(pairs(reversed(pairs().rows())), order="random", seed=s).queue["item_id"]) for s in range(9)]
    assert drawn == [tuple(review(order="random", seed=s).queue["item_id"]) for s in range(9)]
    assert len(set(drawn)) > 3


def test_filters_keep_what_they_name() -> None:
    desk = review()
    assert desk.ask(type="MACHINE").queue["name"].to_list() == ["Mark I = Mark II"]
    assert desk.ask(document="d1.txt").queue.height == 2
    assert desk.ask(low=0.6, high=0.8).queue["score"].to_list() == [0.6, 0.8]
    assert desk.ask(entity="e5").queue.height == 2
    assert desk.ask().queue.height == 5
    with pytest.raises(OptionError, match="Allowed: 'kind', 'type', 'document'"):
        desk.ask(colour="red")


def test_decisions_make_the_graph() -> None:
    desk = review()
    desk.decide(item("e1", "e2"), "accepted", name="Grace Murray Hopper", note="same A-0")
    desk.decide(item("e7", "e8"), "rejected")
    assert merged(desk)["e2"] == "e1"
    after = kg.apply_decisions(graph(), desk.decisions)
    assert after.entities.filter(pl.col("entity_id") == "e1")["name"].to_list() == ["Grace Murray Hopper"]
    assert desk.progress.decided == 2 and desk.progress.accept_rate == 0.5
    assert desk.decisions["note"].to_list() == ["same A-0", None]


def test_what_follows_from_other_answers_is_not_asked() -> None:
    desk = review()
    desk.decide(item("e3", "e4"), "accepted")
    desk.decide(item("e4", "e5"), "accepted")
    row = desk.queue.filter(pl.col("item_id") == item("e3", "e5")).row(0, named=True)
    assert (row["status"], row["implied"]) == ("accepted", True)
    assert desk.progress.left == 2


def test_skipped_and_flagged_come_back_last() -> None:
    desk = review(order="score")
    skipped = [desk.decide(desk.next()["item_id"], "skipped").item_id for _ in range(2)]
    flagged = desk.decide(desk.next()["item_id"], "flagged", note="ask Bo").item_id
    for _ in range(2):
        desk.decide(desk.next()["item_id"], "rejected")
    assert desk.upcoming(9) == [*skipped, flagged]
    assert desk.item(flagged)["decision"]["note"] == "ask Bo"
    desk.decide(skipped[0], "skipped")
    assert desk.upcoming(9) == [skipped[1], skipped[0], flagged]
    for one in (*skipped, flagged):
        desk.decide(one, "rejected")
    assert desk.next() is None


def test_undo_has_no_limit_and_outlives_the_session() -> None:
    first = review(order="score")
    order = [
        first.decide(i, v).item_id
        for i, v in zip(first.upcoming(4), ["accepted", "rejected", "skipped", "flagged"], strict=True)
    ]
    later = review(order="score", decisions=first.decisions)
    assert later.undo(2) == order[:1:-1] and later.next()["item_id"] == order[2]
    assert later.undo(9) == order[1::-1]
    assert later.undo() == []
    assert later.queue["status"].unique().to_list() == ["undecided"] and later.decisions.height == 8


def test_what_was_taken_back_and_is_then_skipped_comes_back_at_the_end() -> None:
    desk = review(order="score")
    first = desk.next()
    assert first is not None
    for verdict in ("skipped", "accepted", "flagged"):
        desk.decide(first["item_id"], verdict)
        desk.undo()
        assert (desk.next() or {})["item_id"] == first["item_id"]
    desk.decide(first["item_id"], "skipped")
    asked = desk.upcoming(len(desk.queue))
    assert asked[0] != first["item_id"] and asked[-1] == first["item_id"]


def test_only_own_decisions_are_undone() -> None:
    first = review(reviewer="Bo")
    first.decide(item("e1", "e2"), "accepted")
    desk = review(decisions=first.decisions)
    assert desk.undo() == []
    desk.undo_decision(desk.decisions["decision_id"][0])
    assert desk.status_of(item("e1", "e2")) == "undecided"


def test_changing_an_answer_leaves_one_that_counts() -> None:
    desk = review()
    pair = item("e1", "e2")
    for verdict in ("accepted", "rejected", "skipped", "accepted"):
        desk.decide(pair, verdict)
        assert desk.status_of(pair) == verdict
    assert merged(desk)["e2"] == "e1" and desk.conflicts.is_empty()


def test_answering_twice_changes_nothing() -> None:
    desk = review()
    pair = item("e1", "e2")
    first, again = desk.decide(pair, "accepted", token="t1"), desk.decide(pair, "accepted", token="t1")
    assert (first.status, again.status) == ("recorded", "already applied")
    assert desk.decide(pair, "accepted").status == "already applied"
    assert desk.decisions.height == 1
    desk.undo()
    assert desk.decide(pair, "rejected", token="t1").status == "already applied"
    assert desk.status_of(pair) == "undecided"
    once = kg.apply_decisions(graph(), desk.decisions)
    twice = kg.apply_decisions(once, pl.concat([desk.decisions, desk.decisions]))
    assert_frame_equal(once.entities, twice.entities)


def test_a_store_that_fails_leaves_the_item_undecided_and_says_why(tmp_path: Path) -> None:
    project = kg.Project(tmp_path / "p.kg")
    store = Broken(project)
    desk = review(project=store)
    pair = item("e1", "e2")
    with pytest.raises(OSError, match="read-only"):
        desk.decide(pair, "accepted", token="t1")
    assert desk.status_of(pair) == "undecided"
    assert desk.item(pair)["error"] == desk.errors[pair] == "the ledger is read-only"
    store.broken = False
    assert desk.decide(pair, "accepted", token="t1").status == "recorded"
    assert desk.item(pair)["error"] is None and project.decisions().height == 1


def test_a_project_resumes_where_it_was_left(tmp_path: Path) -> None:
    project = kg.Project(tmp_path / "p.kg")
    desk = review(project=project, order="score")
    for verdict in ("accepted", "rejected"):
        desk.decide(desk.next()["item_id"], verdict)
    again = review(project=kg.Project(tmp_path / "p.kg"), order="score")
    assert again.progress.decided == 2 and again.next()["item_id"] == desk.next()["item_id"]
    assert again.undo() == [item("e3", "e4")]
    desk.refresh()
    assert desk.status_of(item("e3", "e4")) == "undecided"
    with pytest.raises(InputError, match="not both"):
        review(project=project, decisions=desk.decisions)


@pytest.mark.parametrize("rows", [[("e2", "e1", 0.9)], [("e1", "e2", 0.99)], [("e1", "e2", 0.9), ("e2", "e1", 0.95)]])
def test_no_is_not_asked_again_in_either_order(rows: list[tuple[str, str, float]]) -> None:
    desk = review(pairs([("e1", "e2", 0.9)]))
    desk.decide(item("e2", "e1"), "rejected", note="two people")
    again = review(pairs(rows), decisions=desk.decisions)
    assert again.next() is None and again.queue.height == 1
    assert again.item(item("e1", "e2"))["decision"]["reviewer"] == "Ada"


def test_contradictions_are_found_and_can_be_settled() -> None:
    desk = review()
    desk.decide(item("e3", "e5"), "rejected")
    desk.decide(item("e3", "e4"), "accepted")
    answer = desk.decide(item("e4", "e5"), "accepted")
    assert answer.n_conflicts == desk.progress.conflicts == 1
    row = desk.conflicts.row(0, named=True)
    assert (row["left_id"], row["right_id"]) == ("e3", "e5")
    desk.undo_decision(row["apart_by"])
    assert desk.conflicts.is_empty() and merged(desk)["e5"] == "e3"


def test_two_reviews_of_one_project_hear_of_each_other_when_they_decide(tmp_path: Path) -> None:
    kg.Project(tmp_path / "p.kg")
    one, other = (review(project=kg.Project(tmp_path / "p.kg"), reviewer=name) for name in ("Ada", "Bo"))
    one.decide(item("e1", "e2"), "accepted")
    other.decide(item("e1", "e2"), "rejected")
    assert set(other.disagreements["reviewer"]) == {"Ada", "Bo"} and one.disagreements.is_empty()
    one.decide(item("e3", "e4"), "accepted")
    other.decide(item("e7", "e8"), "rejected")
    assert other.status_of(item("e3", "e4")) == "accepted" and one.status_of(item("e7", "e8")) == "undecided"
    one.undo()
    other.refresh()
    assert one.queue.equals(other.queue) and one.disagreements.equals(other.disagreements)


HOSTILE = [
    "<img src=x onerror=alert(1)>", "</script><script>1</script>", "\u202eevil\u202c", "a\x00b", "a\x07\x1b[31mb",
    "x" * 10_000, "\U0001f469\u200d\U0001f469\u200d\U0001f467" * 30, "\u200b", "=1+1", "", "  ", "\n\n",
    "\u2066\u2067", "\U0001d54f" * 5,
]  # fmt: skip


def test_hostile_names_notes_and_reviewers_come_back_as_they_are(tmp_path: Path) -> None:
    ids = [f"h{i:02}" for i in range(len(HOSTILE))]
    people = pl.DataFrame({"entity_id": ids, "name": HOSTILE, "type": HOSTILE[::-1]})
    rows = pairs([(a, b, 0.5) for a, b in pairwise(ids)])
    desk = Review(rows, people, reviewer=HOSTILE[0], project=kg.Project(tmp_path / "p.kg"))
    for number, one in enumerate(desk.upcoming(99)):
        card = desk.item(one)
        json.dumps([card, desk.state()], allow_nan=False)
        assert {side["name"] for side in card["sides"]} <= set(HOSTILE)
        assert ["".join(text for text, _ in side["parts"]) for side in card["sides"]] == [
            s["name"] for s in card["sides"]
        ]
        desk.decide(one, ("accepted", "rejected", "flagged")[number % 3], note=f"{HOSTILE[number]}.")
    assert desk.decisions["note"].to_list() == [f"{name}." for name in HOSTILE[:-1]]
    assert set(desk.decisions["reviewer"]) == {HOSTILE[0]}
    sheet = desk.to_csv(tmp_path / "queue.csv")
    assert set(desk.from_csv(sheet)["result"]) <= {"unchanged", "already applied"}
    assert Review(rows, people, project=kg.Project(tmp_path / "p.kg")).progress.decided == desk.progress.decided


@pytest.mark.parametrize("filters", [{"low": "a"}, {"high": True}, {"type": ["x"]}, {"document": {}}, {"entity": 5}])
def test_a_filter_that_is_none_changes_nothing(filters: dict[str, Any]) -> None:
    desk = review().ask("random", type="PERSON")
    before = desk.queue
    with pytest.raises(OptionError, match=f"{next(iter(filters))}=.* is no filter"):
        desk.ask("score", **filters)
    assert (desk.order, desk.filters.type) == ("random", "PERSON") and desk.refresh().queue.equals(before)


def test_frames_leave_as_the_kind_that_came_in() -> None:
    desk = Review(pairs().to_pandas(), graph().to_pandas(), reviewer="Ada")
    desk.decide(desk.next()["item_id"], "accepted")
    assert [type(f).__module__.split(".")[0] for f in (desk.queue, desk.decisions, desk.conflicts)] == ["pandas"] * 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda d: d.decide("merge_x", "accepted"), "There is no item 'merge_x'"),
        (lambda d: d.decide(item("e1", "e2"), "yes"), "Allowed: 'accepted', 'rejected', 'skipped', 'flagged'"),
        (lambda d: d.decide(item("e1", "e2"), "accepted", predicate="know"), "nothing that a merge has"),
        (lambda d: d.decide(item("e1", "e2"), "accepted", members=["e1"]), "At least two"),
        (lambda d: d.decide(item("e1", "e2"), "accepted", members=["e1", "e9"]), "'e9' is no member"),
        (lambda d: d.decide(item("e1", "e2"), "accepted", name=" "), "must be text"),
        (lambda d: d.ask("best"), "Allowed: 'teach'"),
        (lambda d: review(pairs([("e1", "zz", 0.5)])), "'zz', which is not in the graph"),
        (lambda d: review(second_opinion=2), "Allowed: 0 to 1"),
        (lambda d: d.undo_decision("x"), "no decision 'x'"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_kept(call: object, words: str) -> None:
    desk = review()
    with pytest.raises(InputError, match=words):
        call(desk)  # type: ignore[operator]
    assert desk.decisions.is_empty()


ANSWERS = st.lists(
    st.tuples(
        st.sampled_from(sorted(combinations("abcd", 2))), st.sampled_from(["accepted", "rejected", "skipped", "undo"])
    ),
    max_size=14,
)


@settings(max_examples=60, deadline=None)
@given(ANSWERS)
def test_one_answer_at_a_time_gives_what_all_at_once_give(answers: list[tuple[tuple[str, str], str]]) -> None:
    people = pl.DataFrame({"entity_id": list("abcd"), "name": list("ABCD")})
    desk = Review(pairs([(a, b, 0.5) for a, b in combinations("abcd", 2)]), people, reviewer="Ada")
    for pair, verdict in answers:
        if verdict == "undo":
            desk.undo()
        else:
            desk.decide(item(*pair), verdict)
    fresh = State(desk._entries, read_decisions(desk.decisions))
    assert {i: s.status for i, s in fresh.stands.items()} == {i: s.status for i, s in desk._stands.items()}
    assert (fresh.root, fresh.apart, fresh.conflicts) == (desk._state.root, desk._state.apart, desk._state.conflicts)


def test_the_same_whatever_the_order_of_rows() -> None:
    desk, other = review(), review(pairs(reversed(pairs().rows())))
    assert_frame_equal(desk.queue, other.queue)
    assert set(NAMES) == {e for row in pairs().rows() for e in row[:2]} | {"e6"}


def test_what_was_decided_can_be_changed_when_it_is_not_proposed_any_more() -> None:
    first = review()
    first.decide(item("e1", "e2"), "rejected", note="two people")
    desk = review(pairs([("e7", "e8", 0.3)]), decisions=first.decisions)
    assert desk.progress.total == 2 and desk.recent()[0]["label"] == "Grace Hopper = G. Hopper"
    assert desk.undo() == [item("e1", "e2")] and desk.next()["item_id"] == item("e1", "e2")
    desk.decide(item("e1", "e2"), "accepted")
    assert merged(desk)["e2"] == "e1"


def test_a_decision_on_what_is_gone_can_still_be_undone() -> None:
    first = review()
    first.decide(item("e1", "e2"), "accepted")
    people = pl.DataFrame({"entity_id": ["e7", "e8"], "name": ["Mark I", "Mark II"]})
    desk = Review(pairs([("e7", "e8", 0.3)]), people, decisions=first.decisions, reviewer="Ada")
    assert desk.recent()[0]["label"] == "e1 = e2"
    assert desk.undo() == [item("e1", "e2")] and desk.next()["item_id"] == item("e7", "e8")


def test_undo_keeps_to_what_the_review_is_about() -> None:
    merges = review()
    merges.decide(item("e1", "e2"), "accepted")
    relations = Review(graph().relations, graph(), decisions=merges.decisions, reviewer="Ada")
    assert relations.undo() == [] and relations.recent() == [] and relations.progress.total == 3
    relations.decide("r0", "rejected")
    again = review(pairs([]), decisions=relations.decisions)
    assert again.undo(2) == [item("e1", "e2")]


def test_a_bulk_decision_that_cannot_be_kept_leaves_every_item_undecided_and_says_so(tmp_path: Path) -> None:
    store = Broken(kg.Project(tmp_path / "p.kg"))
    desk = review(project=store)
    with pytest.raises(OSError, match="read-only"):
        desk.decide_all("accepted", at=0.5)
    assert desk.progress.decided == 0 and store.decisions().is_empty()
    assert desk.errors == dict.fromkeys(desk.queue.filter(pl.col("score") >= 0.5)["item_id"], "the ledger is read-only")
    store.broken = False
    assert desk.decide_all("accepted", at=0.5).n == 4 and desk.errors == {}
    store.broken = True
    with pytest.raises(OSError, match="read-only"):
        desk.undo()
    assert desk.progress.accepted == 4 and store.decisions().height == 4


def test_changing_an_answer_that_cannot_be_kept_leaves_the_old_one(tmp_path: Path) -> None:
    store = Broken(kg.Project(tmp_path / "p.kg"))
    store.broken = False
    desk = review(Groups(), project=store)
    trio = item("e3", "e4", "e5")
    desk.decide(trio, "accepted")
    store.broken = True
    with pytest.raises(OSError, match="read-only"):
        desk.decide(trio, "accepted", members=["e3", "e4"])
    assert desk.status_of(trio) == "accepted" and merged(desk)["e5"] == "e3"
    store.broken = False
    assert desk.decide(trio, "accepted", members=["e3", "e4"]).status == "recorded"
    assert merged(desk)["e5"] == "e5" and store.decisions()["verdict"].to_list() == ["accepted", "undone", "accepted"]


def test_many_answers_are_kept_together_or_not_at_all(tmp_path: Path) -> None:
    project = kg.Project(tmp_path / "p.kg")
    desk = review(project=project)
    answers = [
        {"item_id": item("e1", "e2"), "verdict": "accepted", "name": "Grace", "note": "same A-0"},
        {"item_id": item("e7", "e8"), "verdict": "rejected"},
    ]
    for bad in ({"verdict": "yes"}, {"item_id": "merge_x"}, {"item_id": item("e1", "e2")}, {"predicate": "know"}):
        with pytest.raises(InputError):
            desk.decide_many([*answers, {"item_id": item("e3", "e4"), "verdict": "accepted"} | bad])
    assert project.decisions().is_empty() and desk.progress.decided == 0
    assert [a.status for a in desk.decide_many(answers)] == ["recorded"] * 2
    assert [a.status for a in desk.decide_many(answers)] == ["already applied"] * 2
    assert project.decisions()["note"].to_list() == ["same A-0", None]
