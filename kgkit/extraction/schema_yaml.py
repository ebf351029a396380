"""Schemas as YAML: read with every mistake named by line and field, written so that reading gives the same again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kgkit.errors import InputError
from kgkit.extraction.schema_types import EntityType, RelationType, settle, type_key

if TYPE_CHECKING:
    from kgkit.extraction.schema import Schema

__all__ = ["read_schema", "write_schema"]

_Kind = TypeVar("_Kind", EntityType, RelationType)
_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_BREAKS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_LISTS = ("aliases", "examples", "subjects", "objects")
_FLAGS = ("symmetric", "review", "closed_entity_types", "closed_relation_types")


def read_schema(source: str | os.PathLike[str]) -> Schema:
    """Read a schema from a file's path or from YAML text; see `Schema.from_yaml`."""
    if isinstance(source, str) and "\n" in source:
        return _Reader("the schema").read(source)
    path = Path(source)
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        msg = f"The schema {os.fspath(source)!r} cannot be read: {error}. Give a YAML file or a starter's name."
        raise InputError(msg) from error
    return _Reader(path.name).read(text)


def write_schema(schema: Schema) -> str:
    """Write a schema as YAML text."""
    import yaml

    plain: dict[str, Any] = {"name": schema.name, "description": schema.description}
    plain["closed_entity_types"] = schema.closed_entity_types
    plain["closed_relation_types"] = schema.closed_relation_types
    plain["entity_types"] = {k.name: _filled(k) for k in schema.entity_types}
    plain["relation_types"] = {r.name: _filled(r) for r in schema.relation_types}

    class Dumper(yaml.SafeDumper):  # type: ignore[misc]
        """Quotes texts with line breaks of any kind, which would not come back as they are."""

        def represent_str(self, data: str) -> Any:
            style = '"' if _BREAKS.intersection(data) else None
            return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)

    Dumper.add_representer(str, Dumper.represent_str)
    options: dict[str, Any] = {"allow_unicode": True, "sort_keys": False, "width": 100, "default_flow_style": None}
    return str(yaml.dump(plain, Dumper=Dumper, **options))


def _filled(kind: EntityType | RelationType) -> dict[str, Any] | None:
    values = {f.name: getattr(kind, f.name) for f in fields(kind) if f.name != "name"}
    return {k: list(v) if isinstance(v, tuple) else v for k, v in values.items() if v} or None


