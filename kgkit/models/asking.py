"""Ask for many items: from the cache what is there, over the wire what is not, each item's reply once."""

from __future__ import annotations

import json
import signal
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from itertools import islice
from types import FrameType
from typing import Any

from kgkit.ids import content_hash
from kgkit.models.calling import Caller
from kgkit.models.chat import Ask, Parse, Reply
from kgkit.models.judging import judge_text
from kgkit.models.pump import Pump, Serve, serving
from kgkit.models.replies import Kept, Replies
from kgkit.models.setup import Job, Setup
from kgkit.models.tokens import size_of
from kgkit.models.wire import make_client, schema_text

__all__ = ["Interrupt", "Preparer", "Run", "from_kept", "keep_of"]

_TICK = 0.25
_LOOKUP = 64
_RECENT = 500


class Preparer:
    """Makes jobs of requests: computes the cache key and measures them."""

    def __init__(self, identity: Mapping[str, Any]) -> None:
        self._identity = {**identity, "parameters": dict(identity["parameters"])}
        self._schema: Mapping[str, Any] | None = None
        self._text = ""
        self._heads: dict[int | None, str] = {}

    def job(self, ask: Ask) -> Job | Reply:
        """Prepare one request; a reply at once where it cannot be asked."""
        try:
            if ask.schema is not self._schema:
                self._schema, self._text = ask.schema, schema_text(ask.schema)
            asked = json.dumps([ask.messages, ask.schema and self._text], ensure_ascii=False, sort_keys=True)
            if not ask.messages:
                msg = "there are no messages"
                raise ValueError(msg)
            (asked + ask.item_id).encode("utf-8")
        except (TypeError, ValueError, RecursionError) as error:
            return Reply(ask.item_id, "failed", "bad_request", f"The request cannot be sent: {error}.")
        request_hash = content_hash(asked)
        return Job(
            ask, content_hash(self._head(ask) + request_hash), request_hash, self._text, size_of(ask, self._text)
        )

    def _head(self, ask: Ask) -> str:
        if ask.max_tokens not in self._heads:
            parameters = self._identity["parameters"]
            if ask.max_tokens is not None:
                parameters = {**parameters, "max_tokens": ask.max_tokens}
            identity = {**self._identity, "parameters": parameters}
            self._heads[ask.max_tokens] = json.dumps(identity, sort_keys=True)
        return self._heads[ask.max_tokens]


