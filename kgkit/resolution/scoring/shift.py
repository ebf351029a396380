"""How much more or less frequent matches are among these candidates than among those the weights come from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["shift_of"]

Reals = npt.NDArray[np.float64]

USUAL = 0.15
"""Share of matches among the candidates that the weights were fitted on."""
_MOST = 4.0
_EASY = 0.5  # shifts up to this are chance
_TRUSTED = 0.6  # and of the rest this much is believed
_ROUNDS = 200


def shift_of(log_odds: Reals, *, usual: float = USUAL, most: float = _MOST) -> float:
    """Find what to add to all log-odds where matches are more frequent than usual.

    The share of matches that the log-odds imply is made the share that they assume, by EM; most of what that asks
    for is added, and only upwards: downwards it was wrong more often than right on the sets it was tried on.

    Saerens, Latinne, Decaestecker: Adjusting the outputs of a classifier to new a priori probabilities, Neural
    Computation 14 (2002). Ten imagined pairs hold small tables near the usual share.

    Args:
        log_odds: Log-odds of all candidates.
        usual: The share of matches that the log-odds assume.
        most: Largest shift in either direction.
    """
    if not len(log_odds):
        return 0.0
    base, shift = np.log(usual / (1 - usual)), 0.0
    for _ in range(_ROUNDS):
        likely = 1 / (1 + np.exp(-np.clip(log_odds + shift, -30, 30)))
        share = (likely.sum() + 10 * usual) / (len(log_odds) + 10)
        new = float(np.clip(np.log(share / (1 - share)) - base, -most, most))
        if abs(new - shift) < 1e-4:
            break
        shift = new
    return _TRUSTED * max(0.0, shift - _EASY)
