"""Every reply has one outcome, and no more requests go out than are allowed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import SCHEMA, ask  # type: ignore[attr-defined]
from scripted import Got, Say, Script, Server, completion

import kgkit as kg
from kgkit.models import Reply
from kgkit.models.chat import REASONS

Serve = Callable[[Script], Server]
FOUND = '{"entities": [{"name": "Ada"}], "relations": []}'


def run(model: kg.OpenAIModel, *asks: Any, **options: Any) -> dict[str, Reply]:
    replies = list(model.ask(asks, stage="test", **options))
    assert sorted(r.item_id for r in replies) == sorted(a.item_id for a in asks)
    assert all(r.reason is None if r.status == "ok" else r.reason in REASONS for r in replies)
    return {r.item_id: r for r in replies}


def one(server: Server, **options: Any) -> Reply:
    return run(kg.OpenAIModel("m", server.url, **options), ask("a"))["a"]


@pytest.mark.parametrize(
    ("name", "reason", "requests", "kept"),
    [
        ("llm_length_truncated.json", "cut_by_length", 1, 18),
        ("llm_think_unclosed.json", "cut_by_length", 1, 0),
        ("llm_empty_choices.json", "empty_reply", 2, 0),
        ("llm_null_message.json", "filtered", 1, 0),
        ("llm_refusal.json", "refused", 1, 0),
    ],
)
def test_replies_without_an_answer(
    serve: Serve, case: Any, tmp_path: Path, name: str, reason: str, requests: int, kept: int
) -> None:
    server = serve(lambda got: Say(case(name) if "of a." in got.prompt else completion(FOUND)))
    model = kg.OpenAIModel("m", server.url, cache=tmp_path / "kept")
    replies = run(model, ask("a"), ask("b"))
    assert (replies["a"].status, replies["a"].reason) == ("failed", reason)
    assert replies["a"].attempts == requests == sum("of a." in got.prompt for got in server.got)
    assert len((replies["a"].data or {}).get("entities", [])) == kept
    assert replies["b"].status == "ok"
    assert model.replies is not None and len(model.replies) == 1
    run(model, ask("a"), ask("b"))
    assert sum("of b." in got.prompt for got in server.got) == 1


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("llm_think_block.json", ["Mira Solen"]),
        ("llm_fenced_with_tail.json", ['Calder "Old" Works', "Kiln } Lane"]),
    ],
)
def test_answers_in_strange_clothes(serve: Serve, case: Any, name: str, names: list[str]) -> None:
    server = serve(lambda _: Say(case(name)))
    reply = one(server)
    assert [e["name"] for e in reply.data["entities"]] == names
    assert reply.model == "stub-model" and (reply.tokens_in, reply.tokens_out) == (400, 120)
    assert len(server.got) == 1


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        (completion('{"entities": [], "relations": []}'), "empty", "empty"),
        (completion("{}"), "empty", "empty"),
        (completion("I would rather not."), "failed", "unusable_reply"),
        (completion('{"entities": [{"name": "A'), "failed", "unusable_reply"),
        (completion(""), "failed", "empty_reply"),
        (completion(None), "failed", "empty_reply"),
        (completion(FOUND, finish="content_filter"), "failed", "filtered"),
        (completion([{"type": "text", "text": FOUND}]), "ok", None),
        (completion(FOUND, usage={"prompt_tokens": "many", "completion_tokens": -3}), "ok", None),
        (completion(FOUND, usage=None), "ok", None),
        (completion(FOUND, finish=None), "ok", None),
        ({"choices": "none"}, "failed", "empty_reply"),
        ({"error": {"message": "no such model", "code": 404}}, "failed", "endpoint_error"),
        ([1], "failed", "endpoint_error"),
        ("<html>Bad gateway</html>", "failed", "endpoint_error"),
        (json.dumps(completion(FOUND))[:60], "failed", "endpoint_error"),
    ],
    ids=str,
)
def test_bodies(serve: Serve, body: Any, status: str, reason: str | None) -> None:
    reply = one(serve(lambda _: Say(body)), max_attempts=2)
    assert (reply.status, reply.reason) == (status, reason)


def test_events_that_nobody_asked_for_are_read(serve: Serve) -> None:
    deltas = [{"role": "assistant"}, {"content": FOUND[:20]}, {"content": FOUND[20:]}]
    events = [{"model": "m1", "choices": [{"delta": d, "finish_reason": None}]} for d in deltas]
    events += [{"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}]
    text = "".join(f"data: {json.dumps(e)}\n\n" for e in events)
    stream = {"content-type": "text/event-stream"}
    reply = one(serve(lambda _: Say(text + "data: [DONE]\n\n", headers=stream)))
    assert (reply.status, reply.model, reply.tokens_in) == ("ok", "m1", 3)
    broken = one(serve(lambda _: Say(text[:-120], headers=stream)), max_attempts=1)
    assert (broken.status, broken.reason) == ("failed", "endpoint_error")


@pytest.mark.parametrize(
    ("say", "reason", "requests"),
    [
        (Say({"error": {"message": "slow down"}}, 429), "rate_limited", 3),
        (Say({"error": {"message": "oops"}}, 500), "endpoint_error", 3),
        (Say(completion(FOUND), cut=30), "endpoint_error", 3),
        (Say(reset=True), "endpoint_error", 3),
        (Say("{", 200), "endpoint_error", 3),
        (Say({"error": {"message": "bad key"}}, 401), "endpoint_error", 1),
        (Say({"error": {"message": "no credit", "code": "insufficient_quota"}}, 429), "rate_limited", 1),
        (Say({"error": {"message": "maximum context length is 10 tokens"}}, 400), "endpoint_error", 1),
    ],
    ids=lambda value: f"{value.status}-{value.cut}-{value.reset}" if isinstance(value, Say) else str(value),
)
def test_requests_are_counted_and_bounded(serve: Serve, say: Say, reason: str, requests: int) -> None:
    server = serve(lambda _: say)
    model = kg.OpenAIModel("m", server.url, max_attempts=3)
    reply = run(model, ask("a"))["a"]
    assert (reply.status, reply.reason, reply.attempts) == ("failed", reason, requests)
    assert len(server.got) == requests == len(model.usage())
    assert model.usage(grouped=True).row(0, named=True)["failed"] == requests


def test_a_refused_key_stops_the_run(serve: Serve) -> None:
    server = serve(lambda _: Say({"error": {"message": "bad key"}}, 401))
    replies = run(kg.OpenAIModel("m", server.url, concurrency=2), *(ask(f"a{i}") for i in range(50)))
    assert {r.reason for r in replies.values()} == {"endpoint_error"}
    assert len(server.got) <= 2


def test_failed_items_are_asked_again_and_others_are_not(serve: Serve, tmp_path: Path) -> None:
    ill = {"3", "5"}
    server = serve(
        lambda got: (
            Say({"error": "busy"}, 429) if any(f"of {i}." in got.prompt for i in ill) else Say(completion(FOUND))
        )
    )
    asks = [ask(str(i)) for i in range(1, 6)]
    model = kg.OpenAIModel("m", server.url, cache=tmp_path / "kept", max_attempts=2)
    first = run(model, *asks)
    assert {i for i, r in first.items() if r.status == "failed"} == ill
    assert {first[i].reason for i in ill} == {"rate_limited"}
    ill.clear()
    before = len(server.got)
    second = run(kg.OpenAIModel("m", server.url, cache=tmp_path / "kept"), *asks)
    assert len(server.got) - before == 2
    assert all(r.status == "ok" for r in second.values())
    assert {i for i, r in second.items() if r.cached} == {"1", "2", "4"}


def test_format_that_the_endpoint_refuses(serve: Serve) -> None:
    """What it takes is found out once, and remembered."""

    def script(got: Got) -> Say:
        refused = Say({"error": {"message": "response_format is not supported"}}, 400)
        return refused if "response_format" in got.body else Say(completion(f"```json\n{FOUND}\n```"))

    server = serve(script)
    model = kg.OpenAIModel("m", server.url)
    replies = run(model, *(ask(f"a{i}") for i in range(20)))
    assert all(r.status == "ok" for r in replies.values())
    assert sum("response_format" in got.body for got in server.got) == 2  # a schema, and JSON at all
    assert len(server.got) == 22
    assert [r.notes for r in replies.values() if r.notes] == [("fallback:text",)]
    assert (model.capabilities.json_schema, model.capabilities.json_object) == ("no", "no")
    assert "entities" in server.got[-1].body["messages"][0]["content"]
    run(kg.OpenAIModel("m", server.url), ask("later"))
    assert len(server.got) == 23


def test_format_that_the_endpoint_ignores_goes_into_the_prompt(serve: Serve) -> None:
    server = serve(lambda _: Say(completion(f"Here: {FOUND}")))
    model = kg.OpenAIModel("m", server.url)
    replies = run(model, *(ask(f"a{i}") for i in range(4)))
    assert all(r.status == "ok" for r in replies.values()) and len(server.got) == 4
    assert (model.capabilities.json_schema, model.capabilities.json_object) == ("ignored", "ignored")


@pytest.mark.parametrize("option", ["max_tokens", "temperature", "seed"])
def test_options_that_the_endpoint_refuses(serve: Serve, option: str) -> None:
    error = {"error": {"message": f"Unsupported parameter: '{option}' is not supported with this model."}}
    server = serve(lambda got: Say(error, 400) if option in got.body else Say(completion(FOUND)))
    assert one(server).status == "ok"
    assert len(server.got) == 2
    if option == "max_tokens":
        assert server.got[-1].body["max_completion_tokens"] == 4096


def test_waits_that_are_asked_for(serve: Serve) -> None:
    """Short ones are kept to, long ones are reported at once."""
    long = one(serve(lambda _: Say({"error": "busy"}, 429, {"retry-after": "198300"})))
    assert (long.reason, long.attempts) == ("rate_limited", 1)
    assert "198300 s" in (long.detail or "")

    times: list[float] = []

    def short(_: Got) -> Say:
        times.append(time.monotonic())
        return Say({"error": "busy"}, 429, {"retry-after": "1"}) if len(times) == 1 else Say(completion(FOUND))

    reply = one(serve(short))
    assert (reply.status, reply.attempts, len(times)) == ("ok", 2, 2)
    assert times[1] - times[0] >= 0.99


def test_an_endpoint_that_never_answers(serve: Serve) -> None:
    server = serve(lambda _: Say(delay=60))
    began = time.monotonic()
    reply = one(server, timeout=0.3, max_seconds=0.9)
    assert (reply.status, reply.reason) == ("failed", "timed_out")
    assert time.monotonic() - began < 10
    assert 1 <= reply.attempts == len(server.got) <= 3


def test_nobody_there() -> None:
    with Server(lambda _: Say()) as gone:
        url = gone.url
    replies = list(kg.OpenAIModel("m", url, max_attempts=2).ask([ask("a")], stage="test"))
    assert (replies[0].reason, replies[0].attempts) == ("endpoint_error", 2)


def test_concurrency_is_bounded_and_goes_down_when_it_is_too_much(serve: Serve) -> None:
    def script(got: Got) -> Say:
        busy = len(server.got) < 40 and server.under_way > 4
        return Say({"error": "busy"}, 429, {"retry-after": "0"}) if busy else Say(completion(FOUND), delay=0.01)

    server = serve(script)
    model = kg.OpenAIModel("m", server.url, concurrency=16, max_attempts=12)
    replies = run(model, *(ask(f"a{i}") for i in range(80)))
    assert all(r.status == "ok" for r in replies.values())
    assert server.most_under_way <= 16
    assert len(server.got) == sum(r.attempts for r in replies.values())


def test_a_clipped_prompt_is_reported_and_not_kept(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda _: Say(completion(FOUND, usage=(50, 9))))
    model = kg.OpenAIModel("m", server.url, cache=tmp_path / "kept")
    replies = run(model, ask("long", "word " * 2000), ask("short"))
    assert "clipped" in replies["long"].notes and not replies["short"].notes
    assert model.replies is not None and len(model.replies) == 1


def test_the_caller_judges(serve: Serve) -> None:
    def parse(data: Any) -> bool:
        if data["entities"][0]["name"] != "Bob":
            msg = "no Bob"
            raise ValueError(msg)
        return True

    server = serve(lambda _: Say(completion(FOUND)))
    reply = run(kg.OpenAIModel("m", server.url), ask("a"), parse=parse)["a"]
    assert (reply.reason, reply.attempts) == ("unusable_reply", 2)
    assert "no Bob" in (reply.detail or "")


def test_requests_that_cannot_be_sent_fail_alone(serve: Serve) -> None:
    server = serve(lambda _: Say(completion(FOUND)))
    replies = run(
        kg.OpenAIModel("m", server.url),
        ask("half", "\ud800"),
        kg.models.Ask("none", ()),
        kg.models.Ask("odd", ({"role": "user", "content": object()},), SCHEMA),
        ask("good"),
    )
    assert {i for i, r in replies.items() if r.reason == "bad_request"} == {"half", "none", "odd"}
    assert replies["good"].status == "ok" and len(server.got) == 1


def test_an_endpoint_that_is_gone_is_not_asked_for_ever() -> None:
    with Server(lambda _: Say()) as gone:
        url = gone.url
    model = kg.OpenAIModel("m", url, max_attempts=1, concurrency=4)
    replies = list(model.ask([ask(f"a{i}") for i in range(200)], stage="test"))
    assert len(replies) == 200 and {r.reason for r in replies} == {"endpoint_error"}
    assert 20 <= len(model.usage()) < 40


@pytest.mark.parametrize("first", [True, False])
def test_a_denied_request_stops_the_run_only_when_it_is_the_first(serve: Serve, first: bool) -> None:
    denied = "of a0." if first else "of a5."
    say = Say({"error": {"message": "flagged"}}, 403)
    server = serve(lambda got: say if denied in got.prompt else Say(completion(FOUND)))
    replies = run(kg.OpenAIModel("m", server.url, concurrency=1), *(ask(f"a{i}") for i in range(10)))
    assert sum(r.status == "ok" for r in replies.values()) == (0 if first else 9)


def test_half_characters_do_not_get_in(serve: Serve, tmp_path: Path) -> None:
    content = '{"entities": [{"name": "A\\ud800 \\ud83d\\ude00"}], "relations": []}'
    say = Say(json.dumps(completion(content, model="m\ud800")))
    model = kg.OpenAIModel("m", serve(lambda _: say).url, cache=tmp_path / "kept")
    reply = run(model, ask("a"), kg.models.Ask("\ud800", ask("b").messages))["a"]
    assert reply.data["entities"] == [{"name": "A? \U0001f600"}] and reply.model == "m?"
    assert model.usage()["served"].to_list() == ["m?"]
    assert run(model, ask("a"))["a"].data == reply.data


@pytest.mark.parametrize(
    ("say", "reason", "requests"),
    [
        (Say({"error": {"code": "content_filter", "message": "The response was filtered."}}, 400), "filtered", 1),
        (Say({"code": "DataInspectionFailed", "message": "Inappropriate."}, 400), "filtered", 1),
        (Say({"error": {"message": "Input was flagged by moderation"}}, 403), "filtered", 1),
        (Say({"error": {"message": "Quota exceeded", "type": "insufficient_quota"}}, 429), "rate_limited", 1),
        (Say({"error": {"code": 429, "message": "slow"}}), "rate_limited", 2),
        (Say({"message": "Too many requests", "status": 429}), "rate_limited", 2),
        (Say({"success": False, "errors": [{"message": "no"}], "result": None}), "endpoint_error", 1),
        (Say({"error": "model is overloaded, try again"}), "endpoint_error", 2),
    ],
    ids=lambda value: str(value.body)[:40] if isinstance(value, Say) else str(value),
)
def test_errors_of_other_providers(serve: Serve, say: Say, reason: str, requests: int) -> None:
    server = serve(lambda _: say)
    reply = one(server, max_attempts=2)
    assert (reply.reason, len(server.got)) == (reason, requests)


def test_an_account_without_money_stops_the_run(serve: Serve) -> None:
    server = serve(lambda _: Say({"error": {"message": "Insufficient Balance"}}, 402))
    run(kg.OpenAIModel("m", server.url, concurrency=2), *(ask(f"a{i}") for i in range(50)))
    assert len(server.got) <= 2


def test_the_same_request_goes_out_once(serve: Serve) -> None:
    server = serve(lambda _: Say(completion(FOUND), delay=0.05))
    model = kg.OpenAIModel("m", server.url, concurrency=2)
    replies = run(model, *(ask(f"a{i}", f"Text {i % 2}.") for i in range(40)))
    assert len(server.got) == 2 == sum(r.attempts for r in replies.values())
    assert {r.status for r in replies.values()} == {"ok"} and sum(r.cached for r in replies.values()) == 38
    assert sum(r.tokens_in or 0 for r in replies.values()) == model.usage()["tokens_in"].sum()
