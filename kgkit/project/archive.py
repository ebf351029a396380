"""A project in one file: a zip file with all versions, the ledger, and a list of what must be in it.

Parquet files are stored as they are, the rest is compressed. `kgkit.project.unarchive` reads it back.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgkit.errors import InputError, ProjectError
from kgkit.project.ledger import FORMAT, LEDGER, as_json
from kgkit.project.records import known_files

if TYPE_CHECKING:
    from kgkit.project.project import Project

__all__ = ["ARCHIVE_FORMAT", "KIND", "MANIFEST", "PIECE", "TABLES", "Archived", "archive_project", "put_in_place"]

MANIFEST = "kgkit-archive.json"
KIND = "kgkit project archive"
ARCHIVE_FORMAT = 1
TABLES = "tables"
PIECE = 1 << 20
"""Bytes that are read, hashed and written at a time."""

_LOG = "_delta_log"
_POINTER = "_last_checkpoint"
_WHEN = (1980, 1, 1, 0, 0, 0)  # the same project gives the same members


@dataclass(frozen=True)
class Archived:
    """What `archive_project` wrote: the file, how many files of the project are in it, and their bytes."""

    file: Path
    n_files: int
    n_bytes: int


def archive_project(project: Project, file: str | os.PathLike[str]) -> Archived:
    """Write a project into one file: all table versions, all runs, all decisions.

    Others may write to the project meanwhile: the file holds it as it was when archiving began. Nothing else that
    lies in the folder goes in, and links are not followed. The file appears when it is complete, and not before.

    Args:
        project: The project.
        file: Where to write; there must be no such file yet, and it must lie outside of the project.

    Returns:
        What was written.

    Raises:
        InputError: There is a file already, or it would lie inside the project.
        ProjectError: A file of the project is missing or damaged, or the archive cannot be written.

    Examples:
        >>> import tempfile
        >>> from pathlib import Path
        >>> import kgkit as kg
        >>> from kgkit.project.unarchive import restore_archive
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     project = kg.Project(Path(folder) / "p.kg")
        ...     done = project.decide("merge", "merge_0a1b", "accepted")
        ...     archived = archive_project(project, Path(folder) / "p.zip")
        ...     restore_archive(archived.file, Path(folder) / "q.kg").decisions()["verdict"].to_list()
        ['accepted']
    """
    target = Path(os.path.expanduser(file)).absolute()
    _check_target(project.path, target)
    mark = uuid.uuid4().hex
    part, snapshot = (target.with_name(f".{target.name}.{mark}{end}") for end in (".part", ".ledger"))
    try:
        _copy_ledger(project, snapshot)
        members = list(_members(project.path, snapshot))
        manifest = _write(part, members)
        put_in_place(part, target)
    except OSError as error:
        msg = f"Cannot write the archive {str(target)!r}: {error.strerror or error}. Nothing was written."
        raise ProjectError(msg) from error
    finally:
        for scratch in (part, *(snapshot.with_name(snapshot.name + end) for end in ("", "-wal", "-shm"))):
            with suppress(OSError):
                scratch.unlink(missing_ok=True)
    return Archived(target, len(members), sum(held["size"] for held in manifest.values()))


def put_in_place(part: Path, target: Path) -> None:
    """Give a finished file its name, unless there is another of that name.

    Raises:
        InputError: There is.
    """
    try:
        os.link(part, target)
    except FileExistsError:
        raise _exists(target) from None
    except OSError:  # no hard links on this disk
        if target.exists():
            raise _exists(target) from None
        os.replace(part, target)


def _exists(target: Path) -> InputError:
    return InputError(f"{str(target)!r} is there already, and is not replaced. Give another name, or remove it.")


def _check_target(folder: Path, target: Path) -> None:
    if target.exists() or target.is_symlink():
        raise _exists(target)
    if not target.parent.is_dir():
        msg = f"There is no folder {str(target.parent)!r} to write the archive to. Make it first."
        raise InputError(msg)
    if target.parent.resolve().is_relative_to(folder.resolve()):
        msg = f"The archive {str(target)!r} would lie inside the project. Give a place outside of it."
        raise InputError(msg)


def _copy_ledger(project: Project, snapshot: Path) -> None:
    """Copy the ledger as it is at one moment, also while others write, and see that the copy is sound."""
    with project._keeper.ledger.reading() as source, closing(sqlite3.connect(snapshot)) as copy:
        source.backup(copy)
        said = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
    if said != "ok":
        msg = f"The ledger of {str(project.path)!r} is damaged: {said}. `kgkit doctor` says more. Nothing was written."
        raise ProjectError(msg)


def _members(folder: Path, snapshot: Path) -> Iterator[tuple[str, Path]]:
    """Give the names of the archive's members and their files, in order."""
    with closing(sqlite3.connect(snapshot)) as connection:
        known = known_files(connection)
        newest = _newest(connection)
    yield LEDGER, snapshot
    for name in sorted(known):
        table = folder / TABLES / name
        paths = [table / file for file in sorted(known[name])]
        paths += _log_entries(table / _LOG, newest[name])
        for path in paths:
            _refuse_links(folder, path)
            yield path.relative_to(folder).as_posix(), path


