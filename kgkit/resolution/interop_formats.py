"""What other tools write about duplicates, read into pairs of references."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from kgkit.errors import InputError, OptionError, SchemaError
from kgkit.frames import to_polars

__all__ = ["FORMATS", "Proposed", "Reference", "load", "proposals_in"]


class Reference(NamedTuple):
    """How a file names an entity: by an id or a name; if it gives both, ``name`` is the name."""

    text: str
    name: str | None = None
    type: str | None = None


class Proposed(NamedTuple):
    """Two references that a file says are one."""

    left: Reference
    right: Reference
    score: float | None
    reason: str | None


_SCORES = ("score", "match_probability", "confidence_score", "confidence", "probability")
_CLUSTERS = ("cluster_id", "Cluster ID", "cluster", "canonical_id", "group")
_IDS = ("unique_id", "entity_id", "id", "Id", "ID", "record_id", "name", "Name")


def load(source: Any) -> Any:
    """Read a path into a frame (CSV, TSV, Parquet) or into what JSON or YAML holds; give others as they are.

    Raises:
        InputError: The file cannot be read, or its ending is not known.
    """
    if not isinstance(source, (str, Path)):
        return source if isinstance(source, (dict, list)) else to_polars(source, "source")
    path = Path(source)
    readers: dict[str, Callable[[Path], Any]] = {
        ".csv": lambda p: pl.read_csv(p, infer_schema=False),
        ".tsv": lambda p: pl.read_csv(p, separator="\t", infer_schema=False),
        ".parquet": pl.read_parquet,
        ".json": lambda p: json.loads(p.read_text("utf-8-sig")),
        ".yaml": _yaml,
        ".yml": _yaml,
    }
    if path.suffix.lower() not in readers:
        msg = f"{path.name}: files of this kind cannot be read. Allowed endings: {', '.join(readers)}; or give a frame."
        raise InputError(msg)
    try:
        return readers[path.suffix.lower()](path)
    except (OSError, ValueError, RecursionError, pl.exceptions.PolarsError) as error:
        msg = f"{path.name} cannot be read: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        raise InputError(msg) from error


def _yaml(path: Path) -> Any:
    import yaml

    try:
        return yaml.load(path.read_text("utf-8-sig"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def proposals_in(held: Any, form: str, columns: Mapping[str, str | None]) -> Iterator[Proposed | None]:
    """Give the proposals of a file, and ``None`` for each row that names nothing.

    Args:
        held: What `load` gave.
        form: One of `FORMATS`.
        columns: Names of columns that the caller states: ``id``, ``cluster``, ``score``.

    Raises:
        OptionError: The format is not known.
        SchemaError: The file does not hold what its format says.
    """
    if form not in FORMATS:
        raise OptionError.not_one_of("format", form, FORMATS)
    yield from FORMATS[form if form != "auto" else _guess(held)](held, columns)


def _guess(held: Any) -> str:
    if isinstance(held, dict) and "proposals" in held:
        return "sift-kg"
    if isinstance(held, (dict, list)):
        return "openrefine"
    return "pairs" if any(set(pair) <= set(held.columns) for pair in _pair_columns(held, {})) else "clusters"


def _pair_columns(frame: pl.DataFrame, columns: Mapping[str, str | None]) -> list[tuple[str, str]]:
    own = [columns["id"]] if columns.get("id") else _IDS
    return [("left_id", "right_id"), *((f"{name}_l", f"{name}_r") for name in own), ("left", "right")]


def _pairs(held: Any, columns: Mapping[str, str | None]) -> Iterator[Proposed | None]:
    """Read one pair a row, as Splink's predictions are."""
    frame = _frame(held)
    found = next((pair for pair in _pair_columns(frame, columns) if set(pair) <= set(frame.columns)), None)
    if found is None:
        msg = f"Pairs need two columns, such as left_id and right_id, or unique_id_l and unique_id_r; {_have(frame)}"
        raise SchemaError(msg)
    for left, right, score in zip(*(_texts(frame, c) for c in found), _score(frame, columns), strict=True):
        yield None if left is None or right is None else Proposed(Reference(left), Reference(right), score, None)


def _clusters(held: Any, columns: Mapping[str, str | None]) -> Iterator[Proposed | None]:
    """Read one record a row with its cluster, as Splink and dedupe write them."""
    frame = _frame(held)
    cluster, record = _named(frame, columns, "cluster", _CLUSTERS), _named(frame, columns, "id", _IDS)
    rows = zip(_texts(frame, cluster), _texts(frame, record), _score(frame, columns), strict=True)
    held_by: dict[str, dict[str, float | None]] = {}
    for label, text, score in rows:
        if label is None or text is None:
            yield None
        else:
            held_by.setdefault(label, {}).setdefault(text, score)
    for label in sorted(held_by):
        members = held_by[label]
        scores = [score for score in members.values() if score is not None]
        weakest = min(scores) if len(scores) == len(members) else None
        yield from _star([Reference(text) for text in sorted(members)], weakest, None)


