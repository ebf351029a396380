"""chunk_documents: exact offsets, full cover, good places to cut."""

from __future__ import annotations

from itertools import pairwise

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgkit import tables
from kgkit.documents.chunk import chunk_documents
from kgkit.documents.chunk_cuts import cut_spans, is_grapheme_break
from kgkit.errors import FrameTypeError, OptionError, SchemaError


def frame_of(*texts: str, **columns: list[object]) -> pl.DataFrame:
    return pl.DataFrame({"doc_id": [f"d{i}" for i in range(len(texts))], "text": list(texts), **columns})


def section(kind: str, label: str, start: int, end: int, level: int = 1) -> dict[str, object]:
    return {"kind": kind, "label": label, "level": level, "start": start, "end": end}


def sectioned(*parts: tuple[str, str, str]) -> pl.DataFrame:
    text, sections = "", []
    for kind, label, body in parts:
        text += "\n\n" if text else ""
        sections.append(section(kind, label, len(text), len(text) + len(body)))
        text += body
    return frame_of(text, sections=[sections])


@pytest.mark.parametrize("overlap", [0, 20])
@pytest.mark.parametrize("size", [40, 97, 400])
def test_repeated_lines_keep_their_true_places(shared, size, overlap):
    text = (shared / "cases" / "repeated_lines.txt").read_text(encoding="utf-8")
    chunks = chunk_documents(frame_of(text), size=size, overlap=overlap).chunks
    assert [text[a:b] for a, b in chunks.select("start", "end").iter_rows()] == chunks["text"].to_list()
    starts = chunks["start"].to_list()
    assert starts == sorted(set(starts))
    covered = {i for a, b in chunks.select("start", "end").iter_rows() for i in range(a, b)}
    assert covered == set(range(len(text)))
    key = "Odd Varga held the key"
    places = [a + piece.index(key) for a, piece in chunks.select("start", "text").iter_rows() if key in piece]
    assert places == [text.index(key)]
    assert chunks["chunk_id"].n_unique() == chunks.height > chunks["text"].n_unique() - 1
    assert chunks["text"].str.len_chars().max() <= size


unicode_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
pieces = st.lists(
    st.sampled_from(
        [
            "The gate. ",
            "\r\n",
            "\n\n",
            "港で売られた。",
            "👩‍👩‍👧",
            "🇳🇴",
            "é",
            "क्षि",
            "각",
            "x" * 30,
            "\f",
            " ",
            "...",
            "!?",
        ]
    )
).map("".join)


@settings(deadline=None, max_examples=50)
@given(st.one_of(unicode_text, pieces), st.integers(1, 60), st.data())
@example("\n\n\n", 1, None)
@example("a" + "\u0301" * 100, 7, None)
def test_spans_cover_any_text(text, size, data):
    overlap = data.draw(st.integers(0, size - 1)) if data else 0
    marks = data.draw(st.lists(st.integers(0, 300), max_size=4)) if data else []
    sections = [
        [section(kind, "1", a, a + 50) for a, kind in zip(marks, ["page", "sheet", "heading", "page"], strict=False)]
    ]
    chunks = chunk_documents(frame_of(text, sections=sections), size=size, overlap=overlap)
    spans = list(chunks.chunks.select("start", "end").iter_rows())
    if not text.strip():
        assert not spans
        assert chunks.counts["empty"] == 1
        return
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    for (a, b), (c, d) in pairwise(spans):
        assert a < c <= b < d
        assert b - c <= overlap
    assert all(0 < b - a <= size for a, b in spans)
    assert [text[a:b] for a, b in spans] == chunks.chunks["text"].to_list()
    outcome = chunks.outcomes.row(0, named=True)
    assert outcome["chars_available"] == outcome["chars_sent"] == len(text)


@settings(deadline=None, max_examples=50)
@given(pieces, st.integers(12, 60))
def test_signs_stay_whole_when_they_fit(text, size):
    assert all(is_grapheme_break(text, end) for _, end in cut_spans(text, size=size))


@pytest.mark.parametrize("sign", ["👩‍👩‍👧", "🇳🇴", "e\u0301", "👍🏽", "\u1112\u1161\u11ab", "क्षि", "\r\n", "1️⃣"])
def test_signs_of_several_characters_are_not_cut(sign):
    text = sign * 40
    assert {end % len(sign) for _, end in cut_spans(text, size=len(sign) * 3 + 1)} == {0}


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        ("他走了。她留下了。门开了。", 9, ["他走了。她留下了。", "门开了。"]),
        ("وصل القطار؟ غادر الجميع؟ نعم.", 13, ["وصل القطار؟ ", "غادر الجميع؟ ", "نعم."]),
        ("वह आया। वह गया। सब ठीक।", 10, ["वह आया। ", "वह गया। ", "सब ठीक।"]),
        ("a" * 25, 10, ["a" * 10, "a" * 10, "a" * 5]),
        ("Short. " + "x" * 12, 12, ["Short. ", "x" * 12]),
    ],
)
def test_cuts_at_sentence_ends_of_any_script(text, size, expected):
    assert [text[a:b] for a, b in cut_spans(text, size=size)] == expected


