"""Reading what models write."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgkit.models.reading import read_json
from kgkit.models.thinking import without_thinking

SCHEMA = {"type": "object", "properties": {"items": {"type": "array"}}}
LEAVES = st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=8)
ITEMS = st.dictionaries(st.text(max_size=4), LEAVES | st.lists(LEAVES, max_size=2), min_size=1, max_size=3)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('{"items": [1]}', {"items": [1]}),
        ('```json\n{"items": [1]}\n```', {"items": [1]}),
        ('Sure:\n```\n{"items": [1]}\n```\nAnything {else}?', {"items": [1]}),
        ('Not {this} but {"items": [2]}', {"items": [2]}),
        ('{"other": 1} and {"items": [3]}', {"items": [3]}),
        ("{'items': ['a', 'b',],}", {"items": ["a", "b"]}),
        ('{"items": [{"a": 1} {"a": 2}]}', {"items": [{"a": 1}, {"a": 2}]}),
        ('{"items": ["say "hi" now"]}', {"items": ['say "hi" now']}),
        ('{"items": [{"a": 1}]', {"items": [{"a": 1}]}),  # the last bracket alone is missing
        ('[{"a": 1}]', {"items": [{"a": 1}]}),
        ('{"items": [NaN]}', {"items": [None]}),
        ("{}", {}),
    ],
)
def test_json_is_found(text: str, data: object) -> None:
    read = read_json(text, SCHEMA)
    assert read.found and read.whole
    assert read.data == data
    if read.strict:
        assert json.loads(text.replace("NaN", "null")) == data


@pytest.mark.parametrize(
    "text", ["", "I found nothing.", "I found {nothing}.", '"items"', "7", '{"error": "no"}', "[" * 9999, "1" * 9999]
)
def test_what_is_no_answer_is_none(text: str) -> None:
    read = read_json(text, SCHEMA)
    assert not (read.found and read.whole)


@settings(deadline=None)
@given(st.lists(ITEMS, max_size=5), st.data())
def test_a_cut_reply_gives_the_items_before_the_cut_and_no_other(items: list[dict], data: st.DataObject) -> None:
    text = json.dumps({"items": items}, ensure_ascii=False)
    cut = data.draw(st.integers(0, len(text) - 1))
    read = read_json(text[:cut], SCHEMA)
    got = (read.data or {}).get("items", [])
    assert got == items[: len(got)]
    if read.whole and read.found:
        assert got == items, "called whole, and something is missing"


@settings(deadline=None)
@given(st.text(), st.lists(ITEMS, max_size=3), st.booleans())
def test_thinking_is_no_answer(thought: str, items: list[dict], opened: bool) -> None:
    draft = json.dumps({"items": [{"draft": 1}]})
    thought = thought.replace("<", "").strip()
    thinking = f"<think>{thought}{draft}</think>" if opened else f"Hm, {thought}{draft}</think>"
    text = without_thinking(f"{thinking}\n{json.dumps({'items': items})}")
    assert text is not None
    assert read_json(text, SCHEMA).data == {"items": items}


@pytest.mark.parametrize(
    "text", ['{"items": [{"a": 1}', '{"items": [{"a": 1}, {"a": 2', '{"items": [1,', '{"other": []']
)
def test_a_list_that_is_not_closed_may_have_had_more(text: str) -> None:
    read = read_json(text, {**SCHEMA, "properties": {"items": {"type": "array"}, "other": {}}})
    assert not read.whole
    assert read.data in ({"items": [{"a": 1}]}, {"items": [1]}, {"items": []}, {"other": []})


def test_thinking_that_never_ends() -> None:
    assert without_thinking('<think> {"items": [1]}') is None
    assert without_thinking('{"items": ["</think>"]}') == '{"items": ["</think>"]}'
