"""What a person sees and touches in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgkit.lazy import lazy_names

if TYPE_CHECKING:
    from kgkit.notebook.graph_view import GraphView, view_graph
    from kgkit.notebook.review.served import serve_review

_HOME = {"GraphView": "graph_view", "serve_review": "review.served", "view_graph": "graph_view"}

__all__ = ["GraphView", "serve_review", "view_graph"]

__getattr__ = lazy_names(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
