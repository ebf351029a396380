"""The index that questions are put to: terms and latent vectors of chunks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import polars as pl

from kgkit import tables
from kgkit.errors import OptionError, SchemaError
from kgkit.frames import Backend, backend_of, to_polars
from kgkit.retrieval.lexical import Lexical, build_lexical
from kgkit.retrieval.tokens import Analyser
from kgkit.retrieval.vectors import Latent, build_latent

__all__ = ["SearchIndex", "build_index"]

Vectors = Literal["lsa"]


@dataclass(frozen=True, eq=False)
class SearchIndex:
    """Chunks with what is needed to search them. Made by `build_index`; never changed.

    Attributes:
        chunks: The chunks, as polars, in order of ``chunk_id``.
        vector_weight: How much latent vectors count against words, 0 to 0.35; from how well they explain the corpus.
        explained: Share of the corpus's variance that the vectors keep; null without vectors.
    """

    chunks: pl.DataFrame
    backend: Backend
    analyser: Analyser
    lexical: Lexical
    latent: Latent | None
    vector_weight: float

    @property
    def explained(self) -> float | None:
        """Share of the corpus's variance that the vectors keep."""
        return None if self.latent is None else self.latent.explained

    @cached_property
    def ids(self) -> list[str]:
        """Ids of the chunks, in order of the rows."""
        return self.chunks["chunk_id"].to_list()

    def __len__(self) -> int:
        return self.chunks.height

    def __repr__(self) -> str:
        vectors = "no vectors" if self.latent is None else f"{self.latent.rows.shape[1]} latent dimensions"
        return f"SearchIndex({len(self):,} chunks; {len(self.lexical.vocabulary):,} terms; {vectors})"


def build_index(chunks: Any, *, vectors: Vectors | None = "lsa", language: str = "en", seed: int = 0) -> SearchIndex:
    """Index chunks for `search` and `ask`.

    Args:
        chunks: A chunks frame of any kind, or what `kgkit.chunk_documents` returned. Needed are ``chunk_id`` and
            ``text``; a chunk without ``doc_id`` is its own document.
        vectors: ``"lsa"`` adds latent semantic vectors made from the chunks themselves, ``None`` does without.
        language: Stemmer for text in Latin script, as an ISO 639-1 code; other scripts have their own.
        seed: For the vectors.

    Returns:
        An index; the same for any order of the rows.

    Raises:
        OptionError: ``vectors`` or ``language`` is not known.
        SchemaError: A column is missing, or two chunks have one id.

    Examples:
        >>> import polars as pl
        >>> build_index(pl.DataFrame({"chunk_id": ["a"], "text": ["The ferry leaves at noon."]}))
        SearchIndex(1 chunks; 8 terms; no vectors)
    """
    if vectors not in ("lsa", None):
        raise OptionError.not_one_of("vectors", vectors, ("lsa", None))
    analyser = Analyser(language)
    frame, backend = _take_chunks(chunks)
    counts = [analyser.count(text) for text in _indexed_text(frame)]
    latent = build_latent(counts, seed=seed) if vectors == "lsa" else None
    weight = 0.0 if latent is None else _vector_weight(latent)
    return SearchIndex(frame, backend, analyser, build_lexical(counts), latent, weight)


def _vector_weight(latent: Latent) -> float:
    """Weigh vectors by how much more of the corpus they explain than as many random directions would.

    ``k`` directions explain ``k / n`` of ``n`` unrelated texts. The slope and the bounds hold on abstracts of
    aerodynamics and medicine, where vectors help much, and on claims and questions, where they help little.
    """
    n_rows, size = latent.rows.shape
    surplus = float(latent.explained - size / max(n_rows, 1))
    return round(min(0.35, max(0.0, 2 * (surplus - 0.14))), 6)


def _indexed_text(frame: pl.DataFrame) -> list[str]:
    """Put heading and title before the text: a chunk is often found by the words that stand above it."""
    above = [
        pl.when(pl.col("text").str.contains(pl.col(c).fill_null(""), literal=True))
        .then(pl.lit(""))
        .otherwise(pl.col(c))
        for c in ("title", "heading")
    ]
    return (
        frame.select(pl.concat_str([*(a.fill_null("") for a in above), "text"], separator="\n")).to_series().to_list()
    )


def _take_chunks(chunks: Any) -> tuple[pl.DataFrame, Backend]:
    held = getattr(chunks, "frames", None)
    inner = held["chunks"] if isinstance(held, dict) and "chunks" in held else chunks
    frame = to_polars(inner, "chunks")
    for column in ("chunk_id", "text"):
        if column not in frame.columns:
            have = ", ".join(frame.columns) or "none"
            msg = (
                f"A chunks frame needs the columns 'chunk_id' and 'text'; it has: {have}. "
                "Make one with kg.chunk_documents, or rename yours."
            )
            raise SchemaError(msg)
    frame = frame.with_columns(pl.col("text").cast(pl.String).fill_null(""))
    defaults = {
        "doc_id": pl.col("chunk_id").cast(pl.String),
        "seq": pl.lit(0, pl.Int64),
        "start": pl.lit(0, pl.Int64),
        "end": pl.col("text").str.len_chars().cast(pl.Int64),
    }
    frame = frame.with_columns(**{c: e for c, e in defaults.items() if c not in frame.columns})
    frame = tables.conform(frame, "chunks")
    tables.check_key(frame, "chunks")
    return frame.sort("chunk_id"), backend_of(inner)
