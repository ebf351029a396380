"""Decide what became of a request from what the endpoint sent back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kgkit.models.bodies import first_choice, said, text_of, tool_of
from kgkit.models.chat import Ask, Parse
from kgkit.models.endings import Ending, ending_of, is_filtered, is_refusal
from kgkit.models.reading import read_json
from kgkit.models.thinking import without_thinking
from kgkit.results import Status

__all__ = ["Verdict", "count_of", "is_nothing", "judge", "judge_text"]


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
    choice = first_choice(body)
    if choice is None:
        if is_filtered(body):
            return failed("filtered", "The endpoint's content filter withheld the reply.")
        return failed("empty_reply", "The endpoint answered without any choice.")
    ending = _ending(choice)
    withheld = _withheld(choice, ending)
    if withheld is not None:
        return failed(*withheld)
    verdict = judge_text(text_of(choice["message"].get("content")), ask, parse, cut=ending == "cut")
    return Verdict(**{**vars(verdict), **facts})


def _ending(choice: Mapping[str, Any]) -> Ending | None:
    told = [ending_of(str(choice.get(name) or "")) for name in ("finish_reason", "native_finish_reason")]
    return next((ending for ending in told if ending not in (None, "whole")), None)


def _withheld(choice: Mapping[str, Any], ending: Ending | None) -> tuple[str, str] | None:
    """Give reason and detail when a choice holds no answer, whatever is written in it."""
    message, finish = choice.get("message"), choice.get("finish_reason") or choice.get("native_finish_reason")
    if ending == "filtered":
        return "filtered", f"The endpoint's content filter withheld the reply ({finish})."
    if choice.get("error") or ending == "broken":
        return "endpoint_error", f"The endpoint broke off its answer: {said(choice.get('error') or finish)}"
    if not isinstance(message, Mapping):
        return "empty_reply", "The endpoint answered with a choice that holds no message."
    there, refusal = bool(text_of(message.get("content")).strip()), _refusal_of(message)
    if refusal or (ending == "refused" and not there):
        return "refused", f"The model declined: {refusal[:300] or finish}"
    return None if there or ending == "cut" else _instead(choice, message)


def _instead(choice: Mapping[str, Any], message: Mapping[str, Any]) -> tuple[str, str] | None:
    """Say what is there instead of a text."""
    if is_filtered(choice):
        return "filtered", "The endpoint's content filter withheld the reply."
    tool = tool_of(message)
    return ("unusable_reply", f"The model called a tool ({tool}) that nobody offered.") if tool else None


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
        if is_refusal(text):
            return Verdict("failed", "refused", f"The model declined: {said(text)}", text=text)
        return _parsed(Verdict("ok", data=text, text=text), parse)
    read = read_json(text, ask.schema)
    if cut:
        detail = "The reply was cut by the length limit; what came before the cut is incomplete."
        return Verdict("failed", "cut_by_length", detail, read.data, text)
    if is_refusal(text) and (not read.found or is_nothing(read.data)):
        return Verdict("failed", "refused", f"The model declined: {said(text)}", text=text)
    if not read.found or not read.whole or not isinstance(read.data, (dict, list)):
        detail = "The reply ends in the middle." if not read.whole else "The reply holds no JSON of the form asked for."
        return Verdict("failed", "unusable_reply", detail, read.data, text, strict=False)
    notes = ("repaired",) * read.repaired + ("several_answers",) * read.several
    return _parsed(Verdict("ok", data=read.data, text=text, notes=notes, strict=read.strict), parse)


def is_nothing(data: Any) -> bool:
    """Tell whether no value is in a reply: ``{"entities": [], "relations": []}``."""
    if isinstance(data, Mapping):
        return all(is_nothing(v) for v in data.values())
    if isinstance(data, list):
        return all(is_nothing(v) for v in data)
    return data is None or data == ""


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


def count_of(value: Any) -> int | None:
    """Read a number of tokens; ``None`` when it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**40 else None


def _refusal_of(message: Mapping[str, Any]) -> str:
    """Give the words in which a message declines, where it has a place of its own for them."""
    content = message.get("content")
    parts = [p for p in content if isinstance(p, Mapping)] if isinstance(content, list) else []
    told = [message.get("refusal"), *(p.get("refusal") for p in parts if p.get("type") == "refusal")]
    return next((t.strip() for t in told if isinstance(t, str) and t.strip()), "")
