"""Splits: mentions leave an entity for new ones, and statements follow the mentions they are about."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

from kgkit.resolution.decided import Decision, part_ids
from kgkit.resolution.decided_groups import Merging
from kgkit.text import normalise_name

__all__ = ["Part", "Splits", "Unit", "split_mentions"]


class Part(NamedTuple):
    """An entity that a split makes."""

    decision: Decision
    name: str
    type: str | None
    base_id: str


class Unit(NamedTuple):
    """Where a statement stands; nothing is known of one that the graph does not hold."""

    doc_id: str | None
    chunk_id: str | None
    start: int | None
    end: int | None
    name: str


class _Place(NamedTuple):
    """One mention of a touched entity, and the entity it is of now."""

    base_id: str
    mention_id: str
    doc_id: str | None
    chunk_id: str | None
    start: int | None
    end: int | None
    name: str | None
    node: str


@dataclass
class Splits:
    """What splits did.

    Attributes:
        parts: The new entities that got mentions.
        moved: The new entity of an entity's mention that moved, by both ids.
        touched: Entities of the graph before that lost mentions.
        left: Entities of the graph before whose mentions all left, with the one that got most of them.
        counts: How many mentions each decision moved.
        missing: Mentions and documents a decision named that are not there.
    """

    parts: dict[str, Part] = field(default_factory=dict)
    moved: dict[tuple[str, str], str] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    left: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)
    _by_doc: dict[tuple[str, str | None], list[_Place]] = field(default_factory=dict)

    def end_of(self, base_id: str, unit: Unit) -> str:
        """Tell which entity an end of a statement means now.

        It is the one whose mention lies in the statement's sentence, else in its chunk, else in its document. Where
        mentions of several do, those spelled as the statement spells it count, then the entity it was, then the
        smallest id.
        """
        places = self._by_doc.get((base_id, unit.doc_id), [])
        for near in (_in_sentence, _in_chunk, _in_document):
            found = [place for place in places if near(place, unit)]
            named = [place for place in found if normalise_name(place.name or "") == unit.name]
            nodes = {place.node for place in named or found}
            if nodes:
                return base_id if base_id in nodes else min(nodes)
        return self.left.get(base_id, base_id)


def split_mentions(
    evidence: pl.DataFrame, mentions: pl.DataFrame, decisions: Sequence[Decision], merging: Merging
) -> Splits:
    """Carry out the splits among decisions that count, oldest first.

    A split takes the mentions it lists from the entity it is about and from all that merges make one with it.

    Args:
        evidence: ``item_id`` and ``evidence_id`` of entities and their mentions.
        mentions: The mentions.
        decisions: Decisions that count, oldest first.
        merging: What merges make of entity ids.
    """
    splits = [d for d in decisions if d.kind == "split" and d.verdict == "accepted"]
    done = Splits()
    if not splits:
        return done
    groups = {merging.group_of(d.subject_id) for d in splits}
    places = _places(evidence, mentions, [i for g in groups for i in merging.members.get(g, [g])])
    by_group: dict[str, set[int]] = defaultdict(set)
    for number, place in enumerate(places):
        by_group[merging.group_of(place.base_id)].add(number)
    before = {group for group, held in by_group.items() if held}
    for decision in splits:
        _carry_out(decision, places, by_group, merging, done)
    _sum_up(places, {g for g in before if not by_group[g]}, merging, done)
    return done


def _places(evidence: pl.DataFrame, mentions: pl.DataFrame, entity_ids: Sequence[str]) -> list[_Place]:
    ids = pl.Series(entity_ids, dtype=pl.String)
    own = evidence.filter(pl.col("item_id").is_in(ids.implode()))
    where = mentions.select("mention_id", "doc_id", "chunk_id", "start", "end", "name")
    rows = own.join(where, left_on="evidence_id", right_on="mention_id", how="left").sort("item_id", "evidence_id")
    columns = ["item_id", "evidence_id", "doc_id", "chunk_id", "start", "end", "name", "item_id"]
    return [_Place(*row) for row in zip(*(rows[c].to_list() for c in columns), strict=True)]


def _carry_out(
    decision: Decision, places: list[_Place], by_group: dict[str, set[int]], merging: Merging, done: Splits
) -> None:
    parts = decision.payload["parts"]
    ids = part_ids(decision.subject_id, parts)
    of_mention = {m: i for i, p in zip(ids, parts, strict=True) for m in p.get("mention_ids", ())}
    of_doc = {d: i for i, p in zip(ids, parts, strict=True) for d in p.get("doc_ids", ())}
    group = merging.group_of(decision.subject_id)
    seen: set[str | None] = set()
    for number in sorted(by_group[group]):
        place = places[number]
        target = of_mention.get(place.mention_id) or of_doc.get(place.doc_id or "")
        if target is None:
            continue
        part = parts[ids.index(target)]
        done.parts.setdefault(target, Part(decision, part["name"], part.get("type"), place.base_id))
        done.counts[decision.decision_id] += 1
        seen |= {place.mention_id, place.doc_id}
        places[number] = place._replace(node=target)
        by_group[group].discard(number)
        by_group[merging.group_of(target)].add(number)
    done.missing[decision.decision_id] = len((of_mention.keys() | of_doc.keys()) - seen)


def _sum_up(places: list[_Place], emptied: set[str], merging: Merging, done: Splits) -> None:
    gone: dict[str, Counter[str]] = defaultdict(Counter)
    for place in places:
        done._by_doc.setdefault((place.base_id, place.doc_id), []).append(place)
        if place.node != place.base_id:
            done.moved[place.base_id, place.mention_id] = place.node
            done.touched.add(place.base_id)
            gone[place.base_id][place.node] += 1
    for base_id, taken in gone.items():
        if merging.group_of(base_id) in emptied:
            done.left[base_id] = min(taken, key=lambda node: (-taken[node], node))
    nodes = {place.node for place in places}
    done.parts = {node: part for node, part in done.parts.items() if node in nodes}


def _in_sentence(place: _Place, unit: Unit) -> bool:
    known = None not in (place.start, place.end, unit.start, unit.end)
    return known and unit.start <= place.start and place.end <= unit.end  # type: ignore[operator]


def _in_chunk(place: _Place, unit: Unit) -> bool:
    return place.chunk_id is not None and place.chunk_id == unit.chunk_id


def _in_document(place: _Place, unit: Unit) -> bool:
    return place.doc_id == unit.doc_id
