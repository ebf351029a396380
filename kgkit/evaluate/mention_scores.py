"""How many mentions were found, with the right span and the right type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from kgkit import frames
from kgkit.errors import SchemaError

__all__ = ["mentions"]

_SCORES = {
    "measure": pl.String,
    "type": pl.String,
    "n_gold": pl.Int64,
    "n_found": pl.Int64,
    "n_right": pl.Int64,
    "precision": pl.Float64,
    "recall": pl.Float64,
    "f1": pl.Float64,
}
_ARTICLES = ("the ", "a ", "an ")
_POSSESSIVES = ("'s", "’s", "'", "’")

_Key = tuple[str, int, int]


def mentions(
    found: Any,
    gold: Any,
    *,
    types: Mapping[str, str] | None = None,
    gold_types: Mapping[str, str] | None = None,
) -> Any:
    """Score found mentions against gold ones, by exact span.

    Leading articles and possessive endings are stripped from both sides first, so that habits of annotation do not
    count. A span that several rows have counts once (in ``typed``, once for each type).

    Args:
        found: A mentions frame of any kind, or a result of `extract`; ``doc_id``, ``start``, ``end``, ``quote`` and
            ``type`` are used.
        gold: A frame with the same columns.
        types: Type of the scores for each type that is found; rows of other types do not count. Left out, types
            are compared as they are, and found types that the gold never uses do not count.
        gold_types: The same for the gold's types; left out, they are compared as they are.

    Returns:
        A frame of the kind of ``found`` with ``measure``, ``type``, ``n_gold``, ``n_found``, ``n_right``,
        ``precision``, ``recall`` and ``f1`` (null where nothing was there to count): one row ``typed`` (span and type
        are right), one row ``span`` (the span is right, whatever the type), and one row ``typed`` for each type.

    Raises:
        FrameTypeError: ``found`` or ``gold`` is no frame.
        SchemaError: A column is missing.

    Examples:
        >>> import polars as pl
        >>> gold = pl.DataFrame({"doc_id": ["d"], "start": [4], "end": [10], "quote": ["Empire"], "type": ["PLACE"]})
        >>> found = gold.with_columns(start=0, quote=pl.lit("the Empire"), type=pl.lit("WORK"))
        >>> mentions(found, gold, types={"WORK": "WORK"}).select("measure", "f1").rows()[:2]
        [('typed', 0.0), ('span', 1.0)]
    """
    inner = getattr(found, "frames", {}).get("mentions", found)
    left = _spans(_columns(inner, "found"), types)
    right = _spans(_columns(gold, "gold"), gold_types)
    if types is None:
        known = {kind for kinds in right.values() for kind in kinds}
        left = {key: kinds & known for key, kinds in left.items() if kinds & known}
    scores = pl.DataFrame(list(_rows(left, right)), schema=_SCORES, orient="row")
    return frames.give(scores, None, frames.backend_of(inner))


def _columns(frame: Any, side: str) -> list[tuple[Any, ...]]:
    needed = ["doc_id", "start", "end", "quote", "type"]
    table = frames.to_polars(frame, side)
    missing = [c for c in needed if c not in table.columns]
    if missing:
        msg = f"The {side} mentions need the column {', '.join(missing)}; they have: {', '.join(table.columns)}."
        raise SchemaError(msg)
    return table.select(needed).drop_nulls(["start", "end"]).rows()


def _spans(rows: Iterable[tuple[Any, ...]], types: Mapping[str, str] | None) -> dict[_Key, set[str]]:
    spans: dict[_Key, set[str]] = {}
    for doc_id, start, end, quote, kind in rows:
        name = kind if types is None else types.get(kind)
        if name is not None:
            start, end = _trim(start, end, quote or "")
            spans.setdefault((doc_id, start, end), set()).add(name)
    return spans


def _trim(start: int, end: int, quote: str) -> tuple[int, int]:
    lowered = quote.lower()
    article = next((a for a in _ARTICLES if lowered.startswith(a) and len(quote) > len(a)), "")
    ending = next((p for p in _POSSESSIVES if lowered.endswith(p) and len(quote) > len(p) + len(article)), "")
    return start + len(article), end - len(ending)


def _rows(found: dict[_Key, set[str]], gold: dict[_Key, set[str]]) -> Iterator[tuple[Any, ...]]:
    left = {(key, kind) for key, kinds in found.items() for kind in kinds}
    right = {(key, kind) for key, kinds in gold.items() for kind in kinds}
    yield ("typed", None, *_score(len(right), len(left), len(left & right)))
    yield ("span", None, *_score(len(gold), len(found), len(found.keys() & gold.keys())))
    for kind in sorted({k for _, k in left | right}):
        these, those = ({x for x in side if x[1] == kind} for side in (left, right))
        yield ("typed", kind, *_score(len(those), len(these), len(these & those)))


def _score(n_gold: int, n_found: int, n_right: int) -> tuple[int, int, int, float | None, float | None, float | None]:
    precision = n_right / n_found if n_found else None
    recall = n_right / n_gold if n_gold else None
    f1 = 2 * n_right / (n_gold + n_found) if n_gold + n_found else None
    return n_gold, n_found, n_right, precision, recall, f1
