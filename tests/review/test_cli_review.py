"""``kgkit review`` on a real project, answered through its standard input."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import kgkit as kg
from kgkit.cli import main

TEXT = """Grace Hopper worked at Remington Rand. Grace Hopper led the team that wrote COBOL.

Alan Turing worked at Bletchley Park. Later Alan M. Turing moved to Manchester.
"""
MORE = "Grace Murray Hopper joined Remington Rand. Dr. Alan Turing wrote to Bletchley Park.\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("cli")
    (base / "docs").mkdir()
    (base / "docs" / "one.txt").write_text(TEXT, encoding="utf-8")
    (base / "docs" / "two.txt").write_text(MORE, encoding="utf-8")
    made = kg.Project(base / "p.kg")
    made.read(base / "docs")
    made.chunk()
    made.extract(workers=1)
    made.build()
    return base / "p.kg"


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], said: str, *options: str) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO(said))
    assert main(["review", *options]) == 0
    return capsys.readouterr().out


def test_a_session(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    first = run(monkeypatch, capsys, "what\no\ny same woman\nu\nn two of them\nq\n", str(project), "--reviewer", "Ada")
    assert "Are these one?" in first and "taken back" in first and ">>>" in first and "keys" in first
    decisions = kg.Project(project).decisions()
    assert decisions["verdict"].to_list() == ["accepted", "undone", "rejected"]
    assert decisions["note"].to_list() == ["same woman", None, "two of them"]
    again = run(monkeypatch, capsys, "y\n" * 9, str(project), "--reviewer", "Ada", "--order", "score")
    assert again.splitlines()[-2].startswith("2 of 2 decided, 50% accepted")
    assert kg.Project(project).decisions().height > 3


def test_a_sheet(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "queue.csv"
    assert "written to" in run(monkeypatch, capsys, "", str(project), "--csv", str(sheet))
    assert sheet.read_text("utf-8-sig").startswith("item_id,kind,name")
    told = run(monkeypatch, capsys, "", str(project), "--from-csv", str(sheet))
    assert "unchanged" in told or "no rows" in told


def test_where_there_is_no_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(tmp_path / "none.kg")]) == 1
    assert "kgkit:" in capsys.readouterr().err
