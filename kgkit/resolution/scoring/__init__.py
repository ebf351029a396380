"""How likely it is that two records are one, and why."""

from kgkit.resolution.scoring.learned import learn
from kgkit.resolution.scoring.scored import Scored, score_pairs
from kgkit.resolution.scoring.table import Table, shipped_table

__all__ = ["Scored", "Table", "learn", "score_pairs", "shipped_table"]
