"""What a language model is told of an entity: names, type, attributes, neighbours, and the words of the documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from kgkit.errors import InputError
from kgkit.frames import take, to_polars
from kgkit.resolution.records import Records
from kgkit.text import collapse_spaces

__all__ = ["Facts", "facts_of"]

_NAME, _DESCRIPTION, _QUOTE, _VALUE = 120, 300, 240, 80  # most characters
_ALIASES, _ATTRIBUTES, _NEIGHBOURS, _QUOTES = 5, 6, 6, 2  # and most of each
_AROUND = 100  # characters before and after a mention


@dataclass(frozen=True)
class Facts:
    """What is told of one entity, and how many characters of it there were and are sent."""

    told: dict[str, Any]
    available: int
    sent: int


class _Telling:
    """Gathers facts within their limits and counts what is left out."""

    def __init__(self) -> None:
        self.told: dict[str, Any] = {}
        self.available = self.sent = 0

    def text(self, name: str, value: str | None, most: int) -> None:
        if value and value.strip():
            self.told[name] = self._short(value, most)

    def texts(self, name: str, values: Sequence[str], most: int, many: int) -> None:
        self.available += sum(len(collapse_spaces(v)) for v in values[many:])
        kept = [self._short(v, most) for v in values[:many]]
        if kept:
            self.told[name] = kept

    def _short(self, value: str, most: int) -> str:
        whole = collapse_spaces(value)
        cut = whole if len(whole) <= most else whole[: most - 1] + "…"
        self.available += len(whole)
        self.sent += min(len(whole), most)
        return cut


def facts_of(records: Records, rows: Iterable[int], *, graph: Any = None, documents: Any = None) -> dict[int, Facts]:
    """Gather what is known of some records.

    Args:
        records: The records.
        rows: Which of them.
        graph: The graph they are from: its statements are quoted.
        documents: A documents frame: where no statement names an entity, the words around its mentions are quoted.

    Raises:
        InputError: ``documents`` without a graph.
    """
    if documents is not None and graph is None:
        msg = "documents= needs graph= too: mentions lead from an entity to its words. Pass both."
        raise InputError(msg)
    wanted = sorted(set(rows))
    ids = records.frame["entity_id"].gather(wanted).to_list()
    near = _neighbours(records, wanted)
    quotes = _quotes(graph, ids)
    for entity, around in _around(graph, documents, [i for i in ids if i not in quotes]).items():
        quotes.setdefault(entity, around)
    return {row: _facts(records, row, near.get(row, []), quotes.get(i, [])) for row, i in zip(wanted, ids, strict=True)}


def _facts(records: Records, row: int, near: list[str], quotes: list[str]) -> Facts:
    cells = records.frame.row(row, named=True)
    telling = _Telling()
    telling.text("name", cells["name"], _NAME)
    telling.text("type", cells["type"], _VALUE)
    telling.texts("also_called", cells["aliases"], _NAME, _ALIASES)
    telling.text("description", cells["description"], _DESCRIPTION)
    further = [(name, cells[name]) for name in records.extra]
    telling.texts("facts", [f"{k}: {v}" for k, v in [*_attributes(cells), *further] if v], _VALUE, _ATTRIBUTES)
    telling.texts("relations", near, _VALUE, _NEIGHBOURS)
    telling.texts("quotes", quotes, _QUOTE, _QUOTES)
    return Facts(telling.told, telling.available, telling.sent)


def _attributes(cells: dict[str, Any]) -> list[tuple[str, str]]:
    try:
        held = json.loads(cells["attributes"] or "{}")
    except ValueError:
        return []
    if not isinstance(held, dict):
        return []
    return [(key, v if isinstance(v, str) else json.dumps(v, ensure_ascii=False)) for key, v in sorted(held.items())]


def _neighbours(records: Records, rows: list[int]) -> dict[int, list[str]]:
    if records.relations is None:
        return {}
    names = records.frame["name"]
    relations = records.relations
    found: dict[int, list[tuple[float, str]]] = {}
    touching = relations.filter(pl.col("source").is_in(rows) | pl.col("target").is_in(rows))
    wanted = set(rows)
    columns = ("source", "target", "predicate", "polarity", "weight")
    for source, target, predicate, polarity, weight in touching.select(columns).iter_rows():
        said = predicate if polarity in (None, "positive") else f"{predicate} ({polarity})"
        if source in wanted:
            found.setdefault(source, []).append((-(weight or 1), f"{said} {names[target]}"))
        if target in wanted:
            found.setdefault(target, []).append((-(weight or 1), f"{names[source]} {said} it"))
    return {row: list(dict.fromkeys(text for _, text in sorted(said))) for row, said in found.items()}


def _tables(graph: Any, needed: set[str]) -> dict[str, pl.DataFrame] | None:
    held = getattr(graph, "frames", None)
    if not isinstance(held, dict) or not needed <= held.keys():
        return None
    return {name: to_polars(held[name]) for name in needed}


def _quotes(graph: Any, ids: list[str]) -> dict[str, list[str]]:
    """Quote the statements about each entity, the surest first, one document after the other."""
    held = _tables(graph, {"relations", "evidence", "statements"})
    if held is None:
        return {}
    ends = pl.concat(
        [held["relations"].select("relation_id", entity_id=side) for side in ("source_id", "target_id")]
    ).filter(pl.col("entity_id").is_in(ids))
    said = held["statements"].filter(pl.col("located").is_null() | (pl.col("located") != "unlocated"))
    said = said.select("statement_id", "doc_id", "start", "quote", "confidence").drop_nulls("quote")
    rows = (
        ends.join(held["evidence"], left_on="relation_id", right_on="item_id")
        .join(said, left_on="evidence_id", right_on="statement_id")
        .sort("entity_id", "confidence", "doc_id", "start", descending=[False, True, False, False], nulls_last=True)
        .unique(["entity_id", "quote"], keep="first", maintain_order=True)
    )
    return _in_turn(rows)


def _in_turn(rows: pl.DataFrame) -> dict[str, list[str]]:
    """List quotes by entity so that each document speaks once before any speaks twice."""
    ordered = rows.with_columns(
        turn=pl.int_range(pl.len()).over("entity_id", "doc_id"), place=pl.int_range(pl.len()).over("entity_id")
    ).sort("entity_id", "turn", "place")
    return dict(ordered.group_by("entity_id", maintain_order=True).agg("quote").iter_rows())


def _around(graph: Any, documents: Any, ids: list[str]) -> dict[str, list[str]]:
    """Quote the words around the mentions of each entity."""
    held = _tables(graph, {"evidence", "mentions"})
    if documents is None or held is None or not ids:
        return {}
    texts = dict(take(documents, "documents", require=["doc_id", "text"]).frame.select("doc_id", "text").iter_rows())
    mentions = held["mentions"].drop_nulls(["start", "end"]).select("mention_id", "doc_id", "start", "end")
    rows = (
        held["evidence"]
        .filter(pl.col("item_id").is_in(ids))
        .join(mentions, left_on="evidence_id", right_on="mention_id")
        .sort("item_id", "doc_id", "start")
    )
    found: dict[str, list[tuple[str, str]]] = {}
    for entity, doc, start, end in rows.select("item_id", "doc_id", "start", "end").iter_rows():
        if doc in texts and len(found.setdefault(entity, [])) < 2 * _QUOTES:
            found[entity].append((doc, _window(texts[doc], start, end)))
    frame = [(entity, doc, quote) for entity, quotes in found.items() for doc, quote in quotes]
    schema = {"entity_id": pl.String, "doc_id": pl.String, "quote": pl.String}
    return _in_turn(
        pl.DataFrame(frame, schema=schema, orient="row").unique(["entity_id", "quote"], maintain_order=True)
    )


def _window(text: str, start: int, end: int) -> str:
    """Give the words around a place, cut at blanks."""
    low, high = max(0, start - _AROUND), min(len(text), end + _AROUND)
    if low and " " in text[low:start]:
        low = text.index(" ", low)
    if high < len(text) and " " in text[end:high]:
        high = text.rindex(" ", end, high)
    return text[low:high]
