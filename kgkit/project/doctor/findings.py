"""What a check of a project finds, collected and given back as a result."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from kgkit import tables
from kgkit.frames import to_polars
from kgkit.ids import stable_id
from kgkit.results import Outcome, Result, Status, outcomes_frame

__all__ = ["CHECKS", "Checkup", "Findings", "some"]

CHECKS = (
    "ledger", "format", "runs", "versions", "files", "rows", "columns", "keys", "links", "quotes", "decisions",
    "readers", "leftovers",
)  # fmt: skip
"""The checks, in the order in which they are made."""

_SHOWN = 20  # findings told one by one, per check
_EXAMPLES = 3


@dataclass(frozen=True, repr=False, eq=False)
class Checkup(Result):
    """What `check_project` returns: ``findings``, one row for each thing to know, and an outcome for each check."""

    stage: ClassVar[str] = "check_project"
    main: ClassVar[str] = "findings"

    findings: Any

    @property
    def sound(self) -> bool:
        """Whether nothing is damaged. Remarks are no damage."""
        return "failed" not in to_polars(self.findings)["status"]


class Findings:
    """Collects findings, and gives them back in the order of the checks."""

    def __init__(self) -> None:
        self._rows: list[dict[str, Any]] = []
        self._told: Counter[str] = Counter()

    def ok(self, check: str, place: str, found: str) -> None:
        """Note that a check found everything in order, unless it has told something else already."""
        if not self._told[check]:
            self._add(check, "ok", place, found)

    def remark(self, check: str, place: str, found: str, meaning: str, advice: str) -> None:
        """Note what is worth knowing and no damage."""
        self._tell(check, "remark", place, found, meaning, advice)

    def failed(self, check: str, place: str, found: str, meaning: str, advice: str) -> None:
        """Note damage."""
        self._tell(check, "failed", place, found, meaning, advice)

    def skipped(self, check: str, why: str) -> None:
        """Note that a check could not be made."""
        self._add(check, "skipped", "", why, "It is not known whether this is in order.", "Put the rest right first.")

    def has_told(self, check: str) -> bool:
        """Tell whether there is something of a check already."""
        return any(row["check"] == check for row in self._rows)

    def checkup(self) -> Checkup:
        """Make the result."""
        for check in CHECKS:
            if self._told[check] > _SHOWN:
                found = f"{self._told[check] - _SHOWN:,} more findings of this check are not listed"
                worst = (
                    "failed" if any(r["check"] == check and r["status"] == "failed" for r in self._rows) else "remark"
                )
                self._add(check, worst, "", found, "There is more of the kind.", "Put the listed ones right first.")
        rows = sorted(self._rows, key=lambda row: CHECKS.index(row["check"]))
        frame = tables.from_rows("findings", [_numbered(row) for row in rows]).unique(
            "finding_id", keep="first", maintain_order=True
        )
        return Checkup(frame, outcomes=outcomes_frame("check_project", CHECKS, map(self._outcome, CHECKS)))

    def _tell(self, check: str, status: str, place: str, found: str, meaning: str, advice: str) -> None:
        self._told[check] += 1
        if self._told[check] <= _SHOWN:
            self._add(check, status, place, found, meaning, advice)

    def _add(self, check: str, status: str, place: str, found: str, meaning: str = "", advice: str = "") -> None:
        row = {"check": check, "status": status, "place": place, "found": found}
        self._rows.append(row | {"meaning": meaning or None, "advice": advice or None})

    def _outcome(self, check: str) -> Outcome:
        rows = [row for row in self._rows if row["check"] == check]
        held = {row["status"] for row in rows}
        status: Status = "failed" if "failed" in held else "skipped" if held & {"skipped"} or not held else "ok"
        bad = next((row["found"] for row in rows if row["status"] == status != "ok"), None)
        notes = tuple(f"remark: {row['found']}" for row in rows if row["status"] == "remark")
        reason = {"failed": "damaged", "skipped": "not_possible"}.get(status)
        return Outcome(check, status, reason, bad, notes)


def some(values: pl.Series | list[Any]) -> str:
    """Give the first of many values as an example."""
    first = [repr(value) for value in values[:_EXAMPLES]]
    return ", ".join(first) + (", ..." if len(values) > _EXAMPLES else "")


def _numbered(row: dict[str, Any]) -> dict[str, Any]:
    return {"finding_id": stable_id("finding", row["check"], row["place"], row["found"]), **row}
