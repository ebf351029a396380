"""Making a stage's tables visible together, and clearing away what a killed writer left."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from typing import Any

import polars as pl

from kgkit import tables
from kgkit.errors import ProjectError
from kgkit.project.ledger import Ledger
from kgkit.project.order import in_order
from kgkit.project.records import (
    RESTORE,
    PartFile,
    Run,
    State,
    add_run,
    add_version,
    bring_back,
    files_of,
    known_files,
    last_decision,
    now,
    read_heads,
    read_state,
)
from kgkit.project.store import Store

__all__ = ["WHOLE", "Change", "Keeper", "Parts", "View"]

WHOLE = "all"
"""The part of tables that are written whole."""

_ROWS_A_WRITE = 50_000

Parts = Iterable[tuple[str, pl.DataFrame]]
"""Parts with all the rows that they have from now on."""


class View:
    """The tables as they are at one state of the ledger."""

    def __init__(self, store: Store, state: State, files: Callable[[str, int], list[PartFile]]) -> None:
        self.state = state
        self._store = store
        self._files = files
        self._held: dict[str, list[PartFile]] = {}

    def files(self, name: str) -> list[PartFile]:
        """List a table's files; none when it is not there yet."""
        if name not in self._held:
            made = self.state.tables.get(name)
            self._held[name] = self._files(name, made.version) if made else []
        return self._held[name]

    def parts(self, name: str) -> dict[str, frozenset[str]]:
        """Give the files of each part of a table: where they are the same in two states, so are the rows."""
        grouped = groupby(self.files(name), lambda held: held.part)
        return {part: frozenset(held.file for held in group) for part, group in grouped}

    def table(self, name: str) -> pl.DataFrame:
        """Read a table, in its order; empty when it is not there yet."""
        return in_order(name, self.rows(name))

    def rows(
        self, name: str, *, parts: Iterable[str] | None = None, columns: Sequence[str] | None = None
    ) -> pl.DataFrame:
        """Read rows of a table, in no order.

        Args:
            name: The table.
            parts: Only these parts.
            columns: Only these columns; `PART` is one of them.
        """
        wanted = None if parts is None else set(parts)
        files = [held.file for held in self.files(name) if wanted is None or held.part in wanted]
        made = self.state.tables.get(name)
        return self._store.read(name, files, columns=columns, version=made.version if made else None)


Change = pl.DataFrame | Callable[[View], Parts]
"""A table written whole, or a function that makes its new parts out of what is visible when it is written."""


class Keeper:
    """Ledger and tables of one project, kept in step."""

    def __init__(self, ledger: Ledger, store: Store) -> None:
        self.ledger = ledger
        self.store = store

    def state(self, at: str | None = None) -> State:
        """Read what is visible now, or was when the run ``at`` ended."""
        with self.ledger.reading() as connection:
            return read_state(connection, at)

    def view(self, state: State | None = None, *, at: str | None = None) -> View:
        """Look at the tables of a state; by default at the visible ones."""
        return View(self.store, state or self.state(at), self._files)

    def last_decision(self) -> int:
        """Give the number of the latest decision; 0 when there is none."""
        with self.ledger.reading() as connection:
            return last_decision(connection)

    def commit(
        self,
        run: Run,
        changes: Mapping[str, Change],
        *,
        told: Callable[[View], Mapping[str, Any]] | None = None,
        expected: Mapping[str, int | None] | None = None,
    ) -> Run | None:
        """Write a run's tables, and make them visible by one row of the ledger.

        A part that did not change keeps its file, and a table none of whose parts did its version, so nothing
        that was made from it is stale.

        Args:
            run: The run; its outputs and end are filled in here.
            changes: The tables.
            told: Makes further fields of the run out of the tables as they are after it.
            expected: The versions that tables must have; none for a table that is not there.

        Returns:
            The run as the ledger has it; nothing, and nothing was kept, when a table has another version.

        Raises:
            ProjectError: Something could not be written; what was visible still is.
        """
        with self.ledger.writing() as connection:
            self._tidy(connection)
            state = read_state(connection)
            if any(state.versions.get(name) != version for name, version in (expected or {}).items()):
                return None
            before = View(self.store, state, lambda *wanted: files_of(connection, *wanted))
            outputs = {name: self._put(connection, before, name, change) for name, change in changes.items()}
            done = replace(run, outputs=outputs, finished_at=now())
            if told:
                after = before.state.copy()
                after.follow(done)
                done = replace(done, **told(View(self.store, after, lambda *wanted: files_of(connection, *wanted))))
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

    def _files(self, name: str, version: int) -> list[PartFile]:
        with self.ledger.reading() as connection:
            return files_of(connection, name, version)

    def _tidy(self, connection: sqlite3.Connection) -> None:
        for name, version in self._outdated(connection, read_state(connection)).items():
            newest = self.store.show(name, version)
            bring_back(connection, name, version, newest)
        self.store.sweep(known_files(connection))

    def _outdated(self, connection: sqlite3.Connection, state: State) -> dict[str, int]:
        """Give the tables whose newest version on disk is not the visible one (-1: none is), or shows other rows."""
        heads = read_heads(connection)
        wanted = dict.fromkeys(heads, -1) | state.versions
        return {n: v for n, v in wanted.items() if heads.get(n) != (self.store.head(n), v)}

    def _put(self, connection: sqlite3.Connection, before: View, name: str, change: Change) -> int:
        parts = [(WHOLE, change)] if isinstance(change, pl.DataFrame) else change(before)
        written = [self.store.write(name, group) for group in _groups(self._changed(before, name, parts))]
        made = before.state.tables.get(name)
        if not written and made:
            return made.version
        if not written:  # a table without rows is one too
            written = [self.store.write(name, {WHOLE: tables.empty(name)})]
        return add_version(connection, name, written)

    def _changed(self, before: View, name: str, parts: Parts) -> Iterator[tuple[str, pl.DataFrame]]:
        """Leave out the parts that are as they were."""
        held = before.parts(name)
        sizes = {f.part: f.n_rows for f in before.files(name)}
        for part, frame in parts:
            new = tables.conform(frame, name)
            if part not in held and not new.height:
                continue
            if sizes.get(part) == new.height and before.rows(name, parts=[part]).equals(new):
                continue
            yield part, new


def _groups(parts: Iterator[tuple[str, pl.DataFrame]]) -> Iterator[dict[str, pl.DataFrame]]:
    """Put parts together that are written at once."""
    group: dict[str, pl.DataFrame] = {}
    size = 0
    for part, frame in parts:
        group[part] = frame
        size += frame.height
        if size >= _ROWS_A_WRITE:
            yield group
            group, size = {}, 0
    if group:
        yield group
