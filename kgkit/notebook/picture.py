"""A still picture of a graph view, for where no JavaScript runs: a small SVG without script."""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import NDArray

from kgkit.notebook.graph_data import GraphData
from kgkit.notebook.payload import Payload

__all__ = ["PALETTE", "picture_svg"]

Points = NDArray[np.float64]

PALETTE = (
    "#3f6fd1", "#e0812f", "#3a9a5b", "#b8529b", "#1f9ea3", "#cf4f4b",
    "#7d63cf", "#8f9330", "#4e9fd8", "#99694a", "#df7f9f", "#6b7a8f",
)  # fmt: skip
_NODES, _LINKS, _LABELS = 220, 400, 28
_WIDTH, _HEIGHT, _MARGIN = 760, 420, 46
_INK = "#1f2937"
_HALO = 'paint-order="stroke" stroke="#fff" stroke-width="3" stroke-opacity=".8"'
_PAPER = '<rect width="100%" height="100%" fill="#fff"/>'


def picture_svg(data: GraphData, payload: Payload, *, page: bool = False) -> str:
    """Draw the most connected nodes, and say how many were left out.

    Args:
        data: What is shown.
        payload: Where it is shown.
        page: Whether the picture is part of a page, whose colours of text and paper it then takes.
    """
    made = _picture(data, payload)
    return made.replace(_PAPER, "").replace(f" {_HALO}", "").replace(f'"{_INK}"', '"currentColor"') if page else made


def _picture(data: GraphData, payload: Payload) -> str:
    n = data.entities.height
    if not n:
        return _svg([_text(_WIDTH / 2, _HEIGHT / 2, "No entities to show.", 14)], "Empty graph")
    degree = data.entities["degree"].to_numpy()
    rank = np.lexsort((np.arange(n), -degree))
    linked = max(int((degree > 0).sum()), 1)  # single nodes would only make the others small
    rank = rank[: min(_NODES, linked)]
    shown = np.sort(rank)
    xy = _fit(np.frombuffer(payload.positions, "<f4").reshape(-1, 2)[shown])
    place = dict(zip(shown.tolist(), xy.tolist(), strict=True))
    sizes = np.frombuffer(payload.sizes, "<f4")
    lines, n_lines = _lines(data, place)
    dots = [_dot(data, row, at, 2.5 + 8 * float(sizes[row]) ** 0.5) for row, at in place.items()]
    names = data.entities["name"]
    labels = _labels([(row, *place[row], names[row]) for row in rank.tolist()], sizes)
    said = f"{len(shown):,} of {data.total_entities:,} entities, {n_lines:,} of {data.total_relations:,} relations"
    caption = _text(10, _HEIGHT - 10, f"{said} in this picture", 11, anchor="start", color="#6b7280")
    return _svg([*lines, *dots, *labels, caption], str(payload.meta["summary"]))


def _fit(points: Points) -> Points:
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.array([_WIDTH, _HEIGHT]) - 2 * _MARGIN
    scale = float((room / np.maximum(high - low, 1e-6)).min())
    return np.asarray((points - (low + high) / 2) * min(scale, 3.0) + np.array([_WIDTH, _HEIGHT]) / 2)


def _lines(data: GraphData, place: dict[int, list[float]]) -> tuple[list[str], int]:
    order = data.relations.with_row_index("row").sort("weight", "row", descending=[True, False])
    pairs = []
    for source, target, polarity in order.select("source", "target", "polarity").iter_rows():
        if source in place and target in place and source != target:
            pairs.append((place[source], place[target], polarity))
    drawn = [
        f'<path d="M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}"'
        + ("" if polarity == "positive" else ' stroke="#b4534f" stroke-dasharray="4 3"')
        + "/>"
        for a, b, polarity in pairs[:_LINKS]
    ]
    return ['<g stroke="#8a94a6" stroke-opacity=".45" fill="none">', *drawn, "</g>"], len(drawn)


def _dot(data: GraphData, row: int, at: list[float], radius: float) -> str:
    group = int(data.entities["group_index"][row])
    number = group if data.groups else int(data.entities["type_index"][row])
    grey = number < 0 or (data.groups and data.groups[number].status != "grouped")
    color = "#9aa3b2" if grey else PALETTE[number % len(PALETTE)]
    return f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius:.1f}" fill="{color}" stroke="#fff"/>'


def _labels(rows: list[tuple[int, float, float, str]], sizes: Points) -> list[str]:
    taken: list[tuple[float, float, float, float]] = []
    out = []
    for row, x, y, name in rows:
        name = name if len(name) <= 26 else name[:25] + "…"
        below = y + 2.5 + 8 * float(sizes[row]) ** 0.5 + 11
        half = 3.2 * len(name) + 2
        box = (x - half, below - 10, x + half, below + 3)
        if any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken):
            continue
        taken.append(box)
        out.append(_text(x, below, name, 11))
        if len(out) == _LABELS:
            break
    return out


def _text(x: float, y: float, text: str, size: int, *, anchor: str = "middle", color: str = _INK) -> str:
    clean = "".join(c if c.isprintable() else " " for c in text)
    where = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
    return f'<text {where} fill="{color}" {_HALO}>{escape(clean)}</text>'


def _svg(parts: list[str], summary: str) -> str:
    clean = escape("".join(c if c.isprintable() else " " for c in summary))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'role="img" font-family="system-ui, sans-serif"><title>{clean}</title>'
        f"{_PAPER}{''.join(parts)}</svg>"
    )
