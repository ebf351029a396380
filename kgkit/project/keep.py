"""Making a stage's tables visible together, and clearing away what a killed writer left."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

import polars as pl

from kgkit import tables
from kgkit.errors import ProjectError
from kgkit.project.ledger import Ledger
from kgkit.project.records import (
    RESTORE,
    Run,
    State,
    add_run,
    add_version,
    known_files,
    now,
    read_heads,
    read_state,
    row_counts,
    set_head,
)
from kgkit.project.store import Store

__all__ = ["Keeper", "Merge"]

Merge = Callable[[Callable[[str], pl.DataFrame]], pl.DataFrame]
"""Makes a table's new rows out of what is visible when it is written; it is given a function that reads a table."""


class Keeper:
    """Ledger and tables of one project, kept in step."""

    def __init__(self, ledger: Ledger, store: Store) -> None:
        self.ledger = ledger
        self.store = store

    def state(self, at: str | None = None) -> State:
        """Read what is visible now, or was when the run ``at`` ended."""
        with self.ledger.reading() as connection:
            return read_state(connection, at)

    def read(self, name: str, state: State) -> pl.DataFrame:
        """Read a table as it is in a state; empty when it is not there yet."""
        made = state.tables.get(name)
        return self.store.read(name, made.version) if made else tables.empty(name)

    def commit(self, run: Run, frames: Mapping[str, pl.DataFrame | Merge]) -> Run:
        """Write a run's tables, and make them visible by one row of the ledger.

        A table that did not change keeps its version, so nothing that was made from it is stale.

        Args:
            run: The run; its outputs and end are filled in here.
            frames: The tables; a function makes one from what is visible while nobody else writes.

        Returns:
            The run as the ledger has it.

        Raises:
            ProjectError: Something could not be written; what was visible still is.
        """
        with self.ledger.writing() as connection:
            self._tidy(connection)
            state = read_state(connection)
            outputs = {name: self._put(connection, state, name, frame) for name, frame in frames.items()}
            done = replace(run, outputs=outputs, finished_at=now())
            add_run(connection, done)
        return done

    def restore(self, run: Run) -> Run:
        """Make the tables of an earlier run visible again; ``run.params`` name it."""
        with self.ledger.writing() as connection:
            self._tidy(connection)
            old = read_state(connection, str(run.params["run_id"]))
            done = replace(run, stage=RESTORE, outputs=old.versions, finished_at=now())
            add_run(connection, done)
        self.tidy()
        return done

    def tidy(self) -> None:
        """Clear away what killed writers left, when there is anything and nobody is writing.

        Where that cannot be done now (another writer, a read-only folder, a full disk), the next writer does it,
        and tells when it cannot.
        """
        with self.ledger.reading() as connection:
            state = read_state(connection)
            needed = bool(self.store.leftovers(known_files(connection))) or bool(self._outdated(connection, state))
        if needed:
            with suppress(ProjectError), self.ledger.writing(wait=False) as connection:
                self._tidy(connection)

    def _tidy(self, connection: sqlite3.Connection) -> None:
        for name, version in self._outdated(connection, read_state(connection)).items():
            set_head(connection, name, self.store.show(name, version), version)
        self.store.sweep(known_files(connection))

    def _outdated(self, connection: sqlite3.Connection, state: State) -> dict[str, int]:
        """Give the tables whose newest version on disk is not the visible one, or shows other rows."""
        heads = read_heads(connection)
        return {n: v for n, v in state.versions.items() if heads.get(n) != (self.store.head(n), v)}

    def _put(self, connection: sqlite3.Connection, state: State, name: str, frame: pl.DataFrame | Merge) -> int:
        made = state.tables.get(name)
        if callable(frame):
            frame = frame(lambda wanted: self.read(wanted, state))
        new = tables.conform(frame, name)
        as_long = made and row_counts(connection, {name: made.version})[name] == new.height
        if made and as_long and self.store.read(name, made.version).equals(new):
            return made.version
        written = self.store.write(name, new)
        add_version(connection, name, written.version, written.n_rows, written.files)
        return written.version
