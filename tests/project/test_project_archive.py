"""A project in one file, and back: to the row, or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from polars.testing import assert_frame_equal
from project_child import corpus, find_names, stages

import kgkit as kg
from kgkit.errors import InputError, KgkitError, ProjectError
from kgkit.project.archive import MANIFEST, archive_project
from kgkit.project.stages import STAGES
from kgkit.project.unarchive import restore_archive

LEDGER = "ledger.sqlite"
TABLES = [name for stage in STAGES.values() for name in stage.outputs] + ["outcomes", "decisions", "runs"]


def fill(path: Path) -> kg.Project:
    project = kg.Project(path)
    stages(project, 0)
    project.decide("merge", "m1", "accepted", payload={"näme": "Łyna 東浜"}, note="same date")
    first = project.history()["run_id"][-1]
    stages(project, 1)
    project.ask("Who met Grace Hopper?")
    project.undo(project.decide("merge", "m2", "accepted").decision_id)
    project.restore(first)
    project.read(corpus(1).head(7))
    return project


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> kg.Project:
    """A project with a past, that tests look at and none changes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kg, "extract", find_names)
        return fill(tmp_path_factory.mktemp("made") / "p.kg")


@pytest.fixture(scope="module")
def bundle(made: kg.Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return archive_project(made, tmp_path_factory.mktemp("bundle") / "p.zip").file


def rewritten(bundle: Path, target: Path, change: Callable[[dict[str, bytes]], Any]) -> Path:
    """Copy an archive with other members, as somebody who makes one by hand."""
    with zipfile.ZipFile(bundle) as old:
        members = {name: old.read(name) for name in old.namelist()}
    change(members)
    with zipfile.ZipFile(target, "w") as new:
        for name, data in members.items():
            new.writestr(name, data)
    return target


def listed(members: dict[str, bytes], /, **changes: Any) -> None:
    """Make the list fit the members again."""
    about = json.loads(members.pop(MANIFEST))
    about["members"] = {n: {"size": len(d), "sha256": hashlib.sha256(d).hexdigest()} for n, d in members.items()}
    members[MANIFEST] = json.dumps(about | changes).encode()


def test_what_comes_back_is_the_same_to_the_row(made: kg.Project, bundle: Path, tmp_path: Path) -> None:
    back = restore_archive(bundle, tmp_path / "deep" / "q.kg")
    runs = made.history()["run_id"].to_list()
    assert len(runs) > 10
    assert_frame_equal(back.history(), made.history())
    assert_frame_equal(back.decisions(), made.decisions())
    assert_frame_equal(back.failures(), made.failures())
    assert_frame_equal(back.status(), made.status())
    for run in [None, *runs]:
        assert back.versions(at=run) == made.versions(at=run)
        for name in TABLES:
            assert_frame_equal(back.table(name, at=run), made.table(name, at=run))
    assert sorted(p.name for p in (tmp_path / "deep").iterdir()) == ["q.kg"]


def test_a_project_goes_on_after_it_came_back(bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kg, "extract", find_names)
    back = restore_archive(bundle, tmp_path / "q.kg")
    stages(back, 1)
    assert set(back.status().filter(kg.tables.pl.col("table") == "communities")["status"]) == {"fresh"}
    anew = kg.Project(tmp_path / "anew.kg")
    stages(anew, 1)
    assert_frame_equal(back.table("entities"), anew.table("entities"))
    assert archive_project(back, tmp_path / "again.zip").n_files > 0


def test_the_same_project_gives_the_same_files(made: kg.Project, bundle: Path, tmp_path: Path) -> None:
    again = archive_project(restore_archive(bundle, tmp_path / "q.kg"), tmp_path / "again.zip").file
    with zipfile.ZipFile(bundle) as one, zipfile.ZipFile(again) as other:
        assert json.loads(one.read(MANIFEST)) == json.loads(other.read(MANIFEST))


def test_nothing_but_the_project_goes_in(tmp_path: Path) -> None:
    project = kg.Project(tmp_path / "p.kg")
    project.read(corpus(0))
    table = project.path / "tables" / "documents"
    for place in (project.path, project.path / "tables", table, table / "_delta_log"):
        (place / ".env").write_text("KEY=CANARY-0123456789abcdef")
        (place / "notes.json").write_text("CANARY-0123456789abcdef")
        (place / "part-9-dead.parquet").write_bytes(b"CANARY-0123456789abcdef")
    file = archive_project(project, tmp_path / "p.zip").file
    with zipfile.ZipFile(file) as bundle:
        assert not any(b"CANARY" in bundle.read(name) for name in bundle.namelist())
        assert {n.split("/")[-1][:5] for n in bundle.namelist()} == {"ledge", "part-", "00000", "kgkit"}
    assert restore_archive(file, tmp_path / "q.kg").table("documents").equals(project.table("documents"))


def test_links_are_not_followed(tmp_path: Path) -> None:
    project = kg.Project(tmp_path / "p.kg")
    project.read(corpus(0))
    part = next((project.path / "tables" / "documents").rglob("*.parquet"))
    part.rename(tmp_path / "elsewhere.parquet")
    part.symlink_to(tmp_path / "elsewhere.parquet")
    with pytest.raises(ProjectError, match="reached through a link"):
        archive_project(project, tmp_path / "p.zip")
    part.unlink()
    with pytest.raises(ProjectError, match="is missing from the project"):
        archive_project(project, tmp_path / "p.zip")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["elsewhere.parquet", "p.kg"]


def test_archiving_refuses_places_it_should_not_write(made: kg.Project, bundle: Path, tmp_path: Path) -> None:
    before = bundle.read_bytes()
    with pytest.raises(InputError, match="is there already, and is not replaced"):
        archive_project(made, bundle)
    assert bundle.read_bytes() == before
    with pytest.raises(InputError, match="would lie inside the project"):
        archive_project(made, made.path / "tables" / "p.zip")
    with pytest.raises(InputError, match="There is no folder"):
        archive_project(made, tmp_path / "absent" / "p.zip")


def test_a_broken_write_leaves_nothing(made: kg.Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ProjectError, match="No space left on device. Nothing was written"):
        archive_project(made, tmp_path / "p.zip")
    assert list(tmp_path.iterdir()) == []


def test_archiving_while_others_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kg, "extract", find_names)
    project = kg.Project(tmp_path / "p.kg")
    stages(project, 0)
    enough = threading.Event()

    def write() -> None:
        turn = 0
        while not enough.is_set():
            turn += 1
            project.decide("merge", f"m{turn}", "accepted")
            project.read(corpus(turn % 2))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        files = []
        for i in range(3):
            seen = project.history().height
            while project.history().height < seen + 2:
                time.sleep(0.01)
            files.append(archive_project(project, tmp_path / f"{i}.zip").file)
    finally:
        enough.set()
        writer.join()
    kept = []
    for i, file in enumerate(files):
        back = restore_archive(file, tmp_path / f"q{i}")
        n_runs, n_decisions = back.history().height, back.decisions().height
        assert back.history().equals(project.history().head(n_runs))
        assert back.decisions().equals(project.decisions().head(n_decisions))
        last = back.history()["run_id"][-1]
        assert back.table("documents").equals(project.table("documents", at=last))
        kept.append(n_runs)
    assert kept == sorted(kept) and kept[-1] > kept[0]


