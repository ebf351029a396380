"""Finding passages, and answering questions with citations.

The folder is not called ``search``: importing a package of that name would put it in the place of the function
``kg.search``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgkit.lazy import lazy_names

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

__getattr__ = lazy_names(__name__, _HOME)
