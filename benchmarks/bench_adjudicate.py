"""How much propose_merges asks of a language model, beside ways that send all names.

The model is a script that answers nothing of worth: this counts requests and tokens, and says nothing of how good the
answers of a real model are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
from er_sets import load

import kgkit as kg
from kgkit.models import Ask, Reply

PIONEERS = Path(__file__).resolve().parent.parent / "data" / "pioneers" / "documents"
CHARS = 4  # characters that count as a token, for all alike
WINDOW, OVERLAP = 100, 20  # sift-kg 0.9: names of one type in windows
RETRIEVED = 16  # KGGen: candidates shown with each name


class Counter:
    """A model of this file's own: it counts what it is asked, and finds that nothing is the same."""

    name = "script"

    def __init__(self) -> None:
        self.requests = self.chars_in = self.chars_out = 0

    def identity(self) -> dict[str, Any]:
        """Say what decides its replies."""
        return {"model": self.name}

    def ask(self, requests: Iterable[Ask], *, stage: str, parse: Any = None) -> Iterator[Reply]:
        """Count, and answer."""
        for ask in requests:
            labels = ask.schema["properties"]["questions"]["items"]["properties"]["id"]["enum"] if ask.schema else []
            data = {"questions": [{"id": label, "same": [], "unsure": []} for label in labels]}
            self.requests += 1
            self.chars_in += sum(len(message["content"]) for message in ask.messages)
            self.chars_out += len(json.dumps(data))
            yield Reply(ask.item_id, "ok", data=data, model=self.name, attempts=1)


def main() -> None:
    print("## Language model as adjudicator: what is asked\n")
    print(" ".join((__doc__ or "").split("\n\n", 1)[1].split()))
    print(
        f"A token is taken as {CHARS} characters. kgkit: default settings, instructions and quotes counted. sift-kg "
        f"0.9: names of each type in windows of {WINDOW} that share {OVERLAP}. KGGen: one request for each name, with "
        f"{RETRIEVED} others. Of these two, requests are computed from their sizes and only the names are counted as "
        "tokens, not the instructions.\n"
    )
    print("| set | entities | way | pairs asked | requests | requests per 1,000 entities | tokens in per 1,000 | out |")
    print("|---|---|---|---|---|---|---|---|")
    documents = kg.read_documents(PIONEERS)
    graph = kg.build_graph(kg.extract(kg.chunk_documents(documents)))
    for line in rows("pioneers", graph, {"graph": graph, "documents": documents}):
        print(line, flush=True)
    for line in rows("erkgbench", load("erkgbench").records, {}):
        print(line, flush=True)


def rows(name: str, given: Any, known: dict[str, Any]) -> Iterator[str]:
    """Count for one set, the three ways."""
    entities = getattr(given, "entities", given)
    model = Counter()
    merges = kg.propose_merges(given).adjudicate(model, **known)
    tokens = (model.chars_in / CHARS, model.chars_out / CHARS)
    yield _row(name, len(entities), "kgkit", len(merges.verdicts), model.requests, *tokens)
    sizes = [n for n in entities.group_by("type").len()["len"] if n > 1]
    windows = sum(1 if n <= WINDOW else 1 + math.ceil((n - WINDOW) / (WINDOW - OVERLAP)) for n in sizes)
    shown = sum(n + OVERLAP * max(0, math.ceil((n - WINDOW) / (WINDOW - OVERLAP))) for n in sizes)
    length = entities.select(pl.col("name").str.len_chars().mean()).item()
    yield _row(name, len(entities), "sift-kg, all names", None, windows, shown * length / CHARS, None)
    n = len(entities)
    yield _row(name, n, "KGGen, each name", None, n, n * (1 + RETRIEVED) * length / CHARS, None)


def _row(name: str, n: int, way: str, pairs: int | None, requests: int, sent: float, said: float | None) -> str:
    cells = [name, f"{n:,}", way, "" if pairs is None else f"{pairs:,}", f"{requests:,}"]
    cells += [f"{1000 * requests / n:,.0f}", f"{1000 * sent / n:,.0f}"]
    return "| " + " | ".join([*cells, "" if said is None else f"{1000 * said / n:,.0f}"]) + " |"


if __name__ == "__main__":
    main()
