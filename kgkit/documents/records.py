"""Records of a file that holds many: a table's rows, a list of JSON objects. One record becomes one document."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kgkit.documents.dates import parse_time
from kgkit.documents.parsed import Parsed

__all__ = ["as_text", "canonical", "record_documents", "record_keys", "scalar"]

_TEXTS = (  # columns that are the document; of a remark such as a note or description, the other cells are the subject
    "text", "full_text", "fulltext", "body", "content", "contents", "article", "abstract", "message", "passage",
    "document",
)  # fmt: skip
_TITLES = ("title", "headline", "subject", "name", "heading")
_KEYS = ("id", "doc_id", "docid", "document_id", "_id", "uuid", "guid", "key", "record_id", "id_str", "url", "uri")
_TIMES = (
    "modified_at", "modified", "updated_at", "updated", "date_modified", "date", "created_at", "created", "timestamp",
    "published",
)  # fmt: skip
_LONG = 40  # characters that a text column has on average, or it is a label


def record_documents(
    records: Sequence[Mapping[str, Any]],
    media_type: str,
    *,
    shared: Mapping[str, Any],
    title: str | None = None,
    notes: tuple[str, ...] = (),
) -> list[Parsed]:
    """Make one document of each record.

    Args:
        records: Column or field names to values; empty mappings are reported as empty records.
        media_type: The file's media type.
        shared: Metadata that all documents get, such as the encoding.
        title: A title for records without one.
        notes: What a person should know of the file; on its first record.
    """
    columns = list(dict.fromkeys(name for record in records for name in record))
    text_column = _text_column(records, columns)
    title_column = _first(columns, _TITLES)
    time_column = _first(columns, _TIMES)
    keys = record_keys(records, columns)
    documents = []
    for index, (record, key) in enumerate(zip(records, keys, strict=True)):
        value = record.get(text_column) if text_column else None
        words = scalar(value) if isinstance(value, str) and value.strip() else as_text(record)
        empty = not any(_has_text(v) for v in record.values())
        documents.append(
            Parsed(
                words,
                media_type,
                title=_title(record, title_column) or title,
                modified_at=parse_time(record.get(time_column)) if time_column else None,
                metadata={**shared, "fields": dict(record)},
                notes=notes if index == 0 else (),
                record=key,
                content=canonical(record),
                status="empty" if empty else "ok",
                reason="empty_record" if empty else None,
                detail="No cell of the record holds anything." if empty else None,
            )
        )
    return documents


def record_keys(records: Sequence[Mapping[str, Any]], columns: Iterable[str]) -> list[str]:
    """Name each record by its own id where all have one and no two the same; else by its number, from 1."""
    for name in _all_named(columns, _KEYS):
        values = [scalar(record[name]) if _has_text(record.get(name)) else "" for record in records]
        filled = [v for v, record in zip(values, records, strict=True) if any(_has_text(x) for x in record.values())]
        if filled and all(filled) and max(Counter(filled).values()) == 1:
            return [value or f"row-{number}" for number, value in enumerate(values, 1)]
    return [str(number) for number in range(1, len(records) + 1)]


def as_text(record: Mapping[str, Any], *, depth: int = 0) -> str:
    """Write a record's fields as lines ``name: value``, nested ones indented; empty ones are left out."""
    lines = []
    for name, value in record.items():
        if not _has_text(value):
            continue
        if isinstance(value, Mapping) and depth < 20:
            lines.append(f"{'  ' * depth}{name}:\n{as_text(value, depth=depth + 1)}")
        elif isinstance(value, list) and depth < 20 and any(isinstance(v, (Mapping, list)) for v in value):
            inner = "\n".join(as_text({f"{i}": v}, depth=depth + 1) for i, v in enumerate(value, 1))
            lines.append(f"{'  ' * depth}{name}:\n{inner}")
        elif isinstance(value, list):
            lines.append(f"{'  ' * depth}{name}: {', '.join(scalar(v) for v in value if _has_text(v))}")
        else:
            lines.append(f"{'  ' * depth}{name}: {scalar(value)}")
    return "\n".join(lines)


def scalar(value: Any) -> str:
    """Write one value as it would be typed."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, (bool, dict, list)):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return str(value)


def canonical(record: object) -> bytes:
    """Write a record the same way whatever the order of its fields: what identifies it."""
    return json.dumps(record, ensure_ascii=False, sort_keys=True, default=str).encode("utf-8", "surrogatepass")


def _title(record: Mapping[str, Any], column: str | None) -> str | None:
    value = record.get(column) if column else None
    return value if isinstance(value, str) and value.strip() else None


def _text_column(records: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str | None:
    for sure, name in [(name.lower() in _TEXTS[:6], name) for name in _all_named(columns, _TEXTS)]:
        values = [v for record in records if isinstance(v := record.get(name), str) and v.strip()]
        if values and (sure or sum(map(len, values)) / len(values) >= _LONG):
            return name
    return None


def _all_named(columns: Iterable[str], wanted: Sequence[str]) -> list[str]:
    have: dict[str, str] = {}
    for column in columns:
        have.setdefault(re.sub(r"[\s-]+", "_", column.strip().lower()), column)
    return [have[name] for name in wanted if name in have]


def _first(columns: Iterable[str], wanted: Sequence[str]) -> str | None:
    found = _all_named(columns, wanted)
    return found[0] if found else None


def _has_text(value: Any) -> bool:
    return value is not None and value != [] and value != {} and (not isinstance(value, str) or bool(value.strip()))
