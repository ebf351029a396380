"""Extraction with a language model: one call for each chunk, its reply held against the text and the schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import polars as pl

from kgkit.errors import OptionError
from kgkit.extraction.model.asking import INTERRUPTED, Questions, find_with_model
from kgkit.extraction.model.tables import Rows, chunks_of
from kgkit.extraction.schema import Schema
from kgkit.frames import take
from kgkit.models.chat import Ask, ChatModel
from kgkit.results import Outcome, outcomes_frame

__all__ = ["extract_with_model", "extraction_requests"]

DEFAULT_SCHEMA = "general"


def extract_with_model(
    frame: pl.DataFrame,
    model: ChatModel,
    *,
    schema: Any = None,
    gleaning: int = 0,
    output_language: str | None = None,
    max_chars: int = 24_000,
    report: Callable[[int], None] = lambda done: None,
) -> tuple[dict[str, pl.DataFrame], pl.DataFrame]:
    """Extract with a language model; see `kgkit.extract`.

    Args:
        frame: A chunks table.
        model: Who is asked.
        schema: What `Schema.of` takes.
        gleaning: 0, or 1 for a second pass.
        output_language: Language of names and descriptions.
        max_chars: Longer texts are not sent.
        report: Called with the number of chunks done.

    Returns:
        Mentions and statements by name, and the outcomes.

    Raises:
        OptionError: An option is outside its range.
        InputError: ``schema`` is no schema.
    """
    used = _checked(model, schema, gleaning, max_chars)
    questions = Questions(used, output_language=output_language)
    rows = Rows()
    outcomes: list[Outcome] = []
    chunks = chunks_of(frame)
    try:
        for found in find_with_model(chunks, model, questions, passes=1 + gleaning, max_chars=max_chars, report=report):
            rows.add(found)
            outcomes.append(found.outcome)
    except KeyboardInterrupt:  # it came between two replies: what is there is kept
        pass
    reached = {outcome.item_id for outcome in outcomes}
    outcomes += [
        Outcome(c.chunk_id, *INTERRUPTED, attempts=0, chars_available=len(c.passage.text), chars_sent=0)
        for c in chunks
        if c.chunk_id not in reached
    ]
    params = {
        "model": model.identity(),
        "schema": used.to_dict(),
        "gleaning": gleaning,
        "output_language": output_language,
        "max_chars": max_chars,
    }
    return rows.frames(), outcomes_frame("extract", frame["chunk_id"].to_list(), outcomes, params=params)


def extraction_requests(chunks: Any, *, schema: Any = None, output_language: str | None = None) -> Iterator[Ask]:
    """Make the requests that `kgkit.extract` would send with a language model, without sending them.

    They are what ``model.estimate`` counts. A second pass (``gleaning=1``) sends about as many again, each longer by
    the first reply.

    Args:
        chunks: A chunks frame of any kind, or the result of `kgkit.chunk_documents`.
        schema: As for `kgkit.extract`.
        output_language: As for `kgkit.extract`.

    Returns:
        An iterator over requests, one for each chunk that has text.

    Examples:
        >>> import polars as pl
        >>> chunks = pl.DataFrame({"chunk_id": ["c1"], "doc_id": ["d1"], "seq": [0], "start": [0], "end": [3],
        ...                        "text": ["Ada"]})
        >>> [ask.chars_sent for ask in extraction_requests(chunks, schema="academic")]
        [3]
    """
    questions = Questions(Schema.of(DEFAULT_SCHEMA if schema is None else schema), output_language=output_language)
    taken = take(chunks, "chunks")
    return (questions.first(chunk) for chunk in chunks_of(taken.frame) if chunk.passage.text.strip())


def _checked(model: Any, schema: Any, gleaning: int, max_chars: int) -> Schema:
    if not callable(getattr(model, "ask", None)):
        msg = f"model={model!r} is no language model. Give one, such as kg.OpenAIModel('gpt-4.1-mini')."
        raise OptionError(msg)
    if gleaning not in (0, 1):
        raise OptionError.not_one_of("gleaning", gleaning, (0, 1))
    if max_chars < 1:
        msg = f"max_chars={max_chars} is not possible. It must be 1 or more."
        raise OptionError(msg)
    return Schema.of(DEFAULT_SCHEMA if schema is None else schema)
