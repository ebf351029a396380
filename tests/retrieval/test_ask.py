"""ask: quoted, cited, or honestly not there."""

from __future__ import annotations

import json

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kgkit as kg
from kgkit import tables
from kgkit.errors import OptionError
from kgkit.retrieval import build_index

DOCUMENTS = pl.DataFrame(
    {
        "doc_id": ["ferry", "kiln", "copy"],
        "source": ["ferry.md", "kiln.md", "copy.md"],
        "text": [
            "The ferry. It is red.\n\nThe ferry opened in 1921. Mira Solen\nsteers the ferry. Nobody else may.",
            "The kiln at Calder Works opened in 1987. It was built by Odd Varga.",
            "Heard in town: The ferry opened in 1921. So they say.",
        ],
    }
)


@pytest.fixture(scope="module")
def index():
    return build_index(kg.chunk_documents(DOCUMENTS))


def test_an_answer_quotes_and_cites_every_place(index):
    answer = kg.ask("When did the ferry open?", index)
    assert answer.status == "answered"
    assert answer.text.startswith("The ferry opened in 1921. [1][2]") or "1921" in answer.text
    texts = dict(DOCUMENTS.select("doc_id", "text").iter_rows())
    for c in answer.citations.iter_rows(named=True):
        assert texts[c["doc_id"]][c["start"] : c["end"]] == c["quote"]
    assert {"ferry", "copy"} == set(answer.citations["doc_id"])
    assert answer.citations["number"].to_list() == list(range(1, answer.citations.height + 1))
    assert set(answer.citations["sentence_id"]) == set(answer.answer_sentences["sentence_id"])
    assert set(answer.answer_sentences["support"]) == {"quoted"}
    assert answer.counts["ok"] == 1
    assert answer.answers["confidence"][0] > 0.5


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who built the kiln?", "Odd Varga"),
        ("Who steers the ferry?", "Mira Solen"),
    ],
)
def test_the_right_sentence_is_quoted(index, question, words):
    assert words in kg.ask(question, index).text


def test_right_source_for_the_question(shared):
    case = json.loads((shared / "cases" / "ask_citations.json").read_text(encoding="utf-8"))
    frame = pl.DataFrame(
        {
            "chunk_id": list(case["chunks"]),
            "text": [c["text"] for c in case["chunks"].values()],
            "source": [c["doc"] for c in case["chunks"].values()],
        }
    )
    answer = kg.ask(case["question"], frame)
    assert answer.citations.select("chunk_id", "source").rows() == [("c3", "ferry.md")]
    assert answer.text == "The ferry opened in 1921. [1]"


@pytest.mark.parametrize(
    "question", ["What is the capital of France?", "Who is the mayor of Paris?", "", "***", "x" * 10_000]
)
def test_what_is_not_there_is_not_answered(index, question):
    answer = kg.ask(question, index)
    assert answer.status == "not_in_documents"
    assert answer.text is None
    assert answer.citations.equals(tables.empty("citations"))
    assert answer.answers["reason"][0]
    assert answer.counts["empty"] == 1
    assert str(answer).splitlines()[-1]


def test_a_name_that_is_nowhere_is_named_and_near_misses_are_kept(index):
    answer = kg.ask("When did the Westhaven ferry open in Paris?", index)
    assert answer.status == "not_in_documents"
    assert "Westhaven, Paris" in answer.answers["reason"][0]
    assert answer.hits.height > 0
    assert "near: " in str(answer)


def test_no_chunks_at_all():
    answer = kg.ask("Who?", tables.empty("chunks"))
    assert answer.status == "not_in_documents"
    assert answer.answers["reason"].to_list() == ["There are no chunks to search."]


def test_confidence_decides(index):
    assert kg.ask("When did the ferry open?", index, min_confidence=1).status == "not_in_documents"
    assert kg.ask("When did the Westhaven ferry open?", index, min_confidence=0).status == "answered"


