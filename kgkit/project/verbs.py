"""The verbs of a project: each calls a stage function on the tables that are there, and keeps what it gives."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from kgkit.errors import InputError, KgkitError, OptionError
from kgkit.project.batches import run_in_batches
from kgkit.project.fresh import freshness
from kgkit.project.keep import Keeper
from kgkit.project.kept import KeptRun
from kgkit.project.options import kept_options, model_key, revived_options
from kgkit.project.reading import read_into
from kgkit.project.records import decided_since, decisions_frame, read_state
from kgkit.project.stages import DECIDED, STAGES
from kgkit.project.work import Begun, begin, graph_of, keep, keep_answer, named, new_run, record_failure
from kgkit.results import Result

if TYPE_CHECKING:
    from kgkit.communities import Communities
    from kgkit.models.replies import Replies
    from kgkit.resolution.apply import Reviewed
    from kgkit.retrieval import Answer

__all__ = ["Verbs"]


class Verbs:
    """What a project can run. See `kgkit.Project`, which adds looking, deciding and going back."""

    def __init__(self, path: Path, keeper: Keeper) -> None:
        self.path = path
        self._keeper = keeper
        self._index: tuple[int, Any] | None = None
        self._models: dict[str, Any] = {}

    def read(self, source: Any, *, retry_failed: bool = False, **options: Any) -> KeptRun:
        """Read documents as `kgkit.read_documents` does; they take the place of those that were there.

        A document is known by its content: one that was moved or is read again is the same. Files are opened again
        when their size or one of their times has changed since, or an option, or kgkit.

        Args:
            source: What to read.
            retry_failed: Also open files again that could not be read the last time.
            options: Those of `kgkit.read_documents`.

        Raises:
            InputError: The project lies inside the folder to read.
            KeyboardInterrupt: It was interrupted; the documents are as they were.
        """
        self._refuse_inside(source)
        kept = {"source": named(source), **kept_options(options)}
        with self._recorded("read_documents", kept):
            run = read_into(self._keeper, source, kept, options, retry_failed=retry_failed)
        return KeptRun(self._keeper, run)

    def chunk(self, *, batch_chars: int = 20_000_000, **options: Any) -> KeptRun:
        """Cut documents as `kgkit.chunk_documents` does: those that are new or changed.

        Args:
            batch_chars: About how much text to work on before what was made is kept.
            options: Those of `kgkit.chunk_documents`.
        """
        import kgkit as kg

        def work(documents: pl.DataFrame) -> Result:
            return kg.chunk_documents(documents, **options)

        return self._in_batches("chunk_documents", work, options, batch_chars)

    def extract(self, *, retry_failed: bool = False, batch_chars: int = 2_000_000, **options: Any) -> KeptRun:
        """Find mentions and statements as `kgkit.extract` does: in documents whose chunks are new or changed.

        It is kept batch by batch: what an interrupt or a kill left undone is done the next time. Replies of a
        language model without a cache of its own are kept in the project, see `replies`.

        Args:
            retry_failed: Also try documents again of which some chunk failed.
            batch_chars: About how much text to work on before what was found is kept.
            options: Those of `kgkit.extract`.

        Raises:
            OptionError: An option has a value that is not allowed.
        """
        import kgkit as kg
        from kgkit.extraction.schema import STARTERS

        options = self._with_model(options)
        schema = options.get("schema")
        if isinstance(schema, (str, os.PathLike)) and schema not in STARTERS:
            options["schema"] = kg.Schema.of(schema)  # what a file says is kept, not its name: it may change

        def work(chunks: pl.DataFrame) -> Result:
            return kg.extract(chunks, **options)

        return self._in_batches("extract", work, options, batch_chars, retry_failed=retry_failed)

    def build(self, **options: Any) -> Reviewed:
        """Build the graph as `kgkit.build_graph` does, and apply what people decided, as `kgkit.apply_decisions` does.

        Args:
            options: Those of `kgkit.build_graph`.

        Returns:
            The graph after decisions. Which of them could not be applied is in its ``outcomes``, and in `failures`.
        """
        import kgkit as kg

        kept = kept_options(options)
        with self._recorded("build_graph", kept):
            begun = begin(self._keeper, "build_graph", kept)
            graph = kg.build_graph(*(begun.table(name) for name in STAGES["build_graph"].inputs), **options)
            with self._keeper.ledger.reading() as connection:
                decisions = decisions_frame(connection, upto=begun.run.last_decision)
            result = kg.apply_decisions(graph, decisions.filter(pl.col("kind").is_in(DECIDED)))
            return keep(begun, result, {"build_graph": graph.outcomes, "apply_decisions": result.outcomes})

    def communities(self, **options: Any) -> Communities:
        """Find communities as `kgkit.detect_communities` does, in the graph."""
        import kgkit as kg

        kept = kept_options(options)
        with self._recorded("detect_communities", kept):
            begun = begin(self._keeper, "detect_communities", kept)
            return keep(begun, kg.detect_communities(graph_of(self._keeper, begun.view.state), **options))

    def ask(self, question: str, **options: Any) -> Answer:
        """Answer a question as `kgkit.ask` does, from chunks and graph, and keep the answer.

        The same question asked again replaces its answer.
        """
        import kgkit as kg
        from kgkit.retrieval.find import clean_question

        question = clean_question(question)
        kept = {"question": question, **kept_options(options)}
        with self._recorded("ask", kept):
            begun = begin(self._keeper, "ask", kept, optional=("entities",))
            state = begun.view.state
            graph = graph_of(self._keeper, state) if "entities" in state.tables else None
            result = kg.ask(question, self._search_index(begun), graph=graph, **options).to_polars()
            return keep_answer(begun, result)

    def refresh(self, *, model: Any = None) -> list[Result | KeptRun]:
        """Run again what is stale, in order, with the options of the last time, and nothing else.

        Files are not read again: `read` does that.

        Args:
            model: The language model that a stale table was made with, unless this object was given it before.

        Returns:
            The results of what ran.

        Raises:
            InputError: A stale table was made with a language model that is not at hand.
        """
        self._with_model({"model": model})
        ran: list[Result | KeptRun] = []
        for name, stage in STAGES.items():
            with self._keeper.ledger.reading() as connection:
                state = read_state(connection)
                found = freshness(state, decided_since(connection, state))
            if name == "ask":
                for question, run in found.questions.items():
                    options = {k: v for k, v in run.params.items() if k != "question"}
                    ran.append(self.ask(question, **revived_options(options, self._models)))
            elif stage.inputs and found.tables.keys() & set(stage.outputs):
                options = revived_options(state.tables[stage.outputs[0]].run.params, self._models)
                ran.append(getattr(self, stage.verb)(**options))
        return ran

    @property
    def replies(self) -> Replies:
        """What language models replied, kept in the ledger: the cache of models that have none of their own."""
        from kgkit.models.replies import Replies

        return Replies(self._keeper.ledger.path)

    def _in_batches(
        self,
        stage: str,
        work: Callable[[pl.DataFrame], Result],
        options: dict[str, Any],
        batch_chars: int,
        *,
        retry_failed: bool = False,
    ) -> KeptRun:
        if not isinstance(batch_chars, int) or batch_chars < 1:
            msg = f"batch_chars={batch_chars!r} is not possible. It must be a whole number, 1 or more."
            raise OptionError(msg)
        kept = kept_options(options)
        with self._recorded(stage, kept):
            run = run_in_batches(self._keeper, stage, kept, work, batch_chars=batch_chars, retry_failed=retry_failed)
        return KeptRun(self._keeper, run)

    @contextmanager
    def _recorded(self, stage: str, params: dict[str, Any]) -> Iterator[None]:
        """Note in the ledger when a stage itself fails, and not only some of its items."""
        run = new_run(stage, params, {})
        try:
            yield
        except KgkitError:  # a mistake of the caller, or a project that cannot be written
            raise
        except Exception as error:
            record_failure(self._keeper, run, error)
            raise

    def _with_model(self, options: dict[str, Any]) -> dict[str, Any]:
        """Remember a language model for `refresh`, and let the project keep its replies when nothing else does."""
        model: Any = options.get("model")
        if not callable(getattr(model, "identity", None)):
            return options
        if getattr(model, "replies", self) is None:
            model = copy.copy(model)
            model.replies = self.replies
        self._models[model_key(model)] = model
        return {**options, "model": model}

    def _search_index(self, begun: Begun) -> Any:
        import kgkit as kg

        version = begun.run.inputs["chunks"]
        if self._index is None or self._index[0] != version:
            self._index = (version, kg.build_index(begun.table("chunks")))
        return self._index[1]

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
