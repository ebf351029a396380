"""The measures of pairs: names taken apart, words side by side, numbers, persons, columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgkit.graph import Graph
from kgkit.resolution.features import pair_features, prepare
from kgkit.resolution.features.columns import LEVELS, columns_of, compare
from kgkit.resolution.features.folding import KINDS, parse
from kgkit.resolution.records import records_of
from kgkit.resolution.scoring import score_pairs
from kgkit.resolution.scoring.bins import MEASURES, binned
from kgkit.resolution.scoring.table import read_table, shipped_table, write_table
from kgkit.resolution.scoring.wording import SAID

PERSON, ORGANISATION, OTHER = KINDS.index("person"), KINDS.index("organisation"), KINDS.index("other")


def steps(one: str, other: str, type_: str | None = None, **more: list[Any]) -> dict[str, str]:
    """Name the step of each measure for a pair of names."""
    frame = pl.DataFrame({"entity_id": ["a", "b"], "name": [one, other], "type": [type_] * 2, **more})
    prepared = prepare(records_of(frame))
    scored = score_pairs(prepared, np.array([0], np.int32), np.array([1], np.int32))
    return {m.name: m.steps[s] for m, s in zip(MEASURES, scored.steps[0].tolist(), strict=True)}


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("PHILIPS ELECTRONICS N. V.", ORGANISATION, ("philips", "elec")),
        ("Dr. García-López, José M.", PERSON, ("jose", "m", "garcia", "lopez")),
        ("J.R. Smith, Jr.", PERSON, ("j", "r", "smith")),
        ("William King", PERSON, ("william", "king")),
        ("King William", PERSON, ("william",)),
        ("C++", OTHER, ("c++",)),
        ("★", OTHER, ("★",)),
        ("東浜 Institute", ORGANISATION, ("東浜", "inst")),
        ("Influenza A", OTHER, ("influenza", "a")),
        ("World War II", OTHER, ("world", "war", "2")),
        ("The", OTHER, ("the",)),
        ("", OTHER, ("",)),
    ],
)
def test_names_are_taken_apart(name: str, kind: int, words: tuple[str, ...]) -> None:
    assert parse(name, kind).words == words


@given(st.text(max_size=30), st.sampled_from(range(len(KINDS))))
def test_any_text_can_be_taken_apart(name: str, kind: int) -> None:
    found = parse(name, kind)
    assert found.words
    assert parse(name, kind) == found


@pytest.mark.parametrize(
    ("one", "other", "step"),
    [
        ("GPT-3", "GPT-4", "differ, all words agree"),
        ("2023 Budget", "Budget 2024", "differ, all words agree"),
        ("Super Bowl LIV", "Super Bowl LV", "differ, all words agree"),
        ("Apollo 11", "Apollo XI", "the same"),
        ("Fund", "Fund 2", "only one has them, all words agree"),
        ("Symphony No. 05", "Symphony 5", "the same"),
        ("Sonata", "Sonata form", "none"),
    ],
)
def test_numbers(one: str, other: str, step: str) -> None:
    assert steps(one, other, "WORK")["numbers"] == step
    assert steps(other, one, "WORK")["numbers"] == step


@pytest.mark.parametrize(
    ("one", "other", "step"),
    [
        ("Grace Hopper", "Hopper, Grace", "all words agree"),
        ("Grace Hopper", "G. Hopper", "all words agree, some as initials"),
        ("Bill Gates", "William Gates", "all words agree"),
        ("Hopper", "Grace Hopper", "one word, the other's last"),
        ("Grace", "Grace Hopper", "one word, the other's first or middle"),
        ("Grace Brewster Hopper", "Grace Hopper", "one has more words"),
        ("Wilbur Wright", "Orville Wright", "last agrees, first differs"),
        ("Kim Jong Il", "Kim Jong Un", "first agrees, last differs"),
        ("Sergey Ivanovich Lavrov", "Sergey Viktorovich Lavrov", "first and last agree, others differ"),
    ],
)
def test_persons(one: str, other: str, step: str) -> None:
    assert steps(one, other, "PERSON")["person"] == step
    assert steps(other, one, "PERSON")["person"] == step


@pytest.mark.parametrize(
    ("measure", "one", "other", "step"),
    [
        ("matched", "Bill Gates", "William Gates", "a nickname"),
        ("matched", "J. Watson", "John Watson", "an initial"),
        ("matched", "Anna Petrova", "Anna Petrowa", "one letter or vowels differ"),
        ("matched", "Muhammad Salman", "Mohammed Salman", "one letter or vowels differ"),
        ("matched", "Luís Monteiro", "Luís Montenegro", "several letters differ"),
        ("legal", "Open Joint Stock Company Kedr", "Kedr OAO", "the same"),
        ("legal", "ООО Кедр", "Общество с ограниченной ответственностью Кедр", "the same"),
        ("legal", "Acme Ltd", "Acme Limited", "the same"),
        ("legal", "Acme Ltd", "Acme GmbH", "differs"),
        ("legal", "Acme", "Acme GmbH", "one has none"),
        ("generation", "John Adams Jr.", "John Adams Sr.", "differs"),
        ("acronym", "IBM", "International Business Machines", "three letters"),
        ("exact", "MacAulay", "Mac Aulay", "equal but for blanks, titles and legal forms"),
        ("bracket", "Star City (mall)", "Star City (Seoul)", "differ"),
        ("codes", "Sony MT25-B1", "Sony MT25B1 black", "one in common"),
        ("order", "Washington University", "University of Washington", "none, in another order"),
    ],
)
def test_measures(measure: str, one: str, other: str, step: str) -> None:
    assert steps(one, other)[measure] == step
    assert steps(other, one)[measure] == step


def test_father_and_son_do_not_change_places() -> None:
    father = "all words agree, those around “son of” in another order"
    assert steps("Omar bin Hasan Rawi", "Hasan bin Omar Rawi", "PERSON")["person"] == father
    assert steps("Omar bin Hasan Rawi", "Rawi, Omar bin Hasan", "PERSON")["person"] == "all words agree"


def test_years_of_birth_are_read_from_descriptions() -> None:
    told = ["Engineer, born in 1901 in Leeds.", "Sculptor (born 1954)."]
    assert steps("John Miller", "John Miller", "PERSON", description=told)["born"] == "differ"


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text(alphabet="abcAB 12éß東★.-", max_size=12), min_size=2, max_size=8))
def test_measures_are_the_same_for_both_orders(names: list[str]) -> None:
    frame = pl.DataFrame({"entity_id": [f"{i:02d}" for i in range(len(names))], "name": names})
    prepared = prepare(records_of(frame))
    left, right = (side.astype(np.int32) for side in np.triu_indices(len(names), 1))
    one, two = pair_features(prepared, left, right), pair_features(prepared, right, left)
    assert one.values.keys() == two.values.keys()
    for name, value in one.values.items():
        np.testing.assert_allclose(value, two.values[name], atol=1e-5, err_msg=name)


def test_a_sentence_that_names_both_describes_neither() -> None:
    told = "The twins Tyler and Cameron Winklevoss sued him."
    names = ["Tyler Winklevoss", "Cameron Winklevoss", "Tyler Winkelvoss"]
    frame = pl.DataFrame({"entity_id": list("abc"), "name": names, "type": "PERSON", "description": told})
    other = pl.DataFrame({"entity_id": ["d"], "name": ["Ada"], "type": "PERSON", "description": ["She wrote notes."]})
    prepared = prepare(records_of(pl.concat([frame, other])))
    scored = score_pairs(prepared, np.array([0, 0], np.int32), np.array([1, 2], np.int32))
    together = next(i for i, m in enumerate(MEASURES) if m.name == "together")
    assert [MEASURES[together].steps[s] for s in scored.steps[:, together]] == ["once", "not known"]
    assert [LEVELS[s] for s in scored.levels[:, 0]] == ["missing", "same"]


def test_descriptions_are_weighed_by_how_they_behave_here() -> None:
    """Texts that only duplicates share say much; a text that all share says nothing."""
    names = [f"{word}{n}" for word in ("Alder", "Beech", "Cedar", "Damson", "Elm", "Fir") for n in ("", "s")]
    told = {"own": [f"tree number {i // 2} of the park" for i in range(12)], "all": ["a tree"] * 11 + ["a bush"]}
    odds = {}
    for kind, texts in told.items():
        frame = pl.DataFrame({"entity_id": [f"{i:02d}" for i in range(12)], "name": names, "description": texts})
        left, right = (side.astype(np.int32) for side in np.triu_indices(12, 1))
        scored = score_pairs(prepare(records_of(frame)), left, right)
        odds[kind] = scored.columns.weights[0]
    assert odds["own"][LEVELS.index("same_rare")] > 1
    assert odds["all"][LEVELS.index("same")] <= 0


def test_ranks_count_between_two_lists_alone() -> None:
    """Of one list twenty records may be one thing, and the last of them is as much the same as the first."""
    names = ["Acme Boats", "Acme Boat", "Acme Bots", "Acme Boats Ltd"]
    frame = pl.DataFrame({"entity_id": list("abcd"), "name": names, "source": list("xyyy")})
    left, right = np.array([0, 0, 0], np.int32), np.array([1, 2, 3], np.int32)
    worst = next(i for i, m in enumerate(MEASURES) if m.name == "rank_worst")
    one = score_pairs(prepare(records_of(frame)), left, right)
    two = score_pairs(prepare(records_of(frame), across="source"), left, right)
    assert one.steps[:, worst].tolist() == [0, 0, 0]
    assert len(set(two.steps[:, worst].tolist())) > 1


def column_levels(*cells: str | None) -> list[str]:
    filler = [f"x{i}y{i}" for i in range(30)]
    frame = pl.DataFrame(
        {"entity_id": [f"{i:02d}" for i in range(30 + len(cells))], "name": "n", "c": [*cells, *filler]}
    )
    column = columns_of(records_of(frame))[0]
    level, _ = compare(column, np.array([0], np.int32), np.array([1], np.int32))
    return [LEVELS[i] for i in level]


@pytest.mark.parametrize(
    ("one", "other", "level"),
    [
        ("12 Elm Street", "12 elm street", "same_rare"),
        ("12 Elm Street", "12 Elm Streat", "close"),
        ("12 Elm Street", "99 Oak Road", "differ"),
        ("12 Elm Street", None, "missing"),
        ("12 Elm Street", "", "missing"),
    ],
)
def test_levels_of_columns(one: str, other: str | None, level: str) -> None:
    assert column_levels(one, other) == [level]


def test_the_table_reads_what_it_writes() -> None:
    table = shipped_table()
    again = read_table(write_table(table, "two\nremarks"))
    assert again.start == pytest.approx(table.start, abs=1e-3)
    for one, two in zip(table.weights, again.weights, strict=True):
        np.testing.assert_allclose(one, two, atol=1e-3)


def test_weights_of_numbers_go_one_way_and_unknown_weighs_nothing() -> None:
    for measure, weights in zip(MEASURES, shipped_table().weights, strict=True):
        assert len(weights) == len(measure.steps)
        assert weights[0] == 0
        if measure.trend:
            assert (np.diff(weights[1:]) * measure.trend >= -1e-9).all(), measure.name


def test_unknown_numbers_are_step_nought() -> None:
    measure = next(m for m in MEASURES if m.name == "described")
    found = binned({"described": np.array([np.nan, 0.0, 1.0])}, (measure,))
    assert found[:, 0].tolist() == [0, 1, len(measure.edges) + 1]


@pytest.mark.parametrize(
    ("one", "other", "type_", "step"),
    [
        ("1 May 1964", "1 May", "DATE", "not the same, or one is less exact"),
        ("May 1949", "6 May 1949", "DATE", "not the same, or one is less exact"),
        ("1930", "1930s", "DATE", "not the same, or one is less exact"),
        ("early 1950", "1950", "DATE", "not the same, or one is less exact"),
        ("March 1972", "1972", None, "no values"),
        ("March 1972", "March 1973", None, "not the same, or one is less exact"),
        ("6 May 1949", "May 6th, 1949", "DATE", "the same"),
        ("6 May 1949", "6 May 1949", None, "the same"),
        ("Summer 1944", "summer of 1944", "DATE", "the same"),
        ("12 Sept 1990", "12 September 1990", "DATE", "the same"),
        ("1,000", "1000", "NUMBER", "the same"),
        ("1,000", "10,000", "QUANTITY", "not the same, or one is less exact"),
        ("Theresa May", "May", "PERSON", "no values"),
        ("Theresa May", "May", None, "no values"),
        ("Apollo 11", "Apollo 12", None, "no values"),
    ],
)
def test_dates_and_numbers_are_values(one: str, other: str, type_: str | None, step: str) -> None:
    assert steps(one, other, type_)["value"] == step


@pytest.mark.parametrize(
    ("one", "other", "step"),
    [
        ("Army", "United States Army", "before"),
        ("Burroughs", "Burroughs Adding Machine", "after"),
        ("British Association", "British Rubber Producers Association", "between"),
        ("computer program", "stored program computer", "on both sides, or moved"),
        ("Post Office", "Post Office Research Station", "after, and they name a part or an occasion"),
        ("Moore School", "Moore School Lectures", "after, and they name a part or an occasion"),
        ("Post Office", "Post Office", "none"),
        ("Post Office", "Patent Office", "each has some"),
    ],
)
def test_where_a_longer_name_has_its_further_words(one: str, other: str, step: str) -> None:
    assert steps(one, other, "ORGANISATION")["more"] == steps(other, one, "ORGANISATION")["more"] == step
    assert steps(one, other, "PERSON")["more"] == steps(one, other)["more"] == "none"


def test_one_neighbour_that_many_have_says_little() -> None:
    """Two towns that are known for nothing but their country, and two names that share a rare neighbour."""
    ids = [f"t{i:02d}" for i in range(30)]
    entities = pl.DataFrame(
        {"entity_id": [*ids, "x", "y"], "name": [*(f"Town {i}" for i in range(30)), "Land", "Mill"]}
    )
    ends = [(t, "x") for t in ids[:28]] + [(t, "y") for t in ids[28:]]
    relations = pl.DataFrame(ends, schema=["source_id", "target_id"], orient="row").with_columns(predicate=pl.lit("in"))
    prepared = prepare(records_of(Graph.from_frames(entities, relations)))
    near = pair_features(prepared, np.array([0, 28], np.int32), np.array([1, 29], np.int32)).values["neighbours"]
    assert 0 < near[0] < 0.05 < near[1] < 1


def test_every_step_of_every_measure_is_said_in_words() -> None:
    assert {m.name: len(m.steps) for m in MEASURES} == {name: len(texts) for name, texts in SAID.items()}
    assert all(text == text.strip() and text for texts in SAID.values() for text in texts)


def test_a_large_table_makes_no_word_more_telling() -> None:
    """What counts is how many have a word, not how small a share of a large table they are."""
    few = ["Calder Works", "Calder Mill", "Calder Yard"]

    def weight(n: int) -> float:
        frame = pl.DataFrame(
            {"entity_id": [f"{i:06}" for i in range(n)], "name": [*few, *(f"w{i}" for i in range(n - 3))]}
        )
        prepared = prepare(records_of(frame))
        return float(prepared.weight[prepared.words.index("calder")])

    assert weight(1_000) < weight(10_000) == weight(20_000)
