"""Opening a project, its verbs, and what it says of itself."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from project_child import corpus, find_names, plain_read, stages

import kgkit as kg
from kgkit.errors import InputError, OptionError, ProjectBusyError, ProjectError
from kgkit.project.order import in_order
from kgkit.project.store import PART, Store

TABLES = [
    "documents",
    "chunks",
    "mentions",
    "statements",
    "entities",
    "relations",
    "evidence",
    "communities",
    "reports",
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> kg.Project:
    monkeypatch.setattr(kg, "extract", find_names)
    return kg.Project(tmp_path / "p.kg")


def states(project: kg.Project) -> dict[str, str]:
    return dict(project.status().select("table", "status").iter_rows())


# Opening


def test_a_new_project_is_made_and_opens_again(tmp_path: Path) -> None:
    made = kg.Project(tmp_path / "a" / "p.kg")
    assert sorted(p.name for p in made.path.iterdir()) == ["ledger.sqlite"]
    assert kg.Project(made.path, create=False).versions() == {}
    assert made.status().height == 0 and made.history().height == 0
    assert made.table("entities").equals(kg.tables.empty("entities"))


def test_what_is_no_project_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no project at"):
        kg.Project(tmp_path / "absent", create=False)
    assert not (tmp_path / "absent").exists()
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is a file; a project is a folder"):
        kg.Project(tmp_path / "file")
    (tmp_path / "holiday").mkdir()
    (tmp_path / "holiday" / "beach.jpg").write_text("x")
    with pytest.raises(InputError, match="no kgkit project: it holds 'beach.jpg' and no ledger.sqlite"):
        kg.Project(tmp_path / "holiday")
    assert [p.name for p in (tmp_path / "holiday").iterdir()] == ["beach.jpg"]


def test_a_lost_ledger_is_no_empty_project(project: kg.Project) -> None:
    project.read(corpus(0))
    ledger = project.path / "ledger.sqlite"
    whole = ledger.read_bytes()
    for content, error in ((b"", "is empty: the ledger is lost"), (b"x" * 5000, "damaged, or no ledger")):
        ledger.write_bytes(content)
        with pytest.raises(ProjectError, match=error):
            kg.Project(project.path)
    ledger.write_bytes(whole[:4096] + b"\0" * (len(whole) - 4096))
    with pytest.raises(ProjectError, match="damaged"):
        kg.Project(project.path).history()
    ledger.unlink()
    with pytest.raises(InputError, match="holds tables but no ledger.sqlite"):
        kg.Project(project.path)


def test_another_database_and_a_newer_format_are_refused(project: kg.Project, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with sqlite3.connect(tmp_path / "other" / "ledger.sqlite") as other:
        other.execute("CREATE TABLE money (amount)")
    other.close()
    with pytest.raises(InputError, match="no kgkit project's"):
        kg.Project(tmp_path / "other")
    with sqlite3.connect(project.path / "ledger.sqlite") as ledger:
        ledger.execute("PRAGMA user_version = 99")
    ledger.close()
    with pytest.raises(ProjectError, match=r"has format 99, made by kgkit .* knows formats up to 2. Install a newer"):
        kg.Project(project.path)


def test_a_project_can_be_moved(project: kg.Project, tmp_path: Path) -> None:
    stages(project, 0)
    entities = project.table("entities")
    shutil.move(project.path, tmp_path / "elsewhere" / "q.kg")
    assert kg.Project(tmp_path / "elsewhere" / "q.kg").table("entities").equals(entities)


@pytest.mark.parametrize("name", ["a b", "ä ö", "50% off", "a#b", "日本", "a'b", "part=3", "a*b"])
def test_folders_may_have_any_name(name: str, tmp_path: Path) -> None:
    project = kg.Project(tmp_path / name)
    project.read(corpus(0))
    project.read(corpus(1))
    assert kg.Project(tmp_path / name).table("documents").equals(kg.read_documents(corpus(1)).documents)


@pytest.mark.parametrize("name", ["a%20b", "a[b", "a]b", "a^b", "a|b"])
def test_but_those_in_which_delta_tables_cannot_be_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Delta tables cannot be written. Give the folder another name"):
        kg.Project(tmp_path / name)
    assert not (tmp_path / name).exists()
    project = kg.Project(tmp_path / "p")
    project.read(corpus(0))
    moved = kg.Project(shutil.move(project.path, tmp_path / name))
    assert moved.table("documents").height == 40
    with pytest.raises(ProjectError, match="Give the folder another name"):
        moved.read(corpus(1))
    assert moved.table("documents").height == 40


# The verbs keep what the functions give


def test_verbs_give_what_the_functions_give(project: kg.Project) -> None:
    documents = kg.read_documents(corpus(0))
    chunks = kg.chunk_documents(documents, size=50)
    found = kg.extract(chunks.chunks)
    graph = kg.build_graph(found)
    communities = kg.detect_communities(graph, min_size=2)
    answer = kg.ask("Who met Anna Numbera100?", chunks, graph=graph)
    ours = [
        project.read(corpus(0)),
        project.chunk(size=50),
        project.extract(),
        project.build(),
        project.communities(min_size=2),
        project.ask("Who met Anna Numbera100?"),
    ]
    for plain, kept in zip([documents, chunks, found, graph, communities, answer], ours, strict=True):
        for name, frame in plain.frames.items():
            mine = kept.frames[name]
            if name == "outcomes" and plain is graph:  # what it says itself is of decisions
                mine = project.table("outcomes").filter(pl.col("stage") == "build_graph")
            if name == "outcomes":
                frame, mine = frame.drop("run_id"), mine.drop("run_id")
            assert_frame_equal(mine, frame)
            if name != "outcomes":
                assert_frame_equal(project.table(name), frame)
    outcomes = project.table("outcomes")
    runs = project.history()
    assert set(outcomes["run_id"]) == set(runs["run_id"])
    assert outcomes.height == sum(json.loads(c)["in"] for c in runs["counts"])
    assert project.graph().entities.equals(graph.entities)


def test_backends(project: kg.Project) -> None:
    import pandas as pd

    stages(project, 0)
    assert isinstance(project.table("entities", backend="pandas"), pd.DataFrame)
    assert isinstance(project.history(backend="pandas"), pd.DataFrame)
    assert isinstance(project.status(backend="pandas"), pd.DataFrame)
    assert isinstance(project.failures(backend="pandas"), pd.DataFrame)
    with pytest.raises(OptionError, match="backend='dask' is not known"):
        project.table("entities", backend="dask")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="table='people' is not known"):
        project.table("people")


def test_a_stage_without_its_input_says_what_makes_it(project: kg.Project) -> None:
    with pytest.raises(InputError, match=r"no documents in this project yet; project.read\(...\) makes them"):
        project.chunk()
    with pytest.raises(InputError, match=r"no chunks in this project yet; project.chunk\(...\)"):
        project.ask("Who?")


def test_a_project_inside_its_documents_is_refused(tmp_path: Path) -> None:
    project = kg.Project(tmp_path / "docs" / "p.kg")
    with pytest.raises(InputError, match="would read itself"):
        project.read(tmp_path / "docs")


def test_options_that_cannot_be_written_down_are_refused(project: kg.Project) -> None:
    with pytest.raises(OptionError, match="glob is a object, which the project's ledger cannot keep"):
        project.read(corpus(0), glob=object())
    project.read(corpus(0), workers=1, progress=lambda done, total: None)
    assert json.loads(project.history()["params"][0]) == {"source": "a polars frame"}


def test_an_interrupted_read_changes_nothing(project: kg.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.read(corpus(0))
    real = kg.read_documents

    def half(source: Any, **options: Any) -> Any:
        result = real(source, **options)
        lost = result.outcomes.with_columns(status=pl.lit("skipped"), reason=pl.lit("interrupted"))
        return type(result)(result.documents.head(2), outcomes=lost)

    monkeypatch.setattr(kg, "read_documents", half)
    with pytest.raises(KeyboardInterrupt):
        project.read(corpus(1))
    assert project.table("documents").height == 40 and project.history().height == 1


def test_an_interrupted_extraction_is_taken_up(project: kg.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.read(corpus(0))
    project.chunk()
    asked: list[int] = []

    def some(chunks: Any, **options: Any) -> Any:
        asked.append(len(chunks))
        result = find_names(chunks.head(len(chunks) // 2))
        rest = chunks.tail(len(chunks) - len(chunks) // 2)["chunk_id"]
        undone = result.outcomes.head(1).drop("item_id").join(rest.to_frame("item_id"), how="cross")
        undone = undone.with_columns(status=pl.lit("skipped"), reason=pl.lit("interrupted"))
        outcomes = pl.concat([result.outcomes, undone.select(result.outcomes.columns)])
        return type(result)(result.mentions, result.statements, outcomes=outcomes)

    monkeypatch.setattr(kg, "extract", some)
    assert project.extract().counts["skipped"] == 20
    assert project.history()["verdict"][-1] == "unfinished"
    reasons = dict(project.status().select("table", "reason").iter_rows())
    assert reasons["mentions"] == "its run was not finished"
    assert dict(project.status().select("table", "items_to_do").iter_rows())["mentions"] == 20
    assert project.failures(stage="extract").height == 20
    monkeypatch.setattr(kg, "extract", lambda chunks, **o: asked.append(len(chunks)) or find_names(chunks))
    assert [result.stage for result in project.refresh()] == ["extract"]
    assert asked == [40, 20]
    assert project.table("mentions").equals(find_names(project.table("chunks")).mentions)
    assert project.history()["verdict"][-1] == "complete"
    assert project.failures(stage="extract").height == 0


def test_extraction_is_kept_in_batches(project: kg.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.read(corpus(0))
    project.chunk()
    asked: list[int] = []

    def killed(chunks: Any, **options: Any) -> Any:
        if len(asked) == 3:
            raise MemoryError  # as good as a kill: what was kept before is there
        asked.append(len(chunks))
        return find_names(chunks)

    monkeypatch.setattr(kg, "extract", killed)
    with pytest.raises(MemoryError):
        project.extract(batch_chars=500)
    assert len(asked) == 3 and min(asked) > 1
    done = set(project.table("mentions")["chunk_id"])
    assert len(done) == sum(asked)
    assert project.failures(stage="extract").height == 40 - sum(asked)
    monkeypatch.setattr(kg, "extract", lambda chunks, **o: asked.append(len(chunks)) or find_names(chunks))
    result = project.extract(batch_chars=500)
    assert sum(asked) == 40 and len(asked) > 4
    plain = find_names(project.table("chunks"))
    assert result.mentions.equals(plain.mentions) and project.table("statements").equals(plain.statements)
    assert result.counts == plain.counts
    assert project.history()["verdict"].to_list()[-2:] == ["failed", "complete"]
    assert project.history()["reason"].to_list()[-2:] == ["MemoryError: ", None]
    assert set(project.history(batches=True)["verdict"]) == {"complete", "unfinished", "failed"}
    with pytest.raises(OptionError, match="batch_chars=0 is not possible"):
        project.extract(batch_chars=0)


def test_failures_are_tried_again_on_request(project: kg.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.read(corpus(0))
    project.chunk()
    asked: list[int] = []

    def failing(chunks: Any, **options: Any) -> Any:
        asked.append(len(chunks))
        result = find_names(chunks)
        bad = pl.col("item_id") == pl.col("item_id").min()
        outcomes = result.outcomes.with_columns(status=pl.when(bad).then(pl.lit("failed")).otherwise("status"))
        return type(result)(result.mentions, result.statements, outcomes=outcomes)

    monkeypatch.setattr(kg, "extract", failing)
    project.extract()
    project.extract()
    project.extract(retry_failed=True)
    assert asked == [40, 1]
    assert project.failures(stage="extract")["status"].to_list() == ["failed"]


# Fresh and stale


def test_status_says_what_is_stale_and_refresh_runs_it(project: kg.Project) -> None:
    stages(project, 0)
    project.ask("Who met Grace Hopper?")
    assert set(states(project).values()) == {"fresh"}
    assert project.refresh() == []
    project.read(corpus(1))
    stale = project.status().filter(pl.col("status") == "stale")
    more = {"canonical", "aliases", "withheld", "answers", "answer_sentences", "citations", "hits"}
    assert set(stale["table"]) == {*TABLES[1:], *more}
    reasons = dict(stale.select("table", "reason").iter_rows())
    assert reasons["chunks"] == "documents has changed: it was made from version 0, now there is 1"
    assert reasons["mentions"] == "chunks is stale"
    assert reasons["answers"].startswith("1 of 1 questions were answered before: chunks is stale")
    ran = [result.stage for result in project.refresh()]
    assert ran == ["chunk_documents", "extract", "apply_decisions", "detect_communities", "ask"]
    assert set(states(project).values()) == {"fresh"}
    assert project.table("documents").equals(kg.read_documents(corpus(1)).documents)


def test_what_did_not_change_makes_nothing_stale(project: kg.Project) -> None:
    stages(project, 0)
    before = project.versions()
    stages(project, 0)
    assert {n: v for n, v in project.versions().items() if n != "outcomes"} == {
        n: v for n, v in before.items() if n != "outcomes"
    }


def test_only_questions_asked_before_are_asked_again(project: kg.Project) -> None:
    stages(project, 0)
    project.ask("Who met Grace Hopper?", k=3)
    project.read(corpus(1))
    project.refresh()
    project.ask("What did Howard Aiken write about?")
    assert project.refresh() == []
    assert json.loads(project.history()["params"][-2]) == {"k": 3, "question": "Who met Grace Hopper?"}
    answers = project.table("answers")
    assert answers["question"].is_unique().all() and answers.height == 2
    project.ask("Who met Grace Hopper?")
    assert project.table("answers").height == 2
    assert set(project.table("citations")["answer_id"]) <= set(project.table("answers")["answer_id"])


def test_other_versions_of_what_finds_names_make_mentions_stale(
    project: kg.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages(project, 0)
    monkeypatch.setattr(kg, "__version__", "9.9")
    reasons = dict(project.status().select("table", "reason").iter_rows())
    assert reasons["mentions"] == "chunks is stale; made with kgkit 0.1.0, now there is 9.9"
    asked: list[int] = []
    monkeypatch.setattr(kg, "extract", lambda chunks, **o: asked.append(len(chunks)) or find_names(chunks))
    project.refresh()
    assert asked == [40]


# History


def test_tables_as_of_a_run(project: kg.Project) -> None:
    stages(project, 0)
    project.decide("merge", "m1", "accepted")
    first = project.history()["run_id"][-1]
    old = {name: project.table(name) for name in TABLES}
    stages(project, 1)
    project.decide("merge", "m2", "accepted")
    assert not project.table("documents").equals(old["documents"])
    for name, frame in old.items():
        assert project.table(name, at=first).equals(frame)
    assert project.table("runs", at=first).height == 5
    assert project.table("decisions", at=project.history()["run_id"][5])["subject_id"].to_list() == ["m1"]
    with pytest.raises(InputError, match="no run 'run_x'. The latest are"):
        project.table("documents", at="run_x")


def test_restore_goes_back_and_forth_and_loses_nothing(project: kg.Project) -> None:
    stages(project, 0)
    old = {name: project.table(name) for name in TABLES}
    stages(project, 1)
    new = {name: project.table(name) for name in TABLES}
    project.decide("category", "c1", "accepted")
    runs = project.history()["run_id"].to_list()
    project.restore(runs[4])
    assert all(project.table(name).equals(frame) for name, frame in old.items())
    assert all(plain_read(project, name).equals(frame) for name, frame in old.items())
    assert set(states(project).values()) == {"fresh"}
    assert project.decisions().height == 1
    project.restore(runs[9])
    assert all(project.table(name).equals(frame) for name, frame in new.items())
    project.restore(runs[1])
    assert sorted(project.versions()) == ["chunks", "documents", "files", "outcomes"]
    assert project.history()["run_id"].to_list()[:10] == runs and project.history().height == 13
    project.extract()
    assert project.table("mentions").equals(old["mentions"])
    project.restore(project.history()["run_id"][10])  # of a restore
    assert all(project.table(name).equals(frame) for name, frame in old.items())


# On disk


@pytest.mark.parametrize("name", kg.tables.names())
def test_every_table_has_its_types_from_the_first_write(name: str, tmp_path: Path) -> None:
    """Empty, then all null where null is allowed, then full: the types on disk never change."""
    store = Store(tmp_path)
    table = kg.tables.get(name)
    fill = {pl.String: "x", pl.Int64: 7, pl.Float64: 0.5, pl.Boolean: True}
    bare = {
        c.name: None if c.nullable else [] if isinstance(c.dtype, pl.List) else fill.get(type(c.dtype))
        for c in table.columns
    }
    moment = pl.Series([1]).cast(pl.Datetime("us", "UTC"))[0]
    for column in table.columns:
        if isinstance(column.dtype, pl.Datetime) and not column.nullable:
            bare[column.name] = moment
    whole = {
        c.name: moment
        if isinstance(c.dtype, pl.Datetime)
        else (
            [{f.name: fill[type(f.dtype)] for f in c.dtype.inner.fields}]
            if isinstance(c.dtype.inner, pl.Struct)
            else ["", "é"]
        )  # type: ignore[union-attr]
        if isinstance(c.dtype, pl.List)
        else fill[type(c.dtype)]
        for c in table.columns
    } | {table.key[0]: "full" if isinstance(table.schema[table.key[0]], pl.String) else 8}
    frames = [kg.tables.empty(name), kg.tables.from_rows(name, [bare]), kg.tables.from_rows(name, [bare, whole])]
    for version, frame in enumerate(frames):
        written = store.write(name, {"1": frame})
        assert written.version == version
        assert_frame_equal(store.read(name, sorted(written.added)), frame)
        assert pl.read_delta(str(tmp_path / name), version=version).schema == pl.Schema(
            {**table.schema, PART: pl.String}
        )


def test_plain_polars_and_duckdb_read_the_tables(project: kg.Project) -> None:
    import duckdb
    from deltalake import DeltaTable

    stages(project, 0)
    stages(project, 1)
    for name in TABLES:
        path = str(project.path / "tables" / name)
        ours = project.table(name)
        assert plain_read(project, name).equals(ours)
        plain = pl.read_delta(path, version=project.versions()[name]).drop(PART)
        assert in_order(name, plain).equals(ours)
        files = DeltaTable(path).file_uris()
        with duckdb.connect() as connection:
            found = kg.tables.conform(connection.read_parquet(files, hive_partitioning=False).pl(), name)
            assert in_order(name, found).equals(ours)
            count = connection.execute("SELECT count(*) FROM read_parquet($files)", {"files": files}).fetchone()
        assert count == (ours.height,)


def test_large_tables_keep_their_order(tmp_path: Path) -> None:
    store = Store(tmp_path)
    frame = pl.DataFrame({"entity_id": pl.int_range(1_500_000, 0, -1, eager=True).cast(pl.String)})
    frame = frame.with_columns(canonical_id="entity_id")
    written = store.write("canonical", {"all": frame})
    assert len(written.added) == 1
    assert store.read("canonical", list(written.added)).equals(frame)


def test_a_busy_project_says_so(project: kg.Project) -> None:
    hasty = kg.Project(project.path, timeout=0.05)
    project.read(corpus(0))
    with project._keeper.ledger.writing():
        assert hasty.table("documents").height == 40  # readers do not wait
        assert kg.Project(project.path, timeout=0.05).versions()  # nor does opening
        with pytest.raises(ProjectBusyError, match=r"Another process is writing .* waited 0.05 s"):
            hasty.decide("merge", "m", "accepted")
