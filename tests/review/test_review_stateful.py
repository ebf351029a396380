"""Two reviewers, everything they can do, in any order: the decisions alone say how things stand."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
from desk_data import item
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import kgkit as kg
from kgkit import tables
from kgkit.graph import Graph
from kgkit.resolution import active
from kgkit.resolution.decisions import read_decisions
from kgkit.reviewing import Review

NAMES = {"a": "Ann Moor", "b": "A. Moor", "c": "Ann Moore", "d": "Anne Moor", "e": "Dan Lund"}
PAIRS = sorted(combinations(sorted(NAMES), 2))
PEOPLE = pl.DataFrame({"entity_id": list(NAMES), "name": list(NAMES.values()), "type": ["PERSON"] * len(NAMES)})
VERDICTS = ("accepted", "rejected", "skipped", "flagged")
WHO = st.sampled_from(["Ada", "Bo"])


@cache
def merges() -> Any:
    return kg.propose_merges(PEOPLE, threshold=0.05)


def given_pairs(swapped: bool) -> pl.DataFrame:
    rows = [(*((y, x) if swapped else (x, y)), 0.1 * i + 0.05) for i, (x, y) in enumerate(PAIRS[:9])]
    return pl.DataFrame(rows, schema=["left_id", "right_id", "score"], orient="row")


class Grouped:
    """Pairs and a group, as a stage gives them."""

    def __init__(self) -> None:
        row = {"group_id": "g", "members": ["a", "b", "c"], "n_members": 3, "n_pairs": 3, "n_scored": 3}
        row |= {"mean_score": 0.7, "weakest_score": 0.5, "weakest_left_id": "a", "weakest_right_id": "c"}
        rest = [pair for pair in PAIRS if not set(pair) <= {"a", "b", "c"}]
        scores = pl.DataFrame([(*p, 0.5) for p in rest], schema=["left_id", "right_id", "score"], orient="row")
        self.frames = {"merges": scores, "groups": tables.from_rows("groups", [row])}


def apart_by_newest(decisions: pl.DataFrame) -> set[tuple[str, str]]:
    """Work out from the rows alone which pairs the newest word keeps apart."""
    said: dict[tuple[str, str], bool] = {}
    for decision in read_decisions(active(decisions)):
        ids, out = decision.payload["entity_ids"], decision.payload.get("apart", ())
        yes = decision.verdict == "accepted"
        said |= {pair: not yes for pair in combinations(sorted(ids), 2)}
        said |= {(min(i, o), max(i, o)): True for i in ids for o in out} if yes else {}
    return {pair for pair, apart in said.items() if apart}


def told(review: Review) -> dict[str, Any]:
    state = review._state
    return {
        "status": {i: s.status for i, s in state.stands.items()},
        "implied": {i: s.implied for i, s in state.stands.items()},
        "shown": {i: review.status_of(i) for i in state.stands},
        "root": state.root,
        "apart": state.apart,
        "conflicts": state.conflicts,
        "policies": review.policies.drop("decided_at").to_dicts(),
        "disagreements": review.disagreements.to_dicts(),
        "agreement": review.agreement.to_dicts(),
    }


class TwoReviewers(RuleBasedStateMachine):
    """Two reviewers at one project; what is proposed differs from machine to machine."""

    @initialize(kind=st.sampled_from(["pairs", "groups", "learning"]))
    def open(self, kind: str) -> None:
        self.folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
        self.proposals = {"pairs": lambda: given_pairs(False), "groups": Grouped, "learning": merges}[kind]()
        self.seen = tables.empty("decisions")
        self.reviews = {who: self.fresh(who) for who in ("Ada", "Bo")}

    def fresh(self, who: str, **options: Any) -> Review:
        options = {"project": kg.Project(self.folder / "p.kg"), "reviewer": who, "second_opinion": 0.5, **options}
        return Review(self.proposals, PEOPLE, **options)

    @property
    def decisions(self) -> pl.DataFrame:
        return kg.Project(self.folder / "p.kg").decisions()

    @rule(who=WHO, n=st.integers(0, 11), verdict=st.sampled_from(VERDICTS), some=st.booleans(), again=st.booleans())
    def decide(self, who: str, n: int, verdict: str, some: bool, again: bool) -> None:
        review = self.reviews[who]
        entry = review._entries[sorted(review._entries)[n % len(review._entries)]]
        members = list(entry.members[:2]) if some and verdict == "accepted" else None
        review.decide(entry.item_id, verdict, members=members)
        if again:
            before = self.decisions.height
            assert review.decide(entry.item_id, verdict, members=members).status == "already applied"
            assert self.decisions.height == before

    @rule(who=WHO, n=st.integers(1, 4), verdict=st.sampled_from(VERDICTS[:2]))
    def decide_together(self, who: str, n: int, verdict: str) -> None:
        review = self.reviews[who]
        review.decide_many({"item_id": i, "verdict": verdict} for i in review.upcoming(n))

    @rule(who=WHO, verdict=st.sampled_from(VERDICTS[:2]), at=st.sampled_from([0.2, 0.5, 0.8]), named=st.booleans())
    def decide_all(self, who: str, verdict: str, at: float, named: bool) -> None:
        review, conflicts = self.reviews[who].refresh(), self.reviews[who].progress.conflicts
        n, before = review.preview(verdict, at=at).n, self.decisions.height
        done = review.apply_policy("sure", at, verdict=verdict) if named else review.decide_all(verdict, at=at)
        assert done.n == n == self.decisions.height - before and review.progress.conflicts <= conflicts

    @rule(who=WHO, n=st.integers(1, 3))
    def undo(self, who: str, n: int) -> None:
        review = self.reviews[who].refresh()
        own = {d.decision_id for d in review._state.undoable if review._is_own(d)}
        items = review.undo(n)
        assert bool(items) == bool(own)

    @rule(who=WHO, n=st.integers(0, 30))
    def reopen(self, who: str, n: int) -> None:
        review = self.reviews[who].refresh()
        if review._state.undoable:
            review.undo_decision(review._state.undoable[n % len(review._state.undoable)].decision_id)

    @rule(who=WHO)
    def take_back_a_policy(self, who: str) -> None:
        review = self.reviews[who].refresh()
        for batch in review.policies["batch"].head(1):
            review.undo_batch(batch)
            assert batch not in review.policies["batch"].to_list()

    @rule(who=WHO)
    def rescore(self, who: str) -> None:
        if self.reviews[who].learns:
            self.reviews[who].rescore()

    @rule(who=WHO, order=st.sampled_from(["uncertain", "disagreements"]))
    def ask(self, who: str, order: str) -> None:
        review = self.reviews[who].refresh().ask(order)
        if order == "disagreements":
            for one in review.upcoming(1):
                review.decide(one, "accepted")
                assert one not in review.disagreements["item_id"].to_list()

    @rule(who=WHO)
    def open_again(self, who: str) -> None:
        self.reviews[who] = self.fresh(who)

    @invariant()
    def all_is_as_decided(self) -> None:
        self.n_steps = getattr(self, "n_steps", 0) + 1
        if self.n_steps % 4 == 0:
            self.check()

    def check(self) -> None:
        self.no_decision_is_lost_or_changed()
        self.what_was_worked_out_step_by_step_is_what_the_decisions_give_at_once()
        self.what_was_rejected_is_not_asked_again_in_any_order()

    def no_decision_is_lost_or_changed(self) -> None:
        now = self.decisions
        assert now.head(self.seen.height).equals(self.seen)
        self.seen = now

    def what_was_worked_out_step_by_step_is_what_the_decisions_give_at_once(self) -> None:
        for review in self.reviews.values():
            by_step = told(review)
            known = pl.DataFrame([d.row for d in review._state.decisions], schema=self.seen.schema)
            again = Review(self.proposals, PEOPLE, decisions=known, reviewer=review.reviewer, second_opinion=0.5)
            again._entries, again._active = dict(review._entries), set(review._active)
            again.order = review.order
            again.refresh()
            at_once = told(again)
            assert {k: (v, at_once[k]) for k, v in by_step.items() if v != at_once[k]} == {}

    def what_was_rejected_is_not_asked_again_in_any_order(self) -> None:
        apart = apart_by_newest(self.seen)
        names = dict(kg.apply_decisions(graph(), self.seen).canonical.iter_rows())
        assert all(names[x] != names[y] for x, y in apart)
        for swapped in (False, True):
            review = Review(given_pairs(swapped), PEOPLE, decisions=self.seen, reviewer="Cy")
            asked = set(review.upcoming(99))
            for pair in apart:
                assert item(*pair) not in asked
                assert review._stands.get(item(*pair)) is None or review.status_of(item(*pair)) == "rejected"
        assert apart <= set(kg.resolution.links(self.seen).cannot)

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            try:
                self.check()
            finally:
                shutil.rmtree(self.folder)


def graph() -> Graph:
    return Graph.from_frames(PEOPLE.with_columns(n_mentions=pl.lit(1)))


TestTwoReviewers = TwoReviewers.TestCase
TestTwoReviewers.settings = settings(
    max_examples=8, stateful_step_count=16, deadline=None, suppress_health_check=list(HealthCheck)
)
