"""Spreadsheets (xlsx, xlsm): every visible sheet under its name, row by row, with the values that were saved.

The rules in words: docs/decisions/0004-office-files.md. Sheets are read as a stream, so neither a million rows nor a
claimed size of a million columns costs memory.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from kgkit.documents.archive import UnreadablePart
from kgkit.documents.drawingml import chart_lines, join_cells, shape_lines
from kgkit.documents.office import Package, plural
from kgkit.documents.parsed import Parsed, ReadOptions, TextBuilder
from kgkit.documents.xlsx_cells import Formats, column_number, serial_to_text, unescape
from kgkit.documents.xml import Element, child, children, stream_xml, text_of, whole_number
from kgkit.errors import ReadError

__all__ = ["MEDIA_TYPE", "read"]

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_TAGS = frozenset({"s:row", "s:col", "s:mergeCell", "s:sheetPr", "s:headerFooter"})
_BETWEEN = " | "
_BOILERPLATE = "[Threaded comment]"


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read a spreadsheet.

    Args:
        data: The file's bytes.
        name: Its name, for messages.
        options: ``hidden_sheets``, ``comments`` and ``max_chars`` apply.

    Returns:
        One document. Its sections are the sheets, and in them ``drawing`` and ``comments``.

    Raises:
        ReadError: ``mislabelled``, ``corrupt``, ``password_protected``, ``inflates``, ``unsafe_xml``, ``too_large``.
    """
    package = Package(data, "spreadsheet", "xl")
    root = package.parse_main()
    if root.tag != "s:workbook":
        raise ReadError("mislabelled", f"{name} is not a spreadsheet that can be read: its main part is <{root.tag}>.")
    return [_Workbook(package, root, options).parse()]


class _Sheet(NamedTuple):
    name: str
    part: str | None
    hidden: bool


class _Grid:
    """The filled cells of one sheet."""

    def __init__(self) -> None:
        self.rows: dict[int, dict[int, str]] = {}
        self.covered: list[tuple[int, int, int, int]] = []  # merged: first column, first row, last column, last row
        self.hidden_rows = 0
        self.hidden_columns: list[tuple[int, int]] = []
        self.page_text = ""

    def lines(self) -> Iterator[str]:
        """Write the rows: empty columns left out, one blank line where rows are empty."""
        self._uncover()
        columns = sorted({column for cells in self.rows.values() for column in cells})
        before = None
        for row in sorted(self.rows):
            cells = self.rows[row]
            if cells:  # else all of it lies under a merged cell
                if before is not None and row > before + 1:
                    yield ""
                last = max(cells)
                yield join_cells([cells.get(column, "") for column in columns if column <= last])
                before = row

    def _uncover(self) -> None:
        """Take out what lies under a merged cell; only its first cell is shown.

        Merged cells cannot overlap in a sound file, which bounds the work; past that bound the rest is left as it is.
        """
        numbers = sorted(self.rows)
        work = 1_000_000 + 4 * sum(map(len, self.rows.values()))
        for left, top, right, bottom in dict.fromkeys(self.covered):
            for row in numbers[bisect_left(numbers, top) : bisect_right(numbers, bottom)]:
                cells = self.rows[row]
                columns = range(left, right + 1) if right - left < len(cells) else list(cells)
                work -= len(columns) + 1
                for column in columns:
                    if left <= column <= right and (column, row) != (left, top):
                        cells.pop(column, None)
                if work < 0:
                    return


