"""What people decided about relations, followed through merges, splits and changes of the relation itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kgkit.ids import stable_id
from kgkit.resolution.decided import Decision

__all__ = ["Fact", "Facts", "Verdict"]


class Fact(NamedTuple):
    """What a relation says."""

    source_id: str
    predicate: str
    target_id: str
    polarity: str


class Verdict(NamedTuple):
    """What a relation, or one statement of it, says after decisions; ``rejected_by`` when it is taken out."""

    fact: Fact
    rejected_by: str | None
    used: tuple[str, ...]


@dataclass
class Facts:
    """Decisions about relations, by everything a relation can be known by.

    Attributes:
        decisions: By the id of the relation they are about.
        of_base: What relations of the graph before say after merges, for those that a decision is about.
    """

    decisions: Mapping[str, Decision]
    of_base: Mapping[str, Fact]
    _by_fact: dict[Fact, Decision] = field(init=False)

    def __post_init__(self) -> None:
        """Carry decisions about relations of the graph before over to what these say now; the newest holds."""
        self._by_fact = {}
        for relation_id, fact in self.of_base.items():
            held = (self._by_fact.get(fact), self.decisions[relation_id])
            self._by_fact[fact] = max((d for d in held if d), key=lambda d: d.age)

    def known(self) -> Iterable[Fact]:
        """Give the facts that decisions are about, as far as the graph before tells."""
        return self._by_fact

    def judge(self, base_id: str, statement_id: str | None, fact: Fact) -> Verdict:
        """Follow decisions from what a relation says to what it says in the end."""
        used: list[str] = []
        seen: set[Fact] = set()
        names = [base_id]
        while fact not in seen:
            seen.add(fact)
            decision = self._newest([*names, stable_id("relation", *fact)], fact)
            if decision is None or (decision.decision_id in used):
                break
            if decision.verdict == "rejected":
                only = decision.payload.get("statement_ids")
                if only is None or statement_id in only:
                    return Verdict(fact, decision.decision_id, (*used, decision.decision_id))
                break
            used.append(decision.decision_id)
            fact, names = _changed(fact, decision), []
        return Verdict(fact, None, tuple(used))

    def _newest(self, names: Iterable[str], fact: Fact) -> Decision | None:
        found = [self.decisions.get(name) for name in names]
        return max((d for d in (*found, self._by_fact.get(fact)) if d), key=lambda d: d.age, default=None)


def _changed(fact: Fact, decision: Decision) -> Fact:
    payload = decision.payload
    source, target = fact.source_id, fact.target_id
    if payload.get("reverse"):
        source, target = target, source
    return Fact(source, payload.get("predicate") or fact.predicate, target, payload.get("polarity") or fact.polarity)
