"""What merges join and keep apart, and which of them contradict others.

Two rules settle everything:

1. Of what decisions say of one pair of entities, whether they are one or not, the newest holds.
2. A merge joins all of its entities or none. From the newest to the oldest, each is applied unless it would bring two
   entities into one group that are kept apart; then it is set aside, as a conflict.

So what keeps two entities apart is overruled by a newer word on that very pair, never by a chain through others.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from kgkit.resolution.decided import Decision, part_ids

__all__ = ["Conflict", "Merging", "resolve_merges"]

_Pair = tuple[str, str]


@dataclass(frozen=True)
class Conflict:
    """A merge that was set aside: the pair that is kept apart, by what, and the merges that would join it."""

    left_id: str
    right_id: str
    apart_by: str
    joined_by: tuple[str, ...]
    set_aside: str


@dataclass(frozen=True)
class Merging:
    """What decisions make of entity ids.

    Attributes:
        root: The group of each id that some applied merge names: its smallest id.
        members: The ids of each group of two or more, in order.
        apart: Pairs that are kept apart, the smaller id first, with the decision that does.
        applied: Ids of the merges that were applied.
        conflicts: One for each merge that was set aside.
    """

    root: dict[str, str]
    members: dict[str, list[str]]
    apart: dict[_Pair, str]
    applied: frozenset[str]
    conflicts: list[Conflict]

    def group_of(self, entity_id: str) -> str:
        """Give the group of an id; an id that no merge names is its own."""
        return self.root.get(entity_id, entity_id)


def resolve_merges(decisions: Sequence[Decision]) -> Merging:
    """Work out groups from the decisions that count, which are in order, oldest first."""
    newest_first = list(reversed(decisions))
    apart = _apart(newest_first)
    bars: dict[str, set[str]] = defaultdict(set)
    for left, right in apart:
        bars[left].add(right)
        bars[right].add(left)
    groups: dict[str, set[str]] = {}
    naming: dict[str, list[Decision]] = defaultdict(list)
    conflicts, applied = [], set()
    for decision in newest_first:
        if decision.kind != "merge" or decision.verdict != "accepted":
            continue
        ids = set(decision.payload["entity_ids"])
        union = set().union(*({id(g): g for g in (groups.get(i, {i}) for i in ids)}.values()))
        barred = min((_pair(i, j) for i in union for j in bars.get(i, ()) if j in union), default=None)
        if barred:
            conflicts.append(_conflict(decision, barred, apart[barred], naming))
            continue
        applied.add(decision.decision_id)
        for entity_id in ids:
            naming[entity_id].append(decision)
        groups.update(dict.fromkeys(union, union))
    distinct = {min(group): sorted(group) for group in groups.values() if len(group) > 1}
    root = {entity_id: first for first, members in distinct.items() for entity_id in members}
    return Merging(root, dict(sorted(distinct.items())), apart, frozenset(applied), conflicts)


def _apart(newest_first: Iterable[Decision]) -> dict[_Pair, str]:
    said: dict[_Pair, str | None] = {}
    for decision in newest_first:
        for pair in _keeps_apart(decision):
            said.setdefault(pair, decision.decision_id)
        if decision.kind == "merge" and decision.verdict == "accepted":
            for pair in _pairs(decision.payload["entity_ids"]):
                said.setdefault(pair, None)
    return {pair: decision_id for pair, decision_id in said.items() if decision_id is not None}


def _keeps_apart(decision: Decision) -> Iterable[_Pair]:
    if decision.kind == "split" and decision.verdict == "accepted":
        yield from _pairs([decision.subject_id, *part_ids(decision.subject_id, decision.payload["parts"])])
    elif decision.kind == "merge" and decision.verdict == "rejected":
        yield from _pairs(decision.payload["entity_ids"])
    elif decision.kind == "merge":
        for other in decision.payload.get("apart", ()):
            yield from (_pair(entity_id, other) for entity_id in decision.payload["entity_ids"])


def _pairs(ids: Iterable[str]) -> Iterable[_Pair]:
    return combinations(sorted(set(ids)), 2)


def _pair(one: str, other: str) -> _Pair:
    return (one, other) if one < other else (other, one)


def _conflict(decision: Decision, barred: _Pair, apart_by: str, naming: dict[str, list[Decision]]) -> Conflict:
    """Find the merges that lead from one of the pair to the other, by the shortest way."""
    start, goal = barred
    came: dict[str, tuple[str, str]] = {start: ("", "")}
    queue = deque([start])
    while queue and goal not in came:
        here = queue.popleft()
        for step in sorted([*naming[here], decision], key=lambda d: d.age, reverse=True):
            ids = step.payload["entity_ids"]
            if here in ids:
                for there in sorted(set(ids) - came.keys()):
                    came[there] = (here, step.decision_id)
                    queue.append(there)
    path, here = [], goal
    while here != start:
        here, step_id = came[here]
        path.append(step_id)
    return Conflict(*barred, apart_by, tuple(sorted(set(path) | {decision.decision_id})), decision.decision_id)
