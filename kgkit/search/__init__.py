"""Finding passages, and answering questions with citations.

``kgkit.search`` is both this package and, as ``kg.search(...)``, its main function: whichever of the two Python
bound to the name first, a call works, and help is that of the function.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgkit.search.answer import Answer
    from kgkit.search.answering import ask
    from kgkit.search.find import Hits, search
    from kgkit.search.fusion import fuse
    from kgkit.search.index import SearchIndex, build_index

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


class _Package(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.search(*args, **options)

    @property
    def __signature__(self) -> Any:
        return import_module("inspect").signature(self.search)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return str(self.search.__doc__)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'kgkit.search' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"kgkit.search.{_HOME[name]}"), name)
    globals()[name] = value
    return value
