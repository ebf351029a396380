"""The main job in one call, from Python and from a shell."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import kgkit as kg
from kgkit.cli import main
from kgkit.errors import InputError

LETTER = "Grace Hopper worked at Remington Rand in Philadelphia. Grace Hopper wrote the A-0 compiler in 1952."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    source = tmp_path / "letters"
    source.mkdir()
    (source / "one.txt").write_text(LETTER, "utf-8")
    (source / "two.txt").write_text("Łyna 東浜 ⚓ met Grace Hopper in Cambridge.", "utf-8")
    (source / "three.pdf").write_bytes(b"this is no PDF")
    return source


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One finished run that several tests look at and none changes."""
    base = tmp_path_factory.mktemp("made")
    (base / "in").mkdir()
    (base / "in" / "one.txt").write_text(LETTER, "utf-8")
    kg.run_pipeline(base / "in", out=base / "out", questions=["Who wrote the A-0 compiler?"])
    yield base / "out"


def test_it_writes_tables_report_and_graph(folder: Path, tmp_path: Path) -> None:
    told = []
    run = kg.run_pipeline(folder, out=tmp_path / "out", questions=["Who wrote the compiler?"], on_stage=told.append)
    assert [t.stage for t in told] == [r.stage for r in run.results]
    assert run.documents.counts["failed"] == 1
    outcomes = pl.read_parquet(run.tables / "outcomes.parquet")
    assert outcomes.filter(pl.col("status") == "failed")["item_id"].to_list() == ["three.pdf"]
    for name in ("documents", "chunks", "mentions", "statements", "entities", "relations", "evidence", "communities"):
        frame = pl.read_parquet(run.tables / f"{name}.parquet")
        assert dict(frame.schema) == kg.tables.get(name).schema
    report = run.report.read_text("utf-8")
    assert "three.pdf" in report and "Łyna 東浜 ⚓" in run.graph_page.read_text("utf-8")


def test_a_second_run_replaces_its_own_files_and_no_others(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("keep", "utf-8")
    kg.run_pipeline(folder, out=out)
    first = (out / "graph.html").read_bytes(), (out / "report.html").read_bytes()
    kg.run_pipeline(folder, out=out)
    assert (out / "mine.txt").read_text("utf-8") == "keep"
    assert ((out / "graph.html").read_bytes(), (out / "report.html").read_bytes()) == first
    assert sorted(p.name for p in out.iterdir()) == ["graph.html", "mine.txt", "report.html", "tables"]
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_a_run_that_breaks_leaves_what_was_there(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    kg.run_pipeline(folder, out=out)
    before = {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}

    def breaks(*_: object, **__: object) -> None:
        msg = "no space left on device"
        raise OSError(msg)

    monkeypatch.setattr(kg, "write_report", breaks, raising=False)
    (folder / "four.txt").write_text("Ada Lovelace met Charles Babbage.", "utf-8")
    with pytest.raises(OSError, match="no space left"):
        kg.run_pipeline(folder, out=out)
    assert {p: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_out_inside_of_the_folder_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="lies inside the folder that is read"):
        kg.run_pipeline(folder, out=folder / "out")
    with pytest.raises(InputError, match="is a file"):
        kg.run_pipeline(folder, out=folder / "one.txt")


def test_nothing_to_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_bytes(b"")
    with pytest.raises(InputError, match=r"No document could be read: 1 in, 1 empty, 0 failed.*empty_file"):
        kg.run_pipeline(tmp_path / "in", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_command_line_runs_and_tells(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = tmp_path / "questions.txt"
    questions.write_text("# a remark\n\nWho wrote the A-0 compiler?\n", "utf-8")
    status = main(["run", str(folder), "--out", str(tmp_path / "out"), "--questions", str(questions)])
    told = capsys.readouterr().out
    assert status == 0
    assert "3 in: 2 ok, 1 failed" in told and "failed: three.pdf: mislabelled" in told
    assert "Who wrote the A-0 compiler?" in told and "complete with gaps: 1 item" in told
    assert str(tmp_path / "out" / "graph.html") in told


def test_asking_an_earlier_run(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", str(made), "Who wrote the A-0 compiler?"]) == 0
    told = capsys.readouterr().out
    assert "Grace Hopper wrote the A-0 compiler in 1952." in told and "one.txt, characters" in told
    assert main(["ask", str(made), "Who won the world cup?"]) == 0
    assert "Not in these documents" in capsys.readouterr().out


def test_errors_are_one_line_without_a_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(tmp_path / "nowhere"), "--out", str(tmp_path / "out")]) == 1
    told = capsys.readouterr().err
    assert told.startswith("kgkit: ") and "nowhere" in told and "Traceback" not in told
    (tmp_path / "note.txt").write_text("Ada met Bob.", "utf-8")
    assert main(["run", str(tmp_path / "note.txt"), "--out", "/proc/nowhere/out"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("kgkit: ") and "/proc/nowhere" in told and "Traceback" not in told
    assert main(["ask", str(tmp_path), "Who?"]) == 1
    assert main(["tables", "entitys"]) == 1
    assert "Allowed: 'documents'" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["run"])


def test_tables_are_described(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "citations"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("citations: one passage") and "* sentence_id" in told


def test_another_default_encoding_changes_no_byte(folder: Path, tmp_path: Path) -> None:
    outputs = []
    for name, changes in {"utf8": {"PYTHONUTF8": "1"}, "c": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}}.items():
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG", "PYTHON"))} | changes
        mode = [] if name == "utf8" else ["-X", "utf8=0"]
        command = [sys.executable, *mode, "-m", "kgkit", "run", str(folder), "--out", str(tmp_path / name / "out")]
        done = subprocess.run(command, env=environment, capture_output=True, timeout=300)
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        outputs.append({p.name: p.read_bytes() for p in (tmp_path / name / "out").rglob("*") if p.is_file()})
    assert outputs[0] == outputs[1]
    assert b'charset="utf-8"' in outputs[0]["graph.html"].lower() and "東浜".encode() in outputs[0]["graph.html"]


def test_an_interrupt_ends_the_run_and_changes_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kgkit.documents.read.run_tasks", interrupted)
    assert main(["run", str(folder), "--out", str(tmp_path / "out")]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
