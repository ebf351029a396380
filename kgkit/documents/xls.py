"""Excel 97-2003 workbooks (xls), by xlrd: one section a sheet, one line a row."""

from __future__ import annotations

import io
from typing import Any

from kgkit.documents.parsed import Parsed, ReadOptions, TextBuilder
from kgkit.errors import ReadError

__all__ = ["read"]

_VISIBLE = 0


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read an old Excel workbook.

    Raises:
        ReadError: ``password_protected`` or ``corrupt``.
    """
    del name
    book = _open(data)
    builder = TextBuilder()
    notes: list[str] = []
    for sheet in book.sheets():
        hidden = sheet.visibility != _VISIBLE
        if hidden and options.hidden_sheets == "skip":
            notes.append(f"hidden_sheet_skipped: {sheet.name}")
            continue
        if hidden:
            notes.append(f"hidden_sheet_read: {sheet.name}")
        builder.add("\n\n" if len(builder) else "")
        builder.begin("sheet", sheet.name)
        builder.add("\n".join([sheet.name, *_lines(book, sheet)]))
        builder.end("sheet")
    text, sections = builder.build()
    metadata: dict[str, Any] = {"sheets": [sheet.name for sheet in book.sheets()]}
    if book.user_name:
        metadata["author"] = book.user_name
    return [Parsed(text, "application/vnd.ms-excel", metadata=metadata, sections=sections, notes=tuple(notes))]


def _open(data: bytes) -> Any:
    import xlrd

    try:
        return xlrd.open_workbook(file_contents=data, logfile=io.StringIO(), on_demand=False)
    except xlrd.XLRDError as error:
        if "encrypted" in str(error).lower():
            raise ReadError("password_protected", "The workbook needs a password; save a copy without one.") from error
        raise ReadError("corrupt", f"The workbook cannot be read: {error}") from error
    except Exception as error:  # xlrd raises whatever a broken record leads to
        raise ReadError("corrupt", f"The workbook cannot be read: {type(error).__name__}: {error}"[:300]) from error


def _lines(book: Any, sheet: Any) -> list[str]:
    lines = []
    for row in range(sheet.nrows):
        cells = [_cell(book, cell) for cell in sheet.row(row)]
        while cells and not cells[-1]:
            cells.pop()
        if any(cells):
            lines.append(" | ".join(cells))
    return lines


def _cell(book: Any, cell: Any) -> str:
    import xlrd

    if cell.ctype == xlrd.XL_CELL_DATE:
        try:
            moment = xlrd.xldate_as_datetime(cell.value, book.datemode)
        except (ValueError, OverflowError):  # a number under a date's format that is no date
            return f"{cell.value:g}"
        if cell.value < 1:
            return str(moment.time().isoformat())
        return str(moment.date().isoformat() if cell.value == int(cell.value) else moment.isoformat(sep=" "))
    if cell.ctype == xlrd.XL_CELL_NUMBER:
        return str(int(cell.value)) if cell.value == int(cell.value) and abs(cell.value) < 1e15 else repr(cell.value)
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return "TRUE" if cell.value else "FALSE"
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "#ERROR"))
    return " ".join(str(cell.value).split())
