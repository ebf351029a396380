"""The doctor finds each kind of damage, says what it means, changes nothing, and finds none where there is none."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable
from project_child import corpus, find_names, stages

import kgkit as kg
from kgkit.errors import InputError
from kgkit.project.doctor import Checkup, check_project
from kgkit.project.doctor.findings import CHECKS
from kgkit.results import STATUSES

LEDGER = "ledger.sqlite"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a past; tests work on copies of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kg, "extract", find_names)
        project = kg.Project(tmp_path_factory.mktemp("sound") / "p.kg")
        stages(project, 0)
        project.ask("Who met Grace Hopper?")
        project.read(corpus(1))
        project.chunk()
        project.extract()
        project.ask("What did Howard Aiken write about?")  # entities and the first answer are stale, and sound
        project.decide("split", project.table("entities")["entity_id"][0], "accepted", payload={"x": 1})
        project.undo(project.decide("merge", "merge_1", "rejected").decision_id)
        return project.path


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "p.kg"))


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        p.relative_to(folder).as_posix(): (p.stat().st_mtime_ns, p.read_bytes())
        for p in folder.rglob("*")
        if p.is_file() and not p.name.endswith("-shm")  # SQLite's own notes of who reads
    }


def look(folder: Path) -> Checkup:
    before = contents(folder)
    checkup = check_project(folder)
    assert contents(folder) == before, "the doctor changed something"
    assert checkup.counts["in"] == sum(checkup.counts[s] for s in STATUSES) == len(CHECKS)
    assert set(checkup.findings["check"]) == set(CHECKS)
    told = checkup.findings.filter(pl.col("status").is_in(["failed", "remark"]))
    assert told.filter(pl.col("found") != "").select("meaning", "advice").null_count().row(0) == (0, 0)
    return checkup


def bad(checkup: Checkup, status: str = "failed") -> set[tuple[str, str]]:
    rows = checkup.findings.filter(pl.col("status") == status)
    return set(rows.select("check", "place").iter_rows())


def said(checkup: Checkup, check: str) -> str:
    rows = checkup.findings.filter(pl.col("check") == check, pl.col("status").is_in(["failed", "remark"]))
    return "\n".join(rows["found"])


def sql(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / LEDGER)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def unguard(folder: Path) -> None:
    names = [f"DROP TRIGGER {table}_{verb}_never" for table in ("runs", "decisions") for verb in ("UPDATE", "DELETE")]
    sql(folder, *names)


def files_of(folder: Path, name: str) -> list[Path]:
    version = kg.Project(folder, create=False).versions()[name]
    table = DeltaTable(str(folder / "tables" / name), version=version)
    return sorted(Path(uri.removeprefix("file://")) for uri in table.file_uris())


def place_of(folder: Path, file: Path) -> str:
    return file.relative_to(folder).as_posix()


def rewrite(folder: Path, name: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    """Change rows behind the back of all books, which are made to agree."""
    file = files_of(folder, name)[0]
    old = pl.read_parquet(file, hive_partitioning=False)
    new = change(old)
    new.write_parquet(file)
    for entry in (folder / "tables" / name / "_delta_log").glob("*.json"):
        lines = [json.loads(line) for line in entry.read_text().splitlines()]
        for line in lines:
            if line.get("add", {}).get("path", "").endswith(file.name):
                line["add"] |= {"size": file.stat().st_size, "stats": json.dumps({"numRecords": new.height})}
        entry.write_text("\n".join(map(json.dumps, lines)))
    held = f"SELECT 1 FROM files WHERE files.name = '{name}' AND file LIKE '%{file.name}' "
    alive = "AND since <= version AND (until IS NULL OR until > version)"
    more = new.height - old.height
    sql(folder, f"UPDATE versions SET n_rows = n_rows + {more} WHERE name = '{name}' AND EXISTS ({held} {alive})",
        f"UPDATE files SET n_rows = n_rows + {more} WHERE file LIKE '%{file.name}'")  # fmt: skip


# Sound projects


def test_a_sound_project_is_sound(path: Path) -> None:
    checkup = look(path)
    assert checkup.sound and checkup.counts["ok"] == len(CHECKS)
    assert checkup.findings["check"].to_list() == list(CHECKS)
    assert set(checkup.findings["status"]) == {"ok"}
    assert "failed" not in repr(checkup) and "check_project" in checkup._repr_html_()
    quotes = checkup.findings.filter(pl.col("check") == "quotes")["found"][0]
    assert int(quotes.split()[0]) > 300


def test_new_restored_and_moved_projects_are_sound(path: Path, tmp_path: Path) -> None:
    assert look(kg.Project(tmp_path / "new.kg").path).sound
    project = kg.Project(path)
    for run in project.history()["run_id"].to_list()[:-1:3]:
        project.restore(run)
        assert look(path).sound
    shutil.move(path, tmp_path / "q.kg")
    assert look(tmp_path / "q.kg").sound


def test_older_formats_are_checked_too(tmp_path: Path) -> None:
    old = tmp_path / "old.kg"
    with zipfile.ZipFile(Path(__file__).with_name("data") / "format_1.zip") as archive:
        archive.extractall(old)
    quotes = {("quotes", "tables/statements")}  # the extractor that it was made with for tests did not quote well
    checkup = look(old)
    assert bad(checkup) == quotes and bad(checkup, "remark") == {("format", LEDGER)}
    shutil.copytree(old / "tables", old / "tables.old")  # a migration was killed when it had swapped the folders
    shutil.rmtree(old / "tables" / "chunks")
    checkup = look(old)
    assert bad(checkup) == quotes
    assert ("leftovers", "tables.old") in bad(checkup, "remark")
    kg.Project(old)
    checkup = look(old)
    assert bad(checkup) == quotes and bad(checkup, "remark") == set()


def test_real_documents_are_sound(tmp_path: Path) -> None:
    texts = [
        "Grace Hopper worked at Remington Rand. 東浜 ⚓ 𝔊 Łyna met Grace Hopper in Cambridge.",
        "",
        "Ada Lovelace sang.",
    ]
    project = kg.Project(tmp_path / "p.kg")
    project.read(pl.DataFrame({"text": texts}))
    for verb in (project.chunk, project.extract, project.build, project.communities):
        verb()
    assert look(project.path).sound and project.table("mentions").height


def test_odd_places_are_sound(path: Path, tmp_path: Path) -> None:
    for name in ("a b#c?é 東", "50%20[x]"):
        (tmp_path / name).mkdir()
        assert look(Path(shutil.copytree(path, tmp_path / name / "p.kg"))).sound


def test_graphs_that_differ_in_their_evidence_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entities are the same from both readings, and their run says nothing of the statements of the reports."""
    monkeypatch.setattr(kg, "extract", find_names)
    project = kg.Project(tmp_path / "p.kg")
    readings = [pl.DataFrame({"text": [f"{start} Grace Hopper met Howard Aiken."]}) for start in ("so", "then")]
    for reading in readings:
        project.read(reading)
        project.chunk()
        project.extract()
        project.build()
        if reading is readings[0]:
            project.communities()
    assert project.versions()["entities"] == 0 and project.versions()["evidence"] == 1
    assert project.table("reports")["evidence"].list.len().sum()
    assert look(project.path).sound


