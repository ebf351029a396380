"""Small, script-free HTML for notebooks: counts and failures first, then the first rows of the main frame."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from kgkit.frames import to_polars

if TYPE_CHECKING:
    import polars as pl

    from kgkit.results import Result

_ROWS = 5
_CELL = 120
_MARK = {"ok": "✓", "empty": "∅", "failed": "✗", "skipped": "→"}
_STYLE = "font-family:system-ui,sans-serif;font-size:13px;line-height:1.4"
_TD = "padding:2px 10px 2px 0;text-align:left;vertical-align:top"

__all__ = ["frame_html", "result_html"]


def result_html(result: Result) -> str:
    """Show a result: what went in and what became of it, what to look at, and the first rows."""
    counts = result.counts
    marks = " · ".join(f"{_MARK[s]} {counts[s]:,} {s}" for s in _MARK if counts[s])
    sizes = ", ".join(f"{len(f):,} {n}" for n, f in result.frames.items() if n != "outcomes")
    parts = [
        f"<div><b>{escape(result.stage)}</b>: {escape(sizes)}</div>",
        f"<div>{counts['in']:,} in: {marks or 'none'}</div>",
    ]
    bad = to_polars(result.failures)
    if bad.height:
        columns = [c for c in ("item_id", "status", "reason", "detail", "notes") if not bad[c].is_null().all()]
        parts.append(_details(f"{bad.height:,} to look at", frame_html(bad.select(columns), rows=20), opened=True))
    parts.append(_details(result.main, frame_html(to_polars(result.frame)), opened=not bad.height))
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
