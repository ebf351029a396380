"""Ids and outcomes made from columns are those made one by one."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from kgkit.errors import CountingError
from kgkit.ids import stable_id_series, stable_ids
from kgkit.results import STATUSES, Outcome, outcomes_frame, outcomes_from

TEXTS = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=5))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=5))
def test_ids_from_columns_are_the_same(rows):
    left, right = [r[0] for r in rows], [r[1] for r in rows]
    series = [pl.Series(values, dtype=pl.String) for values in (left, right)]
    assert stable_id_series("x", *series).to_list() == stable_ids("x", left, right)


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(st.text("aé東b", min_size=1, max_size=3), st.sampled_from(STATUSES), max_size=5))
def test_outcomes_from_columns_are_the_same(statuses):
    one = outcomes_frame("s", statuses, [Outcome(i, s) for i, s in statuses.items()], params={"p": 1})
    items = pl.Series(list(statuses), dtype=pl.String)
    frame = pl.DataFrame({"item_id": items, "status": pl.Series(list(statuses.values()), dtype=pl.String)})
    assert_frame_equal(outcomes_from("s", items, frame, params={"p": 1}), one)


@pytest.mark.parametrize(
    ("items", "told", "message"),
    [
        (["a", "b"], ["a"], r"without outcome \['b'\]"),
        (["a"], ["a", "a"], r"with two \['a'\]"),
        (["a"], ["a", "b"], r"never put in \['b'\]"),
        (["a", "a"], ["a", "a"], r"with two \['a'\]"),
    ],
)
def test_the_counting_law_is_held(items, told, message):
    frame = pl.DataFrame({"item_id": told, "status": ["ok"] * len(told)})
    with pytest.raises(CountingError, match=message):
        outcomes_from("s", pl.Series(items), frame)
