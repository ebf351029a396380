"""Where decisions are kept: in a project on disk, or on the object itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, Protocol

import polars as pl

from kgkit import tables
from kgkit.frames import to_polars
from kgkit.ids import stable_id

__all__ = ["InMemory", "InProject", "Keeps", "Kept", "Wish", "as_row"]


class Wish(NamedTuple):
    """A decision to be kept."""

    kind: str
    subject_id: str
    verdict: str
    payload: Mapping[str, Any]
    reviewer: str
    note: str | None


class Kept(NamedTuple):
    """A decision that is kept: its row, and whether it is new (``recorded``) or was there (``already applied``)."""

    row: dict[str, Any]
    status: str


class Keeps(Protocol):
    """Keeps decisions. When `append` returns, all of them are kept; when it raises, none is.

    Attributes:
        behind: Whether the last `append` showed that somebody else decided since `frame` was read.
    """

    behind: bool

    def append(self, wishes: Sequence[Wish]) -> list[Kept]:
        """Keep some decisions."""
        ...

    def frame(self) -> pl.DataFrame:
        """Give the decisions table."""
        ...


class InMemory:
    """Keeps decisions on the object."""

    behind = False

    def __init__(self, decisions: Any = None) -> None:
        inner = getattr(decisions, "frames", {}).get("decisions", decisions)
        given = tables.empty("decisions") if inner is None else to_polars(inner, "decisions")
        self._rows = tables.conform(given, "decisions").sort("decided_at", "decision_id").to_dicts()

    def append(self, wishes: Sequence[Wish]) -> list[Kept]:
        """Keep some decisions."""
        rows: list[dict[str, Any]] = []
        last = self._rows[-1]["decided_at"] if self._rows else None
        for number, wish in enumerate(wishes, start=len(self._rows)):
            at = datetime.now(UTC)
            last = at if last is None or at > last else last + timedelta(microseconds=1)
            rows.append(as_row(wish, stable_id("decision", *wish[:3], _data(wish), *wish[4:], str(last), number), last))
        self._rows += rows
        return [Kept(row, "recorded") for row in rows]

    def frame(self) -> pl.DataFrame:
        """Give the decisions table."""
        return tables.from_rows("decisions", self._rows)


class InProject:
    """Keeps decisions in a project: anything with ``decide``, ``decide_many`` and ``decisions`` of `kgkit.Project`."""

    def __init__(self, project: Any) -> None:
        self._project = project
        self._seen = 0
        self.behind = False

    def append(self, wishes: Sequence[Wish]) -> list[Kept]:
        """Keep some decisions; they are on disk when this returns."""
        if len(wishes) == 1:
            kind, subject_id, verdict, payload, reviewer, note = wishes[0]
            decide = self._project.decide
            done = [decide(kind, subject_id, verdict, payload=payload, reviewer=reviewer, note=note)]
        else:
            done = self._project.decide_many([wish._asdict() for wish in wishes])
        numbers = [one.number for one in done if getattr(one, "number", None) is not None]
        if numbers:
            self.behind = numbers[0] != self._seen + 1
            self._seen = numbers[-1]
        return [
            Kept(as_row(wish, one.decision_id, one.decided_at), one.status)
            for wish, one in zip(wishes, done, strict=True)
        ]

    def frame(self) -> pl.DataFrame:
        """Give the decisions table."""
        found = tables.conform(to_polars(self._project.decisions(), "decisions"), "decisions")
        self._seen = max(self._seen, found.height)
        return found


def as_row(wish: Wish, decision_id: str, at: datetime) -> dict[str, Any]:
    """Write a decision as a row of its table."""
    return {**wish._asdict(), "decision_id": decision_id, "payload": _data(wish), "decided_at": at}


def _data(wish: Wish) -> str:
    return json.dumps(dict(wish.payload), ensure_ascii=False, sort_keys=True)
