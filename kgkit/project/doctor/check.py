"""`check_project`: whether a project on disk is sound, and what to do where it is not."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from kgkit.errors import InputError
from kgkit.project.doctor.decisions import check_decisions
from kgkit.project.doctor.files import check_files, check_logs, check_versions, read_log
from kgkit.project.doctor.findings import CHECKS, Checkup, Findings, some
from kgkit.project.doctor.ledger import Known, check_format, check_runs, copy_ledger
from kgkit.project.doctor.quotes import Quoted, check_quotes
from kgkit.project.doctor.rows import check_columns, check_keys, check_links
from kgkit.project.doctor.visible import Visible
from kgkit.project.ledger import FORMAT, LEDGER
from kgkit.project.store import Store

__all__ = ["check_project"]

_OPEN = "Open the project once with kg.Project: it puts this right."


def check_project(path: str | os.PathLike[str]) -> Checkup:
    """Check a project on disk: ledger, table versions, files, rows, keys, ids, quotes and decisions.

    Nothing is changed, others may go on working, and a damaged project is checked as far as it can be: without a
    ledger, the newest version of each table is. Tables are compared with the versions that they were made from, so
    stale tables are sound. Memory does not grow with the number of documents, but for 8 bytes an id.

    Args:
        path: The project's folder.

    Returns:
        ``findings``: ``check``, ``status`` (ok, failed, remark or skipped), ``place``, ``found`` (what there is),
        ``meaning`` and ``advice``, in the order of the checks; and an outcome for each check. ``sound`` is true
        when nothing failed.

    Raises:
        InputError: There is no project at ``path``, not even a damaged one.

    Examples:
        >>> import tempfile
        >>> import kgkit as kg
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     project = kg.Project(folder)
        ...     checkup = check_project(folder)
        >>> checkup.sound
        True
        >>> checkup.findings["check"].to_list()[:3]
        ['ledger', 'format', 'runs']
    """
    folder = Path(os.path.expanduser(path)).absolute()
    store = Store(folder / "tables")
    if not (folder / LEDGER).exists() and not store.names():
        msg = f"There is no project at {str(folder)!r}: it holds neither a {LEDGER} nor tables."
        raise InputError(msg)
    findings = Findings()
    with tempfile.TemporaryDirectory(prefix="kgkit-doctor-", ignore_cleanup_errors=True) as scratch:
        connection = copy_ledger(folder, Path(scratch), findings)
        if connection is None:
            _check_tables(store, None, findings)
            _skip(findings, CHECKS, f"{LEDGER} cannot be read")
            return findings.checkup()
        with closing(connection):
            _check_ledger(connection, store, findings)
    return findings.checkup()


def _check_ledger(connection: sqlite3.Connection, store: Store, findings: Findings) -> None:
    findings.ok("ledger", LEDGER, "SQLite finds no damage")
    if not check_format(connection, findings):
        _skip(findings, CHECKS, f"{LEDGER} cannot be used")
        return
    left = [name for name in ("tables.old", "tables.new") if (store.folder.parent / name).is_dir()]
    if left:
        meaning = "A process was killed while it brought the project to a newer format."
        findings.remark("leftovers", ", ".join(left), "tables of two formats", meaning, _OPEN)
        if "tables.old" in left and connection.execute("PRAGMA user_version").fetchone()[0] < FORMAT:
            store = Store(store.folder.parent / "tables.old")
    known = check_runs(connection, findings)
    visible = _check_tables(store, known, findings)
    check_decisions(connection, visible, findings)
    _check_leftovers(store, known, findings)


def _check_tables(store: Store, known: Known | None, findings: Findings) -> Visible:
    """Check files and rows: those that the ledger names, or the newest ones where there is no ledger."""
    named = known.lives.keys() if known and known.state else set(store.names())
    found = {name: read_log(name, store.path(name), findings) for name in store.names() if name in named}
    check_files(found, known, findings)
    if known:
        check_versions(found, known, findings)
    visible = Visible(found, known)
    check_logs(found, visible.versions, findings)
    for name in visible.versions:
        paths = visible.paths(name)
        if paths is not None:
            check_columns(name, paths, findings)
            check_keys(name, paths, findings)
    findings.ok("columns", "tables", "nothing is null that may not be, and all JSON can be read")
    findings.ok("keys", "tables", f"the keys of {len(visible.versions):,} tables are unique")
    check_links(visible, findings)
    _check_quotes(visible, findings)
    _check_readers(visible, findings)
    return visible


def _check_quotes(visible: Visible, findings: Findings) -> None:
    groups: dict[tuple[Path, ...], list[tuple[Quoted, list[Path]]]] = {}
    for what, paths, documents in visible.quoted():
        groups.setdefault(tuple(documents), []).append((what, paths))
    count = sum(check_quotes(quoted, list(documents), findings) for documents, quoted in groups.items())
    findings.ok("quotes", "tables", f"{count:,} quotes stand where they say")


def _check_readers(visible: Visible, findings: Findings) -> None:
    """Remark where tools without kgkit see other rows than kgkit does."""
    for name, table in visible.found.items():
        version = visible.versions.get(name, -1)
        if table.files(version) != table.files(table.newest):
            shown = "none" if version < 0 else version
            text = f"its newest version is {table.newest}, and the project shows {shown}"
            meaning = "A writer was killed, or is writing now. Other tools see rows that the project does not show."
            findings.remark("readers", f"tables/{name}", text, meaning, _OPEN)
    findings.ok("readers", "tables", "other tools see the same rows")


def _check_leftovers(store: Store, known: Known, findings: Findings) -> None:
    files = {name: set(lives) for name, lives in known.lives.items()}
    left = [path.relative_to(store.folder.parent).as_posix() for path in store.leftovers(files)]
    if left:
        text = f"{len(left):,} files belong to no version: {some(left)}"
        meaning = "A writer was killed, or is writing now."
        findings.remark("leftovers", "tables", text, meaning, _OPEN)
    findings.ok("leftovers", "tables", "there are none")


def _skip(findings: Findings, checks: tuple[str, ...], why: str) -> None:
    for check in checks:
        if not findings.has_told(check):
            findings.skipped(check, why)
