"""Decisions are appended, once, and never lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import kgkit as kg
from kgkit.errors import InputError, OptionError, ProjectError
from kgkit.resolution.decisions import merge_id


@pytest.fixture
def project(tmp_path: Path) -> kg.Project:
    return kg.Project(tmp_path / "p.kg")


def test_a_decision_is_a_row(project: kg.Project) -> None:
    done = project.decide("merge", "m1", "accepted", payload={"name": "Ada Łovelace"}, reviewer="ann", note="same date")
    row = kg.Project(project.path).decisions().row(0, named=True)
    assert done.status == "recorded" and row["decision_id"] == done.decision_id
    assert row["payload"] == '{"name": "Ada Łovelace"}'
    assert (row["kind"], row["subject_id"], row["verdict"]) == ("merge", "m1", "accepted")
    assert (row["reviewer"], row["note"]) == ("ann", "same date")
    assert project.decisions().equals(project.table("decisions"))


def test_the_same_decision_twice_is_already_applied(project: kg.Project) -> None:
    first = project.decide("merge", "m1", "accepted", reviewer="ann")
    again = project.decide("merge", "m1", "accepted", reviewer="ann")
    assert (again.decision_id, again.status) == (first.decision_id, "already applied")
    saved = project.decisions()
    for row in [*saved.iter_rows(named=True), *saved.iter_rows(named=True)]:  # a saved file, applied twice
        done = project.decide(row["kind"], row["subject_id"], row["verdict"], reviewer=row["reviewer"])
        assert done.status == "already applied"
    assert project.decisions().equals(saved)


def test_what_differs_is_another_decision(project: kg.Project) -> None:
    said = [
        ("m1", "accepted", {}, "ann", None),
        ("m1", "accepted", {}, "ben", None),  # a second opinion
        ("m1", "accepted", {}, "ann", "saw the register"),  # a reason
        ("m1", "accepted", {"name": "Ada"}, "ann", None),
        ("m1", "rejected", {}, "ben", None),
        ("m1", "accepted", {}, "ann", None),  # again, for ben said otherwise
        ("m2", "accepted", {}, "ann", None),
    ]
    for subject, verdict, payload, reviewer, note in said:
        done = project.decide("merge", subject, verdict, payload=payload, reviewer=reviewer, note=note)
        assert done.status == "recorded"
    assert project.decide("merge", "m2", "accepted", reviewer="ann").status == "already applied"
    assert project.decide("split", "m2", "accepted", reviewer="ann").status == "recorded"
    assert project.decisions().height == len(said) + 1
    assert project.decisions()["decision_id"].is_unique().all()


def test_undo_is_one_more_row(project: kg.Project) -> None:
    done = project.decide("merge", "m1", "accepted")
    undone = project.undo(done.decision_id, note="wrong pair")
    assert project.undo(done.decision_id).status == "already applied"
    rows = project.decisions()
    assert rows["verdict"].to_list() == ["accepted", "undone"]
    assert rows["payload"][1] == f'{{"decision_id": "{done.decision_id}"}}'
    assert undone.decision_id != done.decision_id
    assert project.decide("merge", "m1", "accepted").status == "recorded"
    with pytest.raises(InputError, match="no decision 'decision_x'"):
        project.undo("decision_x")


def test_what_cannot_be_a_decision_is_refused(project: kg.Project) -> None:
    with pytest.raises(OptionError, match="verdict='yes' is not known. Allowed: 'accepted'"):
        project.decide("merge", "m1", "yes")
    with pytest.raises(OptionError, match="kind='merg' is not known"):
        project.decide("merg", "m1", "accepted")
    with pytest.raises(InputError, match="subject_id='' must be text"):
        project.decide("merge", "", "accepted")
    with pytest.raises(InputError, match="payload must be a mapping"):
        project.decide("merge", "m1", "accepted", payload={"x": object()})
    assert project.decisions().height == 0


def test_a_merge_is_told_by_its_entities(project: kg.Project) -> None:
    done = project.decide("merge", ["e2", "e1"], "accepted", reviewer="ann")
    assert project.decide("merge", ["e1", "e2"], "accepted", reviewer="ann").decision_id == done.decision_id
    row = project.decisions().row(0, named=True)
    assert row["subject_id"] == merge_id(["e1", "e2"]) and row["payload"] == '{"entity_ids": ["e1", "e2"]}'
    for kind, ids in (("merge", ["e1", "e1"]), ("type", ["e1", "e2"]), ("merge", [])):
        with pytest.raises(InputError, match="two or more different entity_ids"):
            project.decide(kind, ids, "accepted")


def test_rows_are_never_changed(project: kg.Project) -> None:
    project.decide("merge", "m1", "accepted")
    with pytest.raises(ProjectError, match="never changed or removed"), project._keeper.ledger.writing() as db:
        db.execute("DELETE FROM decisions")
    with pytest.raises(ProjectError, match="never changed or removed"), project._keeper.ledger.writing() as db:
        db.execute("UPDATE decisions SET verdict = 'rejected'")
    assert project.decisions()["verdict"].to_list() == ["accepted"]


def test_an_error_in_a_transaction_keeps_nothing(project: kg.Project) -> None:
    with pytest.raises(ZeroDivisionError), project._keeper.ledger.writing() as db:
        db.execute("INSERT INTO about VALUES ('x', 'y')")
        raise ZeroDivisionError
    with project._keeper.ledger.reading() as db:
        assert db.execute("SELECT count(*) FROM about WHERE key = 'x'").fetchone() == (0,)


def many(n: int) -> list[dict[str, object]]:
    return [{"kind": "merge", "subject_id": f"m{i}", "verdict": "accepted", "payload": {"n": i}} for i in range(n)]


def test_many_decisions_are_kept_together_and_once(project: kg.Project) -> None:
    done = project.decide_many([*many(3), {"kind": "type", "subject_id": "e1", "verdict": "skipped", "note": "later"}])
    assert [d.status for d in done] == ["recorded"] * 4 and project.decide_many([]) == []
    rows = project.decisions()
    assert rows["decision_id"].to_list() == [d.decision_id for d in done]
    assert rows["decided_at"].is_sorted() and rows["decided_at"].n_unique() == 4
    again = project.decide_many([*many(3), *many(1), {**many(1)[0], "reviewer": "bo"}])
    assert [d.status for d in again] == ["already applied"] * 4 + ["recorded"]
    assert again[0] == again[3] == replace(done[0], status="already applied")
    assert [d.decided_at for d in done] == rows["decided_at"].to_list()
    twice = project.decide_many([{**many(1)[0], "verdict": v, "reviewer": "bo"} for v in ("rejected", "rejected")])
    assert [d.status for d in twice] == ["recorded", "already applied"] and project.decisions().height == 6


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"verdict": "yes"}, "Decision 3: verdict='yes' is not known"),
        ({"subject_id": ["e1"]}, "Decision 3: A decision is on one id"),
        ({"payload": {"x": float("nan")}}, "Decision 3: payload must be"),
        ({"Verdict": "accepted"}, "Decision 3: key='Verdict' is not known. Allowed: 'kind'"),
    ],
)
def test_of_many_decisions_a_bad_one_keeps_none(project: kg.Project, bad: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        project.decide_many([*many(2), many(3)[2] | bad, *many(1)])
    with pytest.raises(InputError, match="Decision 1: verdict is missing"):
        project.decide_many([{"kind": "merge", "subject_id": "m"}])
    with pytest.raises(InputError, match="Decision 1: 'merge' is no mapping"):
        project.decide_many(["merge"])  # type: ignore[list-item]
    assert project.decisions().is_empty()


def test_of_many_decisions_a_failing_store_keeps_none(project: kg.Project) -> None:
    with project._keeper.ledger.writing() as db:
        db.execute(
            "CREATE TRIGGER full BEFORE INSERT ON decisions WHEN NEW.subject_id = 'm7' "
            "BEGIN SELECT RAISE(ABORT, 'no room'); END"
        )
    with pytest.raises(ProjectError, match="no room"):
        project.decide_many(many(9))
    assert project.decisions().is_empty()
    assert len(project.decide_many(many(7))) == 7
