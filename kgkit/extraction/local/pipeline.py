"""One document through the local extractor: spaCy, names, document-level agreement, triples.

The unit of work is a document: what is found in it depends on its own chunks and on nothing else, so adding,
removing or reordering documents changes nothing for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from kgkit.extraction.local.found import FoundName, FoundTriple
from kgkit.extraction.local.names import find_names

__all__ = ["ChunkText", "DocumentFound", "MentionFound", "StatementFound", "find_in_document"]


class ChunkText(NamedTuple):
    """One chunk of a document: its id, where it begins in the document, and its text."""

    chunk_id: str
    start: int
    text: str


class MentionFound(NamedTuple):
    """One mention; ``start`` and ``end`` are characters of the document."""

    chunk: int
    start: int
    end: int
    name: str
    type: str
    description: str | None
    confidence: float


class StatementFound(NamedTuple):
    """One statement; ``start`` and ``end`` hold its sentence, in characters of the document."""

    chunk: int
    start: int
    end: int
    subject: str
    subject_type: str
    predicate: str
    object: str
    object_type: str
    polarity: str
    confidence: float
    pattern: str


class DocumentFound(NamedTuple):
    """What a document's chunks gave, and for each chunk ``None`` or why it gave nothing: reason and detail."""

    mentions: list[MentionFound]
    statements: list[StatementFound]
    problems: list[tuple[str, str] | None]


def find_in_document(nlp: Any, chunks: Sequence[ChunkText], types: frozenset[str]) -> DocumentFound:
    """Find the mentions and statements of one document.

    Args:
        nlp: The loaded pipeline.
        chunks: The document's chunks, ordered by ``start``.
        types: Types of mentions to keep.
    """
    problems: list[tuple[str, str] | None] = [None] * len(chunks)
    mentions: list[MentionFound] = []
    statements: list[StatementFound] = []
    for i, chunk in enumerate(chunks):
        try:
            doc = nlp(chunk.text)
            names = [n for n in find_names(doc) if n.type in types]
            triples = _find_triples(doc, names)
        except Exception as error:  # one bad chunk must not end a batch: it becomes a row to retry
            problems[i] = ("error", f"{type(error).__name__}: {error}")
            continue
        mentions += _mentions(names, chunk, i)
        statements += _statements(triples, chunk, i)
    return DocumentFound(_once(mentions), _once_said(statements), problems)


def _find_triples(doc: Any, names: list[FoundName]) -> list[FoundTriple]:
    try:
        from kgkit.extraction.local.statements import find_triples
    except ModuleNotFoundError:
        return []
    found: list[FoundTriple] = find_triples(doc, names)
    return found


def _mentions(names: Iterable[FoundName], chunk: ChunkText, i: int) -> list[MentionFound]:
    at = chunk.start
    return [MentionFound(i, at + n.start, at + n.end, n.name, n.type, None, n.confidence) for n in names]


def _statements(triples: Iterable[FoundTriple], chunk: ChunkText, i: int) -> list[StatementFound]:
    at = chunk.start
    return [
        StatementFound(
            i,
            at + t.start,
            at + t.end,
            t.subject.name,
            t.subject.type,
            t.predicate,
            t.object.name,
            t.object.type,
            t.polarity,
            t.confidence,
            t.pattern,
        )
        for t in triples
    ]


def _once(mentions: list[MentionFound]) -> list[MentionFound]:
    seen: dict[tuple[int, int, str, str], MentionFound] = {}
    for mention in sorted(mentions):
        seen.setdefault((mention.start, mention.end, mention.name, mention.type), mention)
    return list(seen.values())


def _once_said(statements: list[StatementFound]) -> list[StatementFound]:
    seen: dict[tuple[object, ...], StatementFound] = {}
    for found in sorted(statements):
        seen.setdefault(found[1:9], found)
    return list(seen.values())
