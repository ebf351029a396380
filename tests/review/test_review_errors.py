"""Whether the errors that a review expects are about as many as there are, on public sets with gold answers."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest

import kgkit as kg
from kgkit.reviewing import Review

_FACTOR = 4
_SHARE = 0.1  # of the items, by which small numbers may differ


def read(folder: Path) -> tuple[pl.DataFrame, dict[str, str]]:
    records = pl.read_csv(folder / "records.csv", infer_schema=False).rename({"id": "entity_id"})
    clusters = pl.read_csv(folder / "clusters.csv", infer_schema=False)
    return records.with_columns(pl.col("name").fill_null("")), dict(clusters.select("id", "cluster_id").iter_rows())


@pytest.mark.parametrize(("name", "dropped"), [("fodors_zagat", {"type": "cuisine"}), ("abt_buy", {})])
def test_expected_errors_are_of_the_right_size(shared: Path, name: str, dropped: dict[str, str]) -> None:
    records, clusters = read(shared / "data" / "er" / name)
    merges = kg.propose_merges(records.rename(dropped), across="source", threshold=0.1)
    desk = Review(merges, records, groups=False, reviewer="gold", order="teach")
    rng = random.Random(0)

    def is_wrong(item: str, verdict: str) -> bool:
        left, right = desk._entries[item].members
        return (clusters[left] == clusters[right]) != (verdict == "accepted")

    slips = 0
    for _ in range(5):  # fifty answers, one in twenty wrong
        for item in desk.upcoming(10):
            truth = "rejected" if is_wrong(item, "accepted") else "accepted"
            slip = rng.random() < 0.05
            slips += slip
            desk.decide(item, {"accepted": "rejected", "rejected": "accepted"}[truth] if slip else truth)
        desk.rescore()
    assert desk.changes[-1].n_answers == 50 and desk.state()["change"].startswith("After 50 answers")
    desk.apply_policy("sure", 0.9)
    actual, items = {"person": 0, "scores": 0}, {"person": 0, "scores": 0}
    for item in desk._active:
        stand, score = desk._stands[item], desk._entries[item].score
        verdict = stand.status if stand.status != "undecided" else "accepted" if score >= 0.5 else "rejected"
        by_scores = stand.status == "undecided" or (stand.decision and "rule" in stand.decision.payload)
        by = "scores" if by_scores else "person"
        items[by] += 1
        actual[by] += is_wrong(item, verdict)
    found = dict(desk.expected_errors(slip=0.05).group_by("by").agg(pl.col("expected_errors").sum()).iter_rows())
    expected = {"person": found["person"], "scores": found.get("rule", 0.0) + found.get("left", 0.0)}
    assert slips > 0
    for by, n in actual.items():
        least, most = sorted((n, expected[by]))
        assert most - least <= _SHARE * items[by] or most <= _FACTOR * least, (by, actual, expected)
