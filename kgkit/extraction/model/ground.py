"""Entities held against the schema and the text: their types, and where their names stand."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from kgkit.extraction.model.instructions import inside
from kgkit.extraction.model.items import NamedEntity, shown
from kgkit.extraction.model.locate import How, Place, Text, weaker
from kgkit.extraction.schema import Schema
from kgkit.extraction.schema_types import entity_type_name, type_key
from kgkit.text import Span, normalise_name

__all__ = ["Entity", "FoundMention", "Reading", "ground_entities", "mentions_of"]

_NUMBER = re.compile(r"\d+")
Standing = Literal["text", "context", "nowhere"]


class Reading(NamedTuple):
    """What a reply is held against: schema, text, what stood around it, and the places that give orders."""

    schema: Schema
    text: Text
    context: Text
    instructions: list[Span]
    output_language: str | None


class FoundMention(NamedTuple):
    """A mention in a chunk; ``start`` and ``end`` are characters of the chunk, ``None`` when unlocated."""

    start: int | None
    end: int | None
    how: How
    name: str
    type: str | None
    description: str | None
    attributes: str
    confidence: float | None
    origin: str


@dataclass
class Entity:
    """An entity of a reply: its type by the schema, and where its name stands."""

    item: NamedEntity
    type: str | None
    attributes: dict[str, str]
    description: str | None
    standing: Standing = "nowhere"
    anchor: Place | None = None
    others: list[Place] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name in the tables: the translation where one was asked for, else as written."""
        return self.item.translation or self.item.name

    @property
    def counts(self) -> bool:
        """Whether it may be the end of a statement that is evidence."""
        return self.standing != "nowhere"


def ground_entities(items: Iterable[NamedEntity], reading: Reading, notes: list[str]) -> list[Entity]:
    """Settle types, join repeats, and find every entity's name in the text.

    An entity is grounded when its name stands in the text; when a quote that stands in the text has its name in
    other words; or, as the end of relations only, when the title or headings name it. A quote that is not in the
    text, and a real quote for a name that is not in it, prove nothing.
    """
    entities = list(_joined(items, reading, notes))
    for entity in entities:
        _find(entity, reading, notes)
    many = Counter(normalise_name(e.item.name) for e in entities)
    for entity in entities:
        if many[normalise_name(entity.item.name)] > 1:  # one name, several things: only the quotes tell which is where
            entity.others = []
    return entities


def mentions_of(entities: Sequence[Entity]) -> Iterator[FoundMention]:
    """Make the mentions: one for each place, without those that lie in a longer name."""
    covered = _covered({(p.start, p.end) for e in entities for p in _places(e)})
    for entity in entities:
        if entity.standing == "context":
            continue
        kept = [p for p in _places(entity) if (p.start, p.end) not in covered] or _places(entity)[:1]
        if entity.anchor in kept:
            kept.remove(entity.anchor)
            kept.insert(0, entity.anchor)
        said = (entity.description, json.dumps(entity.attributes, ensure_ascii=False, sort_keys=True))
        if not kept:
            yield _mention(entity, None, said)
        for place in kept:
            yield _mention(entity, place, said)
            said = (None, _only_name(entity.attributes))


def _places(entity: Entity) -> list[Place]:
    return [] if entity.anchor is None else [entity.anchor, *entity.others]


def _covered(spans: set[Span]) -> set[Span]:
    """Find the spans that lie in a longer one."""
    inner: set[Span] = set()
    reached = -1
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end <= reached:
            inner.add((start, end))
        reached = max(reached, end)
    return inner


def _mention(entity: Entity, place: Place | None, said: tuple[str | None, str]) -> FoundMention:
    named = (entity.name, entity.type, *said, entity.item.confidence, entity.item.origin)
    if place is None:
        return FoundMention(None, None, "unlocated", *named)
    return FoundMention(place.start, place.end, place.how, *named)


def _only_name(attributes: Mapping[str, str]) -> str:
    kept = {key: value for key, value in attributes.items() if key in ("original_name", "proposed_type")}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True)


