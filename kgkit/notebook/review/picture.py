"""What stands in a saved notebook where no panel can live: how far the review was, without any script."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kgkit.reviewing import Review

__all__ = ["picture_html"]

_SIGNS = {"accepted": "✓", "rejected": "✗", "skipped": "→", "flagged": "⚑"}
_ROWS = 8
_BOX = (
    "font-family:system-ui,sans-serif;font-size:13px;line-height:1.5;border:1px solid #8888;border-radius:8px;"
    "padding:10px 14px;max-width:760px"
)
_TD = "padding:1px 12px 1px 0;text-align:left;vertical-align:top"


def picture_html(review: Review) -> str:
    """Draw how far a review is: counts, a bar, and the latest decisions."""
    progress = review.progress
    counts = [f"{sign} {getattr(progress, name):,} {name}" for name, sign in _SIGNS.items() if getattr(progress, name)]
    share = 100 * progress.decided / max(progress.total, 1)
    bar = (
        '<div style="height:6px;border-radius:3px;background:#8883;margin:6px 0">'
        f'<div style="height:6px;border-radius:3px;background:#2f8f6b;width:{share:.1f}%"></div></div>'
    )
    rows = "".join(
        f'<tr><td style="{_TD}">{_SIGNS.get(d["verdict"], "")} {escape(d["verdict"])}</td>'
        f'<td style="{_TD}">{escape(d["label"])}</td><td style="{_TD}">{escape(d["reviewer"])}</td></tr>'
        for d in review.recent(_ROWS)
    )
    table = f'<table style="border-collapse:collapse;margin-top:4px"><tbody>{rows}</tbody></table>' if rows else ""
    waiting = f"{progress.left:,} to decide" if progress.left else "all decided"
    return (
        f'<div style="{_BOX}"><div><b>Review</b>: {progress.decided:,} of {progress.total:,} decided, {waiting}</div>'
        f"{bar}<div>{escape(' · '.join(counts)) or 'nothing decided yet'}</div>{table}"
        '<div style="opacity:.7;margin-top:4px">A picture of how it was when the cell ran. '
        "Run the cell to go on.</div></div>"
    )
