"""The words behind entities and relations: sentences of the documents, verbatim, with their places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import polars as pl

from kgkit import tables
from kgkit.frames import take
from kgkit.text import sentence_spans, trim_span

__all__ = ["Quote", "Words", "as_card"]

_WINDOW = 320  # characters looked at on either side of a mention for its sentence
_MOST = 400  # mentions of one entity that are looked through
_AROUND = 1500  # characters of a document shown before and after a quote

_Row = dict[str, Any]


class Quote(NamedTuple):
    """A sentence: ``text`` is the document's text from ``start`` to ``end``; ``marks`` are places within it."""

    text: str
    doc_id: str
    source: str
    start: int | None
    end: int | None
    marks: tuple[tuple[int, int], ...] = ()
    polarity: str | None = None
    evidence_id: str | None = None

    @property
    def place(self) -> tuple[str, int | None, str]:
        """What two quotes of the same words share."""
        return self.doc_id, self.start, self.text


def as_card(quote: Quote) -> dict[str, Any]:
    """Give a quote as plain values."""
    return {
        "text": quote.text, "doc_id": quote.doc_id, "source": quote.source, "start": quote.start, "end": quote.end,
        "marks": sorted(map(list, set(quote.marks))), "polarity": quote.polarity, "evidence_id": quote.evidence_id,
    }  # fmt: skip


