"""find_candidates: which names meet."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kgkit.errors import InputError, OptionError, SchemaError
from kgkit.resolution.candidates import SOURCES, Candidates, find_candidates

FILLER = ["Ada Lovelace", "Alan Turing", "Katherine Johnson", "Donald Knuth", "Edsger Dijkstra", "Barbara Liskov"]


def frame(names: list[str], **columns: list) -> pl.DataFrame:
    return pl.DataFrame({"entity_id": [f"e{i:05}" for i in range(len(names))], "name": names, **columns})


def pairs(found: Candidates) -> set[tuple[int, int]]:
    return set(zip(found.left.tolist(), found.right.tolist(), strict=True))


def sources_of(found: Candidates, left: int, right: int) -> set[str]:
    at = np.flatnonzero((found.left == left) & (found.right == right))
    assert len(at) == 1
    return {s for s in SOURCES if found.found_by(s)[at[0]]}


@pytest.mark.parametrize(
    ("one", "other", "source"),
    [
        ("Grace Hopper", "GRACE HOPPER", "same_name"),
        ("Grace Hopper", "Hopper, Grace", "same_name"),
        ("Acme Robotics Inc.", "Acme Robotics GmbH", "same_name"),
        ("Prof. Grace Hopper", "Grace Hopper", "same_name"),
        ("José Müller", "Jose Muller", "same_name"),
        ("Petro Micro", "Petromicro", "same_name"),
        ("Grace Hopper", "G. Hopper", "initials"),
        ("J.K. Rowling", "Joanne Rowling", "initials"),
        ("Grace Hoper", "Grace Hopper", "corrected"),
        ("Bill Hewlett", "William Hewlett", "nickname"),
        ("International Business Machines", "IBM", "acronym"),
        ("Bank of America Corp.", "B.O.A.", "acronym"),
        ("Dr. Hopper", "Grace Hopper", "words"),
        ("Vauxhall Intl Systems", "Vauxhall International", "prefix"),
        ("Владимир Путин", "Vladimir Putin", "alias"),
        ("東浜巨", "東浜 巨", "same_name"),
        ("東京都立大学", "東京大学", "words"),
        ("Nvidia", "Nvidda", "spelling"),
    ],
)
def test_two_names_of_one_thing_meet(one: str, other: str, source: str) -> None:
    found = find_candidates(frame([one, other, *FILLER]))
    assert source in sources_of(found, 0, 1)


def test_a_rare_misspelling_is_read_as_the_frequent_word() -> None:
    names = [f"{given} Gutierrez" for given in ("Ana", "Luis", "Maria", "Pedro", "Kirk", "Rosa")]
    found = find_candidates(frame([*names, "Kirk Guiterrez"]))
    assert "corrected" in sources_of(found, 4, 6)


def test_aliases_are_names() -> None:
    people = frame(["Samuel Clemens", "Mark Twain", *FILLER], aliases=[["Mark Twain"], [], *[[]] * len(FILLER)])
    assert sources_of(find_candidates(people), 0, 1) >= {"alias"}


def test_equal_names_meet_across_types_and_others_do_not() -> None:
    names = ["Hopper", "Hopper", "Hoppers"]
    types = ["PERSON", "PRODUCT", "PRODUCT"]
    assert pairs(find_candidates(frame(names, type=types))) == {(0, 1), (1, 2)}
    assert pairs(find_candidates(frame(names, type=types), across_types=True)) == {(0, 1), (0, 2), (1, 2)}


def test_records_without_a_type_meet_all() -> None:
    found = find_candidates(frame(["Grace Hopper", "G. Hopper", "Hopper G"], type=["PERSON", None, "PLACE"]))
    assert {(0, 1), (1, 2)} <= pairs(found)
    assert (0, 2) not in pairs(found)


def test_across_pairs_only_different_values() -> None:
    names = ["Grace Hopper", "Grace Hopper", "G. Hopper", "Grace Hopper"]
    table = frame(names, source=["a", "a", "b", None])
    assert pairs(find_candidates(table, across="source")) == {(0, 2), (1, 2), (0, 3), (1, 3), (2, 3)}


def test_further_columns_find_what_names_do_not() -> None:
    phones = ["310 246-1501", "818 762-1221", "212 555-0100", "212 555-0101", "212 555-0102", "310 246-1501"]
    found = find_candidates(frame(["Chez Panisse", *FILLER[:4], "The Waterside Inn"], phone=phones))
    assert "columns" in sources_of(found, 0, 5)


def test_a_column_divides_a_large_block() -> None:
    n = 300
    rng = np.random.default_rng(3)
    given = ["".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), 7)) for _ in range(n)]
    names = ["Smith", *[f"{g} Smith" for g in given]]
    town = ["York", *[f"town{i % 100}" for i in range(n)]]
    town[200] = "York"
    found = find_candidates(frame(names, town=town), per_record=3)
    assert "words" in sources_of(found, 0, 200)


def test_shared_neighbours_find_what_spelling_does_not() -> None:
    from kgkit.graph import Graph

    names = ["Mark Twain", "Samuel Clemens", "Huckleberry Finn", "Hannibal", "Olivia Langdon", "Jane Doe"]
    ends = [(0, 2), (1, 2), (0, 3), (1, 3), (0, 4), (1, 4), (5, 3)]
    relations = pl.DataFrame({"source_id": [f"e{a:05}" for a, _ in ends], "target_id": [f"e{b:05}" for _, b in ends]})
    found = find_candidates(Graph.from_frames(frame(names), relations))
    assert sources_of(found, 0, 1) == {"neighbours"}


def test_vectors_find_what_spelling_does_not() -> None:
    rng = np.random.default_rng(7)
    vectors = rng.normal(size=(len(FILLER), 16))
    vectors[4] = vectors[1] + 0.01
    assert "vectors" in sources_of(find_candidates(frame(FILLER), vectors=vectors), 1, 4)


def test_the_report_adds_up() -> None:
    found = find_candidates(frame(["Grace Hopper", "G. Hopper", "Hopper", "Grace Hoper", *FILLER]))
    assert found.report["source"].to_list() == list(SOURCES)
    assert found.report["n_new"].sum() == len(found)
    assert (found.report["n_pairs"] <= found.report["n_found"]).all()
    assert (found.report["n_new"] <= found.report["n_pairs"]).all()


def test_large_blocks_are_walked_and_reported() -> None:
    names = [f"{chr(97 + i % 26)}{chr(97 + i // 26)}{i:04} Smith" for i in range(200)]
    found = find_candidates(frame(names))
    words = found.report.filter(pl.col("source") == "words")
    assert words["n_cut"].item() == 1
    assert words["n_records_cut"].item() == 200
    assert "more than" in words["why"].item()


@pytest.mark.parametrize("names", [[], ["Ada"]])
def test_nothing_to_pair(names: list[str]) -> None:
    empty = pl.DataFrame({"entity_id": names, "name": names}, schema={"entity_id": pl.String, "name": pl.String})
    found = find_candidates(empty)
    assert len(found) == 0
    assert (found.left.dtype, found.sources.dtype, found.strength.dtype) == (np.int32, np.uint16, np.float32)


def test_what_is_wrong_is_said() -> None:
    table = frame(FILLER)
    with pytest.raises(OptionError, match="per_record=0 is out of range"):
        find_candidates(table, per_record=0)
    with pytest.raises(OptionError, match="across='nowhere' is not known"):
        find_candidates(table, across="nowhere")
    with pytest.raises(InputError, match="one row for each of the 6 records"):
        find_candidates(table, vectors=np.zeros((2, 3)))
    with pytest.raises(InputError, match="row 2 .* is not"):
        find_candidates(table, vectors=np.where(np.arange(6)[:, None] == 2, np.nan, 1.0))
    with pytest.raises(SchemaError, match="name"):
        find_candidates(pl.DataFrame({"entity_id": ["a"]}))