class _Reader:
    """Reads one YAML text and collects all that is wrong with it."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._problems: list[str] = []
        self._lines: dict[tuple[str, ...], int] = {}

    def read(self, text: str) -> Schema:
        from kgkit.extraction.schema import Schema

        root = self._compose(text)
        top = self._mapping(root, ()) if root is not None else {}
        known = [f.name for f in fields(Schema)]
        self._refuse_unknown(top, known, ())
        flags: dict[str, Any] = {name: self._flag(top[name], (name,)) for name in _FLAGS if name in top}
        texts: dict[str, Any] = {
            name: self._text(top[name], (name,)) for name in ("name", "description") if name in top
        }
        kinds = self._kinds(top.get("entity_types"), "entity_types", EntityType)
        relations = self._kinds(top.get("relation_types"), "relation_types", RelationType)
        self._raise()
        _, _, wrong = settle(kinds, relations)
        for path, what in wrong:
            self._add(path, what)
        if flags.get("closed_entity_types", True) and not kinds:
            self._add(("entity_types",), "a closed schema needs at least one entity type")
        self._raise()
        return Schema(entity_types=tuple(kinds), relation_types=tuple(relations), **texts, **flags)

    def _compose(self, text: str) -> Any:
        import yaml

        try:
            return yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = f", line {mark.line + 1}" if mark else ""
            what = getattr(error, "problem", None) or str(error)
            msg = f"{self._source}{line}: this is not YAML: {what}."
            raise InputError(msg) from error

    def _kinds(self, node: Any, part: str, kind: Callable[..., _Kind]) -> list[_Kind]:
        """Read the types: a mapping from names to what is said of each, or a list of names."""
        if node is None or _is_null(node):
            return []
        if _is(node, "sequence"):
            named = {name: None for name in self._texts(node, (part,))}
        else:
            named = self._mapping(node, (part,))
        allowed = [f.name for f in fields(kind) if f.name != "name"]  # type: ignore[arg-type]
        return [kind(name=name, **self._kind(inner, (part, name), allowed)) for name, inner in named.items()]

    def _kind(self, node: Any, path: tuple[str, ...], allowed: list[str]) -> dict[str, Any]:
        if node is None or _is_null(node):
            return {}
        if _is(node, "scalar"):
            return {"description": node.value}
        found = self._mapping(node, path)
        self._refuse_unknown(found, allowed, path)
        return {name: self._value(name, inner, (*path, name)) for name, inner in found.items() if name in allowed}

    def _value(self, name: str, node: Any, path: tuple[str, ...]) -> Any:
        if name in _LISTS:
            return tuple(self._texts(node, path))
        return self._flag(node, path) if name in _FLAGS else self._text(node, path)

    def _mapping(self, node: Any, path: tuple[str, ...]) -> dict[str, Any]:
        if not _is(node, "mapping"):
            self._add(path, f"names with values are expected here, not {_called(node)}", node)
            return {}
        found: dict[str, Any] = {}
        for key, value in node.value:
            if not _is(key, "scalar"):
                self._add(path, "a name is expected here", key)
                continue
            if key.value in found:
                self._add(path, f"{key.value!r} is here twice", key)
            found[key.value] = value
            self._lines[(*path, key.value)] = key.start_mark.line + 1
        return found

    def _texts(self, node: Any, path: tuple[str, ...]) -> list[str]:
        if _is_null(node):
            return []
        if _is(node, "scalar"):
            return [node.value]
        if not _is(node, "sequence"):
            self._add(path, f"a list is expected here, not {_called(node)}", node)
            return []
        return [self._text(inner, path) for inner in node.value if not _is_null(inner)]

    def _text(self, node: Any, path: tuple[str, ...]) -> str:
        if not _is(node, "scalar"):
            self._add(path, f"a text is expected here, not {_called(node)}", node)
            return ""
        return "" if _is_null(node) else str(node.value)

    def _flag(self, node: Any, path: tuple[str, ...]) -> bool:
        value = _TRUTH.get(str(node.value).casefold()) if _is(node, "scalar") else None
        if value is None:
            self._add(path, "true or false is expected here", node)
        return bool(value)

    def _refuse_unknown(self, found: Mapping[str, Any], allowed: list[str], path: tuple[str, ...]) -> None:
        for name in found:
            if name not in allowed:
                near = get_close_matches(name, allowed, n=1)
                hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(allowed)}."
                self._add((*path, name), f"there is no such field. {hint}")

    def _add(self, path: tuple[str, ...], what: str, node: Any = None) -> None:
        line = node.start_mark.line + 1 if node is not None else next(self._known_lines(path), None)
        place = f"line {line}" if line else "the text"
        self._problems.append(f"{place}{', ' if path else ''}{'.'.join(path)}: {what}")

    def _known_lines(self, path: tuple[str, ...]) -> Iterator[int]:
        written = {tuple(map(type_key, known)): line for known, line in self._lines.items()}
        for end in range(len(path), 0, -1):
            line = written.get(tuple(map(type_key, path[:end])))
            if line:
                yield line

    def _raise(self) -> None:
        if self._problems:
            msg = f"{self._source} is no usable schema:\n" + "\n".join(f"- {p}" for p in self._problems)
            raise InputError(msg)


def _is(node: Any, kind: str) -> bool:
    return str(getattr(node, "id", "")) == kind


def _is_null(node: Any) -> bool:
    return _is(node, "scalar") and node.tag == "tag:yaml.org,2002:null"


def _called(node: Any) -> str:
    return {"scalar": "a single value", "sequence": "a list", "mapping": "names with values"}.get(
        str(getattr(node, "id", "")), "nothing"
    )
