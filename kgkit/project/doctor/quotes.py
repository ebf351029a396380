"""Whether the words that rows point at stand where they say: the document's ``text[start:end]`` is the quote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from kgkit.project.doctor.files import batches
from kgkit.project.doctor.findings import Findings, some

__all__ = ["QUOTED", "Quoted", "check_quotes"]

_DOCUMENTS = 256  # documents read at a time
_CHARS = 1 << 25  # text held at a time, but for a document that is longer
_MEANING = "The row cannot be checked against its document, and is no evidence."
_ADVICE = "Run the table's stage again on a copy of the project without it, or put a copy of the table back."


@dataclass(frozen=True)
class Quoted:
    """A table whose rows quote documents: its key, and the column with the words; ``only`` rows with these values."""

    table: str
    key: str
    quote: str
    located: bool = False
    only: tuple[str, frozenset[str]] | None = None


QUOTED = (
    Quoted("chunks", "chunk_id", "text"),
    Quoted("mentions", "mention_id", "quote", located=True),
    Quoted("statements", "statement_id", "quote", located=True),
)


def check_quotes(quoted: Iterable[tuple[Quoted, list[Path]]], documents: list[Path], findings: Findings) -> int:
    """Compare each quote with the text of its document, some documents at a time.

    Args:
        quoted: Tables that were made from these documents, and their files.
        documents: The files of the documents.
        findings: Where to tell what is wrong.

    Returns:
        The number of quotes that were compared.
    """
    wanted = list(quoted)
    wrong: dict[str, list[str]] = {what.table: [] for what, _ in wanted}
    count = 0
    for texts in _texts(documents):
        ids = pl.Series(list(texts)).implode()
        for what, paths in wanted:
            for key, doc_id, start, end, quote in _rows(what, paths, ids):
                count += 1
                if not _stands(texts[doc_id], start, end, quote):
                    wrong[what.table].append(key)
    for table, keys in wrong.items():
        if keys:
            text = f"the words of {len(keys):,} rows do not stand where they say: {some(sorted(keys))}"
            findings.failed("quotes", f"tables/{table}", text, _MEANING, _ADVICE)
    return count


def _texts(documents: list[Path]) -> Iterator[dict[str, str]]:
    held: dict[str, str] = {}
    size = 0
    for frame in batches(documents, ["doc_id", "text"], rows=_DOCUMENTS):
        for doc_id, text in frame.iter_rows():
            held[doc_id] = text or ""
            size += len(held[doc_id])
            if size >= _CHARS:
                yield held
                held, size = {}, 0
    if held:
        yield held


def _rows(what: Quoted, paths: list[Path], ids: pl.Series) -> Iterator[tuple[Any, ...]]:
    columns = [what.key, "doc_id", "start", "end", what.quote]
    more = [*(["located"] if what.located else []), *(what.only[:1] if what.only else [])]
    for frame in batches(paths, [*columns, *more]):
        rows = frame.filter(pl.col("doc_id").is_in(ids))
        if what.located:
            rows = rows.filter(pl.col("located") != "unlocated")
        if what.only:
            rows = rows.filter(pl.col(what.only[0]).is_in(what.only[1]))
        yield from rows.select(columns).iter_rows()


def _stands(text: str, start: int | None, end: int | None, quote: str | None) -> bool:
    if start is None or end is None or quote is None:
        return False
    return 0 <= start <= end <= len(text) and text[start:end] == quote
