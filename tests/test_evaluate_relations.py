"""Scores of pairs: what counts as the same entity, the same pair, and a find."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import kgkit as kg
from kgkit.errors import OptionError, SchemaError
from kgkit.evaluate import relation_pairs

TEXT = "Dr. Ada Smith of Acme Ltd met Bob in Oslo."
MENTIONS = pl.DataFrame(
    [("d", 4, 13, "Ada Smith", 0), ("d", 17, 25, "Acme Ltd", 1), ("d", 30, 33, "Bob", 2), ("d", 37, 41, "Oslo", 3)],
    schema=["doc", "start", "end", "text", "entity"],
    orient="row",
)
GOLD = pl.DataFrame(
    [("d", "Ada Smith", "Acme Ltd", 0, 1), ("d", "Oslo", "Bob", 3, 2)],
    schema=["doc", "head", "tail", "head_id", "tail_id"],
    orient="row",
)


def _found(*pairs: tuple[str, str]) -> pl.DataFrame:
    rows = [("d", s, o, TEXT, 0, 0.5) for s, o in pairs]
    return pl.DataFrame(rows, schema=["doc_id", "subject", "object", "quote", "start", "confidence"], orient="row")


def _counts(scores: pl.DataFrame) -> tuple[int, int, int]:
    return scores.select("n_gold", "n_found", "n_right").row(0)


def test_direction_and_repetition_do_not_count():
    found = _found(("Ada Smith", "Acme Ltd"), ("Acme Ltd", "Ada Smith"), ("Bob", "Oslo"), ("Bob", "Acme Ltd"))
    scores = relation_pairs(found, GOLD, MENTIONS)
    assert _counts(scores) == (2, 3, 2)
    assert scores.select("precision", "recall", "f1").row(0) == pytest.approx((2 / 3, 1.0, 0.8))


def test_overlap_finds_names_with_other_ends():
    found = _found(("Dr. Ada Smith", "Acme"))
    assert _counts(relation_pairs(found, GOLD, MENTIONS)) == (2, 1, 1)
    assert _counts(relation_pairs(found, GOLD, MENTIONS, match="name")) == (2, 1, 0)


def test_names_ignore_case_articles_and_possessives():
    gold = pl.DataFrame({"doc_id": ["d"], "head": ["The Mill"], "tail": ["Ada"]})
    found = pl.DataFrame({"doc_id": ["d"], "subject": ["ADA's"], "object": ["mill"]})
    assert _counts(relation_pairs(found, gold)) == (1, 1, 1)


def test_any_mention_of_a_gold_entity_will_do():
    mentions = pl.concat(
        [
            MENTIONS,
            MENTIONS.head(1).with_columns(text=pl.lit("Ada"), start=pl.lit(90, pl.Int64), end=pl.lit(93, pl.Int64)),
        ]
    )
    found = _found(("Ada", "Acme Ltd")).with_columns(quote=pl.lit(None, dtype=pl.String))
    assert _counts(relation_pairs(found, GOLD, mentions)) == (2, 1, 1)


def test_pairs_of_one_entity_are_left_out():
    assert _counts(relation_pairs(_found(("Ada Smith", "Smith")), GOLD, MENTIONS)) == (2, 0, 0)


def test_the_same_names_in_another_document_are_another_pair():
    found = _found(("Ada Smith", "Acme Ltd")).with_columns(doc_id=pl.lit("e"))
    assert _counts(relation_pairs(found, GOLD, MENTIONS)) == (2, 1, 0)


def test_spans_of_gold_ends_are_looked_up():
    gold = pl.DataFrame({"doc": ["d"], "head": ["?"], "tail": ["?"], "head_span": [[4, 13]], "tail_span": [[17, 25]]})
    assert _counts(relation_pairs(_found(("Ada Smith", "Acme Ltd")), gold, MENTIONS)) == (1, 1, 1)


def test_nothing_found_has_a_recall_and_no_precision():
    scores = relation_pairs(_found(("Bob", "Oslo")).clear(), GOLD, MENTIONS)
    assert scores.select("precision", "recall", "f1").row(0) == (None, 0.0, 0.0)


def test_a_floor_of_confidence_leaves_out_what_is_below():
    found = _found(("Ada Smith", "Acme Ltd"), ("Bob", "Oslo")).with_columns(confidence=pl.Series([0.4, None]))
    assert _counts(relation_pairs(found, GOLD, MENTIONS, min_confidence=0.5)) == (2, 1, 1)


def test_pandas_in_pandas_out():
    scores = relation_pairs(_found(("Bob", "Oslo")).to_pandas(), GOLD.to_pandas(), MENTIONS.to_pandas())
    assert isinstance(scores, pd.DataFrame)
    assert scores.loc[0, "n_right"] == 1


def test_a_missing_column_is_named():
    with pytest.raises(SchemaError, match="statements need the column 'object'"):
        relation_pairs(_found(("Bob", "Oslo")).drop("object"), GOLD)


def test_an_unknown_matching_is_refused():
    with pytest.raises(OptionError, match="match='fuzzy' is not known"):
        kg.evaluate.relation_pairs(_found(("Bob", "Oslo")), GOLD, match="fuzzy")
