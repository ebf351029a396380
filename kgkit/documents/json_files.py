"""JSON and JSON lines: lists of objects are records, bookmark exports are recognised, the rest is one document."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from kgkit.documents.bookmarks import bookmark_documents, strip_script
from kgkit.documents.encoding import Decoded, decode
from kgkit.documents.kinds import suffix_of
from kgkit.documents.parsed import Parsed, ReadOptions
from kgkit.documents.records import record_documents, scalar
from kgkit.errors import ReadError

__all__ = ["read"]

_TYPED = re.compile('"\ufdd0([^"]*)\ufdd1"')


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read a JSON or JSON lines file."""
    decoded = decode(data)
    text = strip_script(decoded.text).strip()
    if not text:
        raise ReadError("no_text", "There is no text in it, only blanks.")
    lines = suffix_of(name) in (".jsonl", ".ndjson")
    notes: tuple[str, ...] = decoded.notes
    if lines:
        value, bad = _lines(text)
        notes = (*notes, *bad)
    else:
        value = _whole(text, name)
    if value is None:
        raise ReadError("no_text", "The file holds null.")
    media_type = "application/jsonl" if lines else "application/json"
    if options.records == "rows":
        found = bookmark_documents(value, decoded.metadata, notes) or _records(value, media_type, decoded, notes)
        if found:
            return found
        if isinstance(value, (list, dict)) and not value:
            raise ReadError("no_records", "The file holds an empty list or object.")
    pretty = text if lines else value if isinstance(value, str) else _pretty(text, value)
    title = value.get("title") if isinstance(value, dict) else None
    metadata: dict[str, Any] = dict(decoded.metadata)
    return [Parsed(pretty, media_type, title=title if isinstance(title, str) else None, metadata=metadata, notes=notes)]


def _whole(text: str, name: str) -> Any:
    try:
        return _load(text)
    except json.JSONDecodeError as error:
        value, bad = _lines(text)  # JSON lines under the wrong name
        if len(value) > 1 and not bad:
            return value
        if suffix_of(name) in ("", ".js"):
            raise ReadError(
                "corrupt", "The file looks like JSON and is not; rename it .txt to read it as text."
            ) from error
        raise ReadError("corrupt", f"The JSON is broken: {error.msg} in line {error.lineno}.") from error


def _lines(text: str) -> tuple[list[Any], tuple[str, ...]]:
    values: list[Any] = []
    bad: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            values.append(_load(line))
        except json.JSONDecodeError:
            bad.append(number)
            values.append(_Broken(number))
    if bad and len(bad) == len(values):
        raise ReadError("corrupt", "No line of the file is valid JSON.")
    return values, tuple(
        f"broken_lines: {len(bad)} of {len(values)} are no JSON, the first is line {bad[0]}" for _ in bad[:1]
    )


class _Broken:
    """A line of a JSON lines file that is no JSON."""

    def __init__(self, number: int) -> None:
        self.number = number


def _load(text: str, inexact: Callable[[str], Any] = str) -> Any:
    """Load JSON; numbers that would come back otherwise than typed (``1e5``, ``1.10``) go through ``inexact``."""

    def number(typed: str) -> Any:
        value = float(typed)
        return value if repr(value) == typed else inexact(typed)

    try:
        return json.loads(text, parse_constant=str, parse_float=number, object_pairs_hook=_object)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a whole number with thousands of digits, which Python refuses to convert: keep it as text
        return json.loads(text, parse_constant=str, parse_float=number, parse_int=inexact, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; a name that comes again gets a number, as a table's columns do."""
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    found, counts = {}, Counter[str]()
    for name, value in pairs:
        counts[name] += 1
        found[name if counts[name] == 1 else f"{name} ({counts[name]})"] = value
    return found


def _pretty(text: str, value: Any) -> str:
    """Lay JSON out, with its numbers as typed."""
    with suppress(json.JSONDecodeError):  # JSON lines under the wrong name
        value = _load(text, "\ufdd0{}\ufdd1".format)  # no characters of any text: they mark what needs no quotes
    return _TYPED.sub(r"\1", json.dumps(value, ensure_ascii=False, indent=2))


def _records(value: Any, media_type: str, decoded: Decoded, notes: tuple[str, ...]) -> list[Parsed]:
    if not isinstance(value, list) or not value:
        value = _only_list(value)
    if not value or not isinstance(value, list) or not any(isinstance(v, dict) for v in value):
        return []
    records = [v if isinstance(v, dict) else {} for v in value]
    found = record_documents(records, media_type, shared=decoded.metadata, notes=notes)
    out = []
    for parsed, item in zip(found, value, strict=True):
        out.append(parsed if isinstance(item, dict) else _no_record(parsed, item))
    return out


def _no_record(parsed: Parsed, item: Any) -> Parsed:
    from dataclasses import replace

    if isinstance(item, _Broken):
        return replace(parsed, status="failed", reason="corrupt", detail=f"Line {item.number} is no valid JSON.")
    if item is None:
        return replace(parsed, status="empty", reason="empty_record", detail="The item is null.")
    if isinstance(item, str) and item.strip():
        return replace(
            parsed, text=item, status="ok", reason=None, detail=None, content=item.encode("utf-8", "replace")
        )
    return replace(parsed, status="skipped", reason="no_record", detail=f"The item is no object: {scalar(item)[:80]}")


def _only_list(value: Any) -> list[Any] | None:
    """Find the list of records that an export wraps: the one list of objects beside plain values."""
    if not isinstance(value, dict):
        return None
    lists = [v for v in value.values() if isinstance(v, list) and v and all(isinstance(i, dict) for i in v)]
    others = [v for v in value.values() if isinstance(v, (dict, list)) and v not in lists and v]
    return lists[0] if len(lists) == 1 and not others else None
