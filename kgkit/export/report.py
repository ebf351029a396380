"""One page that tells what was read, what was found in it, and which words say so."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl

from kgkit.errors import InputError
from kgkit.export.report_parts import count, joined, paragraph, text
from kgkit.export.report_sections import (
    answers_section,
    communities_section,
    entities_section,
    outcomes_section,
    picture_section,
    read_section,
    relations_section,
    versions_section,
)
from kgkit.frames import take
from kgkit.notebook.evidence import Evidence
from kgkit.notebook.page import page_html

__all__ = ["write_report"]

_ASKED = ("answers", "answer_sentences", "citations")


def write_report(
    path: str | os.PathLike[str],
    *,
    documents: Any = None,
    chunks: Any = None,
    found: Any = None,
    graph: Any = None,
    communities: Any = None,
    answers: Any = None,
    title: str = "Report",
    graph_page: str | None = None,
    tables: str | None = None,
    seed: int = 0,
) -> Path:
    """Write a report as one HTML file without scripts, that loads nothing and prints well.

    What could not be read comes first, then what was found: the most mentioned entities of each type, communities,
    the strongest relations with the sentences that say so, what is negated or conditional, answers with citations,
    and what became of every stage's items. Where only a part is listed, the report says so.

    Args:
        path: Where to write; the folder must exist.
        documents: Result of `kgkit.read_documents`.
        chunks: Result of `kgkit.chunk_documents`.
        found: Result of `kgkit.extract`.
        graph: Result of `kgkit.build_graph`.
        communities: Result of `kgkit.detect_communities`.
        answers: Result of `kgkit.ask`, or several.
        title: The page's title, as plain text.
        graph_page: Path of the graph page to link to, relative to the report.
        tables: Path of the folder with the tables to link to, relative to the report.
        seed: Seed of the picture's layout.

    Returns:
        The path.

    Raises:
        InputError: Nothing was given to report on, or a link is not a relative path.

    Examples:
        >>> import kgkit as kg, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = pathlib.Path(folder, "note.txt").write_text("Ada Lovelace wrote the notes.", encoding="utf-8")
        ...     documents = kg.read_documents(folder)
        ...     path = kg.write_report(pathlib.Path(folder, "report.html"), documents=documents, title="My notes")
        ...     path.name
        'report.html'
    """
    stages = [
        stage for stage in (documents, chunks, found, graph, communities, *_several(answers)) if stage is not None
    ]
    if not stages:
        msg = "write_report was given nothing to report on; give the stages' results, such as documents= and graph=."
        raise InputError(msg)
    held = {name: frame for stage in stages for name, frame in _frames(stage).items() if name not in _ASKED}
    if graph is not None:
        held |= {name: _frames(graph)[name] for name in _frames(graph) if name != "outcomes"}
    held = {name: take(frame, name).frame for name, frame in held.items() if name != "outcomes"}
    where = _links(graph_page, tables)
    evidence = Evidence(held, held.get("documents"))
    body = joined(
        "<main>",
        _head(title, held, where),
        read_section(held, stages),
        picture_section(held, communities, where, seed=seed),
        entities_section(held, where),
        communities_section(held, where),
        relations_section(held, evidence, where),
        answers_section(_asked(_several(answers)), where),
        outcomes_section(stages),
        versions_section(held),
        "</main>",
    )
    style = files("kgkit.export").joinpath("report.css").read_text(encoding="utf-8")
    Path(path).write_text(page_html(title=title, body=body, style=style), encoding="utf-8", newline="\n")
    return Path(path)


def _frames(stage: Any) -> dict[str, Any]:
    held = getattr(stage, "frames", None)
    if not isinstance(held, dict):
        msg = f"write_report takes the stages' results; this is a {type(stage).__module__}.{type(stage).__qualname__}."
        raise InputError(msg)
    return held


def _several(answers: Any) -> list[Any]:
    if answers is None:
        return []
    return list(answers) if isinstance(answers, Iterable) and not hasattr(answers, "frames") else [answers]


def _asked(answers: list[Any]) -> dict[str, pl.DataFrame]:
    """Put the frames of several answers together; an answer given twice counts once."""
    if not answers:
        return {}
    return {
        name: pl.concat([take(a, name).frame for a in answers]).unique(maintain_order=True)
        for name in _ASKED
        if all(name in _frames(a) for a in answers)
    }


def _links(graph_page: str | None, tables: str | None) -> dict[str, str]:
    """Make links of relative paths, and of nothing else."""
    out = {}
    for name, path in (("graph", graph_page), ("tables", tables)):
        if path is None:
            continue
        if path.startswith(("/", "\\")) or ":" in path.split("/")[0]:
            msg = f"The link to the {name} must be a path relative to the report, not {path!r}."
            raise InputError(msg)
        out[name] = quote(path)
    return out


def _head(title: str, held: dict[str, pl.DataFrame], where: dict[str, str]) -> str:
    names = [("documents", "document"), ("entities", "entity"), ("relations", "relation")]
    parts = [count(held[table].height, one) for table, one in names if table in held]
    links = [
        f'<a class="big" href="{text(where["graph"])}">Open the graph</a>' if "graph" in where else "",
        f'<a href="{text(where["tables"])}/">Tables</a>' if "tables" in where else "",
    ]
    sections = [
        ("entities", "Entities"),
        ("communities", "Communities"),
        ("relations", "Relations"),
        ("stages", "Stages"),
    ]
    links += [f'<a href="#{anchor}">{name}</a>' for anchor, name in sections if anchor == "stages" or anchor in held]
    return joined(
        f"<h1><bdi>{text(title)}</bdi></h1>",
        paragraph(", ".join(parts) + "." if parts else "", "lead"),
        f"<nav>{joined(*links)}</nav>",
    )
