"""The files of a project's tables: what Delta's log and the ledger say of them, and whether they can be read."""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import polars as pl

from kgkit import tables
from kgkit.project.doctor.findings import Findings, some
from kgkit.project.doctor.ledger import Known, Lives

__all__ = ["TableFiles", "batches", "check_files", "check_logs", "check_versions", "read_log"]

_LOG = "_delta_log"
_BUFFER = 1 << 20
_ROWS = 65_536
_ODD = re.compile(r"[\[\]]|%[0-9A-Fa-f]{2}")
_GONE = "The rows in it cannot be read, now or as of earlier runs."
_COPY = "Put the table's folder back from a copy or an archive of the project."


@dataclass
class TableFiles:
    """A table's folder as Delta's log describes it: from which version to which each file is there, size and rows.

    ``newest`` is the last version that the log describes without a gap; -1 when there is none.
    """

    name: str
    folder: Path
    newest: int = -1
    lives: Lives = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    rows: dict[str, int | None] = field(default_factory=dict)
    bad: set[str] = field(default_factory=set)

    def files(self, version: int) -> list[str]:
        """List the files of a version."""
        return sorted(file for file, life in self.lives.items() if _alive(life, version))

    def paths(self, version: int) -> list[Path] | None:
        """Give the files of a version, in order; ``None`` when some cannot be read."""
        files = self.files(version)
        return None if version > self.newest or self.bad & set(files) else [self.folder / file for file in files]


def read_log(name: str, folder: Path, findings: Findings) -> TableFiles:
    """Read a table's log, entry by entry, up to the first that is missing or damaged."""
    found = TableFiles(name, folder)
    log = folder / _LOG
    numbers = sorted(int(p.stem) for p in log.glob("*.json") if p.stem.isdigit()) if log.is_dir() else []
    for number in range((numbers[-1] if numbers else 0) + 1):
        place = f"tables/{name}/{_LOG}/{number:020d}.json"
        try:
            _follow(log / f"{number:020d}.json", number, found)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            what = "it is missing" if isinstance(error, FileNotFoundError) else f"it cannot be read: {error}"
            meaning = f"Versions of {name} from {number} on may not be readable."
            findings.failed("versions", place, what, meaning, _COPY)
            break
        found.newest = number
    return found


def check_versions(found: Mapping[str, TableFiles], known: Known, findings: Findings) -> None:
    """Check that each version that the ledger names is in Delta's log, with the same files and number of rows."""
    for name, lives in sorted(known.lives.items()):
        named = sorted(version for table, version in known.versions if table == name)
        table = found.get(name)
        if table is None and name not in tables.TABLES:
            text = "this version of kgkit has no such table"
            meaning = "A newer kgkit made it. It is kept, and not checked."
            findings.remark("versions", f"tables/{name}", text, meaning, "Check it with a newer kgkit.")
            continue
        if table is None:
            findings.failed("versions", f"tables/{name}", "the folder is missing", _GONE, _COPY)
            continue
        for version in named:
            if version > table.newest:
                text = "the ledger names it, and the table's log does not"
                findings.failed("versions", f"tables/{name}, version {version}", text, _GONE, _COPY)
        named = [version for version in named if version <= table.newest]
        unlike = _unlike(lives, table.lives, named)
        for version, files in sorted(unlike.items()):
            text = f"the ledger and the table's log name other files: {some(sorted(files))}"
            meaning = "The table was written to with another tool, or one of the two is of another copy."
            findings.failed("versions", f"tables/{name}, version {version}", text, meaning, _COPY)
        for version, total in _totals(table, [version for version in named if version not in unlike]):
            if total != known.versions[name, version]:
                text = f"the ledger says {known.versions[name, version]:,} rows, its files have {total:,}"
                place = f"tables/{name}, version {version}"
                findings.failed("rows", place, text, "Rows were lost or added.", _COPY)
    findings.ok("rows", "tables", "the numbers of rows are those of the ledger")


def check_files(found: Mapping[str, TableFiles], known: Known | None, findings: Findings) -> None:
    """Check each file that any version has: that it is there, and that all of it can be read, with its types.

    Of versions that the ledger does not name (a writer was killed), the files may be gone.
    """
    n_files = 0
    for table in found.values():
        named = known.lives.get(table.name, table.lives) if known and known.state else table.lives
        for file in sorted(table.lives):
            if file not in named and not (table.folder / file).exists():
                continue
            n_files += 1
            what = _what_is_wrong(table, file)
            if what:
                table.bad.add(file)
                findings.failed("files", f"tables/{table.name}/{file}", what, _GONE, _COPY)
    findings.ok("files", "tables", f"{n_files:,} files are there and readable")


def check_logs(found: Mapping[str, TableFiles], visible: Mapping[str, int], findings: Findings) -> None:
    """Check that Delta's readers open the visible versions, and can read all checkpoints of the log."""
    from deltalake import DeltaTable

    for name, table in found.items():
        for path in sorted((table.folder / _LOG).glob("*.checkpoint*.parquet")):
            try:
                _read_all(path)
            except Exception as error:  # Parquet readers raise kinds of their own
                _tell_log(findings, f"tables/{name}/{_LOG}/{path.name}", error)
        version = visible.get(name)
        if version is None or version > table.newest:
            continue
        if _ODD.search(str(table.folder)):
            text, meaning = "Delta's readers do not open folders with [, ] or %20 in their path", "kgkit reads it."
            findings.remark("readers", f"tables/{name}", text, meaning, "Move the project to a folder without these.")
            continue
        try:
            uris = DeltaTable(str(table.folder), version=version).file_uris()
        except Exception as error:  # deltalake raises kinds of its own, by the layer that fails
            _tell_log(findings, f"tables/{name}, version {version}", error)
        else:
            if len(uris) != len(table.files(version)):
                _tell_log(findings, f"tables/{name}, version {version}", "a checkpoint says other than the log")
    count = sum(table.newest + 1 for table in found.values())
    findings.ok("versions", "tables", f"{count:,} versions of {len(found):,} tables are there")


