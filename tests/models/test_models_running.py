"""From a script, a kernel, a thread and under asyncio; interrupted, abandoned, and slow to be read."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import ask  # type: ignore[attr-defined]
from scripted import Got, Say, Script, Server, completion

import kgkit as kg
from kgkit.models import Ask

Serve = Callable[[Script], Server]
FOUND = '{"entities": [{"name": "Ada"}], "relations": []}'
ASKS = [ask(f"a{i}") for i in range(12)]


def names(model: kg.OpenAIModel) -> list[tuple[str, str]]:
    return sorted((r.item_id, r.status) for r in model.ask(ASKS, stage="test"))


def slow_after(n: int) -> Script:
    return lambda got: Say(completion(FOUND), delay=0.0 if got.number <= n else 60.0)


def test_everywhere_the_same(serve: Serve) -> None:
    model = kg.OpenAIModel("m", serve(lambda _: Say(completion(FOUND))).url)
    here = names(model)

    async def inside() -> list[tuple[str, str]]:
        return names(model)

    async def beside() -> list[tuple[str, str]]:
        return await asyncio.to_thread(names, model)

    assert here == asyncio.run(inside()) == asyncio.run(beside())
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: names(model), range(4))) == [here] * 4
    assert len(model.usage()) == 7 * len(ASKS)


def interrupted_soon() -> threading.Timer:
    timer = threading.Timer(0.5, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    return timer


def test_interrupting_keeps_what_was_finished(serve: Serve, tmp_path: Path) -> None:
    server = serve(slow_after(5))
    model = kg.OpenAIModel("m", server.url, concurrency=4, cache=tmp_path / "kept")
    list(model.ask([ask("first")], stage="test"))  # what is imported is there
    timer = interrupted_soon()
    began = time.monotonic()
    replies = list(model.ask((a for a in ASKS), stage="test"))
    assert time.monotonic() - began < 0.5 + 2
    timer.join()
    assert sorted(r.item_id for r in replies) == sorted(a.item_id for a in ASKS)
    assert [r.status for r in replies] == ["ok"] * 4 + ["skipped"] * 8
    assert {r.reason for r in replies[4:]} == {"interrupted"}
    assert model.replies is not None and len(model.replies) == 5
    assert model.usage()["reason"].to_list().count("interrupted") == 4
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_interrupts_in_the_callers_own_code_raise(serve: Serve) -> None:
    model = kg.OpenAIModel("m", serve(lambda _: Say(completion(FOUND))).url)
    replies = model.ask(ASKS, stage="test")
    next(replies)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    replies.close()
    assert not [t for t in threading.enumerate() if t.name == "kgkit-models"]


def test_a_cell_of_a_kernel(serve: Serve) -> None:
    """Run and stopped as the stop button does; in a process of its own, for the kernel's client leaves traces."""
    pytest.importorskip("jupyter_client")
    server = serve(slow_after(20))
    runner = Path(__file__).with_name("kernel_cell.py")
    done = subprocess.run(
        [sys.executable, str(runner), server.url], stdout=subprocess.PIPE, text=True, timeout=90, check=True
    )
    *said, seconds = done.stdout.split("\n")[:4]
    assert said == ["12", "go", "8 {'interrupted'}"]
    assert float(seconds) < 2


def test_a_script(serve: Serve) -> None:
    server = serve(slow_after(0))
    code = f"""
import kgkit as kg
from kgkit.models import Ask
model = kg.OpenAIModel("m", {server.url!r})
print("go", flush=True)
for reply in model.ask([Ask("a", ({{"role": "user", "content": "Hm"}},))], stage="test"):
    print(reply.reason)
"""
    script = subprocess.Popen([sys.executable, "-W", "error", "-c", code], stdout=subprocess.PIPE, text=True)
    assert script.stdout is not None and script.stdout.readline() == "go\n"
    while not server.got:
        time.sleep(0.05)
    began = time.monotonic()
    script.send_signal(signal.SIGINT)
    assert script.communicate(timeout=10)[0] == "interrupted\n" and script.returncode == 0
    assert time.monotonic() - began < 2


def test_requests_are_taken_as_there_is_room(serve: Serve) -> None:
    model = kg.OpenAIModel("m", serve(lambda _: Say(completion(FOUND))).url, concurrency=4)
    taken = 0

    def asks() -> Iterator[Ask]:
        nonlocal taken
        for i in range(10_000):
            taken += 1
            yield ask(f"a{i}")

    replies = model.ask(asks(), stage="test")
    for _ in range(20):
        next(replies)
    assert taken <= 20 + 2 * 8
    replies.close()


def test_requests_that_fail_to_come_are_the_callers(serve: Serve) -> None:
    model = kg.OpenAIModel("m", serve(lambda _: Say(completion(FOUND))).url)

    def asks() -> Iterator[Ask]:
        yield ask("a")
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        list(model.ask(asks(), stage="test"))


def test_one_request_alone_finds_out_what_the_endpoint_can_do(serve: Serve) -> None:
    seen: list[int] = []

    def script(got: Got) -> Say:
        seen.append(server.under_way)
        return Say(completion(FOUND), delay=0.05)

    server = serve(script)
    list(kg.OpenAIModel("m", server.url).ask(ASKS, stage="test"))
    assert seen[0] == 1 and server.most_under_way > 4