def _newest(connection: sqlite3.Connection) -> dict[str, int]:
    """Give each table's newest version that the ledger knows of; what others write meanwhile is newer."""
    query = "SELECT name, max(version) FROM (SELECT name, version FROM versions UNION ALL SELECT name, version FROM {}"
    return dict(connection.execute(query.format("heads) GROUP BY name")).fetchall())


def _log_entries(log: Path, newest: int) -> Iterator[Path]:
    """Give the files of a table's Delta log up to a version: one entry for each, and checkpoints."""
    for version in range(newest + 1):
        yield log / f"{version:020d}.json"
    for path in sorted(log.glob("*.checkpoint*.parquet")):
        number = path.name.split(".")[0]
        if number.isdigit() and int(number) <= newest:
            yield path
    pointer = log / _POINTER
    with suppress(OSError, ValueError):  # a hint for readers, who do without it
        if int(json.loads(pointer.read_text("utf-8"))["version"]) <= newest:
            yield pointer


def _refuse_links(folder: Path, path: Path) -> None:
    """Raise unless a file is a plain one that lies in the project.

    Raises:
        ProjectError: It is missing, or a link leads to it.
    """
    places = [path, *list(path.parents)[: len(path.relative_to(folder).parts) - 1]]
    try:
        kinds = [os.lstat(place).st_mode for place in places]
    except FileNotFoundError as error:
        msg = f"{str(path)!r} is missing from the project. `kgkit doctor` says more. Nothing was written."
        raise ProjectError(msg) from error
    if not stat.S_ISREG(kinds[0]) or not all(stat.S_ISDIR(kind) for kind in kinds[1:]):
        msg = f"{str(path)!r} is reached through a link, or is no plain file; it is not archived. Nothing was written."
        raise ProjectError(msg)


def _write(part: Path, members: list[tuple[str, Path]]) -> dict[str, dict[str, Any]]:
    import kgkit

    manifest: dict[str, dict[str, Any]] = {}
    with part.open("xb") as raw:
        with zipfile.ZipFile(raw, "w", allowZip64=True) as bundle:
            for name, path in members:
                manifest[name] = _add(bundle, name, path)
            about = {
                "kind": KIND,
                "archive_format": ARCHIVE_FORMAT,
                "project_format": FORMAT,
                "kgkit": kgkit.__version__,
                "members": manifest,
            }
            bundle.writestr(_entry(MANIFEST), as_json(about))
        raw.flush()
        os.fsync(raw.fileno())
    return manifest


def _add(bundle: zipfile.ZipFile, name: str, path: Path) -> dict[str, Any]:
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as source, bundle.open(_entry(name), "w", force_zip64=True) as target:
        while piece := source.read(PIECE):
            digest.update(piece)
            size += len(piece)
            target.write(piece)
    return {"size": size, "sha256": digest.hexdigest()}


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _WHEN)
    entry.compress_type = zipfile.ZIP_STORED if name.endswith(".parquet") else zipfile.ZIP_DEFLATED
    entry.external_attr = (stat.S_IFREG | 0o644) << 16
    return entry