def batches(paths: list[Path], columns: list[str], rows: int = _ROWS) -> Iterator[pl.DataFrame]:
    """Read columns of Parquet files piece by piece; a column that an older file lacks is null."""
    import pyarrow.parquet as pq

    for path in paths:
        with pq.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False) as file:
            held = [column for column in columns if column in file.schema_arrow.names]
            for batch in file.iter_batches(batch_size=rows, columns=held):
                frame = pl.DataFrame(pl.from_arrow(batch))
                yield frame.select(pl.col(c) if c in held else pl.lit(None).alias(c) for c in columns)


def _tell_log(findings: Findings, place: str, error: object) -> None:
    text = f"Delta's readers cannot open it: {str(error).partition(chr(10))[0]}"
    findings.failed("versions", place, text, "The table cannot be read.", _COPY)


def _follow(path: Path, number: int, found: TableFiles) -> None:
    """Take in what one entry of the log adds and removes; what it removes and adds again stays."""
    text = path.read_text("utf-8")
    actions = [json.loads(line) for line in text.splitlines() if line.strip()]
    if not actions:
        msg = "it is empty"
        raise ValueError(msg)
    for action in actions:
        if "remove" in action:
            life = found.lives.get(unquote(action["remove"]["path"]))
            if life and life[-1][1] is None:
                life[-1] = (life[-1][0], number)
    for action in actions:
        if "add" in action:
            added: dict[str, Any] = action["add"]
            file = unquote(added["path"])
            found.sizes[file] = int(added["size"])
            found.rows.setdefault(file, json.loads(added.get("stats") or "{}").get("numRecords"))
            life = found.lives.setdefault(file, [])
            if not life or life[-1][1] is not None:
                life.append((number, None))


def _alive(life: list[tuple[int, int | None]], version: int) -> bool:
    return any(since <= version and (until is None or version < until) for since, until in life)


def _unlike(ours: Lives, theirs: Lives, versions: list[int]) -> dict[int, list[str]]:
    """Give the versions for which two accounts of a table name other files, and these files."""
    found: dict[int, list[str]] = {}
    for file in ours.keys() | theirs.keys():
        one, other = ours.get(file, []), theirs.get(file, [])
        for version in versions if one != other else []:
            if _alive(one, version) != _alive(other, version):
                found.setdefault(version, []).append(file)
    return found


def _totals(table: TableFiles, versions: list[int]) -> Iterator[tuple[int, int]]:
    """Give the number of rows of versions, for which those of all files are known."""
    changes: Counter[int] = Counter()
    for file, life in table.lives.items():
        n_rows = table.rows.get(file)
        if n_rows is None:
            return
        for since, until in life:
            changes[since] += n_rows
            changes[table.newest + 1 if until is None else until] -= n_rows
    total, steps = 0, sorted(changes)
    for version in versions:
        while steps and steps[0] <= version:
            total += changes[steps.pop(0)]
        yield version, total


def _what_is_wrong(table: TableFiles, file: str) -> str | None:
    path = table.folder / file
    try:
        parts = Path(file).parts
        if Path(file).is_absolute() or ".." in parts:
            return "its name leads out of the folder"
        places = [table.folder, *(table.folder.joinpath(*parts[: i + 1]) for i in range(len(parts)))]
        if any(stat.S_ISLNK(os.lstat(place).st_mode) for place in places):
            return "a link leads to it; a project's files lie in its folder"
        size = os.lstat(path).st_size
        if size != table.sizes[file]:
            return f"it has {size:,} bytes; it was written with {table.sizes[file]:,}"
        schema = pl.scan_parquet(path, glob=False, hive_partitioning=False).collect_schema()
        return _wrong_types(table.name, schema) or _wrong_rows(table, file)
    except FileNotFoundError:
        return "it is missing"
    except Exception as error:  # Parquet readers raise kinds of their own, by the layer that fails
        return f"it cannot be read: {str(error).partition(chr(10))[0]}"


def _wrong_types(name: str, schema: Mapping[str, Any]) -> str | None:
    declared = tables.get(name)
    for column in declared.columns:
        if column.name not in schema:
            if not column.nullable:
                return f"it has no column {column.name!r}"
        elif schema[column.name] != column.dtype:
            return f"its column {column.name!r} is {schema[column.name]}, and must be {column.dtype}"
    return None


def _wrong_rows(table: TableFiles, file: str) -> str | None:
    wanted, (held, read) = table.rows.get(file), _read_all(table.folder / file)
    table.rows[file] = held
    if read != held or wanted not in (None, held):
        return f"it has {read:,} rows; it was written with {held if wanted is None else wanted:,}"
    return None


def _read_all(path: Path) -> tuple[int, int]:
    """Read all of a file, in pieces; give the number of rows that it says it has, and that it has."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False) as source:
        read = 0
        for batch in source.iter_batches(batch_size=_ROWS):
            batch.validate(full=True)
            read += batch.num_rows
        return source.metadata.num_rows, read