class _Workbook:
    def __init__(self, package: Package, root: Element, options: ReadOptions) -> None:
        self._package, self._options, self._notes = package, options, package.notes
        self._relations = package.relations(package.main)
        self._sheets = [self._sheet(s) for s in children(child(root, "s:sheets"), "s:sheet")]
        settings = child(root, "s:workbookPr")
        self._since_1904 = settings is not None and settings.get("date1904", "0") in ("1", "true")
        self._formats = Formats.from_xml(package.parse_optional(self._related("styles"), "number formats"))
        self._strings = self._shared_strings()
        self._out = TextBuilder()
        self._read = self._failed = 0

    def parse(self) -> Parsed:
        for sheet in self._sheets:
            if sheet.hidden and self._options.hidden_sheets != "read":
                self._notes.add("hidden_sheet", f"{sheet.name} skipped")
                continue
            if sheet.hidden:
                self._notes.add("hidden_sheet", f"{sheet.name} read")
            self._add_sheet(sheet)
        if self._failed and not self._read:
            raise ReadError("corrupt", "No sheet of the spreadsheet can be read: " + "; ".join(self._notes.build()))
        properties = self._package.properties()
        text, sections = self._out.build()
        return Parsed(
            text=text,
            media_type=MEDIA_TYPE,
            title=properties.title,
            language=properties.language,
            modified_at=properties.modified_at,
            metadata=properties.metadata,
            sections=sections,
            notes=self._notes.build(),
        )

    def _sheet(self, element: Element) -> _Sheet:
        relation = self._relations.get(element.get("r:id", ""))
        hidden = element.get("state", "visible") != "visible"
        return _Sheet(element.get("name", ""), relation.target if relation else None, hidden)

    def _related(self, kind: str) -> str | None:
        return next((r.target for r in self._relations.values() if r.kind == kind), None)

    def _shared_strings(self) -> list[str]:
        part = self._related("sharedStrings")
        if part is None or part not in self._package.archive:
            return []
        strings, size = [], 0
        try:
            for item in stream_xml(self._package.archive.stream(part), part, frozenset({"s:si"})):
                strings.append(_rich_text(item))
                size += len(strings[-1])
                self._check_size(size)
        except UnreadablePart as error:
            self._notes.unreadable("shared texts of cells", error)
        return strings

    def _add_sheet(self, sheet: _Sheet) -> None:
        grid, complete = self._grid(sheet)
        extras = self._extras(sheet.part) if sheet.part else {}
        self._read += complete or bool(grid.rows)
        self._failed += not complete
        if grid.rows or any(extras.values()):
            self._out.begin("sheet", sheet.name)
            self._out.paragraph(sheet.name)
            self._out.add("\n")
            for line in grid.lines():
                self._out.line(line)
                self._check_size(len(self._out))
            for kind, lines in extras.items():
                self._append(kind, sheet.name, lines)
            self._append("header", sheet.name, [grid.page_text] if grid.page_text else [])
            self._out.end("sheet")
        if grid.hidden_rows:
            self._notes.add("hidden_rows", f"{sheet.name}: {plural(grid.hidden_rows, 'hidden row')} read")
        filled = {c for cells in grid.rows.values() for c in cells}
        columns = sum(any(first <= c <= last for first, last in grid.hidden_columns) for c in filled)
        if columns:
            self._notes.add("hidden_columns", f"{sheet.name}: {plural(columns, 'hidden column')} read")

    def _append(self, kind: str, label: str, lines: list[str]) -> None:
        if lines:
            self._out.begin(kind, label)
            self._out.paragraph("\n".join(lines))
            self._out.end(kind)

    def _check_size(self, size: int) -> None:
        if size > self._options.max_chars:
            raise ReadError(
                "too_large", f"The spreadsheet has more than {self._options.max_chars:,} characters of text."
            )

    def _grid(self, sheet: _Sheet) -> tuple[_Grid, bool]:
        grid, row, size = _Grid(), 0, 0
        if sheet.part is None:
            self._notes.add("unreadable_part", f"sheet {sheet.name} (its content is not in the file)")
            return grid, False
        try:
            for element in stream_xml(self._package.archive.stream(sheet.part), sheet.part, _TAGS):
                if element.tag == "s:row":
                    row = whole_number(element.get("r")) or row + 1
                    cells = self._cells(sheet.name, row, element)
                    size += sum(map(len, cells.values())) + len(_BETWEEN) * len(cells)
                    grid.rows.setdefault(row, {}).update(cells)
                    grid.hidden_rows += bool(cells) and element.get("hidden") in ("1", "true")
                else:
                    _note_layout(grid, element)
                self._check_size(size)
        except UnreadablePart as error:
            self._notes.unreadable(f"sheet {sheet.name}" + (f" after row {row}" if grid.rows else ""), error)
            return grid, False
        grid.rows = {number: cells for number, cells in grid.rows.items() if cells}
        return grid, True

    def _cells(self, sheet: str, row: int, element: Element) -> dict[int, str]:
        found, column = {}, 0
        for cell in element:
            if cell.tag != "s:c":
                continue
            column = column_number(cell.get("r", "")) or column + 1
            saved = formula = None
            for part in cell:
                if part.tag in ("s:v", "s:is"):
                    saved = part
                elif part.tag == "s:f":
                    formula = part
            text = self._value(cell, saved) if saved is not None else None
            if text is None and formula is not None:
                text = self._missing(sheet, cell.get("r") or f"row {row}", formula)
            if text and not text.isspace():
                found[column] = text
        return found

    def _value(self, cell: Element, saved: Element) -> str | None:
        """Give the text of a saved value; ``None`` where none was saved."""
        kind = cell.get("t", "n")
        if saved.tag == "s:is":
            return _rich_text(saved)
        value = saved.text
        if value is None:
            return "" if kind == "str" else None
        if kind == "n":
            shown = self._formats.kind(cell.get("s"))
            if shown != "number":
                return serial_to_text(value, shown, since_1904=self._since_1904)
            return self._formats.number(value, cell.get("s"))
        if kind == "s":
            at = whole_number(value)
            if at is None or at >= len(self._strings):
                self._notes.add("unreadable_part", f"text {value} of a cell (it is not among the shared texts)")
                return "[unreadable]"
            return self._strings[at]
        if kind == "b":
            return "TRUE" if value.strip() in ("1", "true") else "FALSE"
        if kind == "d":
            return value.removesuffix("Z").removesuffix("T00:00:00").replace("T", " ")
        return unescape(value)

    def _missing(self, sheet: str, reference: str, formula: Element) -> str:
        code = " ".join((formula.text or "").split())
        shown = f"={code}" if code else "a formula shared with other cells"
        self._notes.add("formula_without_value", f"{sheet}!{reference} {shown}")
        return f"[no saved value: {shown}]"

    def _extras(self, part: str) -> dict[str, list[str]]:
        """Read what hangs on a sheet: text boxes and charts, comments."""
        drawing: list[str] = []
        comments: list[str] = []
        threads: list[str] = []
        for relation in self._package.relations(part).values():
            if relation.kind == "drawing":
                drawing.extend(self._drawing(relation.target))
            elif relation.kind == "comments":
                comments.extend(self._comments(relation.target))
            elif relation.kind == "threadedComment":
                threads.extend(self._threads(relation.target))
        if threads:
            comments = threads + [line for line in comments if _BOILERPLATE not in line]
        if comments and self._options.comments != "append":
            self._notes.add("comments_dropped", plural(len(comments), "comment"))
            comments = []
        return {"drawing": drawing, "comments": comments}

    def _drawing(self, part: str) -> list[str]:
        root = self._package.parse_optional(part, "a drawing")
        relations = self._package.relations(part)
        lines: list[str] = []
        for element in root.iter() if root is not None else ():
            if element.tag == "xdr:txBody":
                lines.extend(shape_lines(element))
            elif element.tag == "c:chart":
                relation = relations.get(element.get("r:id", ""))
                chart = self._package.parse_optional(relation.target, "a chart") if relation else None
                lines.extend(chart_lines(chart) if chart is not None else [])
        return lines

    def _comments(self, part: str) -> list[str]:
        root = self._package.parse_optional(part, "comments")
        authors = [text_of(a).strip() for a in children(child(root, "s:authors"), "s:author")]
        lines = []
        for comment in children(child(root, "s:commentList"), "s:comment"):
            at = whole_number(comment.get("authorId"))
            author = authors[at] if at is not None and at < len(authors) else ""
            text = " ".join(_rich_text(child(comment, "s:text")).split()).removeprefix(f"{author}:").strip()
            if text:
                lines.append(f"{comment.get('ref', '')} {author or 'Unknown'}: {text}")
        return lines

    def _threads(self, part: str) -> list[str]:
        root = self._package.parse_optional(part, "comments")
        names = {}
        for people in self._package.related(self._package.main, "person"):
            persons = self._package.parse_optional(people, "names of commenters")
            names.update({p.get("id"): p.get("displayName", "") for p in children(persons, "tc:person")})
        return [
            f"{c.get('ref', '')} {names.get(c.get('personId')) or 'Unknown'}: {' '.join(text_of(c).split())}"
            for c in children(root, "tc:threadedComment")
        ]


