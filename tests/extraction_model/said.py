"""A language model for tests that says what it is told to, and chunks to ask it about."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from kgkit.models.chat import Ask, Parse, Reply

Say = Callable[[Ask], Any]


class Said:
    """Answers each request with what ``say`` gives for it: data, a whole reply, or an exception to raise."""

    name = "said"

    def __init__(self, say: Say | Any) -> None:
        self._say = say if callable(say) else lambda ask: say
        self.asked: list[Ask] = []

    def identity(self) -> dict[str, Any]:
        return {"model": "said"}

    def ask(self, requests: Iterable[Ask], *, stage: str, parse: Parse | None = None) -> Iterator[Reply]:
        for ask in requests:
            self.asked.append(ask)
            said = self._say(ask)
            if isinstance(said, BaseException):
                raise said
            yield said if isinstance(said, Reply) else judged(ask, said, parse)


def judged(ask: Ask, data: Any, parse: Parse | None) -> Reply:
    facts: dict[str, Any] = {"model": "m-1", "attempts": 1, "tokens_in": 100, "tokens_out": 20, "cost": 0.5}
    try:
        some = parse is None or parse(data)
    except ValueError as error:
        return Reply(ask.item_id, "failed", "unusable_reply", str(error), **facts)
    return Reply(ask.item_id, "ok" if some else "empty", None if some else "empty", data=data, **facts)


def chunks_of(*texts: str, doc: str = "d1", **columns: Any) -> pl.DataFrame:
    """One document's chunks, one after the other."""
    starts = [sum(map(len, texts[:i])) for i in range(len(texts))]
    rows = {
        "chunk_id": [f"{doc}-c{i}" for i in range(len(texts))],
        "doc_id": doc,
        "seq": range(len(texts)),
        "start": starts,
        "end": [start + len(text) for start, text in zip(starts, texts, strict=True)],
        "text": texts,
    }
    return pl.DataFrame({k: list(v) if isinstance(v, (range, tuple)) else v for k, v in (rows | columns).items()})


def case(shared: Path, name: str) -> Any:
    return json.loads((shared / "cases" / name).read_text("utf-8"))


def content(body: Any) -> Any:
    return json.loads(body["choices"][0]["message"]["content"])


def codes(outcomes: pl.DataFrame, item: int = 0) -> list[str]:
    """The codes of an item's notes."""
    return sorted(note.partition(":")[0] for note in outcomes["notes"].to_list()[item])
