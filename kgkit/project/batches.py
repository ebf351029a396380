"""Stages that work document by document: only where the input changed, batch by batch, each batch kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from kgkit.project.keep import Change, Keeper, Parts, View
from kgkit.project.order import in_order
from kgkit.project.records import Run
from kgkit.project.stages import STAGES, Stage
from kgkit.project.store import PART
from kgkit.project.work import INTERRUPTED, Begun, begin, outcome_part, stamped
from kgkit.results import Result, outcomes_from

__all__ = ["run_in_batches"]

Work = Callable[[pl.DataFrame], Result]
"""A stage function with its options."""


def run_in_batches(
    keeper: Keeper, stage: str, params: dict[str, Any], work: Work, *, batch_chars: int, retry_failed: bool = False
) -> Run:
    """Run a stage on the documents whose rows are new or changed, or were left undone.

    After each batch its tables are kept, and items that were not reached are skipped as interrupted: what an
    interrupt or a kill leaves undone is done the next time. Only a batch is in memory at once.

    Args:
        keeper: The project's ledger and tables.
        stage: The stage's function.
        params: What the ledger keeps of its options.
        work: Makes the result for rows of the stage's first input.
        batch_chars: About how many characters of text are worked on at once.
        retry_failed: Whether to try items again that failed.

    Returns:
        The last run that was kept.
    """
    while True:
        todo = _plan(begin(keeper, stage, params), retry_failed=retry_failed)
        run = _work_off(todo, work, batch_chars)
        if run is not None:
            return run


@dataclass
class _Todo:
    """What a run has to do.

    Attributes:
        begun: The run, and the tables as it sees them.
        items: The items of the parts that are to be touched: ``doc_id``, ``item_id``, ``size`` in characters, `PART`,
            and whether what was made of the document is ``right``.
        gone: Parts that are no longer in the input.
        left: The versions of the outputs as this run left them.
    """

    begun: Begun
    items: pl.DataFrame
    gone: list[str] = field(default_factory=list)
    left: dict[str, int] = field(default_factory=dict)

    @property
    def stage(self) -> Stage:
        return STAGES[self.begun.run.stage]


def _plan(begun: Begun, *, retry_failed: bool) -> _Todo:
    """Find the parts that differ from what the outputs were made from, and what in them is still right."""
    run, view, stage = begun.run, begun.view, STAGES[begun.run.stage]
    table = stage.inputs[0]
    now = view.parts(table)
    undone = _undone(view, run.stage, retry_failed=retry_failed)
    before = _seen_before(begun)
    then = before.parts(table) if before else {}
    made = {part for name in stage.outputs for part in view.parts(name)}
    made |= {part.split(".", 1)[1] for part in view.parts("outcomes") if part.startswith(outcome_part(run.stage, ""))}
    changed = [part for part in now if now[part] != then.get(part)]
    touched = sorted({*changed, *(undone[PART].unique() if before else ())} & now.keys(), key=_by_number)
    items = _items(view, stage, touched)
    right = [_still_right(view, before, stage, part, changed=part in changed) for part in touched if before]
    again = items.filter(pl.col("item_id").is_in(undone["item_id"].implode()))["doc_id"]
    done = pl.concat([pl.Series("doc_id", [], pl.String), *right])
    fine = pl.col("doc_id").is_in(done.implode()) & ~pl.col("doc_id").is_in(again.implode())
    left = {name: view.state.versions[name] for name in stage.outputs if name in view.state.tables}
    return _Todo(begun, items.with_columns(right=fine), sorted(made - now.keys(), key=_by_number), left)


def _seen_before(begun: Begun) -> View | None:
    """Give the tables that the visible outputs were made from, if they were made in the way of this run."""
    run = begun.run
    made = begun.view.state.tables.get(STAGES[run.stage].outputs[0])
    if made is None or (made.run.params, made.run.made_with) != (run.params, run.made_with):
        return None
    return begun.keeper.view(begun.view.state.seen_by(made.run))


def _still_right(now: View, then: View, stage: Stage, part: str, *, changed: bool) -> pl.Series:
    """Give the documents of a part whose rows are as they were."""
    table = stage.inputs[0]
    if not changed:
        return now.rows(table, parts=[part], columns=["doc_id"])["doc_id"]
    old, new = (view.rows(table, parts=[part], columns=stage.compared) for view in (then, now))
    return _unchanged(old, new)


def _unchanged(old: pl.DataFrame, new: pl.DataFrame) -> pl.Series:
    """Give the documents all of whose rows are the same in both frames."""
    before, after = _comparable(old), _comparable(new)
    same = after.join(before, on=after.columns, how="semi", nulls_equal=True)
    counts = [frame.group_by("doc_id").len() for frame in (before, after, same)]
    return counts[0].join(counts[1], on=["doc_id", "len"]).join(counts[2], on=["doc_id", "len"])["doc_id"]


def _comparable(frame: pl.DataFrame) -> pl.DataFrame:
    """Write lists of structs as JSON, by which rows can be joined."""
    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    return frame.with_columns(
        pl.col(name).list.eval(pl.element().struct.json_encode()).list.join("\n") for name in nested
    )


def _undone(view: View, stage: str, *, retry_failed: bool) -> pl.DataFrame:
    """Give the items that an interrupt left undone, and those that failed if they are to be tried again."""
    prefix = outcome_part(stage, "")
    parts = [part for part in view.parts("outcomes") if part.startswith(prefix)]
    rows = view.rows("outcomes", parts=parts, columns=["item_id", "status", "reason", PART])
    again = pl.col("reason").eq_missing(INTERRUPTED)
    if retry_failed:
        again = again | (pl.col("status") == "failed")
    return rows.filter(again).select("item_id", pl.col(PART).str.strip_prefix(prefix))


def _items(view: View, stage: Stage, parts: list[str]) -> pl.DataFrame:
    """List the documents, items and lengths of parts of a stage's input, part by part."""
    size = ["n_chars"] if stage.item == "doc_id" else ["start", "end"]
    columns = dict.fromkeys(["doc_id", stage.item, *size, PART])
    rows = view.rows(stage.inputs[0], parts=parts, columns=list(columns))
    length = pl.col("n_chars") if stage.item == "doc_id" else pl.col("end") - pl.col("start")
    order = pl.col(PART).replace_strict({part: i for i, part in enumerate(parts)}, return_dtype=pl.Int64)
    listed = rows.select("doc_id", pl.col(stage.item).alias("item_id"), length.alias("size"), PART)
    return listed.sort(order, "doc_id", "item_id")


