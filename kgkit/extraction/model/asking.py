"""Ask a language model about each chunk, once or twice, and keep what became of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from kgkit.extraction.model.chunks import Chunk, ChunkFound, judge_chunk
from kgkit.extraction.model.items import Items, has_items, read_items
from kgkit.extraction.model.prompt import again_messages, first_messages, reply_schema, rules
from kgkit.extraction.schema import Schema
from kgkit.models.chat import Ask, ChatModel, Reply
from kgkit.results import Outcome, Status

__all__ = ["AGAIN", "INTERRUPTED", "Questions", "find_with_model"]

INTERRUPTED: tuple[Status, str, str] = ("skipped", "interrupted", "The run was interrupted; extract this chunk again.")
"""Status, reason and detail of a chunk that was not reached."""

AGAIN = "#again"
"""Ends the id of a chunk's second request."""

_WINDOW = 1000  # chunks that are between their two passes at one time, which bounds what is held
_NONE = Items([], [], [])


class _Half(NamedTuple):
    """What a chunk's replies so far hold, and what became of them."""

    items: Items
    outcome: Outcome
    said: str


class Questions:
    """Makes the requests: the same chunk, schema and options always give the same request.

    Args:
        schema: What to look for.
        output_language: Language of names and descriptions.
        max_tokens: Longest reply, in tokens.
    """

    def __init__(self, schema: Schema, *, output_language: str | None = None, max_tokens: int | None = None) -> None:
        self.schema = schema
        self.output_language = output_language
        self._rules = rules(schema, output_language=output_language)
        self._form = reply_schema(schema, output_language=output_language)
        self._max_tokens = max_tokens

    def first(self, chunk: Chunk) -> Ask:
        """Ask for what a chunk says."""
        return self._ask(chunk.chunk_id, first_messages(self._rules, chunk.passage), chunk)

    def again(self, chunk: Chunk, said: str) -> Ask:
        """Ask for what the first reply left out."""
        messages = again_messages(first_messages(self._rules, chunk.passage), said)
        return self._ask(chunk.chunk_id + AGAIN, messages, chunk)

    def _ask(self, item_id: str, messages: Any, chunk: Chunk) -> Ask:
        size = len(chunk.passage.text)
        return Ask(item_id, messages, self._form, self._max_tokens, chars_available=size, chars_sent=size)


def find_with_model(
    chunks: Sequence[Chunk],
    model: ChatModel,
    questions: Questions,
    *,
    passes: int,
    max_chars: int,
    report: Callable[[int], None],
) -> Iterator[ChunkFound]:
    """Ask about each chunk, and give what it holds and what became of it, in the order of the replies.

    Args:
        chunks: The chunks, with different ids.
        model: Who is asked.
        questions: How.
        passes: 1, or 2 to ask for what the first reply left out.
        max_chars: Longer texts are not sent, and say so.
        report: Called with the number of chunks done.
    """
    asked: list[Chunk] = []
    done = 0
    for chunk in chunks:
        problem = _unfit(chunk, max_chars)
        if problem is None:
            asked.append(chunk)
        else:
            done += 1
            yield ChunkFound(chunk, [], [], problem)
    size = max(1, len(asked)) if passes == 1 else _WINDOW
    stopped = False
    for at in range(0, len(asked), size):
        if stopped:  # nothing more is asked; whoever called sees which chunks are missing
            return
        for chunk, half in _window(asked[at : at + size], model, questions, passes):
            stopped = stopped or half.outcome.reason == "interrupted"
            done += 1
            report(done)
            yield judge_chunk(chunk, half.items, half.outcome, questions.schema, questions.output_language)


def _unfit(chunk: Chunk, max_chars: int) -> Outcome | None:
    size = len(chunk.passage.text)
    about: dict[str, Any] = {"attempts": 0, "chars_available": size, "chars_sent": 0}
    if not chunk.passage.text.strip():
        return Outcome(chunk.chunk_id, "empty", "no_text", "no text", **about)
    if size > max_chars:
        detail = f"{size:,} characters in one chunk; max_chars={max_chars:,}. Use chunk_documents, or raise max_chars."
        return Outcome(chunk.chunk_id, "failed", "too_long", detail, **about)
    return None


