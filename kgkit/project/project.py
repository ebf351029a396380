"""`Project`: the tables, the decisions and the history of a corpus, kept on disk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from kgkit import tables
from kgkit.frames import Backend, check_backend, give
from kgkit.project.adding import add_made, read_made
from kgkit.project.compare import Difference, compare_views
from kgkit.project.decide import Decided, append_decisions, find_decision, read_wish, read_wishes
from kgkit.project.fresh import status_frame
from kgkit.project.keep import Keeper
from kgkit.project.ledger import open_ledger
from kgkit.project.records import RESTORE, decisions_frame, runs_frame
from kgkit.project.store import Store
from kgkit.project.verbs import Verbs
from kgkit.project.work import graph_of, new_run, outcome_part, reviewed_graph, user
from kgkit.results import Result

if TYPE_CHECKING:
    from kgkit.graph import Graph
    from kgkit.project.archive import Archived
    from kgkit.project.doctor import Checkup

__all__ = ["Project"]


class Project(Verbs):
    """A folder that keeps tables, decisions and history, and has the stages as verbs.

    ``ledger.sqlite`` holds what cannot be made again: who ran what and when, and what people decided. ``tables/``
    holds one Delta table for each table of kgkit, in every version. The verbs call the stage functions and keep
    what they give; the tables of a stage become visible together, or not at all. Several processes may share a
    project: readers never wait, writers wait for each other.

    Args:
        path: The folder; made when it is absent.
        create: ``False`` raises an error where there is no project yet.
        timeout: Seconds that a writer waits for others.

    Raises:
        InputError: There is something else at ``path``, or nothing and ``create`` is false.
        ProjectError: The project is damaged or of a newer format, or its folder cannot be made.

    Examples:
        >>> import kgkit as kg
        >>> project = kg.Project("pioneers.kg")  # doctest: +SKIP
        >>> project.read("data/pioneers/documents")  # doctest: +SKIP
        >>> project.chunk(), project.extract(), project.build(), project.communities()  # doctest: +SKIP
        >>> project.table("entities")  # doctest: +SKIP
        >>> project.decide("merge", ["entity_0a1b", "entity_2c3d"], "accepted")  # doctest: +SKIP
        >>> project.status(), project.history()  # doctest: +SKIP
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True, timeout: float = 60.0) -> None:
        import kgkit

        folder = Path(os.path.expanduser(path)).absolute()
        ledger = open_ledger(folder, create=create, timeout=timeout, version=kgkit.__version__)
        super().__init__(folder, Keeper(ledger, Store(folder / "tables")))
        self._keeper.tidy()

    def __repr__(self) -> str:
        state = self._keeper.state()
        return f"Project({str(self.path)!r}; {len(state.tables)} tables)"

    # Looking

    def table(self, name: str, *, at: str | None = None, backend: Backend = "polars") -> Any:
        """Read a table as it is visible now, or was when a run ended.

        Args:
            name: The table's name; ``decisions`` and ``runs`` come from the ledger.
            at: A ``run_id`` of `history`.
            backend: ``"polars"``, ``"pandas"`` or ``"pyarrow"``.

        Returns:
            The table; empty, with all its columns, when nothing has made it yet.

        Raises:
            OptionError: There is no such table.
            InputError: There is no such run.
            ProjectError: The table's files are damaged or gone.
        """
        tables.get(name)
        check_backend(backend)
        if name in ("decisions", "runs"):
            return give(self._from_ledger(name, at), name, backend)
        return give(self._keeper.view(at=at).table(name), name, backend)

    def graph(self, *, at: str | None = None) -> Graph:
        """Give the graph as it is visible now, or was when a run ended: what other functions take.

        Where decisions changed it, it is a `Reviewed` graph, which also knows the graph before decisions; that one
        is built again.
        """
        state = self._keeper.state(at)
        made = state.tables.get("canonical")
        view = self._keeper.view(state)
        if (
            made is None
            or not view.rows("outcomes", parts=[outcome_part("apply_decisions")], columns=["status"]).height
        ):
            return graph_of(self._keeper, state)
        return reviewed_graph(self._keeper, state, made.run.params)

    def versions(self, *, at: str | None = None) -> dict[str, int]:
        """Give the Delta version of each visible table, for tools that read the folders themselves."""
        return self._keeper.state(at).versions

    def history(self, *, batches: bool = False, backend: Backend = "polars") -> Any:
        """Give the runs table: what ran, with which options, from and to which versions, when, and by whom.

        Args:
            batches: Whether to list each kept batch of a stage; otherwise those that a later one of the same stage
                and options went on from are left out.
            backend: Kind of frame to return.
        """
        runs = self.table("runs")
        if not batches:
            same = ["stage", "params", "inputs"]
            runs = runs.filter(
                (pl.col("verdict") != "unfinished") | (pl.col("run_id") == pl.col("run_id").last().over(same))
            )
        return give(runs, "runs", backend)

    def status(self, *, backend: Backend = "polars") -> Any:
        """Say of each table whether it is fresh.

        Returns:
            One row a table: ``table``, ``status`` (fresh or stale), ``reason``, ``rows``, ``version``,
            ``built_at``, ``built_from`` (versions of its inputs, as JSON), ``stage``, ``run_id``, ``items_to_do``
            (how many documents, chunks, rows or questions running it again would work on; null when that is not
            known before its inputs are fresh) and ``calls_to_do`` (how many of these are asked of a language
            model). Files are not looked at: `read` does that.
        """
        return give(status_frame(self._keeper), None, backend)

    def failures(self, *, stage: str | None = None, backend: Backend = "polars") -> Any:
        """Give the outcomes that are neither ok nor without a remark, the worst first.

        Args:
            stage: Only those of this stage function, such as ``"extract"``.
            backend: Kind of frame to return.
        """
        outcomes = self.table("outcomes")
        if stage is not None:
            outcomes = outcomes.filter(pl.col("stage") == stage)
        return give(Result(outcomes=outcomes).failures, "outcomes", backend)

    # Deciding

    def decide(
        self,
        kind: str,
        subject_id: str | Sequence[str],
        verdict: str,
        *,
        payload: Mapping[str, Any] | None = None,
        reviewer: str | None = None,
        note: str | None = None,
    ) -> Decided:
        """Append a decision. It is on disk when this returns, and no re-run changes it.

        Args:
            kind: What is decided on: merge, split, relation, type, category or page.
            subject_id: Its id; for a merge also the ids of the entities that it is about.
            verdict: accepted, rejected, skipped, flagged or undone.
            payload: What else is decided; a mapping that JSON can hold.
            reviewer: Who decides; by default the name of the user.
            note: Why.

        Returns:
            The decision's id, and ``recorded``, or ``already applied`` where the reviewer said the same before and
            nobody said otherwise since.

        Raises:
            OptionError: The kind or verdict is not known.
            ProjectBusyError: Another process was writing for longer than the timeout.
            ProjectError: It could not be written.
        """
        wish = read_wish(kind, subject_id, verdict, payload=payload, reviewer=reviewer or user(), note=note)
        with self._keeper.ledger.writing() as connection:
            return append_decisions(connection, [wish])[0]

    def decide_many(self, decisions: Iterable[Mapping[str, Any]], *, reviewer: str | None = None) -> list[Decided]:
        """Append many decisions in one transaction: all of them are on disk when this returns, or none is.

        Args:
            decisions: One mapping for each, with ``kind``, ``subject_id`` and ``verdict``, and if wanted ``payload``,
                ``reviewer`` and ``note``, as `decide` takes them.
            reviewer: Who decides, where a mapping does not say; by default the name of the user.

        Returns:
            What became of each, in the order of ``decisions``.

        Raises:
            InputError: One of them cannot be used; its number is told, and nothing is kept.
            ProjectBusyError: Another process was writing for longer than the timeout.
            ProjectError: They could not be written; nothing is kept.
        """
        wishes = read_wishes(decisions, reviewer or user())
        if not wishes:
            return []
        with self._keeper.ledger.writing() as connection:
            return append_decisions(connection, wishes)

    def add_decisions(self, decisions: Any) -> list[Decided]:
        """Take decisions that were made elsewhere: in another project, or in a review that was kept as a file.

        They keep their ids, reviewers, notes and times, so that of all decisions the newest counts, wherever it was
        made. Adding them again changes nothing.

        Args:
            decisions: A decisions table of any kind of frame, ``pl.read_csv`` of one, or another project's
                ``decisions()``.

        Returns:
            What became of each, the oldest first: ``recorded``, or ``already applied`` where it is here already.

        Raises:
            FrameTypeError: It is no frame.
            SchemaError: Columns are missing or null, or two rows have one ``decision_id``.
            InputError: A row cannot be used, is from the future, or has the id of another decision; nothing is kept.
            ProjectBusyError: Another process was writing for longer than the timeout.
            ProjectError: They could not be written; nothing is kept.

        Examples:
            >>> import tempfile
            >>> import kgkit as kg
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     office, home = kg.Project(f"{folder}/office.kg"), kg.Project(f"{folder}/home.kg")
            ...     done = home.decide("merge", ["entity_0a1b", "entity_2c3d"], "accepted", reviewer="Ada")
            ...     [added.status for added in office.add_decisions(home.decisions())]
            ['recorded']
        """
        made = read_made(decisions)
        with self._keeper.ledger.writing() as connection:
            return add_made(connection, made)

    def undo(self, decision_id: str, *, reviewer: str | None = None, note: str | None = None) -> Decided:
        """Undo a decision by appending one more.

        Raises:
            InputError: There is no such decision.
        """
        with self._keeper.ledger.reading() as connection:
            kind, subject_id = find_decision(connection, decision_id)
        payload = {"decision_id": decision_id}
        return self.decide(kind, subject_id, "undone", payload=payload, reviewer=reviewer, note=note)

    def decisions(self, *, backend: Backend = "polars") -> Any:
        """Give the decisions table, in the order in which they were made."""
        return self.table("decisions", backend=backend)

    # Going back and forth

    def restore(self, run_id: str) -> None:
        """Make the tables visible that were there when a run ended. Nothing is lost: this is one more run.

        Decisions stay as they are: they are undone one by one, with `undo`.

        Raises:
            InputError: There is no such run.
        """
        self._keeper.state(run_id)
        self._keeper.restore(new_run(RESTORE, {"run_id": run_id}, {}))

    def diff(self, old: str, new: str | None = None) -> Difference:
        """Compare the tables as they were when two runs ended.

        Args:
            old: A ``run_id`` of `history`.
            new: A later one, or an earlier; what is visible now, when left out.

        Returns:
            A `Difference`: ``frame`` counts the rows of each table that were added, removed and changed,
            ``rows["entities"]`` shows those of one table.

        Raises:
            InputError: There is no such run.
        """
        return compare_views(self._keeper.view(at=old), self._keeper.view(at=new))

    # As a whole

    def archive(self, file: str | os.PathLike[str]) -> Archived:
        """Write the whole project into one file: all versions of its tables, runs and decisions.

        Others may go on writing meanwhile; the archive holds one moment.

        Args:
            file: The archive to write; there must be no such file yet.

        Raises:
            InputError: There is such a file, or its folder is absent.
            ProjectError: A file of the project cannot be read, or the archive not be written.
        """
        from kgkit.project.archive import archive_project

        return archive_project(self, file)

    @classmethod
    def from_archive(cls, file: str | os.PathLike[str], path: str | os.PathLike[str]) -> Project:
        """Make a project out of what `archive` wrote. It is checked whole before anything is in its place.

        Args:
            file: The archive.
            path: The new project's folder; absent or empty.

        Raises:
            InputError: ``file`` is no such archive, or something is at ``path``.
            ProjectError: The archive is damaged, or of a newer format.
        """
        from kgkit.project.unarchive import restore_archive

        return restore_archive(file, path)

    def check(self) -> Checkup:
        """Check ledger, table versions, files, rows, ids, quotes and decisions; nothing is changed.

        For a project that does not open any more: ``kgkit doctor PATH``.
        """
        from kgkit.project.doctor import check_project

        return check_project(self.path)

    def _from_ledger(self, name: str, at: str | None) -> pl.DataFrame:
        state = self._keeper.state(at)
        with self._keeper.ledger.reading() as connection:
            if name == "runs":
                return runs_frame(connection, upto=at)
            return decisions_frame(connection, upto=state.last_decision)
