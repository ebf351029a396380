"""Schemas: which kinds of things and relations a language model looks for, and what is held against it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgkit.errors import InputError, OptionError
from kgkit.extraction.schema_types import (
    EntityType,
    RelationType,
    entity_type_name,
    relation_type_name,
    settle,
    type_key,
)

if TYPE_CHECKING:
    import polars as pl

__all__ = ["STARTERS", "EntityType", "RelationType", "Schema"]

STARTERS = ("general", "academic", "investigations", "bookmarks")


@dataclass(frozen=True, kw_only=True)
class Schema:
    """Kinds of things and relations to look for; never changed: each edit gives a new one.

    Names of types are compared without regard to case, blanks, hyphens and underscores. Entity types are written in
    capitals, as in the tables.

    Args:
        name: What it is called.
        description: What it is for.
        entity_types: The kinds of things.
        relation_types: The kinds of relations. None, with ``closed_relation_types``, asks for entities only.
        closed_entity_types: Whether other kinds of things are refused: such an entity is kept without a type.
        closed_relation_types: Whether other relations are refused: such a relation is reported and left out.

    Raises:
        InputError: Two types share a name, or a relation has an end that is no entity type.

    Examples:
        >>> schema = Schema.starter("general").drop("EVENT")
        >>> schema = schema.add_relation_type("repaired", subjects=["company"], objects=["PRODUCT"])
        >>> schema.relation_type("Repaired").subjects
        ('ORGANISATION',)
    """

    name: str = ""
    description: str = ""
    entity_types: tuple[EntityType, ...] = ()
    relation_types: tuple[RelationType, ...] = ()
    closed_entity_types: bool = True
    closed_relation_types: bool = True

    def __post_init__(self) -> None:
        kinds, relations, problems = settle(self.entity_types, self.relation_types)
        if self.closed_entity_types and not kinds:
            problems.append((("entity_types",), "a closed schema needs at least one entity type"))
        if problems:
            listed = "; ".join(f"{'.'.join(path)}: {what}" for path, what in problems)
            msg = f"The schema cannot be used. {listed}"
            raise InputError(msg)
        object.__setattr__(self, "entity_types", kinds)
        object.__setattr__(self, "relation_types", relations)

    @classmethod
    def starter(cls, name: str) -> Schema:
        """Give one of the schemas that come with kgkit: general, academic, investigations, bookmarks.

        Raises:
            OptionError: There is none of that name.
        """
        if name not in STARTERS:
            raise OptionError.not_one_of("name", name, STARTERS)
        return cls.from_yaml(Path(__file__).parent / "schemas" / f"{name}.yaml")

    @classmethod
    def from_yaml(cls, source: str | os.PathLike[str]) -> Schema:
        """Read a schema from a YAML file, or from YAML text (what has a line break in it).

        Raises:
            InputError: The text is no schema; the message names each place by line and field.
        """
        from kgkit.extraction.schema_yaml import read_schema

        return read_schema(source)

    def to_yaml(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the schema as YAML, into a file if a path is given; ``from_yaml`` gives the same schema again."""
        from kgkit.extraction.schema_yaml import write_schema

        text = write_schema(self)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8", newline="\n")
        return text

    @classmethod
    def of(cls, value: Any) -> Schema:
        """Take a schema, a result that has one, a YAML file, or the name of a starter.

        Raises:
            InputError: It is none of these.
        """
        held = getattr(value, "schema", value)
        if isinstance(held, cls):
            return held
        if isinstance(held, str) and held in STARTERS:
            return cls.starter(held)
        if isinstance(held, (str, os.PathLike)):
            return cls.from_yaml(held)
        msg = (
            f"schema={value!r} is no schema. Give a kg.Schema, the result of kg.discover_schema, the path of a YAML "
            f"file, or one of {', '.join(map(repr, STARTERS))}."
        )
        raise InputError(msg)

    def entity_type(self, name: str) -> EntityType | None:
        """Look an entity type up by its name or an alias, in any spelling."""
        return self._entity_types_by_key.get(type_key(name))

    def relation_type(self, name: str) -> RelationType | None:
        """Look a relation type up by its name or an alias, in any spelling."""
        return self._relation_types_by_key.get(type_key(name))

    @property
    def review_required(self) -> tuple[str, ...]:
        """Names of the relations that a person must look at before they count."""
        return tuple(r.name for r in self.relation_types if r.review)

    def add_entity_type(
        self, name: str, *, description: str = "", aliases: Iterable[str] = (), examples: Iterable[str] = ()
    ) -> Schema:
        """Add an entity type, or replace the one of that name."""
        made = EntityType(name=name, description=description, aliases=tuple(aliases), examples=tuple(examples))
        kept = tuple(k for k in self.entity_types if k.name != entity_type_name(name))
        return replace(self, entity_types=(*kept, made))

    def add_relation_type(
        self,
        name: str,
        *,
        description: str = "",
        subjects: Iterable[str] = (),
        objects: Iterable[str] = (),
        symmetric: bool = False,
        review: bool = False,
        aliases: Iterable[str] = (),
        examples: Iterable[str] = (),
    ) -> Schema:
        """Add a relation type, or replace the one of that name; ``subjects`` and ``objects`` left out mean any."""
        made = RelationType(
            name=name,
            description=description,
            subjects=tuple(subjects),
            objects=tuple(objects),
            symmetric=symmetric,
            review=review,
            aliases=tuple(aliases),
            examples=tuple(examples),
        )
        kept = tuple(r for r in self.relation_types if r.name != relation_type_name(name))
        return replace(self, relation_types=(*kept, made))

    def drop(self, *names: str) -> Schema:
        """Leave types out, by name or alias; relations that are left without any subject or object go too.

        Raises:
            InputError: There is no type of that name.
        """
        kinds, relations = list(self.entity_types), list(self.relation_types)
        for name in names:
            kind, relation = self.entity_type(name), self.relation_type(name)
            if kind is None and relation is None:
                msg = f"There is no type {name!r} to drop. There are: {', '.join(self._names())}."
                raise InputError(msg)
            kinds = [k for k in kinds if k is not kind]
            relations = [r for r in relations if r is not relation]
        left = {k.name for k in kinds}
        narrowed = [_narrowed(r, left) for r in relations]
        return replace(self, entity_types=tuple(kinds), relation_types=tuple(r for r in narrowed if r is not None))

    def to_dict(self) -> dict[str, Any]:
        """Write the schema as plain lists, texts and flags, such as JSON holds."""
        return asdict(self)

    def frame(self) -> pl.DataFrame:
        """Show the types as a ``schema_types`` frame, one row each."""
        from kgkit import tables

        rows = [{"kind": "entity", **_row(k)} for k in self.entity_types]
        rows += [{"kind": "relation", **_row(r)} for r in self.relation_types]
        return tables.from_rows("schema_types", rows)

    @cached_property
    def _entity_types_by_key(self) -> dict[str, EntityType]:
        return {type_key(word): k for k in self.entity_types for word in (*k.aliases, k.name)}

    @cached_property
    def _relation_types_by_key(self) -> dict[str, RelationType]:
        return {type_key(word): r for r in self.relation_types for word in (*r.aliases, r.name)}

    def _names(self) -> list[str]:
        return [k.name for k in self.entity_types] + [r.name for r in self.relation_types]

    def _repr_html_(self) -> str:
        from kgkit.display import frame_html

        frame = self.frame()
        shown = frame.select(c for c in frame.columns if frame[c].null_count() < frame.height)
        parts = [escape(f"{len(self.entity_types)} entity types ({_flag(self.closed_entity_types)}), ")]
        parts += [escape(f"{len(self.relation_types)} relation types ({_flag(self.closed_relation_types)})")]
        return f"<div><b>{escape(self.name or 'schema')}</b>: {''.join(parts)}</div>{frame_html(shown, rows=50)}"


def _flag(closed: bool) -> str:
    return "closed" if closed else "open"


def _narrowed(relation: RelationType, left: set[str]) -> RelationType | None:
    ends: dict[str, Any] = {}
    for end in ("subjects", "objects"):
        allowed = getattr(relation, end)
        ends[end] = tuple(kind for kind in allowed if kind in left)
        if allowed and not ends[end]:
            return None
    return replace(relation, **ends)


def _row(kind: EntityType | RelationType) -> dict[str, Any]:
    row: dict[str, Any] = asdict(kind)
    row["description"] = row["description"] or None
    return {name: list(value) if isinstance(value, tuple) else value for name, value in row.items()}
