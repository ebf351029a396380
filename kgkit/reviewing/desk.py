"""What a review holds: items, decisions, and how items stand."""

from __future__ import annotations

import getpass
from collections.abc import Iterable, Mapping
from functools import cached_property
from threading import RLock
from typing import Any, Unpack

import polars as pl

from kgkit import tables
from kgkit.errors import InputError
from kgkit.frames import Backend, backend_of, take
from kgkit.ids import stable_id
from kgkit.resolution.decisions import Decision, read_decisions
from kgkit.reviewing.agreeing import Voices, disputed, voices
from kgkit.reviewing.cards import Cards
from kgkit.reviewing.entries import Entry, kinds_in, read_entries
from kgkit.reviewing.kinds import subject_of
from kgkit.reviewing.links import Links
from kgkit.reviewing.options import Options, checked
from kgkit.reviewing.orders import Filters, ordered
from kgkit.reviewing.payload import COUNT
from kgkit.reviewing.state import OPEN, Stand, State
from kgkit.reviewing.store import InMemory, InProject, Keeps
from kgkit.reviewing.told import Answer
from kgkit.reviewing.words import Words

__all__ = ["Desk"]


class Desk:
    """Items and decisions; what a `Review` is made on."""

    def __init__(self, proposals: Any, graph: Any, **options: Unpack[Options]) -> None:
        chosen = checked(options)
        entities = take(graph, "entities", require=["entity_id", "name"])
        held = getattr(graph, "frames", {})
        relations = take(held["relations"], "relations").frame if "relations" in held else tables.empty("relations")
        self._graph = graph
        self._lock = RLock()
        self._backend: Backend = backend_of(held.get("entities", graph))
        several = proposals if isinstance(proposals, (list, tuple)) else [proposals]
        self._merges = next((p for p in several if getattr(p, "scored", None) is not None), None)
        self._groups, self._seed, self.learn = chosen["groups"], chosen["seed"], chosen["learn"]
        self._cards = Cards(_with_counts(entities.frame), relations, Words(graph, chosen["documents"]))
        project = chosen["project"]
        self._store: Keeps = InMemory(chosen["decisions"]) if project is None else InProject(project)
        self.reviewer, self.blind = chosen["reviewer"] or _user(), chosen["blind"]
        self.second_opinion = chosen["second_opinion"]
        self.order = chosen["order"] or ("uncertain" if self._merges is None else "teach")
        self.filters = Filters()
        entries = read_entries(proposals, self._cards.ids, groups=self._groups)
        self._asks = kinds_in(proposals)
        self._entries: dict[str, Entry] = {}
        self._active: set[str] = set()
        self._take(entries)
        self._types = sorted({t for e in entries for t in map(self._cards.type, e.members) if t})
        self._kinds = sorted({e.kind for e in entries})
        self._first: list[str] = []
        self._front: list[str] = []
        self._came: dict[str, int] = {}
        self._turns = 0
        self._times: list[float] = []
        self._answered: dict[str, Answer] = {}
        self._drawn: dict[str, bool] = {}
        self.errors: dict[str, str] = {}
        self._settle()
        self._order()

    def _take(self, entries: Iterable[Entry]) -> None:
        """Ask about more items; the pairs within them are held ready."""
        found = {e.item_id: e for e in entries}
        self._links = Links(found.values())
        self._entries |= self._links.entries | found
        self._active |= found.keys()

    # How things stand

    def status_of(self, item_id: str) -> str:
        """Tell how an item stands: undecided, accepted, rejected, skipped or flagged."""
        return self._stands[item_id].status

    def _settle(self) -> None:
        """Read the decisions again, and work out anew how items stand."""
        decisions = read_decisions(self._store.frame())
        self._state = State(self._entries, decisions)
        recalled = self._recalled()
        if recalled:
            self._entries |= recalled
            self._active |= recalled.keys()
            self._state = State(self._entries, decisions)
        self._stand_anew()

    def _recalled(self) -> dict[str, Entry]:
        """Make items of merges that were decided earlier and are not proposed any more, so that they can be changed."""
        found: dict[str, Entry] = {}
        for decision in self._state.undoable if "merge" in self._asks else ():
            item, payload = subject_of(decision)[1], decision.payload
            if decision.kind != "merge" or item in self._active:
                continue
            if item in self._entries:
                found[item] = self._entries[item]
                continue
            ids = tuple(
                sorted({*payload.get("entity_ids", ()), *(payload.get("apart", ()) if "item" in payload else ())})
            )
            if len(ids) > 1 and all(map(self._cards.has, ids)):
                found[item] = Entry(item, "merge", ids, payload.get("score"), str(payload.get("method", "")))
        return found

    def _stand_anew(self) -> None:
        """Take the state for how items stand, but for those that are asked about again."""
        self._clear()
        self._stands: Mapping[str, Stand] = self._state.stands
        if self.second_opinion or self.order == "disagreements":
            self._stands = {**self._stands, **self._asked_again()}
        active = self._links.follow(self._state.stands, self._active)
        if active is not self._active:
            self._active = active
            self._order()

    def _asked_again(self) -> dict[str, Stand]:
        """Give how items stand that are asked about although they are decided.

        These are the items of the sample for second opinions that others decided and this reviewer did not, and, when
        disagreements are asked about, those that nobody settled.
        """
        own: set[tuple[str, str]] = set()
        put_off: dict[tuple[str, str], Stand] = {}
        for decision in filter(self._is_own, self._state.undoable):
            about = subject_of(decision)
            if decision.verdict in COUNT:
                own.add(about)
                put_off.pop(about, None)
            else:
                put_off[about] = Stand(decision.verdict, decision)
        asked = set(self._disputes) if self.order == "disagreements" else set()
        if self.second_opinion:
            decided = [e for i, e in self._entries.items() if self._is_decided(self._state.stands[i])]
            asked |= {(e.kind, e.item_id) for e in decided if self._is_drawn(e.item_id)} - own
        return {item: put_off.get((kind, item), Stand()) for kind, item in asked if item in self._entries}

    @staticmethod
    def _is_decided(stand: Stand) -> bool:
        return stand.decision is not None and stand.status not in OPEN

    def _is_drawn(self, item_id: str) -> bool:
        """Tell whether an item is in the sample for second opinions."""
        if item_id not in self._drawn:
            number = int(stable_id("again", self._seed, item_id).rpartition("_")[2], 16) % 10_000
            self._drawn[item_id] = number < int(self.second_opinion * 10_000)
        return self._drawn[item_id]

    @cached_property
    def _voices(self) -> Voices:
        """What each reviewer says of each item."""
        return voices(self._state.undoable)

    @cached_property
    def _disputes(self) -> Voices:
        """The items of which reviewers say different things, among those that this review is about."""
        return {about: by for about, by in disputed(self._voices).items() if about[1] in self._entries}

    def _clear(self) -> None:
        for name in ("_voices", "_disputes"):
            self.__dict__.pop(name, None)

    def _may_hear(self, about: tuple[str, str]) -> bool:
        """Tell whether this reviewer may know what others say: in blind mode after deciding."""
        return not self.blind or self.reviewer in self._voices.get(about, ())

    # Which items, and in which order

    def _order(self) -> None:
        inside = None if self.filters.document is None else self._cards.words.entities_in(self.filters.document)
        about = self._active
        if self.order == "disagreements":
            about = about & {item for _, item in self._disputes}
        chosen = self.filters.entity
        same = set() if chosen is None else self._state.members.get(self._state.group_of(chosen), {chosen})
        kept = [
            e
            for e in (self._entries[i] for i in about)
            if self.filters.keeps(e, [self._cards.type(m) for m in e.members], inside, same)
        ]
        touched = self._cards.touched
        self._ordered: list[str] = ordered(kept, self.order, touched=touched, seed=self._seed, first=self._first)

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

    def _changed(self) -> None:
        """Tell a front end that something changed."""


def _with_counts(entities: pl.DataFrame) -> pl.DataFrame:
    return entities.with_columns(pl.col("n_mentions", "n_documents").fill_null(0))


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no name for this user id
        return "unknown"
