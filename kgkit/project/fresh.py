"""Which tables are fresh, and why others are stale: a comparison of versions in the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from kgkit.project.ledger import as_json
from kgkit.project.records import Made, Run, State, moment
from kgkit.project.stages import STAGES, made_with

__all__ = ["stale_questions", "stale_tables", "status_frame"]

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
}


def stale_tables(state: State) -> dict[str, str]:
    """Give the tables that re-running would make from something else than they were made from, and why."""
    stale: dict[str, str] = {}
    for name, stage in STAGES.items():
        for table in stage.outputs:
            made = state.tables.get(table)
            if made is None:
                continue
            reasons = _answers(state, stale) if name == "ask" else _reasons(made.run, state, stale)
            if reasons:
                stale[table] = "; ".join(reasons)
    return stale


def stale_questions(state: State, stale: Mapping[str, str]) -> dict[str, Run]:
    """Give the questions that were answered from other tables than the visible ones."""
    return {question: run for question, run in state.asked.items() if _reasons(run, state, stale)}


def status_frame(state: State, rows: Mapping[str, int]) -> pl.DataFrame:
    """Make the frame that ``Project.status`` returns, in the order in which tables are made."""
    stale = stale_tables(state)
    order = [table for stage in STAGES.values() for table in stage.outputs]
    names = sorted(state.tables, key=lambda name: order.index(name) if name in order else len(order))
    return pl.DataFrame(
        [_row(name, state.tables[name], stale.get(name), rows[name]) for name in names], schema=_SCHEMA, orient="row"
    )


def _row(name: str, made: Made, reason: str | None, rows: int) -> tuple[Any, ...]:
    run = made.run
    status = "stale" if reason else "fresh"
    return (
        name,
        status,
        reason,
        rows,
        made.version,
        moment(run.finished_at),
        as_json(run.inputs),
        run.stage,
        run.run_id,
    )


def _answers(state: State, stale: Mapping[str, str]) -> list[str]:
    old = stale_questions(state, stale)
    if not old:
        return []
    first = _reasons(next(iter(old.values())), state, stale)
    return [f"{len(old)} of {len(state.asked)} questions were answered before: {'; '.join(first)}"]


def _reasons(run: Run, state: State, stale: Mapping[str, str]) -> list[str]:
    reasons = ["its run was not finished"] if run.verdict == "unfinished" else []
    for table, version in sorted(run.inputs.items()):
        current = state.versions.get(table)
        if current is None:
            reasons.append(f"{table} is gone")
        elif current != version:
            reasons.append(f"{table} has changed: it was made from version {version}, now there is {current}")
        elif table in stale:
            reasons.append(f"{table} is stale")
    today = made_with(run.stage)
    for library in sorted(run.made_with.keys() | today.keys()):
        then, now = run.made_with.get(library, "none"), today.get(library, "none")
        if then != now:
            reasons.append(f"made with {library} {then}, now there is {now}")
    return reasons
