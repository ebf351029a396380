"""An endpoint's side of the batch API: files, batches, and asking again when it stumbles."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import IO, Any, TypeVar

from kgkit.models.failures import failure_of
from kgkit.models.pacing import backoff
from kgkit.models.setup import Setup
from kgkit.models.wire import make_plain_client

__all__ = ["BatchEndpoint", "BatchError"]

T = TypeVar("T")

_TICK = 0.2
_MARK = "kgkit"  # name of the metadata by which a batch is found again
_LOOKED_THROUGH = 1_000  # of the endpoint's latest batches


class BatchError(Exception):
    """The endpoint does not take, know or give what a batch needs.

    Args:
        detail: What it said.
        sent: Whether it may have done what it was asked all the same.
    """

    def __init__(self, detail: str, *, sent: bool = False) -> None:
        super().__init__(detail)
        self.sent = sent


class BatchEndpoint:
    """What one endpoint is asked for.

    Args:
        setup: Which endpoint, with its limits.
        stopped: Tells whether somebody interrupted: then nothing is tried again.
    """

    def __init__(self, setup: Setup, stopped: Callable[[], bool]) -> None:
        self.setup = setup
        self._stopped = stopped
        self._made: Any = None

    def upload(self, out: IO[bytes]) -> str:
        """Hand a file of requests in; give its id."""

        def send() -> str:
            out.seek(0)
            return str(self._client.files.create(file=("kgkit.jsonl", out), purpose="batch").id)

        return self._tried(send)

    def create(self, file_id: str, mark: str) -> str:
        """Make a batch of a file; give its id. A batch with this mark is never made twice."""
        tries = 0

        def make() -> str:
            nonlocal tries
            tries += 1
            if tries > 1 and (made := self._find(mark)):
                return made
            batch = self._client.batches.create(
                input_file_id=file_id,
                endpoint="/v1/chat/completions",
                completion_window="24h",
                metadata={_MARK: mark},
            )
            return str(batch.id)

        return self._tried(make)

    def find(self, mark: str) -> str | None:
        """Look for the batch with a mark among the latest; ``None`` when there is none."""
        return self._tried(lambda: self._find(mark))

    def look(self, batch_id: str) -> Any:
        """Give a batch as it is now."""
        return self._tried(lambda: self._client.batches.retrieve(batch_id))

    def lines(self, file_id: str) -> Iterator[Mapping[str, Any]]:
        """Give the lines of a file that are JSON objects; what is not is a request without a reply."""
        raw = self._tried(lambda: self._client.files.content(file_id).read())
        for line in self.setup.key.mask_whole(raw.decode("utf-8", "replace")).split("\n"):
            try:
                value = json.loads(line) if line.strip() else None
            except ValueError:
                continue
            if isinstance(value, dict):
                yield value

    def sleep(self, seconds: float) -> None:
        """Wait, but not on when somebody interrupts."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self._stopped():
            time.sleep(min(left, _TICK))

    def close(self) -> None:
        """Close the connections."""
        if self._made is not None:
            self._made.close()

    @property
    def _client(self) -> Any:
        if self._made is None:
            self._made = make_plain_client(self.setup.endpoint, self.setup.key, self.setup.timeout)
        return self._made

    def _find(self, mark: str) -> str | None:
        latest = islice(self._client.batches.list(limit=100), _LOOKED_THROUGH)
        return next((str(b.id) for b in latest if (b.metadata or {}).get(_MARK) == mark), None)

    def _tried(self, call: Callable[[], T]) -> T:
        attempt, sent = 0, False
        while True:
            attempt += 1
            try:
                return call()
            except Exception as error:
                failure = failure_of(error, self.setup.key, self.setup.timeout)
                sent = sent or failure.sent
                if not failure.again or attempt >= self.setup.max_attempts or self._stopped():
                    raise BatchError(failure.detail, sent=sent) from None
            self.sleep(backoff(attempt))
