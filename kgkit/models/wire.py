"""What goes over the wire: the client, and the body of a request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kgkit.models.capabilities import Capabilities, Form
from kgkit.models.chat import Ask
from kgkit.models.keys import OPENAI_URL, Secret, host_of

__all__ = ["body_for", "make_client", "make_plain_client", "schema_text"]


def make_client(endpoint: str, key: Secret, timeout: float, concurrency: int) -> Any:
    """Make the ``openai`` client: one attempt a call, no redirects, and nothing of the environment for other hosts."""
    import openai

    most = concurrency + 8
    limits = type(openai.DEFAULT_CONNECTION_LIMITS)(max_connections=most, max_keepalive_connections=most)
    http = openai.DefaultAsyncHttpxClient(
        follow_redirects=False, limits=limits, timeout=timeout, trust_env=_private(endpoint)
    )
    return _discreet(openai.AsyncOpenAI(**_options(endpoint, key, timeout), http_client=http), endpoint)


def make_plain_client(endpoint: str, key: Secret, timeout: float) -> Any:
    """Make the same client for plain code."""
    import openai

    http = openai.DefaultHttpxClient(follow_redirects=False, timeout=timeout, trust_env=_private(endpoint))
    return _discreet(openai.OpenAI(**_options(endpoint, key, timeout), http_client=http), endpoint)


def _private(endpoint: str) -> bool:
    """Tell whether the environment's proxies may be used: only where they cannot read what passes, and so no key."""
    return endpoint.startswith("https:")


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
