"""Decisions: rows that are only ever appended, each in a transaction of its own."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kgkit.errors import InputError, OptionError
from kgkit.ids import stable_id
from kgkit.project.ledger import HALF
from kgkit.project.records import now

__all__ = ["KINDS", "VERDICTS", "Decided", "append_decision", "find_decision", "merge_of"]

KINDS = ("merge", "split", "relation", "type", "category", "page")
VERDICTS = ("accepted", "rejected", "skipped", "flagged", "undone")

_SAID = "verdict, payload, note"


@dataclass(frozen=True)
class Decided:
    """What became of a decision: ``recorded``, or ``already applied`` because it holds already."""

    decision_id: str
    status: Literal["recorded", "already applied"]


def append_decision(
    connection: sqlite3.Connection,
    kind: str,
    subject_id: str,
    verdict: str,
    *,
    payload: Mapping[str, Any] | None,
    reviewer: str,
    note: str | None,
) -> Decided:
    """Append a decision, unless this reviewer said the same of the subject and nobody said otherwise since.

    Raises:
        OptionError: ``kind`` or ``verdict`` is not known.
        InputError: The subject or the reviewer is empty, something is no text, or the payload is no JSON object.
    """
    data = _checked(kind, subject_id, verdict, payload, reviewer, note)
    said = connection.execute(
        f"SELECT decision_id, reviewer, {_SAID} FROM decisions WHERE kind = ? AND subject_id = ? ORDER BY seq DESC",
        (kind, subject_id),
    ).fetchall()
    for decision_id, who, *what in said:
        if what[:2] != [verdict, data]:
            break
        if who == reviewer and note in (None, what[2]):
            return Decided(decision_id, "already applied")
    last = connection.execute("SELECT decided_at FROM decisions ORDER BY seq DESC LIMIT 1").fetchone()
    at = max(now(), last[0] + 1 if last else 0)  # the newest counts, also when the clock was put back
    decision_id = stable_id("decision", kind, subject_id, verdict, data, reviewer, note, at, len(said))
    row = (decision_id, kind, subject_id, verdict, data, reviewer, note, at)
    connection.execute(
        "INSERT INTO decisions (decision_id, kind, subject_id, verdict, payload, reviewer, note, decided_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        row,
    )
    return Decided(decision_id, "recorded")


def merge_of(kind: str, entity_ids: Sequence[str], payload: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]]:
    """Make subject and payload of a decision on a merge out of the ids of its entities.

    Raises:
        InputError: The decision is on something else, or the ids are no two different texts.
    """
    from kgkit.resolution.decisions import merge_id

    ids = sorted(set(entity_ids)) if all(isinstance(i, str) for i in entity_ids) else []
    if kind != "merge" or len(ids) < 2:
        msg = "A decision is on one id; only a merge may be given as a list, of two or more different entity_ids."
        raise InputError(msg)
    return merge_id(ids), {**(payload or {}), "entity_ids": ids}


def find_decision(connection: sqlite3.Connection, decision_id: str) -> tuple[str, str]:
    """Give kind and subject of a decision.

    Raises:
        InputError: There is no such decision.
    """
    row = connection.execute("SELECT kind, subject_id FROM decisions WHERE decision_id = ?", (decision_id,)).fetchone()
    if row is None:
        msg = f"There is no decision {decision_id!r}. See project.decisions()."
        raise InputError(msg)
    return str(row[0]), str(row[1])


def _checked(
    kind: str, subject_id: str, verdict: str, payload: Mapping[str, Any] | None, reviewer: str, note: str | None
) -> str:
    if kind not in KINDS:
        raise OptionError.not_one_of("kind", kind, KINDS)
    if verdict not in VERDICTS:
        raise OptionError.not_one_of("verdict", verdict, VERDICTS)
    for name, value in (("subject_id", subject_id), ("reviewer", reviewer), ("note", note or "-")):
        if not isinstance(value, str) or not value.strip() or HALF.search(value):
            msg = f"{name}={value!r} must be text, whole characters, and not empty."
            raise InputError(msg)
    try:
        data = json.dumps(dict(payload or {}), ensure_ascii=False, sort_keys=True, allow_nan=False)
        data.encode()
    except (TypeError, ValueError, RecursionError) as error:
        msg = f"payload must be a mapping of what JSON can hold: {error}"
        raise InputError(msg) from error
    return data
