"""`Project`: the tables, the decisions and the history of a corpus, kept on disk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from kgkit import tables
from kgkit.errors import InputError, OptionError
from kgkit.frames import Backend, check_backend, give
from kgkit.project.decide import Decided, append_decision, find_decision
from kgkit.project.fresh import stale_questions, stale_tables, status_frame
from kgkit.project.keep import Keeper
from kgkit.project.ledger import open_ledger
from kgkit.project.missing import (
    CHUNKED,
    EXTRACTED,
    INTERRUPTED,
    first_documents,
    in_order,
    only,
    unfinished,
    waiting,
    without,
)
from kgkit.project.records import RESTORE, decisions_frame, read_state, row_counts, runs_frame
from kgkit.project.stages import STAGES, kept_options
from kgkit.project.store import Store
from kgkit.project.work import Begun, begin, done_before, graph_of, keep, named, new_run, stamped, user
from kgkit.results import Result

if TYPE_CHECKING:
    from kgkit.communities import Communities
    from kgkit.documents.chunk import Chunks
    from kgkit.documents.read import Documents
    from kgkit.extraction.run import Extraction
    from kgkit.graph import Graph
    from kgkit.retrieval import Answer

__all__ = ["Project"]


class Project:
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
        >>> project.decide("merge", "merge_0a1b", "accepted", note="same birth date")  # doctest: +SKIP
        >>> project.status(), project.history()  # doctest: +SKIP
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True, timeout: float = 60.0) -> None:
        import kgkit

        self.path = Path(path).absolute()
        ledger = open_ledger(self.path, create=create, timeout=timeout, version=kgkit.__version__)
        self._keeper = Keeper(ledger, Store(self.path / "tables"))
        self._keeper.tidy()
        self._index: tuple[int, Any] | None = None

    def __repr__(self) -> str:
        state = self._keeper.state()
        return f"Project({str(self.path)!r}; {len(state.tables)} tables)"

    # The stages

    def read(self, source: Any, **options: Any) -> Documents:
        """Read documents as `kgkit.read_documents` does; they take the place of those that were there.

        A document is known by its content: one that was moved or is read again is the same.

        Raises:
            InputError: The project lies inside the folder to read.
            KeyboardInterrupt: It was interrupted; the documents are as they were.
        """
        import kgkit as kg

        self._refuse_inside(source)
        kept = {"source": named(source), **kept_options(options)}
        begun = begin(self._keeper, "read_documents", kept)
        result = kg.read_documents(source, **options).to_polars()
        if INTERRUPTED in result.outcomes["reason"]:  # half of the files must not look like all of them
            raise KeyboardInterrupt
        return keep(begun, result, stamped(result.outcomes, begun))

    def chunk(self, **options: Any) -> Chunks:
        """Cut documents as `kgkit.chunk_documents` does: those that are new or changed."""
        import kgkit as kg
        from kgkit.documents.chunk import Chunks

        begun = begin(self._keeper, "chunk_documents", kept_options(options))
        documents = begun.table("documents")
        done = done_before(begun, documents, CHUNKED)
        fresh = kg.chunk_documents(without(documents, "doc_id", done), **options).to_polars()
        outcomes = [only(begun.outcomes(), "item_id", done), stamped(fresh.outcomes, begun)]
        old = only(begun.table("chunks"), "doc_id", done)
        result = Chunks(in_order("chunks", [old, fresh.chunks]), outcomes=in_order("outcomes", outcomes))
        return keep(begun, result, result.outcomes)

    def extract(self, *, retry_failed: bool = False, batch_chars: int = 2_000_000, **options: Any) -> Extraction:
        """Find mentions and statements as `kgkit.extract` does: in documents whose chunks are new or changed.

        It is kept batch by batch: what an interrupt or a kill left undone is done the next time.

        Args:
            retry_failed: Also try documents again of which some chunk failed.
            batch_chars: About how much text to work on before what was found is kept.
            options: Those of `kgkit.extract`.

        Raises:
            OptionError: An option has a value that is not allowed.
        """
        if batch_chars < 1:
            msg = f"batch_chars={batch_chars} is not possible. It must be 1 or more."
            raise OptionError(msg)
        result, more = self._extract_batch(retry_failed, batch_chars, options)
        while more:
            result, more = self._extract_batch(False, batch_chars, options)
        return result

    def build(self, **options: Any) -> Graph:
        """Build the graph as `kgkit.build_graph` does, from the mentions and statements."""
        import kgkit as kg

        begun = begin(self._keeper, "build_graph", kept_options(options))
        mentions, statements = (begun.table(name) for name in ("mentions", "statements"))
        result = kg.build_graph(mentions, statements, **options)
        return keep(begun, result, stamped(result.outcomes, begun))

    def communities(self, **options: Any) -> Communities:
        """Find communities as `kgkit.detect_communities` does, in the graph."""
        import kgkit as kg

        begun = begin(self._keeper, "detect_communities", kept_options(options))
        result = kg.detect_communities(graph_of(self._keeper, begun.state), **options)
        return keep(begun, result, stamped(result.outcomes, begun))

    def ask(self, question: str, **options: Any) -> Answer:
        """Answer a question as `kgkit.ask` does, from chunks and graph, and keep the answer.

        The same question asked again replaces its answer.
        """
        import kgkit as kg

        begun = begin(self._keeper, "ask", {"question": question, **kept_options(options)}, optional=("entities",))
        graph = graph_of(self._keeper, begun.state) if "entities" in begun.state.tables else None
        result = kg.ask(question, self._search_index(begun), graph=graph, **options).to_polars()
        return keep(begun, result, stamped(result.outcomes, begun))

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
        return give(self._keeper.read(name, self._keeper.state(at)), name, backend)

    def graph(self, *, at: str | None = None) -> Graph:
        """Give the graph as it is visible now, or was when a run ended: what other functions take."""
        return graph_of(self._keeper, self._keeper.state(at))

    def versions(self, *, at: str | None = None) -> dict[str, int]:
        """Give the Delta version of each visible table, for tools that read the folders themselves."""
        return self._keeper.state(at).versions

    def history(self, *, backend: Backend = "polars") -> Any:
        """Give the runs table: what ran, with which options, from and to which versions, when, and by whom."""
        return self.table("runs", backend=backend)

    def status(self, *, backend: Backend = "polars") -> Any:
        """Say of each table whether it is fresh.

        Returns:
            One row a table: ``table``, ``status`` (fresh or stale), ``reason``, ``rows``, ``version``,
            ``built_at``, ``built_from`` (versions of its inputs, as JSON), ``stage``, ``run_id``. The documents
            are not compared with the files that they were read from: `read` does that.
        """
        with self._keeper.ledger.reading() as connection:
            state = read_state(connection)
            rows = row_counts(connection, state.versions)
        return give(status_frame(state, rows), None, backend)

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
        subject_id: str,
        verdict: str,
        *,
        payload: Mapping[str, Any] | None = None,
        reviewer: str | None = None,
        note: str | None = None,
    ) -> Decided:
        """Append a decision. It is on disk when this returns, and no re-run changes it.

        Args:
            kind: What is decided on: merge, split, relation, type, category or page.
            subject_id: Its id.
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
        with self._keeper.ledger.writing() as connection:
            who = reviewer or user()
            return append_decision(connection, kind, subject_id, verdict, payload=payload, reviewer=who, note=note)

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

    def refresh(self) -> list[Result]:
        """Run again what is stale, in order, with the options of the last time, and nothing else.

        Files are not read again: `read` does that.

        Returns:
            The results of what ran.
        """
        ran: list[Result] = []
        for name, stage in STAGES.items():
            state = self._keeper.state()
            stale = stale_tables(state)
            if name == "ask":
                asked = stale_questions(state, stale)
                ran += [self.ask(question, **_without(run.params, "question")) for question, run in asked.items()]
            elif stage.inputs and stale.keys() & set(stage.outputs):
                ran.append(getattr(self, stage.verb)(**state.tables[stage.outputs[0]].run.params))
        return ran

    def _extract_batch(self, retry_failed: bool, batch_chars: int, options: dict[str, Any]) -> tuple[Extraction, bool]:
        """Extract and keep one batch; also tell whether there is more to do."""
        import kgkit as kg
        from kgkit.extraction import Extraction

        begun = begin(self._keeper, "extract", kept_options(options))
        chunks, before = begun.table("chunks"), begun.outcomes()
        undone = only(chunks, "chunk_id", unfinished(before, retry_failed=retry_failed))["doc_id"].unique()
        same = done_before(begun, chunks, EXTRACTED)
        done = same.filter(~same.is_in(undone.implode()))
        todo = without(chunks, "doc_id", done)
        batch = first_documents(todo, batch_chars)
        fresh = kg.extract(batch, **options).to_polars()
        left = without(todo, "chunk_id", batch["chunk_id"])["chunk_id"]
        outcomes = [
            only(before, "item_id", only(chunks, "doc_id", done)["chunk_id"]),
            stamped(pl.concat([fresh.outcomes, waiting("extract", left)]), begun),
        ]
        parts = {
            name: in_order(name, [only(begun.table(name), "doc_id", done), fresh.frames[name]])
            for name in ("mentions", "statements")
        }
        told = in_order("outcomes", outcomes)
        stopped = (fresh.outcomes["reason"] == INTERRUPTED).any()
        return keep(begun, Extraction(**parts, outcomes=told), told), bool(len(left)) and not stopped

    def _search_index(self, begun: Begun) -> Any:
        import kgkit as kg

        version = begun.run.inputs["chunks"]
        if self._index is None or self._index[0] != version:
            self._index = (version, kg.build_index(begun.table("chunks")))
        return self._index[1]

    def _from_ledger(self, name: str, at: str | None) -> pl.DataFrame:
        state = self._keeper.state(at)
        with self._keeper.ledger.reading() as connection:
            if name == "runs":
                return runs_frame(connection, upto=at)
            return decisions_frame(connection, upto=state.last_decision)

    def _refuse_inside(self, source: Any) -> None:
        if not isinstance(source, (str, os.PathLike)):
            return
        folder = Path(os.fsdecode(source)).expanduser().resolve()
        if folder.is_dir() and self.path.resolve().is_relative_to(folder):
            msg = (
                f"The project lies inside the folder to read, {str(source)!r}, and would read itself. "
                "Keep projects outside of the documents' folder."
            )
            raise InputError(msg)


def _without(params: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in params.items() if key != name}
