"""Technical terms, and what a text says a name is."""

from __future__ import annotations

import pytest
from extraction.parsing import names_in, parse

from kgkit.extraction.local.describe import describe
from kgkit.extraction.local.found import FoundName
from kgkit.extraction.local.lexicon import lexicon

TECHNICAL = (
    "The stored-program computer keeps data and instructions in one memory. A stored-program computer needs an "
    "index register. The parser is a program whose algorithm uses a probability distribution over trees. "
    "The method was tested on a corpus; accuracy and recall of the model were measured."
)
NEWS = "The mayor opened a new bridge on Friday. The new bridge cost a lot. A large crowd came to the old harbour."


def terms_in(*texts: str) -> list[str]:
    return [n.name for n in names_in(*texts) if n.type == "CONCEPT"]


def test_terms_of_a_technical_text_are_found() -> None:
    found = terms_in(TECHNICAL)
    assert found.count("stored-program computer") == 2
    assert "probability distribution" in found


def test_plain_noun_phrases_of_news_are_no_terms() -> None:
    assert terms_in(NEWS) == []


def test_what_a_text_names_as_a_term_is_one() -> None:
    assert "slow cooking" in terms_in("The method is known as slow cooking.")


def test_a_person_is_no_term() -> None:
    assert terms_in("She is called the founding mother.") == []


def test_terms_depend_on_their_own_document_only() -> None:
    alone = terms_in(TECHNICAL)
    assert terms_in(NEWS) == []
    assert terms_in(TECHNICAL) == alone


@pytest.mark.parametrize(
    ("text", "name", "kind", "said"),
    [
        ("Miriam Holt, a chemist from Lyon, left.", "Miriam Holt", "PERSON", "a chemist from Lyon"),
        ("Brovald is a small town in Norway.", "Brovald", "PLACE", "a small town in Norway"),
        ("Miriam Holt is not a chemist.", "Miriam Holt", "PERSON", None),
        ("Miriam Holt may be a chemist.", "Miriam Holt", "PERSON", None),
        ("Miriam Holt, a photograph by Lind, hangs here.", "Miriam Holt", "PERSON", None),
        ("Miriam Holt left.", "Miriam Holt", "PERSON", None),
    ],
)
def test_descriptions_are_what_the_text_says_plainly(text: str, name: str, kind: str, said: str | None) -> None:
    at = text.index(name)
    assert describe(parse(text), FoundName(at, at + len(name), name, kind, 1.0), lexicon()) == said
