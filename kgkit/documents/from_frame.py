"""Documents that are texts in a frame already."""

from __future__ import annotations

import json
import math
from typing import Any

import polars as pl

from kgkit import tables
from kgkit.documents.dates import parse_time
from kgkit.errors import SchemaError
from kgkit.frames import Backend, backend_of, to_polars
from kgkit.ids import content_hash, stable_id
from kgkit.language import tell_language
from kgkit.results import Outcome, Result

__all__ = ["documents_from_frame"]

_KEPT = (
    "doc_id",
    "source",
    "title",
    "media_type",
    "language",
    "text",
    "content_hash",
    "modified_at",
    "metadata",
    "sections",
)
_MADE = ("n_chars",)


def documents_from_frame(source: Any) -> tuple[list[dict[str, Any]], list[Outcome], Backend]:
    """Make documents of a frame's rows.

    Args:
        source: A frame with a ``text`` column, or a result with a documents frame.

    Returns:
        Rows of the documents table in order of their source, one outcome a row, and the kind of frame that came in.

    Raises:
        SchemaError: There is no ``text`` column, or a column cannot be used.
    """
    obj = source.frames.get("documents", source.frame) if isinstance(source, Result) else source
    frame = to_polars(obj, "documents")
    if "text" not in frame.columns:
        have = ", ".join(map(repr, frame.columns)) or "none"
        msg = f"A frame of documents needs a 'text' column; it has: {have}. Rename the one that holds the text."
        raise SchemaError(msg)
    known = tables.conform(_read_times(frame).select([c for c in frame.columns if c in _KEPT]), "documents", require=[])
    _check_ids(known["doc_id"] if "doc_id" in frame.columns else None)
    extra = frame.select([c for c in frame.columns if c not in (*_KEPT, *_MADE)])
    rows = [_row(k, e) for k, e in zip(known.to_dicts(), _dicts(extra, frame.height), strict=True)]
    _number_repeats(rows)
    rows.sort(key=lambda row: (row["source"] or row["doc_id"], row["doc_id"]))
    return _split(rows), _outcomes(rows), backend_of(obj)


def _row(known: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
    text = known["text"] or ""
    cleaned = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text) if not _valid(text) else text
    cleaned = cleaned.replace("\x00", " ")
    metadata = _metadata(known["metadata"], extra)
    return known | {
        "text": cleaned,
        "n_chars": len(cleaned),
        "content_hash": known["content_hash"] or content_hash(text),
        "media_type": known["media_type"] or "text/plain",
        "language": known["language"] or tell_language(cleaned),
        "metadata": json.dumps(metadata, ensure_ascii=False, default=str),
        "sections": known["sections"] or [],
        "notes": () if cleaned == text else ("nul_characters: replaced by blanks",),
    }


def _valid(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)


def _metadata(given: str | None, extra: dict[str, Any]) -> dict[str, Any]:
    values = {k: _finite(v) for k, v in extra.items() if v is not None}
    if not given:
        return values
    try:
        known = json.loads(given)
    except ValueError:
        return {"metadata": given, **values}
    return {**known, **values} if isinstance(known, dict) else {"metadata": known, **values}


def _finite(value: Any) -> Any:
    """Write infinity as text: JSON has no number for it."""
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _read_times(frame: pl.DataFrame) -> pl.DataFrame:
    """Read ``modified_at`` where it is text, in any form that files use.

    Raises:
        SchemaError: One is no time.
    """
    if "modified_at" not in frame.columns or frame["modified_at"].dtype != pl.String:
        return frame
    texts = frame["modified_at"].to_list()
    times = [parse_time(text) if text and text.strip() else None for text in texts]
    bad = next((i for i, text in enumerate(texts) if text and text.strip() and times[i] is None), None)
    if bad is not None:
        msg = (
            f"Column 'modified_at' holds {texts[bad]!r} in row {bad} (counted from 0), which is no time. Write it like "
            "2024-01-31T12:00:00+01:00, or give the column another name to keep it as metadata."
        )
        raise SchemaError(msg)
    return frame.with_columns(pl.Series("modified_at", times, dtype=pl.Datetime("us", "UTC")))


def _check_ids(ids: pl.Series | None) -> None:
    if ids is None:
        return
    if ids.null_count():
        msg = "Column 'doc_id' holds nulls; fill them, or leave the column out and ids are made from the content."
        raise SchemaError(msg)
    if ids.is_duplicated().any():
        twice = sorted(ids.filter(ids.is_duplicated()).unique().to_list())[0]
        msg = f"Column 'doc_id' holds {twice!r} more than once; ids are unique."
        raise SchemaError(msg)


def _number_repeats(rows: list[dict[str, Any]]) -> None:
    """Give ids to rows without one, from the content; equal rows are told apart by source, then by number."""
    seen: dict[str, int] = {}
    taken = {row["doc_id"] for row in rows if row["doc_id"]}
    order = sorted(
        (r for r in rows if r["doc_id"] is None),
        key=lambda r: (r["source"] or "", json.dumps([r["title"], r["metadata"]])),
    )
    for row in order:
        digest = row["content_hash"]
        while True:
            seen[digest] = seen.get(digest, 0) + 1
            count = seen[digest]
            row["doc_id"] = stable_id("doc", digest) if count == 1 else stable_id("doc", digest, count)
            if row["doc_id"] not in taken:
                break
        taken.add(row["doc_id"])
        if count > 1:
            row["notes"] = (*row["notes"], "duplicate: same text as another row")
    for row in rows:
        row["source"] = row["source"] or row["doc_id"]


def _dicts(frame: pl.DataFrame, height: int) -> list[dict[str, Any]]:
    return frame.to_dicts() if frame.width else [{} for _ in range(height)]


def _split(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in row.items() if k != "notes"} for row in rows if row["text"].strip()]


def _outcomes(rows: list[dict[str, Any]]) -> list[Outcome]:
    sources = [row["source"] for row in rows]
    unique = len(set(sources)) == len(sources)
    outcomes = []
    for row in rows:
        item = row["source"] if unique else row["doc_id"]
        size = row["n_chars"]
        if row["text"].strip():
            outcomes.append(Outcome(item, "ok", notes=row["notes"], chars_available=size, chars_sent=size))
        else:
            detail = "The text is empty, blank or null."
            outcomes.append(Outcome(item, "empty", "no_text", detail, chars_available=size, chars_sent=size))
    return outcomes
