"""Scores against gold frames.

Everything is imported when it is first used.
"""

from __future__ import annotations

from kgkit.lazy import lazy_names

_HOME = {
    "answers": "retrieval",
    "hits": "retrieval",
    "mentions": "mention_scores",
    "relation_pairs": "relations",
}

__all__ = sorted(_HOME)

__getattr__ = lazy_names(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
