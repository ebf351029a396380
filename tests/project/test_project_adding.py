"""Decisions made elsewhere are added once, with who made them and when."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

import kgkit as kg
from kgkit.errors import FrameTypeError, InputError, OptionError, SchemaError


@pytest.fixture
def project(tmp_path: Path) -> kg.Project:
    return kg.Project(tmp_path / "p.kg")


@pytest.fixture
def other(tmp_path: Path) -> kg.Project:
    """A project with an answer that was taken back and given anew."""
    made = kg.Project(tmp_path / "other.kg")
    first = made.decide("merge", ["e1", "e2"], "rejected", reviewer="ada")
    made.undo(first.decision_id, reviewer="ada")
    made.decide("merge", ["e1", "e2"], "accepted", payload={"name": "Ada Łovelace, =1"}, reviewer="bo", note="=2+2")
    return made


def test_they_are_added_as_they_are_and_once(project: kg.Project, other: kg.Project, tmp_path: Path) -> None:
    assert [d.status for d in project.add_decisions(other.decisions())] == ["recorded"] * 3
    assert project.decisions().equals(other.decisions())
    other.decisions().write_csv(tmp_path / "kept.csv")
    done = project.add_decisions(pl.read_csv(tmp_path / "kept.csv"))
    assert [d.status for d in done] == ["already applied"] * 3
    assert project.decisions().equals(other.decisions()) and project.check().sound
    assert project.add_decisions(other.decisions().clear()) == []
    assert project.add_decisions(other.decisions(backend="pandas"))[0].status == "already applied"


def test_the_newest_counts_wherever_it_was_made(project: kg.Project, other: kg.Project) -> None:
    """An older decision that comes in later overrules nothing, and is no answer that holds already."""
    project.decide("merge", ["e1", "e2"], "rejected", reviewer="cy")
    project.add_decisions(other.decisions())
    (counting,) = kg.resolution.active(project.decisions())["reviewer"].to_list()
    assert counting == "cy"
    again = project.decide("merge", ["e1", "e2"], "rejected", reviewer="cy")
    assert again.status == "already applied"
    payload = {"name": "Ada Łovelace, =1"}
    anew = project.decide("merge", ["e1", "e2"], "accepted", payload=payload, reviewer="bo", note="=2+2")
    assert anew.status == "recorded"


def test_a_graph_is_stale_after_decisions_were_added(project: kg.Project, other: kg.Project, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Grace Hopper met Howard Aiken in 1944.", encoding="utf-8")
    project.read(tmp_path / "a.txt"), project.chunk(), project.extract(), project.build()
    assert set(project.status()["status"]) == {"fresh"}
    project.add_decisions(other.decisions())
    stale = project.status().filter(pl.col("table") == "entities").row(0, named=True)
    assert stale["status"] == "stale"


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"verdict": "yes"}, OptionError, "The decision 'decision_.*' cannot be used: verdict='yes' is not known"),
        ({"payload": "{"}, InputError, "cannot be used: its payload is no JSON"),
        ({"payload": "[1]"}, InputError, "cannot be used: its payload is no JSON object"),
        ({"reviewer": " "}, InputError, "cannot be used: reviewer=' ' must be text"),
        ({"decided_at": dt.datetime(2999, 1, 1, tzinfo=dt.UTC)}, InputError, "of 2999-01-01 00:00 UTC, which is yet"),
        ({"decision_id": "d"}, SchemaError, "decision_id"),
    ],
)
def test_a_bad_row_keeps_all_out(
    project: kg.Project, other: kg.Project, change: dict[str, object], error: type[Exception], words: str
) -> None:
    rows = other.decisions().to_dicts()
    bad = [*rows[:1], *(row | change for row in rows[1:])]
    with pytest.raises(error, match=words):
        project.add_decisions(pl.DataFrame(bad, schema=other.decisions().schema))
    assert project.decisions().is_empty()


def test_another_decision_of_one_id_is_refused(project: kg.Project, other: kg.Project) -> None:
    project.add_decisions(other.decisions().head(1))
    strange = other.decisions().with_columns(reviewer=pl.lit("eve"))
    with pytest.raises(InputError, match="has another decision of the id"):
        project.add_decisions(strange)
    with pytest.raises(FrameTypeError):
        project.add_decisions("decisions.csv")
    assert project.decisions().height == 1
