"""kgkit: from a pile of documents to a knowledge graph that a person has reviewed, as dataframes.

Each stage is a function from frame to frame:

    documents = kg.read_documents("data/pioneers/documents")
    chunks    = kg.chunk_documents(documents)
    found     = kg.extract(chunks)
    graph     = kg.build_graph(found)
    topics    = kg.detect_communities(graph)
    answer    = kg.ask("Who wrote the first compiler?", chunks, graph=graph)

Everything is imported when it is first used, so ``import kgkit`` is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgkit.lazy import lazy_names

__version__ = "0.1.0"

if TYPE_CHECKING:  # what type checkers and editors see; keep in step with _HOME below (a test holds that)
    from kgkit import errors, evaluate, tables
    from kgkit.communities import detect_communities
    from kgkit.documents import chunk_documents, read_documents
    from kgkit.export import read_tables, to_igraph, to_networkx, to_pyvis, write_report, write_tables
    from kgkit.extraction import Schema, discover_schema, extract, extraction_requests
    from kgkit.graph import build_graph
    from kgkit.models import Budget, OpenAIModel, RecordedModel, Replies, describe_images, embed
    from kgkit.notebook import view_graph
    from kgkit.notebook.review import review
    from kgkit.pipeline import run_pipeline
    from kgkit.project import Project, check_project
    from kgkit.resolution import apply_decisions, propose_merges, read_graphrag, read_merges
    from kgkit.retrieval import ask, build_index, search

_HOME = {
    "Budget": "models",
    "OpenAIModel": "models",
    "Project": "project",
    "RecordedModel": "models",
    "Replies": "models",
    "Schema": "extraction",
    "apply_decisions": "resolution",
    "ask": "retrieval",
    "build_graph": "graph",
    "build_index": "retrieval",
    "check_project": "project",
    "chunk_documents": "documents",
    "describe_images": "models",
    "detect_communities": "communities",
    "discover_schema": "extraction",
    "embed": "models",
    "extract": "extraction",
    "extraction_requests": "extraction",
    "propose_merges": "resolution",
    "read_documents": "documents",
    "read_graphrag": "resolution",
    "read_merges": "resolution",
    "read_tables": "export",
    "review": "notebook.review",
    "run_pipeline": "pipeline",
    "search": "retrieval",
    "to_igraph": "export",
    "to_networkx": "export",
    "to_pyvis": "export",
    "view_graph": "notebook",
    "write_report": "export",
    "write_tables": "export",
}
_MODULES = ("errors", "evaluate", "tables")

__all__ = [  # noqa: RUF022  (modules last)
    "Budget",
    "OpenAIModel",
    "Project",
    "RecordedModel",
    "Replies",
    "Schema",
    "apply_decisions",
    "ask",
    "build_graph",
    "build_index",
    "check_project",
    "chunk_documents",
    "describe_images",
    "detect_communities",
    "discover_schema",
    "embed",
    "extract",
    "extraction_requests",
    "propose_merges",
    "read_documents",
    "read_graphrag",
    "read_merges",
    "read_tables",
    "review",
    "run_pipeline",
    "search",
    "to_igraph",
    "to_networkx",
    "to_pyvis",
    "view_graph",
    "write_report",
    "write_tables",
    "errors",
    "evaluate",
    "tables",
]


__getattr__ = lazy_names(__name__, _HOME | dict.fromkeys(_MODULES, ""))


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
