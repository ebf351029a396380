"""Plain pictures of curves, as SVG without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

__all__ = ["Picture", "plot_lines"]

_WIDE, _HIGH, _EDGE = 420, 320, 48
_COLOURS = ("#00695c", "#b26a00", "#5e35b1", "#ad1457", "#37474f")

Point = tuple[float, ...]


class Picture(str):
    """SVG text that shows itself in a notebook."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return str(self)

    def save(self, path: str | Path) -> Path:
        """Write the picture to a file, as UTF-8.

        Args:
            path: Where to write it; the name should end in ``.svg``.
        """
        target = Path(path)
        target.write_text(str(self), encoding="utf-8", newline="\n")
        return target


def plot_lines(
    series: Mapping[str, Sequence[Point]], *, title: str, across: str, up: str, diagonal: bool = False
) -> Picture:
    """Draw curves with values from 0 to 1.

    Args:
        series: Points of each curve by its name: x and y, and if known the low and high end of y.
        title: Above the picture.
        across: What x is.
        up: What y is.
        diagonal: Whether to draw the line on which both are equal.

    Returns:
        The picture.

    Examples:
        >>> plot_lines({"f1": [(0, 0.7), (50, 0.9)]}, title="Review", across="answers", up="F1")[:4]
        '<svg'
    """
    largest = max((point[0] for points in series.values() for point in points), default=1.0)
    right = 1.0 if diagonal else largest or 1.0
    parts = [_axes(title, across, up, right)]
    if diagonal:
        parts.append(_line([(0, 0), (1, 1)], right, "#9e9e9e", "4 4"))
    for number, (name, points) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        parts.append(_line([point[:2] for point in sorted(points)], right, colour, ""))
        parts += [_mark(point, right, colour) for point in points]
        parts.append(_text(_WIDE - _EDGE, _EDGE + 14 + 15 * number, name, "end", colour))
    body = "".join(parts)
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" width="{_WIDE}" height="{_HIGH}" '
        f'role="img" aria-label="{escape(title)}" font-family="sans-serif" font-size="11">'
        f'<rect width="100%" height="100%" fill="#ffffff"/>{body}</svg>'
    )


def _place(x: float, y: float, right: float) -> tuple[float, float]:
    across, up = _WIDE - 2 * _EDGE, _HIGH - 2 * _EDGE
    return round(_EDGE + across * x / right, 1), round(_HIGH - _EDGE - up * y, 1)


def _axes(title: str, across: str, up: str, right: float) -> str:
    parts = [
        _text(_WIDE / 2, 20, title, "middle", "#212121"),
        _text(_WIDE / 2, _HIGH - 12, across, "middle", "#212121"),
    ]
    parts.append(_text(14, _EDGE - 14, up, "start", "#212121"))
    for step in range(6):
        value = step / 5
        x, y = _place(value * right, value, right)
        parts.append(_text(x, _HIGH - _EDGE + 16, f"{value * right:.4g}", "middle", "#616161"))
        parts.append(_text(_EDGE - 6, y + 4, f"{value:.1f}", "end", "#616161"))
        parts.append(f'<line x1="{_EDGE}" y1="{y}" x2="{_WIDE - _EDGE}" y2="{y}" stroke="#e0e0e0"/>')
    return "".join(parts)


def _line(points: Sequence[Point], right: float, colour: str, dashes: str) -> str:
    path = " ".join("{},{}".format(*_place(x, y, right)) for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-dasharray="{dashes}"/>'


def _mark(point: Point, right: float, colour: str) -> str:
    x, y = _place(point[0], point[1], right)
    dot = f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>'
    if len(point) < 4:
        return dot
    _, low = _place(point[0], point[2], right)
    _, high = _place(point[0], point[3], right)
    return f'<line x1="{x}" y1="{low}" x2="{x}" y2="{high}" stroke="{colour}"/>{dot}'


def _text(x: float, y: float, words: str, anchor: str, colour: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'
