"""Get one item answered: requests, retries within limits in number and time, and the account of both."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kgkit.models.bodies import body_of, hidden_error
from kgkit.models.budget import Spending
from kgkit.models.capabilities import Capabilities, Form, after_refusal
from kgkit.models.chat import Parse, Reply
from kgkit.models.failures import Failure, failure_in, failure_of
from kgkit.models.judging import Verdict, judge
from kgkit.models.pacing import Pace, backoff, retry_after
from kgkit.models.setup import Job, Setup
from kgkit.models.wire import body_for

__all__ = ["LONGEST_WAIT", "Caller", "Trail"]

LONGEST_WAIT = 60.0
"""Seconds: when an endpoint asks to wait longer than this, the item fails at once and says so."""

_ONCE_MORE = (
    "empty_reply",
    "unusable_reply",
    "endpoint_error",
)  # asked again once: more would cost more than it brings
_POLL = 0.02
_GONE = 20  # items in a row given up without any answer: then nobody is there


@dataclass
class Trail:
    """What an item has taken so far."""

    attempts: int = 0
    started: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    poor: bool = False
    finding_out: bool = False
    unreached: bool = False
    last: Verdict | None = None
    notes: list[str] = field(default_factory=list)

    def add(self, verdict: Verdict, cost: float | None) -> None:
        """Add what one request took."""
        for name, value in (("tokens_in", verdict.tokens_in), ("tokens_out", verdict.tokens_out), ("cost", cost)):
            if value is not None:
                setattr(self, name, (getattr(self, name) or 0) + value)

    def reply(self, job: Job, verdict: Verdict) -> Reply:
        """Make the item's reply."""
        return Reply(
            job.ask.item_id,
            verdict.status,
            verdict.reason,
            verdict.detail,
            verdict.data,
            verdict.text,
            verdict.model,
            attempts=self.attempts,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            cost=self.cost,
            notes=(*verdict.notes, *dict.fromkeys(self.notes)),
        )


