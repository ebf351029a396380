"""The body of an answer: JSON or a stream's events, the first choice in it, its text, and an error's words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from kgkit.models.reading import without_halves

__all__ = ["body_of", "first_choice", "hidden_error", "said", "text_of", "tool_of"]

_TEXTS = ("text", "output_text")
_TOLD = ("detail", "errors", "message", "msg", "error_message", "error_msg")
_HTML = re.compile(r"\s*<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_NO_WORDS = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.IGNORECASE | re.DOTALL)


def body_of(raw: str) -> Mapping[str, Any] | None:
    """Read the body of an answer: JSON, or the events of a stream that nobody asked for; ``None`` when neither."""
    text = raw.removeprefix("\ufeff").strip()
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return _from_events(text) if text.startswith(("data:", "event:", ":", "id:", "retry:")) else None
    if isinstance(body, list) and len(body) == 1:
        body = body[0]
    if not isinstance(body, dict):
        return None
    return without_halves(body) if "\\ud" in text.lower() else body


def hidden_error(body: Mapping[str, Any]) -> Any:
    """Give the error in an answer that has no choice, also where it does not stand under ``error``."""
    if body.get("choices"):
        return None
    if body.get("error") or "choices" in body:
        return body.get("error")
    return next((body[name] for name in _TOLD if isinstance(body.get(name), (str, list)) and body[name]), None)


def first_choice(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Give the first choice that says anything (or else the first), with its message where it belongs."""
    choices = body.get("choices")
    found = [_with_message(c) for c in choices if isinstance(c, Mapping)] if isinstance(choices, list) else []
    return next((c for c in found if _says(c.get("message"))), found[0] if found else None)


def text_of(content: Any) -> str:
    """Put the text of a message together: it may come in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        named = content.get("type") in (*_TEXTS, None) and isinstance(content.get("text"), str)
        return str(content["text"]) if named else json.dumps(content, ensure_ascii=False)
    if isinstance(content, list):
        return "".join(p if isinstance(p, str) else _part(p) for p in content)
    return ""


def tool_of(message: Mapping[str, Any]) -> str:
    """Name the tool that a message calls; nothing when it calls none."""
    calls = message.get("tool_calls")
    first = calls[0] if isinstance(calls, list) and calls else {"function": message.get("function_call")}
    function = first.get("function") if isinstance(first, Mapping) else None
    return str(function.get("name") or "unnamed")[:80] if isinstance(function, Mapping) else ""


def said(error: Any) -> str:
    """Put an error of an endpoint into one short line: an object, a list of them, or a page of HTML."""
    if isinstance(error, list) and error:
        error = error[0]
    if isinstance(error, Mapping):
        told = (error.get(name) for name in ("message", "msg", "detail", "error", "code", "type"))
        first = next((t for t in told if t), None)
        return said(first) if first else " ".join(json.dumps(error, ensure_ascii=False, default=str).split())[:500]
    text = str(error)
    if _HTML.match(text):
        text = unescape(_NO_WORDS.sub(" ", text))
    return " ".join(text.split())[:500]


def _part(part: Any) -> str:
    there = isinstance(part, Mapping) and part.get("type", "text") in _TEXTS and isinstance(part.get("text"), str)
    return part["text"] if there else ""


def _says(message: Any) -> bool:
    return isinstance(message, Mapping) and bool(text_of(message.get("content")).strip() or message.get("refusal"))


def _with_message(choice: Mapping[str, Any]) -> Mapping[str, Any]:
    message = choice.get("message") or choice.get("delta")
    if message is None and isinstance(choice.get("text"), str):  # as the older completions have it
        message = choice["text"]
    return {**choice, "message": {"content": message} if isinstance(message, str) else message}


def _from_events(text: str) -> Mapping[str, Any] | None:
    content: list[str] = []
    last: dict[str, Any] = {}
    finish = refusal = None
    for line in text.splitlines():
        data = line.removeprefix("data:").strip()
        if not line.startswith("data:") or not data or data == "[DONE]":
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
            if not isinstance(choice, Mapping) or choice.get("index") not in (0, None):
                continue
            delta = _with_message(choice)["message"]
            delta = delta if isinstance(delta, Mapping) else {}
            content.append(text_of(delta.get("content")))
            refusal = (refusal or "") + delta["refusal"] if isinstance(delta.get("refusal"), str) else refusal
            finish = choice.get("finish_reason") or finish
    if finish is None:
        return None  # broken off
    message = {"role": "assistant", "content": "".join(content), "refusal": refusal}
    return {**last, "choices": [{"message": message, "finish_reason": finish}]}
