"""The stage: spans, counting, independence of order and processes, and what goes wrong."""

from __future__ import annotations

import subprocess
import sys
import threading
from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kgkit as kg
from kgkit.errors import InputError, OptionError, SchemaError
from kgkit.extraction import extract as extract_stage
from kgkit.extraction.local import pipeline
from kgkit.extraction.local.english import foreign_language
from kgkit.extraction.run import TYPES
from kgkit.parallel import Lost

TEXTS = [
    "Grace Hopper worked at Harvard University. In 1952 she wrote the A-0 compiler for Remington Rand.",
    "Ada Lovelace met Charles Babbage in London on 5 June 1833. Babbage showed her the Difference Engine.",
    "The National Physical Laboratory (NPL) is an institute in Teddington. NPL built the Pilot ACE.",
]


def chunks_of(*documents: list[str]) -> pl.DataFrame:
    rows = []
    for d, texts in enumerate(documents):
        at = 0
        for seq, text in enumerate(texts):
            rows.append((f"c{d}-{seq}", f"d{d}", seq, at, at + len(text), text))
            at += len(text) + 1
    return pl.DataFrame(rows, schema=["chunk_id", "doc_id", "seq", "start", "end", "text"], orient="row")


def overlapping(text: str, cuts: list[tuple[int, int]]) -> pl.DataFrame:
    rows = [(f"c{i}", "d", i, a, b, text[a:b]) for i, (a, b) in enumerate(cuts)]
    return pl.DataFrame(rows, schema=["chunk_id", "doc_id", "seq", "start", "end", "text"], orient="row")


def test_mentions_and_statements_stand_where_they_say() -> None:
    found = kg.extract(chunks_of(TEXTS))
    document = " ".join(TEXTS)
    for frame in (found.mentions, found.statements):
        assert frame.height > 3
        for start, end, quote, located in frame.select("start", "end", "quote", "located").iter_rows():
            assert document[start:end] == quote
            assert located == "exact"


def test_every_type_is_declared_and_numbers_are_left_out() -> None:
    chunks = chunks_of(["IBM sold 120 machines in 1956 for 3 million dollars within two years."])
    assert set(kg.extract(chunks).mentions["type"]) <= set(TYPES) - {"NUMBER", "DURATION"}
    everything = kg.extract(chunks, types=TYPES).mentions
    assert {"NUMBER", "DURATION", "DATE"} <= set(everything["type"])
    assert set(kg.extract(chunks, types="DATE").mentions["type"]) == {"DATE"}


def test_each_chunk_has_one_outcome() -> None:
    chunks = chunks_of([TEXTS[0], "   ", "it was so."], ["Das Schiff fuhr am Morgen in den Hafen und die Leute " * 9])
    found = kg.extract(chunks)
    assert found.counts == {"in": 4, "ok": 1, "empty": 2, "failed": 0, "skipped": 1}
    reasons = dict(found.outcomes.select("item_id", "reason").iter_rows())
    assert reasons == {"c0-0": None, "c0-1": "no_text", "c0-2": "nothing_found", "c1-0": "language"}
    assert (found.outcomes.filter(status="ok")["chars_sent"] == len(TEXTS[0])).all()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("窑で焼いた器は港で売られた。", "ja"),
        ("Паром отходит в полдень.", "und"),
        ("Der Hafen und die Stadt liegen an der See, und die Leute sind nicht mit dem Boot auf dem Wasser. " * 3, "de"),
        ("Die Mühle wurde 1941 in Ulm gebaut und war die erste ihrer Art im ganzen Land.", "de"),
        ("Das Schiff", None),  # too short to say
        ("Why do fusion cross sections drop after a certain temperature in stars?", None),
        ("RT @x https://t.co/5Y1I3P9pZ8", None),
        (
            "A list: v Superman, Sully, Gran Torino, La Strada, Il Posto, Das Boot, El Topo, and more of the same. "
            * 3,
            None,
        ),
    ],
)
def test_only_texts_that_are_surely_not_english_are_skipped(text: str, language: str | None) -> None:
    assert foreign_language(text) == language


def test_an_empty_frame_gives_empty_tables_of_the_same_form() -> None:
    full, empty = kg.extract(chunks_of(TEXTS)), kg.extract(chunks_of())
    for name, frame in empty.frames.items():
        assert frame.height == 0
        assert frame.schema == full.frames[name].schema


