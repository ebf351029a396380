"""Names as keys: the form under which two names are one, and how they are spelled. Columns as numbers."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from kgkit.text import collapse_spaces, normalise_name

__all__ = ["name_keys", "number"]

_LOOSE = r"^\s|\s$|\s\s|[^\S ]|[\x1c-\x1f]"  # white space other than single blanks between words


def name_keys(names: Sequence[pl.Series]) -> pl.DataFrame:
    """Normalise the different names of some columns, each once.

    Args:
        names: Text columns; null is left out.

    Returns:
        One row per different name: ``name``, ``key`` (its normalised form, empty when there is none), ``key_no``
        (a number for the key) and ``spelling`` (the name with white space collapsed).
    """
    unique = pl.concat([column.alias("name") for column in names]).drop_nulls().unique()
    keys = pl.Series("key", [normalise_name(name) for name in unique.to_list()], dtype=pl.String)
    loose = unique.filter(unique.str.contains(_LOOSE))
    tidy = pl.Series("spelling", [collapse_spaces(name) for name in loose.to_list()], dtype=pl.String)
    frame = pl.DataFrame([unique, keys, number([keys])[0].alias("key_no")])
    spelled = frame.join(pl.DataFrame([loose, tidy]), on="name", how="left", maintain_order="left")
    return spelled.with_columns(pl.coalesce("spelling", "name").alias("spelling"))


def number(columns: Sequence[pl.Series]) -> list[pl.Series]:
    """Replace texts by numbers, equal texts by equal ones over all columns; null stays null.

    The numbers are good for joining and grouping, many times faster than texts, and mean nothing else.
    """
    numbers = pl.concat([c.alias("") for c in columns]).cast(pl.Categorical).to_physical().cast(pl.UInt32)
    starts = [0]
    for column in columns:
        starts.append(starts[-1] + len(column))
    return [numbers.slice(start, len(c)).alias(c.name) for start, c in zip(starts, columns, strict=False)]