def test_a_live_writer_disturbs_nothing(path: Path) -> None:
    with closing(sqlite3.connect(path / LEDGER)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO about VALUES ('x', 'y')")
        assert look(path).sound
        connection.execute("COMMIT")
        assert look(path).sound


def test_what_a_killed_process_left_in_the_log_is_read(path: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(path / LEDGER)) as connection:
        connection.execute("INSERT INTO decisions SELECT 99, 'late', kind, subject_id, verdict, payload, reviewer, "
                           "note, decided_at FROM decisions LIMIT 1")  # fmt: skip
        connection.commit()
        shutil.copytree(path, tmp_path / "killed", ignore=shutil.ignore_patterns("*-shm"))
    checkup = look(tmp_path / "killed")
    assert checkup.sound and "4 decisions can be read" in str(checkup.findings["found"].to_list())


# Damage to the ledger


def test_a_lost_ledger(path: Path) -> None:
    whole = (path / LEDGER).read_bytes()
    for content in (b"", b"no database" * 500, whole[:4096], whole[: len(whole) // 2]):
        (path / LEDGER).write_bytes(content)
        checkup = look(path)
        assert not checkup.sound and bad(checkup) >= {("ledger", LEDGER)}
        assert "Put ledger.sqlite back from a copy" in str(checkup.findings["advice"].to_list())
        files = checkup.findings.filter(pl.col("check") == "files")["status"].to_list()
        assert files in (["ok"], ["skipped"])
    (path / LEDGER).unlink()
    checkup = look(path)
    assert said(checkup, "ledger") == "it is missing"
    statuses = dict(checkup.findings.select("check", "status").iter_rows())
    assert statuses["quotes"] == statuses["keys"] == statuses["files"] == "ok"
    assert statuses["decisions"] == statuses["rows"] == "skipped"


def test_every_damaged_page_of_the_ledger_is_survived(path: Path) -> None:
    whole = (path / LEDGER).read_bytes()
    for page in range(4096, len(whole), 4096):
        (path / LEDGER).write_bytes(whole[:page] + b"\xa5" * 4096 + whole[page + 4096 :])
        assert not look(path).sound, page


def test_a_ledger_of_another_kind_or_format(path: Path) -> None:
    sql(path, "PRAGMA user_version = 99")
    checkup = look(path)
    assert bad(checkup) == {("format", LEDGER)}
    assert "format 99; this version of kgkit knows" in said(checkup, "format")
    assert "Install a newer kgkit" in str(checkup.findings["advice"].to_list())
    sql(path, "PRAGMA user_version = 0")
    checkup = look(path)
    assert checkup.sound and bad(checkup, "remark") == {("format", LEDGER)}
    sql(path, "PRAGMA application_id = 7")
    assert "no kgkit project's" in said(look(path), "ledger")
    (path / LEDGER).unlink()
    sql(path, "CREATE TABLE money (amount)")
    assert "no kgkit project's" in said(look(path), "ledger")


def test_missing_tables_and_guards_of_the_ledger(path: Path) -> None:
    unguard(path)
    checkup = look(path)
    assert checkup.sound and len(bad(checkup, "remark")) == 2
    sql(path, "DROP TABLE decisions")
    checkup = look(path)
    assert bad(checkup) == {("format", f"{LEDGER}: table decisions")} and "it is missing" in said(checkup, "format")


@pytest.mark.parametrize(
    ("statement", "match"),
    [
        ("UPDATE runs SET params = '{' WHERE seq = 2", "no JSON object"),
        ("UPDATE runs SET outputs = '[1]' WHERE seq = 2", "no JSON object"),
        ("UPDATE runs SET outputs = '{\"chunks\": 77}' WHERE seq = 8", "does not know: 'chunks 77'"),
        ("UPDATE runs SET stage = 'restore', params = '{\"run_id\": \"x\"}' WHERE seq = 8", "restores run 'x'"),
        ("UPDATE runs SET made_with = '[' WHERE seq = 8", "what is visible cannot be told"),
    ],
)
def test_damaged_runs(path: Path, statement: str, match: str) -> None:
    unguard(path)
    sql(path, statement)
    checkup = look(path)
    assert not checkup.sound and match in said(checkup, "runs")


def test_damaged_decisions(path: Path) -> None:
    unguard(path)
    sql(path, "UPDATE decisions SET payload = '[]' WHERE seq = 1", "UPDATE decisions SET kind = 'merg' WHERE seq = 2",
        "UPDATE decisions SET payload = '{\"decision_id\": \"decision_gone\"}' WHERE seq = 3")  # fmt: skip
    checkup = look(path)
    told = said(checkup, "decisions")
    assert "payload is no JSON object: '[]'" in told and "its kind is 'merg'" in told and "decision_gone" in told
    assert {check for check, _ in bad(checkup)} == {"decisions"}


def test_a_table_of_a_newer_kgkit_is_a_remark(path: Path) -> None:
    sql(path, "INSERT INTO versions VALUES ('wishes', 0, 3)")
    checkup = look(path)
    assert checkup.sound and bad(checkup, "remark") == {("versions", "tables/wishes")}


def test_decisions_on_what_is_gone_are_a_remark(path: Path) -> None:
    kg.Project(path).decide("split", "entity_gone", "accepted")
    checkup = look(path)
    assert checkup.sound and "1 decided on (split) are not in entities: 'entity_gone'" in said(checkup, "decisions")


# Damage to the tables


def test_missing_files(path: Path) -> None:
    file = files_of(path, "documents")[0]
    file.unlink()
    checkup = look(path)
    assert bad(checkup) == {("files", place_of(path, file))} and said(checkup, "files") == "it is missing"
    shutil.rmtree(path / "tables" / "chunks")
    assert ("versions", "tables/chunks") in bad(look(path))


@pytest.mark.parametrize("name", ["documents", "statements", "evidence"])
def test_truncated_and_changed_files(path: Path, name: str) -> None:
    file = files_of(path, name)[0]
    place = ("files", place_of(path, file))
    whole = file.read_bytes()
    for content in (b"", whole[:-1], whole[: len(whole) // 2], b"PAR1" + bytes(len(whole) - 8) + b"PAR1"):
        file.write_bytes(content)
        assert place in bad(look(path))
    file.write_bytes(whole)
    assert look(path).sound
    file.write_bytes(whole[:40] + bytes(byte ^ 0xFF for byte in whole[40:200]) + whole[200:])
    assert not look(path).sound


def test_files_of_another_table_or_version(path: Path) -> None:
    rewrite(path, "relations", lambda frame: frame.with_columns(pl.col("weight").cast(pl.Int64)))
    checkup = look(path)
    assert "column 'weight' is Int64, and must be Float64" in said(checkup, "files")
    rewrite(path, "chunks", lambda frame: frame.drop("doc_id"))
    assert "it has no column 'doc_id'" in said(look(path), "files")


def test_links_instead_of_files(path: Path, tmp_path: Path) -> None:
    file = files_of(path, "documents")[0]
    file.rename(tmp_path / "outside.parquet")
    file.symlink_to(tmp_path / "outside.parquet")
    assert "a link leads to it" in said(look(path), "files")


def test_a_log_that_names_files_outside(path: Path, tmp_path: Path) -> None:
    entry = path / "tables" / "documents" / "_delta_log" / f"{0:020d}.json"
    name = json.loads(next(line for line in entry.read_text().splitlines() if '"add"' in line))["add"]["path"]
    entry.write_text(entry.read_text().replace(name, "../../../outside.parquet"))
    (tmp_path / "outside.parquet").write_bytes(b"x")
    assert "its name leads out of the folder" in said(look(path), "files")


def test_a_removed_or_damaged_log_entry(path: Path) -> None:
    log = path / "tables" / "outcomes" / "_delta_log"
    entry = log / f"{3:020d}.json"
    whole = entry.read_bytes()
    for content in (None, b"", b"{", b'{"add": {}}', whole.replace(b'"size"', b'"length"')):
        entry.unlink()
        if content is not None:
            entry.write_bytes(content)
        checkup = look(path)
        assert not checkup.sound, content
        entry.write_bytes(whole)
    shutil.rmtree(log)
    assert {check for check, _ in bad(look(path))} >= {"versions"}


def test_a_damaged_checkpoint(path: Path) -> None:
    table = DeltaTable(str(path / "tables" / "outcomes"))
    table.create_checkpoint()
    assert look(path).sound
    checkpoint = next((path / "tables" / "outcomes" / "_delta_log").glob("*.checkpoint*"))
    checkpoint.write_bytes(checkpoint.read_bytes()[:100])
    assert ("versions", f"tables/outcomes/_delta_log/{checkpoint.name}") in bad(look(path))


def test_other_row_counts_than_the_ledger(path: Path) -> None:
    sql(path, "UPDATE versions SET n_rows = n_rows + 1 WHERE name = 'entities' AND version = 0")
    checkup = look(path)
    assert bad(checkup) == {("rows", "tables/entities, version 0")}
    sql(path, "UPDATE files SET file = 'part-other.parquet' WHERE name = 'entities'")
    assert "name other files: " in said(look(path), "versions")


# Rows that are not what they should be


def first(column: str, value: Any) -> Callable[[pl.DataFrame], pl.DataFrame]:
    def change(frame: pl.DataFrame) -> pl.DataFrame:
        at = pl.int_range(pl.len()) == 0
        return frame.with_columns(pl.when(at).then(pl.lit(value, frame.schema[column])).otherwise(column).alias(column))

    return change


@pytest.mark.parametrize(
    ("table", "change", "check", "match"),
    [
        ("documents", lambda f: pl.concat([f, f.head(2)]), "keys", "2 keys (doc_id) occur more than once: ('doc_"),
        ("evidence", lambda f: pl.concat([f, f.head(1)]), "keys", "1 keys (item_id, evidence_id)"),
        ("chunks", first("doc_id", "doc_gone"), "links", "doc_id of 1 rows is no doc_id of documents: 'doc_gone'"),
        ("mentions", first("chunk_id", "chunk_gone"), "links", "no chunk_id of chunks: 'chunk_gone'"),
        ("evidence", first("evidence_id", "mention_gone"), "links", "'mention_gone'"),
        ("evidence", first("item_id", "entity_gone"), "links", "'entity_gone'"),
        ("relations", first("target_id", "entity_gone"), "links", "no entity_id of entities: 'entity_gone'"),
        ("communities", first("entity_id", "entity_gone"), "links", "'entity_gone'"),
        ("citations", first("answer_id", "answer_gone"), "links", "no answer_id of answers: 'answer_gone'"),
        ("documents", first("text", "Something else."), "quotes", "rows do not stand where they say"),
        ("chunks", first("start", 1), "quotes", "the words of 1 rows"),
        ("mentions", first("end", 10**9), "quotes", "the words of 1 rows"),
        ("mentions", first("start", -3), "quotes", "the words of 1 rows"),
        ("statements", first("quote", "Never said"), "quotes", "the words of 1 rows"),
        ("statements", first("quote", None), "quotes", "the words of 1 rows"),
        ("citations", first("quote", "Never said"), "quotes", "the words of 1 rows"),
        ("documents", first("metadata", "[1"), "columns", "metadata holds what is no JSON object: '[1'"),
        ("mentions", first("attributes", "[]"), "columns", "attributes holds what is no JSON object: '[]'"),
        ("entities", first("name", None), "columns", "name is null in 1 rows"),
    ],
)
def test_wrong_rows(path: Path, table: str, change: Callable[..., pl.DataFrame], check: str, match: str) -> None:
    rewrite(path, table, change)
    checkup = look(path)
    assert not checkup.sound and match in said(checkup, check)
    assert {"ledger", "format", "runs", "versions", "files", "rows"}.isdisjoint({c for c, _ in bad(checkup)})


def test_many_findings_are_summed_up(path: Path) -> None:
    for file in (path / "tables").glob("*/*/*.parquet"):
        file.write_bytes(b"")
    files = look(path).findings.filter(pl.col("check") == "files")
    assert files.height == 21 and "more findings of this check" in files["found"][-1]


# What is no damage


def test_leftovers_and_unseen_versions_are_remarks(path: Path) -> None:
    project = kg.Project(path)
    store = project._keeper.store
    store.write("documents", dict.fromkeys(project._keeper.view().parts("documents"), kg.tables.empty("documents")))
    store.write("pages", {"all": kg.tables.empty("pages")})
    (path / "tables" / "chunks" / "part-dead.parquet").write_bytes(b"half")
    checkup = look(path)
    assert checkup.sound and bad(checkup, "remark") == {("readers", "tables/documents"), ("leftovers", "tables")}
    assert "part-dead.parquet" in said(checkup, "leftovers")
    kg.Project(path)  # opening puts it right
    assert bad(look(path), "remark") == set()


def test_a_graph_with_merged_entities_is_sound(path: Path) -> None:
    project = kg.Project(path)
    project.decide("merge", project.table("entities")["entity_id"].to_list()[:3], "accepted")
    project.build()
    assert project.table("canonical").height > project.table("entities").height
    assert look(path).sound


def test_where_there_is_no_project(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("x")
    for place in (tmp_path, tmp_path / "absent", tmp_path / "note.txt"):
        with pytest.raises(InputError, match="There is no project at"):
            check_project(place)
    assert [p.name for p in tmp_path.iterdir()] == ["note.txt"]
