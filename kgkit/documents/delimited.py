r"""Tables as text: comma, semicolon, tab or bar between the cells. One row becomes one document.

Cells are text exactly as typed: nothing is a number, a date or a missing value here, so codes keep their leading
zeros and the country ``NA`` stays a country.
"""

from __future__ import annotations

import csv
import io
import re
from typing import Any

from kgkit.documents.bookmarks import bookmark_documents
from kgkit.documents.encoding import decode
from kgkit.documents.kinds import suffix_of
from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.documents.records import record_documents
from kgkit.errors import ReadError

__all__ = ["read"]

_DELIMITERS = {",": 0, "\t": 1, ";": 2, "|": 3}
_SAMPLE = 200_000
_LONG_NAME = 60
_SWALLOWED = 0.3  # of the text in one last cell: its quote was never meant to open
_SAVED_LINKS = {"url", "title", "tags"}  # the columns of every export of saved links
_MAX_COLUMNS = 20_000
_NUMBER = re.compile(r"[-+]?[\d.,]*\d[%]?$|\d{4}-\d\d-\d\d")
csv.field_size_limit(2**31 - 1)


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read a delimited table."""
    decoded = decode(data)
    suffix = suffix_of(name)
    delimiter, text = _delimiter(decoded.text, suffix)
    media_type = "text/tab-separated-values" if delimiter == "\t" else "text/csv"
    rows, row_notes = _rows(text, delimiter)
    if options.records == "whole":
        return [_whole(rows, media_type, {**decoded.metadata, "delimiter": delimiter}, decoded.notes)]
    width = max(len(row) for row in rows)
    if width > _MAX_COLUMNS:
        note = f"too_wide: {width:,} columns are no table; read as plain text"
        return [Parsed(text, "text/plain", metadata=dict(decoded.metadata), notes=(*decoded.notes, note))]
    title, header, body, header_notes = _split(rows)
    if not body:
        raise ReadError("no_records", "The table has no rows below its header.")
    records = [{n: c for n, c in zip(header, row, strict=False) if c != ""} for row in body]
    extra = sum(1 for row in body if len(row) > len(header))
    notes = [*decoded.notes, *row_notes, *header_notes]
    if extra:
        notes.append(f"extra_cells: {extra:,} rows have more cells than the header")
    shared = {**decoded.metadata, "delimiter": delimiter}
    if {name.lower() for name in header} >= _SAVED_LINKS and {"folder", "created", "time_added"} & set(header):
        found = bookmark_documents(records, shared, tuple(notes))
        if found:
            return found
    return record_documents(records, media_type, shared=shared, title=title, notes=tuple(notes))


def _rows(text: str, delimiter: str) -> tuple[list[list[str]], list[str]]:
    notes = []
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        last = rows[-1][-1] if rows and rows[-1] else ""
        if "\n" in last and text.count('"') % 2 and len(last) > _SWALLOWED * len(text):
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=csv.QUOTE_NONE))
            notes.append("unclosed_quote: a quote that never ends; all quotes are read as plain characters")
    except csv.Error as error:
        raise ReadError("corrupt", f"The table cannot be read: {error}") from error
    blank = 0
    while rows and not any(cell.strip() for cell in rows[-1]):
        blank += len(rows.pop()) > 1  # a line of delimiters, not a mere line end
    if blank:
        notes.append(f"blank_rows: {blank:,} row{'s' * (blank > 1)} without any text at the end left out")
    if not rows:
        raise ReadError("no_text", "The table holds no cell with text.")
    return rows, notes


def _delimiter(text: str, suffix: str) -> tuple[str, str]:
    """Find the delimiter: the one that cuts the most rows into the same number of cells, more than one."""
    told = re.match(r"sep=(.)\r?\n", text)
    if told:
        return told.group(1), text[told.end() :]
    sample = text[:_SAMPLE]
    if len(text) > _SAMPLE:
        sample = sample[: sample.rfind("\n") + 1] or sample
    best = (0.0, 0, "\t" if suffix in (".tsv", ".tab") else "|" if suffix == ".psv" else ",")
    for delimiter, order in _DELIMITERS.items():
        try:
            rows = [
                r for r in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter) if any(map(str.strip, r))
            ]
        except csv.Error:
            continue
        widths = [len(row) for row in rows]
        usual = max(set(widths), key=lambda w: (widths.count(w), w), default=1)
        if usual > 1:
            same = widths.count(usual) / len(widths)
            best = max(best, (round(same, 2), -order, delimiter))
    return best[2], text


def _split(rows: list[list[str]]) -> tuple[str | None, list[str], list[list[str]], list[str]]:
    """Tell title lines, header and body apart."""
    width = max(len(row) for row in rows)
    filled = [sum(1 for cell in row if cell.strip()) for row in rows]
    first = next(i for i, count in enumerate(filled) if count)
    notes = []
    titles: list[str] = []
    start = first
    # A line with one cell above a line that looks like a header is a title.
    while width > 1 and filled[start] <= 1 and _header_follows(rows[start + 1 :]):
        titles.extend(cell.strip() for cell in rows[start] if cell.strip())
        start += 1
    title = " ".join(titles) or None
    if titles:
        notes.append(f"title_lines: {title!r} stands above the header")
    head = rows[start]
    alone = len(rows) - start == 1 and (width == 1 or not _all_words(head))
    if alone or not _is_header(head, rows[start + 1 : start + 50]):
        notes.append("no_header: the first row looks like the others; columns are named by number")
        return title, [f"column {i}" for i in range(1, width + 1)], rows[start:], notes
    return title, _names(head, width), rows[start + 1 :], notes


def _header_follows(rows: list[list[str]]) -> bool:
    following = next((row for row in rows if any(cell.strip() for cell in row)), [])
    return sum(1 for cell in following if cell.strip()) > 1 and _all_words(following)


def _all_words(row: list[str]) -> bool:
    """Tell whether a row could be a header: short words, no two the same, no number."""
    cells = [cell.strip() for cell in row if cell.strip()]
    return len(set(cells)) == len(cells) and all(len(c) < _LONG_NAME and not _NUMBER.match(c) for c in cells)


def _is_header(head: list[str], body: list[list[str]]) -> bool:
    """A header's cells are words; where a column holds numbers below, a number on top means there is none."""
    for index, cell in enumerate(head):
        below = [row[index] for row in body if index < len(row) and row[index].strip()]
        if _NUMBER.match(cell.strip()) and below and all(_NUMBER.match(value.strip()) for value in below):
            return False
    return True


def _names(head: list[str], width: int) -> list[str]:
    names: list[str] = []
    taken: set[str] = set()
    counts: dict[str, int] = {}
    for index in range(width):
        name = " ".join(head[index].split()) if index < len(head) else ""
        name = name or f"column {index + 1}"
        unique = name
        while unique in taken:
            counts[name] = counts.get(name, 1) + 1
            unique = f"{name} ({counts[name]})"
        taken.add(unique)
        names.append(unique)
    return names


def _whole(rows: list[list[str]], media_type: str, metadata: dict[str, Any], notes: tuple[str, ...]) -> Parsed:
    text = "\n".join(" | ".join(row) for row in rows)
    return Parsed(text, media_type, metadata=metadata, notes=notes)
