"""Which pairs are near even."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kgkit.errors import OptionError
from kgkit.resolution.scoring import Scored

__all__ = ["band_of"]

Ints = npt.NDArray[np.int64]


def band_of(scored: Scored, band: tuple[float, float], settled: Ints) -> Ints:
    """Give the pairs to ask about: near even, not decided on, and without a verdict.

    Args:
        scored: The candidates.
        band: Least and highest score.
        settled: Keys of the pairs that people decided on.

    Raises:
        OptionError: ``band`` is not two numbers from 0 to 1, the lower first.
    """
    if len(band) != 2 or not 0 <= band[0] <= band[1] <= 1:
        msg = f"band={band!r} cannot be used. Allowed: two numbers from 0 to 1, the lower first, such as (0.2, 0.8)."
        raise OptionError(msg)
    chance = 1 / (1 + np.exp(-scored.log_odds))
    near = (chance >= band[0]) & (chance <= band[1])
    return np.flatnonzero(near & ~np.isin(scored.keys, settled) & (scored.verdicts.said(scored.keys) < 0))
