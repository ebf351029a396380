"""How the command line shows things: tables that fit a terminal, and JSON for programs.

Text that comes from documents and file names cannot steer the terminal: control characters are shown, not sent.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from kgkit.project.kept import KeptRun
    from kgkit.results import Result

__all__ = ["clean", "print_failures", "print_json", "print_table", "records"]

WIDTH = 100
_GAP = "  "
_SHOWN = 12  # failures printed per stage
_CONTROL = (  # also those that turn the direction of text round
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def clean(text: object) -> str:
    r"""Make text safe to print: control characters are written out, such as ``\x1b``; line ends become spaces.

    Examples:
        >>> clean("a\x1b[2Jb\nc")
        'a\\x1b[2Jb c'
    """
    plain = re.sub(r"[\t\n\r]+", " ", str(text))
    return re.sub(_CONTROL, lambda found: found.group().encode("unicode_escape").decode(), plain)


def print_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows below their heads; numbers to the right, and the last column wrapped to the width that is left."""
    cells = [["" if cell is None else _text(cell) for cell in row] for row in (list(row) for row in rows)]
    numbers = [bool(cells) and all(re.fullmatch(r"[\d,]*", row[i]) for row in cells) for i in range(len(heads))]
    widths = [max(map(_width, column)) for column in zip(heads, *cells, strict=True)]
    left = max(WIDTH - sum(widths[:-1]) - len(_GAP) * (len(widths) - 1), 20)
    for row in [list(heads), *cells]:
        for i, line in enumerate(_wrapped(row[-1], left)):
            shown = [*(row[:-1] if i == 0 else [""] * (len(row) - 1)), line]
            padded = [_pad(text, widths[j], right=numbers[j]) for j, text in enumerate(shown[:-1])]
            print(_GAP.join([*padded, shown[-1]]).rstrip())


def print_json(value: object) -> None:
    """Print one JSON document; times are ISO 8601, UTC."""
    import json

    json.dump(value, sys.stdout, ensure_ascii=False, indent=2, default=_plain, allow_nan=False)
    print()


def records(frame: pl.DataFrame, *, parsed: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Give a frame's rows as mappings; the JSON text of some columns as what it says."""
    import json

    rows = frame.to_dicts()
    for row in rows:
        row.update({name: None if row[name] is None else json.loads(row[name]) for name in parsed})
    return rows


def print_failures(result: Result | KeptRun, where: str) -> None:
    """Print what of a stage did not go well, the first of many, and where all of it is."""
    import polars as pl

    bad = pl.DataFrame(result.failures).filter(pl.col("status").is_in(["failed", "empty"]))
    if result.stage != "read_documents":
        bad = bad.filter(pl.col("status") == "failed")
    for item, status, reason, detail in bad.select("item_id", "status", "reason", "detail").head(_SHOWN).iter_rows():
        print(clean(f"    {status}: {item}: {reason or ''}{f' ({detail})' if detail else ''}"))
    if bad.height > _SHOWN:
        print(f"    ... and {bad.height - _SHOWN:,} more, all in {where}")


def _text(cell: object) -> str:
    if hasattr(cell, "strftime"):
        return f"{cell:%Y-%m-%d %H:%M}"
    return f"{cell:,}" if isinstance(cell, int) else clean(cell)


def _wrapped(text: str, width: int) -> list[str]:
    """Break text into lines, between words where that is possible."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if _width(longer) <= width:
            lines[-1] = longer
            continue
        lines.append("")
        for letter in word:
            if _width(lines[-1] + letter) > width:
                lines.append("")
            lines[-1] += letter
    return lines if lines[0] or len(lines) == 1 else lines[1:]


def _width(text: str) -> int:
    import unicodedata

    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def _pad(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space


def _plain(value: object) -> object:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
