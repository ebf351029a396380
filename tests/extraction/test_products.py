"""Machines, programs and firms that the recogniser takes for something else."""

import pytest

from tests.extraction.parsing import names_in


def types_in(text: str) -> dict[str, str]:
    return {name.name: name.type for name in names_in(text)}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("They tested it on a PDP-8 in Ulm.", "PDP-8"),
        ("In Dresden the ROBO 300 was shown to visitors.", "ROBO 300"),
        ("The firm sold an OPAL II to the bank.", "OPAL II"),
        ("It was programmed on the Elster 803 in Leeds.", "Elster 803"),
        ("She joined the six programmers of MANIAC in Princeton.", "MANIAC"),
        ("Ada Brown showed them a system called RADAN in Boston.", "RADAN"),
        ("In the north a computer called Olympia was used by the Navy.", "Olympia"),
        ("In Toronto the machine was renamed Hector.", "Hector"),
    ],
)
def test_what_is_made_is_a_product(text: str, name: str) -> None:
    assert types_in(text).get(name) == "PRODUCT", types_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "The talk was given at ICML 2011 in Bellevue.",
        "It was sent at 12 UTC 30 May from Paris.",
        "The bill came to USD 300 in all.",
        "It stands on the A1 near Leeds.",
    ],
)
def test_years_codes_and_roads_are_no_products(text: str) -> None:
    assert "PRODUCT" not in types_in(text).values()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ada Brown was hired by Elster Brothers in Leeds.", "Elster Brothers"),
        ("In 1955 Remington Rand merged with Sperry.", "Remington Rand"),
        (
            "In Sydney the Commonwealth Scientific and Industrial Research Organisation built a radio telescope.",
            "Commonwealth Scientific and Industrial Research Organisation",
        ),
    ],
)
def test_firms_and_bodies_are_organisations(text: str, name: str) -> None:
    assert types_in(text).get(name) == "ORGANISATION", types_in(text)


def test_two_bodies_stay_two() -> None:
    found = types_in("She worked for the National Science Foundation and Duke University in Durham.")
    assert {"National Science Foundation", "Duke University"} <= found.keys()


def test_plain_words_that_begin_a_cell_or_a_heading_name_nothing() -> None:
    text = "Chapter 3. The mill\n\nThe mill was sold by post to Grace Hopper.\n\nIBM 650 | Sold by post, with a book\n"
    assert not {"Chapter 3", "Sold"} & types_in(text).keys()
    assert "Grace Hopper" in types_in(text)


def test_the_first_half_of_a_hyphened_name_belongs_to_it() -> None:
    assert "Small-Scale Experimental Machine" in types_in("The Small-Scale Experimental Machine ran in Manchester.")


def test_a_letter_within_hyphens_is_no_language() -> None:
    assert "C" not in types_in("The firm, known as C-T-R, was renamed International Business Machines.")


def test_what_is_counted_after_a_year_is_no_part_of_the_date() -> None:
    found = types_in("In the spring of 1947 two managers sailed to America.")
    assert not [name for name in found if name.endswith("two")]
    assert [name for name in found if name.endswith("1947")]
