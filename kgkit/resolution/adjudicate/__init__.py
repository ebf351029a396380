"""A language model looks at the pairs that are near even; what it says is one more measure of them."""

from kgkit.resolution.adjudicate.band import band_of
from kgkit.resolution.adjudicate.run import Adjudicated, adjudicate_pairs, no_verdicts

__all__ = ["Adjudicated", "adjudicate_pairs", "band_of", "no_verdicts"]
