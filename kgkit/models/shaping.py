"""Bring the JSON of a reply into the form that was asked for, where that needs no guessing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["fits", "joined", "shaped"]

_JOINTS = re.compile(r"[\s_-]+")
_ASIDE = re.compile(r"think|thought|reason|draft|example|analysis|plan|schema", re.IGNORECASE)


def shaped(value: Any, schema: Mapping[str, Any] | None) -> Any:
    """Give a value the schema's form: the same object where nothing had to be changed.

    Names of fields may differ in case, blanks and hyphens; JSON may be written into a text; a list may stand where an
    object with one list was asked for, one object where a list was; and the answer may lie in one field of another
    object.

    Examples:
        >>> form = {"type": "object", "properties": {"names": {"type": "array"}}}
        >>> shaped({"result": {"Names": "[1, 2]"}}, form)
        {'names': [1, 2]}
    """
    if schema is None:
        return value
    value = _unpacked(value)
    if isinstance(value, list) and schema.get("type") == "object":
        return _of_list(value, schema)
    formed = _formed(value, schema)
    if isinstance(formed, dict) and not fits(formed, schema):
        inside = [shaped(v, schema) for k, v in formed.items() if not _ASIDE.search(str(k))]
        fitting = [v for v in inside if isinstance(v, dict) and fits(v, schema)]
        if len(fitting) == 1:
            return fitting[0]
    return formed


def fits(value: Any, schema: Mapping[str, Any] | None) -> bool:
    """Tell whether a value can be the answer."""
    if not isinstance(value, (dict, list)):
        return False
    if schema is None:
        return True
    kind, names = schema.get("type"), set(schema.get("properties") or ())
    if isinstance(value, dict):
        return kind in (None, "object") and (not names or bool(names & value.keys()))
    return kind == "array" or (bool(_lists(schema)) and all(isinstance(v, dict) for v in value))


def joined(values: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Make one object of several: their lists one after the other, of the rest the last.

    Examples:
        >>> joined([{"names": ["Ada"]}, {"names": ["Grace"]}])
        {'names': ['Ada', 'Grace']}
    """
    whole: dict[str, Any] = {}
    for value in values:
        for name, part in value.items():
            old = whole.get(name)
            whole[name] = [*old, *part] if isinstance(old, list) and isinstance(part, list) else part
    return whole


def _of_list(value: list[Any], schema: Mapping[str, Any]) -> Any:
    """Read a list where an object was asked for: answers in a list, or the items of its one list."""
    parts = [_formed(v, schema) for v in value]
    if parts and all(isinstance(p, dict) and fits(p, schema) for p in parts):
        return joined(parts)
    lists = _lists(schema)
    return _formed({lists[0]: value}, schema) if len(lists) == 1 else value


def _formed(value: Any, schema: Mapping[str, Any]) -> Any:
    value = _unpacked(value) if schema.get("type") in ("array", "object") else value
    properties, items = schema.get("properties"), schema.get("items")
    if isinstance(value, dict) and schema.get("type") == "array" and isinstance(items, Mapping):
        known = {_plain(name) for name in items.get("properties") or ()}
        value = [value] if known & {_plain(name) for name in value} else value
    if isinstance(value, dict) and properties:
        return _with_names(value, properties)
    if isinstance(value, list) and isinstance(items, Mapping):
        new = [_formed(v, items) for v in value]
        return value if all(a is b for a, b in zip(new, value, strict=True)) else new
    return value


def _with_names(value: dict[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    strange = any(name not in properties for name in value)
    known = {_plain(name): name for name in properties} if strange else {}
    new: dict[str, Any] = {}
    changed = False
    for name, part in value.items():
        meant = name if name in properties else known.get(_plain(name), name)
        meant = name if meant in value else meant
        formed = _formed(part, properties[meant]) if isinstance(properties.get(meant), Mapping) else part
        changed = changed or meant is not name or formed is not part
        new[meant] = formed
    return new if changed else value


def _plain(name: Any) -> str:
    return _JOINTS.sub("", str(name)).casefold()


def _unpacked(value: Any) -> Any:
    """Read JSON that is written into a text."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            inner = json.loads(value, parse_constant=lambda _: None)
        except (ValueError, RecursionError):
            return value
        return inner if isinstance(inner, (dict, list)) else value
    return value


def _lists(schema: Mapping[str, Any]) -> list[str]:
    properties = schema.get("properties") or {}
    return [name for name, part in properties.items() if isinstance(part, Mapping) and part.get("type") == "array"]
