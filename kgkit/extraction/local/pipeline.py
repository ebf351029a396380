"""One document through the local extractor: spaCy, names, agreement within the document, triples.

The unit of work is a document: what is found in it depends on its own chunks and on nothing else, so adding,
removing or reordering documents changes nothing for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from kgkit.extraction.local.describe import describe
from kgkit.extraction.local.document import names_of_document
from kgkit.extraction.local.english import ENOUGH_TO_TELL, foreign_language
from kgkit.extraction.local.found import FoundName, FoundTriple
from kgkit.extraction.local.lexicon import lexicon
from kgkit.extraction.local.spans import Parsed
from kgkit.extraction.local.statements import find_triples
from kgkit.extraction.local.units import parse_texts
from kgkit.models.nlp import load_nlp
from kgkit.results import Status

Problem = tuple[Status, str, str]
"""Status, reason and detail of a chunk that gave nothing."""

_RIVALS = 8

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
    problems_of = [_problems(nlp, chunks) for chunks in documents]
    texts = [
        chunk.text
        for chunks, problems in zip(documents, problems_of, strict=True)
        for chunk, problem in zip(chunks, problems, strict=True)
        if problem is None
    ]
    parsed = iter(_parse(nlp, texts))
    found = []
    for chunks, problems in zip(documents, problems_of, strict=True):
        docs = [next(parsed) if problem is None else problem for problem in problems]
        found.append(_find_in_document(chunks, docs, types))
    return found


def _problems(nlp: Any, chunks: Sequence[ChunkText]) -> list[Problem | None]:
    """Tell which chunks are not to be read: those in another language, and those that are too long."""
    main: list[str | None] = []

    def language(chunk: ChunkText) -> str | None:
        own = foreign_language(chunk.text)
        if own is not None or len(chunk.text) >= ENOUGH_TO_TELL:
            return own
        if not main:
            main.append(foreign_language("\n".join(other.text for other in chunks)))
        return main[0]

    return [_problem(nlp, chunk, language(chunk)) for chunk in chunks]


def _problem(nlp: Any, chunk: ChunkText, language: str | None) -> Problem | None:
    if language is not None:
        detail = f"The text looks like language {language!r}; the local extractor knows English only."
        return "skipped", "language", detail
    if len(chunk.text) > nlp.max_length:
        detail = f"{len(chunk.text):,} characters in one chunk; {nlp.max_length:,} can be read. Use chunk_documents."
        return "failed", "too_long", detail
    return None


def _parse(nlp: Any, texts: list[str]) -> list[Parsed | Problem]:
    """Run spaCy on all texts; one bad text must not end a batch: it becomes a row to retry."""
    try:
        return [Parsed.of(doc) for doc in parse_texts(nlp, texts)]
    except Exception:  # which text it was, and why, is found by taking each alone
        return [_parse_one(nlp, text) for text in texts]


def _parse_one(nlp: Any, text: str) -> Parsed | Problem:
    try:
        return Parsed.of(next(parse_texts(nlp, [text])))
    except Exception as error:
        return "failed", "error", f"{type(error).__name__}: {error}"


def _find_in_document(
    chunks: Sequence[ChunkText], docs: Sequence[Parsed | Problem], types: frozenset[str]
) -> DocumentFound:
    problems: list[Problem | None] = [None if isinstance(doc, Parsed) else doc for doc in docs]
    good = [(i, doc) for i, doc in enumerate(docs) if isinstance(doc, Parsed)]
    mentions: list[MentionFound] = []
    statements: list[StatementFound] = []
    try:
        found = names_of_document([doc for _, doc in good], lexicon())
    except Exception as error:
        found = []
        for i, _ in good:
            problems[i] = ("failed", "error", f"names: {type(error).__name__}: {error}")
        good = []
    for (i, parsed), names in zip(good, found, strict=True):
        kept = [name for name in names if name.type in types]
        mentions += _mentions(parsed, kept, chunks[i], i)
        try:
            statements += _statements(find_triples(parsed.doc, kept), chunks[i], i)
        except Exception as error:  # its mentions are good all the same: but a person must know
            problems[i] = ("failed", "error", f"statements: {type(error).__name__}: {error}")
    hits = frozenset(m.chunk for m in mentions) | frozenset(s.chunk for s in statements)
    return DocumentFound(_once(mentions, chunks), _once_said(statements), problems, hits)


def _mentions(parsed: Parsed, names: Iterable[FoundName], chunk: ChunkText, i: int) -> list[MentionFound]:
    at, words = chunk.start, lexicon()
    return [
        MentionFound(i, at + n.start, at + n.end, n.name, n.type, describe(parsed, n, words), n.confidence)
        for n in names
    ]


def _statements(triples: Iterable[FoundTriple], chunk: ChunkText, i: int) -> list[StatementFound]:
    return [_statement(triple, chunk.start, i) for triple in triples]


def _statement(triple: FoundTriple, at: int, i: int) -> StatementFound:
    subject, predicate, object_, polarity, start, end, confidence, pattern = triple
    left, right = (subject.name, subject.type), (object_.name, object_.type)
    return StatementFound(i, at + start, at + end, *left, predicate, *right, polarity, confidence, pattern)


def _once(mentions: list[MentionFound], chunks: Sequence[ChunkText]) -> list[MentionFound]:
    """Report once what chunks that overlap both have; where they disagree, the one that saw more around it is right."""

    def seen_around(mention: MentionFound) -> int:
        chunk = chunks[mention.chunk]
        return min(mention.start - chunk.start, chunk.start + len(chunk.text) - mention.end)

    kept: list[MentionFound] = []
    for mention in sorted(mentions, key=lambda m: (m.start, m.end, m.chunk)):
        rivals = [
            other
            for other in kept[-_RIVALS:]
            if other.chunk != mention.chunk and other.start < mention.end and mention.start < other.end
        ]
        if not rivals:
            kept.append(mention)
        elif all(seen_around(mention) > seen_around(other) for other in rivals):
            kept = [m for m in kept if m not in rivals]
            kept.append(mention)
    return kept


def _once_said(statements: list[StatementFound]) -> list[StatementFound]:
    """Report a statement once, also where a chunk begins or ends within its sentence: the longest sentence stays."""
    kept: dict[tuple[object, ...], list[StatementFound]] = {}
    for found in sorted(statements, key=lambda s: (s.start - s.end, s.start, s.chunk)):
        said = kept.setdefault(found[3:9], [])
        if not any(o.chunk != found.chunk and o.start < found.end and found.start < o.end for o in said):
            said.append(found)
    return sorted(found for said in kept.values() for found in said)
