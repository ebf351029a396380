"""An HTTP server for tests that answers as a script tells it to, badly if need be, and counts what it receives."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass
class Got:
    """One request that the server received."""

    number: int
    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw) if self.raw else None

    @property
    def prompt(self) -> str:
        """All text of the messages."""
        return "\n".join(m["content"] if isinstance(m["content"], str) else "" for m in self.body["messages"])


@dataclass
class Say:
    """What the server says: JSON (or text as it is), or worse."""

    body: Any = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: int | None = None  # send only so many bytes of the body, then break off
    reset: bool = False  # break off without a word


Script = Callable[[Got], Say]


def completion(
    content: Any, *, finish: str | None = "stop", model: str = "stub-model", usage: Any = (100, 20), **message: Any
) -> dict[str, Any]:
    """A chat completion, as OpenAI documents it."""
    if isinstance(usage, tuple):
        usage = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": model,
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
        ],
        **({"usage": usage} if usage is not None else {}),
    }


class Server:
    """The server, on a thread of its own: ``with Server(script) as server: ... server.url``."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.got: list[Got] = []
        self.under_way = self.most_under_way = 0
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), daemon=True)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)

    async def _main(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        tasks: set[asyncio.Task[None]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            try:
                await self._serve(reader, writer)
            except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                pass
            finally:
                tasks.discard(task)
                writer.close()
                with suppress(ConnectionError):
                    await writer.wait_closed()

        server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=2**26)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._end.wait()
        server.close()
        for task in list(tasks):
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=2)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin1").split("\r\n")
            method, path, _ = head[0].split(" ", 2)
            headers = {k.lower(): v.strip() for k, v in (line.split(":", 1) for line in head[1:] if ":" in line)}
            raw = await reader.readexactly(int(headers.get("content-length", 0)))
            got = Got(len(self.got) + 1, method, path, headers, raw)
            self.got.append(got)
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            try:
                say = self.script(got)
                if say.delay:
                    await asyncio.sleep(say.delay)
            finally:
                self.under_way -= 1
            if say.reset:
                writer.transport.abort()
                return
            body = say.body if isinstance(say.body, bytes) else None
            if body is None:
                body = (say.body if isinstance(say.body, str) else json.dumps(say.body)).encode()
            lines = {"content-type": "application/json", "content-length": str(len(body)), **say.headers}
            written = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
            writer.write(f"HTTP/1.1 {say.status} OK\r\n{written}\r\n".encode() + body[: say.cut])
            await writer.drain()
            if say.cut is not None:
                writer.transport.abort()
                return
