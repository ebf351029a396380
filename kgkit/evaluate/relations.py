"""How many of the right pairs of entities a set of statements relates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import polars as pl

from kgkit import frames
from kgkit.errors import OptionError, SchemaError
from kgkit.text import normalise_name

__all__ = ["Matching", "relation_pairs"]

Matching = Literal["overlap", "name"]
_MATCHINGS: tuple[Matching, ...] = ("overlap", "name")

_Key = tuple[str, Any]
_Pair = tuple[Any, _Key, _Key]
_SpanKey = tuple[int, int, _Key]
_ARTICLES = ("the ", "a ", "an ")
_SCORES = {
    "n_gold": pl.Int64,
    "n_found": pl.Int64,
    "n_right": pl.Int64,
    "precision": pl.Float64,
    "recall": pl.Float64,
    "f1": pl.Float64,
}


def relation_pairs(
    statements: Any,
    relations: Any,
    mentions: Any = None,
    *,
    match: Matching = "overlap",
    min_confidence: float = 0.0,
) -> Any:
    """Score statements against gold relations, as pairs of entities of a document.

    What is counted is **distinct, undirected pairs of different entities of one document**: the predicate, its
    direction and its polarity do not count, and ten statements about one pair count once.

    A gold entity is all gold mentions with one value of ``entity``, or, where the gold has no such column, all with
    one normalised name (case, spaces, a leading article and a possessive ending do not count). The subject or
    object of a statement is a gold entity

    - with ``match="overlap"``: when the name, found again in the statement's ``quote``, shares a character with one
      of its mentions. Several: the one that shares most (characters in both through characters in either), then the
      first. Where the statement has no quote, or none of its names' places shares anything, the name is compared
      as below. (This is how figures for relations on a
      system's own mentions are commonly quoted: where a name ends is measured with the mentions, not here.)
    - with ``match="name"``: when its normalised name equals that of one of its mentions.

    A name that is no gold entity is an entity of its own, so that its pairs are found but never right. Pairs of an
    entity with itself are left out on both sides. All statements count, of whatever polarity: a negated statement
    is about that pair too.

    Args:
        statements: Frame with doc_id, subject and object; quote and start (where the quote begins in the text) for
            matching by overlap; confidence for ``min_confidence``. A result of ``extract`` will do.
        relations: Gold frame with doc_id, head and tail: names as in the mentions. head_id and tail_id (entities) or
            head_span and tail_span (``[start, end]``) take precedence where they are given. The column doc_id may
            be called doc, head and tail may be called subject and object.
        mentions: Gold frame with doc_id, start, end and text or name, and perhaps entity. Without it, the names in
            ``relations`` are all that is known, and matching is by name.
        match: ``"overlap"`` or ``"name"``.
        min_confidence: Statements below it are left out; one without a confidence stays.

    Returns:
        One row: n_gold, n_found, n_right (Int64), precision, recall, f1 (Float64; null where nothing is divided by),
        in the kind of frame that ``statements`` came in.

    Raises:
        SchemaError: A column that is needed is missing.
        OptionError: ``match`` is not known.

    Examples:
        >>> import polars as pl
        >>> found = pl.DataFrame({"doc_id": ["d", "d"], "subject": ["Ada", "Ada"], "object": ["the Mill", "Bob"]})
        >>> gold = pl.DataFrame({"doc_id": ["d"], "head": ["Mill"], "type": ["by"], "tail": ["Ada"]})
        >>> relation_pairs(found, gold).select("precision", "recall").rows()
        [(0.5, 1.0)]
    """
    if match not in _MATCHINGS:
        raise OptionError.not_one_of("match", match, _MATCHINGS)
    held = getattr(statements, "frames", None)
    statements = held["statements"] if isinstance(held, dict) and "statements" in held else statements
    found = _columns(statements, "statements", {"subject": "head", "object": "tail"})
    gold = _columns(relations, "relations", {"subject": "head", "object": "tail"})
    known = _columns(mentions, "mentions", {"name": "text"}) if mentions is not None else None
    if "confidence" in found.columns and min_confidence > 0:
        found = found.filter(pl.col("confidence").fill_null(1.0) >= min_confidence)
    book = _GoldBook(known)
    right_pairs = set(_distinct((row["doc_id"], *book.gold_ends(row)) for row in gold.iter_rows(named=True)))
    by_place = match == "overlap" and "quote" in found.columns and "start" in found.columns
    pairs = set(
        _distinct((row["doc_id"], *book.found_ends(row, by_place=by_place)) for row in found.iter_rows(named=True))
    )
    scores = _scores(len(right_pairs), len(pairs), len(pairs & right_pairs))
    return frames.give(scores, None, frames.backend_of(statements))


class _GoldBook:
    """The gold mentions, by document: which entity a name or a place belongs to."""

    def __init__(self, mentions: pl.DataFrame | None) -> None:
        self._named: dict[tuple[Any, str], _Key] = {}
        self._placed: dict[Any, list[_SpanKey]] = defaultdict(list)
        if mentions is None:
            return
        ordered = mentions.sort(["doc_id", "start", "end"]) if "start" in mentions.columns else mentions
        for row in ordered.iter_rows(named=True):
            name = _plain_name(row["text"])
            entity = row.get("entity")
            key: _Key = ("name", name) if entity is None else ("entity", entity)
            self._named.setdefault((row["doc_id"], name), key)
            if row.get("start") is not None:
                self._placed[row["doc_id"]].append((row["start"], row["end"], key))

    def gold_ends(self, row: dict[str, Any]) -> tuple[_Key, _Key]:
        return self._gold_end(row, "head"), self._gold_end(row, "tail")

    def _gold_end(self, row: dict[str, Any], end: str) -> _Key:
        if row.get(f"{end}_id") is not None:
            return ("entity", row[f"{end}_id"])
        place = row.get(f"{end}_span")
        if place is not None:
            key = self._best(row["doc_id"], [(int(place[0]), int(place[1]))])
            if key is not None:
                return key
        return self._called(row["doc_id"], row[end])

    def found_ends(self, row: dict[str, Any], *, by_place: bool) -> tuple[_Key, _Key]:
        return self._found_end(row, "head", by_place), self._found_end(row, "tail", by_place)

    def _found_end(self, row: dict[str, Any], end: str, by_place: bool) -> _Key:
        name = row[end]
        if by_place and row["quote"] is not None and row["start"] is not None:
            at = [(row["start"] + offset, row["start"] + offset + len(name)) for offset in _places(row["quote"], name)]
            key = self._best(row["doc_id"], at)
            if key is not None:
                return key
        return self._called(row["doc_id"], name)

    def _called(self, doc_id: Any, name: str) -> _Key:
        plain = _plain_name(name)
        return self._named.get((doc_id, plain), ("name", plain))

    def _best(self, doc_id: Any, places: list[tuple[int, int]]) -> _Key | None:
        best: _Key | None = None
        most = 0.0
        for known_start, known_end, key in self._placed.get(doc_id, ()):
            for start, end in places:
                shared = min(end, known_end) - max(start, known_start)
                share = shared / (max(end, known_end) - min(start, known_start))
                if shared > 0 and share > most:
                    best, most = key, share
        return best


def _places(quote: str, name: str) -> Iterator[int]:
    place = quote.find(name) if name else -1
    while place >= 0:
        yield place
        place = quote.find(name, place + 1)


def _distinct(pairs: Iterable[_Pair]) -> Iterator[_Pair]:
    for doc_id, left, right in pairs:
        if left != right:
            yield (doc_id, *sorted((left, right), key=repr))


def _plain_name(name: str) -> str:
    plain = normalise_name(name)
    for article in _ARTICLES:
        plain = plain.removeprefix(article)
    return plain.removesuffix("'s").removesuffix("'").strip() or normalise_name(name)


def _scores(n_gold: int, n_found: int, n_right: int) -> pl.DataFrame:
    row = {
        "n_gold": n_gold,
        "n_found": n_found,
        "n_right": n_right,
        "precision": n_right / n_found if n_found else None,
        "recall": n_right / n_gold if n_gold else None,
        "f1": 2 * n_right / (n_found + n_gold) if n_found + n_gold else None,
    }
    return pl.DataFrame([row], schema=_SCORES)


def _columns(obj: Any, name: str, other_names: dict[str, str]) -> pl.DataFrame:
    frame = frames.to_polars(obj, name)
    renames = {"doc": "doc_id", **other_names}
    frame = frame.rename(
        {old: new for old, new in renames.items() if old in frame.columns and new not in frame.columns}
    )
    needed = ["doc_id", *other_names.values()]
    asked = {new: old for old, new in other_names.items()} if name == "statements" else {}
    missing = [asked.get(column, column) for column in needed if column not in frame.columns]
    if missing:
        msg = f"{name} need the column {', '.join(map(repr, missing))}; these are {', '.join(frame.columns) or 'none'}."
        raise SchemaError(msg)
    return frame
