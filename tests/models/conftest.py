"""What tests of language models share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from scripted import Script, Server

from kgkit.models import Ask
from kgkit.models.capabilities import Known

SCHEMA = {
    "type": "object",
    "properties": {"entities": {"type": "array", "items": {"type": "object"}}, "relations": {"type": "array"}},
    "required": ["entities", "relations"],
}
NAMES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID")


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test learns from another, and none sees the keys of whoever runs it."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    Known._all.clear()
    yield
    Known._all.clear()


@pytest.fixture
def serve() -> Iterator[Callable[[Script], Server]]:
    """Start scripted servers, and stop them after the test."""
    with ExitStack() as stack:
        yield lambda script: stack.enter_context(Server(script))


@pytest.fixture
def case(shared: Path) -> Callable[[str], dict[str, Any]]:
    """Read one of the cases of bug reports."""
    return lambda name: json.loads((shared / "cases" / name).read_text("utf-8"))


def ask(item_id: str, text: str | None = None, **options: Any) -> Ask:
    options = {"schema": SCHEMA, **options}
    return Ask(item_id, ({"role": "user", "content": text or f"Text of {item_id}."},), **options)
