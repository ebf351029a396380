"""A project that followed a folder through changes equals one that reads the folder for the first time."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from project_child import MEMORY, find_names

import kgkit as kg
from kgkit.resolution.decisions import merge_id

TABLES = [
    "documents",
    "chunks",
    "mentions",
    "statements",
    "entities",
    "relations",
    "evidence",
    "canonical",
    "withheld",
    "communities",
    "reports",
]
PEOPLE = ["Grace Hopper", "Ada Lovelace", "Alan Turing", "Jean Bartik", "Betty Holberton", "Howard Aiken"]
PLACES = ["Harvard University", "New York", "Bell Labs", "Manchester"]
ON_FILES = ["add", "change", "move", "copy", "delete", "undo"]
ON_GRAPH = ["merge", "apart", "split", "type", "relation", "take back"]
STEPS = st.lists(
    st.tuples(st.sampled_from(ON_FILES + ON_GRAPH), st.integers(0, 10**6)),
    min_size=1,
    max_size=8,
)


def text_of(number: int) -> str:
    chance = random.Random(number)
    sentences = [
        f"{chance.choice(PEOPLE)} worked with {chance.choice(PEOPLE)} at {chance.choice(PLACES)}."
        for _ in range(chance.randint(0, 3))
    ]
    return " ".join(sentences)


def step(folder: Path, act: str, number: int, past: dict[Path, str]) -> None:
    """Change one file of a folder."""
    files = sorted(folder.rglob("*.txt"))
    chosen = files[number % len(files)] if files else None
    name = folder / ("deep" if number % 3 else ".") / f"note{number % 7}.txt"
    name.parent.mkdir(exist_ok=True)
    if act == "undo" and past:
        chosen = sorted(past)[number % len(past)]
        chosen.parent.mkdir(exist_ok=True)
        chosen.write_text(past[chosen], encoding="utf-8")
    elif act == "add" or chosen is None:
        name.write_text(text_of(number), encoding="utf-8")
    else:
        past[chosen] = chosen.read_text(encoding="utf-8")
        if act == "change":
            chosen.write_text(past[chosen] + " " + text_of(number), encoding="utf-8")
        elif act == "move":
            chosen.rename(name)
        elif act == "copy":
            name.write_text(past[chosen], encoding="utf-8")
        else:
            chosen.unlink()


def decide(project: kg.Project, act: str, number: int) -> None:
    """Decide something about the graph that is there."""
    graph, chance = project.graph(), random.Random(number)
    people = graph.entities["entity_id"].to_list()
    if act == "take back" and project.decisions().height:
        project.undo(chance.choice(project.decisions()["decision_id"].to_list()), reviewer="eva")
    elif act in ("merge", "apart") and len(people) > 1:
        ids = sorted(chance.sample(people, min(len(people), chance.randint(2, 3))))
        verdict = "accepted" if act == "merge" else "rejected"
        project.decide("merge", merge_id(ids), verdict, payload={"entity_ids": ids}, reviewer="ann")
    elif act == "type" and people:
        project.decide(
            "type", chance.choice(people), "accepted", payload={"type": "SHIP", "name": f"Name {number % 3}"}
        )
    elif act == "split" and people:
        entity = chance.choice(people)
        mentions = graph.evidence_of(entity)["mention_id"].to_list()
        part = {"name": "Another", "type": "PERSON", "mention_ids": mentions[:1], "doc_ids": []}
        project.decide("split", entity, "accepted", payload={"parts": [part]})
    elif act == "relation" and graph.relations.height:
        project.decide("relation", chance.choice(graph.relations["relation_id"].to_list()), "rejected")


def say_again(decisions: pl.DataFrame, project: kg.Project) -> None:
    """Make the decisions of one project in another, in their order."""
    known: dict[str, str] = {}
    for row in decisions.iter_rows(named=True):
        payload = json.loads(row["payload"])
        if row["verdict"] == "undone":
            payload = {"decision_id": known[payload["decision_id"]]}
        done = project.decide(
            row["kind"], row["subject_id"], row["verdict"], payload=payload, reviewer=row["reviewer"], note=row["note"]
        )
        assert done.status == "recorded"
        known[row["decision_id"]] = done.decision_id


def run(project: kg.Project, folder: Path, *, as_frame: bool = False) -> None:
    if as_frame:  # spares starting a process that reads
        files = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in sorted(folder.rglob("*.txt"))}
        columns = {"source": list(files), "text": list(files.values())}
        project.read(pl.DataFrame(columns, schema={"source": pl.String, "text": pl.String}))
    else:
        project.read(folder, workers=1)
    project.chunk(size=120)
    project.extract()
    project.build()
    project.communities()


def assert_same(one: kg.Project, other: kg.Project) -> None:
    for name in TABLES:  # ids of decisions hold the time
        assert_frame_equal(*(p.table(name).drop("decision_ids", strict=False) for p in (one, other)))
    outcomes = [p.table("outcomes").drop("run_id") for p in (one, other)]
    told = [frame.filter(pl.col("stage") != "apply_decisions") for frame in outcomes]
    assert_frame_equal(*told)
    became = [frame.filter(pl.col("stage") == "apply_decisions")["status"].sort() for frame in outcomes]
    assert became[0].equals(became[1])


@settings(max_examples=8, deadline=None)
@given(STEPS)
def test_following_a_folder_equals_reading_it_anew(steps: list[tuple[str, int]]) -> None:
    """Whatever came, changed, moved, went, was decided and taken back."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(dir=MEMORY) as scratch:
        patch.setattr(kg, "extract", find_names)
        folder = Path(scratch) / "docs"
        folder.mkdir()
        for number in range(3):
            step(folder, "add", number, {})
        followed = kg.Project(Path(scratch) / "followed")
        run(followed, folder, as_frame=True)
        past: dict[Path, str] = {}
        for act, number in steps:
            if act in ON_GRAPH:
                decide(followed, act, number)
            else:
                step(folder, act, number, past)
            if number % 2:  # not after every step
                run(followed, folder, as_frame=True)
        run(followed, folder, as_frame=True)
        anew = kg.Project(Path(scratch) / "anew")
        say_again(followed.decisions(), anew)
        run(anew, folder, as_frame=True)
        assert_same(followed, anew)
        assert set(followed.status()["status"]) == {"fresh"}


