"""Names as keys: the form under which two names are one, and how they are spelled."""

from __future__ import annotations

import polars as pl

from kgkit.text import collapse_spaces, normalise_name

__all__ = ["add_keys", "name_keys"]

_LOOSE = r"^\s|\s$|\s\s|[^\S ]|[\x1c-\x1f]"  # white space other than single blanks between words


def name_keys(names: pl.Series) -> pl.DataFrame:
    """Normalise the different names of a column, each once.

    Args:
        names: A text column; null is left out.

    Returns:
        One row per different name: ``name``, ``key`` (its normalised form, empty when it has no letter or sign)
        and ``spelling`` (with white space collapsed).
    """
    unique = names.drop_nulls().unique().alias("name")
    loose = unique.str.contains(_LOOSE)
    tidy = {name: collapse_spaces(name) for name in unique.filter(loose).to_list()}
    keys = [normalise_name(name) for name in unique.to_list()]
    frame = pl.DataFrame([unique, pl.Series("key", keys, dtype=pl.String)])
    if not tidy:
        return frame.with_columns(spelling="name")
    spelled = pl.col("name").replace_strict(tidy, default=pl.col("name"), return_dtype=pl.String)
    return frame.with_columns(spelling=spelled)


def add_keys(frame: pl.DataFrame, keys: pl.DataFrame, column: str) -> pl.DataFrame:
    """Add ``key`` and ``spelling`` of a name column, keeping the rows' order."""
    return frame.join(keys, left_on=column, right_on="name", how="left", maintain_order="left")
