"""What decisions make of the items of a queue: a pure function of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from kgkit.resolution.decisions import Decision, judge, resolve_merges
from kgkit.reviewing.entries import Entry

__all__ = ["OPEN", "UNDECIDED", "Stand", "State"]

UNDECIDED = "undecided"
OPEN = (UNDECIDED, "skipped", "flagged")
_GONE = ("undone", "undo", "circular", "no_such_decision", "bad_payload")


class Stand(NamedTuple):
    """How an item stands.

    ``status`` is undecided, accepted, rejected, skipped or flagged. ``decision`` is what was said about this very
    item; null where nothing was, also when it follows from what was said about others (``implied``).
    """

    status: str = UNDECIDED
    decision: Decision | None = None
    implied: bool = False


class State:
    """What decisions amount to, for some items.

    Working it out takes all decisions; adding the newest one takes only what it touches, and gives the same.

    Attributes:
        stands: How each item stands, by its id.
        live: The decisions that count, oldest first.
        undoable: Decisions that are not undone, and are no undo, oldest first.
        root: The group of each entity that some merge names.
        members: The entities of each group.
        apart: Pairs of entities that are kept apart.
        conflicts: Number of merges that contradict others.
    """

    def __init__(self, entries: Mapping[str, Entry], decisions: Sequence[Decision]) -> None:
        self._entries = entries
        self._about: dict[str, list[Entry]] = {}
        for entry in entries.values():
            for member in entry.members:
                self._about.setdefault(member, []).append(entry)
        self._decisions = list(decisions)
        self.work_out()

    def work_out(self) -> None:
        """Work everything out from all decisions."""
        judged = judge(self._decisions)
        reasons = {d: standing.reason for d, standing in judged.items()}
        self.live = [d for d in self._decisions if reasons[d.decision_id] is None]
        self.undoable = [d for d in self._decisions if reasons[d.decision_id] not in _GONE]
        merging = resolve_merges(self.live)
        self.root, self.apart = dict(merging.root), set(merging.apart)
        self.members = {group: set(ids) for group, ids in merging.members.items()}
        self.conflicts = len(merging.conflicts)
        self._applied = set(merging.applied)
        self._bars: dict[str, set[str]] = {}
        for one, other in self.apart:
            self._bar(one, other)
        self._said = {_subject(d): d for d in self.live}
        self._noted = {_subject(d): d for d in self.undoable if reasons[d.decision_id] == "noted"}
        self.stands = dict.fromkeys(self._entries, Stand())
        touched = [*self.root, *self._bars]
        self._stand({e.item_id: e for m in touched for e in self._about.get(m, ())})
        self._stand({item: self._entries[item] for _, item in [*self._said, *self._noted] if item in self._entries})

    @property
    def n_decisions(self) -> int:
        """Number of all decisions, undone ones too."""
        return len(self._decisions)

    def put(self, decision: Decision) -> None:
        """Take a decision that is newer than all others, without working out what it does."""
        self._decisions.append(decision)

    def add(self, decision: Decision) -> None:
        """Take a decision that is newer than all others."""
        self._decisions.append(decision)
        ids = list(decision.payload.get("entity_ids", ()))
        plain = decision.kind == "merge" and _subject(decision) not in self._said and not decision.payload.get("apart")
        if decision.verdict in ("skipped", "flagged"):
            self._noted[_subject(decision)] = decision
        elif plain and decision.verdict == "accepted" and self.may_join(ids):
            self._join(ids)
            self._applied.add(decision.decision_id)
            self._said[_subject(decision)] = decision
            self.live.append(decision)
        elif plain and decision.verdict == "rejected" and len({self.group_of(i) for i in ids}) == len(ids):
            for one, other in combinations(sorted(ids), 2):
                self.apart.add((one, other))
                self._bar(one, other)
            self._said[_subject(decision)] = decision
            self.live.append(decision)
        else:
            return self.work_out()
        self.undoable.append(decision)
        touched = {m for i in ids for m in self.members.get(self.group_of(i), {i})}
        self._stand({e.item_id: e for m in touched for e in self._about.get(m, ())})
        own = self._entries.get(_subject(decision)[1])
        if own is not None:
            self._stand({own.item_id: own})
        return None

    def group_of(self, entity_id: str) -> str:
        """Give the group of an entity; one that no merge names is its own."""
        return self.root.get(entity_id, entity_id)

    def are_apart(self, one: str, other: str) -> bool:
        """Tell whether two groups are kept apart."""
        small, large = sorted((self.members.get(g, {g}) for g in (one, other)), key=len)
        return any(not large.isdisjoint(self._bars.get(m, ())) for m in small)

    def may_join(self, ids: Iterable[str]) -> bool:
        """Tell whether entities can be one without contradicting what is kept apart."""
        groups = {self.group_of(i) for i in ids}
        return not any(self.are_apart(a, b) for a, b in combinations(groups, 2))

    def _join(self, ids: Iterable[str]) -> None:
        groups = {self.group_of(i) for i in ids}
        whole = {m for g in groups for m in self.members.get(g, {g})}
        for group in groups:
            self.members.pop(group, None)
        first = min(whole)
        self.members[first] = whole
        self.root.update(dict.fromkeys(whole, first))

    def _bar(self, one: str, other: str) -> None:
        self._bars.setdefault(one, set()).add(other)
        self._bars.setdefault(other, set()).add(one)

    def _stand(self, entries: Mapping[str, Entry]) -> None:
        """Work out how some items stand."""
        for item, entry in entries.items():
            direct, note = self._said.get((entry.kind, item)), self._noted.get((entry.kind, item))
            if entry.kind == "merge":
                stand = self._merge_stand(entry, direct)
            else:
                stand = Stand(direct.verdict, direct) if direct else Stand()
            self.stands[item] = Stand(note.verdict, note) if stand.status == UNDECIDED and note else stand

    def _merge_stand(self, entry: Entry, direct: Decision | None) -> Stand:
        groups = sorted({self.group_of(m) for m in entry.members})
        if len(groups) == 1:
            return Stand("accepted", direct, direct is None)
        if all(self.are_apart(a, b) for a, b in combinations(groups, 2)):
            status = "rejected" if len(groups) == len(entry.members) else "accepted"
            return Stand(status, direct, direct is None)
        if direct is not None and direct.decision_id in self._applied:  # some members were left out
            return Stand("accepted", direct)
        return Stand()


def _subject(decision: Decision) -> tuple[str, str]:
    """Give the kind and the id of the item that a decision is about."""
    kind = "type" if decision.kind == "split" else decision.kind
    return kind, str(decision.payload.get("item", decision.subject_id))
