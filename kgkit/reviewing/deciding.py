"""Deciding and taking back."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kgkit.errors import InputError
from kgkit.resolution.decisions import Decision
from kgkit.reviewing.entries import Entry
from kgkit.reviewing.keeping import Keeping
from kgkit.reviewing.kinds import subject_of
from kgkit.reviewing.told import Answer

__all__ = ["Deciding"]

_REMEMBERED = 500  # messages that are remembered, so that a repeated one changes nothing


class Deciding(Keeping):
    """Deciding on items, and undoing."""

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
        **more: Any,
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
            **more: What items of a kind have that was added.

        Raises:
            InputError: There is no such item, or the answer does not fit it.
            OptionError: The verdict is not known.
            ProjectError: It could not be written; ``errors[item_id]`` says so too.
        """
        given = {
            "members": members, "name": name, "type": type, "predicate": predicate, "reverse": reverse,
            "polarity": polarity, "statement_ids": None if statement_ids is None else list(statement_ids),
            "parts": parts, **more,
        }  # fmt: skip
        with self._lock:
            if token is not None and token in self._answered:
                return replace(self._answered[token], status="already applied")
            entry = self._entry(item_id)
            answer = self._put([self._said(entry, verdict, given, note)])[0]
            if token is not None:
                self._answered[token] = answer
                while len(self._answered) > _REMEMBERED:
                    self._answered.pop(next(iter(self._answered)))
            self._times.append(time.monotonic())
        self._changed()
        self._after([entry])
        return answer

    def decide_many(self, answers: Iterable[Mapping[str, Any]]) -> list[Answer]:
        """Decide on many items together: all of it is kept when this returns, or nothing.

        Args:
            answers: One mapping for each item, with ``item_id``, ``verdict`` and what else `decide` takes.

        Raises:
            InputError: One of them cannot be used, or an item is there twice.
            OptionError: A verdict is not known.
            ProjectError: It could not be written; ``errors`` says so too, item by item.
        """
        with self._lock:
            said = []
            for answer in answers:
                given = {k: v for k, v in answer.items() if k not in ("item_id", "verdict", "note")}
                entry = self._entry(answer.get("item_id", ""))
                said.append(self._said(entry, answer.get("verdict", ""), given, answer.get("note")))
            done = self._put(said)
        self._changed()
        self._after([s.entry for s in said])
        return done

    def _after(self, entries: Sequence[Entry]) -> None:
        """Do what follows answers of a person."""

    # Taking back

    def undo(self, n: int = 1) -> list[str]:
        """Take back this reviewer's last ``n`` steps, of earlier sessions too; what was decided at once is one step.

        Returns:
            The items that are asked about again, the first of them next.
        """
        items: list[str] = []
        for _ in range(n):
            with self._lock:
                step = self._last_step()
                items += self._take_back(step)
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
            found = [d for d in self._state.undoable if d.decision_id == decision_id]
            if not found:
                msg = f"There is no decision {decision_id!r} to take back. See review.decisions."
                raise InputError(msg)
            items = self._take_back(found)
        self._changed()
        return items[0]

    def undo_batch(self, batch: str) -> list[str]:
        """Take back all that one policy or one verdict on many items decided, and that still counts, in one step.

        Args:
            batch: Its id, as `policies` or the payload of the decisions has it.

        Raises:
            InputError: There is nothing of it to take back.
        """
        with self._lock:
            found = [d for d in self._state.undoable if d.payload.get("batch") == batch]
            if not found:
                msg = f"There is nothing to take back of {batch!r}. See review.policies."
                raise InputError(msg)
            items = self._take_back(found)
        self._changed()
        return items

    def _last_step(self) -> list[Decision]:
        own = [d for d in self._state.undoable if self._is_own(d)]
        if not own:
            return []
        batch = own[-1].payload.get("batch")
        return own[-1:] if batch is None else [d for d in own if d.payload.get("batch") == batch]

    def _take_back(self, decisions: Sequence[Decision]) -> list[str]:
        """Take decisions back in one step, and ask about their items next."""
        newest_first = list(reversed(decisions))
        self._keep([self._undoing(d) for d in newest_first])
        items = [subject_of(d)[1] for d in newest_first]
        again = list(reversed(items))
        self._front = [*dict.fromkeys([*again, *self._front])]
        return items
