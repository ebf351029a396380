"""The one border where dataframes come in and go out. Inside kgkit everything is polars.

In comes any polars or pandas frame, a pyarrow table, any other frame that narwhals or the Arrow C stream
interface can read, or a result of an earlier stage. The rule for what comes in:

- A named pandas index (or index level) becomes a column; an unnamed one is dropped.
- NaN, NaT and ``pd.NA`` become null. A text such as ``"NA"`` or ``"None"`` is text.
- Categorical and enum columns become text. Lists, tuples, sets (sorted) and arrays in a column become lists.
- Times without a zone are taken as UTC, others are converted to UTC.
- Mappings in a column that a table declares as JSON become JSON text, without the keys that have no value.
- Periods and intervals become text. Values of other kinds that polars has not (complex numbers) are kept as they
  are, for stages that pass columns through; a text with half characters (lone surrogates) is refused.
- Nothing that came in is changed.

And for what goes out, decided by the table's declaration and never by the rows that happen to be there:

- polars: exactly the declared dtypes.
- pandas: a fresh ``RangeIndex``; text as ``str`` (``object`` before pandas 3), times as
  ``datetime64[us, UTC]``, integers that may be null as ``Int64``, others as ``int64``, numbers as
  ``float64`` with NaN for null, lists as ``object`` holding Python lists, structs as dicts.
- pyarrow: a ``pyarrow.Table`` with the same types as the polars frame.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from kgkit import tables
from kgkit.errors import FrameTypeError, OptionError, SchemaError

Backend = Literal["polars", "pandas", "pyarrow"]
_HALF = re.compile("[\ud800-\udfff]")
BACKENDS: tuple[Backend, ...] = ("polars", "pandas", "pyarrow")

__all__ = ["BACKENDS", "Backend", "Taken", "backend_of", "check_backend", "give", "take", "to_polars"]


@dataclass(frozen=True)
class Taken:
    """A table that came in: as polars in its declared form, and the kind of frame it was."""

    frame: pl.DataFrame
    backend: Backend


def take(obj: Any, name: str, *, require: list[str] | None = None, extra: bool = False) -> Taken:
    """Take a table from a frame of any kind, or out of a result that has it.

    Args:
        obj: A frame, or a result of an earlier stage.
        name: The table's name, such as ``"chunks"``.
        require: Columns that must be there; by default all that the table does not allow to be null.
        extra: Whether to keep columns that the table does not declare, after those that it does.

    Returns:
        The table in its declared form, and the backend to answer in.

    Raises:
        FrameTypeError: ``obj`` is no frame and has no such table.
        SchemaError: Columns are missing, null, of another dtype, or the key is not unique.

    Examples:
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"entity_id": ["e1"], "canonical_id": ["e1"]})
        >>> take(frame, "canonical").backend
        'pandas'
    """
    inner = _table_of(obj, name)
    plain = to_polars(inner, name)
    frame = tables.conform(plain, name, require=require)
    key = tables.get(name).key
    if require is None or set(key) <= set(require):
        tables.check_key(frame, name)
    if extra:
        frame = frame.hstack(plain.drop(frame.columns, strict=False).get_columns())
    return Taken(frame, backend_of(inner))


def to_polars(obj: Any, name: str = "data") -> pl.DataFrame:
    """Read a frame of any kind into a polars frame, by the rule at the top of this module.

    Raises:
        FrameTypeError: It is not a frame.
    """
    if type(obj).__name__ == "Series":
        msg = f"{name} must be a dataframe; this is a single column (a Series). Make it one: series.to_frame()."
        raise FrameTypeError(msg)
    if isinstance(obj, pl.LazyFrame):
        obj = obj.collect()
    if isinstance(obj, pl.DataFrame):
        return _plain(obj)
    if _is_pandas(obj):
        return _plain(_from_pandas(obj, name))
    if hasattr(obj, "__arrow_c_stream__"):
        return _plain(pl.DataFrame(obj))
    return _plain(_from_narwhals(obj, name))


def give(frame: pl.DataFrame, name: str | None, backend: Backend) -> Any:
    """Hand a polars frame out as ``backend``, by the rule at the top of this module.

    Args:
        frame: The frame.
        name: Its table, whose declaration decides the pandas dtypes; ``None`` for a frame that is no table.
        backend: ``"polars"``, ``"pandas"`` or ``"pyarrow"``.
    """
    check_backend(backend)
    if backend == "polars":
        return frame
    if backend == "pyarrow":
        return frame.to_arrow()
    return _to_pandas(frame, name)


def backend_of(obj: Any) -> Backend:
    """Tell which kind of frame to answer with when ``obj`` came in."""
    if _is_pandas(obj):
        return "pandas"
    if type(obj).__module__.split(".")[0] == "pyarrow":
        return "pyarrow"
    return "polars"


def check_backend(backend: str) -> None:
    """Raise unless ``backend`` is known.

    Raises:
        OptionError: It is not.
    """
    if backend not in BACKENDS:
        raise OptionError.not_one_of("backend", backend, BACKENDS)


def _table_of(obj: Any, name: str) -> Any:
    held = getattr(obj, "frames", None)
    if not isinstance(held, dict):
        return obj
    if name not in held:
        msg = f"{type(obj).__name__} holds {', '.join(held)}, but {name} are needed here."
        raise FrameTypeError(msg)
    return held[name]


def _is_pandas(obj: Any) -> bool:
    return type(obj).__module__.split(".")[0] == "pandas" and type(obj).__name__ == "DataFrame"


def _from_narwhals(obj: Any, name: str) -> pl.DataFrame:
    import narwhals as nw

    native = nw.from_native(obj, pass_through=True)
    if isinstance(native, nw.LazyFrame):
        native = native.collect("polars")
    if isinstance(native, nw.DataFrame):
        return native.to_polars()
    msg = (
        f"{name} must be a dataframe (pandas, polars, pyarrow, or anything with the Arrow C stream interface) "
        f"or a result of an earlier stage; this is a {type(obj).__module__}.{type(obj).__qualname__}."
    )
    raise FrameTypeError(msg)


def _from_pandas(frame: Any, name: str) -> pl.DataFrame:
    named = [level for level in frame.index.names if level is not None]
    if named:
        clash = [level for level in named if level in frame.columns]
        keep = frame.reset_index(level=[level for level in named if level not in clash])
        frame = keep.reset_index(drop=True)
    columns = [str(c) for c in frame.columns]
    if len(set(columns)) != len(columns):
        twice = sorted({c for c in columns if columns.count(c) > 1})
        msg = f"The {name} frame has the column {', '.join(map(repr, twice))} more than once; rename one."
        raise SchemaError(msg)
    return pl.DataFrame([_series(column, frame.iloc[:, i]) for i, column in enumerate(columns)])


def _series(name: str, values: Any) -> pl.Series:
    kind = str(values.dtype)
    if kind == "object":
        return _from_objects(name, values.to_list())
    if kind.startswith(("period", "interval")):  # arrow would give a period's number
        return _from_objects(name, values.astype("str").astype("object").where(values.notna(), None).to_list())
    if kind == "category":
        values = values.astype("object")
        return _from_objects(name, values.to_list())
    try:
        return pl.DataFrame(pl.from_pandas(values, nan_to_null=True)).to_series().alias(name)
    except UnicodeEncodeError as error:
        raise _half_characters(name, values.to_list()) from error
    except Exception:  # pyarrow and polars raise kinds of their own for dtypes they do not know
        return _from_objects(name, values.astype("object").to_list())


def _from_objects(name: str, values: list[Any]) -> pl.Series:
    cells = [_cell(value) for value in values]
    if _are_ragged(cells):
        return pl.Series(name, cells, dtype=pl.Object)
    try:
        return pl.Series(name, cells, strict=True)
    except UnicodeEncodeError as error:
        raise _half_characters(name, cells) from error
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series(name, cells, dtype=pl.Object)  # mixed kinds: `conform` says which column, if it is used


def _are_ragged(cells: list[Any]) -> bool:
    """Tell whether mappings differ in keys or are nested: made a struct, keys that the first lacks would be lost."""
    mappings = [cell for cell in cells if isinstance(cell, dict)]
    nested = (value for mapping in mappings for value in mapping.values())
    return any(m.keys() != mappings[0].keys() for m in mappings) or any(isinstance(v, (dict, list)) for v in nested)


def _half_characters(name: str, cells: list[Any]) -> SchemaError:
    row = next((i for i, cell in enumerate(cells) if isinstance(cell, str) and _HALF.search(cell)), 0)
    return SchemaError(
        f"Column {name!r} holds half characters (lone surrogates), which are no text; the first is in row {row} "
        "(counted from 0). Replace them: .str.encode('utf-8', 'replace').str.decode('utf-8')."
    )


def _cell(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, tuple):
        return list(value)
    if hasattr(value, "tolist") and not isinstance(value, (str, bytes)):  # numpy arrays and scalars
        value = value.tolist()
    missing = value is None or (isinstance(value, float) and value != value)
    return None if missing or type(value).__name__ in ("NAType", "NaTType") else value


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    changes = []
    for name, dtype in frame.schema.items():
        if isinstance(dtype, (pl.Categorical, pl.Enum)):
            changes.append(pl.col(name).cast(pl.String))
        elif dtype.is_float():
            changes.append(pl.col(name).fill_nan(None))
        elif isinstance(dtype, pl.Array):
            changes.append(pl.col(name).arr.to_list())
    return frame.with_columns(changes) if changes else frame


def _to_pandas(frame: pl.DataFrame, name: str | None) -> Any:
    import pandas as pd

    nullable = {c.name for c in tables.get(name).columns if c.nullable} if name else set(frame.columns)
    data: dict[str, Any] = {}
    for column in frame.get_columns():
        data[column.name] = _pandas_column(column, column.name in nullable)
    return pd.DataFrame(data, columns=frame.columns, index=pd.RangeIndex(frame.height))


def _pandas_column(column: pl.Series, nullable: bool) -> Any:
    import numpy as np
    import pandas as pd

    dtype = column.dtype
    if dtype.is_nested():
        cells = np.empty(len(column), dtype=object)
        cells[:] = column.to_list()
        return pd.Series(cells, dtype=object)
    if isinstance(dtype, pl.String):
        text = "str" if int(pd.__version__.split(".")[0]) >= 3 else object
        return pd.Series(column.to_list(), dtype=text)
    if dtype.is_integer():
        return pd.Series(column.to_list(), dtype="Int64") if nullable else pd.Series(column.to_numpy(), dtype="int64")
    if isinstance(dtype, pl.Datetime):
        return pd.Series(column.to_list(), dtype="datetime64[us, UTC]")
    if dtype.is_float():
        return pd.Series(column.to_numpy(), dtype="float64")
    return column.to_pandas()