def _work_off(todo: _Todo, work: Work, batch_chars: int) -> Run | None:
    """Do what there is to do, batch by batch; nothing when another process made these tables meanwhile."""
    first = True
    while True:
        waiting = todo.items.filter(~pl.col("right"))
        batch = _first_documents(waiting, batch_chars)
        fresh = work(_rows_of(todo, batch)).to_polars() if batch.height else None
        touched = (todo.items if first else batch)[PART].unique()
        run = _keep(todo, fresh, sorted(touched, key=_by_number), todo.gone if first else [])
        stopped = fresh is not None and (fresh.outcomes["reason"] == INTERRUPTED).any()
        if run is None or stopped or batch.height == waiting.height:
            return run
        done = pl.col("doc_id").is_in(batch["doc_id"].unique().implode())
        todo.items = todo.items.with_columns(right=pl.col("right") | done)
        first = False


def _first_documents(waiting: pl.DataFrame, batch_chars: int) -> pl.DataFrame:
    """Take the items of the first documents that have about this much text together; of one at least."""
    sizes = waiting.group_by("doc_id", maintain_order=True).agg(pl.col("size").sum())
    taken = sizes.filter(pl.col("size").cum_sum() - pl.col("size") < batch_chars)["doc_id"]
    return waiting.filter(pl.col("doc_id").is_in(taken.implode()))


def _rows_of(todo: _Todo, batch: pl.DataFrame) -> pl.DataFrame:
    table = todo.stage.inputs[0]
    rows = todo.begun.view.rows(table, parts=batch[PART].unique())
    return in_order(table, rows.filter(pl.col("doc_id").is_in(batch["doc_id"].implode())))


def _keep(todo: _Todo, fresh: Result | None, parts: list[str], gone: list[str]) -> Run | None:
    """Keep a batch: its rows, beside those of the same parts that are right."""
    run = todo.begun.run
    items = todo.items.filter(pl.col(PART).is_in(parts)).partition_by(PART, as_dict=True)
    own = {str(part): rows for (part,), rows in items.items()}
    made = {} if fresh is None else {**fresh.frames, "outcomes": stamped(fresh.outcomes, run)}
    changes: dict[str, Change] = {name: _rows_change(name, own, made.get(name), gone) for name in todo.stage.outputs}
    changes["outcomes"] = _outcomes_change(run, own, made.get("outcomes"), gone)
    done = todo.begun.commit(changes, expected=todo.left)
    if done is not None:
        todo.left = {name: done.outputs[name] for name in todo.stage.outputs}
        todo.begun = todo.begun.again()
    return done


def _rows_change(name: str, own: dict[str, pl.DataFrame], new: pl.DataFrame | None, gone: list[str]) -> Change:
    def change(view: View) -> Parts:
        yield from _emptied(view, name, gone)
        for part, items in own.items():
            right = items.filter("right")["doc_id"].unique()
            rows = [view.rows(name, parts=[part]).filter(pl.col("doc_id").is_in(right.implode()))]
            if new is not None:
                rows.append(new.filter(pl.col("doc_id").is_in(items["doc_id"].unique().implode())))
            yield part, in_order(name, pl.concat(rows))

    return change


def _outcomes_change(run: Run, own: dict[str, pl.DataFrame], new: pl.DataFrame | None, gone: list[str]) -> Change:
    def change(view: View) -> Parts:
        yield from _emptied(view, "outcomes", [outcome_part(run.stage, part) for part in gone])
        for part, items in own.items():
            place = outcome_part(run.stage, part)
            right = items.filter("right")["item_id"]
            rows = [view.rows("outcomes", parts=[place]).filter(pl.col("item_id").is_in(right.implode()))]
            if new is not None:
                rows.append(new.filter(pl.col("item_id").is_in(items["item_id"].implode())))
            have = pl.concat([frame["item_id"] for frame in rows])
            left = items.filter(~pl.col("item_id").is_in(have.implode()))["item_id"]
            rows.append(stamped(_waiting(run.stage, left), run))
            yield place, in_order("outcomes", pl.concat(rows))

    return change


def _emptied(view: View, name: str, parts: list[str]) -> Parts:
    for part in parts:
        yield part, view.rows(name, parts=[]).clear()


def _waiting(stage: str, items: pl.Series) -> pl.DataFrame:
    """Make the outcomes of items that are for a later batch."""
    rows = items.to_frame("item_id").with_columns(
        status=pl.lit("skipped"), reason=pl.lit(INTERRUPTED), detail=pl.lit("Not reached yet; run the stage again.")
    )
    return outcomes_from(stage, items, rows)


def _by_number(part: str) -> tuple[int, str]:
    return len(part), part
