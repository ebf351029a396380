"""Pieces of HTML that reports are made of. Everything that comes from data goes through `text`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from kgkit.text import collapse_spaces

__all__ = ["bar", "bdi", "count", "joined", "limit_note", "paragraph", "quoted", "quotes", "sentence", "table", "text"]

_MANY = {"entity": "entities", "community": "communities", "reply": "replies"}


def text(value: Any) -> str:
    """Escape a value; nothing is shown as a dash."""
    return "–" if value is None else escape(str(value))


def bdi(value: Any) -> str:
    """Escape a text of a document, which has its own direction."""
    return f'<bdi dir="auto">{text(value)}</bdi>'


def joined(*parts: str) -> str:
    """Join pieces, without the empty ones."""
    return "\n".join(part for part in parts if part)


def count(n: int, one: str) -> str:
    """Say a number of things: ``1 entity``, ``2,000 entities``."""
    return f"{n:,} {one if n == 1 else _MANY.get(one, one + 's')}"


def paragraph(words: str, kind: str = "") -> str:
    """A paragraph of plain text, or nothing."""
    return f"<p{f' class={kind!r}' if kind else ''}>{text(words)}</p>".replace("'", '"', 2) if words else ""


def limit_note(shown: int, total: int, what: str, name: str, where: dict[str, str]) -> str:
    """Say that only a part is listed, and where all is; nothing where all is listed."""
    if shown >= total:
        return ""
    rest = f"; all are in {_table_link(name, where)}." if "tables" in where else "."
    return f'<p class="note">{shown:,} of {text(count(total, what))} shown{rest}</p>'


def _table_link(name: str, where: dict[str, str]) -> str:
    return f'<a href="{text(where["tables"])}/{text(name)}.parquet">{text(name)}.parquet</a>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Iterable[int] = (), bars: int = -1) -> str:
    """A table; cells are trusted HTML, columns in ``numbers`` are set to the right."""
    right = set(numbers)
    kind = ["n" if k in right else "bar" if k == bars else "" for k in range(len(head))]
    attribute = [f' class="{k}"' if k else "" for k in kind]
    top = "".join(f'<th scope="col"{a}>{text(h)}</th>' for h, a in zip(head, attribute, strict=True))
    body = "\n".join(
        "<tr>" + "".join(f"<td{a}>{cell}</td>" for cell, a in zip(row, attribute, strict=True)) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead>\n<tbody>{body}</tbody></table>"


def bar(share: float) -> str:
    """A bar of at most 120 pixels."""
    width = max(1, round(share * 120))
    return f'<svg width="120" height="8" aria-hidden="true"><rect width="{width}" height="8" rx="2"/></svg>'


def sentence(subject: str, predicate: str, obj: str, polarity: str) -> str:
    """A relation in words."""
    sign = "" if polarity == "positive" else f'<span class="sign {text(polarity)}">{text(polarity)}</span> '
    return f"<b>{bdi(subject)}</b> {sign}<i>{bdi(predicate.replace('_', ' '))}</i> <b>{bdi(obj)}</b>"


def quotes(found: dict[str, Any]) -> str:
    """Quotes with where they stand, and how many more there are."""
    shown = found.get("quotes", [])
    more = found.get("n", 0) - len(shown)
    return joined(
        *(quoted(q["quote"], q.get("source"), q.get("start"), q.get("end")) for q in shown),
        f'<p class="note">and {count(more, "further quote")}</p>' if more > 0 and shown else "",
    )


def quoted(words: str, source: str | None, start: int | None, end: int | None, place: str | None = None) -> str:
    """One quote with where it stands."""
    spot = f", {bdi(place)}" if place else ""
    where = f", characters {start:,}–{end:,}" if start is not None and end is not None else ""
    return f"<blockquote>{bdi(collapse_spaces(words))}<cite>{bdi(source)}{spot}{where}</cite></blockquote>"
