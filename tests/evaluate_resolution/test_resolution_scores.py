"""Scores of groups, candidates and scores against gold."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import kgkit as kg
from kgkit.errors import InputError, OptionError, SchemaError
from kgkit.evaluate.intervals import wilson


def grouped(labels: list[Any]) -> pl.DataFrame:
    return pl.DataFrame({"entity_id": [f"e{i}" for i in range(len(labels))], "cluster": [str(x) for x in labels]})


LABELS = st.integers(1, 12).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)))
)


@settings(deadline=None, max_examples=150)
@given(LABELS)
def test_scores_are_those_of_the_definitions(labels: tuple[list[int], list[int]]) -> None:
    found, gold = labels
    rows = {row["measure"]: row for row in kg.evaluate.resolution(grouped(found), grouped(gold)).scores.to_dicts()}
    pairs = list(combinations(range(len(gold)), 2))
    ours, theirs = ({p for p in pairs if x[p[0]] == x[p[1]]} for x in (found, gold))
    pairwise = rows["pairwise"]
    assert (pairwise["n_gold"], pairwise["n_found"], pairwise["n_right"]) == (
        len(theirs),
        len(ours),
        len(ours & theirs),
    )
    if ours and theirs:
        assert pairwise["f1"] == pytest.approx(2 * len(ours & theirs) / (len(ours) + len(theirs)))
    mine = [{j for j in range(len(gold)) if found[j] == found[i]} for i in range(len(gold))]
    true = [{j for j in range(len(gold)) if gold[j] == gold[i]} for i in range(len(gold))]
    both = list(zip(mine, true, strict=True))
    assert rows["bcubed"]["precision"] == pytest.approx(sum(len(a & b) / len(a) for a, b in both) / len(gold))
    assert rows["bcubed"]["recall"] == pytest.approx(sum(len(a & b) / len(b) for a, b in both) / len(gold))
    exact = {frozenset(a) for a, b in both if a == b and len(a) > 1}
    assert rows["groups"]["n_right"] == len(exact)


def test_entities_only_the_gold_has_are_alone_and_others_are_not_judged() -> None:
    found = pl.DataFrame({"entity_id": ["a", "b", "x", "y"], "canonical_id": ["a", "a", "x", "x"]})
    gold = pl.DataFrame({"entity_id": ["a", "b", "c"], "gold_id": ["1", "1", "1"]})
    row = kg.evaluate.resolution(found, gold).scores.row(0, named=True)
    assert (row["n_gold"], row["n_found"], row["n_right"], row["precision"]) == (3, 1, 1.0, 1.0)


def test_candidates_are_counted_once_whatever_their_direction() -> None:
    gold = grouped([0, 0, 0, 1])
    rows = [
        ("e0", "e1", "tfidf"),
        ("e1", "e0", "keys"),
        ("e0", "e3", "keys"),
        ("e0", "e0", "keys"),
        ("e0", "zz", "keys"),
    ]
    pairs = pl.DataFrame(rows, schema=["left_id", "right_id", "method"], orient="row")
    found = kg.evaluate.resolution(gold, gold, pairs=pairs).candidates
    assert found.select("method", "n_pairs", "n_right").rows() == [("all", 2, 1), ("keys", 2, 1), ("tfidf", 1, 1)]
    assert found["recall"][0] == pytest.approx(1 / 3)
    assert found["pairs_per_entity"][0] == 0.5


def test_calibrated_scores_lie_on_the_diagonal() -> None:
    draw = random.Random(0)
    rows = []
    for i in range(4000):
        score = draw.random()
        rows.append((f"l{i}", f"r{i}", score, draw.random() < score))
    pairs = pl.DataFrame(rows, schema=["left_id", "right_id", "score", "same"], orient="row")
    gold = pl.concat(
        [
            pairs.select(entity_id="left_id", cluster="left_id"),
            pairs.select(entity_id="right_id", cluster=pl.when("same").then("left_id").otherwise("right_id")),
        ]
    )
    curve = kg.evaluate.reliability(pairs, gold)
    assert curve["n"].sum() == 4000
    assert ((curve["mean_score"] >= curve["low"] - 0.02) & (curve["mean_score"] <= curve["high"] + 0.02)).all()
    assert_frame_equal(kg.evaluate.reliability(pairs[::-1], gold), curve)
    result = kg.evaluate.resolution(gold, gold, pairs=pairs)
    assert_frame_equal(result.reliability, curve)
    assert "<svg" in result._repr_html_()


def test_the_cost_of_review_is_the_median_over_runs() -> None:
    runs = [
        (0, 0, 0.5),
        (0, 50, 0.9),
        (0, 100, 0.95),
        (1, 0, 0.5),
        (1, 50, 0.7),
        (1, 100, 0.91),
        (2, 0, 0.4),
        (2, 100, 0.8),
    ]
    curve = pl.DataFrame(runs, schema=["run", "n_answers", "f1"], orient="row")
    rows = kg.evaluate.review_cost(curve, targets=[0.5, 0.9, 0.99]).rows()
    assert rows == [(0.5, 3, 3, 0.0, 0, 100), (0.9, 3, 2, 100.0, 50, 100), (0.99, 3, 0, None, None, None)]


def test_an_entity_in_two_groups_and_missing_columns_are_refused() -> None:
    gold = pl.DataFrame({"entity_id": ["a", "a"], "cluster": ["1", "2"]})
    with pytest.raises(SchemaError, match="'a' in two groups"):
        kg.evaluate.resolution(gold, gold)
    with pytest.raises(SchemaError, match="column with the group"):
        kg.evaluate.resolution(gold.select("entity_id"), grouped([0]))
    with pytest.raises(SchemaError, match="'score'"):
        kg.evaluate.reliability(pl.DataFrame({"left_id": ["a"], "right_id": ["b"]}), grouped([1, 1]))


def test_frames_come_back_as_they_came() -> None:
    gold = grouped([0, 0, 1]).to_pandas()
    found = kg.evaluate.resolution(gold, gold)
    assert isinstance(found.scores, pd.DataFrame) and isinstance(found.candidates, pd.DataFrame)
    assert found.scores["f1"].tolist() == [1.0, 1.0, 1.0]


def test_a_picture_has_no_script_and_escapes_names(tmp_path: Any) -> None:
    picture = kg.evaluate.plot_lines({"<b>": [(0, 0.1), (10, 0.9, 0.8, 1.0)]}, title="a < b", across="x", up="y")
    assert "<b>" not in picture and "&lt;b&gt;" in picture and "<script" not in picture
    path = picture.save(tmp_path / "p.svg")
    assert path.read_text("utf-8") == picture


def scored(n: int, seed: int) -> pl.DataFrame:
    draw = random.Random(seed)
    scores = [draw.betavariate(0.3, 1.2) for _ in range(n)]
    truth = [draw.random() < s for s in scores]
    ids = {"left_id": [f"l{i:05}" for i in range(n)], "right_id": [f"r{i:05}" for i in range(n)]}
    return pl.DataFrame(ids | {"score": scores, "truth": truth})


def test_a_sample_stands_for_all_pairs_and_its_intervals_hold_the_truth() -> None:
    hits = []
    for seed in range(40):
        pairs = scored(3000, seed)
        sample = kg.evaluate.sample_pairs(pairs, n=150, seed=seed)
        pairs = pairs.filter(pl.col("score") >= 0.01)  # the others are not drawn
        assert sample["stands_for"].sum() == pytest.approx(pairs.height)
        assert sample.height == 150
        labelled = sample.with_columns(label="truth")
        rows = {r["measure"]: r for r in kg.evaluate.estimate_resolution(labelled).to_dicts()}
        accepted = pairs.filter(pl.col("score") >= 0.5)
        precision = accepted["truth"].mean()
        recall = accepted["truth"].sum() / pairs["truth"].sum()
        hits += [
            r["low"] <= true <= r["high"] for r, true in ((rows["precision"], precision), (rows["recall"], recall))
        ]
        told = [rows[name] for name in ("precision", "recall", "f1", "matches")]
        assert all(r["low"] <= r["estimate"] <= r["high"] for r in told)
    assert sum(hits) >= 0.85 * len(hits)


def test_the_draw_does_not_depend_on_the_order_of_rows() -> None:
    pairs = scored(200, 1)
    assert_frame_equal(kg.evaluate.sample_pairs(pairs, n=30), kg.evaluate.sample_pairs(pairs[::-1], n=30))


def test_a_sample_of_everything_is_exact() -> None:
    pairs = scored(50, 2)
    sample = kg.evaluate.sample_pairs(pairs, n=999).with_columns(label="truth")
    row = kg.evaluate.estimate_resolution(sample).row(0, named=True)
    accepted = pairs.filter(pl.col("score") >= 0.5)
    assert row["estimate"] == pytest.approx(accepted["truth"].mean())
    assert row["low"] == row["high"] == pytest.approx(row["estimate"])


def test_a_sample_without_labels_is_refused() -> None:
    with pytest.raises(InputError, match="No pair of the sample has a label"):
        kg.evaluate.estimate_resolution(kg.evaluate.sample_pairs(scored(20, 3)))
    with pytest.raises(InputError, match="1 or more"):
        kg.evaluate.sample_pairs(scored(20, 3), n=0)
    assert kg.evaluate.sample_pairs(scored(20, 3).clear()).height == 0


def test_wilson_intervals_stay_within_bounds() -> None:
    assert wilson(0, 0) == (None, None)
    assert wilson(0, 5)[0] == 0.0 and wilson(5, 5)[1] == pytest.approx(1.0)


PEOPLE = [
    ("a", "Grace Hopper", 1), ("b", "Hopper, Grace", 1), ("c", "Grace B. Hopper", 1), ("d", "Alan Turing", 2),
    ("e", "A. Turing", 2), ("f", "Ada Lovelace", 3), ("g", "Ada Lovelock", 4), ("h", "Alan Touring", 5),
]  # fmt: skip


def people(backend: str) -> tuple[Any, Any]:
    frame = pl.DataFrame(PEOPLE, schema=["entity_id", "name", "cluster"], orient="row")
    records = frame.select("entity_id", "name", type=pl.lit("PERSON"))
    given = records.to_pandas() if backend == "pandas" else records
    return kg.propose_merges(given), frame.select("entity_id", "cluster")


@pytest.mark.parametrize("backend", ["polars", "pandas"])
def test_what_propose_merges_gives_is_scored_as_it_is(backend: str) -> None:
    merges, gold = people(backend)
    result = kg.evaluate.resolution(merges, gold, pairs=merges)
    assert isinstance(result.scores, pd.DataFrame) == (backend == "pandas")
    flat = pl.DataFrame(merges.groups).explode("members").select(entity_id="members", cluster_id="group_id")
    assert_frame_equal(pl.DataFrame(result.scores), kg.evaluate.resolution(flat, gold).scores)
    known = {row["method"]: row for row in pl.DataFrame(result.candidates).to_dicts()}
    assert known["all"]["n_pairs"] == len(merges.scored) > known["proposed"]["n_pairs"] == len(merges.merges)
    counted = pl.DataFrame(result.reliability)
    assert counted["n"].sum() == len(merges.scored)
    assert counted["n"][:5].sum() > 0, "candidates below the threshold count too"


def test_scores_of_proposals_are_those_that_were_shown_and_decided_pairs_have_none() -> None:
    merges, gold = people("polars")
    left, right = merges.merges.row(0)[1:3]
    decisions = pl.DataFrame(
        {"decision_id": ["d1"], "kind": ["merge"], "subject_id": merges.merges["merge_id"][:1], "verdict": ["accepted"],
         "payload": [f'{{"entity_ids": ["{left}", "{right}"], "apart": []}}'], "reviewer": ["me"], "note": [None],
         "decided_at": [datetime(2026, 1, 1, tzinfo=UTC)]},
        schema_overrides={"note": pl.String},
    )  # fmt: skip
    again = merges.rescore(decisions)
    assert kg.evaluate.reliability(again, gold)["n"].sum() == len(merges.scored) - 1
    assert kg.evaluate.resolution(again, gold, pairs=again).candidates["n_pairs"][0] == len(merges.scored)
    drawn = kg.evaluate.sample_pairs(again, n=999, least=0.0)
    shown = again.merges.select("left_id", "right_id", "score")
    assert shown.join(drawn, on=["left_id", "right_id", "score"]).height == shown.height
    names = dict(row[:2] for row in PEOPLE)
    assert all(
        names[r["left_id"]] == r["left_name"] and names[r["right_id"]] == r["right_name"] for r in drawn.to_dicts()
    )


def test_proposals_alone_tell_nothing_of_recall() -> None:
    pairs = scored(300, 4).filter(pl.col("score") >= 0.5)
    rows = kg.evaluate.estimate_resolution(kg.evaluate.sample_pairs(pairs, n=40).with_columns(label="truth"))
    rows = {r["measure"]: r for r in rows.to_dicts()}
    assert rows["recall"]["estimate"] is rows["recall"]["high"] is rows["f1"]["low"] is None
    assert rows["precision"]["low"] < rows["precision"]["estimate"]


def test_labels_may_be_words_of_a_spreadsheet() -> None:
    sample = kg.evaluate.sample_pairs(scored(200, 5), n=50)
    said = sample.with_columns(label="truth")
    words = said.with_columns(label=pl.col("label").replace_strict({True: "TRUE", False: "no"}, return_dtype=pl.String))
    assert_frame_equal(kg.evaluate.estimate_resolution(words), kg.evaluate.estimate_resolution(said))
    with pytest.raises(InputError, match="'perhaps' is no label"):
        kg.evaluate.estimate_resolution(words.with_columns(label=pl.lit("perhaps")))
    with pytest.raises(InputError, match="least=0.9"):
        kg.evaluate.sample_pairs(said, least=0.9)


def test_ids_may_be_numbers() -> None:
    gold = pd.DataFrame({"entity_id": [1, 2, 3], "cluster": [1, 1, 2]})
    pairs = pd.DataFrame({"left_id": [1, 1], "right_id": [2, 3], "score": [0.9, 0.4]})
    found = kg.evaluate.resolution(gold, gold, pairs=pairs)
    assert found.candidates["n_right"].tolist() == [1]


@pytest.mark.parametrize("backend", ["polars", "pandas"])
def test_a_simulated_review_ends_at_the_gold(backend: str) -> None:
    merges, gold = people(backend)
    everything = len(merges.scored)
    curve = kg.evaluate.review_curve(merges, gold, budgets=[everything, 0, 2], step=3, seeds=[0, 1])
    assert isinstance(curve, pd.DataFrame) == (backend == "pandas")
    rows = pl.DataFrame(curve)
    assert rows["n_answers"].to_list() == [0, 2, everything] * 2
    assert rows.filter(pl.col("n_answers") == everything)["f1"].to_list() == [1.0, 1.0]
    first = kg.evaluate.resolution(merges, gold).scores
    assert rows["f1"][0] == pl.DataFrame(first)["f1"][0]
    assert len(merges.scored) == everything and merges.scored.learned is None, "what came in stays as it is"
    assert kg.evaluate.review_cost(curve, targets=[1.0])["n_reached"].to_list() == [2]


def test_in_random_order_only_what_is_proposed_is_asked() -> None:
    merges, gold = people("polars")
    curve = kg.evaluate.review_curve(merges, gold, budgets=[0, 1, 500], order="random")
    assert curve["n_answers"][1] == 1
    assert len(merges.merges) <= curve["n_answers"][2] < len(merges.scored)
    both = pl.concat([curve, kg.evaluate.review_curve(merges, gold, budgets=[0, 4])])
    picture = kg.evaluate.plot_review(both)
    assert ">random<" in picture and ">teach<" in picture


def test_reviews_that_cannot_be_simulated_are_refused() -> None:
    merges, gold = people("polars")
    with pytest.raises(OptionError, match="'alphabetical'"):
        kg.evaluate.review_curve(merges, gold, order="alphabetical")
    with pytest.raises(OptionError, match="step=0"):
        kg.evaluate.review_curve(merges, gold, step=0)
    with pytest.raises(InputError, match="hold none"):
        kg.evaluate.review_curve(replace(merges, scored=None), gold)


def test_an_interval_holds_its_estimate_where_all_labels_are_right() -> None:
    drawn = {"stratum": [0, 0, 1, 1], "stratum_size": [900, 900, 90, 90], "accepted": [False, False, True, True]}
    sample = pl.DataFrame(drawn | {"label": [False, False, True, True]})
    rows = kg.evaluate.estimate_resolution(sample).filter(~pl.col("measure").str.starts_with("stratum"))
    assert rows["estimate"].to_list() == [1.0, 1.0, 1.0, 90.0]
    assert ((rows["low"] < rows["estimate"]) | (rows["measure"] == "matches")).all()
    assert (rows["high"] >= rows["estimate"]).all()
