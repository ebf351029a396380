"""A model's reply, item by item: what is usable is kept, and what is not is named, one note each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from kgkit.text import collapse_spaces, normalise_name

__all__ = ["Items", "NamedEntity", "StatedRelation", "clean", "has_items", "is_no_name", "read_items", "shown"]

_ENTITIES = ("entities", "nodes", "mentions")
_RELATIONS = ("relations", "relationships", "statements", "triples", "edges")
_NAME = ("name", "entity", "text")
_TYPE = ("type", "entity_type", "label")
_QUOTE = ("quote", "evidence", "context", "source_text")
_SUBJECT = ("subject", "source", "source_entity", "head", "from")
_OBJECT = ("object", "target", "target_entity", "tail", "to")
_PREDICATE = ("predicate", "type", "relation", "relation_type", "relationship")
_POLARITY = {
    "positive": "positive", "affirmed": "positive", "asserted": "positive",
    "negated": "negated", "negative": "negated", "denied": "negated",
    "conditional": "conditional", "hypothetical": "conditional", "possible": "conditional", "planned": "conditional",
    "reported": "reported", "claimed": "reported", "alleged": "reported",
}  # fmt: skip
_NO_NAMES = frozenset(
    "he she it they we i you him her them us this that these those who which none null nothing unknown n/a nobody "  # noqa: SIM905
    "somebody someone er sie es ihm ihr il elle ils elles él ella ellos".split()
)
_MAX_NAME = 300  # characters; longer ones are passages
_MAX_SHOWN = 160

_Item = TypeVar("_Item", "NamedEntity", "StatedRelation")


class NamedEntity(NamedTuple):
    """An entity as the model gave it."""

    name: str
    type: str
    translation: str | None
    description: str | None
    attributes: dict[str, str]
    quote: str | None
    confidence: float | None
    origin: str


class StatedRelation(NamedTuple):
    """A relation as the model gave it; an empty end is for the judge to refuse."""

    subject: str
    predicate: str
    object: str
    polarity: str
    quote: str | None
    confidence: float | None
    origin: str

    def __str__(self) -> str:
        return f"{self.subject or '(nothing)'} {self.predicate or '(nothing)'} {self.object or '(nothing)'}"


class Items(NamedTuple):
    """What a reply holds, and a note for each item, or part of one, that cannot be used."""

    entities: list[NamedEntity]
    relations: list[StatedRelation]
    notes: list[str]


class _Unusable(ValueError):
    pass


def read_items(data: Any, origin: str) -> Items:
    """Read a parsed reply.

    Args:
        data: The JSON that came back.
        origin: What gave it.

    Raises:
        ValueError: It has no list of entities or relations.
    """
    entities, relations = _lists(data)
    notes: list[str] = []
    named = list(_read(entities, "entity", lambda item: _entity(item, origin, notes), notes))
    stated = list(_read(relations, "relation", lambda item: _relation(item, origin, notes), notes))
    return Items(named, stated, notes)


def is_no_name(name: str) -> bool:
    """Tell whether a name is a pronoun, or what models write where there is none; ``IT`` and ``US`` are names."""
    return normalise_name(name) in _NO_NAMES and not (len(name.strip()) > 1 and name.isupper())


def has_items(data: Any) -> bool:
    """Tell whether a reply names anything.

    Raises:
        ValueError: It is no reply to what was asked, or none of its items can be used.
    """
    entities, relations = _lists(data)
    if not entities and not relations:
        return False
    notes: list[str] = []
    named = _read(entities, "entity", lambda item: _entity(item, "", notes), notes)
    stated = _read(relations, "relation", lambda item: _relation(item, "", notes), notes)
    if next(named, None) is None and next(stated, None) is None:  # the first that can be used is enough
        count = len(entities) + len(relations)
        msg = f"none of its {count} items can be used; the first: {notes[0]}"
        raise ValueError(msg)
    return True


def shown(value: object) -> str:
    """Write an item in one line, for a note."""
    text = collapse_spaces(str(value))
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}… ({len(text):,} characters)"


def _lists(data: Any) -> tuple[list[Any], list[Any]]:
    if isinstance(data, list):  # a bare list of items, of either kind
        data = {
            "entities": [d for d in data if not _is_relation(d)],
            "relations": [d for d in data if _is_relation(d)],
        }
    if not isinstance(data, Mapping):
        msg = f"it is no JSON object but a {type(data).__name__}"
        raise ValueError(msg)
    given = _lowered(data)
    found = [next((given[k] for k in keys if k in given), None) for keys in (_ENTITIES, _RELATIONS)]
    if not any(k in given for k in (*_ENTITIES, *_RELATIONS)):
        keys = ", ".join(map(str, list(data)[:5])) or "none"
        msg = f"it has neither entities nor relations; its keys: {shown(keys)}"
        raise ValueError(msg)
    found = [_by_name(part) if isinstance(part, Mapping) else part for part in found]
    for part in found:
        if part is not None and not isinstance(part, list):
            msg = f"its entities or relations are no list but a {type(part).__name__}"
            raise ValueError(msg)
    entities, relations = found[0] or [], found[1] or []
    if all(isinstance(item, str) for item in entities):  # names alone
        entities = [{"name": name} for name in entities]
    return entities, relations


def _lowered(item: Mapping[Any, Any]) -> Mapping[str, Any]:
    """Give an object whose names of fields are in small letters, as some models forget to write them."""
    if all(isinstance(key, str) and key.islower() for key in item):
        return item
    return {str(key).strip().lower().replace(" ", "_"): value for key, value in item.items()}


def _by_name(part: Mapping[Any, Any]) -> Any:
    """Make a list of an object that has entities under their names."""
    if all(isinstance(value, Mapping) for value in part.values()):
        return [{"name": name, **value} for name, value in part.items()]
    return part


def _is_relation(item: Any) -> bool:
    return isinstance(item, Mapping) and any(key in _lowered(item) for key in ("subject", "source", "head"))


def _read(items: list[Any], kind: str, make: Callable[[Mapping[str, Any]], _Item], notes: list[str]) -> Iterator[_Item]:
    for item in items:
        try:
            if not isinstance(item, Mapping):
                msg = f"a {type(item).__name__} is no {kind}"
                raise _Unusable(msg)
            yield make(_lowered(item))
        except _Unusable as error:
            notes.append(f"bad_{kind}: {error}: {shown(item)}")


def _entity(item: Mapping[str, Any], origin: str, notes: list[str]) -> NamedEntity:
    name = _text(item, _NAME)
    if not name:
        msg = "it has no name"
        raise _Unusable(msg)
    if is_no_name(name):
        msg = "a pronoun names nothing"
        raise _Unusable(msg)
    if len(name) > _MAX_NAME:
        msg = f"its name is longer than {_MAX_NAME} characters"
        raise _Unusable(msg)
    return NamedEntity(
        name,
        _text(item, _TYPE) or "",
        _text(item, ("translation",)),
        _text(item, ("description",)),
        _attributes(item.get("attributes")),
        _text(item, _QUOTE),
        _confidence(item, name, notes),
        origin,
    )


def _relation(item: Mapping[str, Any], origin: str, notes: list[str]) -> StatedRelation:
    subject, predicate, object_ = (_text(item, keys) or "" for keys in (_SUBJECT, _PREDICATE, _OBJECT))
    said = f"{subject} {predicate} {object_}"
    polarity = _text(item, ("polarity",))
    known = _POLARITY.get(polarity.casefold()) if polarity else "positive"
    if known is None:
        msg = f"polarity {polarity!r} is not known"
        raise _Unusable(msg)
    if max(len(subject), len(object_), len(predicate)) > _MAX_NAME:
        msg = f"an end or the predicate is longer than {_MAX_NAME} characters"
        raise _Unusable(msg)
    return StatedRelation(
        subject, predicate, object_, known, _text(item, _QUOTE), _confidence(item, said, notes), origin
    )


def _text(item: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    value = next((item[key] for key in keys if item.get(key) is not None), None)
    if value is None or isinstance(value, (list, Mapping)):
        return None
    return clean(str(value)) or None


def clean(text: str) -> str:
    """Strip a text, and replace half characters (lone surrogates), which no table holds."""
    return text.strip().encode("utf-8", "replace").decode("utf-8")


def _attributes(value: Any) -> dict[str, str]:
    """Read attributes from a list of keys and values, or from a mapping."""
    pairs: list[tuple[Any, Any]] = []
    if isinstance(value, Mapping):
        pairs = list(value.items())
    elif isinstance(value, list):
        keys = ("key", "name"), ("value",)
        pairs = [(_text(v, keys[0]), _text(v, keys[1])) for v in value if isinstance(v, Mapping)]
    found: dict[str, str] = {}
    for key, inner in pairs:
        texts = [clean(str(v)) for v in (inner if isinstance(inner, list) else [inner]) if v is not None]
        if key and any(texts):
            found[clean(str(key))] = "; ".join(filter(None, texts))
    return found


def _confidence(item: Mapping[str, Any], said: str, notes: list[str]) -> float | None:
    """Read a confidence as it is; one that is no number from 0 to 1 is none, and noted."""
    value = item.get("confidence")
    if value is None:
        return None
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if 0 <= number <= 1:
        return number
    notes.append(f"bad_confidence: {shown(value)} is no number from 0 to 1: {shown(said)}")
    return None
