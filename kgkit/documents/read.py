"""The first stage: files of many kinds, or a frame of texts, into the table of documents."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import PurePosixPath
from typing import Any, ClassVar, Literal

import polars as pl

from kgkit.documents.assemble import documents_table
from kgkit.documents.copies import COPIES, number_copies
from kgkit.documents.discover import Item, find_files
from kgkit.documents.onefile import FileRead
from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.errors import OptionError
from kgkit.frames import Backend, check_backend, give
from kgkit.ids import content_hash
from kgkit.parallel import Lost, count_cores, run_tasks
from kgkit.results import Outcome, Result, outcomes_frame

__all__ = ["Documents", "read_documents", "read_items"]

_READ_FUNCTION = "kgkit.documents.onefile:read_file"
_CHOICES = {
    "hidden_sheets": ("skip", "read"),
    "tracked_changes": ("accepted", "original"),
    "comments": ("append", "drop"),
    "records": ("rows", "whole"),
    "ocr": (False, True),
}
_FILES_A_WORKER = 6  # a process takes as long to start as some files take to read
_BYTES_A_WORKER = 2_000_000

Progress = bool | Callable[[int, int], None]


@dataclass(frozen=True, repr=False, eq=False)
class Documents(Result):
    """What was read: ``documents``, and ``outcomes`` with one row for each file or record.

    Attributes:
        documents: The documents table; see ``kg.tables.describe("documents")``.
        outcomes: One row for each file, or record of a file that holds records, by its ``source``.
    """

    stage: ClassVar[str] = "read_documents"
    main: ClassVar[str] = "documents"

    documents: Any


def read_documents(
    source: Any,
    *,
    glob: str = "**/*",
    root: str | os.PathLike[str] | None = None,
    hidden_sheets: Literal["skip", "read"] = "skip",
    tracked_changes: Literal["accepted", "original"] = "accepted",
    comments: Literal["append", "drop"] = "append",
    records: Literal["rows", "whole"] = "rows",
    ocr: bool = False,
    workers: int | None = None,
    timeout: float | None = 60.0,
    max_bytes: int = ReadOptions.max_bytes,
    max_chars: int = ReadOptions.max_chars,
    backend: Backend | None = None,
    progress: Progress = False,
) -> Documents:
    """Read documents from files of any kind, or from a frame of texts.

    Reads txt, md, html, xml, pdf, docx, pptx, xlsx, xls, odt, epub, rtf, eml, msg, ipynb, csv, tsv, json, jsonl and
    bookmark exports. The kind is told by content first, then by name. A bad file never ends the batch: it is a row
    of ``outcomes`` with its reason.

    Args:
        source: A folder, a file, a glob such as ``"letters/*.txt"``, a list of these, or a frame (pandas, polars,
            pyarrow) with a ``text`` column and, if you have them, ``doc_id``, ``source``, ``title``, ``media_type``,
            ``language``, ``modified_at``, ``metadata``; further columns go into the metadata.
        glob: Which files of a folder to read: ``**/`` any folders, ``*`` anything within a name, ``?``, ``[...]``.
        root: The folder that the ``source`` column is relative to. By default the folder read, or the deepest one
            that holds all files of a list. Files not below it are skipped.
        hidden_sheets: ``"skip"`` or ``"read"`` what a spreadsheet hides; noted either way.
        tracked_changes: Word files with open changes: as if ``"accepted"``, or as in the ``"original"``.
        comments: ``"append"`` the comments of office files as a section of their own, or ``"drop"`` them.
        records: ``"rows"``: each row of a csv, line of a jsonl, object of a JSON list and bookmark is a document;
            ``"whole"``: each file is one.
        ocr: Recognise text in PDFs that are pictures; needs ``pip install 'kgkit[ocr]'`` and tesseract.
        workers: Number of reading processes; by default as many as there are processors and the files deserve.
        timeout: Seconds that one file may take; ``None`` for no limit.
        max_bytes: Larger files are not read, and reported.
        max_chars: Longer documents are not kept, and reported.
        backend: ``"polars"``, ``"pandas"`` or ``"pyarrow"`` frames; by default polars, or the kind that came in.
        progress: ``True`` to count files on standard error, or a function that is given (done, total).

    Returns:
        A result with the frames ``documents`` (ordered by ``source``) and ``outcomes``. After an interrupt it holds
        what was finished; the other files are ``skipped`` with the reason ``interrupted``.

    Raises:
        InputError: The only source does not exist, or is nothing that can be read.
        OptionError: An option has a value that is not allowed.
        SchemaError: A frame has no text column, or one of its columns does not fit.

    Examples:
        >>> import polars as pl
        >>> notes = pl.DataFrame({"text": ["Grace Hopper wrote a compiler.", ""]})
        >>> read_documents(notes).counts
        {'in': 2, 'ok': 1, 'empty': 1, 'failed': 0, 'skipped': 0}
    """
    options = ReadOptions(hidden_sheets, tracked_changes, comments, records, ocr, max_bytes, max_chars)
    _check(options, workers, timeout, backend)
    if _is_frame(source):
        from kgkit.documents.from_frame import documents_from_frame

        documents, outcomes, kind = documents_from_frame(source)
        return _result(documents, outcomes, {}, backend or kind)
    if ocr:
        from kgkit.documents.ocr import check_ocr

        check_ocr()
    items = find_files(source, glob=glob, root=root)
    result, _ = read_items(items, options, glob=glob, workers=workers, timeout=timeout, progress=progress)
    return result.to(backend) if backend else result


def read_items(
    items: list[Item],
    options: ReadOptions,
    *,
    glob: str = "**/*",
    workers: int | None = None,
    timeout: float | None = None,
    progress: Progress = False,
) -> tuple[Documents, list[tuple[str, str]]]:
    """Read files that were listed; also give the source of each outcome beside the source of its file."""
    reads = _read_items(items, options, workers, timeout, progress)
    documents, outcomes, parts = _assemble(items, reads)
    params = {f.name: getattr(options, f.name) for f in fields(options)} | {"glob": glob}
    return _result(documents, outcomes, params, "polars"), parts


def _check(options: ReadOptions, workers: int | None, timeout: float | None, backend: Backend | None) -> None:
    for name, allowed in _CHOICES.items():
        value = getattr(options, name)
        if not any(value is a or (isinstance(a, str) and value == a) for a in allowed):
            raise OptionError.not_one_of(name, value, allowed)
    numbers = {"workers": workers, "timeout": timeout, "max_bytes": options.max_bytes, "max_chars": options.max_chars}
    for name, number in numbers.items():
        whole = name != "timeout"
        kinds = (int,) if whole else (int, float)
        optional = name in ("workers", "timeout")
        if number is None and optional:
            continue
        if not isinstance(number, kinds) or isinstance(number, bool) or not number > 0:
            what = "a whole number" if whole else "a number"
            msg = f"{name}={number!r} is not allowed. It must be {what} above 0{', or None' if optional else ''}."
            raise OptionError(msg)
    if backend is not None:
        check_backend(backend)


def _is_frame(source: Any) -> bool:
    if isinstance(source, (str, bytes, os.PathLike, list, tuple, set, frozenset)):
        return False
    named = {m.split(".")[0] for m in (type(source).__module__,)}
    return isinstance(source, Result) or hasattr(source, "__arrow_c_stream__") or bool(named & {"pandas", "polars"})


def _read_items(
    items: list[Item], options: ReadOptions, workers: int | None, timeout: float | None, progress: Progress
) -> list[FileRead]:
    """Read the files in processes; answers in the order of the items."""
    wanted = [i for i, item in enumerate(items) if item.status == "ok"]
    wanted.sort(key=lambda i: (-items[i].size, items[i].source))  # the long ones first, or they end alone
    tasks = [(_native(items[i].path), PurePosixPath(items[i].source).name, options) for i in wanted]
    count = workers or _useful_workers([items[i] for i in wanted])
    report = _progress(progress, len(tasks))
    answers: list[FileRead | Lost | None] = []
    with suppress(KeyboardInterrupt):  # what is finished is kept; the rest says that it was not read
        if tasks:
            run_tasks(_READ_FUNCTION, tasks, workers=count, timeout=timeout, on_done=report, into=answers)
    reads = [FileRead(status=item.status, reason=item.reason, detail=item.detail) for item in items]
    for place, index in enumerate(wanted):
        reads[index] = _read_of(answers[place] if place < len(answers) else None)
    return reads


def _read_of(answer: FileRead | Lost | None) -> FileRead:
    if answer is None:
        return FileRead(status="skipped", reason="interrupted", detail="Reading was interrupted; read it again.")
    if isinstance(answer, Lost):
        return FileRead(status="failed", reason=answer.reason, detail=answer.detail)
    return answer


def _native(path: str) -> bytes | str:
    return os.fsencode(path) if os.name == "posix" else path


def _useful_workers(items: list[Item]) -> int:
    worth = max(len(items) // _FILES_A_WORKER, sum(item.size for item in items) // _BYTES_A_WORKER)
    return max(1, min(count_cores(), worth))


def _progress(progress: Progress, total: int) -> Callable[[int], None] | None:
    if callable(progress):
        return lambda done: progress(done, total)
    if not progress:
        return None

    def show(done: int) -> None:
        end = "\n" if done == total else ""
        sys.stderr.write(f"\rread_documents: {done:,} of {total:,} files{end}")
        sys.stderr.flush()

    return show


def _assemble(
    items: list[Item], reads: list[FileRead]
) -> tuple[list[dict[str, Any]], list[Outcome], list[tuple[str, str]]]:
    """Make rows, outcomes, and which outcome is of which file."""
    rows: list[dict[str, Any]] = []
    said: list[tuple[str, Parsed | FileRead]] = []
    parts: list[tuple[str, str]] = []
    taken: set[str] = set()
    for item, read in zip(items, reads, strict=True):
        for parsed in read.parsed or (read,):
            record = getattr(parsed, "record", None)
            source = _free(item.source if record is None else f"{item.source}#{record}", taken)
            parts.append((source, item.source))
            said.append((source, parsed))
            if isinstance(parsed, Parsed) and parsed.status == "ok":
                digest = read.content_hash if parsed.content is None else content_hash(parsed.content)
                rows.append(_row(source, parsed, digest))
    notes = _number_copies(rows)
    return rows, [_outcome(source, parsed, notes.get(source)) for source, parsed in said], parts


def _number_copies(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Give documents their ids; equal content read twice gets two, and a note."""
    copies = number_copies(
        pl.DataFrame({name: [row[name] for row in rows] for name in COPIES}, schema=dict.fromkeys(COPIES, pl.String))
    )
    for row, doc_id in zip(rows, copies["doc_id"], strict=True):
        row["doc_id"] = doc_id
    return dict(copies.filter(pl.col("note").is_not_null()).select("source", "note").iter_rows())


