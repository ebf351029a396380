"""The hand-written replies of the sample corpus are right, but for the mistakes that are in them on purpose."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

import kgkit as kg

MEANT = {"partial", "flipped", "ungrounded", "relation_outside_schema", "review_required", "undeclared_end"}


def test_replies_fit_their_chunks(pioneers: Path) -> None:
    folder = pioneers / "replies"
    lines = [json.loads(line) for line in (folder / "first_run.jsonl").read_text("utf-8").splitlines()]
    assert lines[0]["origin"] == "hand-written"
    asked = {line["item_id"]: line["source"] for line in lines[1:]}
    chunks = kg.chunk_documents(kg.read_documents(pioneers / "documents")).chunks
    some = chunks.filter(pl.col("chunk_id").is_in(list(asked)))
    assert dict(some.select("chunk_id", "source").iter_rows()) == asked
    found = kg.extract(some, model=kg.RecordedModel(folder / "first_run.jsonl"), schema=folder / "schema.yaml")
    assert found.outcomes["reason"].drop_nulls().to_list() == ["cut_by_length"]
    notes = {note.partition(":")[0] for notes in found.outcomes["notes"].to_list() for note in notes}
    assert notes == MEANT
    lost = found.mentions.filter(pl.col("located") == "unlocated")["name"].to_list()
    assert lost == ["Mary Somerville"]
    assert found.statements["located"].value_counts().sort("located").rows() == [
        ("exact", found.statements.height - 1),
        ("fuzzy", 1),
    ]
    again = some.filter(
        pl.col("chunk_id").is_in(found.outcomes.filter(pl.col("status") == "failed")["item_id"].implode())
    )
    retried = kg.extract(again, model=kg.RecordedModel(folder / "retry.jsonl"), schema=folder / "schema.yaml")
    assert retried.counts["ok"] == 1 and not retried.failures.height
