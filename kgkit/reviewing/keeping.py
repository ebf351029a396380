"""The one way in which a decision is made: it is kept first, and then it is worked out what it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from kgkit.errors import InputError
from kgkit.resolution.decisions import Decision
from kgkit.resolution.payloads import trouble
from kgkit.reviewing.desk import Desk
from kgkit.reviewing.entries import Entry
from kgkit.reviewing.kinds import subject_of
from kgkit.reviewing.payload import COUNT, Wanted, core_of, wanted
from kgkit.reviewing.store import Kept, Wish, as_row
from kgkit.reviewing.told import Answer

__all__ = ["Keeping", "Said"]


class Said(NamedTuple):
    """An answer about an item: ``given`` is what else was answered, ``seen`` how it came about."""

    entry: Entry
    verdict: str
    given: Mapping[str, Any]
    note: str | None
    seen: Mapping[str, Any]
    reviewer: str


class Keeping(Desk):
    """Keeps answers as decisions."""

    def _said(self, entry: Entry, verdict: str, given: Mapping[str, Any], note: str | None) -> Said:
        return Said(entry, verdict, given, note, self._seen(entry), self.reviewer)

    def _seen(self, entry: Entry) -> dict[str, Any]:
        seen: dict[str, Any] = {"method": entry.method} if entry.method else {}
        if entry.score is not None:
            seen["score"] = round(entry.score, 4)
        return seen | ({"blind": True} if self.blind else {})

    def _put(self, answers: Sequence[Said]) -> list[Answer]:
        """Keep answers, all or none, and work out what they do."""
        items = [said.entry.item_id for said in answers]
        if len(set(items)) < len(items):
            twice = next(i for i in items if items.count(i) > 1)
            msg = f"The item {twice!r} is there twice; say one thing of it."
            raise InputError(msg)
        planned = [self._planned(said) for said in answers]
        wishes = [wish for plan in planned if not isinstance(plan, Answer) for wish in plan]
        try:
            kept = iter(self._keep(wishes))
        except Exception as error:
            self.errors |= dict.fromkeys(items, str(error) or type(error).__name__)
            self._settle()
            self._changed()
            raise
        answered = set(items)
        self._front = [item for item in self._front if item not in answered]
        done = []
        for item, plan in zip(items, planned, strict=True):
            self.errors.pop(item, None)
            self._came[item] = self._turn()
            if isinstance(plan, Answer):
                done.append(plan)
                continue
            last = [next(kept) for _ in plan][-1]
            done.append(Answer(item, last.status, last.row["decision_id"]))
        return [replace(answer, n_conflicts=self._state.conflicts) for answer in done]

    def _planned(self, said: Said) -> Answer | list[Wish]:
        """Write an answer as what is to be kept, the decision last; or say that it holds already."""
        entry, verdict, reviewer = said.entry, said.verdict, said.reviewer
        new = wanted(entry, verdict, said.given, self._cards)
        about = (entry.kind, entry.item_id)
        held = self._state.stands[entry.item_id].decision
        disputed = about in self._disputes and "rule" not in said.seen
        settles = verdict in COUNT and disputed and self._settles(about)
        if held is not None and held.reviewer == reviewer and not settles and _same(held, verdict, new, said.note):
            return Answer(entry.item_id, "already applied", held.decision_id)
        seen = {**said.seen, "settles": sorted(self._disputes[about])} if settles else said.seen
        own = held is not None and held.reviewer == reviewer
        changes = verdict in COUNT or (own and not disputed)  # to put off a disagreement takes back no word
        way = self._in_the_way(said, new) if changes else []
        return [*way, Wish(*new[:2], verdict, {**new.payload, **seen}, reviewer, said.note)]

    def _settles(self, about: tuple[str, str]) -> bool:
        """Tell whether an answer settles a disagreement: when it was asked for, or when a third person sees both sides.

        Who says again what was said before, as with a double click, settles nothing.
        """
        asked = self.order == "disagreements" and about[1] in self._ordered
        return asked or (not self.blind and self.reviewer not in self._disputes[about])

    def _tried(self, said: Said, number: int) -> Decision:
        """Make the decision that an answer would be, and keep nothing."""
        new = wanted(said.entry, said.verdict, said.given, self._cards)
        wish = Wish(*new[:2], said.verdict, {**new.payload, **said.seen}, said.reviewer, said.note)
        _check(wish)
        return _made(wish, Kept(as_row(wish, f"tried {number}", datetime.now(UTC)), "recorded"))

    def _in_the_way(self, said: Said, new: Wanted) -> list[Wish]:
        """Take back own decisions on an item that would still count beside the new one."""
        about = (said.entry.kind, said.entry.item_id)
        own = [d for d in self._state.undoable if d.reviewer == said.reviewer and d.verdict in COUNT]
        same = [d for d in own if subject_of(d) == about]
        replaced = said.verdict in COUNT
        return [self._undoing(d) for d in same if not (replaced and (d.kind, d.subject_id) == new[:2])]

    def _undoing(self, decision: Decision) -> Wish:
        payload = {"decision_id": decision.decision_id}
        return Wish(decision.kind, decision.subject_id, "undone", payload, self.reviewer, None)

    def _keep(self, wishes: Sequence[Wish]) -> list[Kept]:
        """Keep decisions, all or none."""
        for wish in wishes:
            _check(wish)
        kept = self._store.append(wishes) if wishes else []
        if all(one.status == "recorded" for one in kept) and not self._store.behind:
            self._state.take([_made(wish, one) for wish, one in zip(wishes, kept, strict=True)])
            self._stand_anew()
        else:  # somebody else decided meanwhile
            self._settle()
        return kept


def _check(wish: Wish) -> None:
    problem = trouble(wish.kind, wish.verdict, wish.payload)
    if problem is not None:
        msg = f"This decision cannot be used: {problem}."
        raise InputError(msg)


def _made(wish: Wish, kept: Kept) -> Decision:
    row = kept.row
    return Decision(
        row["decision_id"], wish.kind, wish.subject_id, wish.verdict, wish.payload, wish.reviewer, row["decided_at"],
        row, None,
    )  # fmt: skip


def _same(held: Decision, verdict: str, new: Wanted, note: str | None) -> bool:
    same = held.verdict == verdict and core_of(held.payload) == core_of(new.payload)
    return same and note in (None, held.row["note"])
