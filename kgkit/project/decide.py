"""Decisions: rows that are only ever appended; those that are made together are kept together, or not at all."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

from kgkit.errors import InputError, OptionError
from kgkit.ids import stable_id
from kgkit.project.ledger import HALF
from kgkit.project.records import moment, now

__all__ = ["KINDS", "VERDICTS", "Decided", "Wish", "append_decisions", "find_decision", "read_wish", "read_wishes"]

KINDS = ("merge", "split", "relation", "type", "category", "page")
VERDICTS = ("accepted", "rejected", "skipped", "flagged", "undone")

_NEEDED = ("kind", "subject_id", "verdict")
_MAY = ("payload", "reviewer", "note")


@dataclass(frozen=True)
class Decided:
    """What became of a decision: ``recorded``, or ``already applied`` because it holds already; and since when.

    ``number`` counts what is recorded, whoever decided; null where nothing new was.
    """

    decision_id: str
    status: Literal["recorded", "already applied"]
    decided_at: datetime
    number: int | None = field(default=None, compare=False)


class Wish(NamedTuple):
    """A decision to be made, checked; ``data`` is its payload as JSON."""

    kind: str
    subject_id: str
    verdict: str
    data: str
    reviewer: str
    note: str | None


def read_wish(
    kind: str,
    subject_id: str | Sequence[str],
    verdict: str,
    *,
    payload: Mapping[str, Any] | None,
    reviewer: str,
    note: str | None,
) -> Wish:
    """Check a decision.

    Raises:
        OptionError: ``kind`` or ``verdict`` is not known.
        InputError: The subject or the reviewer is empty, something is no text, or the payload is no JSON object.
    """
    if not isinstance(subject_id, str):
        subject_id, payload = _merge_of(kind, subject_id, payload)
    data = _checked(kind, subject_id, verdict, payload, reviewer, note)
    return Wish(kind, subject_id, verdict, data, reviewer, note)


def read_wishes(decisions: Iterable[Mapping[str, Any]], reviewer: str) -> list[Wish]:
    """Check many decisions; what is wrong is told with its number.

    Raises:
        OptionError: A key, kind or verdict is not known.
        InputError: As for `read_wish`, or a key is missing.
    """
    found = []
    for number, given in enumerate(decisions, start=1):
        try:
            found.append(_read(given, reviewer))
        except InputError as error:
            msg = f"Decision {number}: {error}"
            raise type(error)(msg) from error
    return found


def _read(given: Mapping[str, Any], reviewer: str) -> Wish:
    if not isinstance(given, Mapping):
        msg = f"{given!r} is no mapping. Give {', '.join(_NEEDED)}, and if wanted {', '.join(_MAY)}."
        raise InputError(msg)
    strange = [key for key in given if key not in (*_NEEDED, *_MAY)]
    if strange:
        raise OptionError.not_one_of("key", strange[0], (*_NEEDED, *_MAY))
    missing = [key for key in _NEEDED if key not in given]
    if missing:
        msg = f"{missing[0]} is missing."
        raise InputError(msg)
    return read_wish(
        given["kind"], given["subject_id"], given["verdict"],
        payload=given.get("payload"), reviewer=given.get("reviewer") or reviewer, note=given.get("note"),
    )  # fmt: skip


def append_decisions(connection: sqlite3.Connection, wishes: Sequence[Wish]) -> list[Decided]:
    """Append decisions, but for those that this reviewer made before and that nobody decided otherwise since."""
    last = connection.execute("SELECT decided_at FROM decisions ORDER BY seq DESC LIMIT 1").fetchone()
    latest = last[0] if last else -1
    found = []
    for wish in wishes:
        said = connection.execute(
            "SELECT decision_id, decided_at, reviewer, verdict, payload, note FROM decisions "
            "WHERE kind = ? AND subject_id = ? ORDER BY seq DESC",
            wish[:2],
        ).fetchall()
        held = _held(said, wish)
        if held is not None:
            found.append(held)
            continue
        latest = max(now(), latest + 1)  # the newest counts, also when the clock was put back
        decision_id = stable_id("decision", *wish, latest, len(said))
        made = connection.execute(
            "INSERT INTO decisions (decision_id, kind, subject_id, verdict, payload, reviewer, note, decided_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (decision_id, *wish, latest),
        )
        found.append(Decided(decision_id, "recorded", moment(latest), made.lastrowid))
    return found


def _held(said: Iterable[tuple[str, int, str, str, str, str | None]], wish: Wish) -> Decided | None:
    """Give the decision that says the same, unless somebody said otherwise since; the newest come first."""
    for decision_id, at, who, verdict, data, note in said:
        if (verdict, data) != (wish.verdict, wish.data):
            return None
        if who == wish.reviewer and wish.note in (None, note):
            return Decided(decision_id, "already applied", moment(at))
    return None


def _merge_of(kind: str, entity_ids: Sequence[str], payload: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]]:
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
