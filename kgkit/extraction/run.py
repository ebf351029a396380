"""The stage ``extract``: from chunks to mentions and statements."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from kgkit.errors import OptionError
from kgkit.extraction.local.pipeline import ChunkText, DocumentFound, Problem, find_in_documents
from kgkit.extraction.local.tables import mention_rows, outcomes_of, statement_rows, table
from kgkit.frames import Backend, check_backend, give, take
from kgkit.parallel import Lost, count_cores, run_tasks
from kgkit.results import Outcome, Result, outcomes_frame

Progress = bool | Callable[[int, int], None]

_FUNCTION = "kgkit.extraction.local.pipeline:find_in_documents"
_PROCESS: dict[str, Any] = {"memory_limit": None, "environment": {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}}
_CHARS_A_WORKER = 150_000  # a process takes seconds to load the model: below this it is not worth one
_CHARS_A_BATCH = 20_000

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
    "DATE": "a date: a year, month, day, decade or century, with or without the others",
    "DURATION": "a length of time or a time without a date: two years, that evening",
    "NUMBER": "a number, amount or percentage",
}
"""Every type that the local extractor gives, and what it means."""

DEFAULT_TYPES: tuple[str, ...] = tuple(t for t in TYPES if t not in ("DURATION", "NUMBER"))
"""The types that `extract` keeps unless told otherwise: all but DURATION and NUMBER, which are noise in a graph."""


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
    gleaning: int = 0,
    output_language: str | None = None,
    max_chars: int = 24_000,
    workers: int | None = None,
    backend: Backend | None = None,
    progress: Progress = False,
) -> Extraction:
    """Find names, and statements that connect them, in chunks of text.

    Args:
        chunks: A chunks frame of any kind, or the result of `chunk_documents`. Chunks may overlap: what stands in
            two of them is reported once.
        model: A language model, such as ``kg.OpenAIModel("gpt-4.1-mini")``: one call for each chunk. Left out, spaCy's
            small English pipeline and rules do the work.
        schema: What a language model looks for: a `kgkit.Schema`, the result of `kgkit.discover_schema`, a YAML file,
            or the name of a starter; by default ``"general"``. Not for the local extractor.
        types: Types of mentions that the local extractor keeps, out of `TYPES`; by default all but ``DURATION``
            and ``NUMBER``, which make noise in a graph. Not for language models: their schema says it.
        gleaning: 1 asks a language model a second time, for what its first reply left out.
        output_language: Language in which a language model gives names and descriptions, such as ``"English"``; the
            name as written is kept as the attribute ``original_name``. By default the names are as written.
        max_chars: Longer chunks are not sent to a language model: they fail with the reason ``too_long``.
        workers: Number of processes of the local extractor; 1 works in this one. By default as many as there are
            cores when there is enough text. What is found does not depend on it.
        backend: Kind of frames to return; by default the kind that came in.
        progress: True says on standard error how far it is; a function is called with the number done and in all:
            batches of the local extractor, chunks for a language model.

    Returns:
        An `Extraction`: mentions with exact spans of the document's text (Utf8 and Int64 columns, see
        ``kg.tables.describe("mentions")``), statements whose span is the sentence that makes them, and outcomes.

    Interrupted (Ctrl-C, or the stop button), it returns what is finished; the other chunks are skipped, and say so.

    A model's reply is held against the text and the schema. Where its words stand is found by code (``located``: exact,
    normalised, or fuzzy, which is a similarity of 90 of 100 or more with equal numbers and negations); what cannot be
    found is ``unlocated``, has no span and is no evidence. Each item that is refused or changed is a note of the
    chunk's outcome, and each call's attempts, tokens and price are columns.

    Raises:
        OptionError: An option has a value that is not known, or goes with the other kind of extractor.
        InputError: ``schema`` is no schema.
        SchemaError: Columns are missing.

    Examples:
        >>> import polars as pl
        >>> text = "Grace Hopper worked at Harvard University."
        >>> chunks = pl.DataFrame({"chunk_id": ["c1"], "doc_id": ["d1"], "seq": [0], "start": [0],
        ...                        "end": [len(text)], "text": [text]})
        >>> extract(chunks).mentions["name"].to_list()
        ['Grace Hopper', 'Harvard University']
    """
    if model is not None:
        _refuse("model", types=types, workers=workers)
        options = {"schema": schema, "gleaning": gleaning, "output_language": output_language, "max_chars": max_chars}
        return _extract_with_model(chunks, model, options, backend, progress)
    _refuse("no model", schema=schema, gleaning=gleaning or None, output_language=output_language)
    kept = _checked_types(types)
    taken = take(chunks, "chunks")
    out = backend or taken.backend
    check_backend(out)
    if workers is not None and workers < 1:
        msg = f"workers={workers} is not possible. Give 1 or more, or leave it out."
        raise OptionError(msg)
    documents = _by_document(taken.frame)
    found = _run(documents, kept, workers, progress)
    return _assemble(taken.frame, documents, found, {"types": sorted(kept)}, out)


def _extract_with_model(
    chunks: Any, model: Any, options: dict[str, Any], backend: Backend | None, progress: Progress
) -> Extraction:
    from kgkit.extraction.model import extract_with_model

    taken = take(chunks, "chunks")
    out = backend or taken.backend
    check_backend(out)
    report = _reporter(progress, taken.frame.height, "chunks")
    made, outcomes = extract_with_model(taken.frame, model, report=report, **options)
    frames = {name: give(frame, name, out) for name, frame in made.items()}
    return Extraction(**frames, outcomes=give(outcomes, "outcomes", out))


def _refuse(given: str, **options: Any) -> None:
    """Raise when an option of the other kind of extractor was given."""
    for option, value in options.items():
        if value is not None:
            what = "goes with a language model only" if given == "no model" else "is for the local extractor only"
            hint = "Give model=, or leave it out" if given == "no model" else "Leave it out, or leave model out"
            msg = f"{option}={value!r} {what}, and there is {given} here. {hint}."
            raise OptionError(msg)


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
    documents: dict[str, list[ChunkText]], types: frozenset[str], workers: int | None, progress: Progress
) -> Iterator[tuple[str, DocumentFound]]:
    """Work through all documents, here or in processes; what an interruption left undone says so."""
    batches = _batches(documents)
    size = sum(len(chunk.text) for chunks in documents.values() for chunk in chunks)
    count = workers or max(1, min(count_cores(), size // _CHARS_A_WORKER))
    report = _reporter(progress, len(batches))
    answers: list[Any] = []
    tasks = [([documents[doc_id] for doc_id in batch], types) for batch in batches]
    try:
        if count == 1:
            for task in tasks:
                answers.append(find_in_documents(*task))
                report(len(answers))
        else:
            options = {"into": answers, "on_done": report, "here": find_in_documents, **_PROCESS}
            run_tasks(_FUNCTION, tasks, workers=count - 1, timeout=None, **options)
    except KeyboardInterrupt:
        answers += [None] * (len(batches) - len(answers))
    for batch, answer in zip(batches, answers, strict=True):
        for i, doc_id in enumerate(batch):
            yield doc_id, answer[i] if isinstance(answer, list) else _undone(documents[doc_id], answer)


def _undone(chunks: Sequence[ChunkText], answer: Lost | None) -> DocumentFound:
    problem: Problem = ("skipped", "interrupted", "The run was interrupted before this chunk; extract it again.")
    if answer is not None:
        problem = ("failed", answer.reason, answer.detail)
    return DocumentFound([], [], [problem] * len(chunks), frozenset())


def _batches(documents: dict[str, list[ChunkText]]) -> list[list[str]]:
    """Put documents together until there is enough text to be worth a task."""
    batches: list[list[str]] = []
    room = 0
    for doc_id, chunks in documents.items():
        size = sum(len(chunk.text) for chunk in chunks)
        if room < size or not batches:
            batches.append([])
            room = _CHARS_A_BATCH
        batches[-1].append(doc_id)
        room -= size
    return batches


def _reporter(progress: Progress, total: int, unit: str = "batches") -> Callable[[int], None]:
    if callable(progress):
        return lambda done: progress(done, total)
    if not progress:
        return lambda done: None

    def write(done: int) -> None:
        sys.stderr.write(f"\rextract: {done:,} of {total:,} {unit}" + ("\n" if done == total else ""))
        sys.stderr.flush()

    return write


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
        mentions += mention_rows(doc_id, chunks, one)
        statements += statement_rows(doc_id, chunks, one)
        outcomes += outcomes_of(chunks, one)
    report = outcomes_frame("extract", frame["chunk_id"].to_list(), outcomes, params=params)
    return Extraction(
        give(table("mentions", mentions), "mentions", backend),
        give(table("statements", statements), "statements", backend),
        outcomes=give(report, "outcomes", backend),
    )
