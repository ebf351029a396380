"""Terms: what a word is in each script, and under which forms it is found."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgkit.retrieval.scripts import clusters, fold, without_particle
from kgkit.retrieval.spelling import near_spellings
from kgkit.retrieval.tokens import Analyser

ANALYSER = Analyser()


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("OvertimeLedger", {"overtim", "ledger", "overtimeledg", "=overtimeledger"}),
        ("COVID-19", {"covid", "19", "=covid", "=19", "=covid19"}),
        ("C++", {"c", "=c", "=c++"}),
        ("1,000", {"1000", "=1000"}),
        ("Ada's", {"ada", "=ada"}),
        ("l’avion", {"avion", "=avion"}),
        ("snake_case", {"snake", "case", "=snake", "=case", "=snakecase"}),
        ("Łódź", {"lodz", "=łódź"}),
        ("ﬁle", {"file", "=file"}),
        ("the", {"~the"}),
        ("state-of-the-art", {"state", "art", "=state", "=art", "=stateoftheart"}),
        ("港", {"港", "=港"}),
        ("港で", {"港で", "=港", "=で"}),
        ("등대는", {"등대", "=등대는", "=등", "=대"}),
        ("वह", {"वह", "=वह"}),
        ("", set()),
        ("*** --- ...", set()),
    ],
)
def test_terms_of_words(text, terms):
    found = set(ANALYSER.count(text))
    assert found == terms


@pytest.mark.parametrize(
    ("left", "right"),
    [("straße", "STRASSE"), ("Ёлка", "елка"), ("naïve", "naive"), ("Άθήνα", "αθηνα"), ("كَتَبَ", "كتب"), ("e\u0301", "é")],
)
def test_forms_that_find_each_other(left, right):
    def main(text):
        return {t for t in ANALYSER.count(text) if t[0] not in "=~"}

    assert main(left) & main(right)


def test_marks_that_are_letters_are_kept():
    assert fold("Йод") == "йод"
    assert fold("कि") != fold("क")
    assert clusters("สวัสดี") == ["ส", "วั", "ส", "ดี"]


def test_korean_particles():
    assert without_particle(list("등대는")) == list("등대")
    assert without_particle(list("항구에서")) == list("항구")
    assert without_particle(list("나는")) == list("나는")


def test_the_language_chooses_the_stemmer():
    assert set(Analyser("de").count("Häuser")) & set(Analyser("de").count("Haus"))


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=80))
def test_words_stand_in_their_places(text):
    words = ANALYSER.words(text)
    assert all(text[w.start : w.end] == w.text for w in words)
    assert [w.start for w in words] == sorted({w.start for w in words})
    counted = ANALYSER.count(text)
    assert {t for w in words if not w.stop for t in w.terms.main} == {t for t in counted if t[0] not in "=~"}


def test_near_spellings():
    rows = {"hopper": 3, "happer": 1, "copper": 9, "hoppers": 2}
    assert near_spellings("hoper", lambda term: rows.get(term, 0)) == ["hopper"]
    assert near_spellings("hopepr", lambda term: rows.get(term, 0)) == ["hopper"]
    assert near_spellings("hipper", lambda term: rows.get(term, 0)) == ["hopper", "happer"]
    assert near_spellings("hop", lambda term: rows.get(term, 0)) == []
    assert near_spellings("zz9zz", lambda term: rows.get(term, 0)) == []
