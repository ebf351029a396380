"""Language models: how fast many requests go out, beside a bare ``openai`` client and beside sift-kg.

    python benchmarks/bench_models.py            all
    SIFT=/path/to/venv/bin/sift python ...       with sift-kg 0.9 from a venv of its own, on the same documents

A server of this file's own, in its own process, answers each request after 200 ms with a fixed extraction.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

LATENCY = 0.2
CONCURRENCY = 64
CALLS = 2_000
RUNS = 3
WORDS = "Ada Lovelace met Charles Babbage in London and wrote notes about the Analytical Engine. " * 30
ENTITY = {"name": "Ada Lovelace", "type": "PERSON", "quote": "Ada Lovelace met Charles Babbage", "confidence": 0.9}
SCHEMA = {
    "type": "object",
    "properties": {"entities": {"type": "array", "items": {"type": "object"}}},
    "required": ["entities"],
}
SIFT_ENTITY = {"name": "Ada Lovelace", "entity_type": "PERSON", "attributes": {}, "confidence": 0.9, "context": "x"}


def main() -> None:
    if sys.argv[1:2] == ["--serve"]:
        asyncio.run(serve())
        return
    if sys.argv[1:2] == ["--kgkit"]:
        print(json.dumps(kgkit(sys.argv[2], int(sys.argv[3]), sys.argv[4:] == ["--cache"])))
        return
    if sys.argv[1:2] == ["--extract"]:
        print(json.dumps(extract(sys.argv[2], int(sys.argv[3]))))
        return
    if sys.argv[1:2] == ["--bare"]:
        print(json.dumps(bare(sys.argv[2], int(sys.argv[3]))))
        return
    server = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        for line in report(url):
            print(line, flush=True)
    finally:
        server.kill()


def report(url: str) -> Iterator[str]:
    ideal = CALLS * LATENCY / CONCURRENCY
    yield "## Language models\n"
    yield f"{CALLS:,} requests of {len(WORDS):,} characters at concurrency {CONCURRENCY}, to a local server in its own"
    yield f"process that answers after {1000 * LATENCY:.0f} ms: {ideal:.2f} s if nothing else took time. The bare"
    yield "client is `AsyncOpenAI` behind a semaphore. Processes of their own, in turn; medians of "
    yield f"{RUNS}. Client and server share the machine's cores with whatever else runs on it, so CPU a call tells more"
    yield "than seconds.\n"
    yield "| client | seconds | of the ideal | of the bare client | ms CPU a call | peak MB |"
    yield "|---|---|---|---|---|---|"
    whole = "`kg.extract`: asked, read, held against the text"
    found: dict[str, list[dict]] = {"bare `AsyncOpenAI`": [], "kgkit": [], "kgkit, replies kept": [], whole: []}
    for _ in range(RUNS):
        found["bare `AsyncOpenAI`"].append(alone("--bare", url, CALLS))
        found["kgkit"].append(alone("--kgkit", url, CALLS))
        found["kgkit, replies kept"].append(alone("--kgkit", url, CALLS, "--cache"))
        found[whole].append(alone("--extract", url, CALLS))
    medians = {name: median(runs) for name, runs in found.items()}
    base = medians["bare `AsyncOpenAI`"]["seconds"]
    for name, m in medians.items():
        yield row(name, m["seconds"], ideal, base, f"{1000 * m['cpu'] / CALLS:.2f}", f"{m['mb']:.0f}")
    if sift := os.environ.get("SIFT"):
        n = 100
        seconds = sift_kg(sift, url, n + 10) - sift_kg(sift, url, 10)  # without its start
        yield row(f"sift-kg 0.9 `extract`, {n} documents", seconds, n * LATENCY / CONCURRENCY, None, "", "")
    yield ""
    yield "Time and memory of `kg.extract` by the number of chunks; what grows in memory is the tables found:\n"
    yield "| calls | seconds | ms a call | peak MB |\n|---|---|---|---|"
    for calls in (1_000, 2_000, 4_000, 8_000):
        m = alone("--extract", url, calls)
        yield f"| {calls:,} | {m['seconds']:.2f} | {1000 * m['seconds'] / calls:.2f} | {m['mb']:.0f} |"


def row(name: str, seconds: float, ideal: float, base: float | None, cpu: str, mb: str) -> str:
    beside = "" if base is None else f"{seconds / base:.2f} x"
    return f"| {name} | {seconds:.2f} | {seconds / ideal:.2f} x | {beside} | {cpu} | {mb} |"


def alone(*arguments: object) -> dict:
    command = [sys.executable, __file__, *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def median(runs: list[dict]) -> dict:
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def measured(work: Callable[[], int]) -> dict:
    cpu, since = time.process_time(), time.perf_counter()
    answered = work()
    seconds, cpu = time.perf_counter() - since, time.process_time() - cpu
    mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "cpu": cpu, "mb": mb, "answered": answered}


def prompt(number: int) -> str:
    return f"Document {number}. Give entities and relations.\n{WORDS}"


def kgkit(url: str, calls: int, cache: bool) -> dict:
    import openai  # noqa: F401  (the time to import it is no call's)

    import kgkit as kg
    from kgkit.models import Ask

    with tempfile.TemporaryDirectory() as folder:
        model = kg.OpenAIModel("m", url, concurrency=CONCURRENCY, cache=f"{folder}/replies" if cache else None)

        def asks() -> Iterator[Ask]:
            for i in range(calls):
                yield Ask(f"d{i}", ({"role": "user", "content": prompt(i)},), SCHEMA)

        def work() -> int:
            return sum(reply.status == "ok" for reply in model.ask(asks(), stage="bench"))

        done = measured(work)
    assert done["answered"] == calls == len(model.usage())
    return done


def extract(url: str, calls: int) -> dict:
    import openai  # noqa: F401
    import polars as pl

    import kgkit as kg

    texts = [prompt(i) for i in range(calls)]
    chunks = pl.DataFrame(
        {
            "chunk_id": [f"c{i}" for i in range(calls)],
            "doc_id": [f"d{i}" for i in range(calls)],
            "seq": [0] * calls,
            "start": [0] * calls,
            "end": [len(text) for text in texts],
            "text": texts,
        }
    )
    model = kg.OpenAIModel("m", url, concurrency=CONCURRENCY)
    done = measured(lambda: int((kg.extract(chunks, model=model).outcomes["status"] == "ok").sum()))
    assert done["answered"] == calls == len(model.usage()), done
    return done


def bare(url: str, calls: int) -> dict:
    import openai

    async def run() -> int:
        client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
        gate = asyncio.Semaphore(CONCURRENCY)

        async def one(i: int) -> bool:
            async with gate:
                reply = await client.chat.completions.create(
                    model="m",
                    messages=[{"role": "user", "content": prompt(i)}],
                    temperature=0,
                    seed=0,
                    max_tokens=4096,
                    response_format={"type": "json_schema", "json_schema": {"name": "reply", "schema": SCHEMA}},
                )
            return bool(json.loads(reply.choices[0].message.content or "null"))

        try:
            return sum(await asyncio.gather(*(one(i) for i in range(calls))))
        finally:
            await client.close()

    done = measured(lambda: asyncio.run(run()))
    assert done["answered"] == calls
    return done


def sift_kg(sift: str, url: str, documents: int) -> float:
    """Seconds that ``sift extract`` takes for some documents of one chunk each, its start included.

    Without its limit of 40 requests a minute, which would decide alone.
    """
    with tempfile.TemporaryDirectory() as folder:
        docs = Path(folder, "docs")
        docs.mkdir()
        for i in range(documents):
            (docs / f"doc{i}.txt").write_text(prompt(i), encoding="utf-8")
        environment = {
            **os.environ,
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "OPENAI_API_BASE": url,
            "OPENAI_BASE_URL": url,
            "OPENAI_API_KEY": "none",
        }
        options = ["--model", "openai/gpt-4o-mini", "-o", f"{folder}/out", "-c", str(CONCURRENCY), "--rpm", "1000000"]
        since = time.perf_counter()
        subprocess.run(
            [sift, "extract", str(docs), *options],
            check=True,
            env=environment,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return time.perf_counter() - since


def answer(body: dict) -> str:
    text = json.dumps(body.get("messages", ""))
    if "entity_type" in text:
        return json.dumps({"entities": [SIFT_ENTITY], "relations": []})
    return json.dumps({"entities": [ENTITY] * 12})


async def serve() -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.split(b"content-length:")[1].split(b"\r\n")[0]) if b"content-length:" in head else 0
                content = answer(json.loads(await reader.readexactly(length) or b"{}"))
                message = {"role": "assistant", "content": content}
                body = json.dumps(
                    {
                        "id": "chatcmpl-1",
                        "object": "chat.completion",
                        "created": 1700000000,
                        "model": "m",
                        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                        "usage": {"prompt_tokens": 700, "completion_tokens": 300, "total_tokens": 1000},
                    }
                ).encode()
                await asyncio.sleep(LATENCY)
                lines = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
                writer.write(lines.encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=2**24, backlog=1000)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    main()
