"""What a table's declaration is made of."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

TEXT = pl.String()
INT = pl.Int64()
REAL = pl.Float64()
TIME = pl.Datetime("us", "UTC")
TEXTS = pl.List(pl.String())


@dataclass(frozen=True)
class Column:
    """One column: its name, dtype, what it means, and whether it may be null; ``json`` text holds a mapping."""

    name: str
    meaning: str
    dtype: pl.DataType = TEXT
    nullable: bool = False
    json: bool = False


@dataclass(frozen=True)
class Table:
    """One table: its name, what a row is, its key columns and all its columns."""

    name: str
    row: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def schema(self) -> dict[str, pl.DataType]:
        """Column names and dtypes, in order."""
        return {c.name: c.dtype for c in self.columns}

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the columns that may not be null."""
        return tuple(c.name for c in self.columns if not c.nullable)


def declare(name: str, row: str, key: str, *columns: Column) -> Table:
    """Declare a table; ``key`` holds the key columns' names, separated by spaces."""
    return Table(name, row, tuple(key.split()), columns)


def maybe(name: str, meaning: str, dtype: pl.DataType = TEXT) -> Column:
    """Declare a column that may be null."""
    return Column(name, meaning, dtype, nullable=True)


def span(what: str) -> tuple[Column, Column, Column]:
    """Declare ``start``, ``end`` and ``quote``: where in the document's text ``what`` stands."""
    return (
        maybe(
            "start",
            f"where {what} begins: character of the document's text, from 0; null when not located",
            INT,
        ),
        maybe("end", f"where {what} ends: the first character after it; null when not located", INT),
        maybe("quote", f"{what}, verbatim: the document's text[start:end]", TEXT),
    )