def test_only_what_is_new_is_extracted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the real extractor: what it is given, and that the result is the same as from scratch."""
    seen: list[set[str]] = []
    real = kg.extract

    def watched(chunks: Any, **options: Any) -> Any:
        seen.append(set(chunks["text"]))
        return real(chunks, **options)

    monkeypatch.setattr(kg, "extract", watched)
    folder = tmp_path / "docs"
    folder.mkdir()
    texts = {f"n{i}.txt": f"{PEOPLE[i]} worked at {PLACES[i % 4]}. She met {PEOPLE[i - 1]}." for i in range(5)}
    for name, text in texts.items():
        (folder / name).write_text(text)
    project = kg.Project(tmp_path / "p")
    run(project, folder)
    assert seen.pop() == set(texts.values())

    run(project, folder)
    assert not seen
    (folder / "n0.txt").rename(folder / "moved.txt")
    run(project, folder)
    assert not seen
    assert "moved.txt" in project.table("chunks")["source"].to_list()
    (folder / "n1.txt").unlink()
    run(project, folder)
    assert not seen
    assert not any("Lovelace worked" in text for text in project.table("chunks")["text"])
    assert texts["n1.txt"] not in project.table("statements")["quote"].to_list()
    (folder / "n2.txt").write_text("Alan Turing died in 1954.")
    (folder / "n9.txt").write_text("Kathleen Booth lived in London.")
    run(project, folder)
    assert seen.pop() == {"Alan Turing died in 1954.", "Kathleen Booth lived in London."}
    anew = kg.Project(tmp_path / "anew")
    run(anew, folder)
    assert_same(project, anew)


def test_other_options_do_everything_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(kg, "extract", lambda chunks, **o: asked.append(len(chunks)) or find_names(chunks))
    (tmp_path / "docs").mkdir()
    for number in range(1, 5):
        (tmp_path / "docs" / f"{number}.txt").write_text(f"Note {number}. {text_of(number)}")
    project = kg.Project(tmp_path / "p")
    project.read(tmp_path / "docs")
    project.chunk(size=40)
    project.extract()
    few = project.table("chunks").height
    project.chunk(size=30)
    assert project.table("chunks").equals(kg.chunk_documents(project.table("documents"), size=30).chunks)
    project.extract()
    project.extract(types=["PERSON"])
    assert asked[0] == few and asked[2] == project.table("chunks").height
