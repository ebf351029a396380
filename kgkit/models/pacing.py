"""How many requests are under way at once, and how long to wait: adapted to what the endpoint says."""

from __future__ import annotations

import asyncio
import math
import random
import re
import time
from collections import deque
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

__all__ = ["Pace", "backoff", "retry_after"]

_FIRST, _LONGEST = 0.5, 20.0
_UNIT = re.compile(r"\s*(?:s|secs?|seconds?)\s*$", re.IGNORECASE)


class Pace:
    """A gate for at most ``most`` requests at once; half as many after each "too many", one more after each success.

    Belongs to one event loop.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self.under_way = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._not_before = 0.0
        self._lowered_at = 0.0

    async def enter(self) -> float:
        """Wait for a place; give the time of entry."""
        while self.under_way >= int(self.limit):
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            await place
        self.under_way += 1
        try:
            while (pause := self._not_before - time.monotonic()) > 0:
                await asyncio.sleep(pause)
        except BaseException:
            self.leave()
            raise
        return time.monotonic()

    def leave(self) -> None:
        """Give the place back."""
        self.under_way -= 1
        self._wake()

    def went_well(self) -> None:
        """Allow a little more."""
        if self.limit < self.most:
            self.limit = min(float(self.most), self.limit + 1 / self.limit)
            self._wake()

    def too_many(self, entered: float, pause: float) -> None:
        """Allow half, once for all requests that were under way together; let nobody start for ``pause`` seconds."""
        now = time.monotonic()
        self._not_before = max(self._not_before, now + pause)
        if entered >= self._lowered_at:
            self.limit = max(1.0, self.limit / 2)
            self._lowered_at = now

    def _wake(self) -> None:
        free = int(self.limit) - self.under_way
        while free > 0 and self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1


def backoff(attempt: int) -> float:
    """Seconds to wait after the ``attempt``-th failure: doubled each time, and spread so that not all come at once."""
    wait: float = min(_LONGEST, _FIRST * 2 ** (attempt - 1))
    return wait * random.uniform(0.75, 1.25)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Read how many seconds an endpoint asks to wait; ``None`` when it says nothing that makes sense.

    Examples:
        >>> retry_after({"retry-after": "2"})
        2.0
    """
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            seconds = float(_UNIT.sub("", text)) * factor
        except ValueError:
            seconds = _until(text)
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    return None


def _until(date: str) -> float:
    try:
        when = parsedate_to_datetime(date)
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        return max(0.0, when.timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return math.nan
