"""Ask an endpoint a few small questions, to find out what ordinary requests do not show."""

from __future__ import annotations

import base64
import struct
import zlib
from collections import deque
from dataclasses import replace
from typing import Any

from kgkit.models.asking import Run
from kgkit.models.calling import Caller, Trail
from kgkit.models.capabilities import Answer, Capabilities
from kgkit.models.chat import Ask, Reply
from kgkit.models.failures import Failure
from kgkit.models.judging import Verdict
from kgkit.models.setup import Job

__all__ = ["QUESTIONS", "ProbeRun", "red_square"]

_SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["red", "green"]}},
    "required": ["colour"],
    "additionalProperties": False,
}
_SAY = "Which colour does a ripe tomato have, red or green? Answer in one word."
_LENGTH = 200  # room for the thinking of models that think


def red_square(side: int = 64) -> bytes:
    """Draw a red PNG."""
    rows = b"".join(b"\x00" + b"\xff\x00\x00" * side for _ in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    chunks = (struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _picture() -> tuple[dict[str, Any], ...]:
    url = "data:image/png;base64," + base64.b64encode(red_square()).decode()
    parts = [
        {"type": "text", "text": "Which colour is this picture? Answer in one word."},
        {"type": "image_url", "image_url": {"url": url}},
    ]
    return ({"role": "user", "content": parts},)


QUESTIONS: tuple[Ask, ...] = (
    Ask("json_schema", ({"role": "user", "content": _SAY},), _SCHEMA, _LENGTH),
    Ask("json_object", ({"role": "user", "content": f'{_SAY} Reply as JSON: {{"colour": "..."}}'},), None, _LENGTH),
    Ask("streaming", ({"role": "user", "content": _SAY},), None, _LENGTH),
    Ask("vision", _picture(), None, _LENGTH),
)
"""What is asked, the schema first: it also shows tokens, temperature and seed."""


class _Prober(Caller):
    """Asks the questions, each in a form of its own, and learns from the answers."""

    raw = ""

    async def answer(self, job: Job) -> Reply:
        name = job.ask.item_id
        if name == "json_schema":
            return await super().answer(job)
        trail = Trail(attempts=1)
        body, _ = self._body(job, self.setup.known.now)
        if name == "json_object":
            body["response_format"] = {"type": "json_object"}
        elif name == "streaming":
            body["stream"] = True
        need = self.need(job)
        if not await self.reserve(need):
            return trail.reply(job, Verdict("skipped", "budget", "The budget does not allow this call."))
        answer = await self.send(job, trail, body, need)
        if isinstance(answer, Failure):
            no = answer.refused or not answer.again or "not supported" in answer.detail
            learned: Answer | None = "no" if no else None
            verdict = Verdict("failed", answer.reason, answer.detail)
        else:
            learned, verdict = self._learned(name, answer), answer
        if learned is not None:
            self.setup.known.learn(lambda now: _with(now, name, learned))
        return trail.reply(job, verdict)

    def judged(self, raw: str, job: Job) -> Verdict | Failure:
        self.raw = raw
        return super().judged(raw, job)

    def _learned(self, name: str, verdict: Verdict) -> Answer | None:
        if name == "streaming":
            return "yes" if self.raw.lstrip().startswith(("data:", "event:", ":")) else "ignored"
        text = (verdict.text or "").strip()
        if not text:
            return None
        if name == "json_object":
            return "yes" if text.startswith("{") and text.endswith("}") else "ignored"
        return "yes" if "red" in text.lower() else "ignored"


class ProbeRun(Run):
    """A run of `QUESTIONS`, one after the other."""

    caller = _Prober

    def learn(self) -> Capabilities:
        """Ask all, and give what is known then."""
        known = self.setup.known
        known.learn(lambda _: Capabilities())
        for question in QUESTIONS:
            deque(ProbeRun(self.setup, self.preparer, None, "probe", None).replies_to([question]), maxlen=0)
        if self.replies is not None:
            self.replies.remember(self.setup.place, known.now.as_dict())
        return known.now


def _with(caps: Capabilities, name: str, learned: Answer | None) -> Capabilities:
    changes: dict[str, Any] = {name: learned}
    return replace(caps, **changes)
