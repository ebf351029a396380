"""What differs between two moments of a project."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from project_child import corpus, find_names, stages

import kgkit as kg
from kgkit.errors import InputError


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> kg.Project:
    monkeypatch.setattr(kg, "extract", find_names)
    return kg.Project(tmp_path / "p.kg")


def test_rows_that_came_went_and_changed(project: kg.Project) -> None:
    stages(project, 0)
    first = project.history()["run_id"][-1]
    before = {name: project.table(name) for name in project.versions()}
    assert len(project.diff(first)) == 0 and repr(project.diff(first)) == "Difference(none)"
    stages(project, 1)
    found = project.diff(first)
    for name, frame in found.rows.items():
        now, key = project.table(name), list(kg.tables.get(name).key)
        then = before[name]
        told = {change: rows.drop("change") for (change,), rows in frame.partition_by("change", as_dict=True).items()}
        kept = then.join(told.get("removed", then.clear()), on=key, how="anti")
        kept = kept.join(told.get("changed from", then.clear()), on=key, how="anti")
        new = [told.get(change, then.clear()) for change in ("added", "changed to")]
        assert pl.concat([kept, *new]).sort(key).equals(now.sort(key)), (
            name
        )  # the difference leads from one to the other
    assert {"documents", "chunks", "mentions", "statements", "evidence"} <= set(found.frame["table"])
    assert "outcomes" not in found.rows
    assert dict(found.frame.select("table", "added").iter_rows())["documents"] == 20
    back = project.diff(project.history()["run_id"][-1], first)
    turned = found.frame.select("table", added="removed", removed="added", changed="changed")
    assert back.frame.equals(turned)
    assert "documents +20 -20 ~0" in repr(found)
    with pytest.raises(InputError, match="There is no run"):
        project.diff("run_x")


def test_changed_values_are_shown_side_by_side(project: kg.Project) -> None:
    project.read(pl.DataFrame({"source": ["a.txt", "b.txt"], "text": ["Ann Lee.", "Bo Li."]}))
    first = project.history()["run_id"][-1]
    project.read(pl.DataFrame({"source": ["new.txt", "b.txt"], "text": ["Ann Lee.", "Bo Li."]}))
    rows = project.diff(first).rows["documents"]
    assert rows.select("change", "source").rows() == [("changed from", "a.txt"), ("changed to", "new.txt")]
    assert project.diff(first).to("pandas")["documents"].shape[0] == 2
    html = project.diff(first)._repr_html_()
    assert "<script" not in html and "new.txt" in html
    assert project.diff(project.history()["run_id"][-1])._repr_html_() == "<div>No table differs.</div>"


def test_before_anything_was_made(project: kg.Project) -> None:
    project.read(corpus(0))
    first = project.history()["run_id"][-1]
    project.chunk()
    assert project.diff(first).frame.rows() == [("chunks", 40, 0, 0)]