class Words:
    """Looks up the words behind the entities and relations of one graph.

    Args:
        graph: A graph.
        documents: Documents, for whole sentences, names of sources, and for opening a document at a quote.
    """

    def __init__(self, graph: Any, documents: Any = None) -> None:
        self._frames = {n: _frame(graph, n) for n in ("evidence", "mentions", "statements")}
        self._documents = None
        if documents is not None:
            self._documents = take(documents, "documents", require=["doc_id", "source", "text"]).frame

    def of_entity(self, entity_id: str, limit: int) -> tuple[list[Quote], int]:
        """Give sentences that name an entity, each document's first one first, and the number of its mentions."""
        rows = self._mentions_of(entity_id)
        seen: set[str] = set()
        first = [not (row["doc_id"] in seen or seen.add(row["doc_id"])) for row in rows]  # type: ignore[func-returns-value]
        ordered = [r for r, is_first in zip(rows, first, strict=True) if is_first]
        ordered += [r for r, is_first in zip(rows, first, strict=True) if not is_first]
        found: dict[Any, Quote] = {}
        for row in ordered:
            quote = self._sentence(row)
            old = found.get(quote.place)
            found[quote.place] = quote if old is None else old._replace(marks=(*old.marks, *quote.marks))
            if len(found) > limit and self._documents is not None:
                break
        whole = sorted(found.values(), key=lambda q: q.marks == ((0, len(q.text)),))  # sentences before mere names
        return whole[:limit], len(rows)

    def of_relation(self, relation_id: str) -> list[Quote]:
        """Give the sentences that say a relation."""
        rows = [self._row("statements", i) for i in self._links.get(relation_id, ())]
        found = [r for r in rows if r is not None and r["quote"]]
        found.sort(key=lambda r: (r["doc_id"], r["start"] or 0, r["statement_id"]))
        return [
            Quote(r["quote"], r["doc_id"], self.source(r["doc_id"]), r["start"], r["end"], (), r["polarity"],
                  r["statement_id"])
            for r in found
        ]  # fmt: skip

    def together(self, one: str, other: str, limit: int = 3) -> list[Quote]:
        """Give sentences that name two entities, each in words of its own."""
        left = {(row["doc_id"], row["start"], row["end"]): row for row in self._mentions_of(one)}
        right: dict[str, list[_Row]] = {}
        for row in self._mentions_of(other):
            right.setdefault(row["doc_id"], []).append(row)
        found: dict[Any, Quote] = {}
        for (doc_id, start, end), row in left.items():
            near = [r for r in right.get(doc_id, ()) if abs(r["start"] - start) <= _WINDOW]
            for other_row in near:
                if other_row["start"] < end and start < other_row["end"]:
                    continue
                quote, second = self._sentence(row), self._sentence(other_row)
                if quote.place == second.place and quote.end is not None and quote.end > max(end, other_row["end"]) - 1:
                    found.setdefault(quote.place, quote._replace(marks=(*quote.marks, *second.marks)))
            if len(found) >= limit:
                break
        return list(found.values())[:limit]

    def by_document(self, entity_id: str) -> list[dict[str, Any]]:
        """Give an entity's mentions by document: ``doc_id``, ``source``, ``mention_ids``, ``quote``."""
        found: dict[str, dict[str, Any]] = {}
        for row in self._mentions_of(entity_id, most=None):
            held = found.setdefault(row["doc_id"], {"doc_id": row["doc_id"], "source": self.source(row["doc_id"])})
            held.setdefault("quote", self._sentence(row).text)
            held.setdefault("mention_ids", []).append(row["mention_id"])
        return list(found.values())

    def mentions(self, entity_id: str) -> list[dict[str, Any]]:
        """Give all mentions of an entity with their sentences, also those whose place is not known."""
        rows = (self._row("mentions", i) for i in self._links.get(entity_id, ()))
        return [
            {
                "mention_id": row["mention_id"], "entity_id": entity_id, "name": row["name"], "doc_id": row["doc_id"],
                "source": self.source(row["doc_id"]), "start": row["start"], "end": row["end"],
                **self._around(row),
            }
            for row in rows if row is not None
        ]  # fmt: skip

    def _around(self, row: _Row) -> dict[str, Any]:
        if row["start"] is None or row["located"] == "unlocated":
            return {"quote": row["quote"] or row["name"], "quote_start": None, "marks": []}
        quote = self._sentence(row)
        return {"quote": quote.text, "quote_start": quote.start, "marks": sorted(map(list, quote.marks))}

    def passage(self, doc_id: str, start: int, end: int) -> dict[str, Any] | None:
        """Give a document's text around a place: ``before``, ``quote``, ``after``, and whether more is there."""
        text = self._texts.get(doc_id, (None, None))[1]
        if text is None:
            return None
        first, last = max(0, start - _AROUND), min(len(text), end + _AROUND)
        return {
            "doc_id": doc_id, "source": self.source(doc_id), "start": start, "end": end, "n_chars": len(text),
            "before": text[first:start], "quote": text[start:end], "after": text[end:last],
            "more_before": first > 0, "more_after": last < len(text),
        }  # fmt: skip

    def source(self, doc_id: str) -> str:
        """Name a document: by its source where documents were given, else by its id."""
        return self._texts.get(doc_id, (doc_id, ""))[0]

    def entities_in(self, document: str) -> set[str]:
        """Give the entities that a document, told by its ``doc_id`` or source, names."""
        ids = {document} | {d for d, (source, _) in self._texts.items() if source == document}
        named = self._frames["mentions"].filter(pl.col("doc_id").is_in(list(ids)))
        links = self._frames["evidence"].join(named, left_on="evidence_id", right_on="mention_id", how="semi")
        return set(links["item_id"])

    def _mentions_of(self, entity_id: str, most: int | None = _MOST) -> list[_Row]:
        rows = (self._row("mentions", i) for i in self._links.get(entity_id, ())[:most])
        located = [r for r in rows if r is not None and r["start"] is not None and r["located"] != "unlocated"]
        return sorted(located, key=lambda r: (r["doc_id"], r["start"], r["mention_id"]))

    def _sentence(self, row: _Row) -> Quote:
        start, end, doc_id = row["start"], row["end"], row["doc_id"]
        text = self._texts.get(doc_id, ("", None))[1]
        if text is not None:
            low = max(0, start - _WINDOW)
            window = text[low : end + _WINDOW]
            for a, b in sentence_spans(window):
                if a <= start - low < b:
                    a, b = trim_span(window, a, max(b, end - low))
                    return self._quote(doc_id, low + a, window[a:b], start, end, row)
        for statement in self._statements_in.get(doc_id, ()):
            if statement["start"] <= start and end <= statement["end"]:
                return self._quote(doc_id, statement["start"], statement["quote"], start, end, row)
        return self._quote(doc_id, start, row["quote"] or row["name"], start, end, row)

    def _quote(self, doc_id: str, at: int, text: str, start: int, end: int, row: _Row) -> Quote:
        mark = (start - at, end - at)
        return Quote(text, doc_id, self.source(doc_id), at, at + len(text), (mark,), None, row["mention_id"])

    @cached_property
    def _texts(self) -> dict[str, tuple[str, str | None]]:
        if self._documents is None:
            return {}
        return {d: (source, text) for d, source, text in self._documents.select("doc_id", "source", "text").iter_rows()}

    @cached_property
    def _links(self) -> dict[str, list[str]]:
        grouped = self._frames["evidence"].group_by("item_id").agg(pl.col("evidence_id").sort())
        return dict(grouped.iter_rows())

    @cached_property
    def _numbers(self) -> dict[str, dict[str, int]]:
        keys = {"mentions": "mention_id", "statements": "statement_id"}
        return {name: {k: i for i, k in enumerate(self._frames[name][key].to_list())} for name, key in keys.items()}

    def _row(self, name: str, key: str) -> _Row | None:
        number = self._numbers[name].get(key)
        return None if number is None else self._frames[name].row(number, named=True)

    @cached_property
    def _statements_in(self) -> dict[str, list[_Row]]:
        located = self._frames["statements"].filter(pl.col("start").is_not_null() & pl.col("quote").is_not_null())
        spans = located.select("doc_id", "start", "end", "quote").unique().sort("doc_id", "start", "end")
        return {doc: list(rows) for doc, rows in _by(spans.iter_rows(named=True))}


def _by(rows: Iterable[_Row]) -> Iterator[tuple[str, list[_Row]]]:
    found: dict[str, list[_Row]] = {}
    for row in rows:
        found.setdefault(row["doc_id"], []).append(row)
    return iter(found.items())


def _frame(graph: Any, name: str) -> pl.DataFrame:
    held = getattr(graph, "frames", {})
    return take(held[name], name).frame if name in held else tables.empty(name)
