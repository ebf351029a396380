"""What it means when a request brought no answer, said without the key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from kgkit.models.bodies import said
from kgkit.models.keys import Secret

__all__ = ["Failure", "failure_in", "failure_of"]

_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
_BUSY = {429, 503, 529}
_FOR_ALL = {401, 402, 404, 405}  # no other request would fare better
_NO_CREDIT = re.compile(
    r"insufficient_(?:quota|balance|credit|funds)|billing_hard_limit|billing_not_active|credit_balance"
)
_FILTER = re.compile(
    r"content[_ -]?filter|content[_ -]?policy|content management policy|content_moderation|data_?inspection|"
    r"responsible_?ai|sensitive (?:words|content)|prompt_blocked|was flagged|is flagged|moderation",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"rate[_ -]?limit|too many requests|throttl|resource_exhausted|quota", re.IGNORECASE)
_LOADED = re.compile(r"overloaded|unavailable|try again|timeout|timed out|server_error|internal", re.IGNORECASE)


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


def failure_in(error: Any, body: Mapping[str, Any], key: Secret) -> Failure:
    """Say what an error means that came where an answer should be, with a status that said all was well."""
    detail = f"The endpoint answered with an error: {key.mask(said(error))}"
    codes = _codes(error) + _codes({k: body.get(k) for k in ("code", "status", "status_code")})
    status = next((int(code) for code in codes if code.isdecimal() and 400 <= int(code) < 600), 0)
    if _is_filter(codes, error):
        return Failure("filtered", detail)
    if any(map(_NO_CREDIT.search, codes)):
        return Failure("rate_limited", detail, hopeless=True)
    told = " ".join([*codes, said(error)])
    if status == 429 or (not status and _LIMIT.search(told)):
        return Failure("rate_limited", detail, again=True, busy=True)
    again = status in _AGAIN or (not status and _LOADED.search(told) is not None)
    return Failure("endpoint_error", detail, again=again, busy=status in _BUSY, hopeless=status in _FOR_ALL)


def _status_failure(error: Any, key: Secret) -> Failure:
    status, headers = error.status_code, error.response.headers
    body = error.body if error.body is not None else error.message
    words = key.mask(said(body))
    codes = [*_codes(body), str(getattr(error, "code", None) or "").lower()]
    if 300 <= status < 400:
        target = urlsplit(str(headers.get("location", "")))
        place = key.mask(target.netloc or "another address of the same host")
        words = f"it redirects to {place}, which is not followed: give that address as base_url if you trust it"
        return Failure("endpoint_error", f"HTTP {status}: {words}.", hopeless=True)
    if any(map(_NO_CREDIT.search, codes)):
        return Failure("rate_limited", f"HTTP {status}: {words}", hopeless=True)
    if status in (400, 403, 422, 451) and _is_filter(codes, body):
        return Failure("filtered", f"HTTP {status}: {words}")
    if status in (404, 405) and not urlsplit(str(error.request.url)).path.startswith("/v1/"):
        words += " (Most endpoints need a base_url that ends in /v1.)"
    return Failure(
        "rate_limited" if status == 429 else "endpoint_error",
        f"HTTP {status}: {words}",
        again=status in _AGAIN,
        busy=status in _BUSY,
        refused=status in (400, 415, 422, 501),
        hopeless=status in _FOR_ALL,
        denied=status == 403,
        headers=headers,
        sent=status >= 500,
    )


def _codes(error: Any) -> list[str]:
    """Give the codes and kinds of an error, in small letters."""
    if isinstance(error, list) and error:
        error = error[0]
    if not isinstance(error, Mapping):
        return []
    told = [error.get(name) for name in ("code", "type", "status", "status_code")]
    inner = error.get("error") or error.get("innererror")
    return [str(t).lower() for t in told if isinstance(t, (str, int))] + (_codes(inner) if inner is not error else [])


def _is_filter(codes: list[str], error: Any) -> bool:
    return any(map(_FILTER.search, codes)) or _FILTER.search(said(error)) is not None
