"""The documents table from rows, quickly also when there are very many."""

from __future__ import annotations

from typing import Any

import polars as pl

from kgkit import tables

__all__ = ["documents_table"]


def documents_table(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Make a documents table; each row's ``sections`` is a list of mappings.

    Raises:
        SchemaError: A row lacks a column that may not be null, or two rows have one id.
    """
    schema = tables.get("documents").schema
    plain = {name: dtype for name, dtype in schema.items() if name != "sections"}
    frame = pl.DataFrame({name: [row.get(name) for row in rows] for name in plain}, schema=plain, strict=True)
    frame = tables.conform(frame.with_columns(_sections(rows, schema["sections"])), "documents")
    tables.check_key(frame, "documents")
    return frame


def _sections(rows: list[dict[str, Any]], dtype: pl.DataType) -> pl.Series:
    """Build the column of lists from one flat frame; list by list takes a hundred times as long."""
    flat = [(index, section) for index, row in enumerate(rows) for section in row["sections"]]
    struct = dtype.inner  # type: ignore[attr-defined]
    fields = {field.name: field.dtype for field in struct.fields}
    parts = pl.DataFrame({name: [section[name] for _, section in flat] for name in fields}, schema=fields)
    numbered = pl.DataFrame(
        {"row": [index for index, _ in flat], "sections": parts.to_struct()}, schema_overrides={"row": pl.Int64}
    )
    lists = numbered.group_by("row", maintain_order=True).agg("sections")
    every = pl.DataFrame({"row": pl.arange(0, len(rows), eager=True, dtype=pl.Int64)})
    empty = pl.lit([], dtype=dtype)
    found = every.join(lists, on="row", how="left", maintain_order="left")
    return found.select(pl.coalesce("sections", empty).cast(dtype))["sections"]
