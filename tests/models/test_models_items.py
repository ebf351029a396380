"""Several items in one request."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import Got, Say, Script, Server, completion

import kgkit as kg
from kgkit.models import Ask
from kgkit.models.items import Batch, ask_items, read_batch

Serve = Callable[[Script], Server]


def category(known: set[str]) -> Callable[[Mapping[str, Any]], str]:
    def check(row: Mapping[str, Any]) -> str:
        for name in known:
            if str(row["category"]).strip().casefold() == name.casefold():
                return name
        msg = f"there is no category {row['category']!r}"
        raise ValueError(msg)

    return check


def make(labelled: list[tuple[str, str]]) -> Ask:
    return Ask("", ({"role": "user", "content": json.dumps(labelled)},), {"type": "object"})


def test_answers_that_do_not_line_up(serve: Serve, case: Any) -> None:
    told = case("llm_batch_short.json")
    asked: list[list] = []

    def script(got: Got) -> Say:
        asked.append(json.loads(got.prompt))
        if len(asked) == 1:
            return Say(told["response"])
        return Say(completion('{"assignments": [{"id": "p1", "category": "Sea"}]}'))

    model = kg.OpenAIModel("m", serve(script).url)
    items = [(i["id"], i["title"]) for i in told["items"]]
    check = category(set(told["categories"]))
    answers = {
        a.item_id: a for a in ask_items(model, items, make=make, check=check, stage="t", field_name="assignments")
    }
    assert [titles for _, titles in asked[1]] == ["Quay repairs"]  # the missing one alone, once
    assert {i: (a.status, a.value or a.reason) for i, a in answers.items()} == {
        "p1": ("failed", "conflict"),
        "p2": ("ok", "Craft"),
        "p3": ("ok", "Sea"),
        "p4": ("failed", "unusable_reply"),
        "p5": ("ok", "Sea"),
    }
    assert "Ceramics" in (answers["p4"].detail or "") and answers["p2"].notes == ("unknown_ids:1",)
    assert answers["p5"].notes == ("asked_again",)


def test_answers_by_position_are_refused(serve: Serve, case: Any) -> None:
    told = case("llm_batch_short.json")
    model = kg.OpenAIModel("m", serve(lambda _: Say(told["response_positional"])).url)
    items = [(i["id"], i["title"]) for i in told["items"]]
    answers = list(ask_items(model, items, make=make, check=category(set()), stage="t"))
    assert {(a.status, a.reason) for a in answers} == {("failed", "unusable_reply")} and len(answers) == 5


def test_missing_items_are_asked_again_once(serve: Serve) -> None:
    server = serve(lambda _: Say(completion('{"items": [{"id": "p1", "category": "Sea"}]}')))
    items = [(f"item{i}", "x") for i in range(5)]
    model = kg.OpenAIModel("m", server.url)
    answers = list(ask_items(model, items, make=make, check=category({"Sea"}), stage="t", size=5))
    assert sorted(a.status for a in answers) == ["failed"] * 3 + ["ok"] * 2
    assert {a.reason for a in answers} == {None, "missing"} and len(server.got) == 2


def test_items_before_a_cut_are_kept(serve: Serve) -> None:
    rows = [{"id": f"p{i}", "category": "Sea"} for i in range(1, 6)]
    whole = json.dumps({"items": rows})

    def script(got: Got) -> Say:
        full = len(json.loads(got.prompt)) < 5
        return Say(completion(whole if full else whole[:100], finish="stop" if full else "length"))

    model = kg.OpenAIModel("m", serve(script).url)
    answers = list(ask_items(model, [(f"i{i}", "x") for i in range(5)], make=make, check=category({"Sea"}), stage="t"))
    assert {a.status for a in answers} == {"ok"} and len(answers) == 5


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["p1", "p2", "p3", "p7", "", "1"]), st.integers(0, 2)), max_size=9))
def test_every_item_has_one_answer_of_its_own(rows: list[tuple[str, int]]) -> None:
    batch = Batch([("a", 0), ("b", 0), ("c", 0)])
    data = {"items": [{"id": label, "value": value} for label, value in rows]}
    if not rows:
        with pytest.raises(ValueError, match="list 'items'"):
            read_batch(data, batch, lambda row: row["value"])
        return
    answers = read_batch(data, batch, lambda row: row["value"])
    assert list(answers) == ["a", "b", "c"]
    for label, item_id in batch.labels.items():
        values = {value for name, value in rows if name == label}
        expected = "missing" if not values else "conflict" if len(values) > 1 else None
        assert answers[item_id].reason == expected
        assert expected or answers[item_id].value == values.pop()


def test_labels_in_capitals_are_the_same_labels() -> None:
    batch = Batch([("x", 1), ("y", 2)])
    found = read_batch({"items": [{"id": " P2 ", "v": "b"}, {"id": "P1", "v": "a"}]}, batch, lambda row: row["v"])
    assert {item: answer.value for item, answer in found.items()} == {"x": "a", "y": "b"}
