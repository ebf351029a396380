"""The tables of what the local extractor found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from kgkit import tables
from kgkit.extraction.local.pipeline import ChunkText, DocumentFound
from kgkit.ids import stable_id
from kgkit.results import Outcome

__all__ = ["mention_rows", "outcomes_of", "statement_rows", "table"]


def mention_rows(doc_id: str, chunks: Sequence[ChunkText], found: DocumentFound) -> list[tuple[Any, ...]]:
    """Make the rows of a document's mentions, without their origin."""
    rows = []
    for m in found.mentions:
        key = stable_id("mention", doc_id, m.start, m.end, m.name, m.type)
        chunk = chunks[m.chunk]
        quote = chunk.text[m.start - chunk.start : m.end - chunk.start]
        place = (m.start, m.end, quote, "exact")
        rows.append((key, doc_id, chunk.chunk_id, m.name, m.type, *place, m.description, "{}", m.confidence))
    return rows


def statement_rows(doc_id: str, chunks: Sequence[ChunkText], found: DocumentFound) -> list[tuple[Any, ...]]:
    """Make the rows of a document's statements, without their origin."""
    rows = []
    for s in found.statements:
        said = (s.subject, s.subject_type, s.predicate, s.object, s.object_type, s.polarity)
        key = stable_id("statement", doc_id, s.start, s.end, *said)
        chunk = chunks[s.chunk]
        quote = chunk.text[s.start - chunk.start : s.end - chunk.start]
        rows.append((key, doc_id, chunk.chunk_id, *said, s.start, s.end, quote, "exact", s.confidence))
    return rows


def table(name: str, rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    """Make a table of its rows."""
    from kgkit.models.nlp import origin

    if not rows:
        return tables.empty(name)
    declared = tables.get(name).schema
    schema = {c: t for c, t in declared.items() if c != "origin"}
    columns = dict(zip(schema, zip(*rows, strict=True), strict=True))
    data = {c: pl.Series(c, columns[c], dtype=t) for c, t in schema.items()}
    frame = pl.DataFrame(data).with_columns(origin=pl.lit(origin()))
    return tables.conform(frame.sort("doc_id", "start", "end", f"{name[:-1]}_id"), name)


def outcomes_of(chunks: Sequence[ChunkText], found: DocumentFound) -> Iterator[Outcome]:
    """Tell what became of each chunk of a document."""
    for i, chunk in enumerate(chunks):
        size = len(chunk.text)
        problem = found.problems[i]
        if problem is not None:
            status, reason, detail = problem
            yield Outcome(chunk.chunk_id, status, reason, detail, chars_available=size, chars_sent=0)
        elif i in found.hits:
            yield Outcome(chunk.chunk_id, "ok", chars_available=size, chars_sent=size)
        elif not chunk.text.strip():
            yield Outcome(chunk.chunk_id, "empty", "no_text", "no text", chars_available=size, chars_sent=size)
        else:
            yield Outcome(
                chunk.chunk_id, "empty", "nothing_found", "no name in this text", chars_available=size, chars_sent=size
            )