# What is no archive, or a damaged one


def refuse(file: Path, place: Path, error: type[KgkitError], match: str) -> None:
    with pytest.raises(error, match=match):
        restore_archive(file, place / "q.kg")
    assert not (place / "q.kg").exists()
    assert [p.name for p in place.iterdir() if p.name.startswith(".")] == []


@pytest.mark.parametrize("keep", [0, 10, 0.5, 0.98, -1])
def test_an_archive_that_was_cut_off(bundle: Path, tmp_path: Path, keep: float) -> None:
    whole = bundle.read_bytes()
    size = int(len(whole) * keep) if 0 < keep < 1 else int(keep)
    (tmp_path / "cut.zip").write_bytes(whole[:size])
    refuse(tmp_path / "cut.zip", tmp_path, ProjectError, "no archive of a project, or was cut off")


def test_an_archive_in_which_any_byte_changed(bundle: Path, tmp_path: Path) -> None:
    whole = bundle.read_bytes()
    for at in range(100, len(whole), len(whole) // 23):
        (tmp_path / "bad.zip").write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :])
        try:
            back = restore_archive(tmp_path / "bad.zip", tmp_path / "q.kg")
        except KgkitError:
            assert not (tmp_path / "q.kg").exists()
        else:  # a byte that says nothing, such as a member's date
            assert back.table("documents").height == 7
            os.rename(tmp_path / "q.kg", tmp_path / f"q{at}.kg")
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def first_table(members: dict[str, bytes]) -> str:
    return next(name for name in members if name.endswith(".parquet"))


def swap(members: dict[str, bytes]) -> None:
    members[first_table(members)] = members[LEDGER][: len(members[first_table(members)])]


def foreign_ledger(members: dict[str, bytes], scratch: Path) -> None:
    with sqlite3.connect(scratch) as other:
        other.execute("CREATE TABLE money (amount)")
    other.close()
    members[LEDGER] = scratch.read_bytes()
    scratch.unlink()
    listed(members)


