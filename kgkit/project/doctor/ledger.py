"""Looking into a ledger without touching it, and what it must hold."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kgkit.project.doctor.findings import Findings, some
from kgkit.project.ledger import FORMAT, LEDGER
from kgkit.project.records import RESTORE, State, read_state

__all__ = ["Known", "Lives", "check_format", "check_runs", "copy_ledger"]

_APPLICATION = 0x6B676B74
_NEEDED = {
    "about": {"key", "value"},
    "files": {"name", "file", "n_rows", "since", "until"},
    "runs": {"seq", "run_id", "stage", "params", "inputs", "outputs", "counts", "verdict", "finished_at"},
    "versions": {"name", "version", "n_rows"},
    "decisions": {"seq", "decision_id", "kind", "subject_id", "verdict", "payload", "reviewer", "decided_at"},
}
_JSON = ("params", "inputs", "outputs", "counts")
_TRIES = 5
_LOST = "What people decided and what was run is in this file, and cannot be made again."
_COPY = f"Put {LEDGER} back from a copy or an archive of the project."

Lives = dict[str, list[tuple[int, int | None]]]
"""For each file of a table the versions from which on it was there, and those in which it was gone again."""


@dataclass
class Known:
    """What the ledger says, as far as it could be read: runs, rows of each version, lives of files, what is visible."""

    runs: list[dict[str, Any]] = field(default_factory=list)
    versions: dict[tuple[str, int], int] = field(default_factory=dict)
    lives: dict[str, Lives] = field(default_factory=dict)
    state: State | None = None

    def inputs(self, name: str, version: int) -> dict[str, int]:
        """Give the versions that a table's version was made from."""
        made = self.state.tables.get(name) if self.state else None
        if made and made.version == version:
            return made.run.inputs
        makers = (r["inputs"] for r in reversed(self.runs) if r["outputs"].get(name) == version)
        return next(makers, {})


def copy_ledger(folder: Path, scratch: Path, findings: Findings) -> sqlite3.Connection | None:
    """Copy the ledger as it is at one moment, so that nothing is changed and nobody has to wait.

    Returns:
        A connection to the copy, or ``None`` when there is no ledger that can be read.
    """
    path, copy = folder / LEDGER, scratch / LEDGER
    try:
        if path.stat().st_size == 0:
            raise sqlite3.DatabaseError("it is empty")
        for _ in range(_TRIES):
            before = _signature(path)
            for old in scratch.iterdir():
                old.unlink()
            _copy(path, copy, still=not before[1])
            if before == _signature(path) or before[1]:
                break
        connection = sqlite3.connect(copy)
        bad = [row[0] for row in connection.execute("PRAGMA integrity_check(20)")]
    except FileNotFoundError:
        findings.failed("ledger", LEDGER, "it is missing", _LOST, _COPY)
    except (sqlite3.Error, OSError) as error:
        findings.failed("ledger", LEDGER, f"it is damaged, or no SQLite file: {error}", _LOST, _COPY)
    else:
        for said in bad if bad != ["ok"] else []:
            findings.failed("ledger", LEDGER, f"SQLite finds it damaged: {said}", _LOST, _COPY)
        return connection
    return None


def check_format(connection: sqlite3.Connection, findings: Findings) -> bool:
    """Check that it is a ledger, of a format that can be checked; tell whether to go on."""
    try:
        kind, number = (connection.execute(f"PRAGMA {p}").fetchone()[0] for p in ("application_id", "user_version"))
        if kind != _APPLICATION:
            text = "it is an SQLite file, but no kgkit project's"
            findings.failed("ledger", LEDGER, text, "The ledger was replaced by another file. " + _LOST, _COPY)
            return False
        if number > FORMAT:
            text = f"it has format {number}; this version of kgkit knows formats up to {FORMAT}"
            findings.failed(
                "format", LEDGER, text, "It was made by a newer kgkit.", "Install a newer kgkit and check again."
            )
            return False
        if number < FORMAT:
            text = f"it has format {number}; today's is {FORMAT}"
            findings.remark(
                "format", LEDGER, text, "It was made by an older kgkit.", "Opening it with kg.Project renews it."
            )
        needed = {name: columns for name, columns in _NEEDED.items() if (name, number) != ("files", 1)}
        if number == 1:  # the copy is brought as far as it is needed to read it
            for column in ("reason TEXT", "cost REAL"):
                connection.execute(f"ALTER TABLE runs ADD COLUMN {column}")
        whole = [_check_columns(connection, name, columns, findings) for name, columns in needed.items()]
        _check_guards(connection, findings)
        findings.ok("format", LEDGER, f"format {number}")
    except sqlite3.Error as error:
        findings.failed("ledger", LEDGER, f"it cannot be read: {error}", _LOST, _COPY)
        return False
    return all(whole)


