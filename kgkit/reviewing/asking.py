"""Looking at items, and deciding on one at a time."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import polars as pl

from kgkit.errors import InputError, OptionError
from kgkit.frames import give
from kgkit.resolution import conflicts as find_conflicts
from kgkit.resolution.decisions import Decision
from kgkit.reviewing.cards import Card
from kgkit.reviewing.desk import Desk, item_of
from kgkit.reviewing.entries import Entry
from kgkit.reviewing.orders import ORDERS, Filters
from kgkit.reviewing.state import OPEN, UNDECIDED
from kgkit.reviewing.told import Answer, Progress, expected_errors, progress_of

__all__ = ["Asking"]

_SLIP = 0.02
_REMEMBERED = 500  # messages that are remembered, so that a repeated one changes nothing
_QUEUE = {
    "item_id": pl.String, "kind": pl.String, "name": pl.String, "type": pl.String, "score": pl.Float64,
    "status": pl.String, "reviewer": pl.String, "implied": pl.Boolean, "n_members": pl.Int64, "n_mentions": pl.Int64,
    "group": pl.String, "note": pl.String, "error": pl.String,
}  # fmt: skip


class Asking(Desk):
    """A queue of proposals, asked about one by one."""

    # Looking

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
            front = [i for i in self._front if i in self._stands and self.status_of(i) in OPEN]
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
            ``score`` (left out in blind mode), ``against``, ``status``, ``decision`` and ``error``.

        Raises:
            InputError: There is no such item.
        """
        with self._lock:
            entry = self._entry(item_id)
            card = self._cards.card(entry, self._state.apart)
            return card | self._standing(entry)

    def status_of(self, item_id: str) -> str:
        """Tell how an item stands: undecided, accepted, rejected, skipped or flagged."""
        return self._stands[item_id].status

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
            return [_told(d) | {"label": self._label_of(d), "item_id": item_of(d)} for d in reversed(own)]

    @property
    def conflicts(self) -> Any:
        """Merges that contradict other decisions, and how to settle them; see `kgkit.resolution.conflicts`."""
        return find_conflicts(self.decisions)

    @property
    def progress(self) -> Progress:
        """How far this is, within the filters."""
        with self._lock:
            stands = [self._stands[i] for i in self._ordered]
            return progress_of(stands, self._times, self._n_conflicts)

    def expected_errors(self, *, slip: float = _SLIP) -> Any:
        """Expect errors from the scores: ``by`` (person, rule, left), ``verdict``, ``n``, ``expected_errors``.

        Args:
            slip: Share of answers that people give wrongly.
        """
        with self._lock:
            entries = [self._entries[i] for i in self._active]
            return give(expected_errors(entries, self._stands, slip=slip), None, self._backend)

    # Deciding

    def decide(
        self,
        item_id: str,
        verdict: str,
        *,
        members: Iterable[str] | None = None,
        name: str | None = None,
        type: str | None = None,
        predicate: str | None = None,
        reverse: bool | None = None,
        polarity: str | None = None,
        statement_ids: Iterable[str] | None = None,
        parts: Sequence[Mapping[str, Any]] | None = None,
        note: str | None = None,
        token: str | None = None,
    ) -> Answer:
        """Decide on an item. When this returns, the decision is kept; when it raises, the item is as it was.

        Args:
            item_id: The item.
            verdict: accepted, rejected, skipped or flagged. The last two come back later.
            members: Of a group the entities that are one; the others are kept apart from them.
            name: The name to have: of what is merged, or of an entity.
            type: The type to have.
            predicate: What a relation should say.
            reverse: Whether a relation should run the other way.
            polarity: What a relation should be: positive, negated, conditional or reported.
            statement_ids: Of a rejected relation the statements that are no evidence for it; the others stay.
            parts: Of an entity that is several: who leaves it, as the payload of a split has it.
            note: Why.
            token: An id of the message that asked for this. The same token again changes nothing.

        Raises:
            InputError: There is no such item, or the answer does not fit it.
            OptionError: The verdict is not known.
            ProjectError: It could not be written; ``errors[item_id]`` says so too.
        """
        given = {
            "members": members, "name": name, "type": type, "predicate": predicate, "reverse": reverse,
            "polarity": polarity, "statement_ids": None if statement_ids is None else list(statement_ids),
            "parts": parts, "revoked": None,
        }  # fmt: skip
        with self._lock:
            if token is not None and token in self._answered:
                return replace(self._answered[token], status="already applied")
            entry = self._entry(item_id)
            answer = self._put(entry, verdict, given, note, seen=self._seen(entry), reviewer=self.reviewer)
            if token is not None:
                self._answered[token] = answer
                while len(self._answered) > _REMEMBERED:
                    self._answered.pop(next(iter(self._answered)))
            self._times.append(time.monotonic())
        self._changed()
        self._answered_one(entry)
        return answer

    def _answered_one(self, entry: Entry) -> None:
        """Do what follows an answer."""

    def undo(self, n: int = 1) -> list[str]:
        """Take back this reviewer's last ``n`` steps, of earlier sessions too; a bulk decision is one step.

        Returns:
            The items that are asked about again, the first of them next.
        """
        items: list[str] = []
        for _ in range(n):
            with self._lock:
                step = self._last_step()
                self._take_back(*reversed(step))
                items += [item_of(d) for d in reversed(step)]
                self._front = [*dict.fromkeys([*items[::-1], *self._front])] if step else self._front
            if not step:
                break
        self._changed()
        return items

    def undo_decision(self, decision_id: str) -> str:
        """Take back one decision, whoever made it; gives the item it was about.

        Raises:
            InputError: There is no such decision that counts.
        """
        with self._lock:
            found = next((d for d in self._state.undoable if d.decision_id == decision_id), None)
            if found is None:
                msg = f"There is no decision {decision_id!r} to take back. See review.decisions."
                raise InputError(msg)
            self._take_back(found)
            item = item_of(found)
            self._front = [item, *[i for i in self._front if i != item]]
        self._changed()
        return item

    def refresh(self) -> Self:
        """Read the decisions again, also those that others made meanwhile."""
        with self._lock:
            self._settle()
            self._order()
        return self

    def ask(self, order: str | None = None, **filters: Any) -> Self:
        """Choose what is asked about, and in which order; filters that are not named here are taken away.

        Args:
            order: ``teach``, ``uncertain``, ``consequential``, ``score``, ``group`` or ``random``; as before when null.
            **filters: ``kind``, ``type``, ``document`` (doc_id or source), ``low`` and ``high`` (of the score),
                ``entity`` (an entity_id).

        Raises:
            OptionError: The order or a filter is not known.
        """
        if order is not None and order not in ORDERS:
            raise OptionError.not_one_of("order", order, ORDERS)
        strange = [f for f in filters if f not in Filters.__dataclass_fields__]
        if strange:
            raise OptionError.not_one_of("filter", strange[0], Filters.__dataclass_fields__)
        with self._lock:
            self.order = order or self.order
            self.filters = Filters(**filters)
            self._front = []
            self._order()
        self._changed()
        return self

    # As rows and cards

    def _row(self, entry: Entry) -> dict[str, Any]:
        stand = self._stands[entry.item_id]
        said = stand.decision
        types = sorted({t for t in map(self._cards.type, entry.members) if t})
        return {
            "item_id": entry.item_id, "kind": entry.kind, "name": self._cards.label(entry),
            "type": ", ".join(types) or None, "score": None if self.blind else entry.score, "status": stand.status,
            "reviewer": said.reviewer if said else None, "implied": stand.implied, "n_members": len(entry.members),
            "n_mentions": self._touched(entry), "group": entry.group, "note": said.row["note"] if said else None,
            "error": self.errors.get(entry.item_id),
        }  # fmt: skip

    def _standing(self, entry: Entry) -> Card:
        stand = self._stands[entry.item_id]
        made: Card = {
            "status": stand.status,
            "implied": stand.implied,
            "decision": _told(stand.decision) if stand.decision and not self.blind else None,
            "error": self.errors.get(entry.item_id),
            "n_mentions": self._touched(entry),
        }
        hidden: Card = {"score": None, "reasons": []}
        return made | (hidden if self.blind else {"score": entry.score})

    def _label_of(self, decision: Decision) -> str:
        entry = self._entries.get(item_of(decision))
        if entry is not None:
            return self._cards.label(entry)
        ids = decision.payload.get("entity_ids") or [decision.subject_id]
        return " = ".join(map(self.name_of, ids))


def _told(decision: Decision) -> Card:
    return {
        "decision_id": decision.decision_id, "verdict": decision.verdict, "kind": decision.kind,
        "reviewer": decision.reviewer, "note": decision.row["note"], "at": decision.decided_at.isoformat(),
        "batch": decision.payload.get("batch"), "name": decision.payload.get("name"),
    }  # fmt: skip