def test_a_paragraph_is_preferred_to_a_sentence():
    text = "One is here. Two is here.\n\nThree is here. Four is here."
    assert [text[a:b] for a, b in cut_spans(text, size=45)] == [text[:27], text[27:]]


def test_sheets_are_never_joined_and_short_pages_are():
    chunks = chunk_documents(sectioned(("sheet", "Prices", "a 1"), ("sheet", "Costs", "b 2")), size=100).chunks
    assert chunks["place"].to_list() == ["sheet Prices", "sheet Costs"]
    pages = chunk_documents(sectioned(("page", "3", "Tiny."), ("page", "4", "Also tiny.")), size=100).chunks
    assert pages["place"].to_list() == ["pages 3-4"]
    long = chunk_documents(sectioned(("page", "3", "Long enough here."), ("page", "4", "Next.")), size=45).chunks
    assert long["place"].to_list() == ["page 3", "page 4"]


def test_headings_name_what_stands_above_all_of_the_chunk():
    text = "Top\n\nIntro is here.\n\nPart A\n\nAbout A.\n\nPart B\n\nAbout B."
    a, b = text.index("Part A"), text.index("Part B")
    sections = [section("heading", "Top", 0, len(text)), section("heading", "Part A", a, b, 2)]
    sections.append(section("heading", "Part B", b, len(text), 2))
    frame = frame_of(text, sections=[sections])
    assert chunk_documents(frame, size=21).chunks["heading"].to_list() == ["Top", "Top > Part A", "Top > Part B"]
    assert chunk_documents(frame, size=1000).chunks["heading"].to_list() == ["Top"]


def test_overlap_repeats_whole_sentences_and_stops_at_borders():
    text = "One is here. Two is here. Three is here. Four is here. Five is here."
    spans = cut_spans(text, size=30, overlap=16)
    assert [text[a:b] for a, b in spans][1].startswith("Two is here. ")
    frame = sectioned(("page", "1", "One is here. Two is here."), ("page", "2", "Three is here. Four is here."))
    chunks = chunk_documents(frame, size=30, overlap=16).chunks
    assert "Two" not in chunks.filter(pl.col("place") == "page 2")["text"].str.join().item()


def test_empty_documents_are_reported_and_have_no_chunk():
    chunks = chunk_documents(pl.DataFrame({"doc_id": ["a", "b", "c"], "text": ["", None, " \n"]}))
    assert chunks.counts == {"in": 3, "ok": 0, "empty": 3, "failed": 0, "skipped": 0}
    assert chunks.outcomes["reason"].to_list() == ["no_text"] * 3
    assert chunks.outcomes["chars_available"].to_list() == [0, 0, 2]
    assert chunks.chunks.schema == tables.empty("chunks").schema


def test_row_order_changes_nothing_and_input_stays():
    frame = frame_of("One. Two.", "Three. Four.", source=["b.txt", "a.txt"])
    before = frame.clone()
    forward, backward = chunk_documents(frame, size=6), chunk_documents(frame.reverse(), size=6)
    assert forward.chunks.equals(backward.chunks)
    assert forward.outcomes.equals(backward.outcomes)
    assert forward.chunks["source"].to_list() == ["a.txt"] * 2 + ["b.txt"] * 2
    assert frame.equals(before)


def test_pandas_in_pandas_out_without_optional_columns():
    import pandas as pd

    frame = pd.DataFrame({"doc_id": ["d"], "text": ["One. Two."]})
    chunks = chunk_documents(frame)
    assert isinstance(chunks.chunks, pd.DataFrame)
    assert chunks.chunks["heading"].isna().all()
    assert isinstance(chunk_documents(frame, backend="polars").chunks, pl.DataFrame)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 0}, "size=0 is too small"),
        ({"size": 10, "overlap": 10}, "overlap=10 does not fit size=10"),
        ({"overlap": -1}, "overlap=-1 does not fit"),
        ({"size": 1.5}, "whole number"),
        ({"size": True}, "whole number"),
        ({"backend": "arrow"}, "backend='arrow' is not known"),
    ],
)
def test_options_out_of_range_are_named(options, message):
    with pytest.raises(OptionError, match=message):
        chunk_documents(frame_of("One."), **options)


def test_unusable_frames_are_named():
    with pytest.raises(SchemaError, match="needs the column 'text'"):
        chunk_documents(pl.DataFrame({"doc_id": ["d"]}))
    with pytest.raises(SchemaError, match="more than once"):
        chunk_documents(pl.DataFrame({"doc_id": ["d", "d"], "text": ["a", "b"]}))
    with pytest.raises(FrameTypeError, match="must be a dataframe"):
        chunk_documents("text")