def _star(members: Sequence[Reference], score: float | None, reason: str | None) -> Iterator[Proposed]:
    """Propose each member of a cluster with the first; a cluster of one is named with itself, so that it is counted."""
    for member in members[1:] or members[:1]:
        yield Proposed(members[0], member, score, reason)


def _sift(held: Any, columns: Mapping[str, str | None]) -> Iterator[Proposed | None]:
    """Read the proposals of sift-kg: a canonical entity, and members with a confidence each."""
    rows = held.get("proposals") if isinstance(held, dict) else None
    if not isinstance(rows, list):
        msg = "merge_proposals.yaml holds a mapping with the list 'proposals'; this file does not."
        raise SchemaError(msg)
    for row in rows:
        members = row.get("members") if isinstance(row, dict) else None
        if not isinstance(members, list) or not row.get("canonical_id"):
            yield None
            continue
        kind = _text(row.get("entity_type"))
        first = Reference(str(row["canonical_id"]), _text(row.get("canonical_name")), kind)
        said = "; ".join(filter(None, (_text(row.get("reason")), _text(row.get("status")))))
        for member in members:
            if not isinstance(member, dict) or not member.get("id"):
                yield None
                continue
            other = Reference(str(member["id"]), _text(member.get("name")), kind)
            yield Proposed(first, other, _number(member.get("confidence")), said or None)


def _refine(held: Any, columns: Mapping[str, str | None]) -> Iterator[Proposed | None]:
    """Read OpenRefine: exported clusters, a history with mass edits, or a table with a reconciled id for each name."""
    if isinstance(held, pl.DataFrame):
        yield from _clusters(held, columns)
        return
    for values in _refine_lists(held):
        texts = [text for text in dict.fromkeys(map(_text, values)) if text]
        yield from _star([Reference(text) for text in texts], None, None)


def _refine_lists(held: Any) -> Iterator[list[Any]]:
    if isinstance(held, dict) and isinstance(held.get("clusters"), list):
        for cluster in held["clusters"]:
            if isinstance(cluster, dict) and isinstance(cluster.get("choices"), list):
                yield [choice.get("v") for choice in cluster["choices"] if isinstance(choice, dict)]
        return
    steps = held if isinstance(held, list) else []
    edits = [s.get("edits", []) for s in steps if isinstance(s, dict) and s.get("op") == "core/mass-edit"]
    if not edits:
        msg = (
            "OpenRefine files hold 'clusters' (Export clusters) or a history with core/mass-edit; this one has neither."
        )
        raise SchemaError(msg)
    for edit in (edit for listed in edits for edit in listed):
        yield [edit.get("to"), *edit.get("from", [])]


FORMATS: dict[str, Callable[[Any, Mapping[str, str | None]], Iterator[Proposed | None]]] = {
    "auto": _pairs,
    "pairs": _pairs,
    "clusters": _clusters,
    "splink": lambda held, columns: FORMATS[_guess(_frame(held))](held, columns),
    "dedupe": _clusters,
    "openrefine": _refine,
    "sift-kg": _sift,
}


def _frame(held: Any) -> pl.DataFrame:
    if not isinstance(held, pl.DataFrame):
        msg = "This format is a table; give a frame, or a CSV or Parquet file."
        raise SchemaError(msg)
    return held


def _named(frame: pl.DataFrame, columns: Mapping[str, str | None], key: str, known: Iterable[str]) -> str:
    wanted = [columns[key]] if columns.get(key) else known
    found = next((name for name in wanted if name in frame.columns), None)
    if found is None:
        msg = f"No column for the {key}; tried {', '.join(map(str, wanted))}. {_have(frame)} Say {key}_column=..."
        raise SchemaError(msg)
    return found


def _have(frame: pl.DataFrame) -> str:
    return f"The columns are {', '.join(frame.columns)}."


def _texts(frame: pl.DataFrame, column: str) -> list[str | None]:
    return [_text(value) for value in frame[column].to_list()]


def _score(frame: pl.DataFrame, columns: Mapping[str, str | None]) -> list[float | None]:
    wanted = [columns["score"]] if columns.get("score") else _SCORES
    found = next((name for name in wanted if name in frame.columns), None)
    if found is not None:
        return [_number(value) for value in frame[found].to_list()]
    if "match_weight" in frame.columns:  # base-2 logarithm of the odds
        return [_number(None if w is None else 1 / (1 + 2 ** -float(w))) for w in frame["match_weight"].to_list()]
    return [None] * frame.height


def _text(value: Any) -> str | None:
    text = "" if value is None else str(value).strip()
    return text or None


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number <= 1 else None