def _note_layout(grid: _Grid, element: Element) -> None:
    if element.tag == "s:mergeCell":
        first, _, last = element.get("ref", "").partition(":")
        left, right = column_number(first), column_number(last)
        top, bottom = (whole_number(end.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")) for end in (first, last))
        if left and right and top and bottom:
            grid.covered.append((left, top, right, bottom))
    elif element.tag == "s:col" and element.get("hidden") in ("1", "true"):
        grid.hidden_columns.append((whole_number(element.get("min")) or 0, whole_number(element.get("max")) or 0))
    elif element.tag == "s:headerFooter":
        parts = dict.fromkeys(_page_text(text_of(part)) for part in element)
        grid.page_text = "\n".join(part for part in parts if part)


def _page_text(code: str) -> str:
    """Take the words out of a page header's code, such as ``&LDraft&R&P of &N``."""
    pieces, rest = [], code
    while rest:
        before, mark, rest = rest.partition("&")
        pieces.append(before)
        if not mark:
            break
        if rest.startswith('"'):
            rest = rest[1:].partition('"')[2]
        elif rest[:1].isdigit():
            rest = rest.lstrip("0123456789")
        else:
            pieces.append("&" if rest[:1] == "&" else " ")
            rest = rest[1:]
    words = " ".join("".join(pieces).split())
    return words if any(c.isalpha() for c in words.replace("of", "").replace("Page", "")) else ""


def _rich_text(item: Element | None) -> str:
    """Join plain and formatted runs; readings of Japanese words (phonetic runs) are left out."""
    pieces = []
    for part in item if item is not None else ():
        if part.tag == "s:t":
            pieces.append(part.text or "")
        elif part.tag == "s:r":
            pieces.append(text_of(child(part, "s:t")))
    return unescape("".join(pieces))
