"""Run many asynchronous jobs from plain code: in a script, a running kernel, a thread, or under asyncio.

The jobs run on a thread of their own with its own event loop, so it does not matter what the caller runs on. Results
come out of an ordinary generator as they finish; jobs go in as there is room.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Generic, TypeVar

__all__ = ["Pump", "serving"]

J = TypeVar("J")
R = TypeVar("R")
Serve = Callable[[J], Awaitable[R]]

_STOP = 2.0


class Pump(Generic[J, R]):
    """A thread that answers jobs.

    Args:
        server: Makes, inside the thread's event loop, the function that answers one job; it is left when all is done.
    """

    def __init__(self, server: Callable[[], AbstractAsyncContextManager[Serve[J, R]]]) -> None:
        self._server = server
        self._inbox: deque[tuple[int, J]] = deque()
        self._done: queue.SimpleQueue[tuple[int, R | None, BaseException | None]] = queue.SimpleQueue()
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake: asyncio.Event | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="kgkit-models", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()
        self._ready.wait()

    def submit(self, jobs: list[tuple[int, J]]) -> None:
        """Hand in jobs, each with a number that comes back with its result."""
        self._inbox.extend(jobs)
        self._signal()

    def wait(self, timeout: float) -> list[tuple[int, R | None, BaseException | None]]:
        """Give what has finished; wait for the first up to ``timeout`` seconds."""
        done = []
        try:
            done.append(self._done.get(timeout=timeout))
            while True:
                done.append(self._done.get_nowait())
        except queue.Empty:
            return done

    def stop(self) -> None:
        """Cancel what is under way and end the thread; returns within two seconds."""
        self._closing = True
        self._signal()
        self._thread.join(_STOP)

    def _signal(self) -> None:
        if self._loop is not None and self._wake is not None and self._thread.is_alive():
            try:
                self._loop.call_soon_threadsafe(self._wake.set)
            except RuntimeError:  # the loop ended just now
                return

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:
            self._done.put((-1, None, error))
        finally:
            self._ready.set()

    async def _main(self) -> None:
        self._loop, self._wake = asyncio.get_running_loop(), asyncio.Event()
        tasks: set[asyncio.Task[None]] = set()
        async with self._server() as serve:
            self._ready.set()
            while not self._closing:
                self._wake.clear()
                while self._inbox:
                    number, job = self._inbox.popleft()
                    task = asyncio.create_task(self._work(serve, number, job))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)
                await self._wake.wait()
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=_STOP / 2) if tasks else None

    async def _work(self, serve: Serve[J, R], number: int, job: J) -> None:
        try:
            self._done.put((number, await serve(job), None))
        except Exception as error:
            self._done.put((number, None, error))


@asynccontextmanager
async def serving(serve: Serve[J, R], close: Callable[[], Awaitable[None]]) -> AsyncIterator[Serve[J, R]]:
    """Make a server of a function, and close what it used at the end."""
    try:
        yield serve
    finally:
        await close()
