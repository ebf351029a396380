"""The main job in one call: a folder of documents in, a folder with tables, a report and a graph page out."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgkit.errors import InputError

if TYPE_CHECKING:
    from kgkit.communities import Communities
    from kgkit.documents.chunk import Chunks
    from kgkit.documents.read import Documents
    from kgkit.extraction.run import Extraction
    from kgkit.graph import Graph
    from kgkit.results import Result
    from kgkit.retrieval import Answer

__all__ = ["PipelineRun", "StageDone", "run_pipeline"]

REPORT = "report.html"
GRAPH = "graph.html"
TABLES = "tables"


@dataclass(frozen=True)
class StageDone:
    """What is told when a stage ends: its result, and how long it took in seconds."""

    stage: str
    result: Result
    seconds: float


@dataclass
class PipelineRun:
    """All results of a run, and where they were written."""

    out: Path
    documents: Documents
    chunks: Chunks
    found: Extraction
    graph: Graph
    communities: Communities
    answers: list[Answer] = field(default_factory=list)

    @property
    def report(self) -> Path:
        """The HTML report."""
        return self.out / REPORT

    @property
    def graph_page(self) -> Path:
        """The interactive graph, one offline file."""
        return self.out / GRAPH

    @property
    def tables(self) -> Path:
        """The folder with one Parquet file per table."""
        return self.out / TABLES

    @property
    def results(self) -> list[Result]:
        """The stages' results, in the order in which they ran."""
        return [self.documents, self.chunks, self.found, self.graph, self.communities, *self.answers]


def run_pipeline(
    source: Any,
    *,
    out: str | os.PathLike[str],
    questions: Iterable[str] = (),
    title: str | None = None,
    seed: int = 0,
    workers: int | None = None,
    read_options: Mapping[str, Any] | None = None,
    on_stage: Callable[[StageDone], None] | None = None,
) -> PipelineRun:
    """Read, chunk, extract, build the graph, find communities, answer questions, and write it all down.

    The output appears when everything is done: a run that is interrupted leaves what was in ``out`` as it was.
    Files in ``out`` that are not of this run stay.

    Args:
        source: What `kgkit.read_documents` reads: a folder, a file, a list of files, or a frame.
        out: Folder for ``tables/*.parquet``, ``report.html`` and ``graph.html``; made when absent. It may not lie
            inside the folder that is read.
        questions: Questions to answer from the documents; the answers are in the report.
        title: Title of the report and the graph page; the folder's name when left out.
        seed: For every random step.
        workers: Processes for reading and extracting; by default as many as there are cores.
        read_options: Further options of `kgkit.read_documents`.
        on_stage: Called with a `StageDone` after each stage.

    Returns:
        The results and the paths.

    Raises:
        InputError: ``out`` is a file or lies inside ``source``, or nothing could be read at all.

    Examples:
        >>> import kgkit as kg
        >>> run = kg.run_pipeline("data/pioneers/documents", out="out/pioneers")  # doctest: +SKIP
        >>> run.graph.entities.sort("n_documents").tail(3)  # doctest: +SKIP
    """
    import kgkit as kg

    target = _checked_target(source, Path(out))
    told = _Clock(on_stage)
    documents = told(kg.read_documents(source, workers=workers, **dict(read_options or {})).to_polars())
    if not len(documents):
        raise InputError(_nothing_read(documents))
    chunks = told(kg.chunk_documents(documents))
    found = told(kg.extract(chunks, workers=workers))
    graph = told(kg.build_graph(found))
    communities = told(kg.detect_communities(graph, seed=seed))
    index = kg.build_index(chunks, seed=seed)
    answers = [told(kg.ask(question, index, graph=graph)) for question in questions]
    run = PipelineRun(target, documents, chunks, found, graph, communities, answers)
    _write(run, title or _title_of(source), seed)
    return run


class _Clock:
    """Measures each stage and tells when it is done."""

    def __init__(self, on_stage: Callable[[StageDone], None] | None) -> None:
        self._on_stage = on_stage
        self._since = time.perf_counter()

    def __call__(self, result: Any) -> Any:
        now = time.perf_counter()
        if self._on_stage:
            self._on_stage(StageDone(result.stage, result, now - self._since))
        self._since = now
        if "interrupted" in result.outcomes["reason"]:  # a stage keeps what is finished; here all or nothing counts
            raise KeyboardInterrupt
        return result


def _write(run: PipelineRun, title: str, seed: int) -> None:
    import kgkit as kg

    run.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{run.out.name}-", dir=run.out.parent) as scratch:
        fresh = Path(scratch)
        kg.write_tables(_tables_of(run), fresh / TABLES)
        view = kg.view_graph(run.graph, communities=run.communities, documents=run.documents, seed=seed, title=title)
        view.to_html(fresh / GRAPH)
        kg.write_report(
            fresh / REPORT,
            documents=run.documents,
            chunks=run.chunks,
            found=run.found,
            graph=run.graph,
            communities=run.communities,
            answers=run.answers,
            title=title,
            graph_page=GRAPH,
            tables=TABLES,
        )
        run.out.mkdir(exist_ok=True)
        _replace_folder(fresh / TABLES, run.tables)
        for name in (GRAPH, REPORT):
            os.replace(fresh / name, run.out / name)


def _replace_folder(fresh: Path, target: Path) -> None:
    old = fresh.parent / "old"
    if target.exists():
        os.replace(target, old)
    os.replace(fresh, target)
    shutil.rmtree(old, ignore_errors=True)


def _tables_of(run: PipelineRun) -> dict[str, Any]:
    import polars as pl

    tables: dict[str, Any] = {}
    outcomes = []
    for result in run.results:
        frames = dict(result.frames)
        outcomes.append(frames.pop("outcomes"))
        for name, frame in frames.items():
            asked = name in ("answers", "answer_sentences", "citations", "hits")
            tables[name] = pl.concat([tables[name], frame]) if asked and name in tables else frame
    tables["outcomes"] = pl.concat(outcomes).unique(["run_id", "stage", "item_id"], maintain_order=True)
    return tables


def _checked_target(source: Any, out: Path) -> Path:
    target = out.absolute()
    if target.exists() and not target.is_dir():
        msg = f"out={str(out)!r} is a file; give a folder, which is made when absent."
        raise InputError(msg)
    if isinstance(source, (str, os.PathLike)):
        folder = Path(source).resolve()
        if folder.is_dir() and target.resolve().is_relative_to(folder):
            msg = (
                f"out={str(out)!r} lies inside the folder that is read, so the next run would read its own report. "
                f"Give a folder outside of {str(source)!r}."
            )
            raise InputError(msg)
    return target


def _nothing_read(documents: Documents) -> str:
    reasons = ", ".join(sorted({str(r) for r in documents.outcomes["reason"].to_list()})) or "no files"
    counts = documents.counts
    return (
        f"No document could be read: {counts['in']} in, {counts['empty']} empty, {counts['failed']} failed, "
        f"{counts['skipped']} skipped ({reasons}). Look at kg.read_documents(...).outcomes for each file's reason."
    )


def _title_of(source: Any) -> str:
    if not isinstance(source, (str, os.PathLike)):
        return "Documents"
    path = Path(source).resolve()
    name = path.parent.name if path.name == "documents" else path.stem
    return name.replace("_", " ").replace("-", " ").title() or "Documents"
