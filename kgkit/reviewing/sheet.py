"""The queue as a spreadsheet: written, filled in by hand, and read back with what could not be taken."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from kgkit.errors import InputError

__all__ = ["Row", "Sheet", "write_sheet"]

COLUMNS = (
    "item_id",
    "kind",
    "name",
    "type",
    "score",
    "n_mentions",
    "status",
    "verdict",
    "new_name",
    "new_type",
    "note",
)
RESULTS = {
    "row": pl.Int64, "item_id": pl.String, "verdict": pl.String, "result": pl.String, "detail": pl.String,
}  # fmt: skip
_TRIGGERS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")  # what makes a spreadsheet run a cell
_WORDS = {
    "accepted": "accepted", "accept": "accepted", "yes": "accepted", "y": "accepted", "a": "accepted",
    "rejected": "rejected", "reject": "rejected", "no": "rejected", "n": "rejected", "r": "rejected",
    "skipped": "skipped", "skip": "skipped", "s": "skipped",
    "flagged": "flagged", "flag": "flagged", "f": "flagged",
}  # fmt: skip


def write_sheet(path: str | os.PathLike[str], queue: pl.DataFrame) -> Path:
    """Write the queue as CSV (UTF-8 with a mark, as spreadsheets want it); cells cannot run as formulas."""
    target = Path(path)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for row in queue.iter_rows(named=True):
        verdict = row["status"] if row["status"] != "undecided" else ""
        cells = {**row, "verdict": verdict, "new_name": "", "new_type": ""}
        writer.writerow([_guard(cells[c]) for c in COLUMNS])
    part = target.with_name(f".{target.name}.part")
    part.write_text(out.getvalue(), encoding="utf-8-sig", newline="")
    os.replace(part, target)
    return target


class Row(NamedTuple):
    """A row that decides something; ``number`` is its line in the file."""

    number: int
    item_id: str
    verdict: str
    given: dict[str, str]
    note: str | None


class Sheet:
    """A filled-in sheet, and what became of each of its rows.

    Args:
        path: The file.

    Raises:
        InputError: It is no such file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._rows = list(_rows(Path(path)))
        self._results: dict[int, tuple[str, str | None]] = {}
        self._waiting: dict[str, list[int]] = {}
        self._answers: dict[str, set[tuple[str, ...]]] = {}
        for _, cells in self._rows:
            if verdict := _word(cells["verdict"]):
                self._answers.setdefault(cells["item_id"], set()).add((verdict, *_changes(cells).values()))

    def wanted(self, status_of: Callable[[str], str | None]) -> Iterator[Row]:
        """Give the rows that decide something, each item once; the others get their result.

        Args:
            status_of: How an item stands after the rows before; null where it is not known.
        """
        for number, cells in self._rows:
            item, verdict = cells["item_id"], _word(cells["verdict"])
            if item in self._waiting:
                self._waiting[item].append(number)
                continue
            refused = _refused(cells, verdict, self._answers.get(item, set()), status_of(item))
            if refused is not None:
                self._results[number] = refused
                continue
            self._waiting[item] = [number]
            given = _changes(cells) if verdict == "accepted" else {}
            yield Row(number, item, str(verdict), given, cells.get("note", "").strip() or None)

    def tell(self, item_id: str, result: str, detail: str | None) -> None:
        """Say what became of the rows about an item; of several that say the same, the first one did it."""
        first, *more = self._waiting[item_id]
        self._results[first] = result, detail
        again = ("already applied", None) if result == "recorded" else (result, detail)
        self._results |= dict.fromkeys(more, again)

    def results(self) -> pl.DataFrame:
        """Give one result for each row."""
        rows = [
            {"row": n, "item_id": c["item_id"], "verdict": _word(c["verdict"]), "result": self._results[n][0],
             "detail": self._results[n][1]}
            for n, c in self._rows
        ]  # fmt: skip
        return pl.DataFrame(rows, schema=RESULTS)


def _changes(cells: dict[str, str]) -> dict[str, str]:
    return {k: cells[f"new_{k}"].strip() for k in ("name", "type") if cells.get(f"new_{k}", "").strip()}


def _refused(
    cells: dict[str, str], verdict: str | None, answers: set[tuple[str, ...]], status: str | None
) -> tuple[str, str | None] | None:
    """Say why a row is not taken, or nothing."""
    before = cells.get("status", "")
    if status is None:
        return "unknown_item", "there is no such item in this review"
    if verdict is None:
        return "bad_verdict", f"{cells['verdict']!r} is no verdict; allowed: accepted, rejected, skipped, flagged"
    if not verdict or (verdict == before and not _changes(cells)):
        return "unchanged", None
    if len(answers) > 1:
        return "conflict", f"the file says {' and '.join(' '.join(a) for a in sorted(answers))} of this item"
    if before and status not in (before, verdict) and status in ("accepted", "rejected"):
        return "conflict", f"it was {before} when the file was written, and is {status} now"
    return None


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{str(path)!r} is not UTF-8 text ({error}). Save the sheet as CSV in UTF-8."
        raise InputError(msg) from error
    first = text.partition("\n")[0]
    marks = {";": first.count(";"), ",": first.count(","), "\t": first.count("\t")}
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(marks, key=lambda m: marks[m]))
    missing = [c for c in ("item_id", "verdict") if c not in (rows.fieldnames or ())]
    if missing:
        msg = f"{str(path)!r} has no column {missing[0]!r}. Fill in a file that to_csv wrote."
        raise InputError(msg)
    for number, row in enumerate(rows, start=2):
        cells = {k: _unguard(v or "") for k, v in row.items() if k is not None}
        if any(v.strip() for v in cells.values()):
            yield number, cells


def _word(text: str) -> str | None:
    plain = text.strip().casefold()
    return _WORDS.get(plain) if plain else ""


def _guard(value: Any) -> Any:
    if not isinstance(value, str):
        return "" if value is None else value
    return f"'{value}" if value.lstrip(" ").startswith((*_TRIGGERS, "'")) else value


def _unguard(text: str) -> str:
    inner = text[1:]
    return inner if text.startswith("'") and inner.lstrip(" ").startswith((*_TRIGGERS, "'")) else text
