"""Projects in odd states: emptied, restored to before anything, stale, with a clock that goes back, with odd names."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from project_child import corpus, find_names, plain_read, stages

import kgkit as kg
from kgkit.errors import InputError, OptionError, ProjectError
from kgkit.project import decide, reading
from kgkit.project.store import Store, Written


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> kg.Project:
    monkeypatch.setattr(kg, "extract", find_names)
    monkeypatch.setattr(reading, "_CHARS_A_PART", 1000)
    return kg.Project(tmp_path / "p.kg")


def failing(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError


def test_what_a_restore_took_away_does_not_come_back(project: kg.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(kg, "read_documents", failing)
        project.read(corpus(0))
    stages(project, 0)
    full = {name: project.table(name) for name in project.versions()}
    runs = project.history()["run_id"].to_list()
    project.restore(runs[0])
    assert project.versions() == {} and plain_read(project, "chunks").is_empty() and project.check().sound
    project.read(corpus(0).head(3))
    project.chunk()
    assert project.table("documents").height == project.table("chunks").height == 3
    assert plain_read(project, "chunks").equals(project.table("chunks"))
    assert set(project.table("outcomes")["stage"]) == {"read_documents", "chunk_documents"}
    assert project.check().sound
    project.restore(runs[-1])
    assert all(project.table(name).equals(frame) for name, frame in full.items())
    assert project.check().sound


@pytest.mark.parametrize("decided", [False, True])
def test_a_stale_graph_keeps_the_words_it_was_built_from(project: kg.Project, *, decided: bool) -> None:
    stages(project, 0)
    if decided:
        project.decide("merge", project.table("entities")["entity_id"].to_list()[:2], "accepted")
        project.build()
    before = project.graph()
    project.read(corpus(1))
    project.chunk()
    project.extract()
    graph = project.graph()
    assert type(graph) is type(before)
    assert all(graph.frames[name].equals(frame) for name, frame in before.frames.items())


def test_the_later_decision_counts_though_the_clock_went_back(
    project: kg.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages(project, 0)
    pair = project.table("entities")["entity_id"].to_list()[:2]
    project.decide("merge", pair, "accepted")
    monkeypatch.setattr(decide, "now", lambda real=decide.now: real() - 3_600_000_000)
    project.decide("merge", pair, "rejected")
    assert project.decisions()["decided_at"].is_sorted()
    graph = project.build()
    assert graph.entities.height == graph.canonical.height


@pytest.mark.parametrize(
    "said",
    [
        {"subject_id": "m\udcff"},
        {"note": "\ud800"},
        {"note": 7},
        {"payload": {"x": float("nan")}},
        {"payload": {"x": "\ud800"}},
        {"payload": [1, 2]},
    ],
)
def test_what_no_file_can_hold_is_no_decision(project: kg.Project, said: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="must be"):
        project.decide(**{"kind": "merge", "subject_id": "m", "verdict": "accepted", **said})
    assert project.decisions().is_empty()


@pytest.mark.skipif(os.name != "posix", reason="file names are bytes on POSIX")
def test_names_that_are_no_text(project: kg.Project, tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/docs\xff"
    os.mkdir(folder)
    with open(folder + b"/\xfe.txt", "w") as file:
        file.write("Grace Hopper met Howard Aiken.")
    for _ in range(2):
        assert project.read(os.fsdecode(folder), workers=1).counts["ok"] == 1
    assert "\\udcff" in project.history()["params"][0]
    project.chunk()
    project.ask("Who met Grace Hopper? \ud800")
    assert project.refresh() == [] and project.check().sound


def test_kept_runs_convert_as_results_do(project: kg.Project) -> None:
    run = project.read(corpus(0))
    documents = run.to_pandas()
    assert type(documents.documents).__module__.startswith("pandas") and documents.counts == run.counts
    assert run.to_polars().documents.equals(run.documents)
    assert kg.chunk_documents(documents).counts == project.chunk().counts
    assert project.extract().to("pyarrow").statements.num_rows == project.table("statements").height


def test_a_project_below_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    project = kg.Project("~/p.kg")
    assert project.path == tmp_path / "p.kg" and kg.check_project("~/p.kg").sound
    project.archive("~/p.zip")
    assert kg.Project.from_archive("~/p.zip", "~/q.kg").path == tmp_path / "q.kg"


def test_batches_are_of_whole_characters(project: kg.Project) -> None:
    project.read(corpus(0))
    for size in (0, 1.5, "many", None):
        with pytest.raises(OptionError, match="batch_chars"):
            project.chunk(batch_chars=size)  # type: ignore[arg-type]


def interrupted(after: int, store: Callable[..., Written] = Store.write) -> Callable[..., Written]:
    """Make a `Store.write` that is interrupted when it has written the table of that number."""
    count = 0

    def write(self: Store, name: str, parts: dict[str, pl.DataFrame]) -> Written:
        nonlocal count
        written = store(self, name, parts)
        count += 1
        if count == after:
            raise KeyboardInterrupt
        return written

    return write


@pytest.mark.parametrize("after", [1, 5, 8, 12])
def test_a_project_is_sound_after_an_interrupt_anywhere(project: kg.Project, after: int) -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Store, "write", interrupted(after))
        stages(project, 0)
    assert kg.Project(project.path).check().sound
    stages(project, 1)
    assert project.check().sound and set(project.status()["status"]) == {"fresh"}


def test_a_batch_in_which_nothing_is_found_is_done(project: kg.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.read(pl.DataFrame({"text": ["nothing here", "Grace Hopper met Howard Aiken.", "nor here"]}))
    project.chunk()
    project.extract(batch_chars=1)
    assert project.table("outcomes").filter(pl.col("stage") == "extract")["status"].sort().to_list() == [
        "empty",
        "empty",
        "ok",
    ]
    assert project.refresh() == []

    def statements_alone(chunks: Any) -> Any:
        found = find_names(chunks)
        return replace(found, mentions=found.mentions.clear())

    monkeypatch.setattr(kg, "extract", statements_alone)
    other = kg.Project(project.path.parent / "other")
    other.read(project.table("documents"))
    other.chunk()
    assert other.extract().verdict == "complete"
    assert other.table("statements").equals(project.table("statements")) and other.table("mentions").is_empty()


def test_a_stage_that_ends_after_its_inputs_were_restored_away(
    project: kg.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages(project, 0)
    first, real = project.history()["run_id"][0], kg.build_graph

    def build_graph(*frames: Any, **options: Any) -> Any:
        kg.Project(project.path).restore(first)
        return real(*frames, **options)

    with monkeypatch.context() as patch:
        patch.setattr(kg, "build_graph", build_graph)
        built = project.build()
    state = project.status().filter(pl.col("table") == "entities").row(0, named=True)
    assert state["reason"] == "mentions is gone; statements is gone" and state["items_to_do"] is None
    assert project.graph().mentions.equals(built.mentions) and project.check().sound
    with pytest.raises(InputError, match=r"no mentions in this project yet; project.extract"):
        project.refresh()
    stages(project, 0)
    assert set(project.status()["status"]) == {"fresh"}


def test_a_project_that_was_moved_away_while_it_was_open(project: kg.Project) -> None:
    project.decide("merge", "m", "accepted")
    project.path.rename(project.path.with_name("q.kg"))
    for act in (project.decisions, lambda: project.decide("merge", "n", "accepted")):
        with pytest.raises(ProjectError, match="is gone. Was the folder moved"):
            act()
    assert not project.path.exists() and kg.Project(project.path.with_name("q.kg")).decisions().height == 1
