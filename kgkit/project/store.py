"""The project's tables on disk: Delta tables, one folder each, of which each write makes a new version.

The rows of a table lie in parts, one Parquet file each, so that a change writes the parts that it touches and no other.
Versions are never changed. Which of them are visible, the ledger says; files of others are left over from a writer
that was killed, and are removed by `sweep` while nobody writes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import polars as pl

from kgkit import tables
from kgkit.errors import ProjectError

if TYPE_CHECKING:
    from deltalake import DeltaTable

__all__ = ["PART", "Store", "Written", "awkward_name"]

PART = "part"
"""The column that tells a row's part; kgkit's own tables do not show it."""

_LOG = "_delta_log"
_FOREVER = "interval 36500 days"  # old versions stay readable
_SETTINGS: dict[str, str | None] = {
    "delta.logRetentionDuration": _FOREVER,
    "delta.deletedFileRetentionDuration": _FOREVER,
}
_AWKWARD = re.compile(r"[\[\]^|\\\x00-\x1f\x7f]|%[0-9A-Fa-f]{2}")  # deltalake's paths are addresses
_ONE_FILE = 1 << 40  # a part is one file, and its rows keep their order


@dataclass(frozen=True)
class Written:
    """A version that was written: its number, its new files with their part and number of rows, and those gone."""

    version: int
    added: dict[str, tuple[str, int]]
    removed: frozenset[str]


class Store:
    """The folder ``tables/`` of a project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """Give a table's folder.

        Raises:
            OptionError: There is no such table.
        """
        return self.folder / tables.get(name).name

    def write(self, name: str, parts: Mapping[str, pl.DataFrame]) -> Written:
        """Write parts of a table, in its declared form, as a new version, and see it safely on disk.

        The other parts are as they were in the newest version. A part without rows goes.

        Raises:
            SchemaError: A frame does not fit the table.
            ProjectError: It cannot be written: the disk is full, or the folder read-only.
        """
        path = self.path(name)
        if awkward := awkward_name(path):
            msg = f"Cannot write the table {name!r} to {str(path)!r}: {awkward}"
            raise ProjectError(msg)
        rows = pl.concat([_labelled(name, part, frame) for part, frame in parts.items()])
        try:
            path.mkdir(parents=True, exist_ok=True)
            version = self._write(path, rows, parts)
            written = _logged(path, version)
            _sync(path, written)
        except Exception as error:  # deltalake raises kinds of its own, by the layer that failed
            msg = f"Cannot write the table {name!r} to {str(path)!r}: {error} The project is as it was before."
            raise ProjectError(msg) from error
        return written

    def read(
        self, name: str, files: Sequence[str], *, columns: Sequence[str] | None = None, version: int | None = None
    ) -> pl.DataFrame:
        """Read files of a table.

        Args:
            name: The table.
            files: Their names, as in `Written`.
            columns: Those to read, as they are stored; `PART` gives each row's part. All when left out, in the
                table's declared form and without `PART`.
            version: For the message when it fails.

        Raises:
            ProjectError: They are not there, or cannot be read.
        """
        path = self.path(name)
        if not files:
            empty = tables.empty(name)
            return empty if columns is None else empty.with_columns(pl.lit(None, pl.String).alias(PART)).select(columns)
        try:
            frames = [_read_file(path / file, name, columns) for file in files]
            frame = pl.concat(frames)
        except (OSError, pl.exceptions.PolarsError) as error:
            which = "the table" if version is None else f"version {version} of the table"
            msg = (
                f"Cannot read {which} {name!r} in {str(path)!r}, which the ledger names: "
                f"{error} Put the folder back from a copy of the project."
            )
            raise ProjectError(msg) from error
        return frame if columns is not None else tables.conform(frame, name)

    def head(self, name: str) -> int:
        """Give a table's newest version on disk, named by the ledger or not; -1 when there is none."""
        stems = [entry.removesuffix(".json") for entry in _listed(self.path(name) / _LOG) if entry.endswith(".json")]
        return max((int(stem) for stem in stems if stem.isdigit()), default=-1)

    def names(self) -> list[str]:
        """List the tables that have a folder."""
        if not self.folder.is_dir():
            return []
        return sorted(name for name in os.listdir(self.folder) if name in tables.TABLES)

    def leftovers(self, known: Mapping[str, set[str]]) -> list[Path]:
        """List the files that belong to no version that the ledger names."""
        found = []
        for name in self.names():
            path = self.path(name)
            if name not in known:
                found.append(path)
                continue
            held = known[name]
            found += [path / file for file in _data_files(path) if file not in held]
            log = path / _LOG
            found += [log / n for n in _listed(log) if n.endswith(".tmp") or n.startswith("_commit_")]
        return found

    def sweep(self, known: Mapping[str, set[str]]) -> None:
        """Remove `leftovers`, and tables that were never made visible. Only for who holds the write lock.

        Raises:
            ProjectError: Something cannot be removed.
        """
        for path in self.leftovers(known):
            try:
                if path.is_dir():
                    shutil.rmtree(path)
                    continue
                path.unlink(missing_ok=True)
            except OSError as error:
                msg = f"Cannot remove {str(path)!r}, which a writer that was killed left: {error.strerror or error}."
                raise ProjectError(msg) from error
            with suppress(OSError):  # the folder of a part, when nothing else is in it
                path.parent.rmdir()

    def show(self, name: str, version: int) -> int:
        """Make a table's newest version have the rows of ``version``, for readers and for the next version.

        Args:
            name: The table.
            version: The version; none of its rows when it is -1.

        Returns:
            The newest version.
        """
        try:
            newest = _table(self.path(name))
            held = set(newest.file_uris())
            if version < 0 and held:
                newest.delete()
            elif version >= 0 and held != set(_table(self.path(name), version).file_uris()):
                newest.restore(version)
            return self.head(name)
        except Exception as error:  # deltalake's own kinds
            msg = f"Cannot make the table {name!r} show its version {version}: {error}"
            raise ProjectError(msg) from error

    def _write(self, path: Path, rows: pl.DataFrame, parts: Iterable[str]) -> int:
        from deltalake import PostCommitHookProperties, write_deltalake

        new = self.head(path.name) < 0
        hooks = PostCommitHookProperties(create_checkpoint=True, cleanup_expired_logs=False)
        write_deltalake(
            str(path),
            rows,
            mode="overwrite",
            predicate=None if new else _is_one_of(parts),
            partition_by=[PART],
            schema_mode="merge",  # a column may be added by a newer kgkit; dtypes may not change
            configuration=_SETTINGS if new else None,
            target_file_size=_ONE_FILE,
            post_commithook_properties=hooks,
        )
        return self.head(path.name)


