"""Several processes on one project: readers never wait, writers queue, and no decision is lost or doubled."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from many_child import COMMON, OWN, SAME
from polars.testing import assert_frame_equal
from project_child import MEMORY, corpus, find_names, stages

import kgkit as kg
from kgkit.project.doctor import check_project

CHILD = Path(__file__).with_name("many_child.py")


def start(*arguments: str) -> subprocess.Popen[str]:
    """Start a child; its errors are shown with the test's."""
    environment = {**os.environ, "PYTHONPATH": str(Path(kg.__file__).resolve().parent.parent)}
    command = [sys.executable, str(CHILD), *arguments]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=environment
    )


def until_ready(*children: subprocess.Popen[str]) -> None:
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"


def go(*children: subprocess.Popen[str]) -> None:
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()


def ended(child: subprocess.Popen[str]) -> str:
    said, _ = child.communicate(timeout=120)
    assert child.returncode == 0
    return said.strip()


@pytest.fixture
def memory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


def test_four_processes_lose_and_double_no_decision(memory: Path) -> None:
    project = kg.Project(memory / "p.kg")
    project.read(corpus(0))
    names = ["ann", "ben", "eva", "kim"]
    writers = [start("decide", str(project.path), name) for name in names]
    reader = start(
        "read", str(project.path), "2", "-1"
    )  # SQLite locks readers out for moments while it clears its log away
    until_ready(*writers, reader)
    go(*writers)
    counts = [tuple(map(int, ended(writer).split())) for writer in writers]
    project.decide("merge", "stop", "accepted")
    said, turns = ended(reader).split()
    assert said == "read" and int(turns) > 3

    expected = [(who, f"{who}_{i}") for who in names for i in range(OWN)]
    expected += [(who, f"common_{i}") for who in names for i in range(COMMON)]
    expected += [("policy", f"same_{i}") for i in range(SAME)]
    decisions = kg.Project(project.path).decisions().filter(kg.tables.pl.col("subject_id") != "stop")
    assert sorted(decisions.select("reviewer", "subject_id").iter_rows()) == sorted(expected)
    assert decisions["decision_id"].is_unique().all()
    assert sum(recorded for recorded, _ in counts) == len(expected)
    assert sum(again for _, again in counts) == SAME * (len(names) - 1)
    for who in names:  # each in the order in which it was made
        own = decisions.filter(kg.tables.pl.col("subject_id").str.starts_with(f"{who}_"))["subject_id"].to_list()
        assert own == [f"{who}_{i}" for i in range(OWN)]
    assert check_project(project.path).sound


def test_a_reader_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    project = kg.Project(tmp_path / "p.kg")
    project.read(corpus(0))
    with project._keeper.ledger.writing() as connection:
        connection.execute("INSERT INTO about VALUES ('held', 'by the test')")
        reader = start("read", str(project.path), "0", "5")  # no patience at all
        until_ready(reader)
        assert ended(reader) == "read 5"


def test_a_writer_waits_for_another(tmp_path: Path) -> None:
    project = kg.Project(tmp_path / "p.kg")
    project.read(corpus(0))
    child = start("wait", str(project.path))
    until_ready(child)
    with project._keeper.ledger.writing() as connection:
        go(child)
        time.sleep(0.5)
        assert child.poll() is None
        connection.execute("INSERT INTO about VALUES ('held', 'by the test')")
    assert float(ended(child)) > 0
    assert project.history().height == 2 and project.table("documents").equals(kg.read_documents(corpus(1)).documents)


def test_two_processes_that_run_stages_queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kg, "extract", find_names)
    project = kg.Project(tmp_path / "p.kg")
    children = [start("run", str(project.path), "0", "2") for _ in range(2)]
    until_ready(*children)
    go(*children)
    assert [ended(child) for child in children] == ["done", "done"]
    history = project.history()
    assert history["stage"].value_counts().sort("stage")["count"].to_list() == [4] * 5
    assert history["run_id"].is_unique().all() and set(history["verdict"]) == {"complete"}
    alone = kg.Project(tmp_path / "alone.kg")
    stages(alone, 0)
    for name in alone.versions():
        if name != "outcomes":
            assert_frame_equal(project.table(name), alone.table(name))
    assert set(project.status()["status"]) == {"fresh"}
    assert check_project(project.path).sound
