"""Reading a source again: only the files that are not as they were."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import polars as pl

from kgkit.documents.discover import Item, find_files
from kgkit.documents.parsed import ReadOptions
from kgkit.documents.read import Documents, read_documents, read_items

__all__ = ["Changed", "compare_files", "is_files", "read_changed"]

_JUST_NOW = 2_000_000_000  # ns: a file may be written again within its clock's tick, and look the same

Stamp = tuple[int, int, int]
"""Size in bytes, time of the last change of content and of anything, in nanoseconds since 1970."""


@dataclass(frozen=True)
class Changed:
    """What was read again.

    Attributes:
        result: Documents and outcomes of the files that were read.
        files: One row for each of these outcomes: ``source``, ``file`` (the file it is of), ``size``,
            ``modified_ns``, ``changed_ns``.
        unchanged: The sources of files that were not read, since they are as they were.
    """

    result: Documents
    files: pl.DataFrame
    unchanged: frozenset[str]


def is_files(source: Any) -> bool:
    """Tell whether a source names files, and is no frame."""
    return isinstance(source, (str, bytes, os.PathLike, list, tuple, set, frozenset))


def read_changed(source: Any, known: Callable[[str], Stamp | None], **options: Any) -> Changed:
    """Read the files of a source that are new or changed, as `read_documents` reads them all.

    Args:
        source: A folder, a file, a glob, or a list of these.
        known: Gives the stamp that a file had when it was read, by its source; ``None`` when it was not.
        options: Those of `read_documents`.

    Raises:
        OptionError: An option has a value that is not allowed.
        InputError: The only source does not exist.
    """
    given = _given(source, options)
    stamped = _stamped(source, given)
    unchanged = frozenset(item.source for item, stamp in stamped if stamp and known(item.source) == stamp)
    todo = [item for item, _ in stamped if item.source not in unchanged]
    read_documents([], **{**options, "backend": None})  # checks the options
    names = [f.name for f in fields(ReadOptions)]
    how = {name: given[name] for name in ("glob", "workers", "timeout", "progress")}
    result, parts = read_items(todo, ReadOptions(**{name: given[name] for name in names}), **how)
    return Changed(result, _files(parts, {item.source: stamp for item, stamp in stamped}), unchanged)


def compare_files(source: Any, known: Callable[[str], Stamp | None], **options: Any) -> tuple[int, int]:
    """Count the files of a source that are new or changed, and all of its files, without reading them."""
    stamped = _stamped(source, _given(source, options))
    new = sum(1 for item, stamp in stamped if stamp and known(item.source) != stamp)
    return new, len(stamped)


def _given(source: Any, options: dict[str, Any]) -> dict[str, Any]:
    bound = inspect.signature(read_documents).bind(source, **options)
    bound.apply_defaults()
    return dict(bound.arguments)


def _stamped(source: Any, given: dict[str, Any]) -> list[tuple[Item, Stamp | None]]:
    now = time.time_ns()
    return [(item, _stamp(item, now)) for item in find_files(source, glob=given["glob"], root=given["root"])]


def _stamp(item: Item, now: int) -> Stamp | None:
    if item.status != "ok":
        return None
    try:
        about = os.stat(item.path)
    except OSError:
        return None
    if max(about.st_mtime_ns, about.st_ctime_ns) > now - _JUST_NOW:
        return None
    return about.st_size, about.st_mtime_ns, about.st_ctime_ns


def _files(parts: list[tuple[str, str]], stamps: dict[str, Stamp | None]) -> pl.DataFrame:
    rows = [(source, file, *(stamps.get(file) or (None, None, None))) for source, file in parts]
    columns = {"source": pl.String, "file": pl.String}
    numbers = dict.fromkeys(("size", "modified_ns", "changed_ns"), pl.Int64)
    return pl.DataFrame(rows, schema={**columns, **numbers}, orient="row")
