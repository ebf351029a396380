"""Which version of each table is visible, and from which versions of the others it was made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from kgkit import tables
from kgkit.project.doctor.files import TableFiles, batches
from kgkit.project.doctor.ledger import Known
from kgkit.project.doctor.quotes import QUOTED, Quoted

__all__ = ["Visible"]


class Visible:
    """The visible tables; without a ledger, the newest version of each.

    Args:
        found: The tables' folders.
        known: What the ledger says; ``None`` where it cannot be read.
    """

    def __init__(self, found: Mapping[str, TableFiles], known: Known | None) -> None:
        self.found = found
        self.known = known if known and known.state else None
        newest = {name: table.newest for name, table in found.items() if table.newest >= 0}
        state = self.known.state if self.known else None
        self.versions = {n: v for n, v in state.versions.items() if n in tables.TABLES} if state else newest

    def paths(self, name: str) -> list[Path] | None:
        """Give the files of a table; ``None`` when it is not there or not readable."""
        return self._paths(name, self.versions.get(name))

    def mothers(self, child: str, parent: str, via: str | None = None) -> list[Path] | None:
        """Give the files of a table in the version that another was made from.

        Args:
            child: The table whose rows name rows of the other.
            parent: The other.
            via: The table from which the child has these names. The tables in between may be equal in runs that read
                different parents; only one that holds the names tells.
        """
        version = self.versions.get(parent) if child == parent else self._made_from(child, via or parent)
        if via and version is not None and self.known:
            version = self._through(list(self.known.inputs(via, version).items()), parent)
        return self._paths(parent, version)

    def quoted(self) -> Iterator[tuple[Quoted, list[Path], list[Path]]]:
        """Give the tables that quote documents, their files, and those of the documents that they quote."""
        for what in QUOTED:
            paths, documents = self.paths(what.table), self.mothers(what.table, "documents")
            if paths is not None and documents is not None:
                yield what, paths, documents
        yield from self._answers()

    def _answers(self) -> Iterator[tuple[Quoted, list[Path], list[Path]]]:
        """Answers are kept question by question, each from the documents as they were when it was asked."""
        answers, citations = self.paths("answers"), self.paths("citations")
        state = self.known.state if self.known else None
        if not self.known or not state or answers is None or citations is None:
            return
        asked: dict[int | None, set[str]] = {}
        for question, run in state.asked.items():
            documents = self._through(list(run.inputs.items()), "documents")
            asked.setdefault(documents, set()).add(question)
        ids = pl.concat(list(batches(answers, ["answer_id", "question"])))
        for version, questions in asked.items():
            paths = self._paths("documents", version)
            theirs = ids.filter(pl.col("question").is_in(questions))["answer_id"]
            if paths is not None:
                yield (
                    Quoted("citations", "sentence_id", "quote", only=("answer_id", frozenset(theirs))),
                    citations,
                    paths,
                )

    def _made_from(self, child: str, parent: str) -> int | None:
        state = self.known.state if self.known else None
        if not self.known or not state or child not in state.tables:
            return self.versions.get(parent)
        made, mother = state.tables[child].run, state.tables.get(parent)
        if mother and parent in made.outputs:  # both are of one run
            return mother.version
        version = self._through(list(made.inputs.items()), parent)
        return self.versions.get(parent) if version is None else version

    def _through(self, todo: list[tuple[str, int]], parent: str) -> int | None:
        """Follow inputs of inputs to a table."""
        seen: set[tuple[str, int]] = set()
        while todo and self.known:
            name, version = todo.pop(0)
            if name == parent:
                return version
            if (name, version) not in seen:
                seen.add((name, version))
                todo += self.known.inputs(name, version).items()
        return None

    def _paths(self, name: str, version: int | None) -> list[Path] | None:
        return None if version is None or name not in self.found else self.found[name].paths(version)
