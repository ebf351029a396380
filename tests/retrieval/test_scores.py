"""Scores of hits and answers against gold."""

from __future__ import annotations

import math

import pandas as pd
import polars as pl
import pytest

import kgkit as kg
from kgkit.errors import OptionError, SchemaError


def found(*chunk_ids: str, question: str = "q") -> pl.DataFrame:
    return pl.DataFrame(
        {"question": [question] * len(chunk_ids), "rank": range(1, len(chunk_ids) + 1), "chunk_id": list(chunk_ids)}
    )


def test_hits_by_hand():
    relevant = pl.DataFrame({"question": ["q"] * 3, "chunk_id": ["a", "b", "z"], "grade": [3, 1, 0]})
    scores = dict(kg.evaluate.hits(found("x", "a", "z"), relevant).select("measure", "value").iter_rows())
    ideal = 3 + 1 / math.log2(3)
    assert scores["ndcg@10"] == pytest.approx(3 / math.log2(3) / ideal)
    assert scores["recall@10"] == 0.5
    assert scores["reciprocal_rank@10"] == 0.5


def test_a_question_without_hits_counts_and_one_without_relevant_does_not():
    relevant = pl.DataFrame({"question": ["q", "r", "s"], "chunk_id": ["a", "b", "c"], "grade": [1, 1, 0]})
    scores = kg.evaluate.hits(found("a"), relevant)
    assert scores["n_questions"].to_list() == [2, 2, 2]
    assert scores["value"].to_list() == [0.5, 0.5, 0.5]


def test_several_hits_of_one_document_count_once():
    hits = found("a", "b", "c").with_columns(doc_id=pl.Series(["d", "d", "e"]))
    relevant = pd.DataFrame({"question": ["q", "q"], "doc_id": ["d", "e"]})
    scores = kg.evaluate.hits(hits, relevant, by="doc_id")
    assert isinstance(scores, pd.DataFrame)
    assert scores["value"].tolist() == [1.0, 1.0, 1.0]


def test_k_cuts_off():
    relevant = pl.DataFrame({"question": ["q"], "chunk_id": ["b"]})
    assert kg.evaluate.hits(found("a", "b"), relevant, k=1)["value"].to_list() == [0.0, 0.0, 0.0]


def test_answers_by_hand():
    chunks = pl.DataFrame({"chunk_id": ["d"], "text": ["The ferry opened in 1921. The kiln is red."]})
    gold = pl.DataFrame(
        {
            "question": ["When did the ferry open?", "Who is the mayor of Paris?"],
            "answerable": [True, False],
            "doc_id": ["d", None],
            "start": [20, None],
            "end": [24, None],
        }
    )
    scores = kg.evaluate.answers([kg.ask(q, chunks) for q in gold["question"]], gold)
    assert dict(scores.select("measure", "value").iter_rows()) == dict.fromkeys(scores["measure"], 1.0)
    elsewhere = gold.with_columns(start=pl.Series([30, None]), end=pl.Series([34, None]))
    scores = kg.evaluate.answers([kg.ask(gold["question"][0], chunks)], elsewhere)
    assert scores["value"].to_list() == [1.0, 0.0, 0.0, None, 0.0]


def test_wrong_arguments_are_named():
    relevant = pl.DataFrame({"question": ["q"], "chunk_id": ["b"]})
    with pytest.raises(OptionError, match="by='page' is not known"):
        kg.evaluate.hits(found("a"), relevant, by="page")
    with pytest.raises(OptionError, match="k=0 must be"):
        kg.evaluate.hits(found("a"), relevant, k=0)
    with pytest.raises(SchemaError, match="needs the columns 'chunk_id'"):
        kg.evaluate.hits(found("a"), relevant.drop("chunk_id"))
    with pytest.raises(SchemaError, match="is not in the gold frame"):
        answer = kg.ask("Who?", pl.DataFrame({"chunk_id": ["a"], "text": ["b"]}))
        gold = {"question": ["x"], "answerable": [True], "doc_id": ["d"], "start": [0], "end": [1]}
        kg.evaluate.answers([answer], pl.DataFrame(gold))