def _window(
    chunks: Sequence[Chunk], model: ChatModel, questions: Questions, passes: int
) -> Iterator[tuple[Chunk, _Half]]:
    """Ask about some chunks: all of them once, and then, if wanted, those that were answered a second time."""
    asked = {chunk.chunk_id: chunk for chunk in chunks}
    halves: dict[str, _Half] = {}
    stopped = False
    for reply in _replies(map(questions.first, chunks), asked, model):
        stopped = stopped or reply.reason == "interrupted"
        chunk = asked[reply.item_id]
        half = _half(chunk, reply, model)
        if passes > 1 and half.outcome.status in ("ok", "empty"):
            halves[chunk.chunk_id] = half
        else:
            yield chunk, half
    again = {chunk_id + AGAIN: asked[chunk_id] for chunk_id in halves}
    requests = (questions.again(chunk, halves[chunk.chunk_id].said) for chunk in again.values())
    replies = (Reply(item_id, *INTERRUPTED) for item_id in again) if stopped else _replies(requests, again, model)
    for reply in replies if again else ():
        chunk = again[reply.item_id]
        yield chunk, _joined(halves.pop(chunk.chunk_id), _half(chunk, reply, model))


def _replies(requests: Iterable[Ask], ids: Collection[str], model: ChatModel) -> Iterator[Reply]:
    """Give one reply for each request, also where the model was interrupted or gives none."""
    left = dict.fromkeys(ids)
    lost: tuple[Status, str, str] = ("failed", "no_reply", "The model gave no reply to this request.")
    try:
        for reply in model.ask(requests, stage="extract", parse=has_items):
            if reply.item_id in left:  # a second reply, or one that nobody asked for, is none
                del left[reply.item_id]
                yield reply
    except KeyboardInterrupt:
        lost = INTERRUPTED
    for item_id in left:
        yield Reply(item_id, *lost)


def _half(chunk: Chunk, reply: Reply, model: ChatModel) -> _Half:
    size = len(chunk.passage.text)
    outcome = reply.outcome(Ask(chunk.chunk_id, (), chars_available=size, chars_sent=size))
    outcome = replace(outcome, item_id=chunk.chunk_id)
    answered = reply.model is None or f":{reply.model}@" in model.name
    origin = model.name if answered else f"{model.name} ({reply.model})"
    items = _NONE
    if reply.status in ("ok", "empty") or reply.data is not None:
        try:
            items = read_items(reply.data, origin)
        except ValueError as error:
            if outcome.status in ("ok", "empty"):
                outcome = replace(outcome, status="failed", reason="unusable_reply", detail=str(error))
    if outcome.status == "failed" and (items.entities or items.relations):
        count = len(items.entities) + len(items.relations)
        outcome = replace(outcome, notes=(*outcome.notes, f"partial: {count} items of a reply that is not whole"))
    return _Half(items, outcome, reply.text or json.dumps(reply.data, ensure_ascii=False))


def _joined(first: _Half, second: _Half) -> _Half:
    """Put two replies together; when the second failed, what the first gave is kept and the chunk can be retried."""
    one, two = first.outcome, second.outcome
    left, right = first.items, second.items
    items = Items(left.entities + right.entities, left.relations + right.relations, [])
    if two.status in ("ok", "empty"):
        told = two if two.status == "ok" else one
    else:
        told = replace(two, detail=f"Second pass: {two.detail or two.reason}. What the first found is kept.")
    return _Half(
        items,
        replace(
            told,
            notes=(*one.notes, *two.notes),
            attempts=one.attempts + two.attempts,
            chars_available=one.chars_available,
            chars_sent=one.chars_sent,
            tokens_in=_sum(one.tokens_in, two.tokens_in),
            tokens_out=_sum(one.tokens_out, two.tokens_out),
            cost=_cost(one, two),
        ),
        "",
    )


def _sum(left: int | None, right: int | None) -> int | None:
    return right if left is None else left if right is None else left + right


def _cost(*outcomes: Outcome) -> float | None:
    """Add prices up; unknown when that of a call is unknown."""
    paid = [o.cost for o in outcomes if o.attempts or o.cost is not None]
    return None if not paid or None in paid else sum(c for c in paid if c is not None)
