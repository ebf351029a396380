"""What each source of candidates contributed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from kgkit.resolution.candidates.blocks import Tally
from kgkit.resolution.candidates.found import REPORT, SOURCES

__all__ = ["report_of"]


def report_of(found: np.ndarray, kept: np.ndarray, tallies: Mapping[int, Tally]) -> pl.DataFrame:
    """Count pairs by source; see `Candidates.report`.

    Args:
        found: Masks of the sources of all pairs, before the cap.
        kept: Masks of those that were kept.
        tallies: What the blocks of each source came to.
    """
    rows = []
    for number, source in enumerate(SOURCES):
        tally = tallies.get(number, Tally())
        has = kept >> number & 1
        new = has & ((kept & ((1 << number) - 1)) == 0)
        row = (source, int((found >> number & 1).sum()), int(has.sum()), int(new.sum()))
        rows.append((*row, tally.n_blocks, tally.n_cut, tally.n_rows_cut, tally.why if tally.n_cut else None))
    return pl.DataFrame(rows, schema=REPORT, orient="row")
