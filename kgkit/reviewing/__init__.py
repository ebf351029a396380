"""Deciding on what is proposed: one queue, one way to decide, whatever is shown around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgkit.lazy import lazy_names

if TYPE_CHECKING:
    from kgkit.reviewing.agreeing import Agreement, agreement
    from kgkit.reviewing.review import Review
    from kgkit.reviewing.told import Answer, Bulk, Preview, Progress

_HOME = {
    "Agreement": "agreeing",
    "Answer": "told",
    "Bulk": "told",
    "Preview": "told",
    "Progress": "told",
    "Review": "review",
    "agreement": "agreeing",
}

__all__ = ["Agreement", "Answer", "Bulk", "Preview", "Progress", "Review", "agreement"]

__getattr__ = lazy_names(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
