"""Quotes and names are found in the text by code, and what is found is the text's own words."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgkit.extraction.model.folded import fold, fold_text
from kgkit.extraction.model.locate import MIN_SCORE, Place, Text

HOPPER = "Admiral Hopper did not retire in 1966;  she was “called  back”, and the Navy kept her until 1986."
WORDS = [
    "Ada",
    "wrote",
    "the",
    "Notes",
    "é",
    "Łódź",
    "港で",
    "3,000",
    "“so”",
    "won’t",
    "com\u00adputer",
    "ﬁne",
    "\n\n",
    "— x",
]
TEXTS = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join))


def words_of(text: str, place: Place | None) -> str | None:
    return None if place is None else text[place.start : place.end]


@pytest.mark.parametrize(
    ("quote", "found", "how"),
    [
        ("did not retire in 1966", "did not retire in 1966", "exact"),
        (" DID NOT  retire in 1966 ", "did not retire in 1966", "normalised"),
        ('"she was "called back""', "she was “called  back", "normalised"),
        ("Admiral Hoper did not retire in 1966", "Admiral Hopper did not retire in 1966", "fuzzy"),
        ("Admiral Hopper ... kept her until 1986", HOPPER[:-1], "fuzzy"),
        ("the navy kept her till 1986.", "the Navy kept her until 1986", "fuzzy"),
    ],
)
def test_quotes_that_are_there(quote: str, found: str, how: str) -> None:
    place = Text(HOPPER).find_quote(quote)
    assert place is not None and (words_of(HOPPER, place), place.how) == (found, how)


@pytest.mark.parametrize(
    "quote",
    [
        "Admiral Hopper did retire in 1966",  # a "not" less
        "Admiral Hopper did not retire in 1968",  # another number
        "the Navy never kept her until 1986",
        "Admiral Hopper ... ran the Harvard laboratory",
        "she wrote the first compiler",
        "",
        "   ",
        "…",
        None,
    ],
)
def test_quotes_that_are_not(quote: str | None) -> None:
    assert Text(HOPPER).find_quote(quote) is None


def test_names_are_whole_words_in_any_script() -> None:
    assert [tuple(p)[:2] for p in Text("Ada and Adam and Ada").find_name("Ada")] == [(0, 3), (17, 20)]
    assert [words_of("窑で焼いた器は港で", p) for p in Text("窑で焼いた器は港で").find_name("港")] == ["港"]
    assert [words_of("항구의 등대는 밤에", p) for p in Text("항구의 등대는 밤에").find_name("등대")] == ["등대"]
    assert [p.how for p in Text("Die STRASSE am Hafen").find_name("Straße")] == ["normalised"]
    assert Text("It is AT&T's").find_name("us") == []


def test_a_part_of_a_name_is_taken_only_where_it_tells_something() -> None:
    text = Text("Admiral Hopper spoke at Acme Corp. The PDP-8 was there.")
    whole = Place(0, len(text.text), "exact")
    near = text.find_like_name("Grace Hopper", whole)
    assert near == (8, 14, "fuzzy")
    assert text.find_like_name("Example Corp", whole) is None
    assert text.find_like_name("Sample Person A", whole) is None
    assert Text("They bought a PDP-11 computer").find_near_name("PDP-10 computer") is None


def test_names_with_other_endings() -> None:
    russian = Text("Вчера в Москве Анна Каренина встретила Вронского.")
    assert words_of(russian.text, russian.find_near_name("Москва")) == "Москве"
    assert words_of(russian.text, russian.find_near_name("Вронский")) == "Вронского"
    assert russian.find_near_name("Вологда") is None
    german = Text("Von den Arbeiten Turings wusste Zuse nichts.")
    assert german.find_near_name("Turing") is None  # in Latin script only where the quote says so
    assert words_of(german.text, german.find_like_name("Turing", Place(0, 24, "exact"))) == "Turings"


@given(TEXTS, st.data())
def test_every_piece_of_a_text_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    piece = text[start:end].strip()
    place = Text(text).find_quote(piece)
    if len(piece) >= 8:
        assert place is not None and place.how == "exact"
        assert words_of(text, place) == piece


MANGLE = [
    str.upper,
    str.lower,
    lambda t: t.replace(" ", "\u00a0\n"),
    lambda t: unicodedata.normalize("NFD", t),
    lambda t: unicodedata.normalize("NFKC", t),
    lambda t: t.replace("“", '"').replace("”", '"').replace("’", "'").replace("—", "-"),
    lambda t: f" “{t}” ",
    lambda t: t[1:] + t[:1],
    lambda t: t.replace("e", "a"),
    lambda t: t[: len(t) // 2] + " ... " + t[len(t) // 2 + 3 :],
]


@given(TEXTS, TEXTS, TEXTS, st.lists(st.sampled_from(MANGLE), max_size=3))
def test_whatever_is_found_is_the_texts_own_words(before: str, quote: str, after: str, mangle: list[object]) -> None:
    text = before + quote + after
    for change in mangle:
        quote = change(quote)  # type: ignore[operator]
    place = Text(text).find_quote(quote)
    if place is None:
        return
    assert 0 <= place.start < place.end <= len(text)
    found = text[place.start : place.end]
    if place.how == "exact":
        assert found in quote
    elif place.how == "normalised":
        assert fold_text(found) in fold_text(quote)
    else:
        assert fold_text(found)


@given(TEXTS)
def test_folding_keeps_the_way_back(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert folded.starts == sorted(folded.starts)
    assert all(0 <= s < e <= len(text) for s, e in zip(folded.starts, folded.ends, strict=True))
    assert fold_text(folded.text) == folded.text


@given(st.text(alphabet="abcdefgh ijklmnop", min_size=12, max_size=60), st.data())
def test_nearly_means_at_least_the_stated_score(text: str, data: st.DataObject) -> None:
    from rapidfuzz.fuzz import ratio

    quote = list(text)
    for _ in range(data.draw(st.integers(0, 8))):
        quote[data.draw(st.integers(0, len(quote) - 1))] = data.draw(st.sampled_from("xyz"))
    place = Text(text).find_quote("".join(quote))
    if place is not None and place.how == "fuzzy":
        wanted = fold_text("".join(quote).strip(), plain=True)
        assert ratio(wanted, fold_text(text[place.start : place.end], plain=True)) >= MIN_SCORE


@pytest.mark.parametrize(
    ("text", "quote", "how"),
    [
        ("The com-\nmittee met.", "The committee met.", "normalised"),
        ("The plan was co-\noperative.", "The plan was co-operative.", "fuzzy"),
        ("He said \u201eJa\u201c to \u201aAnna\u2018.", "He said \"Ja\" to 'Anna'.", "normalised"),
        ("مُحَمَّدٌ كتب الرسالة", "محمد كتب الرسالة", "normalised"),
        ("שָׁלוֹם עֲלֵיכֶם", "שלום עליכם", "normalised"),
        ("It paid 65,000 crowns to them.", "It paid (...) crowns to them", "fuzzy"),
        ("It paid 65,000 crowns to the council.", "It paid 65,000 [. . .] the council", "fuzzy"),
        ("**Mira Solen** opened the *kiln* there.", "Mira Solen opened the kiln there.", "fuzzy"),
        ("Calder bought the kiln from Varga in May.", "Calder bought the kiln from Varga in March.", "unlocated"),
        ("Calder bought the kiln from Varga.", "Calder never bought the kiln from Varga.", "unlocated"),
        (
            "Solen allegedly signed the long contract with Varga.",
            "Solen signed the long contract with Varga.",
            "unlocated",
        ),
        ("The share was 6.5 per cent.", "The share was 65 per cent.", "unlocated"),
    ],
)
def test_quotes_in_other_clothes(text: str, quote: str, how: str) -> None:
    place = Text(text).find_quote(quote)
    assert (place.how if place else "unlocated") == how


@pytest.mark.parametrize(
    ("text", "name", "there"),
    [
        ("Łyna is far.", "Lyna", True),
        ("J. R. R. Tolkien wrote.", "J.R.R. Tolkien", True),
        ("Calder & Sons Ltd paid.", "Calder and Sons Ltd", True),
        ("山田 太郎は来た", "山田太郎", True),
        ("مُحَمَّد wrote", "محمد", True),
        ("Mira So-\nlen spoke.", "Mira Solen", True),
        ("अमिताभ ने कहा", "अमित", False),
        ("সীতারাম এল", "সীতা", False),
        ("e\u0301 is a letter", "e", False),
        ("Marsden left", "Mars", False),
    ],
)
def test_names_in_other_clothes(text: str, name: str, there: bool) -> None:
    found = Text(text).find_name(name) or Text(text).find_near_name(name)
    assert bool(found) is there
