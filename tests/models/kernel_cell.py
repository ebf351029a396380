"""Run a cell in a kernel, stop it a second after it says "go"; print what it said and how long stopping took."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

CELL = """
import kgkit as kg
from kgkit.models import Ask
model = kg.OpenAIModel("m", {url!r}, concurrency=4)
asks = [Ask(f"a{{i}}", ({{"role": "user", "content": f"Text {{i}}"}},)) for i in range(12)]
print(sorted(r.status for r in model.ask(asks, stage="test")).count("ok"), flush=True)
print("go", flush=True)
asks = [Ask(f"b{{i}}", ({{"role": "user", "content": f"More {{i}}"}},)) for i in range(12)]
replies = list(model.ask(asks, stage="test"))
print([r.status for r in replies].count("ok"), {{r.reason for r in replies if r.reason}})
"""


def main(url: str) -> None:
    from jupyter_client.manager import start_new_kernel

    kernel, client = start_new_kernel(kernel_name="python3")
    stopped: list[float] = []

    def stop() -> None:
        stopped.append(time.monotonic())
        kernel.interrupt_kernel()

    def heard(message: dict[str, Any]) -> None:
        content = message["content"]
        text = content.get("text") or "\n".join(content.get("traceback", ()))
        print(text, end="", flush=True)
        if "go" in text and not stopped:
            threading.Timer(1.0, stop).start()

    try:
        client.execute_interactive(CELL.format(url=url), output_hook=heard, timeout=60)
        print(time.monotonic() - stopped[0])
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)


if __name__ == "__main__":
    main(sys.argv[1])
