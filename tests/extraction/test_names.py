"""Names and their types, on made-up sentences: one rule a row."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from extraction.parsing import names_in, parse

from kgkit.extraction.local.agreement import Agreement
from kgkit.extraction.local.lexicon import lexicon
from kgkit.extraction.local.names import defined_acronyms
from kgkit.extraction.local.spans import is_junk, tidy


def types_in(*texts: str) -> dict[str, str]:
    return {name.name: name.type for name in names_in(*texts)}


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ('"Ada"', "Ada"),
        ("(Ada's", "Ada"),
        ("Inc.", "Inc."),
        ("Lund.", "Lund."),  # might be an abbreviation: stays
        ("Northwick.", "Northwick"),
        ("Komatsu (Shanghai)", "Komatsu (Shanghai)"),
        ("Shanghai)", "Shanghai"),
        ("C++", "C++"),
        ("C#", "C#"),
        ("«»", ""),
    ],
)
def test_marks_at_the_ends_are_cut_off(text: str, span: str) -> None:
    start, end = tidy(text, 0, len(text))
    assert text[start:end] == span


def test_links_and_marks_are_no_names() -> None:
    assert is_junk("https://t.co/abc")
    assert is_junk("#1 - 2")
    assert not is_junk("漢字")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The report praises Calder University's work.", "Calder University"),
        ("Yesterday Dr. Miriam Holt spoke.", "Miriam Holt"),
        ("Yesterday Senator Miriam Holt spoke.", "Miriam Holt"),
        ("The Harvard Mark I was built by IBM.", "Harvard Mark I"),
        ("They met Rear Admiral Grace Hopper there.", "Grace Hopper"),
        ("RT @ Miriam_Holt https://t.co/x Miriam Holt is back in London", "Miriam Holt"),
    ],
)
def test_what_is_no_part_of_a_name_is_trimmed(text: str, name: str) -> None:
    assert name in types_in(text)


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("She was born on 29 December 1928 in Lyon.", ["29 December 1928"]),
        ("It closed on December 3, 1956.", ["December 3, 1956"]),
        ("He taught there between 1950 and 1952.", ["1950", "1952"]),
        ("He taught there from 1950-1952.", ["1950", "1952"]),
        ("It ran for about two years.", []),
        ("It may close on 1996-08-30.", ["1996-08-30"]),
        ("She liked the early 1950s.", ["early 1950s"]),
    ],
)
def test_dates_are_whole_and_dates_only(text: str, dates: list[str]) -> None:
    assert [n.name for n in names_in(text) if n.type == "DATE"] == dates


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Brovald is a village in the north of the country.", "Brovald", "PLACE"),
        ("Brovald is a band that plays every Friday.", "Brovald", "ORGANISATION"),
        ("Brovald is a novel about a lighthouse.", "Brovald", "WORK"),
        ("They saw the singer Brovald on Friday.", "Brovald", "PERSON"),
        ("They live in the city of Brovald.", "Brovald", "PLACE"),
        ("The Battle of Brovald was long.", "Battle of Brovald", "EVENT"),
        ("She joined the Brovald Institute of Technology.", "Brovald Institute of Technology", "ORGANISATION"),
        ("She won the Brovald Prize in May.", "Brovald Prize", "EVENT"),
        ("The Brovald River is long.", "Brovald River", "PLACE"),
        ("Danish and Dutch sailors met.", "Danish", "GROUP"),
        ("FLOODS IN SOUTH KOREA KILL MANY", "SOUTH KOREA", "PLACE"),
        ("In 1950 she joined Brovald.", "Brovald", "ORGANISATION"),
        ("@BrovaldNews wrote it.", "BrovaldNews", "PERSON"),
        ("The programs were written in Fortran and Lisp.", "Lisp", "PRODUCT"),
    ],
)
def test_words_around_and_in_a_name_tell_its_type(text: str, name: str, kind: str) -> None:
    assert types_in(text).get(name) == kind


def test_one_name_has_one_type_in_a_document() -> None:
    found = names_in("Brovald opened in May.", "Brovald is a museum in Lyon.", "We saw Brovald.", "Brovald, of course.")
    kinds = {n.type for n in found if n.name == "Brovald"}
    assert len(kinds) == 1


def test_a_surname_follows_the_full_name() -> None:
    found = types_in("Miriam Brovald, a chemist, spoke first.", "Brovald left early.", "Later Brovald came back.")
    assert found["Miriam Brovald"] == found["Brovald"] == "PERSON"


def test_an_acronym_takes_the_type_of_what_it_stands_for() -> None:
    found = types_in("The National Physical Laboratory (NPL) stood in Teddington.", "It was sold by NPL.")
    assert found["NPL"] == found["National Physical Laboratory"] == "ORGANISATION"


def test_an_acronym_of_common_words_is_a_term() -> None:
    found = types_in("They use optical character recognition (OCZ) for old letters.")
    assert found["OCZ"] == found["optical character recognition"] == "CONCEPT"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the National Physical Laboratory (NPL)", [("NPL", "National Physical Laboratory")]),
        ("the Communist Party of China (CPC)", [("CPC", "Communist Party of China")]),
        ("support vector machines (SVMs)", [("SVMs", "support vector machines")]),
        ("he came late (UTC)", []),
        ("in 1952 (ACM)", []),
    ],
)
def test_acronyms_are_joined_by_their_letters(text: str, expected: list[tuple[str, str]]) -> None:
    parsed = parse(text)
    assert [(s, text[a:b]) for s, _, _, a, b in defined_acronyms(parsed, lexicon())] == expected


def test_an_office_alone_and_lower_case_words_are_no_names() -> None:
    found = types_in("The Prime Minister and the Vice President met a naval reserve officer.")
    assert not {"Prime Minister", "Vice President", "naval reserve"} & found.keys()


def test_names_are_in_order_and_apart() -> None:
    found = names_in(
        "On 3 May 1943 Grace Hopper (GH), Ada Lovelace and IBM (International Business Machines) met in Lyon."
    )
    assert [n.start for n in found] == sorted(n.start for n in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_votes_add_up_and_ties_go_by_a_fixed_order() -> None:
    votes = Agreement()
    votes.add("Larch", "PLACE", {})
    votes.add("Larch", "PERSON", {})
    votes.settle()
    assert votes.type_of("LARCH") == "PERSON"
    votes = Agreement()
    for kind in ("PLACE", "PLACE", "PLACE"):
        votes.add("Larch", kind, {})
    votes.add("Larch", "PERSON", {"PERSON": 2.0})
    votes.settle()
    assert votes.type_of("Larch") == "PERSON"  # one clear sentence outweighs an error made often


def test_the_lists_hold_what_they_say() -> None:
    words: Any = lexicon()
    assert {"Sweden", "New York"} <= words.places
    assert {"Swedes", "Frenchmen", "Chinese"} <= words.groups
    assert not words.given_names & words.places
    kinds = {"PERSON", "ORGANISATION", "PLACE", "GROUP", "PRODUCT", "WORK", "EVENT", "LAW", "CONCEPT"}
    assert {*words.nouns.values(), *words.heads.values(), *words.known.values()} <= kinds
    assert all(word == word.lower() for word in words.heads)
