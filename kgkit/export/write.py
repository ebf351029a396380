"""Tables on disk: one Parquet file a table, written whole or not at all, and read back equal."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from kgkit import tables
from kgkit.errors import InputError, SchemaError
from kgkit.frames import Backend, give, to_polars

__all__ = ["read_tables", "write_tables"]

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_PART = ".part"


def write_tables(frames: Any, folder: str | os.PathLike[str]) -> dict[str, Path]:
    """Write tables to a folder, one Parquet file each: ``entities.parquet``, ``relations.parquet``, ...

    All files are written beside their places first and moved there at the end, each in one step: when writing
    fails, the old files are still there. Files of other tables in the folder stay.

    Args:
        frames: A result of a stage, or a mapping from tables' names to frames of any kind. Known tables are
            brought to their declared columns; a name of your own may have lower-case letters, digits and ``_``.
            Tables of your own are written as they are, but for mappings without any key, for which Parquet has no
            type: such a column is written as JSON text.
        folder: Where to write; made when absent.

    Returns:
        The path of each table's file, by name.

    Raises:
        InputError: A name cannot be a file's name, or there is nothing to write.
        SchemaError: A frame does not fit its table.

    Examples:
        >>> import tempfile
        >>> import polars as pl
        >>> frame = pl.DataFrame({"entity_id": ["a"], "canonical_id": ["a"]})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     paths = write_tables({"canonical": frame}, folder)
        ...     read_tables(folder)["canonical"].equals(frame)
        True
    """
    ready = {name: _prepare(name, frame) for name, frame in _named(frames).items()}
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    places = {name: target / f"{name}.parquet" for name in ready}
    parts = {name: target / f".{name}.{os.getpid()}{_PART}" for name in ready}
    try:
        for name, frame in ready.items():
            frame.write_parquet(parts[name])
        for name, part in parts.items():
            os.replace(part, places[name])
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)
    return places


def read_tables(folder: str | os.PathLike[str], *, backend: Backend = "polars") -> dict[str, Any]:
    """Read the tables that `write_tables` wrote.

    Args:
        folder: Folder with ``.parquet`` files.
        backend: Kind of frames to give: ``"polars"``, ``"pandas"`` or ``"pyarrow"``.

    Returns:
        A frame for each file, by the table's name, in the order in which tables are declared; others by name.

    Raises:
        InputError: There is no such folder, no table in it, or a file that is no Parquet.

    Examples:
        >>> import tempfile
        >>> import polars as pl
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     paths = write_tables({"mine": pl.DataFrame({"x": [1]})}, folder)
        ...     list(read_tables(folder))
        ['mine']
    """
    source = Path(folder)
    found = {path.stem: path for path in sorted(source.glob("*.parquet")) if path.is_file()}
    if not found:
        msg = f"{str(folder)!r} holds no .parquet file. Give the folder that write_tables wrote to."
        raise InputError(msg)
    order = {name: i for i, name in enumerate(tables.names())}
    names = sorted(found, key=lambda name: (order.get(name, len(order)), name))
    known = {name: name if name in order else None for name in names}
    return {name: give(_read(found[name]), known[name], backend) for name in names}


def _read(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path)
    except pl.exceptions.PolarsError as error:
        msg = f"{str(path)!r} is no Parquet file, or a damaged one: {str(error).partition(chr(10))[0]}"
        raise InputError(msg) from error


def _named(frames: Any) -> dict[str, Any]:
    held = getattr(frames, "frames", frames)
    if not isinstance(held, Mapping) or not held:
        what = "empty" if isinstance(held, Mapping) else f"a {type(frames).__name__}"
        msg = f"write_tables needs a result of a stage, or a mapping from names to frames; this is {what}."
        raise InputError(msg)
    bad = [name for name in held if not (isinstance(name, str) and _NAME.fullmatch(name))]
    if bad:
        msg = f"{bad[0]!r} cannot name a table's file. Allowed: lower-case letters, digits and _, at most 64."
        raise InputError(msg)
    return dict(held)


def _prepare(name: str, frame: Any) -> pl.DataFrame:
    plain = to_polars(frame, name)
    return tables.conform(plain, name) if name in tables.TABLES else _writable(plain, name)


def _writable(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    mixed = [c for c, dtype in frame.schema.items() if dtype == pl.Object]
    if mixed:
        msg = f"Column {mixed[0]!r} of {name!r} holds values of several kinds, which no file format has; make them one."
        raise SchemaError(msg)
    changes = [pl.Series(c, _as_json(frame[c])) for c, dtype in frame.schema.items() if _keyless(dtype)]
    return frame.with_columns(changes) if changes else frame


def _keyless(dtype: pl.DataType) -> bool:
    if isinstance(dtype, (pl.List, pl.Array)):
        return _keyless(dtype.inner)  # type: ignore[arg-type]
    if isinstance(dtype, pl.Struct):
        return not dtype.fields or any(_keyless(f.dtype) for f in dtype.fields)  # type: ignore[arg-type]
    return False


def _as_json(column: pl.Series) -> pl.Series:
    cells = [None if cell is None else json.dumps(cell, ensure_ascii=False, default=str) for cell in column.to_list()]
    return pl.Series(column.name, cells, dtype=pl.String)
