"""Reviewing in a notebook: `kgkit.review`."""

from kgkit.notebook.review.panel import ReviewPanel, review

__all__ = ["ReviewPanel", "review"]
