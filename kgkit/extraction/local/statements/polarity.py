"""Whether a sentence asserts a relation, denies it, leaves it open, or only reports it."""

from __future__ import annotations

from kgkit.extraction.local.statements.finding import Finding
from kgkit.extraction.local.statements.tree import Tree


def polarity_of(tree: Tree, finding: Finding) -> str:
    """Tell the polarity."""
    return "positive"
