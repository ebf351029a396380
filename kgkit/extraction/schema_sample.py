"""A sample of chunks that covers a corpus: all documents and all parts of them, not the first ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

import polars as pl

from kgkit.ids import stable_id

__all__ = ["sample_chunks"]

_GOLDEN = 0.6180339887498949  # steps of it spread evenly over 0..1, however many are made


def sample_chunks(chunks: pl.DataFrame, *, max_chars: int) -> pl.DataFrame:
    """Choose chunks from all over the corpus, the same ones in any row order.

    Each round takes one chunk of every document, until the text is as long as allowed. Where there is not room for
    all documents, they are taken evenly from the order of their sources, so that every folder has its share. The
    places within the documents are spread evenly from beginning to end.

    Args:
        chunks: A chunks table.
        max_chars: Most characters in all; at least one chunk is chosen, however long.

    Returns:
        The chosen chunks, in the order of their documents.
    """
    with_text = chunks.filter(pl.col("text").str.strip_chars() != "").sort("doc_id", "start", "seq", "chunk_id")
    orders = [_order(ids, i) for i, ids in enumerate(_documents(with_text))]
    sizes = dict(with_text.select("chunk_id", pl.col("text").str.len_chars()).iter_rows())
    chosen: list[str] = []
    room = max_chars
    while room > 0:
        candidates = [chunk_id for order in orders if (chunk_id := next(order, None)) is not None]
        fitting = [c for c in candidates if sizes[c] <= room] or ([] if chosen else candidates[:1])
        if not fitting:
            break
        for chunk_id in _evenly(fitting, [sizes[c] for c in fitting], room):
            if sizes[chunk_id] <= room or not chosen:
                chosen.append(chunk_id)
                room -= sizes[chunk_id]
    return with_text.filter(pl.col("chunk_id").is_in(chosen))


def _documents(chunks: pl.DataFrame) -> list[list[str]]:
    """List each document's chunks in order; documents in the order of their sources, ties broken by id."""
    grouped = chunks.group_by("doc_id", maintain_order=True).agg("chunk_id", pl.col("source").first())
    return grouped.sort(pl.col("source").fill_null(""), "doc_id")["chunk_id"].to_list()


def _order(ids: list[str], number: int) -> Iterator[str]:
    """Give a document's chunks, each once, the next one always far from those before."""
    taken: set[int] = set()
    for step in range(3 * len(ids)):
        place = int(((0.5 + (number + step) * _GOLDEN) % 1) * len(ids))
        if place not in taken:
            taken.add(place)
            yield ids[place]
    yield from (ids[place] for place in range(len(ids)) if place not in taken)


def _evenly(ids: list[str], sizes: list[int], room: int) -> list[str]:
    """Take as many as fit, spread evenly over the list; where all fit, all."""
    if sum(sizes) <= room:
        return ids
    count = max(1, sum(total <= room for total in accumulate(sorted(sizes, reverse=True))))
    count = max(count, int(len(ids) * room / sum(sizes)))
    picks = dict.fromkeys(int((i + 0.5) * len(ids) / count) for i in range(count))
    rest = sorted((i for i in range(len(ids)) if i not in picks), key=lambda i: stable_id("turn", ids[i]))
    return [ids[i] for i in [*picks, *rest]]
