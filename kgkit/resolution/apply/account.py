"""What became of each decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from kgkit.resolution.apply.choices import Choices
from kgkit.resolution.apply.entities import United
from kgkit.resolution.apply.relations import Related
from kgkit.resolution.apply.splits import Splits
from kgkit.resolution.decided import Decision, Standing
from kgkit.resolution.decided_groups import Merging
from kgkit.results import Outcome, outcomes_frame

__all__ = ["Effects", "account"]


@dataclass(frozen=True)
class Effects:
    """What decisions did to a graph; ``choices`` and ``united`` are by the id of the entity."""

    merging: Merging
    splits: Splits
    related: Related
    choices: Mapping[str, Choices]
    united: Mapping[str, United]
    standing: pl.DataFrame

    @cached_property
    def loops(self) -> dict[str, list[tuple[str, str]]]:
        """Relations that merges turned on themselves, with their target, by their source."""
        rows = self.related.withheld.filter(pl.col("reason") == "self_loop")
        found: dict[str, list[tuple[str, str]]] = {}
        for source, relation_id, target in rows.select("source_id", "relation_id", "target_id").iter_rows():
            found.setdefault(source, []).append((relation_id, target))
        return found


def account(
    decisions: Sequence[Decision], standings: Mapping[str, Standing], effects: Effects, earlier: frozenset[str]
) -> pl.DataFrame:
    """Make the outcomes of `apply_decisions`, one for each decision.

    Args:
        decisions: All of them.
        standings: Which of them count.
        effects: What those did.
        earlier: Decisions that the graph that came in had applied already.
    """
    stands = dict(effects.standing.iter_rows())
    groups = {effects.merging.group_of(i) for i in stands}
    conflicts = {c.set_aside: c for c in effects.merging.conflicts}
    outcomes = []
    for decision in decisions:
        reason, detail = standings[decision.decision_id]
        if reason is not None:
            status = "failed" if reason == "bad_payload" else "skipped"
            outcomes.append(Outcome(decision.decision_id, status, reason, detail))  # type: ignore[arg-type]
        elif decision.decision_id in conflicts:
            found = conflicts[decision.decision_id]
            words = f"{found.left_id} and {found.right_id} are kept apart by {found.apart_by}; see conflicts(decisions)"
            outcomes.append(Outcome(decision.decision_id, "failed", "conflicting", words))
        else:
            outcome = _effect(decision, effects, stands, groups)
            seen = ("already_applied: the graph had it",) if decision.decision_id in earlier else ()
            outcomes.append(_noted(outcome, seen) if outcome.status == "ok" else outcome)
    return outcomes_frame("apply_decisions", [d.decision_id for d in decisions], outcomes)


def _noted(outcome: Outcome, notes: Sequence[str]) -> Outcome:
    return Outcome(outcome.item_id, outcome.status, outcome.reason, outcome.detail, (*notes, *outcome.notes))


def _effect(decision: Decision, effects: Effects, stands: Mapping[str, str], groups: set[str]) -> Outcome:
    if decision.kind == "merge":
        return _merge(decision, effects, stands)
    if decision.kind == "split":
        return _split(decision, effects, stands, groups)
    if decision.kind == "relation":
        return _simple(decision, decision.decision_id in effects.related.used, "relation")
    return _type(decision, effects, stands, groups)


def _merge(decision: Decision, effects: Effects, stands: Mapping[str, str]) -> Outcome:
    ids = sorted({*decision.payload["entity_ids"], *decision.payload.get("apart", ())})
    gone = [i for i in ids if i not in stands]
    notes = [f"gone: {', '.join(gone)}"] if gone else []
    here = next((stands[i] for i in decision.payload["entity_ids"] if i in stands), None)
    united = effects.united.get(here or "")
    if here is None or (decision.verdict == "rejected" and len(ids) - len(gone) < 2):
        return Outcome(decision.decision_id, "skipped", "subject_gone", f"not in the graph: {', '.join(gone)}")
    if decision.verdict == "accepted" and len(ids) - len(gone) < 2 and not _joins(decision, effects, stands):
        return Outcome(decision.decision_id, "skipped", "subject_gone", f"not in the graph: {', '.join(gone)}")
    if decision.verdict == "accepted" and united and united.remark:
        notes.append(united.remark)
    if decision.verdict == "accepted":
        notes += [
            f"self_loop: {relation_id} is withheld"
            for i in ids
            for relation_id, target in effects.loops.get(i, ())
            if target in ids
        ]
    return Outcome(decision.decision_id, "ok", notes=(*notes, *_overruled(decision, effects, here)))


def _joins(decision: Decision, effects: Effects, stands: Mapping[str, str]) -> bool:
    """Tell whether a merge with an entity that is gone still links others through it."""
    group = effects.merging.group_of(decision.payload["entity_ids"][0])
    return sum(i in stands for i in effects.merging.members.get(group, ())) > 1


def _split(decision: Decision, effects: Effects, stands: Mapping[str, str], groups: set[str]) -> Outcome:
    moved, missing = effects.splits.counts[decision.decision_id], effects.splits.missing[decision.decision_id]
    if decision.verdict == "rejected" or moved:
        notes = (f"gone: {missing} of the mentions and documents named",) if missing else ()
        return Outcome(decision.decision_id, "ok", notes=notes)
    if effects.merging.group_of(decision.subject_id) not in groups:
        return Outcome(decision.decision_id, "skipped", "subject_gone", f"not in the graph: {decision.subject_id}")
    return Outcome(
        decision.decision_id, "skipped", "nothing_to_move", f"{decision.subject_id} has none of the mentions named"
    )


def _type(decision: Decision, effects: Effects, stands: Mapping[str, str], groups: set[str]) -> Outcome:
    found = effects.merging.group_of(decision.subject_id) in groups
    here = stands.get(decision.subject_id, "")
    return _noted(_simple(decision, found, "entity"), _overruled(decision, effects, here))


def _simple(decision: Decision, found: bool, what: str) -> Outcome:
    if found:
        return Outcome(decision.decision_id, "ok")
    detail = f"the {what} {decision.subject_id} is not in the graph"
    return Outcome(decision.decision_id, "skipped", "subject_gone", detail)


def _overruled(decision: Decision, effects: Effects, entity_id: str) -> tuple[str, ...]:
    choices = effects.choices.get(entity_id)
    pairs = choices.overruled if choices else ()
    return tuple(f"overruled: {what}, by a newer choice" for by, what in pairs if by == decision.decision_id)
