"""Decisions and graphs for the tests of applying decisions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
from polars.testing import assert_frame_equal

import kgkit as kg
from kgkit import tables
from kgkit.graph import Graph
from kgkit.resolution import Reviewed, merge_id

START = datetime(2030, 1, 1, tzinfo=UTC)
DERIVED = ("entities", "relations", "evidence", "canonical", "aliases", "withheld")


def decision(
    number: int, kind: str, subject: str, verdict: str, payload: dict[str, Any], **more: Any
) -> dict[str, Any]:
    at = START + timedelta(minutes=more.pop("minute", number))
    row = {"decision_id": f"x{number:03}", "kind": kind, "subject_id": subject, "verdict": verdict}
    return {**row, "payload": json.dumps(payload), "reviewer": "Ada", "decided_at": at, **more}


def merge(number: int, ids: Iterable[str], verdict: str = "accepted", **payload: Any) -> dict[str, Any]:
    ids = list(ids)
    return decision(number, "merge", merge_id(ids), verdict, {"entity_ids": ids, **payload})


def undo(number: int, target: int, of: dict[str, Any] | None = None) -> dict[str, Any]:
    kind, subject = (of["kind"], of["subject_id"]) if of else ("merge", "any")
    return decision(number, kind, subject, "undone", {"decision_id": f"x{target:03}"})


def frame(*rows: dict[str, Any]) -> pl.DataFrame:
    return tables.from_rows("decisions", rows)


def apply(graph: Any, *rows: dict[str, Any]) -> Reviewed:
    return kg.apply_decisions(graph, frame(*rows))


def reason_of(reviewed: Reviewed, number: int) -> tuple[str, str | None]:
    row = reviewed.outcomes.filter(pl.col("item_id") == f"x{number:03}").to_dicts()[0]
    return row["status"], row["reason"]


def assert_same_graph(left: Graph, right: Graph, names: Iterable[str] = DERIVED) -> None:
    for name in names:
        assert_frame_equal(getattr(left, name), getattr(right, name))


def entity(graph: Graph, entity_id: str) -> dict[str, Any]:
    return graph.entities.filter(pl.col("entity_id") == entity_id).to_dicts()[0]


def triples(graph: Graph) -> list[tuple[str, str, str]]:
    return sorted(graph.relations.select("source_id", "predicate", "target_id").rows())
