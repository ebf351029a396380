"""Where a key comes from, where it may go, and how it stays out of everything that can be read.

A key is given as an argument, or comes from the environment: ``OPENAI_API_KEY`` for OpenAI's own host (or the host
that ``OPENAI_BASE_URL`` names), ``api_key="env:NAME"`` for any other variable. It is sent to that host only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from urllib.parse import urlsplit

from kgkit.errors import InputError

__all__ = ["OPENAI_URL", "Secret", "endpoint_of", "host_of", "secret_for"]

OPENAI_URL = "https://api.openai.com/v1"
_NO_KEY = "none"  # sent where no key was given: local servers ask for none, and the client library sends something
_CALLS = ("/chat/completions", "/completions", "/embeddings", "/models")
_PIECE = 6
_LONG = 12  # shorter keys are placeholders such as "ollama": no secret, and a word that texts may hold
_MASKED = re.compile(r"[\w-]*(?:\*{2,}|\.{3,}|…)[\w-]*")


class Secret:
    """A key that shows itself nowhere: not in repr, text or a pickle. ``reveal`` is for the client alone."""

    __slots__ = ("_source", "_value")

    def __init__(self, value: str | None, source: str | None = None) -> None:
        self._value = value
        self._source = source

    def reveal(self) -> str:
        """Give the key itself.

        Raises:
            InputError: It was left behind when the model was copied to another process.
        """
        if self._value == "":
            msg = (
                "This model's key does not travel in pickles. Give the model its key where it is used, or make it "
                "with api_key='env:NAME', which reads the key from the environment of each process."
            )
            raise InputError(msg)
        return self._value or _NO_KEY

    def mask(self, text: str) -> str:
        """Take the key out of a text, and also each piece of six characters or more, and keys with stars in them."""
        key = self._value or ""
        if len(key) < _LONG or not text:
            return text
        text = text.replace(key, "[key]")
        grams = {key[i : i + _PIECE] for i in range(len(key) - _PIECE + 1)}
        if any(gram in text for gram in grams):
            text = _without(text, grams)
        return _MASKED.sub(lambda m: "[key]" if m[0][:3] == key[:3] or m[0][-3:] == key[-3:] else m[0], text)

    def mask_whole(self, text: str) -> str:
        """Take the whole key out of a text that a model wrote."""
        key = self._value or ""
        return text.replace(key, "[key]") if len(key) >= _LONG else text

    def __repr__(self) -> str:
        return f"<key from {self._source}>" if self._source else "<key>" if self._value else "<no key>"

    def __reduce__(self) -> tuple[Callable[..., Secret], tuple[str | None, str | None]]:
        return _again, (None if self._value is None else "", self._source)


def secret_for(api_key: str | None, endpoint: str) -> Secret:
    """Find the key for an endpoint.

    Raises:
        InputError: The named environment variable is not set, the key cannot be sent, or OpenAI's host has no key.
    """
    if api_key is not None and api_key.startswith("env:"):
        return _from_environment(api_key[4:])
    if api_key is not None:
        return Secret(_checked(api_key, "api_key"))
    trusted = {host_of(OPENAI_URL), host_of(os.environ.get("OPENAI_BASE_URL") or OPENAI_URL)}
    if host_of(endpoint) in trusted and os.environ.get("OPENAI_API_KEY"):
        return _from_environment("OPENAI_API_KEY")
    if host_of(endpoint) == host_of(OPENAI_URL):
        msg = "There is no key for api.openai.com. Set OPENAI_API_KEY in the environment, or give api_key='env:NAME'."
        raise InputError(msg)
    return Secret(None)


def endpoint_of(base_url: str | None) -> str:
    """Check an endpoint's address and write it one way.

    Raises:
        InputError: It is no http address, or holds a user name, a password or a query.
    """
    url = (base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL).strip()
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme not in ("http", "https") or not parts.hostname or port == -1:
        msg = "base_url must be an address such as 'http://localhost:11434/v1'; it begins with http:// or https://."
        raise InputError(msg)
    if parts.username or parts.password or parts.query or parts.fragment:
        msg = "base_url may hold no user name, password, query or fragment: give a key as api_key, not in the address."
        raise InputError(msg)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place = f"{host}:{port}" if port else host
    path = parts.path.rstrip("/")
    for end in _CALLS:  # the address of one call, where that of the endpoint is meant
        path = path.removesuffix(end).rstrip("/")
    return f"{parts.scheme}://{place}{path}"


def host_of(endpoint: str) -> str:
    """Give host and port of an address: what a key belongs to."""
    return urlsplit(endpoint).netloc.lower()


def _from_environment(name: str) -> Secret:
    value = os.environ.get(name)
    if not value:
        msg = f"The environment has no variable {name!r} (or it is empty). Set it before starting Python."
        raise InputError(msg)
    return Secret(_checked(value, f"the environment variable {name}"), name)


def _checked(value: str, what: str) -> str:
    value = value.strip()
    if not value or not value.isascii() or not value.isprintable() or " " in value:
        msg = f"{what} is no key: it is empty, or holds spaces or characters that cannot be sent."
        raise InputError(msg)
    return value


def _again(value: str | None, source: str | None) -> Secret:
    return Secret(os.environ.get(source) or "", source) if source else Secret(value)


def _without(text: str, grams: set[str]) -> str:
    covered = [False] * len(text)
    for i in range(len(text) - _PIECE + 1):
        if text[i : i + _PIECE] in grams:
            covered[i : i + _PIECE] = [True] * _PIECE
    out: list[str] = []
    for i, char in enumerate(text):
        if not covered[i]:
            out.append(char)
        elif i == 0 or not covered[i - 1]:
            out.append("[key]")
    return "".join(out)
