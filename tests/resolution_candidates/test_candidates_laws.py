"""find_candidates: what holds for any input."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from kgkit.resolution.candidates import Candidates, find_candidates
from kgkit.resolution.records import records_of

_NAMES = st.one_of(
    st.sampled_from(
        [
            "Grace Hopper",
            "G. Hopper",
            "Hopper, Grace",
            "IBM",
            "International Business Machines",
            "...",
            "🙂",
            "🙂🙂",
            "",
        ]
    ),
    st.text(max_size=12),
    st.lists(st.sampled_from(["ada", "adda", "b", "inc", "dr", "the", "東浜", "ß", "І"]), max_size=9).map(" ".join),
)
TABLES = st.lists(
    st.fixed_dictionaries(
        {
            "name": _NAMES,
            "type": st.sampled_from(["PERSON", "PLACE", None]),
            "aliases": st.lists(_NAMES, max_size=2),
            "town": st.sampled_from(["York", "Paris", None, ""]),
        }
    ),
    max_size=14,
)


def table(rows: list[dict]) -> pl.DataFrame:
    schema = {"name": pl.String, "type": pl.String, "aliases": pl.List(pl.String), "town": pl.String}
    ids = pl.Series("entity_id", [f"e{i:03}" for i in range(len(rows))], dtype=pl.String)
    return pl.DataFrame(rows, schema=schema).insert_column(0, ids)


def same(one: Candidates, other: Candidates) -> bool:
    columns = ("left", "right", "sources", "strength")
    return all(np.array_equal(getattr(one, c), getattr(other, c)) for c in columns) and one.report.equals(other.report)


@settings(max_examples=30, deadline=None)
@given(TABLES, st.integers(1, 4), st.booleans())
def test_pairs_are_pairs(rows: list[dict], per_record: int, across_types: bool) -> None:
    found = find_candidates(table(rows), per_record=per_record, across_types=across_types)
    assert (found.left < found.right).all()
    code = found.left.astype(np.int64) * max(1, len(rows)) + found.right
    assert (np.diff(code) > 0).all()
    assert len(found) <= per_record * len(rows)
    assert (found.sources > 0).all()
    assert found.report["n_new"].sum() == len(found)


@settings(max_examples=12, deadline=None)
@given(TABLES, st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_the_kind_of_frame_counts(rows: list[dict], shuffler: random.Random) -> None:
    frame = table(rows)
    order = list(range(len(rows)))
    shuffler.shuffle(order)
    first = find_candidates(frame)
    assert same(first, find_candidates(frame[order]))
    assert same(first, find_candidates(frame.to_pandas()))
    assert same(first, find_candidates(records_of(frame)))


@settings(max_examples=12, deadline=None)
@given(TABLES)
def test_nothing_meets_within_one_side(rows: list[dict]) -> None:
    frame = table(rows)
    found = find_candidates(frame, across="town")
    towns = np.array([row["town"] or None for row in rows], dtype=object)
    assert all(a != b or a is None for a, b in zip(towns[found.left], towns[found.right], strict=True))


def test_ten_thousand_equal_names_do_not_explode() -> None:
    n = 10_000
    frame = pl.DataFrame({"entity_id": [f"e{i}" for i in range(n)], "name": ["Grace Hopper"] * (n - 1) + ["G. Hopper"]})
    found = find_candidates(frame)
    assert n <= len(found) <= 15 * n
    last = records_of(frame).frame["name"].to_list().index("G. Hopper")
    assert ((found.left == last) | (found.right == last)).any()


def test_ten_thousand_equal_names_with_different_columns_do_not_explode() -> None:
    n = 10_000
    ids = [f"e{i:05}" for i in range(n)]
    found = find_candidates(pl.DataFrame({"entity_id": ids, "name": ["Grace Hopper"] * n, "house": ids}))
    assert n <= len(found) <= 15 * n


def test_names_of_ten_thousand_characters() -> None:
    long = "".join(random.Random(1).choices("abcdefgh ", k=10_000))
    names = [long, long[:-1] + "x", "x" * 10_000, "x" * 9_999 + "y", "🙂" * 10_000, "浜" * 10_000]
    found = find_candidates(pl.DataFrame({"entity_id": list("abcdef"), "name": names}))
    assert (0, 1) in set(zip(found.left.tolist(), found.right.tolist(), strict=True))


def test_names_of_signs_alone() -> None:
    frame = pl.DataFrame({"entity_id": list("abcd"), "name": ["★", "★", "!!!", "🙂"]})
    found = find_candidates(frame)
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == [(0, 1)]
