"""Where decisions are kept: in a project on disk, or on the object itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, Protocol

import polars as pl

from kgkit import tables
from kgkit.frames import to_polars
from kgkit.ids import stable_id

__all__ = ["InMemory", "InProject", "Keeps", "Kept"]


class Kept(NamedTuple):
    """A decision's row, and whether it is new: ``recorded``, or ``already applied``."""

    row: dict[str, Any]
    status: str


class Keeps(Protocol):
    """Keeps decisions. When `append` returns, the decision is kept; when it raises, it is not."""

    def append(
        self, kind: str, subject_id: str, verdict: str, payload: Mapping[str, Any], reviewer: str, note: str | None
    ) -> Kept:
        """Keep one decision."""
        ...

    def frame(self) -> pl.DataFrame:
        """Give the decisions table."""
        ...


class InMemory:
    """Keeps decisions on the object."""

    def __init__(self, decisions: Any = None) -> None:
        inner = getattr(decisions, "frames", {}).get("decisions", decisions)
        given = tables.empty("decisions") if inner is None else to_polars(inner, "decisions")
        self._rows = tables.conform(given, "decisions").sort("decided_at", "decision_id").to_dicts()

    def append(
        self, kind: str, subject_id: str, verdict: str, payload: Mapping[str, Any], reviewer: str, note: str | None
    ) -> Kept:
        """Keep one decision."""
        row = row_of(kind, subject_id, verdict, payload, reviewer, note, number=len(self._rows), after=self._last())
        self._rows.append(row)
        return Kept(row, "recorded")

    def frame(self) -> pl.DataFrame:
        """Give the decisions table."""
        return tables.from_rows("decisions", self._rows)

    def _last(self) -> datetime | None:
        return self._rows[-1]["decided_at"] if self._rows else None


class InProject:
    """Keeps decisions in a project: anything with the methods ``decide`` and ``decisions`` of `kgkit.Project`."""

    def __init__(self, project: Any) -> None:
        self._project = project

    def append(
        self, kind: str, subject_id: str, verdict: str, payload: Mapping[str, Any], reviewer: str, note: str | None
    ) -> Kept:
        """Keep one decision; it is on disk when this returns."""
        done = self._project.decide(kind, subject_id, verdict, payload=payload, reviewer=reviewer, note=note)
        row = row_of(kind, subject_id, verdict, payload, reviewer, note, number=0, after=None)
        return Kept({**row, "decision_id": done.decision_id}, done.status)

    def frame(self) -> pl.DataFrame:
        """Give the decisions table."""
        return tables.conform(to_polars(self._project.decisions(), "decisions"), "decisions")


def row_of(
    kind: str,
    subject_id: str,
    verdict: str,
    payload: Mapping[str, Any],
    reviewer: str,
    note: str | None,
    *,
    number: int,
    after: datetime | None,
) -> dict[str, Any]:
    """Write a decision as a row of its table, made now, and later than ``after``."""
    at = datetime.now(UTC)
    if after is not None and at <= after:
        at = after + timedelta(microseconds=1)
    data = json.dumps(dict(payload), ensure_ascii=False, sort_keys=True)
    return {
        "decision_id": stable_id("decision", kind, subject_id, verdict, data, reviewer, note, at.isoformat(), number),
        "kind": kind,
        "subject_id": subject_id,
        "verdict": verdict,
        "payload": data,
        "reviewer": reviewer,
        "note": note,
        "decided_at": at,
    }
