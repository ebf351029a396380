"""Deciding on many items at once: at a threshold, by a named rule, and from a sheet."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from kgkit.errors import InputError, KgkitError
from kgkit.frames import give, to_polars
from kgkit.ids import stable_id
from kgkit.resolution.decisions import Decision
from kgkit.reviewing.bulk import choose, preview_of
from kgkit.reviewing.deciding import Deciding
from kgkit.reviewing.entries import Entry
from kgkit.reviewing.keeping import Said
from kgkit.reviewing.looking import Looking
from kgkit.reviewing.sheet import Sheet, write_sheet
from kgkit.reviewing.state import UNDECIDED, State
from kgkit.reviewing.told import Bulk, Preview

__all__ = ["Many"]

_POLICIES: Mapping[str, Any] = {
    "policy": pl.String, "verdict": pl.String, "threshold": pl.Float64, "n": pl.Int64, "n_replaced": pl.Int64,
    "by": pl.String, "decided_at": pl.Datetime("us", "UTC"), "batch": pl.String,
}  # fmt: skip


class Many(Looking, Deciding):
    """Deciding on many items at once."""

    def preview(self, verdict: str, *, at: float) -> Preview:
        """Tell what a verdict on all undecided items within the filters would do; nothing is decided.

        Args:
            verdict: accepted (items that score ``at`` and above) or rejected (``at`` and below).
            at: The threshold.

        Raises:
            OptionError: The verdict or the threshold is not allowed.
        """
        with self._lock:
            chosen, barred = choose(self._undecided(), verdict, at, self._state)
            return preview_of(verdict, at, chosen, barred, self._state, self._cards.label, self._cards.name)

    def decide_all(self, verdict: str, *, at: float, note: str | None = None) -> Bulk:
        """Decide on all undecided items within the filters at once; look at `preview` first.

        Takes what `preview` takes. Each item gets a decision of its own; one `undo` takes all of them back. When they
        cannot be kept, none is, and ``errors`` says so for each.
        """
        return self._decide_all(verdict, at, note, self.reviewer, {})

    def apply_policy(self, name: str, threshold: float, *, verdict: str = "accepted") -> Bulk:
        """Let a named rule decide on all undecided items within the filters; look at `preview` first.

        Its decisions are like any other, visible and undoable. They are signed ``rule: NAME``; their payload says who
        let it.

        Args:
            name: The rule's name.
            threshold: Items that score so and above are accepted (so and below: rejected).
            verdict: accepted or rejected.

        Raises:
            InputError: The name is empty.
            OptionError: The verdict or the threshold is not allowed.
        """
        if not isinstance(name, str) or not name.strip():
            msg = "A policy needs a name: its decisions are signed with it."
            raise InputError(msg)
        more = {"rule": name.strip(), "by": self.reviewer}
        side = "and above" if verdict == "accepted" else "and below"
        note = f"{verdict} at {threshold:g} {side}"
        return self._decide_all(verdict, threshold, note, f"rule: {name.strip()}", more)

    @property
    def policies(self) -> Any:
        """The rules that decided, the latest first; `undo_batch` takes one back.

        One row for each time that one was applied and not taken back: ``policy``, ``verdict``, ``threshold``, ``n``
        (its decisions that count), ``n_replaced`` (those that somebody decided anew), ``by`` (who let it),
        ``decided_at`` and ``batch``.
        """
        with self._lock:
            counting = {d.decision_id for d in self._state.live}
            batches: dict[str, list[Decision]] = {}
            for decision in self._state.undoable:
                if "rule" in decision.payload and decision.kind in self._asks:
                    batches.setdefault(str(decision.payload.get("batch")), []).append(decision)
            rows = [_policy(batch, held, counting) for batch, held in reversed(batches.items())]
        return give(pl.DataFrame(rows, schema=_POLICIES), None, self._backend)

    def _decide_all(self, verdict: str, at: float, note: str | None, who: str, more: Mapping[str, Any]) -> Bulk:
        with self._lock:
            chosen, barred = choose(self._undecided(), verdict, at, self._state)
            if not chosen:
                return Bulk(0, barred, None)
            batch = stable_id("batch", who, verdict, str(at), self._state.n_decisions, chosen[0].item_id)
            how = {**more, "batch": batch, "threshold": at}
            self._put([Said(e, verdict, {}, note, {**self._seen(e), **how}, who) for e in chosen])
        self._changed()
        return Bulk(len(chosen), barred, batch)

    def _undecided(self) -> list[Entry]:
        stands = self._state.stands
        return [self._entries[i] for i in self._ordered if stands[i].status == UNDECIDED]

    # A spreadsheet

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write the queue as CSV, to be filled in: ``verdict``, and if wanted ``new_name``, ``new_type``, ``note``.

        Cells that a spreadsheet would run as a formula get a ``'`` in front, which `from_csv` takes away again.
        """
        return write_sheet(path, to_polars(self.queue))

    def from_csv(self, path: str | os.PathLike[str]) -> Any:
        """Decide what a filled-in CSV says, in one step; doing so twice changes nothing.

        Returns:
            One row for each of the file's: ``row`` (its line), ``item_id``, ``verdict``, ``result`` (recorded, already
            applied, unchanged, conflict, unknown_item, bad_verdict, failed) and ``detail``. A conflict is an item that
            somebody decided otherwise since the file was written, that rows before it decide otherwise, or of which
            the file says two things; it is left as it is.

        Raises:
            InputError: It is no such file.
        """
        sheet = Sheet(path)
        with self._lock:
            said = self._read(sheet)
            try:
                done = self._put(said)
            except (KgkitError, OSError) as error:
                for one in said:
                    sheet.tell(one.entry.item_id, "failed", str(error))
            else:
                clash = self._state.contradicting()
                for answer in done:
                    detail = "it contradicts other decisions" if answer.decision_id in clash else None
                    sheet.tell(answer.item_id, answer.status, detail)
        self._changed()
        self._after([one.entry for one in said])
        return give(sheet.results(), None, self._backend)

    def _read(self, sheet: Sheet) -> list[Said]:
        """Give what a sheet answers, each row as if those before were decided already."""
        trial = State(self._entries, self._state.decisions)
        found: list[Said] = []
        for row in sheet.wanted(lambda item: trial.stands[item].status if item in trial.stands else None):
            said = self._said(self._entries[row.item_id], row.verdict, row.given, row.note)
            try:
                trial.take([self._tried(said, len(found))])
            except InputError as error:
                sheet.tell(row.item_id, "failed", str(error))
                continue
            found.append(said)
        return found


def _policy(batch: str, held: list[Decision], counting: set[str]) -> dict[str, Any]:
    first, n = held[0], sum(d.decision_id in counting for d in held)
    return {
        "policy": first.payload["rule"], "verdict": first.verdict, "threshold": first.payload.get("threshold"), "n": n,
        "n_replaced": len(held) - n, "by": first.payload.get("by"), "decided_at": first.decided_at, "batch": batch,
    }  # fmt: skip
