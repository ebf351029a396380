"""What is asked of a language model and what comes back: the interface that all models here share.

A stage makes one `Ask` for each item, hands them to ``model.ask`` and gets one `Reply` for each, as they finish.
Every reply has one outcome:

- ``ok``: usable. ``empty``: the model said that there is nothing.
- ``failed``, with a reason of `REASONS`: nothing of it is kept in the cache, and asking again may help.
- ``skipped``: never finished, because the budget was used up or somebody stopped the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from kgkit.results import Outcome, Status

__all__ = ["REASONS", "Ask", "ChatModel", "Mode", "Parse", "Reply"]

Mode = Literal["live", "batch"]
Parse = Callable[[Any], bool]
"""Looks at a parsed reply: true when something is in it, false when the model said "nothing"; raises ValueError
(whose message becomes the reply's ``detail``) when it cannot be used. It is called from another thread."""

REASONS: Mapping[str, str] = {
    "empty": "the model said that there is nothing (status empty)",
    "cut_by_length": "the reply, or the thinking before it, was cut by the length limit; `data` holds what was whole",
    "filtered": "the endpoint's content filter withheld the reply",
    "refused": "the model declined to answer",
    "empty_reply": "the endpoint answered, but with nothing in it",
    "unusable_reply": "the reply is not what was asked for, also after repair",
    "rate_limited": "the endpoint kept saying: too many requests",
    "timed_out": "no answer within the time limits",
    "endpoint_error": "the endpoint refused the request, failed, or could not be reached",
    "not_recorded": "a recording holds no reply to this request",
    "bad_request": "the item could not be asked: its messages, or its id, cannot be used",
    "budget": "the budget does not allow this call (status skipped)",
    "interrupted": "stopped before it was finished (status skipped)",
    "pending": "handed to the endpoint as a batch that is not finished yet (status skipped)",
}
"""Every reason a reply can have, and what it means. An ``ok`` reply has none."""


@dataclass(frozen=True)
class Ask:
    """One request: about one item, or about one batch of items.

    Args:
        item_id: Comes back with the reply; unique within one run.
        messages: Mappings with ``role`` and ``content``; content is text, or a list of text and image parts.
        schema: JSON schema of the reply; ``None`` for plain text.
        max_tokens: Most tokens of the reply; by default the model's own setting.
        chars_available: Length of the text that there was to send.
        chars_sent: Length of the text that is sent.
    """

    item_id: str
    messages: tuple[Mapping[str, Any], ...]
    schema: Mapping[str, Any] | None = None
    max_tokens: int | None = None
    chars_available: int | None = None
    chars_sent: int | None = None


@dataclass(frozen=True)
class Reply:
    """What became of one `Ask`.

    Args:
        item_id: The request's.
        status: ``ok``, ``empty``, ``failed`` or ``skipped``.
        reason: A key of `REASONS`; ``None`` when ok.
        detail: The reason in words, for this item.
        data: The parsed JSON of a request with a schema; of a reply cut by length the part that was whole.
        text: What the model wrote, without its thinking.
        model: The model that answered, as the endpoint named it.
        attempts: Requests sent for this item; 0 when the reply was kept from before or never asked for.
        tokens_in: Tokens of the prompt, over all attempts, as far as the endpoint said.
        tokens_out: Tokens of the reply, likewise.
        cost: Price in dollars over all attempts; ``None`` when the model's price is not known.
        cached: Whether the reply was kept from before, and cost nothing now.
        notes: Remarks: ``repaired`` (the JSON had to be mended), ``clipped`` (the endpoint counted fewer tokens than
            were sent), ``fallback:json_object`` or ``fallback:text`` (from this reply on JSON is asked for like this),
            ``not_kept`` (the cache could not be written), ``several_answers`` (the last that says something counts).
    """

    item_id: str
    status: Status
    reason: str | None = None
    detail: str | None = None
    data: Any = None
    text: str | None = None
    model: str | None = None
    attempts: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    cached: bool = False
    notes: tuple[str, ...] = ()

    def outcome(self, ask: Ask) -> Outcome:
        """Make the row of the outcomes table that says what became of ``ask``."""
        return Outcome(
            item_id=self.item_id,
            status=self.status,
            reason=self.reason,
            detail=self.detail,
            notes=self.notes,
            attempts=self.attempts,
            chars_available=ask.chars_available,
            chars_sent=ask.chars_sent if self.attempts or self.cached else 0,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            cost=self.cost,
        )


class ChatModel(Protocol):
    """A language model, live or recorded."""

    @property
    def name(self) -> str:
        """What the ``origin`` columns call it: ``openai:MODEL@HOST``, ``recorded:FILE``, ``hand-written:FILE``."""
        ...

    def identity(self) -> dict[str, Any]:
        """Say as JSON what decides its replies: endpoint, model and parameters; never a key."""
        ...

    def ask(self, requests: Iterable[Ask], *, stage: str, parse: Parse | None = None) -> Iterator[Reply]:
        """Ask, and yield each item's reply exactly once, as it finishes; no item's failure is raised.

        Args:
            requests: What to ask; taken one by one as there is room, so they may be a generator.
            stage: Name of the function that asks; it groups the usage and is no part of the cache's key.
            parse: Judges the parsed reply (its text, where no schema was asked for); see `Parse`. Without it a
                reply is empty when no value is in it: ``{"entities": []}``.
        """
        ...
