"""Which pairs to ask a person about: those whose answers teach most."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kgkit.resolution.scoring.scored import Scored

__all__ = ["choose_questions"]

_NEAR = 5_000  # pairs nearest to even, among which those are sought on which the models disagree
_CONSEQUENCE = 0.15  # log-odds further from even for twice as many pairs that hang on the answer
_STRATA = (-8.0, -4.0, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 4.0, 8.0)


def choose_questions(
    scored: Scored, n: int, *, labels: npt.NDArray[np.int64], settled: npt.NDArray[np.int64], seed: int = 0
) -> npt.NDArray[np.int64]:
    """Choose pairs to ask about.

    Before the first answers they are spread over all scores, both ends included. Later a tenth of them are those near
    even on which most hangs (whether two large groups are one), four tenths those that the model is least sure of, a
    quarter those on which its two parts disagree most, and the rest are drawn from all scores alike, so that a whole
    kind of match that the model does not know yet is met. No group is asked about twice in one round, as long as there
    are others.

    Args:
        scored: The candidates.
        n: Number of pairs.
        labels: The group of each record.
        settled: Keys (``left * number of records + right``) of the pairs that are decided.
        seed: Seed of the drawing.

    Returns:
        Rows of ``scored``, in the order to ask.
    """
    keys = scored.left.astype(np.int64) * len(scored.prepared) + scored.right
    open_ = np.flatnonzero(~np.isin(keys, settled))
    if not len(open_):
        return open_
    rng = np.random.default_rng([seed, len(settled)])
    odds = scored.log_odds[open_]
    noise = rng.random(len(open_))
    spread = _spread(odds, noise)
    one, two = labels[scored.left[open_]], labels[scored.right[open_]]
    if scored.learned is None:
        return open_[_distinct(one, two, [spread], [n], n)]
    sizes_of = np.bincount(labels)
    decided = np.where(one == two, sizes_of[one], sizes_of[one] * sizes_of[two])  # pairs that hang on the answer
    near_even = np.abs(odds) + 0.25 * noise
    margin = np.argsort(near_even)
    queues, sizes = [np.argsort(near_even - _CONSEQUENCE * np.log2(decided)), margin], [n // 10, n // 2 - n // 10]
    if scored.learned.trees is not None:
        near = margin[:_NEAR]
        apart = np.abs(scored.learned.apart(scored.rows(open_[near]))) - 0.5 * np.abs(odds[near])
        queues.append(near[np.argsort(-apart)])
        sizes.append(n // 4)
    queues.append(spread)
    sizes.append(n)
    return open_[_distinct(one, two, queues, sizes, n)]


def _spread(odds: npt.NDArray[np.float64], noise: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Order pairs so that each stretch of scores comes up in turn, drawn at random within it."""
    stratum = np.searchsorted(_STRATA, odds)
    order = np.lexsort((noise, stratum))
    sizes = np.bincount(stratum, minlength=len(_STRATA) + 1)
    turn = np.arange(len(odds)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    middle_first = np.abs(stratum[order] - len(_STRATA) / 2)
    return np.asarray(order[np.lexsort((middle_first, turn))])


def _distinct(
    one: npt.NDArray[np.int64],
    two: npt.NDArray[np.int64],
    queues: list[npt.NDArray[np.int64]],
    sizes: list[int],
    n: int,
) -> npt.NDArray[np.int64]:
    """Take from each queue its number of pairs, none twice and no group twice while others are left."""
    chosen: list[int] = []
    seen: set[int] = set()
    met: set[int] = set()
    for strict in (True, False):
        for queue, size in zip(queues, sizes, strict=True):
            taken = 0
            for i in queue[: 50 * n].tolist():
                if taken >= size or len(chosen) >= n:
                    break
                ends = {int(one[i]), int(two[i])}
                if i in seen or (strict and ends & met):
                    continue
                seen.add(i)
                met |= ends
                chosen.append(i)
                taken += 1
    return np.array(chosen, np.int64)
