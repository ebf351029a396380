"""Scores of mentions: exact spans, types, and what is stripped before comparing."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import kgkit as kg
from kgkit.errors import SchemaError


def frame(*rows: tuple[str, int, int, str, str]) -> pl.DataFrame:
    schema = {"doc_id": pl.String, "start": pl.Int64, "end": pl.Int64, "quote": pl.String, "type": pl.String}
    return pl.DataFrame(list(rows), schema=schema, orient="row")


GOLD = frame(("d", 0, 3, "Ada", "PERSON"), ("d", 10, 16, "London", "PLACE"), ("e", 0, 3, "IBM", "ORGANISATION"))


def score(found: pl.DataFrame, measure: str = "typed", **options: dict[str, str]) -> tuple[int, int, int]:
    scores = kg.evaluate.mentions(found, GOLD, **options)
    return scores.filter(pl.col("type").is_null(), measure=measure).select("n_gold", "n_found", "n_right").row(0)


def test_span_and_type_both_count() -> None:
    found = frame(("d", 0, 3, "Ada", "PERSON"), ("d", 10, 16, "London", "PERSON"), ("d", 0, 3, "IBM", "ORGANISATION"))
    assert score(found) == (3, 3, 1)
    assert score(found, "span") == (3, 2, 2)


def test_articles_and_possessives_do_not_count() -> None:
    found = frame(("d", 0, 5, "Ada's", "PERSON"), ("d", 6, 16, "the London", "PLACE"))
    assert score(found) == (3, 2, 2)


def test_types_are_mapped_and_others_left_out() -> None:
    found = frame(("d", 0, 3, "Ada", "PERSON"), ("d", 10, 16, "London", "CITY"), ("e", 0, 3, "IBM", "NUMBER"))
    assert score(found, types={"PERSON": "PERSON", "CITY": "PLACE"}) == (3, 2, 2)
    assert score(found) == (3, 1, 1)  # without a mapping, types that the gold never uses do not count
    scores = kg.evaluate.mentions(found, GOLD, types={"PERSON": "PER"}, gold_types={"PERSON": "PER"})
    assert scores.filter(type="PER").select("n_gold", "f1").row(0) == (1, 1.0)


def test_nothing_found_has_no_precision() -> None:
    row = kg.evaluate.mentions(frame(), GOLD).row(0, named=True)
    assert (row["precision"], row["recall"], row["f1"]) == (None, 0.0, 0.0)


def test_a_result_is_taken_and_pandas_answered_in_pandas() -> None:
    text = "Grace Hopper worked at Harvard University."
    chunk = {"chunk_id": "c", "doc_id": "d", "seq": 0, "start": 0, "end": len(text), "text": text}
    chunks = pl.DataFrame([chunk])
    gold = frame(("d", 0, 12, "Grace Hopper", "PERSON"))
    scores = kg.evaluate.mentions(kg.extract(chunks).to_pandas(), gold)
    assert type(scores).__module__.startswith("pandas")
    assert scores["f1"][0] == 1.0


def test_missing_columns_are_named() -> None:
    with pytest.raises(SchemaError, match="The gold mentions need the column quote, type"):
        kg.evaluate.mentions(GOLD, GOLD.select("doc_id", "start", "end"))


def test_better_than_the_bare_model_on_public_sets(shared: Path) -> None:
    from kgkit.extraction.local.spans import NAMES
    from kgkit.models.nlp import load_nlp

    folder = shared / "data" / "ie" / "crossner_ai_test"
    documents = pl.read_ndjson(folder / "documents.jsonl").head(150)
    gold = pl.read_ndjson(folder / "mentions.jsonl").rename({"doc": "doc_id", "text": "quote"})
    gold = gold.filter(pl.col("doc_id").is_in(documents["id"].to_list()))
    kinds = {"person": "PERSON", "researcher": "PERSON", "organisation": "ORGANISATION", "university": "ORGANISATION"}
    kinds |= {"country": "PLACE", "location": "PLACE"}
    same = {k: k for k in kinds.values()}
    chunks = documents.select(
        chunk_id="id", doc_id="id", seq=0, start=0, end=pl.col("text").str.len_chars(), text="text"
    )
    rows = [
        (d, e.start_char, e.end_char, e.text, NAMES[e.label_])
        for d, doc in zip(documents["id"], load_nlp().pipe(documents["text"]), strict=True)
        for e in doc.ents
        if e.label_ in NAMES
    ]
    bare = kg.evaluate.mentions(frame(*rows), gold, types=same, gold_types=kinds)
    ours = kg.evaluate.mentions(kg.extract(chunks, workers=1), gold, types=same, gold_types=kinds)
    assert ours["f1"][0] > bare["f1"][0] + 0.03
    assert ours["f1"][1] > bare["f1"][1]
