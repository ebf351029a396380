"""The process that works for `kgkit.parallel.pool`: takes tasks on one pipe, answers on another.

It is started as a fresh interpreter, so it works the same from a script, a notebook, a thread or an event loop, and
on every system; it imports neither polars nor pandas, so it starts quickly.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import pickle
import struct
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any, BinaryIO

READY = b"ready"
_LENGTH = struct.Struct("<Q")

__all__ = ["READY", "main", "receive", "send"]


def send(pipe: BinaryIO, message: object) -> None:
    """Write one message."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(_LENGTH.pack(len(body)))
    pipe.write(body)
    pipe.flush()


def receive(pipe: BinaryIO) -> Any:
    """Read one message.

    Raises:
        EOFError: The other side is gone.
    """
    head = _exactly(pipe, _LENGTH.size)
    return pickle.loads(_exactly(pipe, _LENGTH.unpack(head)[0]))


def main(memory_limit: int) -> None:
    """Answer tasks until the pipe closes; ``memory_limit`` is in bytes, 0 for none."""
    tasks, answers = _take_pipes()
    if memory_limit:
        _limit_memory(memory_limit)
    logging.disable()
    warnings.simplefilter("ignore")
    functions: dict[str, Callable[..., Any]] = {}
    send(answers, READY)
    while True:
        try:
            function, arguments, timeout = receive(tasks)
        except EOFError:
            return
        if timeout is not None:  # should the parent be gone, nobody else would end a reader that hangs
            faulthandler.dump_traceback_later(timeout + 10, exit=True)
        if function not in functions:
            module, _, name = function.partition(":")
            functions[function] = getattr(import_module(module), name)
        answer = functions[function](*arguments)
        faulthandler.cancel_dump_traceback_later()
        send(answers, answer)


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Keep the pipes to ourselves: whatever a library prints must not get between the messages."""
    tasks = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    return tasks, answers


def _limit_memory(most: int) -> None:
    if sys.platform == "win32":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (ValueError, OSError):  # some systems know the name and refuse the call; the timeout still holds
        return


def _exactly(pipe: BinaryIO, count: int) -> bytes:
    parts = []
    while count:
        part = pipe.read(count)
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