def _row(source: str, parsed: Parsed, digest: str) -> dict[str, Any]:
    return {
        "source": source,
        "title": parsed.title,
        "media_type": parsed.media_type,
        "language": parsed.language,
        "text": parsed.text,
        "n_chars": len(parsed.text),
        "content_hash": digest,
        "modified_at": parsed.modified_at,
        "metadata": json.dumps(parsed.metadata, ensure_ascii=False, default=str),
        "sections": [s._asdict() for s in parsed.sections],
    }


def _outcome(source: str, read: Parsed | FileRead, note: str | None) -> Outcome:
    status, reason, detail = read.status, read.reason, read.detail
    if isinstance(read, FileRead):
        return Outcome(source, status, reason, detail)  # type: ignore[arg-type]
    size = len(read.text)
    notes = (*read.notes, note) if note else tuple(read.notes)
    return Outcome(source, status, reason, detail, notes, chars_available=size, chars_sent=size)  # type: ignore[arg-type]


def _free(source: str, taken: set[str]) -> str:
    unique, number = source, 2
    while unique in taken:
        unique, number = f"{source} ({number})", number + 1
    taken.add(unique)
    return unique


def _result(
    documents: list[dict[str, Any]], outcomes: list[Outcome], params: dict[str, Any], backend: Backend
) -> Documents:
    frame = documents_table(documents)
    report: pl.DataFrame = outcomes_frame("read_documents", [o.item_id for o in outcomes], outcomes, params=params)
    return Documents(give(frame, "documents", backend), outcomes=give(report, "outcomes", backend))
