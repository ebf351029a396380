"""Scores against gold frames.

Everything is imported when it is first used.
"""

from __future__ import annotations

from kgkit.lazy import lazy_names

_HOME = {
    "answers": "retrieval",
    "estimate_resolution": "resolution_sample",
    "hits": "retrieval",
    "mentions": "mention_scores",
    "plot_lines": "resolution_plots",
    "plot_review": "resolution_review",
    "relation_pairs": "relations",
    "reliability": "resolution_scores",
    "resolution": "resolution_scores",
    "review_cost": "resolution_cost",
    "review_curve": "resolution_review",
    "sample_pairs": "resolution_sample",
}

__all__ = sorted(_HOME)

__getattr__ = lazy_names(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
