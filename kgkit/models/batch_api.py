"""The batch API: hand in a file of requests, fetch the replies within a day, for half the price.

The ids of batches that are under way are kept beside the replies. So a process may end: the same requests, asked
again, wait for the batch that holds them instead of being handed in (and paid for) twice. That a batch is about to be
made is noted before, and the batch carries the note's mark: one that was made in the moment when a process was killed
is found by it.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import IO, Any
from uuid import uuid4

from kgkit.models.asking import Interrupt, Preparer, from_kept, keep_of
from kgkit.models.batch_endpoint import BatchEndpoint, BatchError
from kgkit.models.bodies import said
from kgkit.models.budget import Spending
from kgkit.models.capabilities import after_refusal
from kgkit.models.chat import Ask, Parse, Reply
from kgkit.models.judging import Verdict, judge
from kgkit.models.replies import Kept, Replies
from kgkit.models.setup import Job, Setup
from kgkit.models.wire import body_for

__all__ = ["BatchRun"]

MOST_REQUESTS = 50_000
MOST_BYTES = 190 * 2**20  # the documented limit is 200 MB
_OVER = ("completed", "failed", "expired", "cancelled")
_TICK = 0.2
_MEANT = "meant-"  # begins the mark of a batch whose id is not known yet
_NO_LIST = ("HTTP 404", "HTTP 405", "HTTP 501")


@dataclass
class _File:
    """A file of requests that is being written."""

    out: IO[bytes]
    items: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    size: int = 0


class BatchRun:
    """One call of ``model.ask`` in batch mode. Waits up to ``setup.max_seconds`` for batches to finish."""

    def __init__(self, setup: Setup, preparer: Preparer, replies: Replies, stage: str, parse: Parse | None) -> None:
        self.setup = setup
        self.preparer = preparer
        self.replies = replies
        self.stage = stage
        self.parse = parse
        self._interrupt = Interrupt()
        self._endpoint = BatchEndpoint(setup, lambda: self._interrupt.came)
        self._waiting: dict[str, list[Job]] = {}  # by key: more than one item may ask the same
        self._needs: dict[str, Spending] = {}

    def replies_to(self, requests: Iterable[Ask]) -> Iterator[Reply]:
        """Yield a reply to each request: those that are kept at once, the others when their batch is done."""
        try:
            with self._interrupt:
                self._find_meant()
            pending = self.replies.batches(self.setup.place)
            source = iter(requests)
            yield from self._hand_in(source, {key for items in pending.values() for key in items})
            deadline = time.monotonic() + self.setup.max_seconds
            pending = self.replies.batches(self.setup.place)
            wait = min(_TICK, self.setup.max_seconds)
            while pending and self._waiting and not self._interrupt.came:
                for batch_id, items in list(pending.items()):
                    with self._interrupt:
                        ready = self._look(batch_id, items)
                    if ready is not None:
                        del pending[batch_id]
                        yield from ready
                if time.monotonic() >= deadline:
                    break
                with self._interrupt:
                    self._endpoint.sleep(min(wait, deadline - time.monotonic()))
                wait = min(2 * wait, 60.0)
            yield from self._left(source)
        finally:
            for need in self._needs.values():  # it may be paid for, so it counts whole
                self._settle(need, need)
            self._endpoint.close()

    def _find_meant(self) -> None:
        """Look for batches that were about to be made when a process ended."""
        for mark in [b for b in self.replies.batches(self.setup.place) if b.startswith(_MEANT)]:
            try:
                found = self._endpoint.find(mark)
            except BatchError as error:
                if not any(code in str(error) for code in _NO_LIST):
                    continue  # looked for again by the next run
                found = None
            if found is None:
                self.replies.end_batch(mark)
            else:
                self.replies.name_batch(mark, found)

    def _hand_in(self, source: Iterator[Ask], pending: set[str]) -> Iterator[Reply]:
        handed = set(pending)
        with tempfile.TemporaryFile() as out:
            file = _File(out)
            for ask in source:
                job = self.preparer.job(ask)
                if isinstance(job, Reply):
                    yield job
                    continue
                kept = from_kept(self.replies.get([job.key]).get(job.key), ask, self.parse)
                self.replies.count(self.stage, self.setup.model, int(kept is not None), int(kept is None))
                if kept is not None:
                    yield kept
                    continue
                if job.key not in handed and not self._reserve(job):
                    detail = f"The budget does not allow this call: {self.setup.budget!r}."
                    yield Reply(ask.item_id, "skipped", "budget", detail)
                    continue
                self._waiting.setdefault(job.key, []).append(job)
                if job.key not in handed:
                    handed.add(job.key)
                    line = self._line(job)
                    if len(file.items) >= MOST_REQUESTS or file.size + len(line) > MOST_BYTES:
                        yield from self._send(file)
                    file.out.write(line)
                    file.size += len(line)
                    file.items[job.key] = (self.stage, job.request_hash, ask.item_id)
                if self._interrupt.came:
                    return
            yield from self._send(file)

    def _line(self, job: Job) -> bytes:
        body, _ = body_for(self.setup.model, job.ask, self.setup.known.now, self.setup.parameters, job.schema_text)
        line = {"custom_id": job.key, "method": "POST", "url": "/v1/chat/completions", "body": body}
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"

    def _send(self, file: _File) -> Iterator[Reply]:
        """Hand in what was written, and begin an empty file."""
        if not file.items:
            return
        failed = None
        mark = _MEANT + uuid4().hex
        with self._interrupt:
            try:
                sent = self._endpoint.upload(file.out)
                self.replies.add_batch(mark, self.setup.place, file.items)
                try:
                    self.replies.name_batch(mark, self._endpoint.create(sent, mark))
                except BatchError as error:
                    if not error.sent:  # else it may be there, and the next run looks for it
                        self.replies.end_batch(mark)
                    raise
            except BatchError as error:
                failed = str(error)
        if failed is not None:
            yield from self._fail(file.items, failed)
        file.out.seek(0)
        file.out.truncate()
        file.items, file.size = {}, 0

    def _look(self, batch_id: str, items: Mapping[str, Any]) -> list[Reply] | None:
        """Look at a batch; when it is over give the replies to those of its requests that are waited for."""
        if batch_id.startswith(_MEANT):
            return None
        try:
            batch = self._endpoint.look(batch_id)
        except BatchError as error:
            if "HTTP 404" not in str(error):
                return None  # looked at again later
            self.replies.end_batch(batch_id)
            return self._fail(items, f"The endpoint does not know the batch {batch_id} any more.")
        if batch.status not in _OVER:
            return None
        ready: list[Reply] = []
        keep: list[Kept] = []
        seen: set[str] = set()
        try:
            for name in (batch.output_file_id, batch.error_file_id):
                for line in self._endpoint.lines(name) if name else ():
                    key = str(line.get("custom_id"))
                    if key in items and key not in seen:
                        seen.add(key)
                        ready += self._merge(key, items[key], line, keep)
        except BatchError:
            return None
        self.replies.put(keep)
        self.replies.end_batch(batch_id)
        why = f"The batch ended as {batch.status!r} without a reply to this request"
        errors = getattr(batch.errors, "data", None) or []
        told = "; ".join(said({"message": e.message}) for e in errors[:3])
        left = {key: item for key, item in items.items() if key not in seen}
        return ready + self._fail(left, self.setup.key.mask(f"{why}{': ' + told if told else '.'}"))

    def _merge(self, key: str, item: list[str], line: Mapping[str, Any], keep: list[Kept]) -> list[Reply]:
        stage, request_hash, item_id = item
        response = line.get("response") if isinstance(line.get("response"), Mapping) else {}
        body = response.get("body") if isinstance(response, Mapping) else None
        status = response.get("status_code") if isinstance(response, Mapping) else None
        jobs = self._waiting.pop(key, [])
        ready = []
        for position, ask in enumerate([job.ask for job in jobs] or [Ask(item_id, ())]):
            if status == 200 and isinstance(body, Mapping):
                verdict = judge(body, ask, self.parse if jobs else None)
            else:
                error = line.get("error") or (body.get("error") if isinstance(body, Mapping) else None) or "no reply"
                detail = self.setup.key.mask(f"HTTP {status}: {said(error)}")
                verdict = Verdict("failed", "rate_limited" if status == 429 else "endpoint_error", detail)
            cost = self._account(stage, ask.item_id, verdict, key) if position == 0 else None
            reply = Reply(
                ask.item_id,
                verdict.status,
                verdict.reason,
                verdict.detail,
                verdict.data,
                verdict.text,
                verdict.model,
                attempts=int(position == 0),
                tokens_in=verdict.tokens_in,
                tokens_out=verdict.tokens_out,
                cost=cost,
                notes=verdict.notes,
            )
            if position == 0 and (kept := keep_of(reply, key, request_hash, stage, self.setup.model)):
                keep.append(kept)
            if jobs:
                ready.append(reply)
        if jobs and status in (400, 422):
            self._learn(jobs[0], ready[0].detail or "")
        return ready

    def _account(self, stage: str, item_id: str, verdict: Verdict, key: str) -> float | None:
        price, cost = self.setup.price(verdict.model), None
        tokens = (verdict.tokens_in or 0) + (verdict.tokens_out or 0)
        if price and verdict.tokens_in is not None:
            cost = price.of(verdict.tokens_in, verdict.tokens_out or 0, half=True)
        if key in self._needs:
            need = self._needs.pop(key)
            failed = verdict.reason in ("endpoint_error", "rate_limited")
            unknown = verdict.tokens_in is None and not failed
            self._settle(need, need if unknown else Spending(1, tokens, 0.0 if failed else cost))
        row = (verdict.status, verdict.reason, verdict.tokens_in, verdict.tokens_out, cost, None, time.time())
        self.setup.usage.add(stage, item_id, 1, self.setup.model, verdict.model, *row)
        return cost

    def _learn(self, job: Job, detail: str) -> None:
        caps = self.setup.known.now
        body, _ = body_for(self.setup.model, job.ask, caps, self.setup.parameters, job.schema_text)
        if change := after_refusal(caps, body, detail):
            self.setup.known.learn(lambda now: replace(now, **change))

    def _fail(self, items: Iterable[str], detail: str) -> list[Reply]:
        jobs: list[Job] = []
        for key in items:
            if key in self._needs:
                self._settle(self._needs.pop(key), Spending())
            jobs += self._waiting.pop(key, [])
        return [Reply(job.ask.item_id, "failed", "endpoint_error", detail, attempts=1) for job in jobs]

    def _left(self, source: Iterator[Ask]) -> Iterator[Reply]:
        reason, detail = "pending", "The batch is not finished yet. Ask again later: nothing is handed in twice."
        if self._interrupt.came:
            reason, detail = "interrupted", "Stopped. A batch that was handed in goes on; ask again to fetch it."
        for jobs in self._waiting.values():
            for job in jobs:
                yield Reply(job.ask.item_id, "skipped", reason, detail, attempts=1)
        for ask in source:
            yield Reply(ask.item_id, "skipped", "interrupted", "Stopped before it was handed in.")

    def _reserve(self, job: Job) -> bool:
        if self.setup.budget is None:
            return True
        reply = job.ask.max_tokens or int(self.setup.parameters["max_tokens"])
        price = self.setup.price()
        most = job.size.most
        need = Spending(1, most + reply, price.of(most, reply, half=True) if price else None)
        if self.setup.budget.reserve(need) != "granted":
            return False
        self._needs[job.key] = need
        return True

    def _settle(self, need: Spending, took: Spending) -> None:
        if self.setup.budget is not None:
            self.setup.budget.settle(need, took)