class Run:
    """One call of ``model.ask``."""

    caller = Caller

    def __init__(
        self, setup: Setup, preparer: Preparer, replies: Replies | None, stage: str, parse: Parse | None
    ) -> None:
        self.setup = setup
        self.preparer = preparer
        self.replies = replies
        self.stage = stage
        self.parse = parse
        self._pump: Pump[Job, Reply] | None = None
        self._open: dict[int, Job] = {}
        self._twins: dict[str, list[Ask]] = {}  # by key: those that wait for the reply to the same request
        self._recent: dict[str, Reply] = {}  # the last good replies, where none are kept
        self._interrupt = Interrupt()

    def replies_to(self, requests: Iterable[Ask]) -> Iterator[Reply]:
        """Yield a reply to each request as it finishes."""
        ahead = 2 * self.setup.concurrency  # so that nobody waits while the caller works on a reply
        source = iter(requests)
        number, more = 0, True
        before = self.setup.known.now
        try:
            while (more or self._open) and not self._interrupt.came:
                ready: list[Reply] = []
                with self._interrupt:
                    room = ahead - len(self._open)
                    if more and room >= min(_LOOKUP, ahead) // 2:
                        asks = list(islice(source, min(room, _LOOKUP)))
                        more = bool(asks)
                        ready += self._begin(asks, number)
                        number += len(asks)
                    if self._open and not ready:
                        ready += self._finished()
                yield from ready
            yield from self._stopped(source)
        finally:
            if self._pump is not None:
                self._pump.stop()
            if self.replies is not None and self.setup.known.now != before:
                with suppress(sqlite3.Error):  # it would only have to be asked again
                    self.replies.remember(self.setup.place, self.setup.known.now.as_dict())

    def _begin(self, asks: list[Ask], number: int) -> list[Reply]:
        ready: list[Reply] = []
        jobs: list[Job] = []
        for ask in asks:
            job = self.preparer.job(ask)
            (jobs if isinstance(job, Job) else ready).append(job)  # type: ignore[arg-type]
        if self.replies is not None and jobs:
            kept = self.replies.get([job.key for job in jobs])
            found = {job.key: reply for job in jobs if (reply := from_kept(kept.get(job.key), job.ask, self.parse))}
            self.replies.count(self.stage, self.setup.model, len(found), len(jobs) - len(found))
            ready += [replace(found[job.key], item_id=job.ask.item_id) for job in jobs if job.key in found]
            jobs = [job for job in jobs if job.key not in found]
        numbered: list[tuple[int, Job]] = []
        for job in jobs:
            if job.key in self._twins:
                self._twins[job.key].append(job.ask)
            elif job.key in self._recent:
                ready.append(_same(self._recent[job.key], job.ask))
            else:
                self._twins[job.key] = []
                numbered.append((number + len(numbered), job))
        if numbered:
            self._open.update(numbered)
            self._started().submit(numbered)
        return ready

    def _started(self) -> Pump[Job, Reply]:
        if self._pump is None:
            self._pump = Pump(self._server)
            self._pump.start()
        return self._pump

    def _server(self) -> AbstractAsyncContextManager[Serve[Job, Reply]]:
        client = make_client(self.setup.endpoint, self.setup.key, self.setup.timeout, self.setup.concurrency)
        return serving(self.caller(self.setup, client, self.stage, self.parse).answer, client.close)

    def _finished(self, timeout: float = _TICK) -> list[Reply]:
        ready, keep = [], []
        for number, reply, error in self._started().wait(timeout):
            if number < 0 and error is not None:
                raise error
            job = self._open.pop(number)
            if reply is None:
                reply = Reply(job.ask.item_id, "failed", "endpoint_error", f"{type(error).__name__}: {error}")
            ready.append(reply)
            ready += [_same(reply, ask) for ask in self._twins.pop(job.key)]
            kept = keep_of(reply, job.key, job.request_hash, self.stage, self.setup.model)
            keep += [kept] if kept else []
            if kept and self.replies is None:
                self._recent[job.key] = reply
                if len(self._recent) > _RECENT:
                    del self._recent[next(iter(self._recent))]
        if self.replies is not None and keep:
            try:
                self.replies.put(keep)
            except sqlite3.Error:
                ready = [replace(r, notes=(*r.notes, "not_kept")) if r.status in ("ok", "empty") else r for r in ready]
        return ready

    def _stopped(self, source: Iterator[Ask]) -> Iterator[Reply]:
        """Give what had finished when somebody interrupted, and say of all others that they were not."""
        if not self._interrupt.came:
            return
        if self._pump is not None:
            self._pump.stop()
            yield from self._finished(0.0)
        left = [ask for job in self._open.values() for ask in (job.ask, *self._twins.pop(job.key))]
        self._open.clear()
        for ask in left:
            yield Reply(ask.item_id, "skipped", "interrupted", "Stopped before an answer came.", attempts=0)
        for ask in source:
            yield Reply(ask.item_id, "skipped", "interrupted", "Stopped before it was asked.")


def _same(reply: Reply, ask: Ask) -> Reply:
    """Give an item the reply to the same request of another, which was sent and paid for once."""
    good = reply.status in ("ok", "empty")
    return replace(reply, item_id=ask.item_id, attempts=0, tokens_in=None, tokens_out=None, cost=None, cached=good)


def from_kept(kept: Kept | None, ask: Ask, parse: Parse | None) -> Reply | None:
    """Make a reply of one that was kept; ``None`` when there is none, or it can no longer be used."""
    if kept is None:
        return None
    verdict = judge_text(kept.text, ask, parse)
    if verdict.status not in ("ok", "empty"):
        return None
    given = (verdict.status, verdict.reason, verdict.detail, verdict.data, verdict.text)
    return Reply(ask.item_id, *given, model=kept.served, cached=True, notes=verdict.notes)


def keep_of(reply: Reply, key: str, request_hash: str, stage: str, model: str) -> Kept | None:
    """Tell what to keep of a reply: all that are ok or empty, but none to a prompt that was clipped."""
    if reply.status not in ("ok", "empty") or reply.text is None or "clipped" in reply.notes:
        return None
    facts = (reply.text, reply.model, reply.tokens_in, reply.tokens_out, reply.cost)
    return Kept(key, stage, model, request_hash, reply.item_id, *facts)


class Interrupt:
    """While the model works, Ctrl-C (the kernel's stop button) asks for an orderly end instead of an exception.

    Only around the model's own work: in the caller's code between two replies it raises as ever. A second one raises.
    """

    def __init__(self) -> None:
        self.came = False
        self._mine = False

    def __enter__(self) -> None:
        here = threading.current_thread() is threading.main_thread()
        self._mine = here and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._mine:
            signal.signal(signal.SIGINT, self._note)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if self._mine:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if kind is KeyboardInterrupt and not self.came:
            self.came = True
            return True
        return False

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.came:
            signal.default_int_handler(number, frame)
        self.came = True
