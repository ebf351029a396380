"""Small, script-free HTML for notebooks: counts and failures first, then the first rows of the main frame."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

_ROWS = 5
_CELL = 120
_MARK = {"ok": "✓", "empty": "∅", "failed": "✗", "skipped": "→"}
_STYLE = "font-family:system-ui,sans-serif;font-size:13px;line-height:1.4"
_TD = "padding:2px 10px 2px 0;text-align:left;vertical-align:top"

__all__ = ["frame_html", "result_html"]


def result_html(
    stage: str, counts: Mapping[str, int], frames: Mapping[str, pl.DataFrame], failures: pl.DataFrame
) -> str:
    """Show a result: what went in and what became of it, what to look at, and the first rows of the main frame.

    Args:
        stage: Name of the function that ran.
        counts: ``in``, ``ok``, ``empty``, ``failed``, ``skipped``.
        frames: The result's frames, the main one first.
        failures: The outcomes to look at.
    """
    marks = " · ".join(f"{_MARK[s]} {counts[s]:,} {s}" for s in _MARK if counts[s])
    sizes = ", ".join(f"{f.height:,} {n}" for n, f in frames.items() if n != "outcomes")
    parts = [
        f"<div><b>{escape(stage)}</b>: {escape(sizes)}</div>",
        f"<div>{counts['in']:,} in: {marks or 'none'}</div>",
    ]
    if failures.height:
        wanted = ("item_id", "status", "reason", "detail", "notes")
        shown = failures.select(c for c in wanted if failures[c].null_count() < failures.height)
        parts.append(_details(f"{failures.height:,} to look at", frame_html(shown, rows=20), opened=True))
    main, frame = next(iter(frames.items()))
    parts.append(_details(main, frame_html(frame), opened=not failures.height))
    return f'<div style="{_STYLE}">{"".join(parts)}</div>'


def frame_html(frame: pl.DataFrame, *, rows: int = _ROWS) -> str:
    """Show a frame's first rows as an HTML table; all text is escaped, long cells are cut with a mark."""
    head = "".join(f'<th style="{_TD}">{escape(c)}</th>' for c in frame.columns)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_TD}">{escape(_cell(v))}</td>' for v in row) + "</tr>"
        for row in frame.head(rows).iter_rows()
    )
    more = f"<div>… {frame.height - rows:,} more rows</div>" if frame.height > rows else ""
    return f'<table style="border-collapse:collapse"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}'


def _details(title: str, inner: str, *, opened: bool) -> str:
    return f"<details{' open' if opened else ''}><summary>{escape(title)}</summary>{inner}</details>"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, list):
        value = "; ".join(_cell(v) for v in value)
    text = f"{value:.3g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _CELL else text[:_CELL] + " …"
