"""What speaks for and against two records being one, measured for millions of pairs at once."""

from kgkit.resolution.features.build import Features, pair_features
from kgkit.resolution.features.prepare import Prepared, prepare

__all__ = ["Features", "Prepared", "pair_features", "prepare"]
