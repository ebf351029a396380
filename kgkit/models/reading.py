"""Read the JSON that a model wrote: in a code fence, with talk around it, damaged, or cut off."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import unescape
from typing import Any, NamedTuple

from kgkit.models.shaping import fits, joined, shaped

__all__ = ["Read", "read_json", "without_halves"]

_FENCE = re.compile(r"(`{3,}|~{3,})[\w-]*[ \t]*\r?\n(.*?)(?:\n[ \t]*\1|\Z)", re.DOTALL)
_STARTS = re.compile(r"[{\[]")
_JSON_LIKE = re.compile(r"[{\[]\s*([\"'{\[\]}]|\w+\s*:)")  # unlike braces in prose
_MARKS = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],]', re.DOTALL)
_BETWEEN = " \t\r\n,;"
_MOST_STARTS = 200  # places where JSON may begin that are tried: each try may read far


@dataclass(frozen=True)
class Read:
    """JSON read from a reply: ``found`` tells whether there was any, ``whole`` whether all of it came.

    ``several`` says that it held more than one answer, with words between: the last that says something counts.
    """

    data: Any = None
    found: bool = False
    strict: bool = False
    whole: bool = True
    repaired: bool = False
    several: bool = False


class _Value(NamedTuple):
    """A JSON value in a text, and where it stands."""

    data: Any
    start: int
    end: int


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
        plain = _unescaped(text)
        return _search(text, schema) if plain == text else replace(_read(plain, schema), strict=False, repaired=True)
    data = _with_all_lists(text, data, schema)
    new = shaped(data, schema)
    found = new in ({}, []) or fits(new, schema)
    return Read(new, found=found, strict=new is data and found, repaired=new is not data)


def _unescaped(text: str) -> str:
    """Undo what makes JSON part of another text: signs written for a page, or quotes behind backslashes."""
    if '"' in text.replace('\\"', ""):
        return text
    return text.replace('\\"', '"') if '"' in text else unescape(text)


def _search(text: str, schema: Mapping[str, Any] | None) -> Read:
    parts = ["\n".join(m[2] for m in _FENCE.finditer(text)), text]
    broken = ""
    for part in filter(None, parts):
        values, rest = _values(part)
        shapes = [shaped(v.data, schema) for v in values]
        good = [i for i, v in enumerate(shapes) if v and fits(v, schema) and (isinstance(v, dict) or not i)]
        if good and not (rest and part[values[-1].end :].lstrip(_BETWEEN).startswith(rest[:1])):
            return _chosen(part, [values[i] for i in good], [shapes[i] for i in good])
        if good and rest:
            return _with_rest([s for s in shapes if isinstance(s, dict)], _mend(rest, schema))
        broken = broken or rest
    return _mend(broken, schema) if broken else Read()


def _with_rest(shapes: list[dict[str, Any]], rest: Read) -> Read:
    """Put what was whole together with what could be read of an answer behind it that breaks off."""
    more = [rest.data] if rest.found and isinstance(rest.data, dict) else []
    return Read(joined([*shapes, *more]), found=True, whole=bool(more) and rest.whole, repaired=True)


def _chosen(text: str, values: list[_Value], shapes: list[Any]) -> Read:
    """Put together answers that follow each other at once; of others take the last that says something."""
    between = [text[a.end : b.start] for a, b in itertools.pairwise(values)]
    repaired = any(new is not v.data for new, v in zip(shapes, values, strict=True))
    if all(not part.strip(_BETWEEN) for part in between) and all(isinstance(s, dict) for s in shapes):
        return Read(joined(shapes) if between else shapes[0], found=True, repaired=repaired or bool(between))
    full = [s for s in shapes if any(s.values() if isinstance(s, dict) else s)]
    return Read((full or shapes)[-1], found=True, repaired=repaired, several=len(full) > 1)


def _with_all_lists(text: str, data: Any, schema: Mapping[str, Any] | None) -> Any:
    """Read again an object that has one of its lists twice: each counts."""
    names = [n for n in (schema or {}).get("properties") or () if isinstance(data, dict) and n in data]
    if not any(len(re.findall(rf'"{re.escape(n)}"\s*:\s*\[', text)) > 1 for n in names if isinstance(data[n], list)):
        return data
    pairs = json.loads(text, parse_constant=lambda _: None, object_pairs_hook=lambda p: joined({k: v} for k, v in p))
    return pairs


def _loads(text: str) -> Any:
    return json.loads(text, parse_constant=lambda _: None)


def _values(text: str) -> tuple[list[_Value], str]:
    """Give the JSON values in a text, and the rest from where one begins that cannot be read."""
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    found: list[_Value] = []
    at = 0
    for _ in range(_MOST_STARTS):
        start = _STARTS.search(text, at)
        if start is None:
            break
        try:
            value, at = decoder.raw_decode(text, start.start())
            found.append(_Value(value, start.start(), at))
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
        if fits(data, schema):
            whole = whole and isinstance(data, dict) and _wanted(schema) <= data.keys()
            return Read(shaped(data, schema), found=True, whole=whole, repaired=True)
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
        data = next((v for v in data if fits(v, schema) and isinstance(v, dict)), data)
    return Read(shaped(data, schema), found=True, repaired=True) if fits(data, schema) else Read()


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


def _wanted(schema: Mapping[str, Any] | None) -> set[str]:
    """Names that a whole reply has: the required ones, or all where none is required."""
    return set((schema or {}).get("required") or (schema or {}).get("properties") or ())