def awkward_name(path: Path) -> str | None:
    """Say why Delta tables cannot be written below a folder, as far as its name tells."""
    found = _AWKWARD.search(str(path) if os.name == "posix" else path.as_posix())
    if found is None:
        return None
    return f"the path holds {found.group()!r}, with which Delta tables cannot be written. Give the folder another name."


def _labelled(name: str, part: str, frame: pl.DataFrame) -> pl.DataFrame:
    declared = tables.conform(frame, name)
    tables.check_key(declared, name)
    return declared.with_columns(pl.lit(part).alias(PART))


def _is_one_of(parts: Iterable[str]) -> str:
    quoted = ", ".join("'" + part.replace("'", "''") + "'" for part in parts)
    return f"{PART} IN ({quoted})"


def _read_file(path: Path, name: str, columns: Sequence[str] | None) -> pl.DataFrame:
    declared = tables.get(name).schema
    wanted = [c for c in columns if c != PART] if columns is not None else None
    frame = pl.read_parquet(path, columns=wanted, hive_partitioning=False, glob=False)
    for column in declared if columns is None else ():
        if column not in frame.columns:  # added by a newer kgkit than the file is of
            frame = frame.with_columns(pl.lit(None, declared[column]).alias(column))
    if columns is None:
        return frame.select(list(declared))
    if PART in columns:
        frame = frame.with_columns(pl.lit(_part_of(path.parent.name)).alias(PART))
    return frame.select(columns)


def _part_of(folder: str) -> str:
    return unquote(folder.removeprefix(f"{PART}="))


def _data_files(path: Path) -> list[str]:
    """List a table's data files, relative to its folder with / between."""
    found = []
    for entry in _listed(path):
        if entry.endswith(".parquet"):
            found.append(entry)
        elif entry.startswith(f"{PART}=") and (path / entry).is_dir():
            found += [f"{entry}/{name}" for name in _listed(path / entry)]
    return found


def _listed(folder: Path) -> list[str]:
    """List a folder, which another process may be clearing away."""
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []


def _table(path: Path, version: int | None = None) -> DeltaTable:
    from deltalake import DeltaTable

    return DeltaTable(str(path), version=version)


def _logged(path: Path, version: int) -> Written:
    """Read from a version's log entry which files it added and took away."""
    added: dict[str, tuple[str, int]] = {}
    removed = set()
    for line in (path / _LOG / f"{version:020d}.json").read_text("utf-8").splitlines():
        action: dict[str, Any] = json.loads(line)
        if "add" in action:
            file = unquote(action["add"]["path"])
            rows = json.loads(action["add"]["stats"])["numRecords"]
            added[file] = (action["add"]["partitionValues"][PART], rows)
        elif "remove" in action:
            removed.add(unquote(action["remove"]["path"]))
    return Written(version, added, frozenset(removed))


def _sync(path: Path, written: Written) -> None:
    """Ask the system to put files on disk before the ledger names them."""
    log = path / _LOG
    wanted = [path / name for name in written.added]
    folders = {target.parent for target in wanted} | {log, path}
    for target in [*wanted, log / f"{written.version:020d}.json", *sorted(folders)]:
        if os.name != "posix" and target.is_dir():
            continue
        number = os.open(target, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
