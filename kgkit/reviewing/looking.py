"""Looking at items: the queue, cards, what was decided last, how far it is, and of what reviewers differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import polars as pl

from kgkit.errors import InputError, OptionError
from kgkit.frames import give
from kgkit.resolution import conflicts as find_conflicts
from kgkit.resolution.decisions import Decision
from kgkit.reviewing.agreeing import compared, first_words
from kgkit.reviewing.cards import Card
from kgkit.reviewing.desk import Desk
from kgkit.reviewing.entries import Entry
from kgkit.reviewing.kinds import subject_of
from kgkit.reviewing.orders import ORDERS, Filters
from kgkit.reviewing.payload import core_of
from kgkit.reviewing.state import OPEN, UNDECIDED
from kgkit.reviewing.told import Progress, expected_errors, progress_of

__all__ = ["Looking"]

_SLIP = 0.02
_QUEUE = {
    "item_id": pl.String, "kind": pl.String, "name": pl.String, "type": pl.String, "score": pl.Float64,
    "status": pl.String, "reviewer": pl.String, "implied": pl.Boolean, "n_members": pl.Int64, "n_mentions": pl.Int64,
    "group": pl.String, "note": pl.String, "error": pl.String,
}  # fmt: skip
_DISPUTED: Mapping[str, Any] = {
    "item_id": pl.String, "kind": pl.String, "name": pl.String, "reviewer": pl.String, "verdict": pl.String,
    "says": pl.String, "note": pl.String, "decision_id": pl.String, "decided_at": pl.Datetime("us", "UTC"),
}  # fmt: skip


class Looking(Desk):
    """A queue of proposals to look at."""

    @property
    def decisions(self) -> Any:
        """All decisions, as a decisions frame, whoever made them."""
        return give(self._store.frame(), "decisions", self._backend)

    @property
    def queue(self) -> Any:
        """The items within the filters, in the order in which they are asked about.

        One row each: ``item_id``, ``kind``, ``name`` (all of it in one line), ``type``, ``score`` (null in blind
        mode), ``status`` (undecided, accepted, rejected, skipped, flagged), ``reviewer``, ``implied`` (whether the
        status follows from decisions about others), ``n_members``, ``n_mentions`` (those that would change hands),
        ``group``, ``note`` and ``error``.
        """
        with self._lock:
            rows = [self._row(self._entries[i]) for i in self._ordered]
        return give(pl.DataFrame(rows, schema=_QUEUE), None, self._backend)

    def next(self) -> Card | None:
        """Give the next item to decide on, as `item` does; null when all are decided.

        First the undecided in order, then the skipped, then the flagged ones, those longest ago first.
        """
        ids = self.upcoming(1)
        return self.item(ids[0]) if ids else None

    def upcoming(self, n: int, *, without: Iterable[str] = ()) -> list[str]:
        """Give the ids of the next ``n`` items."""
        left = set(without)
        with self._lock:
            found: list[str] = []
            front = dict.fromkeys(i for i in self._front if i in self._active and self.status_of(i) in OPEN)
            for item in [*front, *self._ordered]:
                if len(found) == n:
                    return found
                if item not in left and (item in front or self.status_of(item) == UNDECIDED):
                    found.append(item)
                    left.add(item)
            for status in OPEN[1:]:
                back = [i for i in self._ordered if i not in left and self.status_of(i) == status]
                found += sorted(back, key=lambda i: self._came.get(i, 0))
            return found[:n]

    def item(self, item_id: str) -> Card:
        """Give everything that is needed to decide on an item.

        Returns:
            A mapping of plain values: ``item_id``, ``kind``, ``label``, ``question``, ``sides`` (each with name, type,
            aliases, counts, attributes, ``neighbours`` that the others have not, and verbatim ``quotes`` with document
            and place), ``common`` (neighbours of all), ``between`` (sentences that name two of them), ``reasons`` and
            ``score`` (left out in blind mode), ``against``, ``status``, ``decision``, ``voices`` (what each reviewer
            says; in blind mode after deciding oneself), ``disputed`` and ``error``.

        Raises:
            InputError: There is no such item.
        """
        with self._lock:
            entry = self._entry(item_id)
            card = self._cards.card(entry, set() if self.blind else self._state.apart)
            return card | self._standing(entry)

    def name_of(self, entity_id: str) -> str:
        """Give an entity's name; the id itself where the graph has no such entity."""
        return self._cards.name(entity_id) if self._cards.has(entity_id) else entity_id

    def passage(self, doc_id: str, start: int, end: int) -> dict[str, Any] | None:
        """Give a document's text around a place; null when its text is not here.

        Returns:
            ``before``, ``quote`` (the text from ``start`` to ``end``), ``after``, ``source``, ``n_chars`` and whether
            there is more (``more_before``, ``more_after``).
        """
        return self._cards.words.passage(doc_id, start, end)

    def recent(self, n: int = 10) -> list[Card]:
        """Give this reviewer's latest decisions that are not undone, the newest first."""
        with self._lock:
            own = [d for d in self._state.undoable if self._is_own(d)][-n:]
            return [_told(d) | {"label": self._label_of(d), "item_id": subject_of(d)[1]} for d in reversed(own)]

    @property
    def conflicts(self) -> Any:
        """Merges that contradict other decisions, and how to settle them; see `kgkit.resolution.conflicts`."""
        return find_conflicts(self.decisions)

    @property
    def progress(self) -> Progress:
        """How far this is, within the filters."""
        with self._lock:
            stands = [self._stands[i] for i in self._ordered]
            return progress_of(stands, self._times, self._state.conflicts)

    def expected_errors(self, *, slip: float = _SLIP) -> Any:
        """Expect errors from the scores: ``by`` (person, rule, left), ``verdict``, ``n``, ``expected_errors``.

        Args:
            slip: Share of answers that people give wrongly.
        """
        with self._lock:
            entries = [self._entries[i] for i in self._active]
            return give(expected_errors(entries, self._stands, slip=slip), None, self._backend)

    @property
    def disagreements(self) -> Any:
        """What reviewers say different things of, and nobody settled: one row for each item and reviewer.

        Columns: ``item_id``, ``kind``, ``name`` (of the item), ``reviewer``, ``verdict``, ``says`` (what else was
        answered, in words; null when nothing was), ``note``, ``decision_id``, ``decided_at``. In blind mode without
        the items that one has not decided oneself.
        """
        with self._lock:
            rows = [
                {"item_id": item, "kind": kind, "name": self._cards.label(self._entries[item]), **_voice(decision)}
                | {"decided_at": decision.decided_at}
                for (kind, item), by in sorted(self._disputes.items())
                for _, decision in sorted(by.items())
                if self._may_hear((kind, item))
            ]
        return give(pl.DataFrame(rows, schema=_DISPUTED), None, self._backend)

    @property
    def agreement(self) -> Any:
        """How far each two reviewers agree, within what this review is about; see `kgkit.reviewing.agreement`."""
        with self._lock:
            about = [d for d in self._state.undoable if subject_of(d)[1] in self._entries]
            return give(compared(first_words(about)), None, self._backend)

    @property
    def orders(self) -> list[str]:
        """The orders in which can be asked here."""
        with self._lock:
            several = len({who for by in self._voices.values() for who in by}) > 1
        left_out = {"teach": self._merges is None, "score": self.blind, "disagreements": not several}
        return [order for order in ORDERS if not left_out.get(order) or order == self.order]

    def refresh(self) -> Self:
        """Read the decisions again, also those that others made meanwhile."""
        with self._lock:
            self._settle()
            self._order()
        return self

    def ask(self, order: str | None = None, **filters: Any) -> Self:
        """Choose what is asked about, and in which order; filters that are not named here are taken away.

        Args:
            order: ``teach``, ``uncertain``, ``consequential``, ``score``, ``group``, ``random`` or ``disagreements``
                (only what reviewers say different things of); as before when null.
            **filters: ``kind``, ``type``, ``document`` (doc_id or source), ``low`` and ``high`` (of the score),
                ``entity`` (an entity_id).

        Raises:
            OptionError: The order or a filter is not known, or a filter is no text, or no number where it is a score.
        """
        if order is not None and order not in ORDERS:
            raise OptionError.not_one_of("order", order, ORDERS)
        strange = [f for f in filters if f not in Filters.__dataclass_fields__]
        if strange:
            raise OptionError.not_one_of("filter", strange[0], Filters.__dataclass_fields__)
        with self._lock:
            self.filters = Filters(**filters)
            self.order = order or self.order
            self._front = []
            self._stand_anew()
            self._order()
        self._changed()
        return self

    # As rows and cards

    def _row(self, entry: Entry) -> dict[str, Any]:
        stand = self._stands[entry.item_id]
        said = stand.decision if self._may_hear((entry.kind, entry.item_id)) else None
        types = sorted({t for t in map(self._cards.type, entry.members) if t})
        return {
            "item_id": entry.item_id, "kind": entry.kind, "name": self._cards.label(entry),
            "type": ", ".join(types) or None, "score": None if self.blind else entry.score, "status": stand.status,
            "reviewer": said.reviewer if said else None, "implied": stand.implied, "n_members": len(entry.members),
            "n_mentions": self._cards.touched(entry), "group": entry.group, "note": said.row["note"] if said else None,
            "error": self.errors.get(entry.item_id),
        }  # fmt: skip

    def _standing(self, entry: Entry) -> Card:
        stand, about = self._stands[entry.item_id], (entry.kind, entry.item_id)
        said, hears = stand.decision, self._may_hear(about)
        made: Card = {
            "status": stand.status,
            "implied": stand.implied,
            "decision": _told(said) if said and (hears or said.reviewer == self.reviewer) else None,
            "voices": [_voice(d) for _, d in sorted(self._voices.get(about, {}).items())] if hears else [],
            "disputed": about in self._disputes,
            "error": self.errors.get(entry.item_id),
            "n_mentions": self._cards.touched(entry),
        }
        hidden: Card = {"score": None, "reasons": [], "weakest_score": None}
        return made | (hidden if self.blind else {"score": entry.score})

    def label_of(self, decision_id: str) -> str:
        """Name what a decision is about in one line.

        Raises:
            InputError: There is no such decision.
        """
        found = [d for d in self._state.decisions if d.decision_id == decision_id]
        if not found:
            msg = f"There is no decision {decision_id!r}. See review.decisions."
            raise InputError(msg)
        return self._label_of(found[0])

    def _label_of(self, decision: Decision) -> str:
        entry = self._entries.get(subject_of(decision)[1])
        ids = decision.payload.get("entity_ids") or [decision.subject_id]
        if entry is not None and (entry.kind != "merge" or set(ids) == set(entry.members)):
            return self._cards.label(entry)
        return " = ".join(map(self.name_of, ids))


def _told(decision: Decision) -> Card:
    return {
        "decision_id": decision.decision_id, "verdict": decision.verdict, "kind": decision.kind,
        "reviewer": decision.reviewer, "note": decision.row["note"], "at": decision.decided_at.isoformat(),
        "batch": decision.payload.get("batch"), "name": decision.payload.get("name"),
    }  # fmt: skip


def _voice(decision: Decision) -> Card:
    return {
        "reviewer": decision.reviewer, "verdict": decision.verdict, "says": _in_words(decision),
        "note": decision.row["note"], "decision_id": decision.decision_id, "at": decision.decided_at.isoformat(),
    }  # fmt: skip


def _in_words(decision: Decision) -> str | None:
    """Say what was answered besides the verdict."""
    said = {k: v for k, v in core_of(decision.payload).items() if k != "entity_ids"}
    return "; ".join(f"{k}: {_plain(v)}" for k, v in sorted(said.items())) or None


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("name", "")) or ", ".join(f"{k} {_plain(v)}" for k, v in sorted(value.items()))
    return ", ".join(map(_plain, value)) if isinstance(value, (list, tuple)) else str(value)
