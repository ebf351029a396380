"""What a review holds: items, decisions, how items stand; and the one way in which a decision is made."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from threading import RLock
from typing import Any

import polars as pl

from kgkit import tables
from kgkit.errors import InputError, OptionError
from kgkit.frames import Backend, backend_of, take
from kgkit.ids import stable_id
from kgkit.resolution.decisions import Decision, read_decisions
from kgkit.resolution.payloads import trouble
from kgkit.reviewing.cards import Cards
from kgkit.reviewing.entries import Entry, kinds_in, read_entries
from kgkit.reviewing.orders import ORDERS, Filters, ordered
from kgkit.reviewing.payload import Wanted, core_of, wanted
from kgkit.reviewing.state import OPEN, Stand, State
from kgkit.reviewing.store import InMemory, InProject, Keeps, Kept
from kgkit.reviewing.told import Answer
from kgkit.reviewing.words import Words

__all__ = ["Desk", "item_of"]

_COUNT = ("accepted", "rejected")


class Desk:
    """Items and decisions; what a `Review` is made on."""

    def __init__(
        self,
        proposals: Any,
        graph: Any,
        *,
        decisions: Any = None,
        project: Any = None,
        documents: Any = None,
        reviewer: str | None = None,
        order: str | None = None,
        groups: bool = True,
        blind: bool = False,
        second_opinion: float = 0.0,
        seed: int = 0,
    ) -> None:
        if decisions is not None and project is not None:
            msg = "Give decisions= or project=, not both: a project has its own decisions."
            raise InputError(msg)
        if not 0 <= second_opinion <= 1:
            msg = f"second_opinion={second_opinion!r} is out of range. Allowed: 0 to 1."
            raise OptionError(msg)
        if order is not None and order not in ORDERS:
            raise OptionError.not_one_of("order", order, ORDERS)
        entities = take(graph, "entities", require=["entity_id", "name"])
        held = getattr(graph, "frames", {})
        relations = take(held["relations"], "relations").frame if "relations" in held else tables.empty("relations")
        self._lock = RLock()
        self._backend: Backend = backend_of(held.get("entities", graph))
        self._merges = proposals if hasattr(proposals, "rescore") and proposals.scored is not None else None
        self._groups, self._seed = groups, seed
        self._cards = Cards(_with_counts(entities.frame), relations, Words(graph, documents))
        self._store: Keeps = InMemory(decisions) if project is None else InProject(project)
        self.reviewer, self.blind, self.second_opinion = reviewer or _user(), blind, second_opinion
        self.order = order or ("uncertain" if self._merges is None else "teach")
        self.filters = Filters()
        entries = read_entries(proposals, entities.frame["entity_id"].to_list(), groups=groups)
        self._asks = kinds_in(proposals)
        self._entries: dict[str, Entry] = {e.item_id: e for e in entries}
        self._active: set[str] = set(self._entries)
        self._first: list[str] = []
        self._front: list[str] = []
        self._came: dict[str, int] = {}
        self._turns = 0
        self._times: list[float] = []
        self._answered: dict[str, Answer] = {}
        self.errors: dict[str, str] = {}
        self._settle()
        self._order()

    # Deciding: the decision is kept first, and then worked out what it does

    def _put(
        self,
        entry: Entry,
        verdict: str,
        given: Mapping[str, Any],
        note: str | None,
        *,
        seen: Mapping[str, Any],
        reviewer: str,
    ) -> Answer:
        decision = wanted(entry, verdict, given, self._now_called(entry))
        held = self._state.stands[entry.item_id].decision
        if held is not None and held.reviewer == reviewer and _same(held, verdict, decision.payload, note):
            self._came[entry.item_id] = self._turn()
            return Answer(entry.item_id, "already applied", held.decision_id, self._n_conflicts)
        try:
            if held is not None and held.reviewer == reviewer and held.verdict in _COUNT:
                self._make_room(entry, verdict, decision, reviewer)
            kept = self._keep(*decision[:2], verdict, {**decision.payload, **seen}, reviewer, note)
        except Exception as error:
            self.errors[entry.item_id] = str(error) or type(error).__name__
            self._settle()
            self._changed()
            raise
        self.errors.pop(entry.item_id, None)
        self._came[entry.item_id] = self._turn()
        self._ask_again()
        return Answer(entry.item_id, kept.status, kept.row["decision_id"], self._n_conflicts)

    def _make_room(self, entry: Entry, verdict: str, new: Wanted, reviewer: str) -> None:
        """Take back own decisions on an item that would still count beside the new one."""
        own = [d for d in self._state.undoable if d.reviewer == reviewer and d.verdict in _COUNT]
        about = [d for d in own if item_of(d) == entry.item_id and d.kind in (entry.kind, "split")]
        self._take_back(*(d for d in about if verdict not in _COUNT or (d.kind, d.subject_id) != new[:2]))

    def _keep(
        self,
        kind: str,
        subject_id: str,
        verdict: str,
        payload: Mapping[str, Any],
        reviewer: str,
        note: str | None,
        *,
        later: bool = False,
    ) -> Kept:
        problem = trouble(kind, verdict, payload)
        if problem is not None:
            msg = f"This decision cannot be used: {problem}."
            raise InputError(msg)
        kept = self._store.append(kind, subject_id, verdict, payload, reviewer, note)
        if kept.status == "recorded":
            row = kept.row
            made = Decision(
                row["decision_id"], kind, subject_id, verdict, payload, reviewer, row["decided_at"], row, None
            )
            (self._state.put if later else self._state.add)(made)
        else:  # it holds already: perhaps another process wrote it
            self._settle()
        return kept

    def _take_back(self, *decisions: Decision) -> None:
        if not decisions:
            return
        try:
            for decision in decisions:
                payload = {"decision_id": decision.decision_id}
                kind, subject = decision.kind, decision.subject_id
                self._keep(kind, subject, "undone", payload, self.reviewer, None, later=True)
        finally:
            self._state.work_out()
            self._ask_again()

    def _seen(self, entry: Entry) -> dict[str, Any]:
        seen: dict[str, Any] = {"method": entry.method} if entry.method else {}
        if entry.score is not None:
            seen["score"] = round(entry.score, 4)
        return seen | ({"blind": True} if self.blind else {})

    def _now_called(self, entry: Entry) -> dict[str, Any]:
        if entry.kind != "type":
            return {}
        return {"name": self._cards.name(entry.members[0]), "type": self._cards.type(entry.members[0])}

    # How things stand

    def _settle(self) -> None:
        """Read the decisions again, and work out anew how items stand."""
        decisions = read_decisions(self._store.frame())
        self._state = State(self._entries, decisions)
        recalled = self._recalled()
        if recalled:
            self._entries |= recalled
            self._active |= recalled.keys()
            self._state = State(self._entries, decisions)
        self._ask_again()

    def _recalled(self) -> dict[str, Entry]:
        """Make items of merges that were decided earlier and are not proposed any more, so that they can be changed."""
        found: dict[str, Entry] = {}
        for decision in self._state.undoable if "merge" in self._asks else ():
            item, payload = item_of(decision), decision.payload
            if decision.kind != "merge" or item in self._entries:
                continue
            ids = tuple(
                sorted({*payload.get("entity_ids", ()), *(payload.get("apart", ()) if "item" in payload else ())})
            )
            if len(ids) > 1 and all(map(self._cards.has, ids)):
                found[item] = Entry(item, "merge", ids, payload.get("score"), str(payload.get("method", "")))
        return found

    def _ask_again(self) -> None:
        """For second opinions, items that only others decided count as undecided."""
        self._stands: Mapping[str, Stand] = self._state.stands
        if self.second_opinion:
            self._stands = {**self._stands, **dict.fromkeys(self._asked_again(), Stand())}

    def _asked_again(self) -> list[str]:
        """Give the items of the sample that others decided and this reviewer did not."""
        own = {(d.kind, item_of(d)) for d in self._state.undoable if self._is_own(d)}
        share = int(self.second_opinion * 10_000)
        found = []
        for item, stand in self._state.stands.items():
            entry, decided = self._entries[item], stand.decision
            if decided is None or stand.status in OPEN or (entry.kind, item) in own:
                continue
            if int(stable_id("again", self._seed, item).rpartition("_")[2], 16) % 10_000 < share:
                found.append(item)
        return found

    def _order(self) -> None:
        inside = None if self.filters.document is None else self._cards.words.entities_in(self.filters.document)
        kept = [
            e
            for e in (self._entries[i] for i in self._active)
            if self.filters.keeps(e, [self._cards.type(m) for m in e.members], inside)
        ]
        self._ordered: list[str] = ordered(kept, self.order, touched=self._touched, seed=self._seed, first=self._first)

    def _touched(self, entry: Entry) -> int:
        """Count the mentions (of a relation the statements) that a yes would touch."""
        if entry.kind == "relation":
            return int(self._cards.relation(entry.item_id)["weight"] or 0)
        counts = [self._cards.n_mentions(m) for m in entry.members]
        return sum(counts) - max(counts) if entry.kind == "merge" else counts[0]

    def _last_step(self) -> list[Decision]:
        own = [d for d in self._state.undoable if self._is_own(d)]
        if not own:
            return []
        batch = own[-1].payload.get("batch")
        return own[-1:] if batch is None else [d for d in own if d.payload.get("batch") == batch]

    def _is_own(self, decision: Decision) -> bool:
        """Tell whether a decision is this reviewer's, and of a kind that this review is about."""
        return decision.kind in self._asks and self.reviewer in (decision.reviewer, decision.payload.get("by"))

    def _entry(self, item_id: str) -> Entry:
        try:
            return self._entries[item_id]
        except (KeyError, TypeError):
            msg = f"There is no item {item_id!r}. See review.queue."
            raise InputError(msg) from None

    def _turn(self) -> int:
        self._turns += 1
        return self._turns

    @property
    def _n_conflicts(self) -> int:
        return self._state.conflicts

    def _changed(self) -> None:
        """Tell a front end that something changed."""


def _same(held: Decision, verdict: str, payload: Mapping[str, Any], note: str | None) -> bool:
    return held.verdict == verdict and core_of(held.payload) == core_of(payload) and note in (None, held.row["note"])


def item_of(decision: Decision) -> str:
    """Give the item that a decision was about."""
    return str(decision.payload.get("item", decision.subject_id))


def _with_counts(entities: pl.DataFrame) -> pl.DataFrame:
    return entities.with_columns(pl.col("n_mentions", "n_documents").fill_null(0))


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no name for this user id
        return "unknown"
