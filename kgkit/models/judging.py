"""Decide what became of a request from what the endpoint sent back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kgkit.models.chat import Ask, Parse
from kgkit.models.reading import read_json, without_halves, without_thinking
from kgkit.results import Status

__all__ = ["Verdict", "body_of", "count_of", "is_nothing", "judge", "judge_text"]

_FILTERED = ("content_filter", "safety", "prohibited", "blocklist", "recitation")
_CUT = ("length", "max_tokens", "max_output_tokens", "model_length")


@dataclass(frozen=True)
class Verdict:
    """An outcome without the bookkeeping; ``strict`` when the reply was the JSON asked for and nothing else."""

    status: Status
    reason: str | None = None
    detail: str | None = None
    data: Any = None
    text: str | None = None
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    notes: tuple[str, ...] = ()
    strict: bool | None = None


def body_of(raw: str) -> Mapping[str, Any] | None:
    """Read the body of an answer: JSON, or the events of a stream that nobody asked for; ``None`` when neither."""
    text = raw.strip()
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return _from_events(text) if text.startswith(("data:", "event:", ":")) else None
    if not isinstance(body, dict):
        return None
    return without_halves(body) if "\\ud" in text.lower() else body


def judge(body: Mapping[str, Any], ask: Ask, parse: Parse | None) -> Verdict:
    """Judge a chat completion.

    Args:
        body: The answer's body.
        ask: What was asked.
        parse: See `kgkit.models.chat.Parse`.

    Returns:
        The verdict, with what the endpoint says it used.
    """
    usage = body.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    named = body.get("model")
    facts: dict[str, Any] = {
        "model": named if isinstance(named, str) and named else None,
        "tokens_in": count_of(usage.get("prompt_tokens")),
        "tokens_out": count_of(usage.get("completion_tokens")),
    }

    def failed(reason: str, detail: str, **more: Any) -> Verdict:
        return Verdict("failed", reason, detail, **more, **facts)

    if body.get("error"):
        return failed("endpoint_error", f"The endpoint answered with an error: {said(body['error'])}")
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping):
        return failed("empty_reply", "The endpoint answered without any choice.")
    finish = str(choice.get("finish_reason") or "").lower()
    message = choice.get("message")
    if finish.startswith(_FILTERED):
        return failed("filtered", f"The endpoint's content filter withheld the reply ({finish}).")
    if not isinstance(message, Mapping):
        return failed("empty_reply", "The endpoint answered with a choice that holds no message.")
    if isinstance(message.get("refusal"), str) and message["refusal"].strip():
        return failed("refused", f"The model declined: {message['refusal'].strip()[:300]}")
    verdict = judge_text(_text_of(message.get("content")), ask, parse, cut=finish in _CUT)
    return Verdict(**{**vars(verdict), **facts})


def judge_text(content: str, ask: Ask, parse: Parse | None, *, cut: bool = False) -> Verdict:
    """Judge what a model wrote. ``cut`` says that the endpoint stopped it at the length limit."""
    text = without_thinking(content)
    if cut and not text:
        return Verdict("failed", "cut_by_length", "The length limit was reached before the answer began.")
    if text is None:
        return Verdict("failed", "unusable_reply", "The model's thinking never ended.", strict=False)
    if not text:
        return Verdict("failed", "empty_reply", "The endpoint answered with an empty text.")
    if ask.schema is None:
        if cut:
            return Verdict("failed", "cut_by_length", "The reply was cut by the length limit.", text=text)
        return _parsed(Verdict("ok", data=text, text=text), parse)
    read = read_json(text, ask.schema)
    if cut and not read.strict:
        detail = "The reply was cut by the length limit; what came before the cut is incomplete."
        return Verdict("failed", "cut_by_length", detail, read.data, text)
    if not read.found or not read.whole or not isinstance(read.data, (dict, list)):
        detail = "The reply ends in the middle." if not read.whole else "The reply holds no JSON of the form asked for."
        return Verdict("failed", "unusable_reply", detail, read.data, text, strict=False)
    notes = ("repaired",) if read.repaired else ()
    return _parsed(Verdict("ok", data=read.data, text=text, notes=notes, strict=read.strict), parse)


def is_nothing(data: Any) -> bool:
    """Tell whether no value is in a reply: ``{"entities": [], "relations": []}``."""
    if isinstance(data, Mapping):
        return all(is_nothing(v) for v in data.values())
    if isinstance(data, list):
        return all(is_nothing(v) for v in data)
    return data is None or data == ""


def said(error: Any) -> str:
    """Put an error object of an endpoint into one short line."""
    if isinstance(error, Mapping):
        error = error.get("message") or error.get("code") or error.get("type") or dict(error)
    return " ".join(str(error).split())[:500]


def _parsed(verdict: Verdict, parse: Parse | None) -> Verdict:
    try:
        something = not is_nothing(verdict.data) if parse is None else parse(verdict.data)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as error:
        detail = f"The reply cannot be used: {' '.join(str(error).split())[:300]}"
        return Verdict(**{**vars(verdict), "status": "failed", "reason": "unusable_reply", "detail": detail})
    if something:
        return verdict
    detail = "The model found nothing."
    return Verdict(**{**vars(verdict), "status": "empty", "reason": "empty", "detail": detail})


def _text_of(content: Any) -> str:
    if isinstance(content, list):  # content parts
        parts = [p.get("text") for p in content if isinstance(p, Mapping) and p.get("type", "text") == "text"]
        return "".join(p for p in parts if isinstance(p, str))
    return content if isinstance(content, str) else ""


def count_of(value: Any) -> int | None:
    """Read a number of tokens; ``None`` when it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**40 else None


def _from_events(text: str) -> Mapping[str, Any] | None:
    content: list[str] = []
    last: dict[str, Any] = {}
    finish = refusal = None
    for line in text.splitlines():
        data = line.removeprefix("data:").strip()
        if not line.startswith("data:") or data == "[DONE]":
            continue
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            return None
        if not isinstance(event, dict):
            return None
        if event.get("error"):
            return event
        last = {**last, **{k: event[k] for k in ("model", "usage") if event.get(k)}}
        for choice in event.get("choices") or ():
            delta = choice.get("delta") or choice.get("message") or {}
            content.append(_text_of(delta.get("content")))
            refusal = delta.get("refusal") or refusal
            finish = choice.get("finish_reason") or finish
    if finish is None:
        return None  # broken off
    message = {"role": "assistant", "content": "".join(content), "refusal": refusal}
    return {**last, "choices": [{"message": message, "finish_reason": finish}]}
