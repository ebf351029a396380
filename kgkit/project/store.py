"""The project's tables on disk: Delta tables, one folder each, of which each write makes a new version.

Versions are never changed. Which of them are visible, the ledger says; files of others are left over from a writer
that was killed, and are removed by `sweep` while nobody writes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from kgkit import tables
from kgkit.errors import ProjectError

if TYPE_CHECKING:
    from deltalake import DeltaTable

__all__ = ["Store", "Written"]

_LOG = "_delta_log"
_FOREVER = "interval 36500 days"  # old versions stay readable
_SETTINGS: dict[str, str | None] = {
    "delta.logRetentionDuration": _FOREVER,
    "delta.deletedFileRetentionDuration": _FOREVER,
}
_ONE_FILE = 1 << 40  # rows keep their order in one file


@dataclass(frozen=True)
class Written:
    """A version that was written."""

    version: int
    n_rows: int
    files: frozenset[str]


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

    def write(self, name: str, frame: pl.DataFrame) -> Written:
        """Write a table as a new version, in its declared form, and see it safely on disk.

        Raises:
            SchemaError: The frame does not fit the table.
            ProjectError: It cannot be written: the disk is full, or the folder read-only.
        """
        declared = tables.conform(frame, name)
        tables.check_key(declared, name)
        path = self.path(name)
        try:
            path.mkdir(parents=True, exist_ok=True)
            written = self._write(path, declared)
            _sync(path, written)
        except Exception as error:  # deltalake raises kinds of its own, by the layer that failed
            msg = f"Cannot write the table {name!r} to {str(path)!r}: {error} The project is as it was before."
            raise ProjectError(msg) from error
        return written

    def read(self, name: str, version: int) -> pl.DataFrame:
        """Read one version of a table.

        Raises:
            ProjectError: It is not there, or cannot be read.
        """
        path = self.path(name)
        try:
            frame = pl.read_delta(str(path), version=version)
        except Exception as error:  # as above
            msg = (
                f"Cannot read version {version} of the table {name!r} in {str(path)!r}, which the ledger names: "
                f"{error} Put the folder back from a copy of the project."
            )
            raise ProjectError(msg) from error
        return tables.conform(frame, name)

    def head(self, name: str) -> int:
        """Give a table's newest version on disk, named by the ledger or not; -1 when there is none."""
        log = self.path(name) / _LOG
        if not log.is_dir():
            return -1
        stems = [entry.removesuffix(".json") for entry in os.listdir(log) if entry.endswith(".json")]
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
            found += [path / n for n in sorted(os.listdir(path)) if n.endswith(".parquet") and n not in held]
            log = path / _LOG
            if log.is_dir():
                found += [log / n for n in sorted(os.listdir(log)) if n.endswith(".tmp") or n.startswith("_commit_")]
        return found

    def sweep(self, known: Mapping[str, set[str]]) -> None:
        """Remove `leftovers`, and tables that were never made visible. Only for who holds the write lock."""
        for name in self.names():
            if name not in known:
                shutil.rmtree(self.path(name))
        for path in self.leftovers(known):
            with suppress(FileNotFoundError):
                path.unlink()

    def show(self, name: str, version: int) -> int:
        """Make a table's newest version have the rows of ``version``, for readers that know of no ledger.

        Returns:
            The newest version.
        """
        try:
            newest = _table(self.path(name))
            if _files(newest) != _files(_table(self.path(name), version)):
                newest.restore(version)
                newest = _table(self.path(name))
            return newest.version()
        except Exception as error:  # deltalake's own kinds
            msg = f"Cannot make the table {name!r} show its version {version}: {error}"
            raise ProjectError(msg) from error

    def _write(self, path: Path, frame: pl.DataFrame) -> Written:
        from deltalake import PostCommitHookProperties, write_deltalake

        hooks = PostCommitHookProperties(create_checkpoint=True, cleanup_expired_logs=False)
        write_deltalake(
            str(path),
            frame,
            mode="overwrite",
            schema_mode="merge",  # a column may be added by a newer kgkit; dtypes may not change
            configuration=_SETTINGS if self.head(path.name) < 0 else None,
            target_file_size=_ONE_FILE,
            post_commithook_properties=hooks,
        )
        newest = _table(path)
        return Written(newest.version(), frame.height, _files(newest))


def _table(path: Path, version: int | None = None) -> DeltaTable:
    from deltalake import DeltaTable

    return DeltaTable(str(path), version=version)


def _files(table: Any) -> frozenset[str]:
    return frozenset(uri.rsplit("/", 1)[-1] for uri in table.file_uris())


def _sync(path: Path, written: Written) -> None:
    """Ask the system to put files on disk before the ledger names them."""
    log = path / _LOG
    wanted = [path / name for name in written.files] + [log / f"{written.version:020d}.json"]
    for target in [*wanted, log, path]:
        if os.name != "posix" and target.is_dir():
            continue
        number = os.open(target, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
