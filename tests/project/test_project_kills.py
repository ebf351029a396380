"""A project whose writer is killed at any moment opens in a complete earlier or later state."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from project_child import corpus, find_names, plain_read, stages

import kgkit as kg
from kgkit.errors import ProjectError
from kgkit.project.stages import STAGES

CHILD = Path(__file__).with_name("project_child.py")
KILLS = int(os.environ.get("KGKIT_KILLS", "20"))
REAL = max(2, KILLS // 10)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, pl.DataFrame]]]:
    """The tables of both generations, made by the plain functions: with the stand-in, and with the extractor."""
    made: dict[str, list[dict[str, pl.DataFrame]]] = {}
    for extractor in ("names", "spacy"):
        made[extractor] = []
        for generation in range(2):
            documents = kg.read_documents(corpus(generation))
            chunks = kg.chunk_documents(documents)
            found = find_names(chunks.chunks) if extractor == "names" else kg.extract(chunks)
            graph = kg.apply_decisions(kg.build_graph(found), kg.tables.empty("decisions"))
            held: dict[str, Any] = {}
            for result in (kg.detect_communities(graph), graph, found, chunks, documents):
                held |= result.frames
            made[extractor].append(held)
    return made


def start(*arguments: str) -> subprocess.Popen[str]:
    root = str(Path(kg.__file__).resolve().parent.parent)
    environment = {**os.environ, "PYTHONPATH": root}
    return subprocess.Popen(
        [sys.executable, str(CHILD), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment,
    )


def until_ready(child: subprocess.Popen[str]) -> None:
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"


def started(path: Path, extractors: list[str]) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Give processes one after the other, each started while its predecessor works: starting takes most of the time."""
    ahead = start("work", str(path), extractors[0])
    try:
        for i, extractor in enumerate(extractors):
            child = ahead
            if i + 1 < len(extractors):
                ahead = start("work", str(path), extractors[i + 1])
            until_ready(child)
            yield extractor, child
    finally:
        ahead.kill()
        ahead.communicate()


def check_state(project: kg.Project, made: list[dict[str, pl.DataFrame]]) -> None:
    """Each stage's tables are whole, of one generation, and what plain readers see is the same."""
    for stage in STAGES.values():
        seen = {name: project.table(name) for name in stage.outputs if name in project.versions()}
        assert len(seen) in (0, len(stage.outputs)) or stage.verb == "ask"
        told = {name: frame for name, frame in seen.items() if name != "files"}
        fits = [all(frame.equals(held[name]) for name, frame in told.items()) for held in made if seen]
        assert not seen or any(fits), f"the tables of {stage.verb} are of no generation"
        for name, frame in seen.items():
            assert plain_read(project, name).equals(frame)


def test_killed_at_random_moments(tmp_path: Path, expected: dict[str, list[dict[str, pl.DataFrame]]]) -> None:
    chance = random.Random(20)
    promised: set[str] = set()
    for extractor, kills in (("names", KILLS - REAL), ("spacy", REAL)):
        path = tmp_path / extractor
        turn = 0
        for _, child in started(path, [extractor] * kills):
            assert child.stdin is not None
            child.stdin.write(f"{turn}\n")
            child.stdin.flush()
            assert child.stdout is not None
            lines = chance.randint(1, 24)  # one for each table written; a whole pipeline writes some 18
            said = [child.stdout.readline() for _ in range(lines)]
            assert all(said), "the process ended by itself"
            time.sleep(chance.choice([0.0, chance.uniform(0.0, 0.02), chance.uniform(0.0, 0.2)]))
            child.kill()
            said += child.communicate()[0].splitlines()
            decided = {line.split()[1] for line in said if line.startswith("decided")}
            promised |= {f"{extractor} {merge}" for merge in decided}
            turn += len(decided) + 1

            project = kg.Project(path)
            check_state(project, expected[extractor])
            kept = {f"{extractor} {merge}" for merge in project.decisions()["subject_id"]}
            assert {p for p in promised if p.startswith(extractor)} <= kept
            assert not project._keeper.store.leftovers(known(project))
            assert not list(path.rglob("*.tmp"))
        project = kg.Project(path)
        project.status()
        decided = sum(p.startswith(extractor) for p in promised)
        print(
            f"killed {kills} times with the extractor {extractor!r}: {len(project.history(batches=True))} runs kept, ",
            end="",
        )
        print(f"{decided} decisions acknowledged and {project.decisions().height} kept")
    assert promised


