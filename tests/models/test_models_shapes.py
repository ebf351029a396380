"""Answers in the shapes of many providers and models, each with the outcome that it means."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import ask  # type: ignore[attr-defined]
from scripted import completion

from kgkit.extraction.model.items import has_items, read_items
from kgkit.extraction.model.prompt import reply_schema
from kgkit.extraction.schema import Schema
from kgkit.models.bodies import body_of, said
from kgkit.models.judging import Verdict, judge
from kgkit.models.pacing import retry_after

FORM = reply_schema(Schema.starter("general"))
FOUND = '{"entities": [{"name": "Mira Solen", "type": "PERSON"}], "relations": []}'
OTHER = FOUND.replace("Mira Solen", "Odd Varga")
DRAFT = FOUND.replace("Mira Solen", "DRAFT ONLY, longer than what is meant")


def judged(body: dict[str, Any], *, plain: bool = False) -> Verdict:
    return judge(body, ask("a", schema=None if plain else FORM), None if plain else has_items)


def names(content: Any, **message: Any) -> list[str]:
    verdict = judged(completion(content, **message))
    assert verdict.status == "ok", verdict
    return [entity.name for entity in read_items(verdict.data, "").entities]


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        *((word, "cut_by_length") for word in ("length", "MAX_TOKENS", "FinishReason.MAX_TOKENS", "token_limit")),
        *((word, "cut_by_length") for word in ("model_context_window_exceeded", "max_output_tokens", "incomplete")),
        *((word, "filtered") for word in ("content_filter", "ContentFilter", "SAFETY", "SPII", "IMAGE_SAFETY")),
        *(
            (word, "filtered")
            for word in ("FinishReason.SAFETY", "sensitive", "guardrail_intervened", "content-filter")
        ),
        *((word, "endpoint_error") for word in ("error", "abort", "network_error", "insufficient_system_resource")),
        *((word, None) for word in ("stop", "eos", "end_turn", "tool_calls", "", None)),
    ],
)
def test_endings(finish: str | None, reason: str | None) -> None:
    assert judged(completion(FOUND, finish=finish)).reason == reason


@pytest.mark.parametrize(
    "content",
    [
        "I'm sorry, but I can't help with that request.",
        "I\u2019m sorry, but I cannot assist with this.",
        "As an AI language model, I am unable to process this content.",
        "Unfortunately, I won't be able to provide that.",
        "Es tut mir leid, aber dabei kann ich nicht helfen.",
        "Lo siento, pero no puedo ayudar con eso.",
        '{"error": "I cannot help with that."}',
        'I cannot help with that. {"entities": [], "relations": []}',
        [{"type": "refusal", "refusal": "I cannot help with that."}],
    ],
    ids=str,
)
def test_refusals(content: Any) -> None:
    assert judged(completion(content)).reason == "refused"
    assert judged(completion(content), plain=True).reason == "refused"


def test_words_of_a_document_are_no_refusal() -> None:
    said_so = '{"entities": [{"name": "Ada", "quote": "I cannot help with that."}], "relations": []}'
    assert judged(completion(said_so)).status == "ok"
    assert judged(completion("The letter reads: I cannot help you."), plain=True).status == "ok"


@pytest.mark.parametrize(
    "thought",
    [
        f"<thinking>{DRAFT}</thinking>",
        f"<think type='x'>{DRAFT}</think>",
        f"Sure.\n<think>{DRAFT}</think>",
        f"{DRAFT} hm</think>",
        f"<think>a <think>b</think> {DRAFT}</think>",
        f"<think>a</think><think>{DRAFT}</think>",
        f"[THINK]{DRAFT}[/THINK]",
        f"◁think▷{DRAFT}◁/think▷",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>",
        f"For example {DRAFT}. The answer: ",
        "\ufeff",
    ],
)
def test_only_the_answer_counts(thought: str) -> None:
    assert names(thought + FOUND) == ["Mira Solen"]


@pytest.mark.parametrize("content", [f"<think>{DRAFT}", f"Sure.\n<think>{DRAFT}", f"<think>a</think>\n<think>{DRAFT}"])
def test_thinking_that_never_ends_is_no_answer(content: str) -> None:
    assert judged(completion(content)).reason == "unusable_reply"
    assert judged(completion(content, finish="length")).reason == "cut_by_length"


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(FOUND),
        FOUND.replace('"', '\\"'),
        FOUND.replace('"', "&quot;"),
        FOUND.replace('"entities"', '"Entities"').replace('"name"', '" NAME "'),
        f'{{"data": {FOUND}}}',
        f'{{"thoughts": {DRAFT}, "answer": {FOUND}}}',
        f"[{FOUND}]",
        '[{"name": "Mira Solen", "type": "PERSON"}]',
        '{"entities": {"name": "Mira Solen", "type": "PERSON"}, "relations": null}',
        '{"entities": {"Mira Solen": {"type": "PERSON"}}, "relations": {}}',
        '{"entities": "[{\\"name\\": \\"Mira Solen\\"}]", "relations": "[]"}',
        '{"entities": ["Mira Solen"], "relations": []}',
        '{"entities": [{"name": "Mira Solen", "confidence": NaN,},],}',
        f"~~~json\n{FOUND}\n~~~",
        f"{FOUND}<|im_end|>",
        [FOUND],
        [{"type": "reasoning", "text": DRAFT}, {"type": "output_text", "text": FOUND}],
        json.loads(FOUND),
    ],
    ids=lambda c: str(c)[:50],
)
def test_forms_of_one_answer(content: Any) -> None:
    assert names(content) == ["Mira Solen"]


@pytest.mark.parametrize(
    "content",
    [
        f"{FOUND}\n{OTHER}",
        f"[{FOUND}, {OTHER}]",
        f"```json\n{FOUND}\n```\nand\n```json\n{OTHER}\n```",
        '{"entities": [{"name": "Mira Solen"}], "entities": [{"name": "Odd Varga"}], "relations": []}',
    ],
)
def test_answers_that_follow_each_other_all_count(content: str) -> None:
    assert names(content) == ["Mira Solen", "Odd Varga"]


def test_an_answer_behind_another_that_breaks_off_is_not_whole() -> None:
    verdict = judged(completion(f"{FOUND}\n{OTHER[:-20]}"))
    assert verdict.reason == "unusable_reply" and "middle" in (verdict.detail or "")


def test_several_answers_are_told() -> None:
    assert judged(completion(f"{FOUND} Or rather: {OTHER}")).notes == ("several_answers",)


FILTERED = {"violence": {"filtered": True}}


def choice(content: str, **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content}, **more}]}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"choices": [{"text": FOUND, "finish_reason": "stop"}]}, None),
        ({"choices": [{"message": FOUND}]}, None),
        ({"choices": [{"message": {"content": None}}, {"message": {"content": FOUND}}]}, None),
        (choice(FOUND, finish_reason="error", error={"message": "gone"}), "endpoint_error"),
        (choice("", content_filter_results={"hate": {"filtered": True}}), "filtered"),
        (choice("", finish_reason="stop", native_finish_reason="SAFETY"), "filtered"),
        ({"choices": [], "promptFeedback": {"blockReason": "SAFETY"}}, "filtered"),
        ({"choices": [], "prompt_filter_results": [{"content_filter_results": FILTERED}]}, "filtered"),
        ({"choices": None}, "empty_reply"),
        (completion(None, tool_calls=[{"function": {"name": "f", "arguments": FOUND}}]), "unusable_reply"),
        (completion("", reasoning_content=DRAFT), "empty_reply"),
    ],
    ids=str,
)
def test_bodies_of_other_providers(body: dict[str, Any], reason: str | None) -> None:
    assert judged(body).reason == reason


def test_streams() -> None:
    def events(*told: Any) -> str:
        return "".join(f"data: {json.dumps(e)}\r\n\r\n" for e in told)

    start = {"choices": [{"index": 0, "delta": {"content": FOUND}}]}
    end = {"choices": [None, {"index": 0, "delta": {}, "finish_reason": "stop"}]}
    body = body_of(events({"choices": []}, start, end, {"choices": [], "usage": {"prompt_tokens": 3}}))
    assert body is not None and judged(dict(body)).tokens_in == 3
    assert body_of(events(start)) is None


def test_what_pages_of_errors_say() -> None:
    page = "<!doctype html><html><head><style>x{}</style></head><body><h1>502 Bad&nbsp;Gateway</h1></body></html>"
    assert said(page) == "502 Bad Gateway"
    assert said([{"error": {"message": "busy"}}]) == "busy"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "-5"}, None),
        ({"retry-after": "1e400"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "2s"}, 2.0),
        ({"retry-after-ms": "300", "retry-after": "9"}, 0.3),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 -0000"}, 0.0),
    ],
)
def test_waits(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds
