"""The tables of what a language model found."""

from __future__ import annotations

from typing import Any

import polars as pl

from kgkit import tables
from kgkit.extraction.model.chunks import Chunk, ChunkFound
from kgkit.extraction.model.ground import FoundMention
from kgkit.extraction.model.prompt import Passage
from kgkit.extraction.model.state import FoundStatement
from kgkit.ids import stable_id

__all__ = ["Rows", "chunks_of"]


def chunks_of(frame: pl.DataFrame) -> list[Chunk]:
    """Read the chunks, in the order of the documents."""
    columns = ["chunk_id", "doc_id", "start", "text", "title", "heading"]
    rows = frame.sort("doc_id", "start", "seq", "chunk_id").select(columns).iter_rows()
    return [Chunk(chunk_id, doc_id, start, Passage(*around)) for chunk_id, doc_id, start, *around in rows]


class Rows:
    """Mentions and statements as they come; what chunks that overlap both have is one row."""

    def __init__(self) -> None:
        self._mentions: dict[str, dict[str, Any]] = {}
        self._statements: dict[str, dict[str, Any]] = {}

    def add(self, found: ChunkFound) -> None:
        """Add what a chunk gave."""
        for mention in found.mentions:
            _keep(self._mentions, "mention_id", _mention_row(found.chunk, mention))
        for statement in found.statements:
            _keep(self._statements, "statement_id", _statement_row(found.chunk, statement))

    def frames(self) -> dict[str, pl.DataFrame]:
        """Make the tables, in the order of the documents."""
        return {"mentions": _frame("mentions", self._mentions), "statements": _frame("statements", self._statements)}


def _keep(rows: dict[str, dict[str, Any]], key: str, row: dict[str, Any]) -> None:
    """Keep of two rows with one id the one that says more, then the surer, then that of the smaller chunk id."""
    old = rows.get(row[key])
    if old is None or _rank(row) < _rank(old):
        rows[row[key]] = row


def _rank(row: dict[str, Any]) -> tuple[int, float, str]:
    said = (row.get("description") is not None) + (row.get("attributes", "{}") != "{}")
    return -said, -(row["confidence"] or 0.0), row["chunk_id"]


def _place(chunk: Chunk, start: int | None, end: int | None, how: str) -> dict[str, Any]:
    if start is None or end is None:
        return {"start": None, "end": None, "quote": None, "located": how}
    quote = chunk.passage.text[start:end]
    return {"start": chunk.start + start, "end": chunk.start + end, "quote": quote, "located": how}


def _where(place: dict[str, Any], chunk: Chunk) -> tuple[Any, ...]:
    return (place["start"], place["end"]) if place["start"] is not None else (chunk.chunk_id, None)


def _mention_row(chunk: Chunk, m: FoundMention) -> dict[str, Any]:
    place = _place(chunk, m.start, m.end, m.how)
    key = stable_id("mention", chunk.doc_id, *_where(place, chunk), m.name, m.type)
    return {
        "mention_id": key,
        "doc_id": chunk.doc_id,
        "chunk_id": chunk.chunk_id,
        "name": m.name,
        "type": m.type,
        **place,
        "description": m.description,
        "attributes": m.attributes,
        "confidence": m.confidence,
        "origin": m.origin,
    }


def _statement_row(chunk: Chunk, s: FoundStatement) -> dict[str, Any]:
    place = _place(chunk, s.start, s.end, s.how)
    said = {
        "subject": s.subject,
        "subject_type": s.subject_type,
        "predicate": s.predicate,
        "object": s.object,
        "object_type": s.object_type,
        "polarity": s.polarity,
    }
    key = stable_id("statement", chunk.doc_id, *_where(place, chunk), *said.values())
    return {
        "statement_id": key,
        "doc_id": chunk.doc_id,
        "chunk_id": chunk.chunk_id,
        **said,
        **place,
        "confidence": s.confidence,
        "origin": s.origin,
    }


def _frame(name: str, rows: dict[str, dict[str, Any]]) -> pl.DataFrame:
    made = tables.from_rows(name, rows.values())
    return made.sort("doc_id", "start", "end", f"{name[:-1]}_id", nulls_last=True)
