"""The project's ledger: one SQLite file that says which table versions are visible, and keeps what people decided.

Each operation opens the file, does one transaction, and closes it: so threads, processes and notebooks can share a
project. In SQLite's WAL mode readers never wait for a writer; writers wait for each other.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from kgkit.errors import InputError, ProjectBusyError, ProjectError
from kgkit.project.store import awkward_name

__all__ = ["FILES", "FORMAT", "HALF", "LEDGER", "VERSIONS", "Ledger", "open_ledger"]

LEDGER = "ledger.sqlite"
FORMAT = 2
"""Version of what is in the ledger and how the tables lie in the folder."""

HALF = re.compile("[\ud800-\udfff]")
"""Half characters (lone surrogates), which no file can hold."""

_APPLICATION = 0x6B676B74  # "kgkt": tells a ledger from any other SQLite file
_SCRATCH = ".ledger-"
_PATIENCE = 10.0  # s: readers do not wait for writers, but for the moment in which the last one tidies up its log
_TABLES = ("about", "decisions", "files", "heads", "runs", "versions")
VERSIONS = """
CREATE TABLE versions (
    name TEXT NOT NULL, version INTEGER NOT NULL, n_rows INTEGER NOT NULL, PRIMARY KEY (name, version)
) STRICT
"""
FILES = (
    """
    CREATE TABLE files (
        name TEXT NOT NULL, file TEXT NOT NULL, part TEXT NOT NULL, n_rows INTEGER NOT NULL,
        since INTEGER NOT NULL, until INTEGER, PRIMARY KEY (name, file, since)
    ) STRICT
    """,
    "CREATE INDEX files_by_end ON files (name, until)",
)
_SCHEMA = f"""{VERSIONS}; {"; ".join(FILES)};
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE runs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL UNIQUE, stage TEXT NOT NULL, params TEXT NOT NULL,
    inputs TEXT NOT NULL, outputs TEXT NOT NULL, counts TEXT NOT NULL, verdict TEXT NOT NULL,
    made_with TEXT NOT NULL, run_by TEXT NOT NULL, started_at INTEGER NOT NULL, finished_at INTEGER NOT NULL,
    last_decision INTEGER NOT NULL, reason TEXT, cost REAL
) STRICT;
CREATE TABLE heads (name TEXT PRIMARY KEY, version INTEGER NOT NULL, shows INTEGER NOT NULL) STRICT;
CREATE TABLE decisions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, decision_id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
    subject_id TEXT NOT NULL, verdict TEXT NOT NULL, payload TEXT NOT NULL, reviewer TEXT NOT NULL, note TEXT,
    decided_at INTEGER NOT NULL
) STRICT;
CREATE INDEX decisions_by_subject ON decisions (kind, subject_id, seq);
"""
_KEPT = """
CREATE TRIGGER {table}_{verb}_never BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or removed'); END;
"""


class Ledger:
    """The ledger of one project. Made by `open_ledger`."""

    def __init__(self, folder: Path, timeout: float) -> None:
        self.folder = folder
        self.path = folder / LEDGER
        self.timeout = timeout

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give a connection whose queries all see one state.

        Raises:
            ProjectError: The ledger is damaged, or cannot be read.
        """
        with self._explained("read"), closing(self._connect_to_read()) as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, *, wait: bool = True) -> Iterator[sqlite3.Connection]:
        """Give a connection in a transaction that nobody else writes beside; it is kept when the block ends well.

        Args:
            wait: Whether to wait for another writer, up to the ledger's timeout.

        Raises:
            ProjectBusyError: Another process is writing, and did not end in time.
            ProjectError: The folder is read-only, the disk is full, or the ledger is damaged.
        """
        with self._explained("write"), closing(self._connect("rw", self.timeout if wait else 0)) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # the first error is the one to tell
                    connection.execute("ROLLBACK")
                raise

    def check(self) -> int:
        """Raise unless this is a ledger, and of a format that this version of kgkit knows; return the format.

        Raises:
            InputError: It is a file of another kind.
            ProjectError: It is damaged, or of a newer format.
        """
        if self.path.stat().st_size == 0:
            msg = f"{str(self.path)!r} is empty: the ledger is lost. Put it back from a copy of the project."
            raise ProjectError(msg)
        with self.reading() as connection:
            if _pragma(connection, "application_id") != _APPLICATION:
                msg = f"{str(self.path)!r} is an SQLite file, but no kgkit project's. Give another folder."
                raise InputError(msg)
            number = _pragma(connection, "user_version")
            if number > FORMAT:
                made = connection.execute("SELECT value FROM about WHERE key = 'made_with'").fetchone()
                msg = (
                    f"The project {str(self.folder)!r} has format {number}, made by kgkit {made[0] if made else '?'}; "
                    f"this version of kgkit knows formats up to {FORMAT}. Install a newer kgkit."
                )
                raise ProjectError(msg)
            names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        missing = [name for name in _TABLES if name not in names and (name, number) != ("files", 1)]
        if missing:
            msg = f"The ledger {str(self.path)!r} is damaged: {', '.join(missing)} is missing. Put a copy back."
            raise ProjectError(msg)
        return number

    def _connect(self, mode: str, timeout: float) -> sqlite3.Connection:
        address = f"{self.path.absolute().as_uri()}?{'mode=ro&immutable=1' if mode == 'still' else f'mode={mode}'}"
        return sqlite3.connect(address, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)

    def _connect_to_read(self) -> sqlite3.Connection:
        """Connect, also where SQLite cannot write what readers and writers share beside the file."""
        try:
            return self._tried("rw")
        except sqlite3.OperationalError as error:
            if _kind(error) not in ("CANTOPEN", "READONLY", "IOERR", "FULL"):
                raise
            log = Path(f"{self.path}-wal")
            if not log.exists() or not log.stat().st_size:
                return self._tried("still")  # a read-only folder, or a full disk: nobody can write beside us
            if _kind(error) not in ("IOERR", "FULL"):
                raise
            return self._tried("rw", "PRAGMA locking_mode = EXCLUSIVE")  # needs no shared file

    def _tried(self, mode: str, *first: str) -> sqlite3.Connection:
        connection = self._connect(mode, max(self.timeout, _PATIENCE))
        try:
            for statement in (*first, "SELECT count(*) FROM sqlite_master"):
                connection.execute(statement).fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _explained(self, verb: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._explain(error, verb) from error

    def _explain(self, error: sqlite3.Error, verb: str) -> ProjectError:
        where = f"the project {str(self.folder)!r}"
        kind = _kind(error)
        if kind in ("BUSY", "LOCKED"):
            msg = f"Another process is writing to {where}; waited {self.timeout:g} s. Try again when it is done."
            return ProjectBusyError(msg)
        if kind == "CANTOPEN" and not self.path.exists():
            msg = f"Cannot {verb} {where}: its {LEDGER} is gone. Was the folder moved? Open it where it is now."
        elif kind in ("READONLY", "CANTOPEN", "PERM", "AUTH"):
            msg = f"Cannot {verb} {where}: the folder or its {LEDGER} may not be written. Nothing was changed."
        elif kind in ("FULL", "IOERR", "TOOBIG"):
            msg = f"Cannot {verb} {where}: {error} (is the disk full?). It is as it was before."
        elif kind in ("CORRUPT", "NOTADB"):
            msg = f"The ledger {str(self.path)!r} is damaged, or no ledger: {error}. Put it back from a copy."
        else:
            msg = f"Cannot {verb} {where}: {error}."
        return ProjectError(msg)


def open_ledger(folder: Path, *, create: bool, timeout: float, version: str) -> Ledger:
    """Open a project's ledger; make it when the folder is absent or empty.

    Raises:
        InputError: There is something else at that place, or nothing and ``create`` is false.
        ProjectError: It cannot be made, is damaged, or is of a newer format.
    """
    if folder.exists() and not folder.is_dir():
        msg = f"{str(folder)!r} is a file; a project is a folder. Give the folder, or a new name."
        raise InputError(msg)
    ledger = Ledger(folder, timeout)
    if not ledger.path.exists():
        _refuse_foreign(folder, create)
        _make(ledger, version)
    from kgkit.project.migrate import clear_migration, migrate

    if ledger.check() < FORMAT:
        migrate(ledger)
    clear_migration(ledger)
    return ledger


def _refuse_foreign(folder: Path, create: bool) -> None:
    held = sorted(n for n in os.listdir(folder) if not n.startswith(_SCRATCH)) if folder.exists() else []
    if "tables" in held and (folder / "tables").is_dir():
        msg = f"{str(folder)!r} holds tables but no {LEDGER}: it is no project, or one whose ledger was lost."
        raise InputError(msg)
    if held:
        some = ", ".join(map(repr, held[:3])) + (", ..." if len(held) > 3 else "")
        msg = f"{str(folder)!r} is no kgkit project: it holds {some} and no {LEDGER}. Give a new or empty folder."
        raise InputError(msg)
    if not create:
        msg = f"There is no project at {str(folder)!r}."
        raise InputError(msg)


def _make(ledger: Ledger, version: str) -> None:
    """Make the ledger under another name, and put it in place whole."""
    if awkward := awkward_name(ledger.folder):
        msg = f"Cannot make a project at {str(ledger.folder)!r}: {awkward}"
        raise InputError(msg)
    scratch = ledger.folder / f"{_SCRATCH}{uuid.uuid4().hex}"
    try:
        ledger.folder.mkdir(parents=True, exist_ok=True)
        for old in ledger.folder.glob(f"{_SCRATCH}*"):  # of a process that was killed while making one
            old.unlink(missing_ok=True)
        with ledger._explained("make"), closing(sqlite3.connect(scratch, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            kept = "".join(_KEPT.format(table=t, verb=v) for t in ("runs", "decisions") for v in ("UPDATE", "DELETE"))
            connection.executescript(f"BEGIN; {_SCHEMA} {kept} PRAGMA application_id = {_APPLICATION}; COMMIT;")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            about = {"made_with": version, "project_id": uuid.uuid4().hex}
            connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())
        _put_in_place(scratch, ledger.path)
    except OSError as error:
        msg = f"Cannot make a project at {str(ledger.folder)!r}: {error.strerror or error}."
        raise ProjectError(msg) from error
    finally:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)


def _put_in_place(scratch: Path, path: Path) -> None:
    try:
        os.link(scratch, path)  # unlike a rename, never over a ledger that somebody else just made
    except FileExistsError:
        return
    except OSError:
        if not path.exists():
            os.replace(scratch, path)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _kind(error: sqlite3.Error) -> str:
    """Give the main part of SQLite's error name: ``SQLITE_READONLY_DIRECTORY`` is ``READONLY``."""
    name = str(getattr(error, "sqlite_errorname", ""))
    return name.removeprefix("SQLITE_").split("_")[0]


def as_json(value: object) -> str:
    """Write JSON the same way each time; half characters, as of file names that are no UTF-8, are escaped."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return json.dumps(value, sort_keys=True) if HALF.search(text) else text
