"""A project of an older format is brought to the newest, with all that it holds."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from pathlib import Path

import polars as pl
import pytest
from project_child import find_names, plain_read

import kgkit as kg
from kgkit.errors import ProjectError
from kgkit.project import migrate
from kgkit.project.order import in_order

OLD = Path(__file__).with_name("data") / "format_1.zip"  # made by the version that wrote format 1


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.kg"
    with zipfile.ZipFile(OLD) as archive:
        archive.extractall(path)
    return path


def held(path: Path) -> dict[tuple[str, int], pl.DataFrame]:
    """All versions that the ledger of the old format names."""
    with sqlite3.connect(path / "ledger.sqlite") as ledger:
        named = ledger.execute("SELECT name, version FROM versions").fetchall()
    ledger.close()
    frames = {(name, v): pl.read_delta(str(path / "tables" / name), version=v) for name, v in named}
    return {(name, v): in_order(name, frame) for (name, v), frame in frames.items()}


def check(project: kg.Project, before: dict[tuple[str, int], pl.DataFrame]) -> None:
    runs = project.history(batches=True)
    assert runs.height == 19
    seen = set()
    for run_id, outputs in runs.select("run_id", "outputs").iter_rows():
        for name, version in json.loads(outputs).items():
            assert project.table(name, at=run_id).equals(before[name, version]), (run_id, name)
            seen.add((name, version))
    assert seen == before.keys()
    for name in project.versions():
        assert plain_read(project, name).equals(project.table(name))
    assert project.decisions()["note"].to_list() == ["same person"]
    assert sorted(path.name for path in project.path.iterdir() if "-" not in path.name) == ["ledger.sqlite", "tables"]


def test_every_version_survives(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = held(old)
    check(kg.Project(old), before)
    project = kg.Project(old)  # and once more: nothing is left to do
    check(project, before)
    monkeypatch.setattr(kg, "extract", find_names)
    documents = pl.DataFrame(
        {"source": ["n0.txt", "new.txt"], "text": ["Grace Hopper met Ada Byron.", "Ann Lee met Bo Li."]}
    )
    project.read(documents)
    project.refresh()
    anew = kg.Project(old.parent / "anew.kg")
    anew.read(documents)
    for verb in ("chunk", "extract", "build", "communities"):
        getattr(anew, verb)()
    anew.ask("Who met Grace Hopper?")
    for name in anew.versions():
        ours, theirs = (p.table(name).drop("run_id", strict=False) for p in (project, anew))
        if name == "outcomes":  # the old one holds a decision about what is in neither
            ours = ours.filter(pl.col("stage") != "apply_decisions")
        assert ours.equals(theirs), name


@pytest.mark.parametrize("step", ["_copy", "_swap", "_rewrite"])
def test_a_migration_that_is_cut_off_changes_nothing(old: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = held(old)
    real = getattr(migrate, step)

    def cut(*arguments: object) -> None:
        real(*arguments)
        raise SystemExit  # as good as a kill: the ledger's transaction never ends

    with monkeypatch.context() as patch:
        patch.setattr(migrate, step, cut)
        with pytest.raises(SystemExit):
            kg.Project(old)
    check(kg.Project(old), before)


def test_a_table_that_cannot_be_read_stops_it(old: Path) -> None:
    shutil.rmtree(old / "tables" / "entities")
    with pytest.raises(ProjectError, match="keeps its old format"):
        kg.Project(old)
    with sqlite3.connect(old / "ledger.sqlite") as ledger:
        assert ledger.execute("PRAGMA user_version").fetchone() == (1,)
    ledger.close()
    assert (old / "tables" / "documents").exists()
