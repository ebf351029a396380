"""The rows of the ledger: runs, the table versions that they made visible, and decisions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from kgkit import tables
from kgkit.errors import InputError
from kgkit.project.ledger import as_json
from kgkit.project.stages import DECIDED
from kgkit.project.store import Written

__all__ = [
    "RESTORE",
    "Made",
    "PartFile",
    "Run",
    "State",
    "add_run",
    "add_version",
    "bring_back",
    "decided_since",
    "decisions_frame",
    "files_of",
    "known_files",
    "last_decision",
    "moment",
    "now",
    "read_heads",
    "read_state",
    "row_counts",
    "runs_frame",
    "set_head",
]

RESTORE = "restore"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RUN = (
    "seq, run_id, stage, params, inputs, outputs, counts, verdict, made_with, run_by, started_at, finished_at, "
    "last_decision, reason, cost"
)


@dataclass(frozen=True)
class Run:
    """One run as the ledger has it; times are microseconds since 1970, UTC."""

    run_id: str
    stage: str
    params: dict[str, Any]
    inputs: dict[str, int]
    outputs: dict[str, int]
    counts: dict[str, int]
    verdict: str
    made_with: dict[str, str]
    run_by: str
    started_at: int
    finished_at: int
    last_decision: int | None = None
    reason: str | None = None
    cost: float | None = None
    seq: int = 0


@dataclass(frozen=True)
class Made:
    """One table as it is visible: its version, and the run that made it (not the one that restored it)."""

    version: int
    run: Run


@dataclass(frozen=True)
class PartFile:
    """One file of a table: the part whose rows it holds, and how many."""

    part: str
    file: str
    n_rows: int


@dataclass
class State:
    """What is visible: each table's version, each question's run, and how many decisions there were."""

    tables: dict[str, Made] = field(default_factory=dict)
    asked: dict[str, Run] = field(default_factory=dict)
    last_decision: int | None = None

    def copy(self) -> State:
        """Copy it, so that the next run does not change it."""
        return State(dict(self.tables), dict(self.asked), self.last_decision)

    def seen_by(self, run: Run) -> State:
        """Give the state in which the inputs of a run are as that run read them; to look at, not to go on from."""
        state = self.copy()
        state.tables |= {name: Made(version, run) for name, version in run.inputs.items()}
        return state

    @property
    def versions(self) -> dict[str, int]:
        """Each table's version."""
        return {name: made.version for name, made in self.tables.items()}

    def follow(self, run: Run) -> None:
        """Take in what a run made visible."""
        for name, version in run.outputs.items():
            self.tables[name] = Made(version, run)
        if run.stage == "ask" and run.outputs:
            self.asked[str(run.params["question"])] = run


def read_state(connection: sqlite3.Connection, at: str | None = None) -> State:
    """Read what is visible now, or was when the run ``at`` ended.

    Raises:
        InputError: There is no such run.
    """
    runs = _runs(connection)
    if at is not None and at not in {run.run_id for run in runs}:
        some = ", ".join(repr(run.run_id) for run in runs[-3:]) or "none yet"
        msg = f"There is no run {at!r}. The latest are: {some}. See project.history()."
        raise InputError(msg)
    wanted = {str(run.params["run_id"]) for run in runs if run.stage == RESTORE}
    saved: dict[str, State] = {}
    state = State()
    for run in runs:
        if run.stage == RESTORE:
            state = saved[str(run.params["run_id"])].copy()
        else:
            state.follow(run)
        if run.run_id in wanted:
            saved[run.run_id] = state.copy()
        if run.run_id == at:
            state.last_decision = run.last_decision
            return state
    return state


def add_run(connection: sqlite3.Connection, run: Run) -> None:
    """Append a run; it takes note of the latest decision that it saw."""
    last = last_decision(connection) if run.last_decision is None else run.last_decision
    row = (
        run.run_id, run.stage, *map(as_json, (run.params, run.inputs, run.outputs, run.counts)), run.verdict,
        as_json(run.made_with), run.run_by, run.started_at, run.finished_at, last, run.reason, run.cost,
    )  # fmt: skip
    columns = _RUN.removeprefix("seq, ")
    connection.execute(f"INSERT INTO runs ({columns}) VALUES ({', '.join('?' * len(row))})", row)


def last_decision(connection: sqlite3.Connection) -> int:
    """Give the number of the latest decision; 0 when there is none."""
    return int(connection.execute("SELECT coalesce(max(seq), 0) FROM decisions").fetchone()[0])


def runs_frame(connection: sqlite3.Connection, *, upto: str | None = None) -> pl.DataFrame:
    """Read the runs table, in the order in which they ended."""
    rows = []
    for run in _runs(connection):
        shown: dict[str, Any] = {name: getattr(run, name) for name in tables.get("runs").schema}
        for name in ("params", "inputs", "outputs", "counts", "made_with"):
            shown[name] = as_json(shown[name])
        for name in ("started_at", "finished_at"):
            shown[name] = moment(shown[name])
        rows.append(shown)
        if run.run_id == upto:
            break
    return tables.from_rows("runs", rows)


