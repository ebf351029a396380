"""The command line on projects: what it prints, as text that fits and as JSON that programs can rely on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest

import kgkit as kg
from kgkit.cli import main
from kgkit.cli_show import clean, print_table

LETTER = "Grace Hopper worked at Remington Rand in Philadelphia. Grace Hopper wrote the A-0 compiler in 1952."
QUESTION = "Who wrote the A-0 compiler?"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with documents, and a project made of them by the command line."""
    base = tmp_path_factory.mktemp("made")
    (base / "letters").mkdir()
    (base / "letters" / "one.txt").write_text(LETTER, "utf-8")
    (base / "letters" / "two.txt").write_text("Łyna 東浜 ⚓ met Grace Hopper in Cambridge.", "utf-8")
    (base / "letters" / "three.pdf").write_bytes(b"this is no PDF")
    assert main(["run", str(base / "letters"), "--project", str(base / "p.kg"), "--ask", QUESTION]) == 0
    kg.Project(base / "p.kg").decide("page", "page_1", "accepted")
    return base


@pytest.fixture
def base(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"


def told(capsys: Capture, *arguments: object, status: int = 0) -> str:
    capsys.readouterr()
    assert main([str(argument) for argument in arguments]) == status
    return capsys.readouterr().out


def document(capsys: Capture, *arguments: object, status: int = 0) -> Any:
    return json.loads(told(capsys, *arguments, "--json", status=status))


def stages_of(data: Any) -> dict[str, str]:
    return {stage["stage"]: stage["status"] for stage in data["stages"]}


# run


def test_run_keeps_a_project_and_does_only_what_is_new(base: Path, capsys: Capture) -> None:
    run = ("run", base / "letters", "--project", base / "p.kg")
    again = document(capsys, *run)
    assert set(again) == {"path", "kgkit", "stages", "answers", "failures"}
    assert list(stages_of(again).values()) == ["ran", "fresh", "fresh", "fresh", "fresh"]
    assert [row["item_id"] for row in again["failures"]] == ["three.pdf"]
    (base / "letters" / "four.txt").write_text("Ada Lovelace met Charles Babbage in London.", "utf-8")
    more = document(capsys, *run, "--ask", QUESTION)
    assert set(stages_of(more).values()) == {"ran"}
    assert set(more["stages"][0]) == {"stage", "status", "counts", "rows", "seconds"}
    assert more["stages"][0]["counts"] == {"in": 4, "ok": 3, "empty": 0, "failed": 1, "skipped": 0}
    assert more["stages"][0]["rows"]["documents"] == 3
    assert "wrote the A-0 compiler in 1952" in more["answers"][0]["text"]
    anew = kg.Project(base / "anew.kg")
    document(capsys, "run", base / "letters", "--project", anew.path)
    for name in ("documents", "chunks", "mentions", "statements", "entities", "relations", "communities"):
        assert kg.Project(base / "p.kg").table(name).equals(anew.table(name))


def test_run_prints_stages_as_it_does_for_a_folder(base: Path, capsys: Capture) -> None:
    kept = told(capsys, "run", base / "letters", "--project", base / "q.kg", "--ask", QUESTION)
    once = told(capsys, "run", base / "letters", "--out", base / "out", "--ask", QUESTION)
    for text in (kept, once):
        assert "3 in: 2 ok, 1 failed" in text and "failed: three.pdf: mislabelled" in text
        assert "complete with gaps: 1 item" in text and "Grace Hopper wrote the A-0 compiler in 1952." in text
    assert f"project {base / 'q.kg'}" in kept and "mentions" in kept
    assert "fresh: nothing to do" in told(capsys, "run", base / "letters", "--project", base / "q.kg")


def test_run_with_other_options(base: Path, capsys: Capture) -> None:
    run = ("run", base / "letters", "--project", base / "p.kg")
    project = kg.Project(base / "p.kg")
    project.chunk(size=40)
    assert list(stages_of(document(capsys, *run)).values())[:3] == ["ran", "fresh", "ran"]
    assert project.table("chunks").equals(kg.chunk_documents(project.table("documents"), size=40).chunks)
    assert set(list(stages_of(document(capsys, *run, "--seed", "0")).values())[1:]) == {"fresh"}
    assert stages_of(document(capsys, *run, "--seed", "7"))["detect_communities"] == "ran"
    assert stages_of(document(capsys, *run))["detect_communities"] == "fresh"
    assert stages_of(document(capsys, *run, "--retry-failed"))["extract"] == "ran"


def test_run_needs_one_place_for_results(base: Path, capsys: Capture) -> None:
    for places in ((), ("--out", "a", "--project", "b")):
        with pytest.raises(SystemExit, match="2"):
            main(["run", str(base / "letters"), *places])
    assert "--out" in capsys.readouterr().err
    assert main(["run", str(base / "letters"), "--project", str(base / "letters" / "p.kg")]) == 1
    assert "would read itself" in capsys.readouterr().err


def test_run_for_a_folder_as_json(base: Path, capsys: Capture) -> None:
    data = document(capsys, "run", base / "letters", "--out", base / "out", "--ask", QUESTION)
    assert set(data) == {"path", "report", "graph", "tables", "kgkit", "stages", "answers", "failures"}
    assert data["report"] == str(base / "out" / "report.html") and data["answers"][0]["status"] == "answered"
    assert data["stages"][0]["counts"]["failed"] == len(data["failures"]) == 1


def test_an_interrupt_keeps_what_was_finished(base: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(kg, "build_graph", stopped)
        assert main(["run", str(base / "letters"), "--project", str(base / "q.kg")]) == 130
    assert "what was finished is kept" in capsys.readouterr().err
    data = document(capsys, "run", base / "letters", "--project", base / "q.kg")
    assert list(stages_of(data).values()) == ["ran", "fresh", "fresh", "ran", "ran"]


# status, history, doctor


def test_status(base: Path, capsys: Capture) -> None:
    data = document(capsys, "status", base / "p.kg")
    assert set(data) == {"path", "kgkit", "decisions", "failed", "tables"}
    assert data["decisions"] == 1 and data["failed"] == {"read_documents": 1}
    table = next(table for table in data["tables"] if table["table"] == "chunks")
    assert {"table", "status", "reason", "rows", "version", "built_at", "built_from", "stage", "run_id"} <= set(table)
    assert table["built_from"] == {"documents": 0} and table["built_at"].endswith("+00:00")
    (base / "letters" / "one.txt").unlink()
    kg.Project(base / "p.kg").read(base / "letters")
    text = told(capsys, "status", base / "p.kg")
    assert "documents has changed: it was made from version 0" in " ".join(text.split())
    assert "read_documents: 1 failed" in text
    fits(text.split("\n", 1)[1])


def test_history(base: Path, capsys: Capture) -> None:
    data = document(capsys, "history", base / "p.kg")
    stages = [run["stage"] for run in data["runs"]]
    assert stages == ["read_documents", "chunk_documents", "extract", "build_graph", "detect_communities", "ask"]
    assert data["runs"][-1]["params"]["question"] == QUESTION and data["runs"][0]["counts"]["failed"] == 1
    kg.Project(base / "p.kg").restore(data["runs"][1]["run_id"])
    text = told(capsys, "history", base / "p.kg")
    assert "restore" in text and data["runs"][1]["run_id"] in text and QUESTION.split()[-1] in text
    fits(text.split("\n", 1)[1])


def test_doctor(base: Path, capsys: Capture) -> None:
    assert document(capsys, "doctor", base / "p.kg")["sound"] is True
    assert told(capsys, "doctor", base / "p.kg").rstrip().endswith("\nsound")
    next((base / "p.kg" / "tables" / "chunks").rglob("*.parquet")).write_bytes(b"")
    data = document(capsys, "doctor", base / "p.kg", status=1)
    assert data["sound"] is False
    bad = [finding for finding in data["findings"] if finding["status"] == "failed"]
    assert bad[0]["check"] == "files" and "chunks" in bad[0]["place"] and bad[0]["advice"]
    text = told(capsys, "doctor", base / "p.kg", status=1)
    assert "it has 0 bytes" in text and "advice" in text and "not sound: 1 finding" in text
    (base / "p.kg" / "ledger.sqlite").write_bytes(b"")
    assert "it is empty" in told(capsys, "doctor", base / "p.kg", status=1)


def test_where_there_is_no_project(tmp_path: Path, capsys: Capture) -> None:
    for command in ("status", "history", "doctor"):
        assert main([command, str(tmp_path / "absent"), "--json"]) == 1
        said = capsys.readouterr()
        assert said.out == "" and said.err.startswith("kgkit: There is no project at") and "Traceback" not in said.err
    assert not (tmp_path / "absent").exists()


# ask, archive, unarchive


def test_asking_a_project(base: Path, capsys: Capture) -> None:
    data = document(capsys, "ask", base / "p.kg", "Where did Grace Hopper work?")
    assert {"question", "status", "text", "reason", "confidence", "origin", "sentences", "citations"} <= set(data)
    assert data["citations"][0]["source"] == "one.txt"
    assert "one.txt, characters" in told(capsys, "ask", base / "p.kg", QUESTION)
    assert kg.Project(base / "p.kg").table("answers").height == 2
    assert main(["ask", str(base / "letters"), "Who?"]) == 1


def test_archive_and_unarchive(base: Path, capsys: Capture) -> None:
    done = document(capsys, "archive", base / "p.kg", base / "p.zip")
    assert done["file"] == str(base / "p.zip") and done["files"] > 20
    back = document(capsys, "unarchive", base / "p.zip", base / "q.kg")
    assert (back["runs"], back["decisions"], back["path"]) == (6, 1, str(base / "q.kg"))
    assert kg.Project(base / "q.kg").history().equals(kg.Project(base / "p.kg").history())
    assert main(["archive", str(base / "p.kg"), str(base / "p.zip")]) == 1
    assert "is there already" in capsys.readouterr().err
    (base / "p.zip").write_bytes(b"PK")
    assert main(["unarchive", str(base / "p.zip"), str(base / "r.kg")]) == 1
    assert "cut off" in capsys.readouterr().err and not (base / "r.kg").exists()


def test_a_reader_that_has_seen_enough(made: Path) -> None:
    """As with `kgkit history p.kg | head -1`: nothing is said of a broken pipe."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "kgkit", "history", str(made / "p.kg")], stdout=write, stderr=subprocess.PIPE, timeout=60
    )
    os.close(write)
    assert done.stderr == b""


# How it shows


def fits(text: str) -> None:
    for line in text.splitlines():
        wide = sum(unicodedata.east_asian_width(c) in "WF" for c in line)
        assert len([c for c in line if not unicodedata.combining(c)]) + wide <= 100, line


def test_tables_fit_and_lose_nothing(capsys: Capture) -> None:
    words = " ".join(f"word{i}" for i in range(60))
    long = "東" * 60 + "a" * 60
    print_table(["name", "count", "why"], [("東浜", 1234567, words), ("x" * 30, 5, None), ("e\u0301", None, long)])
    text = capsys.readouterr().out
    fits(text)
    assert all(word in text.split() for word in words.split()) and long in "".join(text.split())
    lines = text.splitlines()
    assert lines[0].split() == ["name", "count", "why"] and lines[1].split()[:3] == ["東浜", "1,234,567", "word0"]
    assert lines[1].index("word0") == lines[0].index("why") - 2  # two characters that are twice as wide
    print_table(["name", "why"], [])
    assert capsys.readouterr().out == "name  why\n"


def test_documents_do_not_steer_the_terminal(tmp_path: Path, capsys: Capture) -> None:
    assert clean("a\x1b[2J\x9b\u202eb\r\nc\td") == "a\\x1b[2J\\x9b\\u202eb c d"
    (tmp_path / "in").mkdir()
    try:
        (tmp_path / "in" / "bad\x1b[2J.pdf").write_bytes(b"this is no PDF")
    except OSError:
        pytest.skip("this disk has no such names")
    (tmp_path / "in" / "one.txt").write_text(LETTER, "utf-8")
    text = told(capsys, "run", tmp_path / "in", "--project", tmp_path / "p.kg")
    assert "bad\\x1b[2J.pdf" in text and "\x1b" not in text
