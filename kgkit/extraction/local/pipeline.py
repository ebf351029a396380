"""One document through the local extractor: spaCy, names, agreement within the document, triples.

The unit of work is a document: what is found in it depends on its own chunks and on nothing else, so adding,
removing or reordering documents changes nothing for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from kgkit.extraction.local.document import names_of_document
from kgkit.extraction.local.found import FoundName, FoundTriple
from kgkit.extraction.local.lexicon import lexicon
from kgkit.extraction.local.spans import Parsed
from kgkit.extraction.local.statements import find_triples
from kgkit.results import Status

Problem = tuple[Status, str, str]

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
    """What a document's chunks gave, and for each chunk ``None`` or why it gave nothing: status, reason, detail."""

    mentions: list[MentionFound]
    statements: list[StatementFound]
    problems: list[Problem | None]


def find_in_document(nlp: Any, chunks: Sequence[ChunkText], types: frozenset[str]) -> DocumentFound:
    """Find the mentions and statements of one document.

    Args:
        nlp: The loaded pipeline.
        chunks: The document's chunks, ordered by ``start``.
        types: Types of mentions to keep.
    """
    parsed, problems = _parse(nlp, chunks)
    good = sorted(parsed)
    mentions: list[MentionFound] = []
    statements: list[StatementFound] = []
    if good:
        found = names_of_document([parsed[i] for i in good], lexicon())
        for i, names in zip(good, found, strict=True):
            kept = [name for name in names if name.type in types]
            mentions += _mentions(kept, chunks[i], i)
            try:
                statements += _statements(find_triples(parsed[i].doc, kept), chunks[i], i)
            except Exception as error:  # its mentions are good all the same: but a person must know
                problems[i] = ("failed", "error", f"statements: {type(error).__name__}: {error}")
    return DocumentFound(_once(mentions), _once_said(statements), problems)


def _parse(nlp: Any, chunks: Sequence[ChunkText]) -> tuple[dict[int, Parsed], list[Problem | None]]:
    """Run spaCy on each chunk; one bad chunk must not end a batch: it becomes a row to retry."""
    parsed: dict[int, Parsed] = {}
    problems: list[Problem | None] = [None] * len(chunks)
    for i, chunk in enumerate(chunks):
        try:
            parsed[i] = Parsed.of(nlp(chunk.text))
        except Exception as error:
            problems[i] = ("failed", "error", f"{type(error).__name__}: {error}")
    return parsed, problems


def _mentions(names: Iterable[FoundName], chunk: ChunkText, i: int) -> list[MentionFound]:
    at = chunk.start
    return [MentionFound(i, at + n.start, at + n.end, n.name, n.type, None, n.confidence) for n in names]


def _statements(triples: Iterable[FoundTriple], chunk: ChunkText, i: int) -> list[StatementFound]:
    return [_statement(triple, chunk.start, i) for triple in triples]


def _statement(triple: FoundTriple, at: int, i: int) -> StatementFound:
    subject, predicate, object_, polarity, start, end, confidence, pattern = triple
    left, right = (subject.name, subject.type), (object_.name, object_.type)
    return StatementFound(i, at + start, at + end, *left, predicate, *right, polarity, confidence, pattern)


def _once(mentions: list[MentionFound]) -> list[MentionFound]:
    seen: dict[tuple[int, int, str, str], MentionFound] = {}
    for mention in sorted(mentions, key=lambda m: (m.start, m.end, m.chunk)):
        seen.setdefault((mention.start, mention.end, mention.name, mention.type), mention)
    return list(seen.values())


def _once_said(statements: list[StatementFound]) -> list[StatementFound]:
    seen: dict[tuple[object, ...], StatementFound] = {}
    for found in sorted(statements):
        seen.setdefault(found[1:9], found)
    return list(seen.values())
