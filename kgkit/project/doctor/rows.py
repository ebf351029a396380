"""What the rows of the visible tables must hold: values where they are needed, keys once, ids that lead somewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from kgkit import tables
from kgkit.project.doctor.files import batches
from kgkit.project.doctor.findings import Findings, some
from kgkit.project.doctor.visible import Visible

__all__ = ["check_columns", "check_keys", "check_links"]

_MAKE = "Make the table again (project.restore(...) an earlier run, or run its stage), or put a copy back."
_SEPARATOR = "\x1f"


@dataclass(frozen=True)
class Link:
    """A column of ids that must be in a column of another table; of rows of one ``kind``, or by way of a third."""

    table: str
    column: str
    parent: str
    parent_column: str
    kind: str | None = None
    via: str | None = None


_LINKS = (
    Link("chunks", "doc_id", "documents", "doc_id"),
    Link("mentions", "doc_id", "documents", "doc_id"),
    Link("mentions", "chunk_id", "chunks", "chunk_id"),
    Link("statements", "doc_id", "documents", "doc_id"),
    Link("statements", "chunk_id", "chunks", "chunk_id"),
    Link("relations", "source_id", "entities", "entity_id"),
    Link("relations", "target_id", "entities", "entity_id"),
    Link("evidence", "item_id", "entities", "entity_id", "entity"),
    Link("evidence", "item_id", "relations", "relation_id", "relation"),
    Link("evidence", "evidence_id", "mentions", "mention_id", "entity"),
    Link("evidence", "evidence_id", "statements", "statement_id", "relation"),
    Link("canonical", "canonical_id", "entities", "entity_id"),
    Link("aliases", "entity_id", "entities", "entity_id"),
    Link("merges", "left_id", "entities", "entity_id"),
    Link("merges", "right_id", "entities", "entity_id"),
    Link("communities", "entity_id", "entities", "entity_id"),
    Link("communities", "parent_id", "communities", "community_id"),
    Link("reports", "community_id", "communities", "community_id"),
    Link("reports", "evidence", "statements", "statement_id", via="evidence"),
    Link("categories", "parent_id", "categories", "category_id"),
    Link("assignments", "category_id", "categories", "category_id"),
    Link("page_sentences", "page_id", "pages", "page_id"),
    Link("page_sentences", "evidence", "statements", "statement_id"),
    Link("links", "page_id", "pages", "page_id"),
    Link("links", "target_id", "pages", "page_id"),
    Link("answer_sentences", "answer_id", "answers", "answer_id"),
    Link("citations", "answer_id", "answers", "answer_id"),
    Link("citations", "sentence_id", "answer_sentences", "sentence_id"),
)


def check_columns(name: str, paths: list[Path], findings: Findings) -> None:
    """Check that nothing is null that may not be, and that JSON columns hold JSON objects."""
    declared = tables.get(name)
    plain = [c.name for c in declared.columns if not c.dtype.is_nested() or not c.nullable]
    nulls = dict.fromkeys(declared.required, 0)
    wrong: dict[str, str] = {}
    for frame in batches(paths, plain):
        for column in nulls:
            nulls[column] += frame[column].null_count()
        for name_of in (c.name for c in declared.columns if c.json and c.name not in wrong):
            bad = next((v for v in frame[name_of].drop_nulls().unique() if not _is_object(v)), None)
            if bad is not None:
                wrong[name_of] = bad
    for column, count in nulls.items():
        if count:
            text = f"{column} is null in {count:,} rows"
            findings.failed("columns", f"tables/{name}", text, "Stages that read the table refuse it.", _MAKE)
    for column, value in wrong.items():
        text = f"{column} holds what is no JSON object: {value[:60]!r}"
        findings.failed("columns", f"tables/{name}", text, "What it said cannot be read.", _MAKE)


def check_keys(name: str, paths: list[Path], findings: Findings) -> None:
    """Check that no two rows have the same key."""
    key = list(tables.get(name).key)
    hashes = pl.concat([pl.Series(dtype=pl.UInt64), *(_joined(frame).hash() for frame in batches(paths, key))])
    twice = hashes.filter(hashes.is_duplicated()).unique()
    if twice.is_empty():
        return
    suspects = pl.concat(f.filter(_joined(f).hash().is_in(twice.implode())) for f in batches(paths, key))
    doubled = suspects.filter(pl.struct(key).is_duplicated()).unique().sort(key)
    if doubled.height:
        text = f"{doubled.height:,} keys ({', '.join(key)}) occur more than once: {some(doubled.head(4).rows())}"
        meaning = "The same thing counts twice, and stages that read the table refuse it."
        findings.failed("keys", f"tables/{name}", text, meaning, _MAKE)


def check_links(visible: Visible, findings: Findings) -> None:
    """Check that ids lead to rows, in the versions from which a table was made."""
    known: dict[tuple[str, str, tuple[Path, ...]], pl.Series] = {}
    checked = 0
    for link in _LINKS:
        children, parents = visible.paths(link.table), visible.mothers(link.table, link.parent, link.via)
        if children is None or parents is None:
            continue
        place = (link.parent, link.parent_column, tuple(parents))
        if place not in known:
            known[place] = _hashes(parents, link.parent_column)
        checked += 1
        count, examples = _dangling(children, link, known[place])
        if count:
            text = f"{link.column} of {count:,} rows is no {link.parent_column} of {link.parent}: {some(examples)}"
            meaning = f"These rows of {link.table} lead nowhere."
            findings.failed("links", f"tables/{link.table}", text, meaning, _MAKE)
    findings.ok("links", "tables", f"{checked:,} columns of ids lead to rows")


def _dangling(children: list[Path], link: Link, parents: pl.Series) -> tuple[int, list[str]]:
    count, examples = 0, list[str]()
    for ids in _child_ids(children, link):
        lost = ids.filter(~ids.hash().is_in(parents.implode()))
        count += len(lost)
        examples += lost.unique().sort().head(4 - min(len(examples), 4)).to_list()
    return count, examples


def _child_ids(children: list[Path], link: Link) -> Iterator[pl.Series]:
    wanted = [link.column] if link.kind is None else [link.column, "item_kind"]
    for frame in batches(children, wanted):
        held = frame if link.kind is None else frame.filter(pl.col("item_kind") == link.kind)
        ids = held[link.column]
        yield (ids.explode() if ids.dtype.is_nested() else ids).drop_nulls().cast(pl.String)


def _hashes(paths: list[Path], column: str) -> pl.Series:
    parts = [frame[column].cast(pl.String).hash() for frame in batches(paths, [column])]
    return pl.concat([pl.Series(dtype=pl.UInt64), *parts]).unique()


def _joined(frame: pl.DataFrame) -> pl.Series:
    texts = [pl.col(c).cast(pl.String).fill_null("") for c in frame.columns]
    return frame.select(pl.concat_str(texts, separator=_SEPARATOR)).to_series()


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
