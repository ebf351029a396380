"""What a person sees and touches in a notebook."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgkit.notebook.graph_view import GraphView, view_graph

_HOME = {"GraphView": "graph_view", "view_graph": "graph_view"}

__all__ = ["GraphView", "view_graph"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'kgkit.notebook' has no attribute {name!r}"
        raise AttributeError(msg)
    value: Any = getattr(import_module(f"kgkit.notebook.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
