"""`propose_merges`: laws, look-alikes that must stay apart, decisions, and reasons that add up."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kgkit as kg
from kgkit.errors import InputError, OptionError
from kgkit.resolution import Merges

NEVER = Path(__file__).with_name("never.csv")
PEOPLE = [
    "Grace Hopper", "Hopper, Grace", "G. Hopper", "Rear Admiral Grace Hopper", "Alan Turing", "Alan M. Turing",
    "A. Turing", "Ada Lovelace", "Konrad Zuse", "Bill Gates", "William Gates", "Howard Aiken",
]  # fmt: skip


def people() -> pl.DataFrame:
    ids = [f"e{i:02d}" for i in range(len(PEOPLE))]
    return pl.DataFrame({"entity_id": ids, "name": PEOPLE, "type": ["PERSON"] * len(PEOPLE)})


def decision(left: str, right: str, verdict: str, at: int = 0) -> dict[str, Any]:
    return {
        "decision_id": f"d{at}",
        "kind": "merge",
        "subject_id": kg.resolution.merge_id([left, right]),
        "verdict": verdict,
        "payload": json.dumps({"entity_ids": [left, right]}),
        "reviewer": "Ada",
        "note": None,
        "decided_at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(minutes=at),
    }


def decisions(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema_overrides={"note": pl.String})


def pairs(merges: Merges) -> set[tuple[str, str]]:
    return set(merges.merges.select("left_id", "right_id").rows())


def test_variants_of_a_name_are_proposed() -> None:
    found = pairs(kg.propose_merges(people()))
    assert {("e00", "e01"), ("e04", "e05"), ("e09", "e10")} <= found
    assert not any({"e07", "e08", "e11"} & set(pair) for pair in found)


@pytest.mark.parametrize(
    ("one", "other", "type_"),
    [
        ("Grace Hopper", "G. Hopper", "PERSON"), ("Grace Hopper", "G. M. Hopper", "PERSON"),
        ("J.P. Eckert", "John Presper Eckert", "PERSON"), ("Hopper, G.", "Grace Hopper", "PERSON"),
        ("Grace Hopper", "Hopper", "PERSON"), ("Grace Hopper", "Grace Hoper", "PERSON"),
        ("Jean Jennings-Bartik", "Jean Jennings Bartik", "PERSON"), ("FTX", "FTX Trading Ltd", "ORGANISATION"),
        ("IBM", "International Business Machines", "ORGANISATION"), ("I.B.M.", "IBM", "ORGANISATION"),
        ("A.C.M.", "Association for Computing Machinery", "ORGANISATION"), ("새벽항", "새벽 항", "PLACE"),
    ],
)  # fmt: skip
def test_kinds_of_pairs_that_are_proposed(one: str, other: str, type_: str) -> None:
    for names in ([one, other], [other, one]):
        frame = pl.DataFrame({"entity_id": ["a", "b"], "name": names, "type": [type_] * 2})
        assert pairs(kg.propose_merges(frame)) == {("a", "b")}


def test_reasons_add_up_to_the_log_odds() -> None:
    frame = kg.propose_merges(people(), threshold=0.05).merges
    assert len(frame)
    for score, reasons in frame.select("score", "reasons").iter_rows():
        assert sum(r["weight"] for r in reasons) == pytest.approx(np.log(score / (1 - score)), abs=1e-6)


@settings(deadline=None, max_examples=8)
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(random: Any) -> None:
    order = list(range(len(PEOPLE)))
    random.shuffle(order)
    one, other = kg.propose_merges(people()), kg.propose_merges(people()[order])
    assert one.merges.equals(other.merges)
    assert one.groups.equals(other.groups)
    assert one.outcomes.equals(other.outcomes)


def test_every_entity_has_one_outcome() -> None:
    merges = kg.propose_merges(people())
    assert merges.counts["in"] == len(PEOPLE)
    assert sum(merges.counts[s] for s in ("ok", "empty", "failed", "skipped")) == len(PEOPLE)


def test_nothing_in_nothing_out() -> None:
    merges = kg.propose_merges(people().head(0))
    assert merges.merges.schema == kg.tables.get("merges").schema
    assert merges.groups.schema == kg.tables.get("groups").schema
    assert merges.counts["in"] == 0


def test_pandas_in_pandas_out() -> None:
    import pandas as pd

    merges = kg.propose_merges(people().to_pandas())
    assert isinstance(merges.merges, pd.DataFrame)
    assert isinstance(merges.next_questions(2), pd.DataFrame)


def test_a_rejected_pair_does_not_come_back() -> None:
    frame = people()
    no = decisions(decision("e01", "e00", "rejected"))
    longer = frame.with_columns(description=pl.lit("She wrote the first compiler."))
    more = pl.concat([frame, pl.DataFrame({"entity_id": ["e99"], "name": ["Grace Hopper Park"], "type": ["PLACE"]})])
    for again in (frame, longer, more, frame.reverse()):
        merges = kg.propose_merges(again, decisions=no)
        assert ("e00", "e01") not in pairs(merges)
        assert not any({"e00", "e01"} <= set(m) for m in merges.groups["members"].to_list())


def test_an_undone_rejection_may_come_back() -> None:
    no = decision("e04", "e05", "rejected")
    undo = decision("e04", "e05", "undone", at=1) | {"payload": json.dumps({"decision_id": no["decision_id"]})}
    assert ("e04", "e05") not in pairs(kg.propose_merges(people(), decisions=decisions(no)))
    assert ("e04", "e05") in pairs(kg.propose_merges(people(), decisions=decisions(no, undo)))


def test_an_accepted_pair_is_in_one_group_and_not_asked_again() -> None:
    merges = kg.propose_merges(people(), decisions=decisions(decision("e07", "e08", "accepted")))
    assert any({"e07", "e08"} <= set(m) for m in merges.groups["members"].to_list())
    assert ("e07", "e08") not in pairs(merges)


def test_questions_are_open_and_rescoring_changes_nothing_else() -> None:
    first = kg.propose_merges(people())
    before = first.merges.clone()
    asked = first.next_questions(4)
    rows = [decision(a, b, "rejected", i) for i, (a, b) in enumerate(asked.select("left_id", "right_id").rows())]
    second = first.rescore(decisions(*rows))
    again = second.next_questions(4, decisions=decisions(*rows))
    assert not set(asked["merge_id"]) & set(again["merge_id"])
    assert not set(asked["merge_id"]) & set(second.merges["merge_id"])
    assert first.merges.equals(before)


def test_merges_without_candidates_say_so() -> None:
    merges = kg.propose_merges(people())
    bare = Merges(merges=merges.merges, groups=merges.groups, outcomes=merges.outcomes)
    with pytest.raises(InputError, match="call propose_merges again"):
        bare.rescore(decisions(decision("e00", "e01", "rejected")))


@pytest.mark.parametrize("options", [{"threshold": 0}, {"automatic": 1.5}, {"per_record": 0}, {"across": "list"}])
def test_options_out_of_range(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(options))):
        kg.propose_merges(people(), **options)


def test_two_lists_are_paired_across_only() -> None:
    frame = people().with_columns(source=pl.Series(["a", "b"] * (len(PEOPLE) // 2)))
    source = dict(frame.select("entity_id", "source").iter_rows())
    assert all(source[a] != source[b] for a, b in pairs(kg.propose_merges(frame, across="source")))


def never() -> pl.DataFrame:
    return pl.read_csv(NEVER, infer_schema=False)


def never_frame() -> pl.DataFrame:
    table = never().with_row_index("row")

    def side(name: str) -> pl.DataFrame:
        return table.select(
            pl.format(f"{name[0]}{{}}", pl.col("row")).alias("entity_id"),
            pl.col(name).alias("name"),
            pl.col(f"{name}_type").alias("type"),
            pl.col(f"{name}_description").replace("", None).alias("description"),
        )

    return pl.concat([side("left"), side("right")])


@pytest.mark.parametrize("alone", [False, True], ids=["all in one table", "each by itself"])
def test_look_alikes_are_never_of_automatic_strength(alone: bool) -> None:
    table, frame = never(), never_frame()
    assert len(table) >= 200
    if alone:
        kinds = table["why"].unique(maintain_order=True).to_list()
        rows = {k: table.with_row_index().filter(pl.col("why") == k)["index"].to_list()[:6] for k in kinds}
        parts = [frame[[i, i + len(table)]] for chosen in rows.values() for i in chosen]
    else:
        parts = [frame]
    for part in parts:
        merges = kg.propose_merges(part)
        wanted = {f"l{i}": f"r{i}" for i in range(len(table))}
        strong = [(a, b) for a, b in merges.automatic.select("left_id", "right_id").rows() if wanted.get(a) == b]
        assert not strong


def test_equal_names_of_different_types_are_never_automatic(shared: Path) -> None:
    entities = json.loads((shared / "cases" / "entities_homograph.json").read_text("utf-8"))["entities"]
    frame = pl.DataFrame([{"entity_id": f"e{i}", **e} for i, e in enumerate(entities)])
    merges = kg.propose_merges(frame)
    assert not len(merges.automatic)
    assert merges.counts["in"] == 4


def test_a_chain_of_near_matches_does_not_join_its_ends(shared: Path) -> None:
    names = json.loads((shared / "cases" / "pairs_chain.json").read_text("utf-8"))["names"]
    frame = pl.DataFrame({"entity_id": [f"e{i}" for i in range(len(names))], "name": names})
    merges = kg.propose_merges(frame)
    assert not len(merges.automatic)
    for members, weakest in merges.groups.select("members", "weakest_score").iter_rows():
        assert not {"e0", "e5"} <= set(members)
        assert weakest is not None


def test_other_scripts_are_names_too(shared: Path) -> None:
    frame = pl.read_csv(shared / "cases" / "entities_mixed_script.csv").with_row_index("i")
    frame = frame.select(pl.format("e{}", pl.col("i")).alias("entity_id"), "name", "type")
    merges = kg.propose_merges(frame)
    name = dict(frame.select("entity_id", "name").iter_rows())
    assert {"새벽항", "새벽 항"} in [{name[a], name[b]} for a, b in pairs(merges)]
    strong = [{name[a], name[b]} for a, b in merges.automatic.select("left_id", "right_id").rows()]
    assert strong in ([], [{"새벽항", "새벽 항"}])


def test_answers_move_scores() -> None:
    names = [f"Pump {c}{i} of station {w}" for i in range(12) for c in "AB" for w in ("North", "South")]
    frame = pl.DataFrame({"entity_id": [f"e{i:03d}" for i in range(len(names))], "name": names})
    first = kg.propose_merges(frame, threshold=0.02)
    asked = first.next_questions(12)
    rows = [
        decision(a, b, "accepted" if i % 3 == 0 else "rejected", i)
        for i, (a, b) in enumerate(asked.select("left_id", "right_id").rows())
    ]
    second = first.rescore(decisions(*rows))
    assert "answers" in second.merges["method"][0]
    for score, reasons in second.merges.select("score", "reasons").iter_rows():
        assert sum(r["weight"] for r in reasons) == pytest.approx(np.log(score / (1 - score)), abs=1e-6)


@pytest.mark.parametrize(
    ("one", "other", "type_"),
    [
        ("1 May 1964", "1 May", "DATE"), ("17 November 1951", "November 1951", "DATE"), ("1940", "1940s", "DATE"),
        ("William King", "William Bartik", "PERSON"), ("Jean Bartik", "William Bartik", "PERSON"),
        ("computer program", "stored-program computer", "CONCEPT"),
        ("British Association", "British Rubber Producers' Research Association", "ORGANISATION"),
        ("Royal Air Force", "Royal Canadian Air Force", "ORGANISATION"),
        ("Moore School", "Moore School Lectures", "ORGANISATION"), ("Lumen", "Lumen Division", "ORGANISATION"),
        ("Grace Hopper", "Alan Turing", "PERSON"), ("Grace Hopper", "A. Hopper", "PERSON"), ("C", "C#", "PRODUCT"),
        ("IBM 701", "IBM 704", "PRODUCT"), ("UNIVAC I", "UNIVAC II", "PRODUCT"), ("C#", "C++", "PRODUCT"),
        ("★", "♠", "PRODUCT"), ("Северная Верфь", "Южная Верфь", "ORGANISATION"),
        ("United States Army", "United States Navy", "ORGANISATION"), ("fast drum store", "fast core store", "CONCEPT"),
    ],
)  # fmt: skip
def test_kinds_of_pairs_that_are_no_proposal(one: str, other: str, type_: str) -> None:
    frame = pl.DataFrame({"entity_id": ["a", "b"], "name": [one, other], "type": [type_] * 2})
    assert not len(kg.propose_merges(frame).merges)
