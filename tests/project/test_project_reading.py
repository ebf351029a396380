"""Reading a folder again opens only the files that changed, and gives what reading it for the first time gives."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from project_child import MEMORY

import kgkit as kg
from kgkit.documents import changed

ACTS = st.lists(
    st.tuples(st.sampled_from(["write", "copy", "move", "delete", "broken", "rows"]), st.integers(0, 5)),
    min_size=1,
    max_size=8,
)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The files that each reading opens; files count as settled at once."""
    seen: list[list[str]] = []
    real = changed.read_items

    def watched(items: Any, *arguments: Any, **options: Any) -> Any:
        seen.append([item.source for item in items if item.status == "ok"])
        return real(items, *arguments, **options)

    monkeypatch.setattr(changed, "read_items", watched)
    monkeypatch.setattr(changed, "_JUST_NOW", 0)
    return seen


def read(project: kg.Project, folder: Path, **options: Any) -> None:
    time.sleep(0.02)  # more than a tick of the file system's clock
    project.read(folder, workers=1, **options)


def assert_as_new(project: kg.Project, folder: Path) -> None:
    anew = kg.Project(Path(tempfile.mkdtemp()) / "anew")
    anew.read(folder, workers=1)
    for name in ("documents", "files"):
        assert_frame_equal(project.table(name), anew.table(name))
    outcomes = [p.table("outcomes").drop("run_id") for p in (project, anew)]
    assert_frame_equal(*outcomes)
    plain = kg.read_documents(folder, workers=1)
    assert_frame_equal(project.table("documents"), plain.documents.sort("source", "doc_id"))


def test_only_changed_files_are_opened(tmp_path: Path, opened: list[list[str]]) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.txt").write_text(f"Note {name}.")
    (folder / ".hidden").write_text("x")
    project = kg.Project(tmp_path / "p")
    read(project, folder)
    read(project, folder)
    (folder / "b.txt").write_text("Note B, longer.")
    read(project, folder)
    about = (folder / "c.txt").stat()
    (folder / "c.txt").write_text("Note C.")  # as long as before, and with its time put back
    os.utime(folder / "c.txt", ns=(about.st_atime_ns, about.st_mtime_ns))
    read(project, folder)
    (folder / "a.txt").rename(folder / "d.txt")
    read(project, folder)
    assert opened == [["a.txt", "b.txt", "c.txt"], [], ["b.txt"], ["c.txt"], ["d.txt"]]
    assert project.table("documents")["text"].to_list() == ["Note B, longer.", "Note C.", "Note a."]
    read(project, folder, comments="drop")  # other options may read otherwise
    assert opened[-1] == ["b.txt", "c.txt", "d.txt"]
    assert_as_new(project, folder)
    assert project.failures()["item_id"].to_list() == [".hidden"]


def test_files_that_were_written_just_now_are_opened_again(tmp_path: Path, opened: list[list[str]]) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("Note a.")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(changed, "_JUST_NOW", 60_000_000_000)
        project = kg.Project(tmp_path / "p")
        read(project, folder)
        assert project.table("files")["size"].to_list() == [None]
    read(project, folder)
    assert opened == [["a.txt"], ["a.txt"]]
    assert project.versions()["documents"] == 0


def test_what_failed_is_opened_again_when_it_changed_or_on_request(tmp_path: Path, opened: list[list[str]]) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("Note a.")
    (folder / "b.docx").write_bytes(b"PK\x03\x04 no archive")
    project = kg.Project(tmp_path / "p")
    read(project, folder)
    assert project.history()["verdict"].to_list() == ["gaps"]
    read(project, folder)
    read(project, folder, retry_failed=True)
    (folder / "b.docx").write_text("plain words, with a wrong name")
    read(project, folder)
    assert opened == [["a.txt", "b.docx"], [], ["b.docx"], ["b.docx"]]
    assert project.history()["verdict"].to_list()[:3] == ["gaps"] * 3
    assert_as_new(project, folder)


def test_copies_are_numbered_as_in_one_reading(tmp_path: Path, opened: list[list[str]]) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "m.txt").write_text("The same.")
    project = kg.Project(tmp_path / "p")
    for act in (
        lambda: None,
        lambda: (folder / "a.txt").write_text("The same."),  # takes the first place, though it came later
        lambda: (folder / "z.txt").write_text("The same."),
        lambda: (folder / "a.txt").unlink(),
        lambda: (folder / "m.txt").write_text("Another."),
    ):
        act()
        read(project, folder)
        assert_as_new(project, folder)
    assert opened[:3] == [["m.txt"], ["m.txt"], ["a.txt"]]


def act_on(folder: Path, act: str, number: int) -> None:
    path, other = folder / f"f{number}.txt", folder / f"f{(number + 2) % 6}.txt"
    if act == "write":
        path.write_text(f"Note of {number % 3}. {len(list(folder.iterdir()))}")
    elif act == "broken":
        (folder / f"b{number}.pdf").write_bytes(b"%PDF-1.7 and no more")
    elif act == "rows":
        rows = [f"{i},Words of {(i * number) % 4}" for i in range(number)]
        (folder / "t.csv").write_text("\n".join(["id,text", *rows]))
    elif act == "delete":
        for gone in (path, folder / f"b{number}.pdf"):
            gone.unlink(missing_ok=True)
    elif path.exists():
        path.rename(other) if act == "move" else other.write_text(path.read_text())


@settings(max_examples=3, deadline=None)
@given(ACTS)
def test_reading_again_equals_reading_anew(acts: list[tuple[str, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(dir=MEMORY) as scratch:
        patch.setattr(changed, "_JUST_NOW", 0)
        folder = Path(scratch) / "docs"
        folder.mkdir()
        (folder / "f0.txt").write_text("Note of 0.")
        project = kg.Project(Path(scratch) / "p")
        read(project, folder)
        for turn, (act, number) in enumerate(acts):
            act_on(folder, act, number)
            if turn % 3 == 2:
                read(project, folder)
        read(project, folder)
        assert_as_new(project, folder)
