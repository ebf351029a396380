"""Decisions as rows: read, checked, and judged: which count, which are undone, which are replaced."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from kgkit import tables
from kgkit.frames import to_polars
from kgkit.ids import stable_id
from kgkit.resolution.payloads import trouble
from kgkit.text import normalise_name

__all__ = ["Decision", "Standing", "judge", "part_ids", "read_decisions"]

_KINDS = ("merge", "split", "relation", "type")
_COUNT = ("accepted", "rejected")


@dataclass(frozen=True)
class Decision:
    """One row of the decisions table, its payload read. ``problem`` says why it cannot be used, if so."""

    decision_id: str
    kind: str
    subject_id: str
    verdict: str
    payload: Mapping[str, Any]
    reviewer: str
    decided_at: datetime
    row: Mapping[str, Any]
    problem: str | None

    @property
    def age(self) -> tuple[datetime, str]:
        """What decisions are ordered by: their time, then their id."""
        return self.decided_at, self.decision_id


class Standing(NamedTuple):
    """Whether a decision counts: it does when ``reason`` is null."""

    reason: str | None
    detail: str | None = None


def read_decisions(decisions: Any) -> list[Decision]:
    """Read a decisions frame, oldest first. A row that is there twice counts once.

    Raises:
        SchemaError: Columns are missing or null, or two different rows have one ``decision_id``.
    """
    inner = getattr(decisions, "frames", {}).get("decisions", decisions)
    frame = tables.conform(to_polars(inner, "decisions"), "decisions").unique()
    tables.check_key(frame, "decisions")
    return [_read(row) for row in frame.sort("decided_at", "decision_id").iter_rows(named=True)]


def _read(row: dict[str, Any]) -> Decision:
    try:
        payload = _filled(json.loads(row["payload"])) if row["payload"].strip() else {}
        problem = None if isinstance(payload, dict) else "the payload is no JSON object"
    except (ValueError, RecursionError) as error:
        payload, problem = {}, f"the payload is no JSON: {error}"
    named = {name: row[name] for name in ("decision_id", "kind", "subject_id", "verdict", "reviewer", "decided_at")}
    problem = problem or trouble(row["kind"], row["verdict"], payload)
    return Decision(**named, payload=payload if problem is None else {}, row=row, problem=problem)


def _filled(value: Any) -> Any:
    """Leave out keys without a value: frames give them to every row when some row has them."""
    if isinstance(value, dict):
        return {key: _filled(inner) for key, inner in value.items() if inner is not None}
    return [_filled(inner) for inner in value] if isinstance(value, list) else value


def judge(decisions: Sequence[Decision]) -> dict[str, Standing]:
    """Tell which decisions count; `decisions` are in order, oldest first.

    Reasons why one does not: ``bad_payload``, ``undone``, ``undo`` (it only cancels another), ``no_such_decision``
    (an undo of nothing), ``circular`` (undos that undo each other), ``replaced``, ``noted`` (skipped or flagged),
    ``other_kind`` (no matter of entities and relations).
    """
    standings = {d.decision_id: Standing("bad_payload", d.problem) for d in decisions if d.problem}
    usable = [d for d in decisions if not d.problem]
    standings |= _judge_undos(usable)
    newest: dict[tuple[str, str], str] = {}
    for decision in reversed(usable):
        if decision.decision_id in standings:
            continue
        if decision.kind not in _KINDS:
            standing = Standing("other_kind", f"decisions of kind {decision.kind} do not change a graph")
        elif decision.verdict not in _COUNT:
            standing = Standing("noted", f"{decision.verdict}: nothing changes")
        else:
            newer = newest.setdefault((decision.kind, decision.subject_id), decision.decision_id)
            standing = Standing(None) if newer == decision.decision_id else Standing("replaced", f"by {newer}")
        standings[decision.decision_id] = standing
    return standings


def _judge_undos(decisions: Sequence[Decision]) -> dict[str, Standing]:
    """Judge undos, and what they undo: an undo holds unless an undo that holds undoes it."""
    known = {d.decision_id for d in decisions}
    targets = {d.decision_id: d.payload["decision_id"] for d in decisions if d.verdict == "undone"}
    standings = {
        d: Standing("no_such_decision", f"there is no usable decision {t}")
        for d, t in targets.items()
        if t not in known
    }
    targets = {d: t for d, t in targets.items() if t in known}
    waiting = Counter(targets.values())
    free = [d for d in targets if not waiting[d]]
    while free:
        undo = free.pop()
        target = targets.pop(undo)
        holds = undo not in standings
        standings.setdefault(undo, Standing("undo", f"of {target}"))
        if holds:
            standings[target] = Standing("undone", f"by {undo}")
        waiting[target] -= 1
        if target in targets and not waiting[target]:
            free.append(target)
    return standings | {d: Standing("circular", f"it undoes {t}, which undoes it") for d, t in targets.items()}


def part_ids(subject_id: str, parts: Sequence[Mapping[str, Any]]) -> list[str]:
    """Make the entity ids of the parts that a split makes, one for each.

    A part's id comes from the entity it leaves, its type and its normalised name; parts that share these also
    take the smallest mention or document they hold. The order of the parts does not count.
    """
    keys = [(part.get("type"), normalise_name(part["name"])) for part in parts]
    seen = Counter(keys)
    return [
        stable_id("entity", "split", subject_id, *key, *([min(_holds(part))] if seen[key] > 1 else []))
        for key, part in zip(keys, parts, strict=True)
    ]


def _holds(part: Mapping[str, Any]) -> list[str]:
    return [*part.get("mention_ids", ()), *part.get("doc_ids", ())]