def known(project: kg.Project) -> dict[str, set[str]]:
    from kgkit.project.records import known_files

    with project._keeper.ledger.reading() as connection:
        return known_files(connection)


def test_a_project_goes_on_where_a_kill_left_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table whose newest version no run names is shown as it was, and written to again."""
    monkeypatch.setattr(kg, "extract", find_names)
    project = kg.Project(tmp_path / "p")
    stages(project, 0)
    before = project.table("documents")
    store = project._keeper.store
    store.write("documents", {"1": before.head(3)})  # a writer got so far, and was killed
    store.write("pages", {"all": kg.tables.empty("pages")})
    (store.path("chunks") / "part=1" / "part-00000-dead.parquet").write_bytes(b"half")

    assert project.table("documents").equals(before)
    again = kg.Project(tmp_path / "p")
    assert again.table("documents").equals(before)
    assert plain_read(again, "documents").equals(before)
    assert not store.path("pages").exists()
    assert not store.leftovers(known(again))
    stages(again, 1)
    assert again.table("documents").height == 40
    assert plain_read(again, "documents").equals(again.table("documents"))


def test_full_disk_leaves_the_old_state(tmp_path: Path) -> None:
    child = start("fill", str(tmp_path / "p"), "300000")
    said, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    assert said.startswith("refused Cannot write"), said
    project = kg.Project(tmp_path / "p")
    assert project.table("documents").height == 40
    assert len(project.history()) == 1
    assert not project._keeper.store.leftovers(known(project))


def test_really_full_disk_leaves_the_old_state(tmp_path: Path) -> None:
    """A file system of a few megabytes that is filled up, for tables and for decisions."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        project = kg.Project(place / "p")
        project.read(corpus(0))
        project.decide("merge", "m0", "accepted")
        large = pl.DataFrame({"text": [f"{i} {hash(str(i)) ** 9}" for i in range(40_000)]})
        with pytest.raises(ProjectError, match="Cannot write the table 'documents'"):
            project.read(large)
        (place / "rest").write_bytes(b"")
        with suppress(OSError), (place / "rest").open("wb", buffering=0) as rest:
            while rest.write(b"x" * 4096):
                pass
        with pytest.raises(ProjectError, match="is the disk full"):
            for number in range(10_000):  # some may fit into what the ledger's log holds already
                project.decide("merge", f"m{number + 1}", "accepted")
        held = project.decisions().height
        assert project.table("documents").height == 40
        (place / "rest").unlink()
        again = kg.Project(place / "p")
        assert again.table("documents").height == 40 and again.decisions().height == held
        assert not again._keeper.store.leftovers(known(again))
        again.decide("merge", "last", "accepted")
        again.read(corpus(1))
        assert again.decisions().height == held + 1 and again.table("documents").height == 40
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_read_only_folder_is_read_and_refuses_to_be_written() -> None:
    folder = Path(tempfile.mkdtemp(prefix="kgkit-read-only-"))
    try:
        project = kg.Project(folder / "p")
        project.read(corpus(0))
        project.decide("merge", "m0", "accepted")
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        child = start("look", str(folder / "p"), str(folder.parent / f"{folder.name}-warm"))
        said, _ = child.communicate(timeout=60)
        assert child.returncode == 0
        lines = said.splitlines()
        assert lines[0] == "40 1"
        assert len(lines) == 3 and all("may not be written" in line for line in lines[1:]), lines
    finally:
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755)
        shutil.rmtree(folder)
        shutil.rmtree(folder.parent / f"{folder.name}-warm", ignore_errors=True)


def test_missing_files_of_a_table_are_told(tmp_path: Path) -> None:
    project = kg.Project(tmp_path / "p")
    project.read(corpus(0))
    shutil.rmtree(project.path / "tables" / "documents")
    with pytest.raises(ProjectError, match=r"Cannot read version 0 of the table 'documents'"):
        kg.Project(tmp_path / "p").table("documents")
