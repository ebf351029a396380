"""`Review`: a queue of proposals with everything that is done with it, and no front end."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Thread
from typing import Any

import polars as pl

from kgkit.errors import InputError
from kgkit.frames import give, to_polars
from kgkit.ids import stable_id
from kgkit.resolution import apply_decisions, merge_id
from kgkit.reviewing.asking import Asking
from kgkit.reviewing.bulk import choose, preview_of
from kgkit.reviewing.entries import Entry, read_entries
from kgkit.reviewing.learning import Change, changed, stops_helping
from kgkit.reviewing.sheet import read_sheet, write_sheet
from kgkit.reviewing.state import UNDECIDED
from kgkit.reviewing.store import row_of
from kgkit.reviewing.told import Bulk, Preview

__all__ = ["Review"]

_QUESTIONS = 10


class Review(Asking):
    """A queue of proposals, and what people decide about them; made by `kgkit.review`, or without a front end here.

    Takes what `kgkit.review` takes; ``learn`` is off unless asked for.

    Attributes:
        reviewer: Who decides.
        order: The order in which items are asked about.
        errors: Why the last try to decide on an item failed, by its id.
        learn: Whether to score anew in the background after every ten answers.
        changes: What each round of learning changed.

    Examples:
        >>> import polars as pl
        >>> people = pl.DataFrame({"entity_id": ["a", "b"], "name": ["Grace Hopper", "G. Hopper"]})
        >>> review = Review(pl.DataFrame({"left_id": ["a"], "right_id": ["b"], "score": [0.7]}), people, reviewer="Ada")
        >>> item = review.next()
        >>> item["question"], [side["name"] for side in item["sides"]]
        ('Are these one?', ['Grace Hopper', 'G. Hopper'])
        >>> review.decide(item["item_id"], "accepted").status
        'recorded'
        >>> review.decisions.select("kind", "verdict", "reviewer").row(0)
        ('merge', 'accepted', 'Ada')
    """

    def __init__(self, proposals: Any, graph: Any, *, learn: bool = False, **options: Any) -> None:
        self.changes: list[Change] = []
        self.learn = learn
        self._since = 0
        self._graph = graph
        self._working: Thread | None = None
        super().__init__(proposals, graph, **options)
        self._ask_first(self._questions(self._merges, self._store.frame()))

    def __repr__(self) -> str:
        progress = self.progress
        proposals = f"{progress.total:,} proposal{'s' * (progress.total != 1)}"
        return f"{type(self).__name__}({proposals}, {progress.decided:,} decided)"

    # Many at once

    def preview(self, verdict: str, *, at: float) -> Preview:
        """Tell what a verdict on all undecided items within the filters would do; nothing is decided.

        Args:
            verdict: accepted (items that score ``at`` and above) or rejected (``at`` and below).
            at: The threshold.

        Raises:
            OptionError: The verdict or the threshold is not allowed.
        """
        with self._lock:
            chosen, barred = choose(self._undecided(), verdict, at, self._state)
            return preview_of(verdict, at, chosen, barred, self._state, self._cards.label, self._cards.name)

    def decide_all(self, verdict: str, *, at: float, note: str | None = None) -> Bulk:
        """Decide on all undecided items within the filters at once; look at `preview` first.

        Takes what `preview` takes. Each item gets a decision of its own; one `undo` takes all of them back. When the
        store fails midway, what was kept stays kept, and can be undone.
        """
        return self._decide_all(verdict, at, note, self.reviewer, {})

    def apply_policy(self, name: str, threshold: float, *, verdict: str = "accepted") -> Bulk:
        """Let a named rule decide on all undecided items within the filters.

        Its decisions are like any other, visible and undoable. They are signed ``rule: NAME``; their payload says who
        let it.

        Args:
            name: The rule's name.
            threshold: Items that score so and above are accepted (so and below: rejected).
            verdict: accepted or rejected.

        Raises:
            InputError: The name is empty.
            OptionError: The verdict or the threshold is not allowed.
        """
        if not name.strip():
            msg = "A policy needs a name: its decisions are signed with it."
            raise InputError(msg)
        more = {"rule": name, "by": self.reviewer}
        side = "and above" if verdict == "accepted" else "and below"
        return self._decide_all(verdict, threshold, f"{verdict} at {threshold:g} {side}", f"rule: {name}", more)

    def _decide_all(self, verdict: str, at: float, note: str | None, who: str, more: Mapping[str, Any]) -> Bulk:
        with self._lock:
            chosen, barred = choose(self._undecided(), verdict, at, self._state)
            if not chosen:
                return Bulk(0, barred, None)
            batch = stable_id("batch", who, verdict, str(at), self._state.n_decisions, chosen[0].item_id)
            for entry in chosen:
                seen = {**self._seen(entry), **more, "batch": batch}
                self._put(entry, verdict, {}, note, seen=seen, reviewer=who)
        self._changed()
        return Bulk(len(chosen), barred, batch)

    def _undecided(self) -> list[Entry]:
        return [self._entries[i] for i in self._ordered if self.status_of(i) == UNDECIDED]

    # A spreadsheet

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write the queue as CSV, to be filled in: ``verdict``, and if wanted ``new_name``, ``new_type``, ``note``.

        Cells that a spreadsheet would run as a formula get a ``'`` in front, which `from_csv` takes away again.
        """
        return write_sheet(path, to_polars(self.queue))

    def from_csv(self, path: str | os.PathLike[str]) -> Any:
        """Decide what a filled-in CSV says; doing so twice changes nothing.

        Returns:
            One row for each of the file's: ``row`` (its line), ``item_id``, ``verdict``, ``result`` (recorded, already
            applied, unchanged, conflict, unknown_item, bad_verdict, failed) and ``detail``. A conflict is an item that
            somebody decided otherwise since the file was written, or of which the file says two things; it is left as
            it is.

        Raises:
            InputError: It is no such file.
        """
        found = read_sheet(path, status_of=self._known_status, decide=self.decide)
        return give(found, None, self._backend)

    def _known_status(self, item_id: str) -> str | None:
        return self.status_of(item_id) if item_id in self._stands else None

    # Splits

    def preview_split(self, entity_id: str, parts: list[dict[str, Any]]) -> Any:
        """Tell what splitting an entity would do to relations; nothing is decided.

        Args:
            entity_id: The entity.
            parts: Who leaves it, each with ``name``, if wanted ``type``, and ``mention_ids`` or ``doc_ids``.

        Returns:
            One row per relation that would come or go: ``change`` (added, removed), ``source``, ``predicate``,
            ``target``, ``polarity``, ``weight``.

        Raises:
            InputError: The parts cannot be used.
        """
        now = self._store.frame()
        row = row_of("split", entity_id, "accepted", {"parts": parts}, self.reviewer, None, number=0, after=None)
        one = pl.DataFrame([row], schema=now.schema)
        before, after = apply_decisions(self._graph, now), apply_decisions(self._graph, now.vstack(one))
        outcome = to_polars(after.outcomes).filter(pl.col("item_id") == row["decision_id"]).row(0, named=True)
        if outcome["status"] != "ok":
            msg = f"This split cannot be done: {outcome['detail'] or outcome['reason']}."
            raise InputError(msg)
        told = [_triples(graph) for graph in (before, after)]
        both = [
            a.join(b, on=a.columns, how="anti").select(pl.lit(change).alias("change"), *a.columns)
            for change, a, b in (("removed", told[0], told[1]), ("added", told[1], told[0]))
        ]
        return give(pl.concat(both), None, self._backend)

    # Learning

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
            n_answers = sum(d.kind == "merge" for d in self._state.live)
        new = old.rescore(decisions)  # this and the questions take seconds, in which one goes on deciding
        questions = self._questions(new, decisions)
        with self._lock:
            self._merges = new
            change = changed(_scores(old), _scores(new), settled=self._settled(), n_answers=n_answers)
            self.changes.append(change)
            self._renew(new)
            self._ask_first(questions)
        self._changed()
        return change

    def _answered_one(self, entry: Entry) -> None:
        self._since += entry.kind == "merge"
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

    def _renew(self, merges: Any) -> None:
        """Take the new proposals for the open ones; what was decided, skipped or flagged stays."""
        found = read_entries(merges, self._cards.ids, groups=self._groups)
        stays = {i for i in self._active if self.status_of(i) != UNDECIDED or self._entries[i].kind != "merge"}
        self._entries |= {e.item_id: e for e in found}
        self._active = stays | {e.item_id for e in found}
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


def _triples(graph: Any) -> pl.DataFrame:
    names = to_polars(graph.entities).select("entity_id", "name")
    relations = to_polars(graph.relations)
    for end in ("source", "target"):
        relations = relations.join(names.rename({"entity_id": f"{end}_id", "name": end}), on=f"{end}_id", how="left")
    return relations.select("source", "predicate", "target", "polarity", "weight").sort(pl.all())
