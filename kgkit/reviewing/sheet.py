"""The queue as a spreadsheet: written, filled in by hand, and read back with what could not be taken."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from kgkit.errors import InputError, KgkitError
from kgkit.reviewing.told import Answer

__all__ = ["read_sheet", "write_sheet"]

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


def read_sheet(
    path: str | os.PathLike[str], *, status_of: Callable[[str], str | None], decide: Callable[..., Answer]
) -> pl.DataFrame:
    """Read verdicts from a filled-in sheet; one result for each of its rows.

    Args:
        path: The file.
        status_of: How an item stands now; null where it is not known.
        decide: Decides on an item.

    Raises:
        InputError: It is no such file.
    """
    rows = list(_rows(Path(path)))
    told: dict[str, set[str]] = {}
    for _, cells in rows:
        told.setdefault(cells["item_id"], set()).add(_word(cells["verdict"]) or "")
    found = []
    for number, cells in rows:
        item, verdict = cells["item_id"], _word(cells["verdict"])
        result, detail = _refused(cells, verdict, told[item], status_of(item))
        if result is None:
            result, detail = _decide(decide, item, str(verdict), cells)
        found.append({"row": number, "item_id": item, "verdict": verdict, "result": result, "detail": detail})
    return pl.DataFrame(found, schema=RESULTS)


def _refused(
    cells: dict[str, str], verdict: str | None, told: set[str], status: str | None
) -> tuple[str | None, str | None]:
    """Say why a row is not taken, or nothing."""
    before = cells.get("status", "")
    edited = any(cells.get(c, "").strip() for c in ("new_name", "new_type"))
    if status is None:
        return "unknown_item", "there is no such item in this review"
    if verdict is None:
        return "bad_verdict", f"{cells['verdict']!r} is no verdict; allowed: accepted, rejected, skipped, flagged"
    if not verdict or (verdict == before and not edited):
        return "unchanged", None
    if len(told - {""}) > 1:
        return "conflict", f"the file says {' and '.join(sorted(told - {''}))} of this item"
    if before and status not in (before, verdict) and status in ("accepted", "rejected"):
        return "conflict", f"it was {before} when the file was written, and is {status} now"
    return None, None


def _decide(decide: Callable[..., Answer], item: str, verdict: str, cells: dict[str, str]) -> tuple[str, str | None]:
    more = {k: cells.get(f"new_{k}", "").strip() or None for k in ("name", "type")} if verdict == "accepted" else {}
    try:
        answer = decide(item, verdict, note=cells.get("note", "").strip() or None, **more)
    except (KgkitError, OSError) as error:
        return "failed", str(error)
    return answer.status, "it contradicts other decisions" if answer.n_conflicts else None


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
