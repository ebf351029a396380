"""Cutting documents into chunks: every character in at least one, each with its exact place in the document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from kgkit import tables
from kgkit.documents.chunk_cuts import cut_spans
from kgkit.documents.chunk_places import describe_spans, find_borders, regions_of
from kgkit.errors import OptionError
from kgkit.frames import Backend, backend_of, check_backend, give, to_polars
from kgkit.ids import content_hash, stable_id
from kgkit.results import Outcome, Result, outcomes_frame

__all__ = ["Chunks", "chunk_documents"]


@dataclass(frozen=True, repr=False, eq=False)
class Chunks(Result):
    """What `chunk_documents` returns: the ``chunks`` frame, and one outcome for each document."""

    stage: ClassVar[str] = "chunk_documents"
    main: ClassVar[str] = "chunks"

    chunks: Any


def chunk_documents(documents: Any, *, size: int = 1500, overlap: int = 0, backend: Backend | None = None) -> Chunks:
    """Cut documents into chunks of at most ``size`` characters.

    Cuts fall on the border of a section where there is one, else on the end of a paragraph, a sentence (in any
    script), a line, a word, and only in unbroken text between two signs. Sheets, chapters and other parts are never
    joined; pages, slides and the parts below headings are when they are shorter than a third of ``size``. White
    space goes with what comes before it. A document with nothing but white space has no chunk and is ``empty``.

    Args:
        documents: A documents frame of any kind, or what `kgkit.read_documents` returned. Needed are ``doc_id`` and
            ``text``; ``sections``, ``source`` and ``title`` are used where present.
        size: Most characters in a chunk, at least 1.
        overlap: How many characters a chunk may repeat of the one before, less than ``size``. It is shortened to
            begin with a sentence or a word, where the next sentence would not fit otherwise, and to nothing at the
            border of a section.
        backend: Kind of frame to return; by default the kind that came in.

    Returns:
        ``chunks`` (in order of source, document and position; ``text`` is the document's ``text[start:end]``,
        ``heading`` the headings above all of it, ``place`` the pages, sheet or chapter) and ``outcomes``.

    Raises:
        OptionError: ``size``, ``overlap`` or ``backend`` is out of range.
        FrameTypeError: ``documents`` is no frame.
        SchemaError: A column is missing, or two documents have one id.

    Examples:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"doc_id": ["d1"], "text": ["One fish. Two fish."]})
        >>> chunk_documents(frame, size=12).chunks["text"].to_list()
        ['One fish. ', 'Two fish.']
    """
    _check(size, overlap)
    frame, kind = _take(documents)
    rows: list[dict[str, object]] = []
    outcomes = []
    for document in frame.sort("source", "doc_id", nulls_last=True).iter_rows(named=True):
        cut = _chunk_document(document, size, overlap)
        rows.extend(cut)
        outcomes.append(_outcome(document, cut))
    chunks = tables.from_rows("chunks", rows)
    report = outcomes_frame("chunk_documents", frame["doc_id"], outcomes, params={"size": size, "overlap": overlap})
    out = backend or kind
    check_backend(out)
    return Chunks(chunks=give(chunks, "chunks", out), outcomes=give(report, "outcomes", out))


def _check(size: int, overlap: int) -> None:
    for name, value in (("size", size), ("overlap", overlap)):
        if isinstance(value, bool) or not isinstance(value, int):
            msg = f"{name}={value!r} must be a whole number of characters."
            raise OptionError(msg)
    if size < 1:
        msg = f"size={size} is too small. It is the most characters in a chunk: 1 or more, by default 1500."
        raise OptionError(msg)
    if not 0 <= overlap < size:
        msg = f"overlap={overlap} does not fit size={size}. It must be 0 or more, and less than size."
        raise OptionError(msg)


def _take(documents: Any) -> tuple[pl.DataFrame, Backend]:
    held = getattr(documents, "frames", None)
    inner = held["documents"] if isinstance(held, dict) and "documents" in held else documents
    frame = to_polars(inner, "documents")
    if "text" in frame.columns:  # a missing text is an empty document, not an unusable frame
        frame = frame.with_columns(pl.col("text").fill_null(""))
    frame = tables.conform(frame, "documents", require=["doc_id", "text"])
    tables.check_key(frame, "documents")
    return frame, backend_of(inner)


def _chunk_document(document: dict[str, Any], size: int, overlap: int) -> list[dict[str, object]]:
    text: str = document["text"]
    if not text.strip():
        return []
    regions = regions_of(document["sections"], len(text))
    spans = cut_spans(text, size=size, overlap=overlap, borders=find_borders(text, regions))
    rows = []
    for seq, ((start, end), where) in enumerate(zip(spans, describe_spans(text, spans, regions), strict=True)):
        piece = text[start:end]
        rows.append(
            {
                "chunk_id": stable_id("chunk", document["doc_id"], start, end, content_hash(piece)),
                "doc_id": document["doc_id"],
                "seq": seq,
                "start": start,
                "end": end,
                "text": piece,
                "heading": where.heading,
                "place": where.place,
                "source": document["source"],
                "title": document["title"],
            }
        )
    return rows


def _outcome(document: dict[str, Any], rows: list[dict[str, Any]]) -> Outcome:
    available = len(document["text"])
    if not rows:
        return Outcome(
            document["doc_id"],
            "empty",
            "no_text",
            "The document holds no text.",
            chars_available=available,
            chars_sent=0,
        )
    covered, end = 0, 0
    for row in rows:
        covered += row["end"] - max(end, row["start"])
        end = row["end"]
    return Outcome(document["doc_id"], "ok", chars_available=available, chars_sent=covered)
