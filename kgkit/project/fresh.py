"""Which tables are fresh, why others are stale, and what running them again would take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from kgkit.project.keep import Keeper, View
from kgkit.project.ledger import as_json
from kgkit.project.records import Made, Run, State, decided_since, moment, row_counts
from kgkit.project.stages import STAGES, made_with
from kgkit.project.work import outcome_part

__all__ = ["Freshness", "freshness", "status_frame"]

_SCHEMA: dict[str, Any] = {
    "table": pl.String,
    "status": pl.String,
    "reason": pl.String,
    "rows": pl.Int64,
    "version": pl.Int64,
    "built_at": pl.Datetime("us", "UTC"),
    "built_from": pl.String,
    "stage": pl.String,
    "run_id": pl.String,
    "items_to_do": pl.Int64,
    "calls_to_do": pl.Int64,
}


@dataclass(frozen=True)
class Freshness:
    """What is stale.

    Attributes:
        tables: The stale tables, with the reason.
        questions: The questions that were answered from other tables than the visible ones.
    """

    tables: dict[str, str]
    questions: dict[str, Run]


def freshness(state: State, decided: Mapping[int, int]) -> Freshness:
    """Find the tables that running again would make from something else than they were made from.

    Args:
        state: What is visible.
        decided: How many decisions that graphs are built with came after a decision's number.
    """
    stale: dict[str, str] = {}
    questions: dict[str, Run] = {}
    for name, stage in STAGES.items():
        if name == "ask":
            told = {question: _reasons(run, state, stale, decided) for question, run in state.asked.items()}
            questions = {question: state.asked[question] for question, why in told.items() if why}
        for table in stage.outputs:
            made = state.tables.get(table)
            if made is None:
                continue
            reasons = _answers(told, questions) if name == "ask" else _reasons(made.run, state, stale, decided)
            if reasons:
                stale[table] = "; ".join(reasons)
    return Freshness(stale, questions)


def status_frame(keeper: Keeper) -> pl.DataFrame:
    """Make the frame that ``Project.status`` returns, in the order in which tables are made."""
    view = keeper.view()
    state = view.state
    with keeper.ledger.reading() as connection:
        rows = row_counts(connection, state.versions)
        found = freshness(state, decided_since(connection, state))
    order = [table for stage in STAGES.values() for table in stage.outputs]
    names = sorted(state.tables, key=lambda name: order.index(name) if name in order else len(order))
    todo = {name: _to_do(keeper, view, state.tables[name], found) for name in names if name in found.tables}
    return pl.DataFrame(
        [_row(name, state.tables[name], found.tables.get(name), rows[name], todo.get(name, 0)) for name in names],
        schema=_SCHEMA,
        orient="row",
    )


def _row(name: str, made: Made, reason: str | None, rows: int, todo: int | None) -> tuple[Any, ...]:
    run = made.run
    status = "stale" if reason else "fresh"
    built = (made.version, moment(run.finished_at), as_json(run.inputs), run.stage, run.run_id)
    calls = todo * (1 + int(run.params.get("gleaning") or 0)) if todo and run.params.get("model") else 0
    return (name, status, reason, rows, *built, todo, calls)


def _answers(told: Mapping[str, list[str]], questions: Mapping[str, Run]) -> list[str]:
    if not questions:
        return []
    first = told[next(iter(questions))]
    return [f"{len(questions)} of {len(told)} questions were answered before: {'; '.join(first)}"]


def _reasons(run: Run, state: State, stale: Mapping[str, str], decided: Mapping[int, int]) -> list[str]:
    reasons = ["its run was not finished"] if run.verdict == "unfinished" else []
    for table, version in sorted(run.inputs.items()):
        current = state.versions.get(table)
        if current is None:
            reasons.append(f"{table} is gone")
        elif current != version:
            reasons.append(f"{table} has changed: it was made from version {version}, now there is {current}")
        elif table in stale:
            reasons.append(f"{table} is stale")
    newer = decided.get(run.last_decision or 0, 0) if run.stage in STAGES and STAGES[run.stage].decided else 0
    if newer:
        reasons.append(f"{newer} decision{'s were' if newer > 1 else ' was'} made since")
    today = made_with(run.stage)
    for library in sorted(run.made_with.keys() | today.keys()):
        then, now = run.made_with.get(library, "none"), today.get(library, "none")
        if then != now:
            reasons.append(f"made with {library} {then}, now there is {now}")
    return reasons


def _to_do(keeper: Keeper, view: View, made: Made, found: Freshness) -> int | None:
    """Count the items that running a stage again would work on, as far as its inputs are there already."""
    run = made.run
    stage = STAGES.get(run.stage)
    if stage is None:
        return None
    if run.stage == "ask":
        return len(found.questions)
    if found.tables.keys() & set(stage.inputs) or not view.state.tables.keys() >= set(stage.inputs):
        return None  # not known before these are there and fresh
    if not stage.item:
        with keeper.ledger.reading() as connection:
            return sum(row_counts(connection, {n: view.state.versions[n] for n in stage.inputs}).values())
    return _items_to_do(keeper, view, run)


def _items_to_do(keeper: Keeper, view: View, run: Run) -> int:
    stage = STAGES[run.stage]
    table = stage.inputs[0]
    now = view.parts(table)
    if run.made_with != made_with(run.stage):
        return sum(file.n_rows for file in view.files(table))
    before = keeper.view(view.state.seen_by(run))
    then = before.parts(table)
    changed = [part for part in now if now[part] != then.get(part)]
    old, new = (v.rows(table, parts=changed, columns=stage.told) for v in (before, view))
    items = new.join(old, on=list(stage.told), how="anti", nulls_equal=True)[stage.item].unique()
    prefix = outcome_part(run.stage, "")
    parts = [part for part in view.parts("outcomes") if part.startswith(prefix)]
    outcomes = view.rows("outcomes", parts=parts, columns=["item_id", "reason"])
    left = outcomes.filter(pl.col("reason") == "interrupted")["item_id"]
    return pl.concat([items.alias("item_id"), left]).n_unique()
