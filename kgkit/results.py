"""What every stage returns: its frames, what became of each item that went in, and a view of both.

The counting law: each item has exactly one outcome, and ``in = ok + empty + failed + skipped``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, Self

import polars as pl

from kgkit import tables
from kgkit.display import result_html
from kgkit.errors import CountingError
from kgkit.frames import Backend, backend_of, give, to_polars
from kgkit.ids import framed, hash_framed, stable_id

Status = Literal["ok", "empty", "failed", "skipped"]
STATUSES: tuple[Status, ...] = ("ok", "empty", "failed", "skipped")

__all__ = ["STATUSES", "Outcome", "Result", "Status", "outcomes_frame", "outcomes_from", "summarise"]


@dataclass(frozen=True)
class Outcome:
    """What became of one item. ``reason`` is a short code, ``detail`` says it in words."""

    item_id: str
    status: Status
    reason: str | None = None
    detail: str | None = None
    notes: tuple[str, ...] = ()
    attempts: int = 1
    chars_available: int | None = None
    chars_sent: int | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None


def outcomes_frame(
    stage: str, items: Iterable[str], outcomes: Iterable[Outcome], *, params: Mapping[str, Any] | None = None
) -> pl.DataFrame:
    """Make a stage's outcomes table and hold it to the counting law.

    Args:
        stage: Name of the function that ran.
        items: Ids of all items that went in.
        outcomes: One for each, in any order.
        params: The stage's options; with the items they make the run's id.

    Returns:
        An outcomes frame, ordered by ``item_id``.

    Raises:
        CountingError: Some item has no outcome, or more than one, or one was never put in.
    """
    expected = list(items)
    by_item: dict[str, Outcome] = {}
    twice = []
    for outcome in outcomes:
        if outcome.item_id in by_item:
            twice.append(outcome.item_id)
        by_item[outcome.item_id] = outcome
    lost = [item for item in expected if item not in by_item]
    strange = by_item.keys() - set(expected)
    if twice or lost or strange or len(set(expected)) != len(expected):
        msg = (
            f"{stage}: {len(expected)} items in, {len(by_item)} outcomes out; "
            f"without outcome {lost[:3]}, with two {twice[:3]}, never put in {sorted(strange)[:3]}."
        )
        raise CountingError(msg)
    run_id = stable_id("run", stage, json.dumps(dict(params or {}), sort_keys=True, default=str), *sorted(expected))
    rows = [by_item[item] for item in sorted(expected)]
    columns: dict[str, list[Any]] = {f.name: [getattr(o, f.name) for o in rows] for f in fields(Outcome)}
    columns["notes"] = [list(n) for n in columns["notes"]]
    data = {"run_id": [run_id] * len(rows), "stage": [stage] * len(rows), **columns}
    return tables.conform(pl.DataFrame(data, schema_overrides=tables.get("outcomes").schema), "outcomes")


def outcomes_from(
    stage: str, items: pl.Series, frame: pl.DataFrame, *, params: Mapping[str, Any] | None = None
) -> pl.DataFrame:
    """Make a stage's outcomes table out of columns: `outcomes_frame` for millions of items.

    Args:
        stage: Name of the function that ran.
        items: Ids of all items that went in.
        frame: One row for each, in any order: ``item_id``, ``status``, and any other column of the outcomes table;
            those left out are null, ``attempts`` 1 and ``notes`` empty.
        params: The stage's options; with the items they make the run's id.

    Returns:
        An outcomes frame, ordered by ``item_id``; the same that `outcomes_frame` makes.

    Raises:
        CountingError: Some item has no outcome, or more than one, or one was never put in.
    """
    expected = items.cast(pl.String).alias("item_id").sort()
    rows = frame.sort("item_id")
    if not rows["item_id"].equals(expected) or not expected.is_unique().all():
        _refuse_counts(stage, expected, rows["item_id"])
    settings = json.dumps(dict(params or {}), sort_keys=True, default=str)
    parts = pl.concat([pl.Series("item_id", [stage, settings]), expected])
    run_id = hash_framed("run", pl.DataFrame(parts).select(framed("item_id").str.join("")).to_series())[0]
    defaults = {"attempts": pl.lit(1, pl.Int64), "notes": pl.lit([], pl.List(pl.String))}
    return tables.conform(
        rows.with_columns(
            pl.lit(run_id).alias("run_id"),
            pl.lit(stage).alias("stage"),
            *(value.alias(name) for name, value in defaults.items() if name not in rows.columns),
        ),
        "outcomes",
    )


def _refuse_counts(stage: str, expected: pl.Series, got: pl.Series) -> None:
    twice = got.filter(got.is_duplicated()).unique().sort().to_list()
    lost = expected.filter(~expected.is_in(got.implode())).to_list()
    strange = got.filter(~got.is_in(expected.implode())).to_list()
    msg = (
        f"{stage}: {len(expected)} items in, {got.n_unique()} outcomes out; "
        f"without outcome {lost[:3]}, with two {twice[:3]}, never put in {strange[:3]}."
    )
    raise CountingError(msg)


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """Base of all results: a frozen dataclass whose fields are frames named after their tables.

    ``frame`` is the main table, ``outcomes`` says what became of each item, ``counts`` sums it up, and
    ``failures`` are the rows to look at. The result itself can be given to the next stage, to ``pl.DataFrame``,
    or to anything else that reads the Arrow C stream interface.
    """

    stage: ClassVar[str] = ""
    main: ClassVar[str] = ""

    outcomes: Any = field(kw_only=True)

    @property
    def frames(self) -> dict[str, Any]:
        """All frames of the result, by their tables' names; the main one first, outcomes last."""
        held = [f.name for f in fields(self) if f.name in tables.TABLES]
        held.sort(key=lambda name: (name == "outcomes", name != self.main))
        return {name: getattr(self, name) for name in held}

    @property
    def frame(self) -> Any:
        """The main frame."""
        return getattr(self, self.main)

    @property
    def counts(self) -> dict[str, int]:
        """Number of items: ``in``, ``ok``, ``empty``, ``failed``, ``skipped``."""
        statuses = to_polars(self.outcomes)["status"]
        found = dict(statuses.value_counts().iter_rows())
        return {"in": len(statuses), **{s: int(found.get(s, 0)) for s in STATUSES}}

    @property
    def failures(self) -> Any:
        """The outcomes that are neither ok nor without a remark, worst first."""
        frame = to_polars(self.outcomes)
        order = pl.col("status").replace_strict({"failed": 0, "empty": 1, "skipped": 2, "ok": 3}, return_dtype=pl.Int64)
        wanted = frame.filter((pl.col("status") != "ok") | (pl.col("notes").list.len() > 0))
        return give(wanted.sort(order, "item_id"), "outcomes", backend_of(self.outcomes))

    def to(self, backend: Backend) -> Self:
        """Convert all frames to ``"polars"``, ``"pandas"`` or ``"pyarrow"``; the result itself is not changed."""
        declared = {n: tables.conform(to_polars(f), n) for n, f in self.frames.items()}
        return replace(self, **{n: give(f, n, backend) for n, f in declared.items()})

    def to_pandas(self) -> Self:
        """Convert all frames to pandas."""
        return self.to("pandas")

    def to_polars(self) -> Self:
        """Convert all frames to polars."""
        return self.to("polars")

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return to_polars(self.frame).__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{len(f):,} {n}" for n, f in self.frames.items() if n != "outcomes")
        return f"{type(self).__name__}({sizes}; {summarise(self.counts)})"

    def _repr_html_(self) -> str:
        frames = {name: to_polars(frame) for name, frame in self.frames.items()}
        return result_html(self.stage, self.counts, frames, to_polars(self.failures))


def summarise(counts: Mapping[str, int]) -> str:
    """Say counts in a few words: ``40 in: 38 ok, 2 failed``."""
    parts = [f"{counts[s]:,} {s}" for s in STATUSES if counts.get(s)]
    return f"{counts['in']:,} in: {', '.join(parts) or 'none'}"
