"""The main job on a project, in one call: read a folder, and do what is missing or stale."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgkit.project.fresh import freshness
from kgkit.project.ledger import LEDGER
from kgkit.project.options import revived_options
from kgkit.project.records import decided_since, read_state, row_counts
from kgkit.project.stages import STAGES
from kgkit.project.work import INTERRUPTED
from kgkit.results import Result

if TYPE_CHECKING:
    from kgkit.project.kept import KeptRun
    from kgkit.project.project import Project

__all__ = ["StageRun", "is_project", "run_project"]

_AFTER = ("chunk_documents", "extract", "build_graph", "detect_communities")


@dataclass(frozen=True)
class StageRun:
    """What became of one stage.

    Attributes:
        stage: The stage's function.
        result: What it gave; ``None`` where it was fresh.
        counts: Its items, as the ledger has them: ``in``, ``ok``, ``empty``, ``failed``, ``skipped``.
        rows: How many rows its tables have.
        seconds: How long it took.
    """

    stage: str
    result: Result | KeptRun | None
    counts: dict[str, int]
    rows: dict[str, int]
    seconds: float

    @property
    def status(self) -> str:
        """``ran``, or ``fresh`` where there was nothing to do."""
        return "fresh" if self.result is None else "ran"


def run_project(
    project: Project,
    source: Any,
    *,
    questions: Iterable[str] = (),
    seed: int | None = None,
    workers: int | None = None,
    retry_failed: bool = False,
    on_stage: Callable[[StageRun], None] | None = None,
) -> list[StageRun]:
    """Read documents into a project, and run each stage whose tables are missing or stale.

    Stages run with the options of the last time. What an interrupt or a kill left undone is done the next time;
    what was finished is kept.

    Args:
        project: The project.
        source: What `kgkit.read_documents` reads; it takes the place of the documents that were there.
        questions: Questions to answer when all is done; the answers are kept too.
        seed: Seed of the communities; another one than last time makes them anew. ``None`` is that of the last time.
        workers: Processes for reading and extracting; by default as many as there are cores.
        retry_failed: Also try again what failed in reading and extracting.
        on_stage: Called after each stage.

    Returns:
        What became of each stage, in order.

    Raises:
        InputError: The project lies inside the folder to read, there is nothing there, or a stage was last run with a
            language model.
        KeyboardInterrupt: A stage was interrupted; what it had finished is kept.

    Examples:
        >>> import tempfile
        >>> import polars as pl
        >>> import kgkit as kg
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     texts = pl.DataFrame({"text": ["Ada Lovelace met Charles Babbage in London."]})
        ...     done = run_project(kg.Project(folder), texts)
        ...     again = run_project(kg.Project(folder), texts)
        >>> [stage.status for stage in done], [stage.status for stage in again]
        (['ran', 'ran', 'ran', 'ran', 'ran'], ['ran', 'fresh', 'fresh', 'fresh', 'fresh'])
    """
    done: list[StageRun] = []

    def note(stage: str, act: Callable[[], Result | KeptRun] | None) -> None:
        began = time.monotonic()
        result = act() if act else None
        run = StageRun(stage, result, *_told(project, stage), time.monotonic() - began)
        done.append(run)
        if on_stage:
            on_stage(run)
        if result is not None and _was_interrupted(result):
            raise KeyboardInterrupt

    again: dict[str, Any] = {"retry_failed": True} if retry_failed else {}
    pool: dict[str, Any] = {} if workers is None else {"workers": workers}
    reading = {name: value for name, value in _last(project, "read_documents").items() if name != "source"}
    note("read_documents", partial(project.read, source, **reading, **again, **pool))
    for name in _AFTER:
        last = _last(project, name)
        options, extra = dict(last), dict[str, Any]()
        if name == "detect_communities" and seed is not None and seed != last.get("seed", 0):
            options["seed"] = seed
        if name == "extract":
            extra = again | pool
        due = bool(again and name == "extract") or options != last or _is_due(project, name)
        note(name, partial(getattr(project, STAGES[name].verb), **options, **extra) if due else None)
    for question in questions:
        note("ask", partial(project.ask, question))
    return done


def is_project(path: str | os.PathLike[str]) -> bool:
    """Tell whether a folder is a project, sound or not."""
    return (Path(os.path.expanduser(path)) / LEDGER).exists()


def _is_due(project: Project, stage: str) -> bool:
    """Tell whether a table of a stage is missing or stale."""
    with project._keeper.ledger.reading() as connection:
        state = read_state(connection)
        stale = freshness(state, decided_since(connection, state)).tables
    return any(name not in state.tables or name in stale for name in STAGES[stage].outputs)


def _last(project: Project, stage: str) -> dict[str, Any]:
    """Give the options with which a stage's visible tables were made.

    Raises:
        InputError: They hold a language model that this project's object was not given.
    """
    made = project._keeper.state().tables.get(STAGES[stage].outputs[0])
    return revived_options(made.run.params, project._models) if made else {}


def _told(project: Project, stage: str) -> tuple[dict[str, int], dict[str, int]]:
    """Give the counts of a stage's latest run, and the rows of its tables."""
    with project._keeper.ledger.reading() as connection:
        state = read_state(connection)
        names = [name for name in STAGES[stage].outputs if name in state.tables]
        rows = row_counts(connection, {name: state.versions[name] for name in names})
    return dict(state.tables[names[0]].run.counts), rows


def _was_interrupted(result: Result | KeptRun) -> bool:
    if isinstance(result, Result):
        return INTERRUPTED in result.outcomes["reason"]
    return result.verdict == "unfinished"
