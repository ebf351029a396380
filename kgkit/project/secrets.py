"""Keeping keys out of the ledger: options that look like one are refused, and taken out of the words of errors.

Told by name (``api_key``, ``headers``, ``password``) and by shape (``sk-...``, ``Bearer ...``, a password in a URL).
``env:NAME``, which names an environment variable, is no secret.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from kgkit.errors import OptionError

__all__ = ["refuse_secrets", "without_secrets"]

_NAMES = frozenset(
    [
        "apikey", "auth", "authorization", "bearer", "cookie", "cookies", "credential", "credentials", "header",
        "headers", "passphrase", "passwd", "password", "secret", "secrets", "token",
    ]
)  # fmt: skip
_BEFORE_KEY = frozenset({"access", "api", "client", "private", "secret", "service", "signing"})
_SHAPES = re.compile(
    r"""
    \b(?:sk|pk|rk)-(?=[\w-]*\d)[\w-]{20,}             # OpenAI, Anthropic and those that follow them
    | \b(?:sk|pk|rk)_(?:live|test)_\w{10,}            # Stripe
    | \b(?:gh[oprsu]|gsk|hf|glpat|xox[abeprs]|github_pat|nvapi|pplx|r8)[_-](?=[\w-]*\d)[\w-]{16,}
    | \b(?:AKIA|ASIA)[0-9A-Z]{16}\b | \bAIza[\w-]{30,}
    | \beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*             # JSON web tokens
    | \b(?:Bearer|Basic)\s+(?=[\w.~+/=-]*\d)[\w.~+/=-]{12,}
    | (?<=://)[^\s/@:]*:[^\s/@]+(?=@)                 # https://user:password@host
    """,
    re.VERBOSE,
)
_NAMED = re.compile(
    r"""(?ix)
    ((?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|authorization) ["']? \s* [:=] \s*)
    ["']? [^\s"',;}\])]{6,} ["']?
    """
)
_LONG = 12  # shorter values of variables are words that texts may hold
_PIECE = 6
_HIDDEN = "[key]"


def refuse_secrets(options: Mapping[str, Any]) -> None:
    """Raise when options hold what looks like a key; the message does not repeat it.

    Args:
        options: Names and values, as the ledger would keep them; also lists and mappings of these.

    Raises:
        OptionError: An option is named like a secret and has a value, or a text has the shape of one.

    Examples:
        >>> refuse_secrets({"size": 400, "max_tokens": 100, "api_key": "env:OPENAI_API_KEY"})
        >>> refuse_secrets({"api_key": "abc"})
        Traceback (most recent call last):
        ...
        kgkit.errors.OptionError: api_key looks like a secret, and the project's ledger keeps options. ...
    """
    for name, value in _all(options):
        names_one = _is_secret_name(name) and value not in (None, "", False) and not _from_environment(value)
        if names_one or (isinstance(value, str) and _SHAPES.search(value)):
            msg = (
                f"{name} looks like a secret, and the project's ledger keeps options. Give keys to the model "
                "(kg.OpenAIModel(..., api_key='env:NAME')), not to the project."
            )
            raise OptionError(msg)


def without_secrets(text: str) -> str:
    """Take out of a text what looks like a key, and the values of environment variables that are named like one.

    Examples:
        >>> without_secrets("401: Incorrect API key provided: sk-test-abcdef-0123456789abcdef.")
        '401: Incorrect API key provided: [key].'
    """
    for name, value in os.environ.items():
        if len(value) >= _LONG and _is_secret_name(name):
            text = _without_pieces(text, value)
    text = _SHAPES.sub(_HIDDEN, text)
    return _NAMED.sub(rf"\1{_HIDDEN}", text)


def _all(options: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in options.items():
        yield str(name), value
        if isinstance(value, Mapping):
            yield from _all(value)
        elif isinstance(value, (list, tuple, set, frozenset)):
            yield from _all({f"{name}[{i}]": item for i, item in enumerate(value)})


def _is_secret_name(name: str) -> bool:
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    words = re.split(r"[^a-z0-9]+", plain)
    if _NAMES & set(words):
        return True
    return any(last == "key" and first in _BEFORE_KEY for first, last in pairwise(words))


def _from_environment(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"env:\w+", value) is not None


def _without_pieces(text: str, value: str) -> str:
    """Take a value out, and each piece of it of some length."""
    text = text.replace(value, _HIDDEN)
    held = {value[i : i + _PIECE] for i in range(len(value) - _PIECE + 1)}
    covered = [False] * len(text)
    for i in range(len(text) - _PIECE + 1):
        if text[i : i + _PIECE] in held:
            covered[i : i + _PIECE] = [True] * _PIECE
    shown = "".join("\0" if hidden else letter for letter, hidden in zip(text, covered, strict=True))
    return re.sub("\0+", _HIDDEN, shown)