@settings(deadline=None, max_examples=30)
@given(st.text(max_size=40), st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), max_size=4))
def test_any_question_to_any_text(question, texts):
    frame = pl.DataFrame(
        {"chunk_id": [str(i) for i in range(len(texts))], "text": texts}, schema_overrides={"text": pl.String}
    )
    answer = kg.ask(question + (texts[0] if texts else ""), frame, min_confidence=0.1)
    for c in answer.citations.iter_rows(named=True):
        assert texts[int(c["chunk_id"])][c["start"] : c["end"]] == c["quote"]
    for name, out in answer.frames.items():
        assert out.schema == tables.empty(name).schema


def test_row_order_changes_nothing():
    chunks = kg.chunk_documents(DOCUMENTS).chunks
    left, right = (kg.ask("When did the ferry open?", f) for f in (chunks, chunks.reverse()))
    for name in left.frames:
        assert left.frames[name].equals(right.frames[name])


def test_html_and_text_show_quotes_and_escape_them():
    hostile = "<script>alert(1)</script> was written by Mira Solen."
    frame = pl.DataFrame({"chunk_id": ["a"], "text": [hostile], "source": ["<b>.md"], "place": ["page 3"]})
    answer = kg.ask("Who wrote script alert by Mira Solen?", frame, min_confidence=0)
    html = answer._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "&lt;b&gt;.md, page 3, characters 0-52" in html
    assert "[1] <b>.md, page 3, characters 0-52" in str(answer)
    missing = kg.ask("<i>Paris</i>?", frame)
    assert "<i>" not in missing._repr_html_()


def test_pandas_in_pandas_out():
    answer = kg.ask("When did the ferry open?", kg.chunk_documents(DOCUMENTS.to_pandas()))
    assert all(isinstance(frame, pd.DataFrame) for frame in answer.frames.values())
    assert "1921" in answer.text
    assert "1921" in str(answer)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k=0 must be"),
        ({"min_confidence": 2}, "min_confidence=2 must be a number from 0 to 1"),
        ({"model": object()}, "not supported yet"),
        ({"backend": "csv"}, "backend='csv' is not known"),
    ],
)
def test_options_out_of_range_are_named(index, options, message):
    with pytest.raises(OptionError, match=message):
        kg.ask("Who?", index, **options)


def test_xquad_is_answered_and_abstained(shared):
    folder = shared / "data" / "xquad_en"
    documents = [json.loads(line) for line in (folder / "documents.jsonl").read_text(encoding="utf-8").splitlines()]
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()][
        ::20
    ]
    frame = pl.DataFrame({"chunk_id": [d["id"] for d in documents], "text": [d["text"] for d in documents]})
    index = build_index(frame)
    rows = [
        (q["question"], True, q["doc"], s, s + len(a))
        for q in questions
        for s, a in zip(q["starts"], q["answers"], strict=True)
    ]
    gold = pl.DataFrame(rows, schema=["question", "answerable", "doc_id", "start", "end"], orient="row")
    scores = kg.evaluate.answers([kg.ask(q["question"], index) for q in questions], gold)
    values = dict(scores.select("measure", "value").iter_rows())
    assert values["answered"] > 0.8
    assert values["cited"] > 0.7
    elsewhere = index.chunks.filter(pl.col("chunk_id") < "M")
    asked = [q["question"] for q in questions if q["doc"] >= "M"]
    other = build_index(elsewhere)
    abstained = [kg.ask(q, other).status == "not_in_documents" for q in asked]
    assert sum(abstained) / len(abstained) > 0.9


def test_whether_two_names_belong_together_is_answered_by_a_sentence_with_both() -> None:
    chunks = pl.DataFrame(
        {
            "chunk_id": ["a", "b"],
            "text": [
                "The laboratory hired Ada Brown to design a mill and to design it soon.",
                "Your teacher is wrong, I fear. Brown did not invent Olympia.",
            ],
        }
    )
    answer = kg.ask("Did Ada Brown design Olympia?", chunks, min_confidence=0.0)
    assert answer.text == "Brown did not invent Olympia. [1]"
