"""What an endpoint can do with a model: found out by asking, remembered for each endpoint and model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from threading import Lock
from typing import Any, ClassVar, Literal

__all__ = ["Capabilities", "Form", "Known", "after_refusal"]

Answer = Literal["yes", "no", "ignored", "unknown"]
Form = Literal["json_schema", "json_object", "text"]
_TOO_LONG = re.compile(
    r"context[ _](length|size|window)|maximum context|too (long|large)|n_ctx|exceed\w* .*(context|token)", re.IGNORECASE
)

_LENGTH = re.compile(r"max_(completion_)?tokens")
_UNKNOWN = re.compile(r"support|unrecognized|unknown|unexpected|instead|extra|permitted|invalid param")


@dataclass(frozen=True)
class Capabilities:
    """What is known of an endpoint and model. Nothing is assumed: what was never asked is ``unknown``.

    Args:
        json_schema: Whether a reply follows a schema; ``ignored`` when it is accepted without effect.
        json_object: Whether a reply can be told to be JSON.
        token_parameter: Name of the option that limits the reply's length.
        temperature: Whether a temperature can be set.
        seed: Whether a seed is accepted.
        usage: Whether tokens are reported.
        streaming: Whether replies can be streamed.
        vision: Whether images are accepted.
        model: The model that answered, as the endpoint names it.
    """

    json_schema: Answer = "unknown"
    json_object: Answer = "unknown"
    token_parameter: Literal["max_tokens", "max_completion_tokens", "none", "unknown"] = "unknown"
    temperature: Answer = "unknown"
    seed: Answer = "unknown"
    usage: Answer = "unknown"
    streaming: Answer = "unknown"
    vision: Answer = "unknown"
    model: str | None = None

    @property
    def form(self) -> Form:
        """How JSON is asked for."""
        if self.json_schema in ("yes", "unknown"):
            return "json_schema"
        return "json_object" if self.json_object in ("yes", "unknown") else "text"

    @property
    def length_option(self) -> str | None:
        """Name of the option that limits the reply; ``None`` when none is accepted."""
        if self.token_parameter == "none":
            return None
        return "max_tokens" if self.token_parameter == "unknown" else self.token_parameter

    def as_dict(self) -> dict[str, Any]:
        """Give it as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Capabilities:
        """Read what `as_dict` gave; what is not known here is left out."""
        return cls(**{k: v for k, v in values.items() if k in cls.__dataclass_fields__})

    def after_success(self, body: Mapping[str, Any], usage: bool, model: str | None) -> Capabilities:
        """Learn from a request that was answered."""
        known: dict[str, Any] = {"usage": "yes" if usage else "no" if self.usage == "unknown" else self.usage}
        for option in ("temperature", "seed"):
            if option in body and getattr(self, option) == "unknown":
                known[option] = "yes"
        if self.length_option in body:
            known["token_parameter"] = self.length_option
        known["model"] = model or self.model
        return self if all(getattr(self, k) == v for k, v in known.items()) else replace(self, **known)

    def after_reply(self, form: Form, strict: bool) -> Capabilities:
        """Learn from a reply that should have been JSON and nothing else."""
        if form == "text" or getattr(self, form) != "unknown":
            return self
        learned: Answer = "yes" if strict else "ignored"
        return replace(self, json_schema=learned) if form == "json_schema" else replace(self, json_object=learned)


def after_refusal(caps: Capabilities, body: Mapping[str, Any], error: str) -> dict[str, Any] | None:
    """Learn from a request that the endpoint refused as wrong.

    Args:
        caps: What was known when it was sent.
        body: What was sent.
        error: What the endpoint said.

    Returns:
        What to change in what is known, for the next try; ``None`` when the request itself is at fault.
    """
    text = error.lower()
    if _TOO_LONG.search(text):
        return None
    option = caps.length_option
    if option in body and _LENGTH.search(text) and _UNKNOWN.search(text):
        other = "max_completion_tokens" if option == "max_tokens" else "none"
        return {"token_parameter": other}
    for name in ("temperature", "seed"):
        if name in body and name in text:
            return {name: "no"}
    form = body.get("response_format", {}).get("type")
    if form in ("json_schema", "json_object") and getattr(caps, form) != "yes":
        return {form: "no"}
    return None


class Known:
    """What is known of one endpoint and model, shared by all runs of this process."""

    _all: ClassVar[dict[tuple[str, str], Known]] = {}
    _lock: ClassVar[Lock] = Lock()

    def __init__(self) -> None:
        self.now = Capabilities()

    @classmethod
    def of(cls, endpoint: str, model: str) -> Known:
        """Give what is known of an endpoint and model."""
        with cls._lock:
            return cls._all.setdefault((endpoint, model), cls())

    def learn(self, change: Callable[[Capabilities], Capabilities]) -> None:
        """Change what is known."""
        with self._lock:
            self.now = change(self.now)