def test_neither_row_order_nor_other_documents_nor_processes_change_what_is_found() -> None:
    chunks = chunks_of(*[[t] for t in TEXTS], TEXTS)
    before = chunks.clone()
    one = kg.extract(chunks)
    assert chunks.equals(before)
    for other in (kg.extract(chunks.reverse()), kg.extract(chunks.reverse(), workers=2)):
        assert other.mentions.equals(one.mentions)
        assert other.statements.equals(one.statements)
        assert other.outcomes.equals(one.outcomes)
    alone = kg.extract(chunks.filter(doc_id="d1"))
    assert alone.mentions.equals(one.mentions.filter(doc_id="d1"))
    assert alone.statements.equals(one.statements.filter(doc_id="d1"))


def test_texts_that_go_through_the_model_together_do_not_change_each_other() -> None:
    from kgkit.models.nlp import load_nlp

    nlp = load_nlp()
    together = list(nlp.pipe(TEXTS, batch_size=3))
    for text, doc in zip(TEXTS, together, strict=True):
        alone = nlp(text)
        assert (alone.tensor == doc.tensor).all()
        assert alone.to_json() == doc.to_json()


def test_pandas_in_pandas_out() -> None:
    found = kg.extract(chunks_of(TEXTS[:1]).to_pandas())
    assert type(found.mentions).__module__.startswith("pandas")
    assert found.mentions["start"].dtype == "Int64"
    assert type(kg.extract(found_chunks := chunks_of(TEXTS[:1]), backend="pandas").mentions).__name__ == "DataFrame"
    assert isinstance(kg.extract(found_chunks).mentions, pl.DataFrame)


def test_what_two_chunks_share_is_reported_once() -> None:
    text = TEXTS[0] + " " + TEXTS[1]
    whole = kg.extract(overlapping(text, [(0, len(text))]))
    cut = len(TEXTS[0]) + 1
    twice = kg.extract(overlapping(text, [(0, cut + len(TEXTS[1])), (cut, len(text)), (0, cut - 1)]))
    assert twice.mentions["mention_id"].n_unique() == twice.mentions.height
    assert twice.mentions.select("start", "end", "name").equals(whole.mentions.select("start", "end", "name"))
    assert twice.counts["ok"] == 3
    said = twice.statements.select("subject", "predicate", "object", "start")
    assert said.height == said.unique().height


def test_where_a_chunk_cuts_a_name_the_other_chunk_is_believed() -> None:
    text = "They say that Charles Babbage Smith met Grace Hopper in the city of London in May 1833."
    cut = text.index("Babbage") + 7
    found = kg.extract(overlapping(text, [(0, cut), (5, len(text))]))
    spans = found.mentions.select("start", "end").rows()
    assert all(b[0] >= a[1] for a, b in pairwise(spans))
    assert "Charles Babbage Smith" in found.mentions["name"].to_list()


def test_origin_names_the_model_that_was_used() -> None:
    (origin,) = kg.extract(chunks_of(TEXTS)).mentions["origin"].unique()
    assert origin.startswith("spacy 3.")
    assert "en_core_web_sm" in origin


def test_a_text_that_the_model_fails_on_is_a_row_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    nlp = pipeline.load_nlp()

    class Fails:
        max_length = nlp.max_length

        def make_doc(self, text: str) -> object:
            return nlp.make_doc(text)

        def __call__(self, doc: Any) -> object:
            if "Babbage" in doc.text:
                raise ValueError("boom")
            return nlp(doc)

        def pipe(self, docs: list[Any], batch_size: int) -> list[object]:
            return [self(doc) for doc in docs]

    monkeypatch.setattr(pipeline, "load_nlp", Fails)
    found = kg.extract(chunks_of(TEXTS))
    assert found.counts == {"in": 3, "ok": 2, "empty": 0, "failed": 1, "skipped": 0}
    assert found.failures["detail"].to_list() == ["ValueError: boom"]
    assert found.failures["chars_sent"].to_list() == [0]


def test_a_chunk_that_is_too_long_is_a_row_that_says_what_to_do() -> None:
    found = kg.extract(chunks_of([TEXTS[0], "word " * 200_001]), workers=1)
    assert found.failures["reason"].to_list() == ["too_long"]
    assert "chunk_documents" in found.failures["detail"][0]


