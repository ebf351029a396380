"""Candidates: the pairs of records that are worth a closer look."""

from kgkit.resolution.candidates.find import find_candidates
from kgkit.resolution.candidates.found import SOURCES, Candidates

__all__ = ["SOURCES", "Candidates", "find_candidates"]
