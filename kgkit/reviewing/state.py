"""What decisions make of the items of a queue: a pure function of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from kgkit.resolution.decisions import Decision, judge, resolve_merges
from kgkit.reviewing.entries import Entry
from kgkit.reviewing.kinds import subject_of
from kgkit.reviewing.payload import COUNT

__all__ = ["OPEN", "UNDECIDED", "Stand", "State"]

UNDECIDED = "undecided"
OPEN = (UNDECIDED, "skipped", "flagged")
_FEW = 20  # decisions up to which each is taken by itself
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
        self.undoable = [d for d in self._decisions if reasons[d.decision_id] not in _GONE]
        elsewhere = [d for d in self.undoable if reasons[d.decision_id] == "other_kind"]  # no matter of a graph
        newest = {subject_of(d): d.decision_id for d in elsewhere if d.verdict in COUNT}
        counting = {d for d, reason in reasons.items() if reason is None} | set(newest.values())
        self.live = [d for d in self._decisions if d.decision_id in counting]
        merging = resolve_merges(self.live)
        self.root, self.apart = dict(merging.root), set(merging.apart)
        self.members = {group: set(ids) for group, ids in merging.members.items()}
        self.conflicts = len(merging.conflicts)
        self._applied = set(merging.applied)
        self._bars: dict[str, set[str]] = {}
        for one, other in self.apart:
            self._bar(one, other)
        self._said = {subject_of(d): d for d in self.live}
        self._noted = {subject_of(d): d for d in self.undoable if d.verdict not in COUNT}
        self.stands = dict.fromkeys(self._entries, Stand())
        touched = [*self.root, *self._bars]
        self._stand({e.item_id: e for m in touched for e in self._about.get(m, ())})
        self._stand({item: self._entries[item] for _, item in [*self._said, *self._noted] if item in self._entries})

    @property
    def n_decisions(self) -> int:
        """Number of all decisions, undone ones too."""
        return len(self._decisions)

    @property
    def decisions(self) -> Sequence[Decision]:
        """All decisions, oldest first."""
        return self._decisions

    def contradicting(self) -> set[str]:
        """Give the ids of the decisions that contradict each other."""
        found = resolve_merges(self.live).conflicts if self.conflicts else []
        return {d for c in found for d in (c.apart_by, c.set_aside, *c.joined_by)}

    def take(self, decisions: Sequence[Decision]) -> None:
        """Take decisions that are newer than all others, oldest first."""
        if len(decisions) <= _FEW and all(map(self._add, decisions)):
            return
        known = {d.decision_id for d in self._decisions}
        self._decisions += [d for d in decisions if d.decision_id not in known]
        self.work_out()

    def _add(self, decision: Decision) -> bool:
        """Take the newest decision by what it touches alone; false when everything is to be worked out."""
        subject, ids = subject_of(decision), list(decision.payload.get("entity_ids", ()))
        if decision.verdict not in (*COUNT, *OPEN):
            return False
        if decision.verdict not in COUNT:
            self._noted[subject] = decision
        elif subject in self._said or not self._added(decision, ids):
            return False
        else:
            self._said[subject] = decision
            self.live.append(decision)
        self._decisions.append(decision)
        self.undoable.append(decision)
        touched = {m for i in ids for m in self.members.get(self.group_of(i), {i})}
        self._stand({e.item_id: e for m in touched for e in self._about.get(m, ())})
        own = self._entries.get(subject[1])
        if own is not None:
            self._stand({own.item_id: own})
        return True

    def _added(self, decision: Decision, ids: list[str]) -> bool:
        """Do what a decision does to groups; false when that is no simple matter."""
        if decision.kind != "merge":
            return decision.kind != "split"
        if decision.payload.get("apart"):
            return False
        if decision.verdict == "accepted":
            if not self.may_join(ids):
                return False
            self._join(ids)
            self._applied.add(decision.decision_id)
            return True
        if len({self.group_of(i) for i in ids}) < len(set(ids)):
            return False
        for one, other in combinations(sorted(set(ids)), 2):
            self.apart.add((one, other))
            self._bar(one, other)
        return True

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
