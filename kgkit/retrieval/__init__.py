"""Finding passages, and answering questions with citations.

The folder is not called ``search``: importing a package of that name would put it in the place of the function
``kg.search``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgkit.retrieval.answer import Answer
    from kgkit.retrieval.answering import ask
    from kgkit.retrieval.find import Hits, search
    from kgkit.retrieval.fusion import fuse
    from kgkit.retrieval.index import SearchIndex, build_index

_HOME = {
    "Answer": "answer",
    "Hits": "find",
    "SearchIndex": "index",
    "ask": "answering",
    "build_index": "index",
    "fuse": "fusion",
    "search": "find",
}

__all__ = ["Answer", "Hits", "SearchIndex", "ask", "build_index", "fuse", "search"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'kgkit.retrieval' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"kgkit.retrieval.{_HOME[name]}"), name)
    globals()[name] = value
    return value
