"""Sentences and paragraphs in any script, and names under which equal things are equal."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgkit.text import paragraph_spans, sentence_spans


def sentences(text: str) -> list[str]:
    return [text[a:b].strip() for a, b in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She left. He stayed.", ["She left.", "He stayed."]),
        ("Dr. Wu met J. Smith at 5 p.m. on Monday.", ["Dr. Wu met J. Smith at 5 p.m. on Monday."]),
        ("See fig. 3 and no. 7. It is 3.14 long.", ["See fig. 3 and no. 7.", "It is 3.14 long."]),
        ("No. He did not.", ["No.", "He did not."]),
        ('"Really?" she asked. "Yes!" He left.', ['"Really?" she asked.', '"Yes!"', "He left."]),
        ("Yahoo! was sold. Why?", ["Yahoo! was sold.", "Why?"]),
        ("It sank.[12] It rose.", ["It sank.[12]", "It rose."]),
        ("It began in 1843. 20 years passed.", ["It began in 1843. 20 years passed."]),
        ("1. First thing here\n2. Second thing here", ["1. First thing here", "2. Second thing here"]),
        ("- apples\n- pears", ["- apples", "- pears"]),
        ("# Title\nText goes\non here.", ["# Title", "Text goes\non here."]),
        ("name\tyear\nAda\t1815", ["name\tyear", "Ada\t1815"]),
        ("Name | Year\nAda | 1815\n", ["Name | Year", "Ada | 1815"]),
        ("他走了。「真的？」她说！", ["他走了。", "「真的？」", "她说！"]),
        ("वह आया। वह गया।", ["वह आया।", "वह गया।"]),
        ("وصل القطار؟ نعم.", ["وصل القطار؟", "نعم."]),
        ("Բարև։ Լավ եմ։", ["Բարև։", "Լավ եմ։"]),
        ("ሰላም። እንዴት ነህ፧ ደህና።", ["ሰላም።", "እንዴት ነህ፧", "ደህና።"]),
        ("Das gilt z.B. Hier. Und dort.", ["Das gilt z.B. Hier.", "Und dort."]),
        ("A heading\n\nA sentence\nover lines.", ["A heading", "A sentence\nover lines."]),
        ("", []),
    ],
)
def test_sentences(text, expected):
    assert sentences(text) == expected


@settings(deadline=None, max_examples=50)
@given(st.text(st.sampled_from("aA1.!?。 \n\t|-#\r\f\"'[]"), max_size=80))
def test_spans_cover_the_text_in_order(text):
    for spans in (sentence_spans(text), paragraph_spans(text)):
        assert "".join(text[a:b] for a, b in spans) == text
        assert all(a < b for a, b in spans)


@pytest.mark.parametrize(
    "text", ["." * 300_000 + "a", " " * 300_000 + "a", '."' * 150_000 + "a", "\n " * 150_000 + "a"]
)
def test_runs_of_marks_are_one_sentence_end(text):
    assert len(sentence_spans(text)) <= 2


def test_paragraphs_end_at_blank_lines_of_any_kind():
    text = "One.\r\n\r\nTwo\rgoes on.\r\rThree.\fFour.\n \nFive."
    assert [text[a:b].strip() for a, b in paragraph_spans(text)] == [
        "One.",
        "Two\rgoes on.",
        "Three.",
        "Four.",
        "Five.",
    ]
