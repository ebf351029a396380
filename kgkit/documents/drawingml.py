"""Text of drawings, which Word, PowerPoint and Excel share: shapes' paragraphs, tables, charts, diagrams."""

from __future__ import annotations

from collections.abc import Iterator

from kgkit.documents.xml import Element, child, children, text_of, whole_number

__all__ = ["alternative", "chart_lines", "diagram_lines", "join_cells", "shape_lines", "table_lines"]

_CONTENT = frozenset({"w:t", "w:delText", "a:t", "m:t", "c:chart", "dgm:relIds", "w:sym", "w:tab", "a:blip"})
_MOST_POINTS = 5_000


def alternative(element: Element) -> Element | None:
    """Choose one branch of ``mc:AlternateContent``: the first choice that has content, else the fallback.

    Both hold the same words, for newer and for older programs, so exactly one is read.
    """
    choices = [c for c in element if c.tag == "mc:Choice"]
    for choice in choices:
        if any(e.tag in _CONTENT for e in choice.iter()):
            return choice
    fallback = child(element, "mc:Fallback")
    return next(iter(choices), None) if fallback is None else fallback


def join_cells(cells: list[str]) -> str:
    r"""Write a row: cells on one line, ``|`` between them, nothing after the last that has text.

    Examples:
        >>> join_cells(["Chair", "Mira\nSolen", ""])
        'Chair | Mira Solen'
    """
    row = [" ".join(cell.split()) for cell in cells]
    while row and not row[-1]:
        row.pop()
    return " | ".join(row)


def shape_lines(body: Element | None) -> list[str]:
    """Read the paragraphs of a shape's text body; list items keep their indentation, bullets become ``-``."""
    lines = []
    for paragraph in children(body, "a:p"):
        text = _runs(paragraph).strip()
        if text:
            lines.append(_bullet(child(paragraph, "a:pPr")) + text)
    return lines


def table_lines(table: Element) -> list[str]:
    """Read a drawing's table row by row; a merged cell appears once."""
    lines = []
    for row in children(table, "a:tr"):
        cells = [
            "" if cell.get("vMerge") in ("1", "true") else " ".join(shape_lines(child(cell, "a:txBody")))
            for cell in children(row, "a:tc")
            if cell.get("hMerge") not in ("1", "true")
        ]
        if any(cells):
            lines.append(join_cells(cells))
    return lines


def chart_lines(root: Element) -> list[str]:
    """Read a chart as it was saved: titles, then a table of categories and the series' values."""
    chart = child(root, "c:chart")
    lines = [t for title in _titles(chart) if (t := " ".join(" ".join(shape_lines(title)).split()))]
    area = child(chart, "c:plotArea")
    for plot in area if area is not None else ():
        series = list(children(plot, "c:ser"))
        if series:
            lines.extend(_series_lines(series))
    return lines


def diagram_lines(root: Element) -> list[str]:
    """Read the texts of a diagram (SmartArt), one line each."""
    points = (point for part in children(root, "dgm:ptLst") for point in children(part, "dgm:pt"))
    return [line for point in points for line in shape_lines(child(point, "dgm:t"))]


def _titles(chart: Element | None) -> Iterator[Element]:
    for title in chart.iter("c:title") if chart is not None else ():
        rich = child(title, "c:tx", "c:rich")
        if rich is not None:
            yield rich


def _series_lines(series: list[Element]) -> list[str]:
    names = [_name(s, number) for number, s in enumerate(series, 1)]
    labels: dict[int, str] = {}
    columns = []
    for one in series:
        for tag in ("c:cat", "c:xVal"):
            for at, label in _points(child(one, tag)).items():
                labels.setdefault(at, label)
        columns.append({**_points(child(one, "c:val")), **_points(child(one, "c:yVal"))})
    rows = sorted({at for column in (labels, *columns) for at in column})
    lines = [join_cells(["", *names]) if rows else join_cells(names)]
    lines.extend(join_cells([labels.get(at, ""), *(column.get(at, "") for column in columns)]) for at in rows)
    return [line.strip() for line in lines if line.strip()]


def _name(series: Element, number: int) -> str:
    named = child(series, "c:tx")
    return " ".join(_points(named).values()) or text_of(child(named, "c:v")).strip() or f"Series {number}"


def _points(source: Element | None) -> dict[int, str]:
    """Read cached points; of categories in several levels, outer ones come first."""
    if source is None:
        return {}
    levels = list(source.iter("c:lvl")) or [source]
    found: dict[int, str] = {}
    for level in reversed(levels):
        for point in level.iter("c:pt"):
            at = whole_number(point.get("idx"))
            value = text_of(child(point, "c:v")).strip()
            if at is not None and value and len(found) < _MOST_POINTS:
                found[at] = f"{found[at]} {value}" if at in found else _plain(value)
    return found


def _plain(value: str) -> str:
    """Write a saved number without the noise of its last binary digits."""
    try:
        number = float(value)
    except ValueError:
        return value
    return value if value.lstrip("-").isdigit() or number != number else repr(number).removesuffix(".0")


def _runs(paragraph: Element) -> str:
    pieces = []
    for part in paragraph:
        if part.tag in ("a:r", "a:fld"):
            pieces.append(text_of(child(part, "a:t")))
        elif part.tag == "a:br":
            pieces.append("\n")
        elif part.tag == "mc:AlternateContent":
            chosen = alternative(part)
            inner = chosen.iter() if chosen is not None else ()
            pieces.append("".join(e.text or "" for e in inner if e.tag in ("a:t", "m:t")))
    return "".join(pieces).replace("\v", "\n").replace("_x000B_", "\n").replace("_x000D_", "")


def _bullet(properties: Element | None) -> str:
    if properties is None:
        return ""
    depth = min(whole_number(properties.get("lvl")) or 0, 8)
    explicit = any(child(properties, tag) is not None for tag in ("a:buChar", "a:buAutoNum", "a:buBlip"))
    return "  " * depth + "- " if explicit or depth else ""
