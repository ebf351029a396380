"""What there is to decide on, whatever it is: merges, relations and entities as items of one queue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from kgkit import tables
from kgkit.errors import FrameTypeError, InputError
from kgkit.frames import take, to_polars
from kgkit.resolution import merge_id

__all__ = ["Entry", "kinds_in", "read_entries"]

_LEAST = 3  # members from which a group is decided on as one


@dataclass(frozen=True)
class Entry:
    """One thing to decide on.

    Attributes:
        item_id: Its id: what `merge_id` gives, a ``relation_id``, or an ``entity_id``.
        kind: ``merge``, ``relation`` or ``type`` (an entity: its type, its name, what it is made of).
        members: The entities of a merge, both ends of a relation, or the one entity.
        score: How likely the proposal is right; null where nothing says.
        method: What proposed it.
        reasons: What speaks for and against it: ``reason`` and ``weight``.
        group: The group of a merge; null where it is in none.
        weakest: Of a group the pair that is least likely, as two entity ids.
    """

    item_id: str
    kind: str
    members: tuple[str, ...]
    score: float | None = None
    method: str = ""
    reasons: tuple[Mapping[str, Any], ...] = ()
    group: str | None = None
    weakest: tuple[str, str] | None = None


def read_entries(proposals: Any, known: Iterable[str], *, groups: bool) -> list[Entry]:
    """Read what is proposed.

    Args:
        proposals: A result or frame of merges, relations or entities, or a list of several.
        known: The ids of all entities of the graph.
        groups: Whether groups of three and more are decided on as one.

    Returns:
        One entry each; a pair or group that is there twice is one, at its best score.

    Raises:
        FrameTypeError: Something is neither of these.
        InputError: A proposal names an entity that is not in the graph.
    """
    several = list(proposals) if isinstance(proposals, (list, tuple)) else [proposals]
    found: dict[str, Entry] = {}
    for one in several:
        for entry in _read(one, groups):
            old = found.get(entry.item_id)
            if old is None or (entry.score or 0.0) > (old.score or 0.0):
                found[entry.item_id] = entry
    here = set(known)
    gone = next((m for e in found.values() for m in e.members if m not in here), None)
    if gone is not None:
        msg = f"The proposals name the entity {gone!r}, which is not in the graph. Give the graph they are about."
        raise InputError(msg)
    return list(found.values())


def kinds_in(proposals: Any) -> frozenset[str]:
    """Tell which kinds of decisions some proposals are about, also where there are none; see `read_entries`."""
    several = list(proposals) if isinstance(proposals, (list, tuple)) else [proposals]
    kinds = {_sorted_out(one)[0] for one in several}
    return frozenset(kinds | ({"split"} if "type" in kinds else set()))


def _read(proposals: Any, groups: bool) -> list[Entry]:
    kind, frame = _sorted_out(proposals)
    if kind == "merge":
        held = getattr(proposals, "frames", {})
        return _merges(frame, held.get("groups") if groups else None)
    return _relations(frame) if kind == "relation" else _entities(frame)


def _sorted_out(proposals: Any) -> tuple[str, pl.DataFrame]:
    """Tell what kind of proposals a frame or result holds, and give them."""
    held = getattr(proposals, "frames", None)
    if isinstance(held, dict):
        for table, kind in (("merges", "merge"), ("relations", "relation")):
            if table in held:
                return kind, to_polars(held[table], table)
    frame = to_polars(proposals, "proposals")
    columns = set(frame.columns)
    for needed, kind in (({"left_id", "right_id"}, "merge"), ({"relation_id"}, "relation"), ({"entity_id"}, "type")):
        if needed <= columns:
            return kind, frame
    msg = (
        "Proposals must be merges (left_id, right_id), relations (relation_id) or entities (entity_id); "
        f"these columns are there: {', '.join(frame.columns)}."
    )
    raise FrameTypeError(msg)


def _merges(merges: Any, groups: Any) -> list[Entry]:
    frame = take(_complete(merges), "merges").frame.sort("score", "merge_id", descending=[True, False], nulls_last=True)
    table = tables.empty("groups") if groups is None else take(groups, "groups").frame
    group_of = {member: row["group_id"] for row in table.iter_rows(named=True) for member in row["members"]}
    large = {row["group_id"] for row in table.iter_rows(named=True) if row["n_members"] >= _LEAST}
    found = [_group(row) for row in table.iter_rows(named=True) if row["n_members"] >= _LEAST]
    for left, right, score, method, reasons in frame.select(
        "left_id", "right_id", "score", "method", "reasons"
    ).iter_rows():
        group = group_of.get(left)
        if group is None or group != group_of.get(right):
            group = None
        elif group in large:
            continue
        pair = (left, right) if left < right else (right, left)
        if left != right:
            found.append(Entry(merge_id(pair), "merge", pair, score, method, tuple(reasons or ()), group))
    return found


def _complete(merges: Any) -> pl.DataFrame:
    """Fill in what a frame of mere pairs leaves out."""
    frame = to_polars(merges, "merges")
    given = set(frame.columns)
    blank: dict[str, pl.Expr] = {
        "merge_id": pl.concat_str("left_id", pl.lit(" "), "right_id"),
        "score": pl.lit(None, pl.Float64),
        "method": pl.lit("given"),
        "reasons": pl.lit([], tables.get("merges").schema["reasons"]),
    }
    return frame.with_columns(**{name: value for name, value in blank.items() if name not in given})


def _group(row: Mapping[str, Any]) -> Entry:
    members = tuple(sorted(row["members"]))
    weakest = (row["weakest_left_id"], row["weakest_right_id"]) if row["weakest_left_id"] else None
    return Entry(merge_id(members), "merge", members, row["mean_score"], "group", (), row["group_id"], weakest)


def _relations(relations: Any) -> list[Entry]:
    frame = take(relations, "relations", require=["relation_id", "source_id", "target_id"]).frame
    rows = frame.select("relation_id", "source_id", "target_id", "confidence").iter_rows()
    return [Entry(r, "relation", (source, target), score, "extraction") for r, source, target, score in rows]


def _entities(entities: Any) -> list[Entry]:
    frame = to_polars(entities, "entities")
    scores = frame["score"].to_list() if "score" in frame.columns else [None] * frame.height
    return [Entry(e, "type", (e,), s, "given") for e, s in zip(frame["entity_id"].to_list(), scores, strict=True)]