def test_members_that_are_not_what_was_archived(bundle: Path, tmp_path: Path) -> None:
    cases: list[tuple[Callable[[dict[str, bytes]], Any], str]] = [
        (swap, "is not what was archived"),
        (lambda m: m.update({first_table(m): b"short"}), "has another size than its list says"),
        (lambda m: m.pop(first_table(m)), "is not in both the archive and its list"),
        (lambda m: m.update({"tables/documents/extra.parquet": b"x"}), "is not in both the archive and its list"),
        (lambda m: (m.pop(LEDGER), listed(m)), "it holds no ledger.sqlite"),
        (lambda m: (m.update({LEDGER: b"no ledger"}), listed(m)), "its ledger is none"),
        (lambda m: foreign_ledger(m, tmp_path / "other"), "its ledger is none"),
        (lambda m: m.update({MANIFEST: b"{"}), "cannot be read"),
        (lambda m: m.update({MANIFEST: b"[" * 100_000}), "cannot be read"),
        (lambda m: m.update({MANIFEST: b"[1]"}), "is not what kgkit writes"),
        (lambda m: listed(m, members={LEDGER: {"size": len(m[LEDGER])}}), "is not in both"),
        (lambda m: listed(m, members={key: {"size": "1"} for key in [*m][:-1]}), "has another size"),
        (lambda m: listed(m, archive_format=99), "has archive format 99, made by kgkit .* Install a newer kgkit"),
        (lambda m: listed(m, project_format=99), "has project format 99"),
        (lambda m: listed(m, project_format=None), "has no project_format"),
    ]
    for change, match in cases:
        file = rewritten(bundle, tmp_path / "bad.zip", change)
        refuse(file, tmp_path, ProjectError, match)


@pytest.mark.parametrize(
    "name",
    [
        "../outside",
        "/abs/path",
        "tables/../../../outside",
        "tables/documents/../../../outside",
        "C:\\temp\\x",
        "tables\\..\\..\\win",
        "tables/documents/.hidden",
        "tables//documents/x",
        "tables/documents",
        "other.txt",
        "tables/" + "a/" * 12 + "x",
    ],
)
def test_names_that_lead_out_of_the_folder(bundle: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    file = rewritten(bundle, tmp_path / "bad.zip", lambda m: (m.update({name: b"x"}), listed(m)))
    refuse(file, tmp_path / "in", ProjectError, "is no name of a project's file|is not in both")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.zip", "in"]


def test_links_and_doubled_names_in_an_archive(bundle: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(bundle) as old:
        members = {name: old.read(name) for name in old.namelist()}
    link = zipfile.ZipInfo(first_table(members))
    link.external_attr = 0o120777 << 16
    members[link.filename] = b"/etc/passwd"
    listed(members)
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as new:
        for name, data in members.items():
            new.writestr(link if name == link.filename else name, data)
    refuse(tmp_path / "link.zip", tmp_path, ProjectError, "is no plain file")
    doubled = tmp_path / "doubled.zip"
    doubled.write_bytes(bundle.read_bytes())
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(doubled, "a") as new:
        new.writestr(LEDGER, b"another")
    refuse(doubled, tmp_path, ProjectError, "a name is in it twice")


def test_a_bomb_is_not_unpacked(bundle: Path, tmp_path: Path) -> None:
    """A member that says it is small in the list, or too large for any disk, is never written out."""
    with zipfile.ZipFile(bundle) as old:
        members = {name: old.read(name) for name in old.namelist()}
    name = "tables/documents/part-bomb.parquet"
    for size, match in ((5, "has another size"), (1 << 60, "has another size")):
        about = json.loads(members[MANIFEST])
        about["members"][name] = {"size": size, "sha256": "0" * 64}
        with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as new:
            for member, data in (members | {MANIFEST: json.dumps(about).encode(), name: bytes(1 << 24)}).items():
                new.writestr(member, data)
        refuse(tmp_path / "bomb.zip", tmp_path, ProjectError, match)


def test_other_files_and_other_targets(bundle: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "holiday.zip", "w") as other:
        other.writestr("beach.jpg", b"x")
    refuse(tmp_path / "holiday.zip", tmp_path, InputError, "a zip file, but no archive of a kgkit project")
    (tmp_path / "text.zip").write_text("hello")
    refuse(tmp_path / "text.zip", tmp_path, ProjectError, "no archive of a project")
    refuse(tmp_path / "absent.zip", tmp_path, InputError, "There is no file")
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("keep")
    for place in (full, full / "mine.txt"):
        with pytest.raises(InputError, match="There is something at"):
            restore_archive(bundle, place)
    assert (full / "mine.txt").read_text() == "keep"
    (tmp_path / "empty").mkdir()
    assert restore_archive(bundle, tmp_path / "empty").table("documents").height == 7
    with pytest.raises(ProjectError, match="Cannot make a project at"):
        restore_archive(bundle, full / "mine.txt" / "q.kg")