def check_runs(connection: sqlite3.Connection, findings: Findings) -> Known:
    """Check runs and versions: all that they name is there, and is what it should be."""
    known = Known()
    whole = _read_versions(connection, known, findings)
    known.runs = list(_runs(connection, findings))
    ids = {run["run_id"] for run in known.runs}
    for run in known.runs:
        place = f"{LEDGER}: run {run['run_id']}"
        wanted = {*run["inputs"].items(), *run["outputs"].items()}
        lost = sorted(f"{name} {version}" for name, version in wanted if (name, version) not in known.versions)
        if lost:
            text = f"it names versions that the ledger does not know: {some(lost)}"
            findings.failed("runs", place, text, "That moment of the history cannot be read.", _COPY)
        if run["stage"] == RESTORE and run["params"].get("run_id") not in ids:
            text = f"it restores run {run['params'].get('run_id')!r}, which there is not"
            findings.failed("runs", place, text, "What is visible since then is not known.", _COPY)
    try:
        known.state = read_state(connection) if whole else None
    except Exception as error:  # whatever a damaged row leads to: it is told, and the rest is checked
        text = f"what is visible cannot be told: {error}"
        findings.failed("runs", f"{LEDGER}: runs", text, "The project does not open.", _COPY)
    findings.ok("runs", LEDGER, f"{len(known.runs):,} runs name {len(known.versions):,} versions of tables")
    return known


def _read_versions(connection: sqlite3.Connection, known: Known, findings: Findings) -> bool:
    try:
        for name, version, n_rows in connection.execute("SELECT name, version, n_rows FROM versions"):
            known.versions[name, version] = n_rows
            known.lives.setdefault(name, {})
        if _columns(connection, "files"):
            for name, file, since, until in connection.execute("SELECT name, file, since, until FROM files"):
                known.lives.setdefault(name, {}).setdefault(file, []).append((since, until))
        else:  # format 1, where each version lists its files
            for name, version, files in connection.execute("SELECT name, version, files FROM versions"):
                for file in json.loads(files):
                    known.lives[name].setdefault(file, []).append((version, version + 1))
    except (sqlite3.Error, ValueError, TypeError) as error:
        findings.failed("runs", f"{LEDGER}: versions", f"cannot be read: {error}", _LOST, _COPY)
        return False
    return True


def _runs(connection: sqlite3.Connection, findings: Findings) -> Iterator[dict[str, Any]]:
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    try:
        for row in cursor.execute("SELECT * FROM runs ORDER BY seq"):
            run = dict(row)
            try:
                run |= {name: _object(run[name]) for name in _JSON}
            except ValueError as error:
                text = f"it holds what is no JSON object: {error}"
                findings.failed("runs", f"{LEDGER}: run {run['run_id']}", text, "The project does not open.", _COPY)
                continue
            yield run
    except sqlite3.Error as error:
        findings.failed("runs", f"{LEDGER}: runs", f"cannot be read: {error}", _LOST, _COPY)


def _object(text: str) -> dict[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict):
        msg = f"{text[:40]!r}"
        raise ValueError(msg)
    return value


def _check_columns(connection: sqlite3.Connection, name: str, columns: set[str], findings: Findings) -> bool:
    held = _columns(connection, name)
    missing = sorted(columns - held)
    if missing:
        text = f"its columns {', '.join(missing)} are missing" if held else "it is missing"
        findings.failed("format", f"{LEDGER}: table {name}", text, _LOST, _COPY)
    return not missing


def _columns(connection: sqlite3.Connection, name: str) -> set[str]:
    return {row[1] for row in connection.execute(f"PRAGMA table_info({name})")}


def _check_guards(connection: sqlite3.Connection, findings: Findings) -> None:
    query = "SELECT tbl_name, count(*) FROM sqlite_master WHERE type = 'trigger' GROUP BY tbl_name"
    guards = dict(connection.execute(query).fetchall())
    for name in ("runs", "decisions"):
        if guards.get(name, 0) < 2:
            text = "the triggers that keep its rows from being changed are gone"
            meaning = "Somebody worked on the ledger with another tool; rows may have been changed."
            findings.remark("format", f"{LEDGER}: table {name}", text, meaning, "Compare it with an older copy.")


def _signature(path: Path) -> tuple[tuple[int, int, int], bool]:
    about, log = path.stat(), Path(f"{path}-wal")
    return (about.st_mtime_ns, about.st_size, about.st_ino), log.exists() and log.stat().st_size > 0


def _copy(path: Path, copy: Path, *, still: bool) -> None:
    """Copy through SQLite, which joins the log; where nobody writes, without any file beside the ledger."""
    log = Path(f"{path}-wal")
    if not still and not Path(f"{path}-shm").exists():  # nobody has it open, and SQLite would make this file
        shutil.copyfile(path, copy)
        shutil.copyfile(log, f"{copy}-wal")
        return
    address = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if still else ''}"
    with closing(sqlite3.connect(address, uri=True)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