def test_rules_that_break_cost_their_document_only(monkeypatch: pytest.MonkeyPatch) -> None:
    real = pipeline.names_of_document

    def breaks(texts: list[object], words: object) -> object:
        if "Babbage" in texts[0].text:  # type: ignore[attr-defined]
            raise RuntimeError("no")
        return real(texts, words)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "names_of_document", breaks)
    found = kg.extract(chunks_of(*[[t] for t in TEXTS]))
    assert found.counts["failed"] == 1
    assert found.counts["ok"] == 2


def test_an_interrupted_run_keeps_what_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[extract_stage.__module__]
    monkeypatch.setattr(module, "_CHARS_A_BATCH", 1)
    calls = []

    def interrupted(documents: object, types: object) -> object:
        if calls:
            raise KeyboardInterrupt
        calls.append(1)
        return pipeline.find_in_documents(documents, types)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "find_in_documents", interrupted)
    found = kg.extract(chunks_of(*[[t] for t in TEXTS]), workers=1)
    assert found.counts == {"in": 3, "ok": 1, "empty": 0, "failed": 0, "skipped": 2}
    assert set(found.failures["reason"]) == {"interrupted"}


def test_a_process_that_dies_costs_its_batch_only(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[extract_stage.__module__]
    monkeypatch.setattr(module, "_CHARS_A_BATCH", 1)

    def run(function: str, tasks: list[tuple[object, ...]], *, into: list[object], **_: object) -> None:
        into += [pipeline.find_in_documents(*task) for task in tasks[:-1]]  # type: ignore[arg-type]
        into.append(Lost("crashed", "The process ended by signal 9."))

    monkeypatch.setattr(module, "run_tasks", run)
    found = kg.extract(chunks_of(*[[t] for t in TEXTS]), workers=2)
    assert found.counts["ok"] == 2
    assert found.failures.select("status", "reason").rows() == [("failed", "crashed")]


def test_it_works_in_a_thread_and_reports_progress() -> None:
    seen: list[tuple[int, int]] = []
    results: list[kg.extract] = []
    chunks = chunks_of(TEXTS)
    run = threading.Thread(target=lambda: results.append(kg.extract(chunks, progress=lambda *a: seen.append(a))))
    run.start()
    run.join()
    assert results[0].mentions.height > 5
    assert seen == [(1, 1)]


def test_it_works_in_a_script_without_a_guard(tmp_path: object) -> None:
    script = (
        "import polars as pl, kgkit as kg\n"
        "t = 'Grace Hopper worked at Harvard University.'\n"
        "rows = [(f'c{i}', f'd{i}', 0, 0, len(t), t) for i in range(2)]\n"
        "chunks = pl.DataFrame(rows, schema=['chunk_id', 'doc_id', 'seq', 'start', 'end', 'text'], orient='row')\n"
        "print(kg.extract(chunks, workers=2).mentions.height)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == "4", done.stderr


def test_options_are_checked() -> None:
    chunks = chunks_of(TEXTS[:1])
    with pytest.raises(OptionError, match=r"types='ROBOT' is not known. Allowed: 'PERSON'"):
        kg.extract(chunks, types=["PERSON", "ROBOT"])
    with pytest.raises(OptionError, match="workers=0 is not possible"):
        kg.extract(chunks, workers=0)
    with pytest.raises(OptionError, match="backend='dask' is not known"):
        kg.extract(chunks, backend="dask")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="is no language model"):
        kg.extract(chunks, model=object())
    with pytest.raises(SchemaError, match="needs the column 'text'"):
        kg.extract(chunks.drop("text"))


@settings(deadline=None, max_examples=25)
@given(
    st.lists(
        st.text(alphabet="ABCabc .,()'\"@#-0129é漢\n\t😀’“”–", max_size=60)
        | st.sampled_from([*TEXTS, "Dr. ", "'s", "(NPL)", "@x_1", "St.", "1950-1952", "from May to 3 June 1956"]),
        min_size=1,
        max_size=4,
    )
)
def test_whatever_the_text_spans_are_exact_apart_and_counted(texts: list[str]) -> None:
    found = kg.extract(chunks_of(texts), types=TYPES)
    assert found.counts["in"] == len(texts)
    assert found.counts["failed"] == 0, found.failures["detail"].to_list()
    text = " ".join(texts)
    spans = found.mentions.select("start", "end", "quote", "name").rows()
    for start, end, quote, name in spans:
        assert start < end
        assert text[start:end] == quote
        assert name.strip() == name
    assert all(b[0] >= a[1] for a, b in pairwise(spans))
