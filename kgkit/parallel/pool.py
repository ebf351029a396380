"""A small pool of processes: one that hangs is killed, one that crashes is replaced, the others go on."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

import kgkit
from kgkit.parallel.worker import READY, receive, send

__all__ = ["MEMORY_LIMIT", "Lost", "count_cores", "run_tasks"]

MEMORY_LIMIT = 4 * 1024**3

_START_TIMEOUT = 120.0
_STDERR_TAIL = 2_000
_STEP = 0.2
# The worker must run this very kgkit, whatever the folder it is started in holds under that name.
_BOOT = (
    "import sys, importlib.util as u;"
    "s = u.spec_from_file_location('kgkit', sys.argv[1], submodule_search_locations=[sys.argv[2]]);"
    "m = u.module_from_spec(s); sys.modules['kgkit'] = m; s.loader.exec_module(m);"
    "sys.path.extend(p for p in sys.argv[4:] if p not in sys.path);"
    "from kgkit.parallel.worker import main; main(int(sys.argv[3]))"
)


class Lost(Exception):
    """A task whose process gave no answer; ``reason`` is ``timeout``, ``crashed`` or ``not_started``."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


def count_cores() -> int:
    """Count the processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


def run_tasks(
    function: str,
    tasks: Sequence[tuple[Any, ...]],
    *,
    workers: int,
    timeout: float | None,
    on_done: Callable[[int], None] | None = None,
    into: list[Any] | None = None,
    memory_limit: int | None = MEMORY_LIMIT,
    environment: Mapping[str, str] | None = None,
    here: Callable[..., Any] | None = None,
) -> list[Any]:
    """Call a function for each task in separate processes, and collect what it returns.

    Args:
        function: ``"module:name"`` of a function that the processes can import.
        tasks: The arguments of each call.
        workers: Number of processes at most.
        timeout: Seconds that one call may take; ``None`` for no limit.
        on_done: Called in this thread with the number of finished tasks, after each.
        into: An empty list to put the answers in, so that a caller who is interrupted still has those that are
            finished; the others are None.
        memory_limit: Bytes of address space that a process may take; ``None`` for no limit.
        environment: Variables to set for the processes.
        here: The same function, to call for tasks in this thread too while the processes start and work. No limit
            holds for those calls, and what they raise is raised.

    Returns:
        For each task what the call returned, or a `Lost` that says why there is no answer.

    Raises:
        KeyboardInterrupt: The person interrupted; all processes have ended.
    """
    results: list[Any] = [] if into is None else into
    results += [None] * len(tasks)
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for index in range(len(tasks)):
        waiting.put(index)
    finished: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
    start = partial(_Worker, memory_limit, dict(environment or {}))
    count = max(1, min(workers, len(tasks)))
    lanes = [_Lane(function, tasks, waiting, finished, timeout, start) for _ in range(count)]
    try:
        for lane in lanes:
            lane.start()
        for done in range(1, len(tasks) + 1):
            mine = _take(waiting) if here is not None and finished.empty() else None
            if here is not None and mine is not None:
                results[mine] = here(*tasks[mine])
            else:
                index, results[index] = _next(finished)
            if on_done is not None:
                on_done(done)
    finally:
        for lane in lanes:
            lane.stop()
        for lane in lanes:
            lane.join()
    return results


def _take(waiting: queue.SimpleQueue[int]) -> int | None:
    try:
        return waiting.get_nowait()
    except queue.Empty:
        return None


def _next(finished: queue.SimpleQueue[tuple[int, Any]]) -> tuple[int, Any]:
    """Wait in short steps: not on every system does an interrupt end a wait without a limit."""
    while True:
        try:
            return finished.get(timeout=_STEP)
        except queue.Empty:
            continue


class _Lane(threading.Thread):
    """One thread that feeds one process after another."""

    def __init__(
        self,
        function: str,
        tasks: Sequence[tuple[Any, ...]],
        waiting: queue.SimpleQueue[int],
        finished: queue.SimpleQueue[tuple[int, Any]],
        timeout: float | None,
        start: Callable[[], _Worker],
    ) -> None:
        super().__init__(daemon=True, name="kgkit-work")
        self._new_worker = start
        self._function, self._tasks, self._timeout = function, tasks, timeout
        self._waiting, self._finished = waiting, finished
        self._worker: _Worker | None = None
        self._stopped = threading.Event()
        self._lock = threading.Lock()

    def run(self) -> None:
        while not self._stopped.is_set():
            index = _take(self._waiting)
            if index is None:
                break
            answer: Any
            try:
                answer = self._ask(self._tasks[index])
            except Lost as lost:
                answer = lost
            except (
                Exception
            ) as error:  # an answer that cannot be unpickled, a pipe that cannot be made: tell the person
                answer = Lost("crashed", f"The working process could not be used: {type(error).__name__}: {error}")
            self._finished.put((index, answer))
        self._drop(kill=False)

    def stop(self) -> None:
        """End the process now, whatever it does."""
        self._stopped.set()
        self._drop(kill=True)

    def _ask(self, task: tuple[Any, ...]) -> Any:
        with self._lock:
            if self._stopped.is_set():
                raise Lost("interrupted", "It was interrupted.")
            worker = self._worker = self._worker or self._new_worker()
        try:
            return worker.call(self._function, task, self._timeout)
        except Exception:
            self._drop(kill=True)
            raise

    def _drop(self, *, kill: bool) -> None:
        with self._lock:
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.close(kill=kill)


class _Worker:
    """One process."""

    def __init__(self, memory_limit: int | None, environment: dict[str, str]) -> None:
        if not sys.executable:
            raise Lost("not_started", "This Python does not know its own executable, so no working process can start.")
        package = Path(kgkit.__file__)
        paths = [p for p in sys.path if p and os.path.isabs(p)]
        command = [sys.executable, "-P", "-W", "ignore", "-c", _BOOT, str(package), str(package.parent)]
        command += [str(memory_limit or 0), *paths]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the process)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, **environment},
            start_new_session=os.name == "posix",  # the terminal's Ctrl-C is for the parent, which then ends this
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._ready = False

    def call(self, function: str, task: tuple[Any, ...], timeout: float | None) -> Any:
        if not self._ready:
            if self._within(_START_TIMEOUT, lambda: receive(self._output)) != READY:
                raise Lost("not_started", "The working process answered something else than expected.")
            self._ready = True
        return self._within(timeout, lambda: self._exchange((function, task, timeout)))

    def close(self, *, kill: bool) -> None:
        if kill:
            self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:  # the process is gone and the pipe with it
                continue
        self._process.wait()
        self._errors.close()

    @property
    def _output(self) -> BinaryIO:
        return cast("BinaryIO", self._process.stdout)

    def _exchange(self, message: object) -> Any:
        send(cast("BinaryIO", self._process.stdin), message)
        return receive(self._output)

    def _within(self, timeout: float | None, action: Callable[[], Any]) -> Any:
        late = threading.Event()

        def end() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(timeout, end) if timeout is not None else None
        if timer is not None:
            timer.daemon = True
            timer.start()
        try:
            return action()
        except (EOFError, OSError, ValueError) as error:
            if late.is_set():
                raise Lost("timeout", f"It took longer than {timeout:g} seconds and was ended.") from error
            raise Lost("crashed", self._last_words()) from error
        finally:
            if timer is not None:
                timer.cancel()

    def _last_words(self) -> str:
        code = self._process.wait()
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace")[-_STDERR_TAIL:].strip().splitlines()
        return f"The working process ended {how}" + (f": {lines[-1].strip()}" if lines else ".")
