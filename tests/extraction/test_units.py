"""Where units of a text end, and that neither names nor statements go over such an end."""

from itertools import pairwise

import pytest

from kgkit.extraction.local.statements import find_triples
from kgkit.extraction.local.units import unit_starts
from tests.extraction.parsing import names_in, parse


def pieces(text: str) -> list[str]:
    cuts = [0, *unit_starts(text), len(text)]
    return [text[a:b].strip() for a, b in pairwise(cuts) if text[a:b].strip()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jean Smith\n\nBetty Jones was born here.", ["Jean Smith", "Betty Jones was born here."]),
        ("The mill\n========\nIt burnt down.", ["The mill", "========", "It burnt down."]),
        ("# The mill\nIt burnt down.", ["# The mill", "It burnt down."]),
        ("The mill at Ulm\nAda Brown built it in 1950, knowing little of mills.", 2),
        ("- one thing\n- another\n  that goes on", ["- one thing", "- another\n  that goes on"]),
        ("From: Ada Brown\nTo: Bo Green\nSubject: the mill", 6),
        ("1950 | Ada joins\n1951 | Bo leaves", 4),
        ("Ada went to the mill that stands\nbehind the Old Church and found\nBo Green in it.", 1),
        ("She was hired by the\nMill Company of Ulm, which\nhad many mills then.", 1),
        ("One line and no more.", 1),
    ],
)
def test_units_end_at_headings_items_fields_and_cells(text: str, expected: list[str] | int) -> None:
    found = pieces(text)
    assert found == expected if isinstance(expected, list) else len(found) == expected, found


@pytest.mark.parametrize("gap", ["\n\n", "\n=========================\n\n"])
def test_a_statement_quotes_its_sentence_without_the_heading_above(gap: str) -> None:
    text = f"The mills of Kiev{gap}Grace Hopper worked for Remington Rand in Philadelphia."
    triples = find_triples(parse(text).doc, names_in(text))
    assert triples
    assert {text[t.start : t.end] for t in triples} == {"Grace Hopper worked for Remington Rand in Philadelphia."}
    assert not any("Kiev" in (t.subject.name, t.object.name) for t in triples)


def test_an_items_mark_is_no_part_of_the_quote() -> None:
    text = "- In 1950 Grace Hopper joined Remington Rand.\n- In 1960 she left Remington Rand for Princeton."
    quotes = [text[t.start : t.end] for t in find_triples(parse(text).doc, names_in(text))]
    assert quotes
    assert all(quote.startswith("In 19") for quote in quotes)


def test_fields_of_a_mail_are_not_one_sentence() -> None:
    text = "From: Grace Hopper <grace@mill.example>\nTo: Howard Aiken <aiken@mill.example>\nSubject: Harvard and IBM"
    assert find_triples(parse(text).doc, names_in(text)) == []
