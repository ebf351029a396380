"""What the verbs of a project share: beginning a run, and keeping what it made."""

from __future__ import annotations

import getpass
import os
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from kgkit.errors import InputError, ProjectError
from kgkit.project.keep import WHOLE, Change, Keeper, Parts, View
from kgkit.project.records import Run, State, now
from kgkit.project.secrets import without_secrets
from kgkit.project.stages import STAGES, made_with
from kgkit.project.store import PART
from kgkit.results import STATUSES, Result

if TYPE_CHECKING:
    from kgkit.graph import Graph
    from kgkit.resolution.apply import Reviewed

__all__ = [
    "INTERRUPTED",
    "Begun",
    "begin",
    "graph_of",
    "keep",
    "keep_answer",
    "named",
    "new_run",
    "outcome_part",
    "record_failure",
    "replacing",
    "reviewed_graph",
    "stamped",
    "tell",
    "user",
]

_R = TypeVar("_R", bound=Result)

_REASON = 500
_SAID = ("mentions", "statements")

INTERRUPTED = "interrupted"
"""The reason of items that were not reached."""


@dataclass(frozen=True)
class Begun:
    """A stage that is about to run: the tables as it sees them, and the row that the ledger will get."""

    keeper: Keeper
    view: View
    run: Run

    def table(self, name: str) -> pl.DataFrame:
        """Read a table as it was when the stage began."""
        return self.view.table(name)

    def commit(self, changes: Mapping[str, Change], *, expected: Mapping[str, int] | None = None) -> Run | None:
        """Keep tables and outcomes; counts, cost and verdict are told from the outcomes.

        Args:
            changes: The tables.
            expected: The versions that the stage's tables must still have; others mean that another process made
                them meanwhile.

        Returns:
            The run as the ledger has it; nothing, and nothing was kept, when the tables have other versions.
        """
        names = STAGES[self.run.stage].outputs if expected is not None else ()
        wanted = {name: (expected or {}).get(name) for name in names}
        return self.keeper.commit(self.run, changes, told=lambda view: tell(view, self.run.stage), expected=wanted)

    def again(self) -> Begun:
        """Begin a further run of the same stage on the same tables."""
        return replace(
            self, run=new_run(self.run.stage, self.run.params, self.run.inputs, last_decision=self.run.last_decision)
        )


def begin(keeper: Keeper, stage: str, params: dict[str, Any], *, optional: Iterable[str] = ()) -> Begun:
    """Begin a stage on the visible tables.

    Raises:
        InputError: A table that it needs is not there yet.
    """
    last = keeper.last_decision() if STAGES[stage].decided else None
    view = keeper.view()
    state = view.state
    wanted = STAGES[stage].inputs
    for name in wanted:
        if name not in state.tables and name not in optional:
            maker = next(s.verb for s in STAGES.values() if name in s.outputs)
            msg = f"There are no {name} in this project yet; project.{maker}(...) makes them."
            raise InputError(msg)
    inputs = {name: state.versions[name] for name in wanted if name in state.tables}
    return Begun(keeper, view, new_run(stage, params, inputs, last_decision=last))


def keep(begun: Begun, result: _R, told: Mapping[str, pl.DataFrame] | None = None) -> _R:
    """Keep the tables of a stage that makes them whole; give its result with the outcomes as they are kept.

    Args:
        begun: The run.
        result: What it made.
        told: Outcomes to keep, by the function that they are of; by default those of the result.
    """
    stage = begun.run.stage
    result = replace(result, outcomes=stamped(result.outcomes, begun.run))
    rows = told or {stage: result.outcomes}
    parts = [(outcome_part(name), stamped(frame, begun.run)) for name, frame in rows.items()]
    changes: dict[str, Change] = {name: result.frames[name] for name in STAGES[stage].outputs}
    changes["outcomes"] = lambda _: parts
    begun.commit(changes)
    return result


def keep_answer(begun: Begun, result: _R) -> _R:
    """Keep an answer, in the place of the one that the same question had."""
    result = replace(result, outcomes=stamped(result.outcomes, begun.run))
    changes: dict[str, Change] = {name: _answered(name, result) for name in STAGES["ask"].outputs}
    part = outcome_part("ask")
    changes["outcomes"] = replacing("outcomes", "item_id", result.outcomes.with_columns(pl.lit(part).alias(PART)), part)
    begun.commit(changes)
    return result


def replacing(name: str, key: str, put: pl.DataFrame, prefix: str = "", *, gone: pl.Series | None = None) -> Change:
    """Make the change that puts rows in the place of those with the same key, each in its part.

    Args:
        name: The table.
        key: The column that tells whether rows are of the same thing.
        put: The rows, with `PART`.
        prefix: Only parts whose names begin so are looked at.
        gone: Keys of rows that go.
    """
    out = put[key].unique() if gone is None else pl.concat([put[key], gone]).unique()

    def change(view: View) -> Parts:
        parts = [part for part in view.parts(name) if part.startswith(prefix)]
        held = view.rows(name, parts=parts, columns=[key, PART])
        touched = held.filter(pl.col(key).is_in(out.implode()))[PART]
        for part in sorted({*touched, *put[PART]}):
            old = view.rows(name, parts=[part]).filter(~pl.col(key).is_in(out.implode()))
            new = put.filter(pl.col(PART) == part).select(old.columns)
            yield part, pl.concat([old, new]).sort(key, maintain_order=True)

    return change


