"""find_lookalikes: which names suggest one thing, and which do not."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from graph_data import mentions
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import kgkit as kg
from kgkit.errors import OptionError


def entities(*names, types=None):
    return pl.DataFrame(
        {"entity_id": [f"e{i}" for i in range(len(names))], "name": names, "type": types or [None] * len(names)},
        schema={"entity_id": pl.String, "name": pl.String, "type": pl.String},
    )


def reason(left, right, **options):
    rows = kg.find_lookalikes(entities(left, right), **options)
    return rows["reason"].to_list()[0] if rows.height else None


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("Grace Hopper", "G. Hopper", "initials"),
        ("Grace Hopper", "G. M. Hopper", "initials"),
        ("J.P. Eckert", "John Presper Eckert", "initials"),
        ("Hopper, G.", "Grace Hopper", "initials"),
        ("Grace Hopper", "Hopper", "contained"),
        ("FTX", "FTX Trading Ltd", "contained"),
        ("IBM", "International Business Machines", "acronym"),
        ("A.C.M.", "Association for Computing Machinery", "acronym"),
        ("I.B.M.", "IBM", "same_letters"),
        ("새벽항", "새벽 항", "same_letters"),
        ("Jean Jennings-Bartik", "Jean Jennings Bartik", "same_letters"),
        ("Grace Hopper", "Grace Hoper", "spelling"),
        ("grace hopper", "Grace  HOPPER", "same_name"),
        ("Grace Hopper", "Alan Turing", None),
        ("Grace Hopper", "A. Hopper", None),
        ("IBM 701", "IBM 704", None),
        ("UNIVAC I", "UNIVAC II", None),
        ("C", "C#", None),
        ("C#", "C++", None),
        ("★", "♠", None),
        ("Северная Верфь", "Южная Верфь", None),
    ],
)
def test_reasons(left, right, expected):
    assert reason(left, right) == expected
    assert reason(right, left) == expected


def test_one_name_of_several_types_is_listed_and_other_reasons_keep_types_apart():
    frame = entities("Larch", "Larch", "larch", "Larches", types=["PERSON", "PLACE", "CONCEPT", "PERSON"])
    rows = kg.find_lookalikes(frame, min_similarity=0.2)
    assert rows["reason"].to_list() == ["same_name"] * 3 + ["spelling"]
    assert rows.select("left_id", "right_id").rows() == [("e0", "e1"), ("e0", "e2"), ("e1", "e2"), ("e0", "e3")]
    assert kg.find_lookalikes(frame, min_similarity=0.2, across_types=True).height == 6


def test_mixed_scripts_of_the_case(shared: Path):
    names = pl.read_csv(shared / "cases/entities_mixed_script.csv").to_dicts()
    rows = kg.find_lookalikes(kg.build_graph(mentions(*names)), min_similarity=0.8)
    assert rows.select("left_name", "right_name").rows() in ([("새벽항", "새벽 항")], [("새벽 항", "새벽항")])


def test_aliases_are_names_too():
    frame = entities("Amazing Grace", "G. Hopper").with_columns(aliases=pl.Series([["Grace Hopper"], []]))
    (row,) = kg.find_lookalikes(frame).to_dicts()
    assert (row["left_name"], row["right_name"], row["reason"]) == ("Grace Hopper", "G. Hopper", "initials")


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.sampled_from(["Ada", "A. King", "Ada King", "ADA", "AK", "C", "C#", "東浜", " ", "Kings Ada"]), max_size=8
    ),
    st.randoms(use_true_random=False),
)
def test_row_order_changes_nothing_and_pairs_are_ordered(names, rng):
    frame = entities(*names)
    rows = kg.find_lookalikes(frame)
    order = rng.sample(range(len(names)), len(names))
    assert_frame_equal(rows, kg.find_lookalikes(frame[order]))
    assert rows.schema == kg.find_lookalikes(frame.clear()).schema
    assert (rows["left_id"] < rows["right_id"]).all()
    assert rows.select("left_id", "right_id").is_unique().all()
    assert rows["similarity"].is_between(0, 1).all()


def test_pandas_in_pandas_out():
    pd = pytest.importorskip("pandas")
    assert isinstance(kg.find_lookalikes(entities("Ada", "ADA").to_pandas()), pd.DataFrame)


@pytest.mark.parametrize("value", [0, -1, 1.5])
def test_similarity_out_of_range_is_named(value):
    with pytest.raises(OptionError, match="min_similarity="):
        kg.find_lookalikes(entities("Ada"), min_similarity=value)
