"""Putting two rankings, or two columns of scores, together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from kgkit.errors import OptionError
from kgkit.retrieval.lexical import Floats

__all__ = ["fuse", "fuse_scores"]


def fuse(
    rankings: Mapping[str, Iterable[str]], *, weights: Mapping[str, float] | None = None, k: int = 60
) -> dict[str, float]:
    """Fuse rankings by reciprocal rank, each with its weight.

    An item gets ``weight / (k + rank)`` from each ranking that holds it, and nothing from one that does not. An item
    that stands twice in one ranking counts once, at its best rank.

    Args:
        rankings: Ids, best first, by the name of what ranked them.
        weights: How much each ranking counts; 1 where nothing is said. Plain fusion of a weak ranking with a strong
            one is worse than the strong one alone.
        k: How little the first ranks stand out.

    Returns:
        The fused score of each id, best first; equal scores in the order of the ids.

    Raises:
        OptionError: A weight is negative or belongs to no ranking, or ``k`` is negative.

    Source:
        Cormack, Clarke and Büttcher, Reciprocal Rank Fusion outperforms Condorcet (2009).

    Examples:
        >>> list(fuse({"words": ["b", "c", "y"], "meaning": ["x", "a", "y"]}))
        ['y', 'b', 'x', 'a', 'c']
    """
    weights = weights or {}
    unknown = sorted(set(weights) - set(rankings))
    if unknown or k < 0 or any(w < 0 for w in weights.values()):
        msg = f"weights={dict(weights)!r}, k={k!r}: weights must be 0 or more, for {list(rankings)}, and k 0 or more."
        raise OptionError(msg)
    parts: dict[str, list[float]] = {}
    for name, ranking in rankings.items():
        weight = weights.get(name, 1.0)
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            parts.setdefault(item, []).append(weight / (k + rank))
    fused = {item: sum(sorted(scores)) for item, scores in parts.items()}
    return dict(sorted(fused.items(), key=lambda pair: (-pair[1], pair[0])))


def fuse_scores(lexical: Floats, cosines: Floats | None, weight: float) -> Floats:
    """Fuse BM25 scores with cosines, both relative to their best: ``(1 - weight) * lexical + weight * cosine``.

    Without cosines, or without any lexical score, the other alone decides.
    """
    best_words = float(lexical.max(initial=0.0))
    best_meaning = 0.0 if cosines is None else float(cosines.max(initial=0.0))
    if cosines is None or best_meaning <= 0 or weight <= 0:
        return lexical / best_words if best_words > 0 else np.zeros_like(lexical)
    meaning = np.clip(cosines, 0, None) / best_meaning
    if best_words <= 0:
        return meaning
    return (1 - weight) * lexical / best_words + weight * meaning
