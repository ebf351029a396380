"""Whether decisions can be read and applied, and what they are about is known."""

from __future__ import annotations

import json
import sqlite3

from kgkit.project.decide import KINDS, VERDICTS
from kgkit.project.doctor.files import batches
from kgkit.project.doctor.findings import Findings, some
from kgkit.project.doctor.visible import Visible
from kgkit.project.ledger import LEDGER

__all__ = ["check_decisions"]

_PLACE = f"{LEDGER}: decisions"
_SUBJECTS = {
    "merge": ("merges", "merge_id"),
    "split": ("entities", "entity_id"),
    "relation": ("relations", "relation_id"),
    "type": ("entities", "entity_id"),
    "category": ("categories", "category_id"),
    "page": ("pages", "page_id"),
}
_NOTHING = "Nothing needs to be done."


def check_decisions(connection: sqlite3.Connection, visible: Visible, findings: Findings) -> None:
    """Check each decision's kind, verdict and payload; remark on those about what is not there."""
    said: dict[str, set[str]] = {}
    undone: set[str] = set()
    ids: set[str] = set()
    try:
        query = "SELECT decision_id, kind, subject_id, verdict, payload FROM decisions ORDER BY seq"
        for decision_id, kind, subject_id, verdict, payload in connection.execute(query):
            ids.add(decision_id)
            said.setdefault(kind, set()).add(subject_id)
            held = _object(payload)
            problem = (
                _problem(kind, verdict) if held is not None else f"its payload is no JSON object: {payload[:60]!r}"
            )
            if problem:
                text, advice = f"decision {decision_id}: {problem}", "Compare the ledger with an older copy."
                findings.failed("decisions", _PLACE, text, "What was decided cannot be applied.", advice)
            elif held and verdict == "undone" and "decision_id" in held:
                undone.add(str(held["decision_id"]))
    except sqlite3.Error as error:
        advice = f"Put {LEDGER} back from a copy or an archive of the project."
        findings.failed("decisions", _PLACE, f"cannot be read: {error}", "Decisions may be lost.", advice)
    lost = sorted(undone - ids)
    if lost:
        text = f"{len(lost):,} decisions that were undone are not there: {some(lost)}"
        findings.remark("decisions", _PLACE, text, "They undo nothing.", _NOTHING)
    for kind, subjects in sorted(said.items()):
        _remark_unknown(kind, subjects, visible, findings)
    findings.ok("decisions", _PLACE, f"{len(ids):,} decisions can be read")


def _remark_unknown(kind: str, subjects: set[str], visible: Visible, findings: Findings) -> None:
    table, column = _SUBJECTS.get(kind, ("", ""))
    paths = visible.paths(table)
    if paths is None:
        return
    for frame in batches(paths, [column]):
        subjects = subjects - set(frame[column])
    if subjects:
        text = f"{len(subjects):,} decided on ({kind}) are not in {table}: {some(sorted(subjects))}"
        meaning = "They were there when it was decided, and documents or options changed since. The decisions are kept."
        findings.remark("decisions", _PLACE, text, meaning, _NOTHING)


def _problem(kind: str, verdict: str) -> str | None:
    for what, value, allowed in (("kind", kind, KINDS), ("verdict", verdict, VERDICTS)):
        if value not in allowed:
            return f"its {what} is {value!r}; there are {', '.join(allowed)}"
    return None


def _object(text: str) -> dict[str, object] | None:
    try:
        value = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
