"""Deciding on what is proposed: one queue, one way to decide, whatever is shown around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgkit.lazy import lazy_names

if TYPE_CHECKING:
    from kgkit.reviewing.agreeing import Agreement, agreement
    from kgkit.reviewing.entries import Entry
    from kgkit.reviewing.kinds import Kind, add_kind
    from kgkit.reviewing.messages import answer_message
    from kgkit.reviewing.options import Options
    from kgkit.reviewing.review import Review
    from kgkit.reviewing.told import Answer, Bulk, Preview, Progress, Split

_HOME = {
    "Agreement": "agreeing",
    "Answer": "told",
    "Bulk": "told",
    "Entry": "entries",
    "Kind": "kinds",
    "Options": "options",
    "Preview": "told",
    "Progress": "told",
    "Review": "review",
    "Split": "told",
    "add_kind": "kinds",
    "agreement": "agreeing",
    "answer_message": "messages",
}

__all__ = [
    "Agreement",
    "Answer",
    "Bulk",
    "Entry",
    "Kind",
    "Options",
    "Preview",
    "Progress",
    "Review",
    "Split",
    "add_kind",
    "agreement",
    "answer_message",
]

__getattr__ = lazy_names(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
