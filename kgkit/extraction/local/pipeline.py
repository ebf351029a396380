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
from kgkit.models.nlp import load_nlp
from kgkit.results import Status

Problem = tuple[Status, str, str]
"""Status, reason and detail of a chunk that gave nothing."""

_TEXTS_AT_ONCE = 64

__all__ = ["ChunkText", "DocumentFound", "MentionFound", "StatementFound", "find_in_documents"]


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
    """What a document's chunks gave; for each chunk None or what went wrong; and the chunks that gave something."""

    mentions: list[MentionFound]
    statements: list[StatementFound]
    problems: list[Problem | None]
    hits: frozenset[int]


def find_in_documents(documents: Sequence[Sequence[ChunkText]], types: frozenset[str]) -> list[DocumentFound]:
    """Find the mentions and statements of some documents; spaCy takes their texts together, which is faster.

    The texts that go through spaCy together do not change what it finds in each (a test holds that).

    Args:
        documents: Each document's chunks, ordered by ``start``.
        types: Types of mentions to keep.
    """
    nlp = load_nlp()
    texts = [chunk.text for chunks in documents for chunk in chunks if _problem(nlp, chunk) is None]
    parsed = iter(_parse(nlp, texts))
    found = []
    for chunks in documents:
        problems = [_problem(nlp, chunk) for chunk in chunks]
        docs = [next(parsed) if problem is None else problem for problem in problems]
        found.append(_find_in_document(chunks, docs, types))
    return found


def _problem(nlp: Any, chunk: ChunkText) -> Problem | None:
    if len(chunk.text) > nlp.max_length:
        detail = f"{len(chunk.text):,} characters in one chunk; {nlp.max_length:,} can be read. Use chunk_documents."
        return "failed", "too_long", detail
    return None


def _parse(nlp: Any, texts: list[str]) -> list[Parsed | Problem]:
    """Run spaCy on all texts; one bad text must not end a batch: it becomes a row to retry."""
    try:
        return [Parsed.of(doc) for doc in nlp.pipe(texts, batch_size=_TEXTS_AT_ONCE)]
    except Exception:  # which text it was, and why, is found by taking each alone
        return [_parse_one(nlp, text) for text in texts]


def _parse_one(nlp: Any, text: str) -> Parsed | Problem:
    try:
        return Parsed.of(nlp(text))
    except Exception as error:
        return "failed", "error", f"{type(error).__name__}: {error}"


def _find_in_document(
    chunks: Sequence[ChunkText], docs: Sequence[Parsed | Problem], types: frozenset[str]
) -> DocumentFound:
    problems: list[Problem | None] = [None if isinstance(doc, Parsed) else doc for doc in docs]
    good = [(i, doc) for i, doc in enumerate(docs) if isinstance(doc, Parsed)]
    mentions: list[MentionFound] = []
    statements: list[StatementFound] = []
    found = names_of_document([doc for _, doc in good], lexicon())
    for (i, parsed), names in zip(good, found, strict=True):
        kept = [name for name in names if name.type in types]
        mentions += _mentions(kept, chunks[i], i)
        try:
            statements += _statements(find_triples(parsed.doc, kept), chunks[i], i)
        except Exception as error:  # its mentions are good all the same: but a person must know
            problems[i] = ("failed", "error", f"statements: {type(error).__name__}: {error}")
    hits = frozenset(m.chunk for m in mentions) | frozenset(s.chunk for s in statements)
    return DocumentFound(_once(mentions), _once_said(statements), problems, hits)


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
