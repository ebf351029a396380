"""The stage ``extract``: from chunks to mentions and statements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from kgkit import tables
from kgkit.errors import InputError, OptionError
from kgkit.extraction.local.pipeline import ChunkText, DocumentFound
from kgkit.frames import Backend, check_backend, give, take
from kgkit.ids import stable_id
from kgkit.results import Outcome, Result, outcomes_frame

__all__ = ["DEFAULT_TYPES", "TYPES", "Extraction", "extract"]

TYPES: dict[str, str] = {
    "PERSON": "a person, real or not",
    "ORGANISATION": "a company, institution, agency, party, team, band",
    "PLACE": "a country, town, region, river, mountain, building",
    "GROUP": "a nationality, religion, political or ethnic group, or a language",
    "PRODUCT": "a thing that is made: device, vehicle, software, programming language",
    "WORK": "a book, film, song, painting, newspaper article",
    "EVENT": "a war, conference, championship, disaster, award",
    "LAW": "a law, treaty, named document of law",
    "CONCEPT": "a technical term: method, field, task, measure",
    "DATE": "a date or time",
    "NUMBER": "a number, amount, percentage or rank; not among the mentions unless asked for",
}
"""Every type that the local extractor gives, and what it means."""

DEFAULT_TYPES: tuple[str, ...] = tuple(t for t in TYPES if t != "NUMBER")
"""The types that `extract` keeps unless told otherwise: all but NUMBER, whose mentions make noise in a graph."""


@dataclass(frozen=True, repr=False, eq=False)
class Extraction(Result):
    """What `extract` found: ``mentions``, ``statements``, and one outcome for each chunk."""

    stage: ClassVar[str] = "extract"
    main: ClassVar[str] = "mentions"

    mentions: Any
    statements: Any


def extract(
    chunks: Any,
    *,
    model: Any = None,
    schema: Any = None,
    types: Iterable[str] | None = None,
    workers: int | None = None,
    backend: Backend | None = None,
    progress: bool = False,
) -> Extraction:
    """Find names, and statements that connect them, in chunks of text.

    Args:
        chunks: A chunks frame of any kind, or the result of `chunk_documents`. Chunks may overlap: what stands in
            two of them is reported once.
        model: A language model; left out, spaCy's small English pipeline and rules do the work.
        schema: Types and predicates that a language model may use; not used by the local extractor.
        types: Types of mentions to keep, out of `TYPES`; by default all but ``NUMBER``.
        workers: Number of processes; by default as many as there are cores when there is enough text.
        backend: Kind of frames to return; by default the kind that came in.
        progress: Say on standard error how far it is.

    Returns:
        An `Extraction`: mentions with exact spans of the document's text (Utf8 and Int64 columns, see
        ``kg.tables.describe("mentions")``), statements whose span is the sentence that makes them, and outcomes.

    Raises:
        OptionError: An option has a value that is not known.
        InputError: ``model`` or ``schema`` was given; language models are not supported yet.
        SchemaError: Columns are missing.

    Example:
        >>> import polars as pl
        >>> text = "Grace Hopper worked at Harvard University."
        >>> chunks = pl.DataFrame({"chunk_id": ["c1"], "doc_id": ["d1"], "seq": [0], "start": [0],
        ...                        "end": [len(text)], "text": [text]})
        >>> extract(chunks).mentions["name"].to_list()
        ['Grace Hopper', 'Harvard University']
    """
    _refuse_models(model, schema)
    kept = _checked_types(types)
    taken = take(chunks, "chunks")
    out = backend or taken.backend
    check_backend(out)
    documents = _by_document(taken.frame)
    found = _run(documents, kept, workers)
    return _assemble(taken.frame, documents, found, {"types": sorted(kept)}, out)


def _refuse_models(model: Any, schema: Any) -> None:
    for option, value in (("model", model), ("schema", schema)):
        if value is not None:
            msg = f"{option}={value!r}: extraction with a language model is not built yet. Leave {option} out."
            raise InputError(msg)


def _checked_types(types: Iterable[str] | None) -> frozenset[str]:
    if isinstance(types, str):
        types = [types]
    kept = frozenset(DEFAULT_TYPES if types is None else types)
    for name in sorted(kept):
        if name not in TYPES:
            raise OptionError.not_one_of("types", name, TYPES)
    return kept


def _by_document(chunks: pl.DataFrame) -> dict[str, list[ChunkText]]:
    documents: dict[str, list[ChunkText]] = defaultdict(list)
    ordered = chunks.sort("doc_id", "start", "seq", "chunk_id")
    for doc_id, chunk_id, start, text in ordered.select("doc_id", "chunk_id", "start", "text").iter_rows():
        documents[doc_id].append(ChunkText(chunk_id, start, text))
    return dict(documents)


def _run(
    documents: dict[str, list[ChunkText]], types: frozenset[str], workers: int | None
) -> Iterator[tuple[str, DocumentFound]]:
    from kgkit.extraction.local.pipeline import find_in_document
    from kgkit.models.nlp import load_nlp

    nlp = load_nlp() if documents else None
    for doc_id, chunks in documents.items():
        yield doc_id, find_in_document(nlp, chunks, types)


def _assemble(
    frame: pl.DataFrame,
    documents: dict[str, list[ChunkText]],
    found: Iterable[tuple[str, DocumentFound]],
    params: dict[str, Any],
    backend: Backend,
) -> Extraction:
    mentions: list[tuple[Any, ...]] = []
    statements: list[tuple[Any, ...]] = []
    outcomes: list[Outcome] = []
    for doc_id, one in found:
        chunks = documents[doc_id]
        mentions += _mention_rows(doc_id, chunks, one)
        statements += _statement_rows(doc_id, chunks, one)
        outcomes += _outcomes(chunks, one)
    report = outcomes_frame("extract", frame["chunk_id"].to_list(), outcomes, params=params)
    return Extraction(
        give(_table("mentions", mentions), "mentions", backend),
        give(_table("statements", statements), "statements", backend),
        outcomes=give(report, "outcomes", backend),
    )


def _mention_rows(doc_id: str, chunks: Sequence[ChunkText], found: DocumentFound) -> list[tuple[Any, ...]]:
    rows = []
    for m in found.mentions:
        key = stable_id("mention", doc_id, m.start, m.end, m.name, m.type)
        chunk = chunks[m.chunk]
        quote = chunk.text[m.start - chunk.start : m.end - chunk.start]
        place = (m.start, m.end, quote, "exact")
        rows.append((key, doc_id, chunk.chunk_id, m.name, m.type, *place, m.description, "{}", m.confidence))
    return rows


def _statement_rows(doc_id: str, chunks: Sequence[ChunkText], found: DocumentFound) -> list[tuple[Any, ...]]:
    rows = []
    for s in found.statements:
        said = (s.subject, s.subject_type, s.predicate, s.object, s.object_type, s.polarity)
        key = stable_id("statement", doc_id, s.start, s.end, *said)
        chunk = chunks[s.chunk]
        quote = chunk.text[s.start - chunk.start : s.end - chunk.start]
        rows.append((key, doc_id, chunk.chunk_id, *said, s.start, s.end, quote, "exact", s.confidence))
    return rows


def _table(name: str, rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    from kgkit.models.nlp import origin

    if not rows:
        return tables.empty(name)
    declared = tables.get(name).schema
    schema = {c: t for c, t in declared.items() if c != "origin"}
    columns = dict(zip(schema, zip(*rows, strict=True), strict=True))
    data = {c: pl.Series(c, columns[c], dtype=t) for c, t in schema.items()}
    frame = pl.DataFrame(data).with_columns(origin=pl.lit(origin()))
    return tables.conform(frame.sort("doc_id", "start", "end", f"{name[:-1]}_id"), name)


def _outcomes(chunks: Sequence[ChunkText], found: DocumentFound) -> Iterator[Outcome]:
    hits = {m.chunk for m in found.mentions} | {s.chunk for s in found.statements}
    for i, chunk in enumerate(chunks):
        size = len(chunk.text)
        problem = found.problems[i]
        if problem is not None:
            status, reason, detail = problem
            yield Outcome(chunk.chunk_id, status, reason, detail, chars_available=size, chars_sent=0)
        elif i in hits:
            yield Outcome(chunk.chunk_id, "ok", chars_available=size, chars_sent=size)
        else:
            yield Outcome(
                chunk.chunk_id, "empty", "nothing_found", "no name in this text", chars_available=size, chars_sent=size
            )
