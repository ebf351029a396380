"""Learning from answers: scores made anew, what to ask first, and whether more answers still help."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Thread
from typing import Any, Unpack

import polars as pl

from kgkit.errors import InputError
from kgkit.frames import to_polars
from kgkit.resolution import merge_id
from kgkit.reviewing.deciding import Deciding
from kgkit.reviewing.entries import Entry, read_entries
from kgkit.reviewing.learning import Change, changed, stops_helping
from kgkit.reviewing.options import Options
from kgkit.reviewing.state import UNDECIDED

__all__ = ["Teaching"]

_QUESTIONS = 10  # answers after which the matcher learns, and what is chosen to be asked first


class Teaching(Deciding):
    """A matcher that learns from answers."""

    def __init__(self, proposals: Any, graph: Any, **options: Unpack[Options]) -> None:
        self.changes: list[Change] = []
        self._since = 0
        self._working: Thread | None = None
        super().__init__(proposals, graph, **options)
        self._ask_first(self._questions(self._merges, self._store.frame()))

    @property
    def learns(self) -> bool:
        """Whether scores can be made anew from answers."""
        return self._merges is not None

    @property
    def helps(self) -> bool:
        """Whether more answers still change what is proposed; false after two rounds that turned almost nothing."""
        return self.learns and not stops_helping(self.changes)

    def rescore(self) -> Change:
        """Score the open proposals anew with all decisions, and choose what to ask first.

        Raises:
            InputError: The proposals hold no candidates.
        """
        if self._merges is None:
            msg = "These proposals cannot be scored anew: give the result of kg.propose_merges to review."
            raise InputError(msg)
        with self._lock:
            decisions, old = self._store.frame(), self._merges
            n_answers = sum(d.kind == "merge" and "rule" not in d.payload for d in self._state.live)
        new = old.rescore(decisions)  # this and the questions take seconds, in which one goes on deciding
        questions = self._questions(new, decisions)
        found = read_entries(new, self._cards.ids, groups=self._groups)
        before, after = _scores(old), _scores(new)
        with self._lock:
            self._merges = new
            change = changed(before, after, settled=self._settled(), n_answers=n_answers)
            self.changes.append(change)
            self.errors.pop("rescore", None)
            self._renew(found)
            self._ask_first(questions)
        self._changed()
        return change

    def _after(self, entries: Sequence[Entry]) -> None:
        self._since += sum(entry.kind == "merge" for entry in entries)
        if self.learn and self.helps and self._since >= _QUESTIONS:
            self._since = 0
            self.rescore_later()

    def rescore_later(self) -> Thread:
        """Score anew in the background; ``join()`` what this gives to wait for it."""
        if self._working is None or not self._working.is_alive():
            self._working = Thread(target=self._rescore_quietly, daemon=True, name="kgkit-rescore")
            self._working.start()
        return self._working

    def _rescore_quietly(self) -> None:
        try:
            self.rescore()
        except Exception as error:  # a thread has nobody to raise to
            self.errors["rescore"] = str(error) or type(error).__name__
            self._changed()

    def _renew(self, found: Iterable[Entry]) -> None:
        """Take the new proposals for the open ones; what was decided, skipped or flagged stays."""
        stands = self._state.stands
        stays = {i for i in self._active if stands[i].status != UNDECIDED or self._entries[i].kind != "merge"}
        self._active = stays
        self._take(found)
        self._settle()
        self._order()

    def _questions(self, merges: Any, decisions: pl.DataFrame) -> Any:
        """Choose what teaches most, when that is what is asked first."""
        if merges is None or self.order != "teach" or not self.helps:
            return None
        return merges.next_questions(_QUESTIONS, decisions=decisions, seed=self._seed)

    def _ask_first(self, questions: Any) -> None:
        if questions is None:
            return
        found = read_entries(questions, self._cards.ids, groups=False)
        self._entries |= {e.item_id: e for e in found if e.item_id not in self._entries}
        self._active |= {e.item_id for e in found}
        self._first = [merge_id(pair) for pair in to_polars(questions).select("left_id", "right_id").iter_rows()]
        self._settle()
        self._order()

    def _settled(self) -> Callable[[str, str], bool]:
        """Make a function that tells whether decisions say if two entities are one."""
        group = self._state.group_of
        apart = {frozenset((group(a), group(b))) for a, b in self._state.apart}
        return lambda left, right: group(left) == group(right) or frozenset((group(left), group(right))) in apart


def _scores(merges: Any) -> dict[tuple[str, str], float]:
    rows = to_polars(merges.merges).select("left_id", "right_id", "score").iter_rows()
    return {(left, right): score for left, right, score in rows}
