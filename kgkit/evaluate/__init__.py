"""Scores against gold frames.

Everything is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "answers": "retrieval",
    "hits": "retrieval",
    "mentions": "mention_scores",
    "relation_pairs": "relations",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'kgkit.evaluate' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"kgkit.evaluate.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
