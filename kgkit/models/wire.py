"""What goes over the wire: the client, the body of a request, and errors put into words without the key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from kgkit.models.capabilities import Capabilities, Form
from kgkit.models.chat import Ask
from kgkit.models.judging import said
from kgkit.models.keys import OPENAI_URL, Secret, host_of

__all__ = ["Failure", "body_for", "failure_of", "make_client", "make_plain_client", "schema_text"]

_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
_BUSY = {429, 503, 529}
_NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached")


@dataclass(frozen=True)
class Failure:
    """A request that brought no answer.

    Args:
        reason: A key of `kgkit.models.chat.REASONS`.
        detail: In words.
        again: Whether asking again may help.
        busy: Whether the endpoint has too much to do.
        refused: Whether the endpoint called the request wrong; then another form of it may help.
        hopeless: Whether every other request would fail in the same way.
        denied: Whether it is about the key, or about this request: both are said alike.
        unreachable: Whether no answer came at all.
        headers: The answer's headers.
        sent: Whether the endpoint may have worked, and may charge for it.
    """

    reason: str
    detail: str
    again: bool = False
    busy: bool = False
    refused: bool = False
    hopeless: bool = False
    denied: bool = False
    unreachable: bool = False
    headers: Mapping[str, str] | None = None
    sent: bool = False


def make_client(endpoint: str, key: Secret, timeout: float, concurrency: int) -> Any:
    """Make the ``openai`` client: one attempt a call, no redirects, and nothing of the environment for other hosts."""
    import openai

    most = concurrency + 8
    limits = type(openai.DEFAULT_CONNECTION_LIMITS)(max_connections=most, max_keepalive_connections=most)
    http = openai.DefaultAsyncHttpxClient(follow_redirects=False, limits=limits, timeout=timeout)
    return _discreet(openai.AsyncOpenAI(**_options(endpoint, key, timeout), http_client=http), endpoint)


def make_plain_client(endpoint: str, key: Secret, timeout: float) -> Any:
    """Make the same client for plain code."""
    import openai

    http = openai.DefaultHttpxClient(follow_redirects=False, timeout=timeout)
    return _discreet(openai.OpenAI(**_options(endpoint, key, timeout), http_client=http), endpoint)


def _options(endpoint: str, key: Secret, timeout: float) -> dict[str, Any]:
    return {"api_key": key.reveal(), "base_url": endpoint, "max_retries": 0, "timeout": timeout}


def _discreet(client: Any, endpoint: str) -> Any:
    if host_of(endpoint) != host_of(OPENAI_URL):
        client.organization = client.project = None  # of the environment, and meant for OpenAI
    return client


def body_for(
    model: str, ask: Ask, caps: Capabilities, parameters: Mapping[str, Any], schema_text: str
) -> tuple[dict[str, Any], Form]:
    """Write the body of a chat completion in the form that the endpoint understands.

    Returns:
        The body, and how JSON is asked for in it.
    """
    form: Form = caps.form if ask.schema is not None else "text"
    messages: list[Any] = list(ask.messages)
    body: dict[str, Any] = {"model": model}
    if ask.schema is not None and form == "json_schema":
        wanted = {"name": "reply", "schema": ask.schema, "strict": _strict(ask.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    elif ask.schema is not None:
        if form == "json_object":
            body["response_format"] = {"type": "json_object"}
        told = f"Reply with one JSON value and nothing else. It must fit this JSON schema:\n{schema_text}"
        messages.insert(
            1 if messages and messages[0].get("role") == "system" else 0, {"role": "system", "content": told}
        )
        messages = _joined(messages)
    body["messages"] = messages
    length = ask.max_tokens or parameters.get("max_tokens")
    if length and caps.length_option:
        body[caps.length_option] = length
    for name in ("temperature", "seed"):
        if parameters.get(name) is not None and getattr(caps, name) != "no":
            body[name] = parameters[name]
    return body, form


def failure_of(error: BaseException, key: Secret, waited: float) -> Failure:
    """Say what an exception of the client means."""
    import openai

    if isinstance(error, (openai.APITimeoutError, TimeoutError)):
        detail = f"No answer within {waited:.1f} s."
        return Failure("timed_out", detail, again=True, unreachable=True, sent=True)
    if isinstance(error, openai.APIStatusError):
        return _status_failure(error, key)
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__ or error
        kind = type(cause).__name__
        detail = key.mask(f"The endpoint cannot be reached, or broke off ({kind}): {cause or 'no more is known'}")
        sent = kind not in ("ConnectError", "ConnectTimeout")
        return Failure("endpoint_error", detail, again=True, unreachable=True, sent=sent)
    detail = key.mask(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")
    return Failure("bad_request", detail, sent=True)


def _status_failure(error: Any, key: Secret) -> Failure:
    status, headers = error.status_code, error.response.headers
    body = error.body if error.body is not None else error.message
    words = key.mask(said(body))
    code = str(getattr(error, "code", None) or "")
    if 300 <= status < 400:
        target = urlsplit(str(headers.get("location", "")))
        place = key.mask(target.netloc or "another address of the same host")
        words = f"it redirects to {place}, which is not followed: give that address as base_url if you trust it"
        return Failure("endpoint_error", f"HTTP {status}: {words}.", hopeless=True)
    if code in _NO_CREDIT:
        return Failure("rate_limited", f"HTTP {status}: {words}", hopeless=True)
    return Failure(
        "rate_limited" if status == 429 else "endpoint_error",
        f"HTTP {status}: {words}",
        again=status in _AGAIN,
        busy=status in _BUSY,
        refused=status in (400, 415, 422, 501),
        hopeless=status in (401, 404),
        denied=status == 403,
        headers=headers,
        sent=status >= 500,
    )


def _strict(schema: Any) -> bool:
    """Tell whether a schema keeps to what OpenAI's strict mode asks: closed objects, all properties required."""
    if isinstance(schema, Mapping):
        if schema.get("type") == "object" or "properties" in schema:
            names = set(schema.get("properties") or ())
            if schema.get("additionalProperties") is not False or names != set(schema.get("required") or ()):
                return False
        return all(_strict(part) for part in schema.values())
    return all(_strict(part) for part in schema) if isinstance(schema, (list, tuple)) else True


def _joined(messages: list[Any]) -> list[Any]:
    """Make one system message of two: some chat templates allow no more."""
    first, second, *rest = [*messages, None]
    if second is None or first["role"] != "system" or second["role"] != "system":
        return messages
    if not isinstance(first["content"], str):
        return messages
    return [{"role": "system", "content": f"{first['content']}\n\n{second['content']}"}, *rest[:-1]]


def schema_text(schema: Mapping[str, Any] | None) -> str:
    """Write a schema as JSON."""
    return "" if schema is None else json.dumps(schema, ensure_ascii=False, default=str)
