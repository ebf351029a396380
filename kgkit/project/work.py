"""What the verbs of a project share: reading inputs, finding what is done already, keeping the tables."""

from __future__ import annotations

import getpass
import os
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from kgkit.errors import InputError
from kgkit.project.keep import Keeper, Merge
from kgkit.project.missing import INTERRUPTED, unchanged
from kgkit.project.records import Run, State, now
from kgkit.project.stages import STAGES, made_with
from kgkit.results import Result

if TYPE_CHECKING:
    from kgkit.graph import Graph

__all__ = ["Begun", "begin", "done_before", "graph_of", "keep", "named", "new_run", "stamped", "user"]

_R = TypeVar("_R", bound=Result)


@dataclass(frozen=True)
class Begun:
    """A stage that is about to run: the tables as it sees them, and the row that the ledger will get."""

    keeper: Keeper
    state: State
    run: Run

    def table(self, name: str) -> pl.DataFrame:
        """Read a table as it was when the stage began."""
        return self.keeper.read(name, self.state)

    def outcomes(self) -> pl.DataFrame:
        """Read what became of the stage's items before."""
        return self.table("outcomes").filter(pl.col("stage") == self.run.stage)


def begin(keeper: Keeper, stage: str, params: dict[str, Any], *, optional: Iterable[str] = ()) -> Begun:
    """Begin a stage on the visible tables.

    Raises:
        InputError: A table that it needs is not there yet.
    """
    state = keeper.state()
    wanted = STAGES[stage].inputs
    for name in wanted:
        if name not in state.tables and name not in optional:
            maker = next(s.verb for s in STAGES.values() if name in s.outputs)
            msg = f"There are no {name} in this project yet; project.{maker}(...) makes them."
            raise InputError(msg)
    inputs = {name: state.versions[name] for name in wanted if name in state.tables}
    return Begun(keeper, state, new_run(stage, params, inputs))


def keep(begun: Begun, result: _R, outcomes: pl.DataFrame) -> _R:
    """Keep a stage's tables and outcomes; give its result with these outcomes."""
    stage = begun.run.stage
    asked = stage == "ask"
    held: dict[str, pl.DataFrame | Merge] = {
        name: _replacing(name, result) if asked else result.frames[name] for name in STAGES[stage].outputs
    }
    held["outcomes"] = lambda read: _with_outcomes(read("outcomes"), outcomes, stage, items_only=asked)
    result = replace(result, outcomes=outcomes)
    verdict = "gaps" if result.counts["failed"] else "complete"
    if (outcomes["reason"] == INTERRUPTED).any():
        verdict = "unfinished"
    run = replace(begun.run, counts=result.counts, verdict=verdict)
    begun.keeper.commit(run, held)
    return result


def done_before(begun: Begun, current: pl.DataFrame, columns: Iterable[str]) -> pl.Series:
    """Give the documents that the stage's visible tables were made from as they are now, and in the same way."""
    stage = STAGES[begun.run.stage]
    made = begun.state.tables.get(stage.outputs[0])
    same = made and (made.run.params, made.run.made_with) == (begun.run.params, begun.run.made_with)
    if not made or not same:
        return pl.Series("doc_id", [], dtype=pl.String)
    before = begun.keeper.store.read(stage.inputs[0], made.run.inputs[stage.inputs[0]])
    return unchanged(before, current, list(columns))


def graph_of(keeper: Keeper, state: State) -> Graph:
    """Give the graph of a state."""
    from kgkit.graph import Graph

    names = ("entities", "relations", "evidence", "mentions", "statements")
    frames = {name: keeper.read(name, state) for name in names}
    outcomes = keeper.read("outcomes", state).filter(pl.col("stage") == "build_graph")
    return Graph(**frames, outcomes=outcomes)


def new_run(stage: str, params: dict[str, Any], inputs: dict[str, int]) -> Run:
    """Make the row of a run that begins now."""
    run_id = f"run_{uuid.uuid4().hex[:20]}"
    return Run(run_id, stage, params, inputs, {}, {}, "complete", made_with(stage), user(), now(), 0)


def stamped(outcomes: pl.DataFrame, begun: Begun) -> pl.DataFrame:
    """Say in outcomes which run of the ledger they are from."""
    return outcomes.with_columns(run_id=pl.lit(begun.run.run_id))


def _with_outcomes(old: pl.DataFrame, new: pl.DataFrame, stage: str, *, items_only: bool) -> pl.DataFrame:
    gone = pl.col("stage") == stage
    if items_only:
        gone = gone & pl.col("item_id").is_in(new["item_id"].implode())
    return pl.concat([old.filter(~gone), new]).sort("stage", "item_id")


def _replacing(name: str, result: Result) -> Merge:
    """Put an answer's rows in the place of those that the same question had."""
    new: pl.DataFrame = result.frames[name]
    questions = result.frames["answers"]["question"].implode()

    def replaced(read: Callable[[str], pl.DataFrame]) -> pl.DataFrame:
        old = read(name)
        if "question" in old.columns:
            return pl.concat([old.filter(~pl.col("question").is_in(questions)), new])
        gone = read("answers").filter(pl.col("question").is_in(questions))["answer_id"]
        return pl.concat([old.filter(~pl.col("answer_id").is_in(gone.implode())), new])

    return replaced


def named(source: Any) -> Any:
    """Write down where documents came from."""
    if isinstance(source, (str, os.PathLike)):
        return os.fsdecode(source)
    if isinstance(source, (list, tuple, set, frozenset)):
        return [named(item) for item in source]
    return f"a {type(source).__module__.split('.')[0]} frame"


def user() -> str:
    """Give the name of who runs this."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no name for this user id
        return "unknown"
