"""Excel 97-2003 workbooks (xls), by xlrd: one section a sheet, one line a row."""

from __future__ import annotations

import io
from typing import Any

from kgkit.documents.office import plural
from kgkit.documents.parsed import Parsed, ReadOptions, TextBuilder
from kgkit.documents.xlsx_cells import written_number
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
            notes.append(f"hidden_sheet: {sheet.name} skipped")
            continue
        if hidden:
            notes.append(f"hidden_sheet: {sheet.name} read")
        lines = _lines(book, sheet)
        if not lines:
            continue
        builder.add("\n\n" if len(builder) else "")
        builder.begin("sheet", sheet.name)
        builder.add("\n".join([sheet.name, *lines]))
        builder.end("sheet")
        unseen = sum(1 for row, about in sheet.rowinfo_map.items() if about.hidden and _filled(sheet, row))
        if unseen:
            notes.append(f"hidden_rows: {sheet.name}: {plural(unseen, 'hidden row')} read")
    text, sections = builder.build()
    metadata: dict[str, Any] = {"sheets": [sheet.name for sheet in book.sheets()]}
    if book.user_name:
        metadata["author"] = book.user_name
    return [Parsed(text, "application/vnd.ms-excel", metadata=metadata, sections=sections, notes=tuple(notes))]


def _open(data: bytes) -> Any:
    import xlrd

    try:
        return _with_formats(data)
    except xlrd.XLRDError as error:
        if "encrypted" in str(error).lower():
            raise ReadError("password_protected", "The workbook needs a password; save a copy without one.") from error
        raise ReadError("corrupt", f"The workbook cannot be read: {error}") from error
    except Exception as error:  # xlrd raises whatever a broken record leads to
        raise ReadError("corrupt", f"The workbook cannot be read: {type(error).__name__}: {error}"[:300]) from error


def _with_formats(data: bytes) -> Any:
    """Open with the cells' formats, or without where these are what is damaged."""
    import xlrd

    try:
        return xlrd.open_workbook(file_contents=data, logfile=io.StringIO(), on_demand=False, formatting_info=True)
    except Exception:  # xlrd raises whatever a broken record leads to; without formats it raises its reason again
        return xlrd.open_workbook(file_contents=data, logfile=io.StringIO(), on_demand=False)


def _filled(sheet: Any, row: int) -> bool:
    return row < sheet.nrows and any(str(value).strip() for value in sheet.row_values(row))


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
        return written_number(repr(cell.value), _format(book, cell))
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return "TRUE" if cell.value else "FALSE"
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "#ERROR"))
    return " ".join(str(cell.value).split())


def _format(book: Any, cell: Any) -> str:
    if cell.xf_index is None or cell.xf_index >= len(book.xf_list):
        return ""
    found = book.format_map.get(book.xf_list[cell.xf_index].format_key)
    return str(found.format_str) if found else ""
