"""Every table of kgkit, declared once: columns, dtypes, keys and what they mean.

The declarations are in `kgkit.tables.declared`; this module looks them up, describes them, and brings
frames to their declared form.

Examples:
    >>> import kgkit as kg
    >>> kg.tables.describe("citations")["column"].head(3).to_list()
    ['answer_id', 'sentence_id', 'number']
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import polars as pl

from kgkit.errors import OptionError, SchemaError
from kgkit.tables.declared import TABLES
from kgkit.tables.types import Column, Table

__all__ = [
    "TABLES",
    "Column",
    "Table",
    "check_key",
    "conform",
    "describe",
    "empty",
    "from_rows",
    "get",
    "names",
]


def names() -> list[str]:
    """List the names of all tables, in the order in which a project fills them."""
    return list(TABLES)


def get(name: str) -> Table:
    """Look a table's declaration up by name.

    Raises:
        OptionError: There is no table of that name.
    """
    try:
        return TABLES[name]
    except KeyError:
        raise OptionError.not_one_of("table", name, TABLES) from None


def describe(name: str | None = None) -> pl.DataFrame:
    """Describe one table, or all, as a frame with one row per column.

    Args:
        name: A table's name; all tables when left out.

    Returns:
        A frame with ``table``, ``column``, ``dtype``, ``key`` (Boolean), ``nullable`` (Boolean) and ``meaning``.
    """
    tables = [get(name)] if name else list(TABLES.values())
    rows = [
        (t.name, c.name, _dtype_text(c.dtype), c.name in t.key, c.nullable, c.meaning)
        for t in tables
        for c in t.columns
    ]
    schema = {
        "table": pl.String,
        "column": pl.String,
        "dtype": pl.String,
        "key": pl.Boolean,
        "nullable": pl.Boolean,
        "meaning": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def empty(name: str) -> pl.DataFrame:
    """Make an empty frame with exactly the columns and dtypes that a full one has."""
    return pl.DataFrame(schema=get(name).schema)


def from_rows(name: str, rows: Iterable[dict[str, object]]) -> pl.DataFrame:
    """Make a table from rows; columns that a row leaves out are null.

    Raises:
        SchemaError: A row has a column that the table does not declare, or a null where none is allowed.
    """
    table = get(name)
    rows = list(rows)
    unknown = {key for row in rows for key in row} - set(table.schema)
    if unknown:
        msg = (
            f"Table {name!r} has no column {', '.join(map(repr, sorted(unknown)))}. Columns: {', '.join(table.schema)}."
        )
        raise SchemaError(msg)
    data = {c: [row.get(c) for row in rows] for c in table.schema}
    return conform(pl.DataFrame(data, schema=table.schema, strict=True), name)


def conform(frame: pl.DataFrame, name: str, *, require: Iterable[str] | None = None) -> pl.DataFrame:
    """Bring a polars frame to a table's declared columns, order and dtypes; other columns go.

    Args:
        frame: Any polars frame.
        name: The table's name.
        require: Columns that must be present; by default all that may not be null. Absent others are null.

    Returns:
        A new frame; the argument is not changed.

    Raises:
        SchemaError: A required column is absent or null, or a value does not fit its dtype.
    """
    table = get(name)
    needed = set(table.required if require is None else require)
    missing = [c for c in table.schema if c in needed and c not in frame.columns]
    if missing:
        have = ", ".join(frame.columns) or "none"
        msg = (
            f"The {name} frame needs the column{'s' * (len(missing) > 1)} {', '.join(map(repr, missing))}; "
            f"it has: {have}. Rename yours, or see kg.tables.describe({name!r})."
        )
        raise SchemaError(msg)
    columns = [_fit(frame, column, name) for column in table.columns]
    out = pl.DataFrame(columns) if columns else frame.clear()
    _refuse_nulls(out, table, needed)
    return out


def check_key(frame: pl.DataFrame, name: str) -> None:
    """Raise when two rows of a table have the same key.

    Raises:
        SchemaError: Names the first key that occurs twice.
    """
    key = list(get(name).key)
    twice = frame.filter(frame.select(pl.struct(key).is_duplicated()).to_series()) if frame.height else frame
    if twice.height:
        first = twice.select(key).sort(key).row(0)
        msg = f"The {name} frame has the key {dict(zip(key, first, strict=True))} more than once; keys are unique."
        raise SchemaError(msg)


def _fit(frame: pl.DataFrame, column: Column, table: str) -> pl.Series:
    if column.name not in frame.columns:
        return pl.Series(column.name, [None] * frame.height, dtype=column.dtype)
    have = frame.get_column(column.name)
    if have.dtype == column.dtype:
        return have
    try:
        return _json_text(have) if column.json and _holds_mappings(have) else _cast(have, column.dtype)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError) as error:
        msg = (
            f"Column {column.name!r} of the {table} frame must be {_dtype_text(column.dtype)}; "
            f"it is {_dtype_text(have.dtype)} and cannot be converted: {str(error).partition(chr(10))[0]}"
        )
        raise SchemaError(msg) from error


def _holds_mappings(have: pl.Series) -> bool:
    return isinstance(have.dtype, pl.Struct) or have.dtype == pl.Object


def _json_text(have: pl.Series) -> pl.Series:
    """Write mappings as JSON text. Absent keys came in as nulls, so keys without a value are left out."""
    return pl.Series(have.name, [_json_cell(cell) for cell in have.to_list()], dtype=pl.String)


def _json_cell(cell: object) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    if not isinstance(cell, dict):
        msg = f"a {type(cell).__name__} is no mapping"
        raise TypeError(msg)
    filled = {key: value for key, value in cell.items() if value is not None}
    return json.dumps(filled, ensure_ascii=False, default=str)


def _cast(have: pl.Series, dtype: pl.DataType) -> pl.Series:
    if isinstance(dtype, pl.Datetime) and isinstance(have.dtype, pl.Datetime):
        aware = have if have.dtype.time_zone else have.dt.replace_time_zone("UTC")
        return aware.dt.convert_time_zone("UTC").cast(dtype)
    if isinstance(dtype, pl.Datetime) and have.dtype == pl.String:
        return have.str.to_datetime(time_unit="us", time_zone="UTC", strict=True)
    if have.dtype == pl.Object or (dtype.is_nested() and not have.dtype.is_nested()):
        return pl.Series(have.name, have.to_list(), dtype=dtype, strict=True)
    if have.dtype.is_float() and dtype.is_integer() and (have.fill_nan(None).drop_nulls() % 1 != 0).any():
        msg = "it holds fractions"
        raise ValueError(msg)
    if isinstance(dtype, pl.String) and have.dtype.is_nested():
        msg = "a list or struct is not text"
        raise TypeError(msg)
    return have.cast(dtype, strict=True)


def _refuse_nulls(frame: pl.DataFrame, table: Table, needed: set[str]) -> None:
    for column in table.columns:
        if not column.nullable and column.name in needed and frame.get_column(column.name).null_count():
            row = frame.get_column(column.name).is_null().arg_max()
            msg = f"Column {column.name!r} of the {table.name} frame may not be null; row {row} is (counted from 0)."
            raise SchemaError(msg)


def _dtype_text(dtype: pl.DataType) -> str:
    if isinstance(dtype, pl.List):
        return f"List({_dtype_text(dtype.inner)})"  # type: ignore[arg-type]
    if isinstance(dtype, pl.Struct):
        return "Struct(" + ", ".join(f"{f.name}: {_dtype_text(f.dtype)}" for f in dtype.fields) + ")"  # type: ignore[arg-type]
    if isinstance(dtype, pl.Datetime):
        return f"Datetime({dtype.time_unit}, {dtype.time_zone})"
    return str(dtype)