class Caller:
    """Answers the jobs of one run; belongs to the event loop of that run."""

    path = "/chat/completions"

    def __init__(self, setup: Setup, client: Any, stage: str, parse: Parse | None) -> None:
        self.setup = setup
        self.client = client
        self.stage = stage
        self.parse = parse
        self.pace = Pace(setup.concurrency)
        self.hopeless: Failure | None = None
        self._gates: dict[bool, asyncio.Event] = {}
        self._given_up = 0  # items in a row
        self._answered = False

    async def answer(self, job: Job) -> Reply:
        """Ask until there is an answer, or no more hope of one."""
        gate = await self._first_alone(job.ask.schema is not None)
        trail = Trail()
        try:
            while True:
                outcome = await self._once(job, trail)
                if gate and not trail.finding_out:
                    gate.set()
                if isinstance(outcome, Verdict):
                    self._count_given_up(trail)
                    return trail.reply(job, outcome)
                if outcome:
                    await asyncio.sleep(outcome)
        finally:
            if gate:
                gate.set()

    def _count_given_up(self, trail: Trail) -> None:
        self._given_up = self._given_up + 1 if trail.unreached else 0
        if trail.last and self._given_up >= max(_GONE, 2 * self.setup.concurrency):
            self.hopeless = self.hopeless or Failure(str(trail.last.reason), str(trail.last.detail))

    async def _first_alone(self, with_schema: bool) -> asyncio.Event | None:
        """Let the first request find out what the endpoint can do, while the others wait."""
        caps = self.setup.known.now
        if caps.usage != "unknown" and (not with_schema or getattr(caps, caps.form, "text") != "unknown"):
            return None
        if gate := self._gates.get(with_schema):
            await gate.wait()
            return None
        self._gates[with_schema] = asyncio.Event()
        return self._gates[with_schema]

    async def _once(self, job: Job, trail: Trail) -> Verdict | float:
        """Send one request; give the end of the item, or the seconds to wait before the next request."""
        trail.finding_out = False
        if self.hopeless:
            return Verdict("failed", self.hopeless.reason, f"Not sent: {self.hopeless.detail}")
        caps = self.setup.known.now
        body, form = self._body(job, caps)
        need = self.need(job)
        entered = await self.pace.enter()
        try:
            trail.started = trail.started or entered
            if trail.last and self._left(trail) <= 0:
                return trail.last
            if not await self.reserve(need):
                detail = f"The budget does not allow this call: {self.setup.budget!r}."
                return trail.last or Verdict("skipped", "budget", detail)
            trail.attempts += 1
            answer = await self.send(job, trail, body, need)
        finally:
            self.pace.leave()
        if isinstance(answer, Failure):
            return self._after_failure(answer, job, trail, caps, body, entered)
        self.pace.went_well()
        return self._after_answer(answer, job, trail, form, body)

    async def send(self, job: Job, trail: Trail, body: dict[str, Any], need: Spending) -> Verdict | Failure:
        """Send one request, and account for it."""
        began, began_at = time.monotonic(), time.time()
        limit = max(0.05, min(self.setup.timeout, self._left(trail)))
        answer: Verdict | Failure
        try:
            async with asyncio.timeout(limit):
                raw = await self.client.post(self.path, cast_to=str, body=body)
            answer = self.judged(raw, job)
        except asyncio.CancelledError:
            self._account(job, trail, Failure("interrupted", "", sent=True), need, began, began_at)
            raise
        except Exception as error:  # whatever the client raises becomes this item's outcome
            answer = failure_of(error, self.setup.key, time.monotonic() - began)
        self._account(job, trail, answer, need, began, began_at)
        return answer

    def judged(self, raw: str, job: Job) -> Verdict | Failure:
        """Judge the text of an answer."""
        body = body_of(self.setup.key.mask_whole(raw))
        if body is None:
            return Failure(
                "endpoint_error", "The endpoint's answer is not JSON, or was cut off.", again=True, sent=True
            )
        error = hidden_error(body)
        if error:
            return failure_in(error, body, self.setup.key)
        verdict = self._verdict(body, job)
        clipped = verdict.tokens_in is not None and not job.size.images and verdict.tokens_in < job.size.fewest
        return replace(verdict, notes=(*verdict.notes, "clipped")) if clipped else verdict

    def _account(
        self, job: Job, trail: Trail, answer: Verdict | Failure, need: Spending, began: float, began_at: float
    ) -> None:
        verdict = answer if isinstance(answer, Verdict) else Verdict("failed", answer.reason)
        if isinstance(answer, Failure) and answer.reason == "interrupted":
            verdict = Verdict("skipped", "interrupted")
        price, cost = self.setup.price(verdict.model), None
        tokens_in, tokens_out = verdict.tokens_in, verdict.tokens_out
        if price and tokens_in is not None:
            cost = price.of(tokens_in, tokens_out or 0)
        trail.add(verdict, cost)
        if self.setup.budget is not None:
            took = need
            if tokens_in is not None:
                took = Spending(1, tokens_in + (tokens_out or 0), cost)
            elif isinstance(answer, Failure) and not answer.sent:
                took = Spending(1, 0, 0.0)
            self.setup.budget.settle(need, took)
        seconds = time.monotonic() - began
        row = (verdict.status, verdict.reason, tokens_in, tokens_out, cost, seconds, began_at)
        self.setup.usage.add(self.stage, job.ask.item_id, trail.attempts, self.setup.model, verdict.model, *row)

    def _after_failure(
        self, failure: Failure, job: Job, trail: Trail, caps: Capabilities, body: dict[str, Any], entered: float
    ) -> Verdict | float:
        last = trail.last = Verdict("failed", failure.reason, failure.detail)
        trail.unreached = failure.unreachable
        if failure.hopeless or (failure.denied and not self._answered):
            self.hopeless = failure
            return last
        if failure.refused:
            change = after_refusal(caps, body, failure.detail)
            if change is None or trail.attempts >= self.setup.max_attempts:
                return last
            self.setup.known.learn(lambda now: replace(now, **change))
            if {"json_schema", "json_object"} & change.keys():
                trail.notes[:] = [f"fallback:{self.setup.known.now.form}"]
            trail.finding_out = True
            return 0.0
        asked = retry_after(failure.headers or {})
        pause = asked if asked is not None else backoff(trail.attempts)
        if failure.busy:
            self.pace.too_many(entered, min(pause, LONGEST_WAIT) if asked is not None else 0.0)
        if not failure.again or trail.attempts >= self.setup.max_attempts:
            return last
        left = self._left(trail)
        if asked is not None and asked > min(LONGEST_WAIT, left):
            ceiling = f"longer than kgkit waits ({min(LONGEST_WAIT, max(left, 0)):.0f} s)"
            return replace(last, detail=f"{failure.detail} The endpoint asked to wait {asked:.0f} s, {ceiling}.")
        return last if pause >= left else pause

    def _after_answer(
        self, verdict: Verdict, job: Job, trail: Trail, form: Form, body: dict[str, Any]
    ) -> Verdict | float:
        self._answered, trail.unreached = True, False
        usage = verdict.tokens_in is not None
        self.setup.known.learn(lambda now: now.after_success(body, usage, verdict.model))
        if job.ask.schema is not None and verdict.strict is not None:
            self.setup.known.learn(lambda now: now.after_reply(form, bool(verdict.strict)))
        poor = verdict.status == "failed" and verdict.reason in _ONCE_MORE
        if poor and not trail.poor and trail.attempts < self.setup.max_attempts and self._left(trail) > 0:
            trail.poor, trail.last = True, verdict
            return 0.0
        return verdict

    def _left(self, trail: Trail) -> float:
        return self.setup.max_seconds - (time.monotonic() - (trail.started or time.monotonic()))

    def _body(self, job: Job, caps: Capabilities) -> tuple[dict[str, Any], Form]:
        return body_for(self.setup.model, job.ask, caps, self.setup.parameters, job.schema_text)

    def _verdict(self, body: Mapping[str, Any], job: Job) -> Verdict:
        return judge(body, job.ask, self.parse)

    def need(self, job: Job) -> Spending:
        """The most that one request for this job can take."""
        if self.setup.budget is None:
            return Spending()
        reply = job.ask.max_tokens or int(self.setup.parameters.get("max_tokens") or 0)
        price = self.setup.price()
        return Spending(1, job.size.most + reply, price.of(job.size.most, reply) if price else None)

    async def reserve(self, need: Spending) -> bool:
        """Reserve what a request may take; wait while others hold what it needs."""
        if self.setup.budget is None:
            return True
        while (decision := self.setup.budget.reserve(need)) == "wait":
            await asyncio.sleep(_POLL)
        return decision == "granted"
