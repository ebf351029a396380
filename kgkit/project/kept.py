"""What a verb of a project gives back: what became of the items, and the tables when they are asked for."""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import Any

import polars as pl

from kgkit.display import result_html
from kgkit.frames import Backend
from kgkit.project.keep import Keeper
from kgkit.project.records import Run, row_counts
from kgkit.project.stages import STAGES
from kgkit.project.work import outcome_part
from kgkit.results import Result, summarise

__all__ = ["KeptRun"]


class KeptRun:
    """One run of a stage as the project keeps it.

    It stands for the result of the stage function: ``run.mentions`` reads that table as it was when the run ended,
    and other functions take the run as they take a result. Nothing is read before it is asked for.

    Attributes:
        stage: The stage's function.
        run_id: The run in `Project.history`.
        counts: Number of items: ``in``, ``ok``, ``empty``, ``failed``, ``skipped``.
        verdict: complete, gaps, failed or unfinished.
        cost: What its model calls cost, where known.
    """

    def __init__(self, keeper: Keeper, run: Run) -> None:
        self._keeper = keeper
        self._run = run
        self.stage = run.stage
        self.run_id = run.run_id
        self.counts = dict(run.counts)
        self.verdict = run.verdict
        self.cost = run.cost

    @cached_property
    def frames(self) -> dict[str, Any]:
        """All tables of the stage, by name; the main one first, ``outcomes`` last."""
        return {name: self._table(name) for name in STAGES[self.stage].outputs} | {"outcomes": self.outcomes}

    @property
    def frame(self) -> Any:
        """The stage's main table."""
        return self._table(STAGES[self.stage].outputs[0])

    @cached_property
    def outcomes(self) -> pl.DataFrame:
        """What became of each item of the stage."""
        view = self._keeper.view(at=self.run_id)
        prefix = outcome_part(self.stage, "")
        rows = view.rows("outcomes", parts=[p for p in view.parts("outcomes") if p.startswith(prefix)])
        return rows.sort("item_id")

    @property
    def failures(self) -> pl.DataFrame:
        """The outcomes that are neither ok nor without a remark, the worst first."""
        worst: pl.DataFrame = Result(outcomes=self.outcomes).failures
        return worst

    def to(self, backend: Backend) -> Result:
        """Give the result of the stage function, with ``"polars"``, ``"pandas"`` or ``"pyarrow"`` frames."""
        from kgkit.documents.chunk import Chunks
        from kgkit.documents.read import Documents
        from kgkit.extraction import Extraction

        kind: type[Result] = {k.stage: k for k in (Documents, Chunks, Extraction)}[self.stage]
        return kind(**{f.name: self.frames[f.name] for f in fields(kind)}).to(backend)

    def to_pandas(self) -> Result:
        """Give the result of the stage function with pandas frames."""
        return self.to("pandas")

    def to_polars(self) -> Result:
        """Give the result of the stage function with polars frames."""
        return self.to("polars")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in STAGES[self.stage].outputs:
            msg = f"{type(self).__name__} of {self.__dict__.get('stage')} has no {name!r}"
            raise AttributeError(msg)
        return self._table(name)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return self._sizes()[STAGES[self.stage].outputs[0]]

    def __repr__(self) -> str:
        sizes = ", ".join(f"{n_rows:,} {name}" for name, n_rows in self._sizes().items())
        return f"{type(self).__name__}({self.stage}: {sizes}; {summarise(self.counts)}; {self.verdict})"

    def _repr_html_(self) -> str:
        frames = {name: self._table(name) for name in STAGES[self.stage].outputs}
        return result_html(self.stage, self.counts, frames, self.failures)

    def _sizes(self) -> dict[str, int]:
        with self._keeper.ledger.reading() as connection:
            return row_counts(connection, {n: v for n, v in self._run.outputs.items() if n != "outcomes"})

    def _table(self, name: str) -> pl.DataFrame:
        return self._keeper.view(at=self.run_id).table(name)