def tell(view: View, stage: str) -> dict[str, Any]:
    """Tell a run's counts, cost and verdict from the outcomes of its stage."""
    prefix = outcome_part(stage, "")
    parts = [part for part in view.parts("outcomes") if part.startswith(prefix)]
    rows = view.rows("outcomes", parts=parts, columns=["status", "reason", "cost"])
    counts = {"in": rows.height} | {status: int((rows["status"] == status).sum()) for status in STATUSES}
    verdict = "gaps" if counts["failed"] else "complete"
    if counts["failed"] and counts["failed"] == counts["in"]:
        verdict = "failed"
    if (rows["reason"] == INTERRUPTED).any():
        verdict = "unfinished"
    cost = rows["cost"].sum() if rows["cost"].count() else None
    return {"counts": counts, "verdict": verdict, "cost": cost}


def outcome_part(stage: str, part: str = WHOLE) -> str:
    """Name the part of the outcomes that are of one stage and one part of its tables."""
    return f"{stage}.{part}"


def graph_of(keeper: Keeper, state: State) -> Graph:
    """Give the graph of a state: as people's decisions left it."""
    from kgkit.graph import Graph

    view = _built_from(keeper, state)
    frames = {name: view.table(name) for name in ("entities", "relations", "evidence", "mentions", "statements")}
    return Graph(**frames, outcomes=view.rows("outcomes", parts=[outcome_part("build_graph")]))


def reviewed_graph(keeper: Keeper, state: State, options: Mapping[str, Any]) -> Reviewed:
    """Give the graph of a state together with the graph before decisions, which is built again."""
    import kgkit as kg
    from kgkit.resolution.apply import Reviewed

    view = _built_from(keeper, state)
    base = kg.build_graph(view.table("mentions"), view.table("statements"), **options)
    names = ("entities", "relations", "evidence", "canonical", "aliases", "withheld")
    frames = {name: view.table(name) for name in names} | {name: getattr(base, name) for name in _SAID}
    outcomes = view.rows("outcomes", parts=[outcome_part("apply_decisions")])
    return Reviewed(**frames, outcomes=outcomes, base=base)


def _built_from(keeper: Keeper, state: State) -> View:
    """Look at a state with the mentions and statements that its graph was built from."""
    made = state.tables.get("entities")
    return keeper.view(state.seen_by(made.run) if made else state)


def new_run(stage: str, params: dict[str, Any], inputs: dict[str, int], *, last_decision: int | None = None) -> Run:
    """Make the row of a run that begins now, and knows of decisions up to the last."""
    run_id = f"run_{uuid.uuid4().hex[:20]}"
    made = made_with(stage)
    return Run(run_id, stage, params, inputs, {}, {}, "complete", made, user(), now(), 0, last_decision=last_decision)


def record_failure(keeper: Keeper, run: Run, error: Exception) -> None:
    """Note a stage that failed as a whole; nothing of it is visible."""
    words = f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace").decode("utf-8")
    reason = without_secrets(words)[:_REASON]
    with suppress(ProjectError):  # the error itself is raised, which is what counts
        keeper.commit(replace(run, verdict="failed", reason=reason), {})


def stamped(outcomes: pl.DataFrame, run: Run) -> pl.DataFrame:
    """Say in outcomes which run of the ledger they are from."""
    return outcomes.with_columns(run_id=pl.lit(run.run_id))


def _answered(name: str, result: Result) -> Change:
    """Put an answer's rows in the place of those that the same question had."""
    new: pl.DataFrame = result.frames[name]
    questions = result.frames["answers"]["question"].implode()

    def change(view: View) -> Parts:
        old = view.rows(name)
        if "question" in old.columns:
            gone = pl.col("question").is_in(questions)
        else:
            ids = view.rows("answers").filter(pl.col("question").is_in(questions))["answer_id"]
            gone = pl.col("answer_id").is_in(ids.implode())
        yield WHOLE, pl.concat([old.filter(~gone), new])

    return change


def named(source: Any) -> Any:
    """Write down where documents came from."""
    if isinstance(source, (str, os.PathLike)):
        return os.fsdecode(source)
    if isinstance(source, (set, frozenset)):
        return sorted(map(named, source))
    if isinstance(source, (list, tuple)):
        return [named(item) for item in source]
    return f"a {type(source).__module__.split('.')[0]} frame"


def user() -> str:
    """Give the name of who runs this."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no name for this user id
        return "unknown"