def decisions_frame(connection: sqlite3.Connection, *, upto: int | None = None) -> pl.DataFrame:
    """Read the decisions table, in the order in which they were made."""
    columns = list(tables.get("decisions").schema)
    query = f"SELECT {', '.join(columns)} FROM decisions WHERE seq <= coalesce(?, seq) ORDER BY seq"
    rows = [dict(zip(columns, row, strict=True)) for row in connection.execute(query, (upto,))]
    return tables.from_rows("decisions", [row | {"decided_at": moment(row["decided_at"])} for row in rows])


def decided_since(connection: sqlite3.Connection, state: State) -> dict[int, int]:
    """Count the decisions that graphs are built with, after each decision that some visible run was the last before."""
    marks = ", ".join("?" * len(DECIDED))
    query = (
        f"SELECT count(*) FROM decisions WHERE seq > ? AND kind IN ({marks}) "
        "AND verdict IN ('accepted', 'rejected', 'undone')"
    )
    numbers = {made.run.last_decision or 0 for made in state.tables.values()}
    return {number: int(connection.execute(query, (number, *DECIDED)).fetchone()[0]) for number in numbers}


def add_version(connection: sqlite3.Connection, name: str, written: Iterable[Written]) -> int:
    """Note what was written of a table, one version after the other; return the last.

    Files live from the version that added them to the one that took them away.
    """
    version = -1
    for step in written:
        version = step.version
        connection.executemany(
            "UPDATE files SET until = ? WHERE name = ? AND file = ? AND until IS NULL",
            [(version, name, file) for file in step.removed],
        )
        rows = [(name, file, part, n_rows, version) for file, (part, n_rows) in step.added.items()]
        connection.executemany("INSERT INTO files (name, file, part, n_rows, since) VALUES (?, ?, ?, ?, ?)", rows)
    n_rows = sum(held.n_rows for held in files_of(connection, name, version))
    connection.execute("INSERT INTO versions VALUES (?, ?, ?)", (name, version, n_rows))
    set_head(connection, name, version, version)
    return version


def bring_back(connection: sqlite3.Connection, name: str, version: int, newest: int) -> None:
    """Note that a table's newest version on disk has the files of an earlier one again."""
    old = {held.file: held for held in files_of(connection, name, version)}
    alive = {row[0] for row in connection.execute("SELECT file FROM files WHERE name = ? AND until IS NULL", (name,))}
    connection.executemany(
        "UPDATE files SET until = ? WHERE name = ? AND file = ? AND until IS NULL",
        [(newest, name, file) for file in alive - old.keys()],
    )
    rows = [(name, f, old[f].part, old[f].n_rows, newest) for f in sorted(old.keys() - alive)]
    connection.executemany("INSERT INTO files (name, file, part, n_rows, since) VALUES (?, ?, ?, ?, ?)", rows)
    set_head(connection, name, newest, version)


def files_of(connection: sqlite3.Connection, name: str, version: int) -> list[PartFile]:
    """List the files of a table's version, by part."""
    query = (
        "SELECT part, file, n_rows FROM files WHERE name = ? AND since <= ? AND (until IS NULL OR until > ?) "
        "ORDER BY length(part), part, file"
    )
    return [PartFile(*row) for row in connection.execute(query, (name, version, version))]


def set_head(connection: sqlite3.Connection, name: str, version: int, shows: int) -> None:
    """Note the newest version in a table's folder, and the version whose rows it shows."""
    connection.execute("INSERT OR REPLACE INTO heads VALUES (?, ?, ?)", (name, version, shows))


def known_files(connection: sqlite3.Connection) -> dict[str, set[str]]:
    """Give the files of all versions that some run names, by table."""
    known: dict[str, set[str]] = {name: set() for (name,) in connection.execute("SELECT DISTINCT name FROM versions")}
    for name, file in connection.execute("SELECT name, file FROM files"):
        known[name].add(file)
    return known


def read_heads(connection: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Give each table's newest version, and the version whose rows it shows."""
    return {name: (version, shows) for name, version, shows in connection.execute("SELECT * FROM heads")}


def row_counts(connection: sqlite3.Connection, versions: Mapping[str, int]) -> dict[str, int]:
    """Give the number of rows of table versions."""
    query = "SELECT n_rows FROM versions WHERE name = ? AND version = ?"
    return {pair[0]: int(connection.execute(query, pair).fetchone()[0]) for pair in versions.items()}


def now() -> int:
    """Give the time in microseconds since 1970, UTC."""
    return (datetime.now(UTC) - _EPOCH) // timedelta(microseconds=1)


def moment(micros: int) -> datetime:
    """Give the time that `now` gave a number for."""
    return _EPOCH + timedelta(microseconds=micros)


def _runs(connection: sqlite3.Connection) -> list[Run]:
    names = _RUN.split(", ")
    found = []
    for row in connection.execute(f"SELECT {_RUN} FROM runs ORDER BY seq"):
        held = dict(zip(names, row, strict=True))
        for name in ("params", "inputs", "outputs", "counts", "made_with"):
            held[name] = json.loads(held[name])
        found.append(Run(**held))
    return found
