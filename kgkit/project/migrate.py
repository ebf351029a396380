"""Bringing a project of an older format to the one of this version: all of its versions, runs and decisions.

The new tables are made beside the old ones, and one transaction of the ledger makes the change hold. A process that
is killed meanwhile leaves a project that is taken back to its old format when it is opened next, and migrated again.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import polars as pl

from kgkit import tables
from kgkit.errors import ProjectError
from kgkit.project.ledger import FILES, VERSIONS, Ledger
from kgkit.project.store import Store, Written

__all__ = ["clear_migration", "migrate"]

_NEW, _OLD = "tables.new", "tables.old"


def migrate(ledger: Ledger) -> None:
    """Bring a project of format 1, whose tables are written whole, to format 2, whose tables lie in parts.

    Raises:
        ProjectError: It cannot be written, or a table cannot be read; the project is as it was.
    """
    folder = ledger.folder
    with ledger.writing() as connection:
        if connection.execute("PRAGMA user_version").fetchone()[0] != 1:  # another process was faster
            return
        _take_back(folder)
        store = Store(folder / _NEW)
        named = connection.execute("SELECT name, version FROM versions ORDER BY name, version").fetchall()
        heads = dict(connection.execute("SELECT name, version FROM heads"))
        try:
            written = {name: _copy(store, folder, name, head, named) for name, head in sorted(heads.items())}
            _swap(folder)
        except OSError as error:
            msg = f"Cannot bring {str(folder)!r} to the newest format: {error}. It is as it was before."
            raise ProjectError(msg) from error
        _rewrite(connection, written, {(name, version) for name, version in named})
    shutil.rmtree(folder / _OLD, ignore_errors=True)


def clear_migration(ledger: Ledger) -> None:
    """Remove what a migration that was killed after its end left behind."""
    if (ledger.folder / _OLD).exists():
        shutil.rmtree(ledger.folder / _OLD, ignore_errors=True)


def _take_back(folder: Path) -> None:
    """Undo what a migration did that was killed before its end."""
    if (folder / _OLD).exists():
        shutil.rmtree(folder / "tables", ignore_errors=True)
        (folder / _OLD).rename(folder / "tables")
    shutil.rmtree(folder / _NEW, ignore_errors=True)


def _swap(folder: Path) -> None:
    if (folder / _NEW).exists():
        (folder / "tables").rename(folder / _OLD)
        (folder / _NEW).rename(folder / "tables")


def _copy(store: Store, folder: Path, name: str, head: int, named: list[tuple[str, int]]) -> list[Written]:
    """Write each version of a table anew, under its number."""
    known = {version for table, version in named if table == name}
    frame = tables.empty(name)
    written: list[Written] = []
    for version in range(head + 1):
        if version in known or version == head:
            frame = _read(folder / "tables" / name, name, version)
        written.append(store.write(name, _parts(name, frame, written)))
    return written


def _read(path: Path, name: str, version: int) -> pl.DataFrame:
    try:
        return tables.conform(pl.read_delta(str(path), version=version), name)
    except Exception as error:  # deltalake raises kinds of its own
        msg = (
            f"Cannot read version {version} of the table {name!r} in {str(path)!r}: {error} The project keeps its "
            "old format; put the folder back from a copy, or open it with the version of kgkit that made it."
        )
        raise ProjectError(msg) from error


def _parts(name: str, frame: pl.DataFrame, before: list[Written]) -> dict[str, pl.DataFrame]:
    """Put a table's rows into parts; those of the version before that have no rows any more go."""
    if name != "outcomes":
        return {"all": frame}
    stages = frame.partition_by("stage", as_dict=True)
    parts = {f"{stage}.all": rows for (stage,), rows in stages.items()}
    last = {part for part, _ in before[-1].added.values()} if before else {"none.all"}
    return {part: frame.clear() for part in last} | parts


def _rewrite(connection: sqlite3.Connection, written: dict[str, list[Written]], named: set[tuple[str, int]]) -> None:
    counts = {(n, v): r for n, v, r in connection.execute("SELECT name, version, n_rows FROM versions")}
    connection.execute("DROP TABLE versions")
    for statement in (VERSIONS, *FILES):
        connection.execute(statement)
    connection.execute("ALTER TABLE runs ADD COLUMN reason TEXT")
    connection.execute("ALTER TABLE runs ADD COLUMN cost REAL")
    for name, steps in written.items():
        for step in steps:
            connection.executemany(
                "UPDATE files SET until = ? WHERE name = ? AND file = ? AND until IS NULL",
                [(step.version, name, file) for file in step.removed],
            )
            rows = [(name, file, part, n_rows, step.version) for file, (part, n_rows) in step.added.items()]
            connection.executemany("INSERT INTO files (name, file, part, n_rows, since) VALUES (?, ?, ?, ?, ?)", rows)
    connection.executemany("INSERT INTO versions VALUES (?, ?, ?)", [(n, v, counts[n, v]) for n, v in sorted(named)])
    made = json.dumps({"format": 1})
    connection.execute("INSERT OR REPLACE INTO about VALUES ('migrated_from', ?)", (made,))
    connection.execute("PRAGMA user_version = 2")
