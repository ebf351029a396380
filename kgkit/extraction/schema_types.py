"""What a schema is made of: kinds of things and kinds of relations, and how their names are compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kgkit.text import collapse_spaces, normalise_name

__all__ = ["EntityType", "Problem", "RelationType", "entity_type_name", "relation_type_name", "settle", "type_key"]

Path = tuple[str, ...]
Problem = tuple[Path, str]
"""Where something is wrong in a schema (``("relation_types", "WROTE", "subjects")``), and what."""

_JOINTS = re.compile(r"[\s_\-‐-―/]+")


@dataclass(frozen=True, kw_only=True)
class EntityType:
    """One kind of thing; ``aliases`` are other names of the kind, such as ``company`` of ORGANISATION."""

    name: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RelationType:
    """One kind of relation, from its ``subjects`` to its ``objects``: names of entity types, none meaning any.

    ``symmetric`` relations hold in both directions at once; ``review`` marks those that a person must look at.
    """

    name: str
    description: str = ""
    subjects: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    symmetric: bool = False
    review: bool = False
    aliases: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()

    def allows(self, subject: str | None, object_: str | None) -> bool:
        """Tell whether entities of these types may be the ends, in this order; ``None`` is not held against it."""
        ends = ((subject, self.subjects), (object_, self.objects))
        return all(kind is None or not allowed or kind in allowed for kind, allowed in ends)


def type_key(name: str) -> str:
    """Give the form under which names of types are equal: case, blanks, hyphens and underscores do not count.

    Examples:
        >>> type_key("Works-At ") == type_key("works_at")
        True
    """
    return "".join(c for c in normalise_name(name) if unicodedata.category(c)[0] not in "PZC")


def entity_type_name(name: str) -> str:
    """Write the name of an entity type as in the tables: ``"legal person"`` becomes ``LEGAL_PERSON``."""
    return relation_type_name(name).upper()


def relation_type_name(name: str) -> str:
    """Write the name of a relation type as in the tables: as it is, with underscores for blanks and hyphens."""
    return _JOINTS.sub("_", unicodedata.normalize("NFKC", collapse_spaces(name))).strip("_")


def settle(
    kinds: Sequence[EntityType], relations: Sequence[RelationType]
) -> tuple[tuple[EntityType, ...], tuple[RelationType, ...], list[Problem]]:
    """Bring all names to their written form, look the ends of relations up, and say what is wrong."""
    kinds = tuple(replace(k, name=entity_type_name(k.name), **_tidy(k)) for k in kinds)
    relations = tuple(replace(r, name=relation_type_name(r.name), **_tidy(r)) for r in relations)
    problems = [*_clashes("entity_types", kinds), *_clashes("relation_types", relations)]
    known = _by_key(kinds)
    relations = tuple(_with_ends(relation, known, problems) for relation in relations)
    problems += [
        (("relation_types", r.name, "symmetric"), "a symmetric relation has the same subjects and objects")
        for r in relations
        if r.symmetric and set(r.subjects) != set(r.objects)
    ]
    return kinds, relations, problems


def _tidy(kind: EntityType | RelationType) -> dict[str, Any]:
    return {name: _once(getattr(kind, name)) for name in ("aliases", "examples")}


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _by_key(kinds: Iterable[EntityType]) -> Mapping[str, str]:
    return {type_key(word): kind.name for kind in kinds for word in (*kind.aliases, kind.name)}


def _clashes(part: str, kinds: Sequence[EntityType | RelationType]) -> list[Problem]:
    """Find names that mean nothing, or more than one type."""
    problems: list[Problem] = []
    seen: dict[str, int] = {}
    words: list[tuple[int, Path, str]] = [(i, (part, kind.name), kind.name) for i, kind in enumerate(kinds)]
    words += [(i, (part, kind.name, "aliases"), word) for i, kind in enumerate(kinds) for word in kind.aliases]
    for i, path, word in words:
        key = type_key(word)
        if not key:
            problems.append((path, f"{word!r} is no name: it has no letter or digit"))
        elif seen.setdefault(key, i) != i:
            problems.append((path, f"{word!r} is also a name of {kinds[seen[key]].name}; a name means one type only"))
    return problems


def _with_ends(relation: RelationType, known: Mapping[str, str], problems: list[Problem]) -> RelationType:
    ends: dict[str, Any] = {}
    for field in ("subjects", "objects"):
        found = []
        for word in getattr(relation, field):
            name = known.get(type_key(word))
            if name is None:
                where = ("relation_types", relation.name, field)
                problems.append((where, f"{word!r} is no entity type of this schema.{_meant(word, known)}"))
            else:
                found.append(name)
        ends[field] = _once(found)
    return replace(relation, **ends)


def _meant(word: str, known: Mapping[str, str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(type_key(word), known, n=1)
    if near:
        return f" Did you mean {known[near[0]]}?"
    return f" There are: {', '.join(dict.fromkeys(known.values())) or 'none'}."