def _joined(items: Iterable[NamedEntity], reading: Reading, notes: list[str]) -> Iterator[Entity]:
    """Settle types, and join what the model named twice."""
    same: dict[tuple[str, str | None], list[NamedEntity]] = defaultdict(list)
    proposed: dict[tuple[str, str | None], str] = {}
    for item in items:
        kind = _type(item, reading.schema)
        key = (normalise_name(item.name), kind)
        same[key].append(item)
        if kind is None:
            proposed.setdefault(key, item.type)
            notes.append(f"type_outside_schema: {shown(item.name)} is of type {shown(item.type) or '(nothing)'}")
    for (name, kind), repeats in same.items():
        yield _entity(repeats, kind, proposed.get((name, kind)), reading, notes)


def _type(item: NamedEntity, schema: Schema) -> str | None:
    known = schema.entity_type(item.type)
    if known is not None:
        return known.name
    return None if schema.closed_entity_types or not type_key(item.type) else entity_type_name(item.type)


def _entity(
    repeats: list[NamedEntity], kind: str | None, proposed: str | None, reading: Reading, notes: list[str]
) -> Entity:
    first = repeats[0]
    quote = next((r.quote for r in repeats if r.quote), None)
    translation = first.translation if reading.output_language and first.translation != first.name else None
    attributes: dict[str, str] = {}
    for repeat in repeats:
        attributes |= {k: v for k, v in _stated(repeat, reading, notes) if k not in attributes}
    if translation:
        attributes["original_name"] = first.name
    if proposed:
        attributes["proposed_type"] = proposed
    description = next((r.description for r in repeats if r.description), None)
    if description and not _numbers(description) <= _numbers(reading.text.text):
        notes.append(f"ungrounded_description: a number is not in the text: {shown(description)}")
        description = None
    item = first._replace(quote=quote, translation=translation)
    return Entity(item, kind, attributes, description)


def _stated(item: NamedEntity, reading: Reading, notes: list[str]) -> Iterator[tuple[str, str]]:
    """Give the attributes whose values stand in the text (of translated ones, whose numbers do)."""
    for key, value in item.attributes.items():
        there = all(reading.text.find_quote(part) for part in value.split("; "))
        if there or (reading.output_language and _numbers(value) <= _numbers(reading.text.text)):
            yield key, value
        else:
            notes.append(f"ungrounded_attribute: not in the text: {shown(f'{item.name}: {key} = {value}')}")


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def _find(entity: Entity, reading: Reading, notes: list[str]) -> None:
    text, item = reading.text, entity.item
    named = text.find_name(item.name)
    allowed = [place for place in named if not inside((place.start, place.end), reading.instructions)]
    if named and not allowed:
        notes.append(f"in_instructions: {shown(item.name)} is named only where the text gives orders")
        _forget(entity)
        return
    quoted = text.find_quote(item.quote)
    if named and item.quote and quoted is None and not reading.context.find_quote(item.quote):
        notes.append(f"unlocated_quote: {shown(item.name)}: {shown(item.quote)}")
        _forget(entity)
        return
    anchor = _anchor(item.name, allowed, quoted, text)
    if anchor is not None:
        entity.standing, entity.anchor = "text", anchor
        entity.others = [p for p in allowed if (p.start, p.end) != (anchor.start, anchor.end)]
    elif reading.context.find_name(item.name):
        entity.standing = "context"
    else:
        notes.append(f"ungrounded: {shown(item.name)} is not in the text")
        _forget(entity)


def _forget(entity: Entity) -> None:
    """Keep of an entity without evidence only its name and what type was proposed."""
    entity.description = None
    entity.attributes = json.loads(_only_name(entity.attributes))


def _anchor(name: str, named: list[Place], quoted: Place | None, text: Text) -> Place | None:
    if not named:
        return text.find_like_name(name, quoted) if quoted else text.find_near_name(name)
    if quoted is None:
        return named[0]
    within = [place for place in named if quoted.start <= place.start and place.end <= quoted.end]
    anchor = (within or named)[0]
    return anchor._replace(how=weaker(anchor.how, quoted.how))
