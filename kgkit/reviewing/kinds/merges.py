"""Merges, as pairs and as groups: are these one?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from kgkit import tables
from kgkit.errors import InputError
from kgkit.frames import take, to_polars
from kgkit.resolution import merge_id
from kgkit.reviewing.compare import differences, mark_attributes, speaks_against
from kgkit.reviewing.entries import Entry, Listed, as_reasons
from kgkit.reviewing.kinds.kind import Kind
from kgkit.reviewing.payload import Wanted
from kgkit.reviewing.words import as_card

if TYPE_CHECKING:
    from kgkit.reviewing.cards import Card, Cards

__all__ = ["Merging"]

_LEAST = 3  # members from which a group is decided on as one
_NAMED = 6  # members of a group named in one line
_COMPARED = 20  # members of a group of which each two are looked for in one sentence
_QUOTES, _NEIGHBOURS = 3, 12


class Merging(Kind):
    """Pairs and groups of entities that may be one."""

    name: ClassVar[str] = "merge"
    table: ClassVar[str | None] = "merges"
    needs: ClassVar[frozenset[str]] = frozenset({"left_id", "right_id"})
    takes: ClassVar[tuple[str, ...]] = ("members", "name", "type")
    silent: ClassVar[tuple[str, ...]] = ("name", "type")

    def entries(self, frame: pl.DataFrame, held: Mapping[str, Any], *, groups: bool) -> list[Entry]:
        """Make the items: large groups, and the pairs that are in none."""
        return _entries(frame, held.get("groups") if groups else None)

    def label(self, entry: Entry, cards: Cards) -> str:
        """Name the members."""
        names = [cards.name(m) for m in entry.members]
        more = [f"{len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
        return " = ".join([*names[:_NAMED], *more])

    def card(self, entry: Entry, cards: Cards, apart: Collection[tuple[str, str]]) -> Card:
        """Show the members, what they share, and what speaks against."""
        sides = [cards.side(m) for m in entry.members]
        near = [{n["entity_id"]: n for n in cards.near(m)} for m in entry.members]
        shared = set.intersection(*map(set, near)) if near else set()
        for side, own in zip(sides, near, strict=True):
            alone = [n for i, n in own.items() if i not in shared and i not in entry.members]
            side["neighbours"], side["n_neighbours"] = alone[:_NEIGHBOURS], len(alone)
        found = [(a, b, q) for a, b in combinations(entry.members[:_COMPARED], 2) for q in cards.words.together(a, b)]
        together = sorted({(cards.name(a), cards.name(b)) for a, b, _ in found})
        quotes = {q.place: q for _, _, q in found}
        made: Card = {
            "question": "Are these one?" if len(sides) == 2 else "Which of these are one?",
            "sides": sides,
            "common": sorted((near[0][i]["name"] for i in shared), key=str)[:_NEIGHBOURS],
            "n_common": len(shared),
            "between": [as_card(q) for q in quotes.values()][:_QUOTES],
            "n_between": len(quotes),
            "against": [*speaks_against(sides, together), *_decided(entry.members, apart, cards), *_unlooked(entry)],
        }
        if len(sides) == 2:
            sides[0]["parts"], sides[1]["parts"] = differences(sides[0]["name"], sides[1]["name"])
            mark_attributes(sides)
        if entry.weakest is not None:
            made |= _weakest(entry, cards)
        return made

    def decision(self, entry: Entry, verdict: str, said: Mapping[str, Any], cards: Cards) -> Wanted:
        """Join the ticked members and keep the others apart from them, or keep all apart."""
        ticked = _ticked(entry.members, said.get("members"))
        if verdict != "accepted":
            return Wanted("merge", entry.item_id, {"entity_ids": list(entry.members)})
        more = {k: said[k] for k in ("name", "type") if k in said}
        if len(ticked) == len(entry.members):
            return Wanted("merge", entry.item_id, {"entity_ids": list(entry.members), **more})
        if len(ticked) < 2:
            msg = "At least two members must be ticked to make them one; reject the item when none are."
            raise InputError(msg)
        apart = [m for m in entry.members if m not in ticked]
        return Wanted("merge", merge_id(ticked), {"entity_ids": ticked, "apart": apart, "item": entry.item_id, **more})

    def touched(self, entry: Entry, cards: Cards) -> int:
        """Count the mentions that would change hands."""
        counts = [cards.n_mentions(m) for m in entry.members]
        return sum(counts) - max(counts)


def _decided(members: Sequence[str], apart: Collection[tuple[str, str]], cards: Cards) -> list[str]:
    pairs = [pair for pair in combinations(sorted(members), 2) if pair in apart]
    return [f"somebody decided that {cards.name(a)} and {cards.name(b)} are not one" for a, b in pairs]


def _ticked(members: Sequence[str], given: Iterable[str] | None) -> list[str]:
    if given is None:
        return list(members)
    ticked = set(given)
    strange = sorted(ticked - set(members))
    if strange:
        msg = f"{strange[0]!r} is no member of this item. Members: {', '.join(members)}."
        raise InputError(msg)
    return [m for m in members if m in ticked]


def _entries(merges: Any, groups: Any) -> list[Entry]:
    frame = take(_complete(merges), "merges").frame.sort("score", "merge_id", descending=[True, False], nulls_last=True)
    table = tables.empty("groups") if groups is None else take(groups, "groups").frame
    group_of = {member: row["group_id"] for row in table.iter_rows(named=True) for member in row["members"]}
    large = {row["group_id"] for row in table.iter_rows(named=True) if row["n_members"] >= _LEAST}
    links: dict[str | None, list[Entry]] = {group: [] for group in large}
    found: list[Entry] = []
    columns, reasons = frame.select("left_id", "right_id", "score", "method"), frame["reasons"]
    for row, (left, right, score, method) in enumerate(columns.iter_rows()):
        group = group_of.get(left)
        if group is None or group != group_of.get(right):
            group = None
        pair = (left, right) if left < right else (right, left)
        if left != right:
            entry = Entry(merge_id(pair), "merge", pair, score, method, Listed(reasons, row), group)
            (links[group] if group in large else found).append(entry)
    rows = table.filter(pl.col("n_members") >= _LEAST).iter_rows(named=True)
    return [*(_group(row, links[row["group_id"]]) for row in rows), *found]


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


def _group(row: Mapping[str, Any], links: Iterable[Entry]) -> Entry:
    members = tuple(sorted(row["members"]))
    weakest = (row["weakest_left_id"], row["weakest_right_id"]) if row["weakest_left_id"] else None
    score, group = row["mean_score"], row["group_id"]
    more = {"weakest_score": row["weakest_score"]}
    return Entry(merge_id(members), "merge", members, score, "group", (), group, weakest, tuple(links), more)


def _unlooked(entry: Entry) -> list[str]:
    """Say where a group is too large for each two of its members to be looked at."""
    n = len(entry.members)
    told = f"only the first {_COMPARED} of the {n:,} were looked for in one sentence"
    return [told] if n > _COMPARED else []


def _weakest(entry: Entry, cards: Cards) -> Card:
    """Show the weakest pair of a group, and why it was proposed."""
    weakest = tuple(sorted(entry.weakest or ()))
    link = next((link for link in entry.links if link.members == weakest), None)
    made: Card = {"weakest": [cards.name(i) for i in entry.weakest or ()]}
    made["weakest_score"] = entry.more.get("weakest_score") if link is None else link.score
    return made if link is None else made | {"reasons": as_reasons(link.reasons)}
