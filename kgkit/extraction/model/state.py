"""Relations held against the schema and the text: their ends, their direction, and the words that say so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kgkit.extraction.model.ground import Entity, Reading
from kgkit.extraction.model.instructions import inside
from kgkit.extraction.model.items import StatedRelation, is_no_name, shown
from kgkit.extraction.model.locate import How
from kgkit.extraction.schema_types import RelationType, relation_type_name, type_key
from kgkit.text import normalise_name

__all__ = ["FoundStatement", "judge_relations"]

# A sum, a count, a share, a year: what no name is. "3M" and "20th Century Fox" are none of these.
_LITERAL = re.compile(
    r"(?:about|around|over|under|nearly|almost|some|at least|more than|less than|up to)?\s*[€$£¥₹#~+-]?\s*"
    r"\d[\d.,:/\s]*(?:%|[€$£¥₹])?(?:\s+[a-zà-ÿ%]+){0,3}"
)


class FoundStatement(NamedTuple):
    """A statement in a chunk; ``start`` and ``end`` are characters of the chunk, ``None`` when unlocated."""

    start: int | None
    end: int | None
    how: How
    subject: str
    subject_type: str | None
    predicate: str
    object: str
    object_type: str | None
    polarity: str
    confidence: float | None
    origin: str


class _End(NamedTuple):
    name: str
    type: str | None
    counts: bool


class _Rejected(ValueError):
    """The relation cannot be used; the message is the note."""


def judge_relations(
    items: Iterable[StatedRelation], entities: Sequence[Entity], reading: Reading, notes: list[str]
) -> list[FoundStatement]:
    """Make statements of the relations that can be used; each of the others is one note.

    Args:
        items: The relations of a reply.
        entities: Its entities, grounded.
        reading: What they are held against.
        notes: Where to write what was refused or changed.
    """
    declared: dict[str, list[Entity]] = defaultdict(list)
    for entity in entities:
        for name in {normalise_name(entity.item.name), normalise_name(entity.name)}:
            declared[name].append(entity)
    found = []
    for item in items:
        try:
            found.append(_judge(item, declared, reading, notes))
        except _Rejected as rejected:
            notes.append(f"{rejected}: {shown(item)}")
    return found


def _judge(
    item: StatedRelation, declared: dict[str, list[Entity]], reading: Reading, notes: list[str]
) -> FoundStatement:
    predicate, kind = _predicate(item, reading)
    subjects = _ends(item.subject, item, declared, reading, notes)
    objects = _ends(item.object, item, declared, reading, notes)
    subject, object_ = _directed(item, kind, subjects, objects, notes)
    if kind is not None and kind.symmetric:
        subject, object_ = sorted((subject, object_), key=lambda end: (normalise_name(end.name), end.type or ""))
    if kind is not None and kind.review:
        notes.append(f"review_required: {shown(f'{subject.name} {predicate} {object_.name}')}")
    start, end, how = _evidence(item, reading, notes)
    for side in (subject, object_):
        if not side.counts:
            start, end, how = None, None, "unlocated"
            notes.append(f"ungrounded_end: {shown(side.name)}, in {shown(item)}")
    said = (subject.name, subject.type, predicate, object_.name, object_.type, item.polarity)
    return FoundStatement(start, end, how, *said, item.confidence, item.origin)


def _predicate(item: StatedRelation, reading: Reading) -> tuple[str, RelationType | None]:
    if not type_key(item.predicate):
        msg = "empty_predicate"
        raise _Rejected(msg)
    kind = reading.schema.relation_type(item.predicate)
    if kind is not None:
        return kind.name, kind
    if reading.schema.closed_relation_types:
        msg = "relation_outside_schema"
        raise _Rejected(msg)
    return relation_type_name(item.predicate).lower(), None


def _ends(
    name: str, item: StatedRelation, declared: dict[str, list[Entity]], reading: Reading, notes: list[str]
) -> list[_End]:
    """List the entities that an end can mean: several when one name stands for several things."""
    key = normalise_name(name)
    if not key or is_no_name(name):
        msg = "empty_end" if not key else "no_name"
        raise _Rejected(msg)
    known = declared.get(key)
    if known:
        return list(dict.fromkeys(_End(e.name, e.type, e.counts) for e in known))
    if _LITERAL.fullmatch(name.strip()):
        msg = "literal_end"
        raise _Rejected(msg)
    places = [p for p in reading.text.find_name(name) if not inside((p.start, p.end), reading.instructions)]
    there = bool(places or reading.context.find_name(name))
    if there:
        notes.append(f"undeclared_end: {shown(name)}, in {shown(item)}")
    return [_End(name, None, there)]


def _directed(
    item: StatedRelation, kind: RelationType | None, subjects: list[_End], objects: list[_End], notes: list[str]
) -> tuple[_End, _End]:
    """Choose the ends that the schema allows; turn the relation round only when that alone makes it legal."""
    pairs = [(s, o) for s in subjects for o in objects]
    if kind is None:
        return _plain(subjects), _plain(objects)
    legal = [(s, o) for s, o in pairs if kind.allows(s.type, o.type)]
    if legal:
        return (_plain([s for s, _ in legal]), _plain([o for _, o in legal]))
    turned = [(o, s) for s, o in pairs if None not in (s.type, o.type) and kind.allows(o.type, s.type)]
    if turned:
        subject, object_ = _plain([s for s, _ in turned]), _plain([o for _, o in turned])
        if not kind.symmetric:
            notes.append(f"flipped: {shown(item)} became {shown(f'{subject.name} {kind.name} {object_.name}')}")
        return subject, object_
    wanted = " -> ".join("|".join(side) or "any" for side in (kind.subjects, kind.objects))
    got = " -> ".join("|".join(sorted({e.type or "?" for e in ends})) for ends in (subjects, objects))
    msg = f"illegal_ends: {got} is not {wanted}"
    raise _Rejected(msg)


def _plain(ends: list[_End]) -> _End:
    """Take the one entity that is meant; of several the name alone, so that the end stays open."""
    different = list(dict.fromkeys(ends))
    return different[0] if len(different) == 1 else _End(different[0].name, None, any(e.counts for e in different))


def _evidence(item: StatedRelation, reading: Reading, notes: list[str]) -> tuple[int | None, int | None, How]:
    place = reading.text.find_quote(item.quote)
    if place is None:
        said = shown(item.quote) if item.quote else "(nothing quoted)"
        notes.append(f"unlocated_quote: {shown(item)}: {said}")
    elif inside((place.start, place.end), reading.instructions):
        notes.append(f"in_instructions: {shown(item)} is said only where the text gives orders")
    else:
        return place.start, place.end, place.how
    return None, None, "unlocated"
