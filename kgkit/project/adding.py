"""Decisions made elsewhere: taken with their ids, reviewers and times, so that the rules of deciding hold for them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from kgkit.errors import InputError
from kgkit.frames import take
from kgkit.project.decide import Decided, Wish, read_wish
from kgkit.project.records import moment, now

__all__ = ["Made", "add_made", "read_made"]

_AHEAD = timedelta(minutes=5)  # clocks of two machines differ


class Made(NamedTuple):
    """A decision made elsewhere; ``at`` is when, as the ledger has it."""

    decision_id: str
    wish: Wish
    at: int


def read_made(decisions: Any) -> list[Made]:
    """Check decisions made elsewhere, and put them in the order in which they were made.

    Raises:
        FrameTypeError: It is no frame, and holds no decisions table.
        SchemaError: Columns are missing or null, or two rows have one ``decision_id``.
        InputError: A row cannot be used, or is from the future.
    """
    frame = take(decisions, "decisions").frame.sort("decided_at", "decision_id")
    latest = moment(now()) + _AHEAD
    found = []
    for row in frame.iter_rows(named=True):
        name, at = row["decision_id"], row["decided_at"]
        try:
            wish = read_wish(
                row["kind"], row["subject_id"], row["verdict"],
                payload=_object(row["payload"]), reviewer=row["reviewer"], note=row["note"] or None,
            )  # fmt: skip
        except InputError as error:
            msg = f"The decision {name!r} cannot be used: {error}"
            raise type(error)(msg) from error
        if at > latest:
            msg = f"The decision {name!r} is of {at:%Y-%m-%d %H:%M} UTC, which is yet to come. Check decided_at."
            raise InputError(msg)
        found.append(Made(name, wish, (at - moment(0)) // timedelta(microseconds=1)))
    return found


def add_made(connection: sqlite3.Connection, made: Sequence[Made]) -> list[Decided]:
    """Append the decisions whose ids are not there yet.

    Raises:
        InputError: An id is there already, for another decision.
    """
    done = []
    for decision_id, wish, at in made:
        held = connection.execute(
            "SELECT kind, subject_id, verdict, payload, reviewer, note FROM decisions WHERE decision_id = ?",
            (decision_id,),
        ).fetchone()
        if held is not None and held != tuple(wish):
            msg = f"The project has another decision of the id {decision_id!r}. Nothing was added."
            raise InputError(msg)
        if held is None:
            connection.execute(
                "INSERT INTO decisions (decision_id, kind, subject_id, verdict, payload, reviewer, note, decided_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (decision_id, *wish, at),
            )
        done.append(Decided(decision_id, "already applied" if held else "recorded", moment(at)))
    return done


def _object(text: str) -> dict[str, Any]:
    try:
        read = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        msg = f"its payload is no JSON: {error}"
        raise InputError(msg) from error
    if not isinstance(read, dict):
        msg = "its payload is no JSON object"
        raise InputError(msg)
    return read
