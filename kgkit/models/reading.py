"""Read what a model wrote: JSON behind thinking, in a code fence, with talk around it, damaged, or cut off."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

__all__ = ["Read", "read_json", "without_halves", "without_thinking"]

_OPEN = re.compile(r"\s*<(think|thinking|reasoning|thought)>", re.IGNORECASE)
_CLOSE = re.compile(r"</(think|thinking|reasoning|thought)>", re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*[ \t]*\r?\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_STARTS = re.compile(r"[{\[]")
_JSON_LIKE = re.compile(r"[{\[]\s*([\"'{\[\]}]|\w+\s*:)")  # unlike braces in prose
_MARKS = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],]', re.DOTALL)
_MOST_STARTS = 200  # places where JSON may begin that are tried: each try may read far


@dataclass(frozen=True)
class Read:
    """JSON read from a reply: ``found`` tells whether there was any, ``whole`` whether all of it came."""

    data: Any = None
    found: bool = False
    strict: bool = False
    whole: bool = True
    repaired: bool = False


def without_thinking(text: str) -> str | None:
    """Take a model's thinking off the front of its reply; ``None`` when the thinking never ended.

    Examples:
        >>> without_thinking("<think>Maybe {}?</think> Yes.")
        'Yes.'
    """
    text = text.removeprefix("\ufeff").strip()
    while opened := _OPEN.match(text):
        closed = _CLOSE.search(text, opened.end())
        if closed is None:
            return None
        text = text[closed.end() :].strip()
    if not text.startswith(("{", "[", "```")):  # some templates open the thinking themselves
        ends = [m.end() for m in _CLOSE.finditer(text)]
        text = text[ends[-1] :].strip() if ends else text
    return text


def read_json(text: str, schema: Mapping[str, Any] | None = None) -> Read:
    """Find the JSON value that a reply holds.

    Args:
        text: The reply without thinking.
        schema: The schema it was asked for, to tell the answer from other braces.

    Returns:
        The value; ``strict`` when the reply was JSON and nothing else, ``repaired`` when it had to be mended, and
        not ``whole`` when it ends in the middle: then ``data`` holds the items before the cut.

    Examples:
        >>> read_json('Here you are: {"names": ["Ada"]}. Anything {else}?').data
        {'names': ['Ada']}
    """
    read = _read(text, schema)
    return replace(read, data=without_halves(read.data)) if "\\ud" in text.lower() else read


def without_halves(value: Any) -> Any:
    r"""Replace half characters (lone surrogates, written as escapes) in all texts of a JSON value: no frame takes them.

    Examples:
        >>> without_halves(["a\ud800b"])
        ['a?b']
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {without_halves(k): without_halves(v) for k, v in value.items()}
    return [without_halves(v) for v in value] if isinstance(value, list) else value


def _read(text: str, schema: Mapping[str, Any] | None) -> Read:
    try:
        data = _loads(text)
    except (ValueError, RecursionError):
        return _search(text, schema)
    shaped = _shaped(data, schema)
    found = data == {} or _fits(shaped, schema)
    return Read(shaped, found=found, strict=shaped is data and found, repaired=shaped is not data)


def _search(text: str, schema: Mapping[str, Any] | None) -> Read:
    parts = [m[1] for m in _FENCE.finditer(text)] + [text]
    broken = ""
    for part in parts:
        values, rest = _values(part)
        fitting = [v for v in values if _fits(v, schema)]
        if fitting:
            best = max(fitting, key=lambda v: len(json.dumps(v)))
            shaped = _shaped(best, schema)
            return Read(shaped, found=True, repaired=shaped is not best)
        broken = broken or rest
    return _mend(broken, schema) if broken else Read()


def _loads(text: str) -> Any:
    return json.loads(text, parse_constant=lambda _: None)


def _values(text: str) -> tuple[list[Any], str]:
    """Give the JSON values in a text, and the rest from where one begins that cannot be read."""
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    found, at = [], 0
    for _ in range(_MOST_STARTS):
        start = _STARTS.search(text, at)
        if start is None:
            break
        try:
            value, at = decoder.raw_decode(text, start.start())
            found.append(value)
        except (ValueError, RecursionError):
            if _JSON_LIKE.match(text, start.start()):
                return found, text[start.start() :]  # what is nested in it is no answer
            at = start.end()
    return found, ""


def _mend(text: str, schema: Mapping[str, Any] | None) -> Read:
    kept, closed, whole = _cut_back(text)
    if not closed:
        try:
            data = _loads(kept)
        except (ValueError, RecursionError):
            data = None
        if _fits(data, schema):
            whole = whole and isinstance(data, dict) and _wanted(schema) <= data.keys()
            return Read(_shaped(data, schema), found=True, whole=whole, repaired=True)
        if not text.rstrip("` \n").endswith(("}", "]")):
            return Read(whole=False)
    return _repaired(text, schema)


def _repaired(text: str, schema: Mapping[str, Any] | None) -> Read:
    import json_repair

    try:
        data = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return Read()
    if isinstance(data, list) and schema and schema.get("type") == "object":
        data = next((v for v in data if _fits(v, schema) and isinstance(v, dict)), data)
    return Read(_shaped(data, schema), found=True, repaired=True) if _fits(data, schema) else Read()


def _cut_back(text: str) -> tuple[str, bool, bool]:
    """Cut JSON that ends too early back to its last whole item, and close it.

    Returns:
        The closed text; whether the value had been closed anyway; whether the last bracket alone was missing. A list
        that is not closed may have had more items, so it never counts as whole.
    """
    stack: list[tuple[str, bool]] = []  # closing bracket, and whether the container is itself an item of a list
    safe, closers, end = 0, "", 0
    for mark in _MARKS.finditer(text):
        char, end = mark[0], mark.end()
        if char in "{[":
            stack.append(("}" if char == "{" else "]", bool(stack) and stack[-1][0] == "]"))
        elif char in "}]":
            if not stack or stack.pop()[0] != char:
                return text, True, True  # damaged, not cut
            if not stack:
                return text[:end], True, True
        elif char != ",":
            continue  # a text
        if not any(is_item for _, is_item in stack):
            safe = mark.start() if char == "," else end
            closers = "".join(bracket for bracket, _ in reversed(stack))
    return text[:safe] + closers, False, not text[safe:].strip() and closers == "}" and text[safe - 1] in "}]"


def _fits(value: Any, schema: Mapping[str, Any] | None) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    if schema is None:
        return True
    kind, names = schema.get("type"), set(schema.get("properties") or ())
    if isinstance(value, dict):
        return kind in (None, "object") and (not names or bool(names & value.keys()))
    return kind == "array" or (_only_list(schema) is not None and all(isinstance(v, (dict, str)) for v in value))


def _wanted(schema: Mapping[str, Any] | None) -> set[str]:
    """Names that a whole reply has: the required ones, or all where none is required."""
    return set((schema or {}).get("required") or (schema or {}).get("properties") or ())


def _shaped(value: Any, schema: Mapping[str, Any] | None) -> Any:
    """Put a bare list where the schema has an object with one list in it."""
    name = _only_list(schema) if isinstance(value, list) and schema and schema.get("type") == "object" else None
    return {name: value} if name else value


def _only_list(schema: Mapping[str, Any] | None) -> str | None:
    properties = (schema or {}).get("properties") or {}
    lists = [name for name, part in properties.items() if isinstance(part, Mapping) and part.get("type") == "array"]
    return lists[0] if len(lists) == 1 else None
