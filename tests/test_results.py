"""Outcomes, the counting law, and what a result shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from kgkit import tables
from kgkit.errors import CountingError, FrameTypeError, KgkitError
from kgkit.frames import take
from kgkit.ids import content_hash, stable_id
from kgkit.results import STATUSES, Outcome, Result, outcomes_frame


@dataclass(frozen=True, repr=False, eq=False)
class Canonical(Result):
    stage: ClassVar[str] = "choose"
    main: ClassVar[str] = "canonical"
    canonical: Any


def result(**changes: str) -> Canonical:
    status = {"a": "ok", "b": "failed", "c": "empty", **changes}
    rows = [Outcome(i, s, None if s == "ok" else "why", "<b>because</b>") for i, s in status.items()]  # type: ignore[arg-type]
    frame = tables.from_rows("canonical", [{"entity_id": "a", "canonical_id": "<script>"}])
    return Canonical(frame, outcomes=outcomes_frame("choose", status, rows))


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(st.text(max_size=4), st.sampled_from(STATUSES)), st.randoms())
def test_counting_law_holds_in_any_order(statuses: dict[str, str], random: Any) -> None:
    items = list(statuses)
    rows = [Outcome(i, s) for i, s in statuses.items()]  # type: ignore[arg-type]
    one = outcomes_frame("s", items, rows)
    random.shuffle(items)
    random.shuffle(rows)
    assert_frame_equal(one, outcomes_frame("s", items, rows))
    counts = Canonical(tables.empty("canonical"), outcomes=one).counts
    assert counts["in"] == len(items) == sum(counts[s] for s in STATUSES)


@pytest.mark.parametrize(
    ("items", "given", "message"),
    [
        (["a", "b"], ["a"], r"without outcome \['b'\]"),
        (["a"], ["a", "a"], r"with two \['a'\]"),
        (["a"], ["a", "z"], r"never put in \['z'\]"),
        (["a", "a"], ["a"], "2 items in, 1 outcomes out"),
    ],
)
def test_a_broken_count_is_an_error(items: list[str], given: list[str], message: str) -> None:
    with pytest.raises(CountingError, match=message):
        outcomes_frame("s", items, [Outcome(i, "ok") for i in given])


def test_counts_failures_and_repr() -> None:
    found = result()
    assert found.counts == {"in": 3, "ok": 1, "empty": 1, "failed": 1, "skipped": 0}
    assert found.failures["item_id"].to_list() == ["b", "c"]
    assert repr(found) == "Canonical(1 canonical; 3 in: 1 ok, 1 empty, 1 failed)"
    assert len(found) == 1


def test_html_is_escaped_and_script_free() -> None:
    html = result()._repr_html_()
    assert "&lt;script&gt;" in html and "<script" not in html and "&lt;b&gt;because" in html
    assert html.index("✗ 1 failed") < html.index("canonical_id")


def test_a_result_converts_and_streams() -> None:
    found = result()
    assert isinstance(found.to_pandas().canonical, pd.DataFrame)
    assert isinstance(found.to("pyarrow").outcomes, pa.Table)
    assert_frame_equal(found.to_pandas().to_polars().outcomes, found.outcomes)
    assert_frame_equal(pl.DataFrame(found), found.frame)
    assert isinstance(found.canonical, pl.DataFrame), "converting changed the original"


def test_a_result_without_the_table_says_what_it_has() -> None:
    with pytest.raises(FrameTypeError, match="Canonical holds canonical, outcomes, but chunks are needed"):
        take(result(), "chunks")
    assert take(result(), "canonical").frame.height == 1


def test_ids_keep_parts_apart() -> None:
    ids = {
        stable_id("x", *parts) for parts in [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("abc", None), ("abc", 0)]
    }
    assert len(ids) == 6
    assert stable_id("doc", "é") == stable_id("doc", "é") != stable_id("doc", "e\u0301")
    assert content_hash("é") == content_hash("é".encode())


def test_all_errors_are_of_one_tree() -> None:
    from kgkit import errors

    kinds = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, Exception)]
    assert len(kinds) > 5 and all(issubclass(e, KgkitError) for e in kinds)


def test_every_table_and_column_is_described() -> None:
    about = tables.describe()
    assert about["meaning"].str.len_chars().min() >= 3
    assert set(about["table"]) == set(tables.names())
    for name in tables.names():
        assert tables.describe(name).filter("key").height == len(tables.get(name).key) > 0
    with pytest.raises(KgkitError, match="table='entitys' is not known. Allowed: 'documents'"):
        tables.describe("entitys")
