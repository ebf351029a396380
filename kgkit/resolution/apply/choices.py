"""What people chose for an entity: its name, its type, and names that are not its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kgkit.resolution.apply.splits import Part
from kgkit.resolution.decided import Decision
from kgkit.resolution.decided_groups import Merging
from kgkit.text import normalise_name

__all__ = ["Choices", "choices_by_group"]


@dataclass
class Choices:
    """The newest choice of each kind, with the decision that made it; ``revoked`` by normalised name."""

    name: tuple[str, str] | None = None
    type: tuple[str, str] | None = None
    revoked: dict[str, str] = field(default_factory=dict)
    overruled: list[tuple[str, str]] = field(default_factory=list)
    """Decisions whose choice a newer one replaced, and what it was."""


def choices_by_group(decisions: Sequence[Decision], merging: Merging, parts: Mapping[str, Part]) -> dict[str, Choices]:
    """Collect the choices among decisions that count (oldest first), by group."""
    found: dict[str, Choices] = defaultdict(Choices)
    made = [choice for d in decisions for choice in _made(d, merging)]
    made += [(part.decision, merging.group_of(i), part.name, part.type, ()) for i, part in parts.items()]
    for decision, group, name, type_, revoked in sorted(made, key=lambda choice: (choice[0].age, choice[1])):
        own = found[group]
        for kind, value in (("name", name), ("type", type_)):
            before = getattr(own, kind)
            if value is None:
                continue
            if before is not None and before[0] != value:
                own.overruled.append((before[1], f"{kind} {before[0]}"))
            setattr(own, kind, (value, decision.decision_id))
        own.revoked |= {normalise_name(text): decision.decision_id for text in revoked}
    return dict(found)


_Choice = tuple[Decision, str, str | None, str | None, Sequence[str]]


def _made(decision: Decision, merging: Merging) -> Iterator[_Choice]:
    if decision.verdict != "accepted":
        return
    payload = decision.payload
    if decision.kind == "type":
        group = merging.group_of(decision.subject_id)
        yield decision, group, payload.get("name"), payload.get("type"), payload.get("revoked", ())
    elif decision.kind == "merge" and decision.decision_id in merging.applied:
        yield decision, merging.group_of(payload["entity_ids"][0]), payload.get("name"), payload.get("type"), ()
