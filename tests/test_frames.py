"""The dataframe border: what comes in, what goes out, for each kind of frame and column."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from kgkit import tables
from kgkit.errors import FrameTypeError, OptionError, SchemaError
from kgkit.frames import BACKENDS, backend_of, give, take, to_polars

UTC = dt.UTC
ENTITY = {
    "entity_id": ["e1", "e2"],
    "name": ["Ada", "NA"],
    "type": ["PERSON", None],
    "aliases": [["Countess"], []],
    "description": [None, "None"],
    "attributes": ["{}", '{"k": [1]}'],
    "n_mentions": [2, 9007199254740993],
    "n_documents": [1, 1],
}


def entities() -> pl.DataFrame:
    return pl.DataFrame(ENTITY, schema=tables.get("entities").schema)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", tables.names())
def test_empty_equals_full_in_dtypes(name: str, backend: str) -> None:
    empty = give(tables.empty(name), name, backend)
    full = give(tables.from_rows(name, [example_row(name)]), name, backend)
    assert list(map(str, dtypes(empty))) == list(map(str, dtypes(full)))
    assert take(empty, name).frame.schema == tables.get(name).schema


def dtypes(frame: object) -> list[object]:
    if isinstance(frame, pa.Table):
        return list(frame.schema.types)
    return list(frame.dtypes)  # type: ignore[attr-defined]


def example_row(name: str) -> dict[str, object]:
    values: dict[type, object] = {
        pl.String: "x",
        pl.Int64: 1,
        pl.Float64: 0.5,
        pl.Boolean: True,
        pl.Datetime: dt.datetime(2024, 1, 1, tzinfo=UTC),
        pl.List: [],
    }
    return {c.name: values[type(c.dtype)] for c in tables.get(name).columns}


@pytest.mark.parametrize("backend", BACKENDS)
def test_round_trip_keeps_every_value(backend: str) -> None:
    out = give(entities(), "entities", backend)
    taken = take(out, "entities")
    assert taken.backend == backend == backend_of(out)
    assert_frame_equal(taken.frame, entities())


def test_pandas_dtypes_are_decided_by_the_declaration() -> None:
    frame = give(entities(), "entities", "pandas")
    assert str(frame["n_mentions"].dtype) == "int64"
    assert frame["n_mentions"].tolist() == [2, 9007199254740993]
    assert frame["aliases"].tolist() == [["Countess"], []]
    assert frame.index.equals(pd.RangeIndex(2))
    outcomes = give(tables.empty("outcomes"), "outcomes", "pandas")
    assert str(outcomes["tokens_in"].dtype) == "Int64"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pd.Series(["a", None, np.nan, pd.NA], dtype=object), ["a", None, None, None]),
        (pd.Series(["NA", "None", "n/a", ""], dtype=object), ["NA", "None", "n/a", ""]),
        (pd.Series(["x", "y", None, "x"], dtype="category"), ["x", "y", None, "x"]),
        (pd.Series([1.0, np.nan, 2.5, 0.0]), [1.0, None, 2.5, 0.0]),
        (pd.Series([1, None, 2, 9007199254740993], dtype="Int64"), [1, None, 2, 9007199254740993]),
        (pd.Series([True, None, False, True], dtype="boolean"), [True, None, False, True]),
        (pd.Series([["a"], ("b", "c"), {"z", "d"}, None]), [["a"], ["b", "c"], ["d", "z"], None]),
        (pd.Series([np.array(["a"]), np.array([]), None, ["q"]], dtype=object), [["a"], [], None, ["q"]]),
        (pd.Series([1, 2, 1, 2], dtype="category"), [1, 2, 1, 2]),
    ],
    ids=["object", "words-like-missing", "category", "nan", "Int64", "boolean", "lists", "arrays", "int-category"],
)
def test_what_comes_in_from_pandas(values: pd.Series, expected: list[object]) -> None:
    frame = pd.DataFrame({"v": values})
    before = frame.copy(deep=True)
    assert to_polars(frame)["v"].to_list() == expected
    pd.testing.assert_frame_equal(frame, before)


def test_times_without_a_zone_are_utc_and_others_are_converted() -> None:
    stamps = pd.to_datetime(["2024-05-01 12:00"])
    rows = {"run_id": ["r"], "stage": ["s"], "params": ["{}"], "inputs": ["{}"], "outputs": ["{}"], "counts": ["{}"]}
    naive = take(pd.DataFrame({**rows, "started_at": stamps}), "runs").frame["started_at"][0]
    zoned = take(pd.DataFrame({**rows, "started_at": stamps.tz_localize("Europe/Berlin")}), "runs").frame["started_at"][
        0
    ]
    assert naive == dt.datetime(2024, 5, 1, 12, tzinfo=UTC)
    assert zoned == dt.datetime(2024, 5, 1, 10, tzinfo=UTC)


def test_named_indexes_become_columns_and_unnamed_ones_go() -> None:
    frame = pd.DataFrame({"v": [1, 2]}, index=pd.Index(["a", "b"], name="doc_id"))
    assert to_polars(frame).to_dict(as_series=False) == {"doc_id": ["a", "b"], "v": [1, 2]}
    assert to_polars(pd.DataFrame({"v": [1]}, index=["odd"])).columns == ["v"]
    levels = pd.MultiIndex.from_tuples([("a", 1)], names=["doc_id", None])
    assert to_polars(pd.DataFrame({"v": [1]}, index=levels)).columns == ["doc_id", "v"]
    clash = pd.DataFrame({"doc_id": ["kept"]}, index=pd.Index(["gone"], name="doc_id"))
    assert to_polars(clash).to_dict(as_series=False) == {"doc_id": ["kept"]}


def test_polars_kinds_that_are_made_plain() -> None:
    frame = pl.DataFrame(
        {
            "c": pl.Series(["a", None], dtype=pl.Categorical),
            "e": pl.Series(["x", "y"], dtype=pl.Enum(["x", "y"])),
            "f": [1.0, float("nan")],
            "a": pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)),
        }
    )
    plain = to_polars(frame.lazy())
    assert plain.dtypes == [pl.String, pl.String, pl.Float64, pl.List(pl.Int64)]
    assert plain["f"].to_list() == [1.0, None]


def test_arrow_streams_and_other_frames_are_read() -> None:
    class Stream:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.table({"v": [1, 2]}).__arrow_c_stream__(requested_schema)

    assert to_polars(Stream())["v"].to_list() == [1, 2]
    duckdb = pytest.importorskip("duckdb")
    assert to_polars(duckdb.sql("select 1 as v"))["v"].to_list() == [1]


@pytest.mark.parametrize("thing", [{"a": [1]}, [1, 2], "text", None, 3])
def test_what_is_no_frame_says_so(thing: object) -> None:
    with pytest.raises(FrameTypeError, match="chunks must be a dataframe"):
        take(thing, "chunks")


def test_missing_columns_are_named_with_what_there_is() -> None:
    with pytest.raises(SchemaError, match="needs the columns 'chunk_id', 'doc_id'.* it has: text"):
        take(pl.DataFrame({"text": ["x"]}), "chunks")


def test_values_that_do_not_fit_are_named() -> None:
    with pytest.raises(SchemaError, match="'n_mentions' of the entities frame must be Int64.*fractions"):
        take(entities().with_columns(n_mentions=pl.Series([1.5, 2.0])), "entities")
    with pytest.raises(SchemaError, match="'n_mentions'"):
        take(entities().with_columns(n_mentions=pl.Series(["many", "few"])), "entities")
    with pytest.raises(SchemaError, match="'name'.*may not be null; row 1"):
        take(entities().with_columns(name=pl.Series(["a", None])), "entities")
    with pytest.raises(SchemaError, match="'name'.*must be String"):
        take(entities().with_columns(name=pl.Series([["a"], ["b"]])), "entities")


def test_keys_are_unique() -> None:
    with pytest.raises(SchemaError, match="'entity_id': 'e1'.*more than once"):
        take(pl.concat([entities(), entities()]), "entities")


def test_double_columns_are_refused() -> None:
    with pytest.raises(SchemaError, match="'v' more than once"):
        to_polars(pd.DataFrame([[1, 2]], columns=["v", "v"]))


def test_unknown_backend() -> None:
    with pytest.raises(OptionError, match="backend='dask' is not known. Allowed: 'polars', 'pandas', 'pyarrow'"):
        give(entities(), "entities", "dask")  # type: ignore[arg-type]


texts = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(texts, st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=3), max_size=2))))
def test_any_text_and_list_survives_pandas(rows: list[tuple[str | None, list[str]]]) -> None:
    frame = pl.DataFrame(
        [{"entity_id": str(i), "name": "n", "description": t, "aliases": a} for i, (t, a) in enumerate(rows)],
        schema={"entity_id": pl.String, "name": pl.String, "description": pl.String, "aliases": pl.List(pl.String)},
    )
    needed = ["entity_id", "name"]
    there = take(give(frame, None, "pandas"), "entities", require=needed).frame
    assert_frame_equal(there, take(frame, "entities", require=needed).frame)


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame])
def test_mappings_become_json_where_json_is_declared(make) -> None:
    cells = [{"k": 1, "none": None}, {"k": 2, "none": "ä"}, {}]
    frame = make({"entity_id": ["a", "b", "c"], "attributes": cells})
    taken = take(frame, "entities", require=["entity_id"]).frame
    assert taken["attributes"].to_list() == ['{"k": 1}', '{"k": 2, "none": "ä"}', "{}"]
    with pytest.raises(SchemaError, match="'name' of the entities frame must be String"):
        take(make({"entity_id": ["a", "b", "c"], "name": cells}), "entities", require=["entity_id"])


def test_mappings_with_different_keys_lose_none() -> None:
    cells = [{"year": 1952}, {"place": "Larch", "parts": [{"a": 1}, {"b": 2}]}, None, {"year": 1953, "note": "x"}]
    frame = pd.DataFrame({"entity_id": list("abcd"), "name": list("ABCD"), "attributes": cells})
    found = take(frame, "entities", require=["entity_id", "name"]).frame["attributes"].to_list()
    assert [text and json.loads(text) for text in found] == cells


def test_mappings_with_values_of_several_kinds_become_json() -> None:
    frame = pd.DataFrame({"entity_id": ["a", "b"], "attributes": [{"k": 1}, '{"k": "x"}']})
    assert take(frame, "entities", require=["entity_id"]).frame["attributes"].to_list() == ['{"k": 1}', '{"k": "x"}']


def test_times_as_text_are_read() -> None:
    rows = {"decision_id": ["a"], "decided_at": ["2024-01-31T12:00:00+01:00"]}
    assert take(pl.DataFrame(rows), "decisions", require=["decision_id"]).frame["decided_at"].to_list() == [
        dt.datetime(2024, 1, 31, 11, tzinfo=UTC)
    ]


@pytest.mark.parametrize("series", [pd.Series(["a"]), pl.Series(["a"])])
def test_a_column_alone_is_no_frame(series) -> None:
    with pytest.raises(FrameTypeError, match="a single column"):
        to_polars(series)


def test_kinds_that_polars_has_not_pass_through() -> None:
    months = pd.array(["2024-01", None], dtype="period[M]")
    read = to_polars(pd.DataFrame({"p": months, "c": [1 + 2j, 3j], "x": ["a", "b"]}))
    assert read["p"].to_list() == ["2024-01", None]
    assert (read["c"].to_list(), read["x"].to_list()) == ([1 + 2j, 3j], ["a", "b"])


def test_half_characters_are_refused_by_row() -> None:
    with pytest.raises(SchemaError, match="'text' holds half characters .* row 1"):
        to_polars(pd.DataFrame({"text": pd.Series(["a", "b\ud800"], dtype="object")}))
