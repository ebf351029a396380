"""`Candidates`: pairs of records, and which sources found each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

__all__ = ["SOURCES", "Candidates", "empty_candidates"]

# In the order of the bits of `Candidates.sources`, and of who is credited with a pair first.
SOURCES = (
    "same_name",
    "alias",
    "corrected",
    "nickname",
    "acronym",
    "words",
    "initials",
    "prefix",
    "spelling",
    "columns",
    "neighbours",
    "vectors",
)
REPORT = {
    "source": pl.String(),
    "n_found": pl.Int64(),
    "n_pairs": pl.Int64(),
    "n_new": pl.Int64(),
    "n_blocks": pl.Int64(),
    "n_cut": pl.Int64(),
    "n_records_cut": pl.Int64(),
    "why": pl.String(),
}


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of records that are worth a closer look.

    Attributes:
        left: Rows of the records, int32.
        right: Rows of the records, int32; ``left < right``, each pair once, in order.
        sources: Which sources found the pair, uint16: bit ``i`` stands for ``SOURCES[i]``.
        strength: How much the pair shares, float32: what the pairs of a record were ranked by. No probability.
        report: One row per source: ``n_found`` pairs before the choice (records that nothing tells apart counted
            as one), ``n_pairs`` of records after it, ``n_new`` of them that no source above it has, ``n_blocks``
            groups of records with one key, ``n_cut`` of them too large to compare all with all, ``n_records_cut``
            places in those, and ``why``: what was done instead.
    """

    left: np.ndarray
    right: np.ndarray
    sources: np.ndarray
    strength: np.ndarray
    report: pl.DataFrame

    def __len__(self) -> int:
        return len(self.left)

    def found_by(self, source: str) -> np.ndarray:
        """Tell for each pair whether a source found it, as a Boolean array."""
        return (self.sources >> SOURCES.index(source) & 1).astype(bool)


def empty_candidates() -> Candidates:
    """Make candidates without pairs."""
    rows = np.empty(0, np.int32)
    return Candidates(rows, rows, np.empty(0, np.uint16), np.empty(0, np.float32), pl.DataFrame(schema=REPORT))
