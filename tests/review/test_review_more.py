"""Groups, many at once, spreadsheets, several reviewers, learning, and what is no merge."""

from __future__ import annotations

import inspect
from pathlib import Path

import polars as pl
import pytest
from desk_data import NAMES, TEXTS, Groups, documents, graph, item, many, merged, pairs, review

import kgkit as kg
from kgkit import tables
from kgkit.errors import InputError
from kgkit.reviewing import Review, agreement
from kgkit.reviewing.kinds import merges
from kgkit.reviewing.learning import changed, stops_helping
from kgkit.reviewing.options import DEFAULTS

# Cards


def test_quotes_are_verbatim_and_marked() -> None:
    side = review().item(item("e1", "e2"))["sides"][0]
    assert len(side["quotes"]) == 3 and side["n_quotes"] == 3
    for quote in side["quotes"]:
        text = TEXTS[quote["doc_id"]]
        assert text[quote["start"] : quote["end"]] == quote["text"]
        assert [quote["text"][a:b] for a, b in quote["marks"]] == ["Grace Hopper"]


def test_without_documents_quotes_are_sentences_of_statements() -> None:
    texts = [q["text"] for q in review(documents=None).item(item("e1", "e2"))["sides"][0]["quotes"]]
    assert texts == ["Grace Hopper and Ada Lovelace never met.", "The Mark I was run by Grace Hopper.", "Grace Hopper"]


def test_differences_common_neighbours_and_what_speaks_against() -> None:
    desk = review(pairs([("e1", "e2", 0.9), ("e7", "e8", 0.3), ("e1", "e3", 0.2), ("e1", "e6", 0.1)]))
    card = desk.item(item("e1", "e2"))
    assert card["sides"][0]["parts"] == [["Grace", True], [" Hopper", False]]
    assert [n["name"] for n in card["sides"][0]["neighbours"]] == ["Mark I", "Ada Lovelace"]
    assert card["against"] == []
    together = desk.item(item("e1", "e3"))
    assert together["against"] == ["both are named in one sentence"]
    assert together["between"][0]["text"] == "Grace Hopper and Ada Lovelace never met."
    assert desk.item(item("e1", "e6"))["against"] == ["types differ: CONCEPT, PERSON"]


def test_years_of_birth_and_numbers_speak_against() -> None:
    rows = [("a", "Ann Li (b. 1912)", "born 1912 in Bath"), ("b", "Ann Li", "born 1950")]
    people = pl.DataFrame(rows, schema=["entity_id", "name", "description"], orient="row")
    desk = Review(pairs([("a", "b", 0.9)]), people, reviewer="Ada")
    assert desk.next()["against"] == ["years of birth differ: 1912, 1950"]


def test_a_passage_of_a_document_is_its_text() -> None:
    quote = review().item(item("e1", "e2"))["sides"][1]["quotes"][0]
    found = review()._cards.words.passage(quote["doc_id"], quote["start"], quote["end"])
    assert found["before"] + found["quote"] + found["after"] == TEXTS["d2"]


# Groups


class Everybody:
    """All eight entities, proposed as one."""

    row = {"group_id": "g", "members": sorted(NAMES), "n_members": 8, "n_pairs": 28, "n_scored": 1}  # noqa: RUF012
    row |= {"mean_score": 0.6, "weakest_score": 0.3, "weakest_left_id": "e7", "weakest_right_id": "e8"}
    frames = {"merges": pairs(), "groups": tables.from_rows("groups", [row])}  # noqa: RUF012


def test_all_members_of_a_group_are_looked_for_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = review(Everybody())
    card = desk.item(item(*NAMES))
    assert "Grace Hopper and Mark I are named in one sentence" in card["against"]
    assert card["n_between"] >= len(card["between"]) > 0
    assert not any("only the first" in text for text in card["against"])
    monkeypatch.setattr(merges, "_COMPARED", 6)
    told = desk.item(item(*NAMES))["against"]
    assert "only the first 6 of the 8 were looked for in one sentence" in told
    assert "Grace Hopper and Mark I are named in one sentence" not in told


def test_of_a_group_some_are_one_and_the_rest_is_apart() -> None:
    desk = review(Groups())
    assert desk.queue.height == 3
    card = desk.item(item("e3", "e4", "e5"))
    assert card["question"] == "Which of these are one?" and card["weakest"] == ["A. Lovelace", "Lovelace"]
    desk.decide(card["item_id"], "accepted", members=["e3", "e4"], name="Ada King")
    named = {side["entity_id"]: side["name"] for side in card["sides"]}
    told = [one["label"] for one in desk.recent() if one["verdict"] == "accepted"]
    assert told == [f"{named['e3']} = {named['e4']}"]
    assert desk.status_of(card["item_id"]) == "accepted"
    assert merged(desk) | {"e5": "e5", "e4": "e3"} == merged(desk)
    desk.decide(card["item_id"], "accepted")
    assert merged(desk)["e5"] == "e3" and desk.conflicts.is_empty()
    desk.undo()
    desk.decide(card["item_id"], "rejected")
    assert merged(desk)["e4"] == "e4"


def test_what_a_decision_on_a_group_leaves_open_is_asked_in_pairs() -> None:
    people = pl.DataFrame({"entity_id": list("abcd"), "name": ["Al", "Bo", "Cy", "Di"]})
    row = {"group_id": "g", "members": list("abcd"), "n_members": 4, "n_pairs": 6, "n_scored": 3, "mean_score": 0.7}
    row |= {"weakest_score": 0.6, "weakest_left_id": "b", "weakest_right_id": "c"}

    class Four:
        frames = {  # noqa: RUF012
            "merges": pairs([("a", "b", 0.9), ("b", "c", 0.6), ("c", "d", 0.8)]),
            "groups": tables.from_rows("groups", [row]),
        }

    desk = Review(Four(), people, reviewer="Ada")
    whole, rest = item("a", "b", "c", "d"), item("c", "d")
    assert desk.upcoming(9) == [whole] and desk.next()["weakest_score"] == 0.6
    desk.decide(whole, "accepted", members=["a", "b"])
    assert desk.upcoming(9) == [rest]
    desk.decide(rest, "skipped")
    desk.undo()
    desk.decide(rest, "accepted")
    assert desk.next() is None and desk.progress.total == 2 and desk.conflicts.is_empty()
    again = Review(Four(), people, reviewer="Ada", decisions=desk.decisions)
    assert again.next() is None and again.status_of(rest) == "accepted"
    desk.undo(2)
    assert desk.upcoming(9) == [whole]
    desk.decide(whole, "rejected")
    assert desk.next() is None and desk.progress.total == 1


def test_groups_can_be_asked_pair_by_pair() -> None:
    assert review(Groups(), groups=False).queue.height == 5


def test_a_large_group_is_named_by_some_of_its_members() -> None:
    ids = [f"x{i:02}" for i in range(40)]
    people = pl.DataFrame({"entity_id": ids, "name": [f"X {i}" for i in ids]})
    row = {"group_id": "g", "members": ids, "n_members": 40, "n_pairs": 780, "n_scored": 0, "mean_score": 0.7}

    class Large:
        frames = {"merges": pairs([]), "groups": tables.from_rows("groups", [row])}  # noqa: RUF012

    desk = Review(Large(), people, reviewer="Ada")
    assert desk.queue["name"][0].endswith("X x05 = 34 more") and len(desk.next()["sides"]) == 40
    desk.decide(desk.next()["item_id"], "accepted", members=ids[:30])
    assert len(desk._state.members["x00"]) == 30 and desk.next() is None


# Many at once


def test_a_preview_tells_what_would_join_and_undo_is_one_step() -> None:
    desk = review(order="score")
    desk.decide(item("e3", "e5"), "rejected")
    seen = desk.preview("accepted", at=0.5)
    assert (seen.n, seen.barred, seen.n_joins) == (2, 1, 2)
    assert seen.weakest["score"].to_list() == [0.8, 0.9]
    assert sorted(seen.joins["names"].to_list()) == [["Ada Lovelace", "A. Lovelace"], ["Grace Hopper", "G. Hopper"]]
    assert desk.decisions.height == 1
    done = desk.decide_all("accepted", at=0.5)
    assert (done.n, done.barred) == (2, 1) and desk.conflicts.is_empty()
    assert len(desk.undo()) == 2 and desk.progress.decided == 1
    assert desk.decide_all("rejected", at=0.3).n == 1
    assert desk.status_of(item("e7", "e8")) == "rejected"


def test_a_policy_signs_as_a_rule_and_can_be_undone() -> None:
    desk = review()
    assert desk.apply_policy("sure enough", 0.8).n == 2
    said = desk.decisions
    assert said["reviewer"].unique().to_list() == ["rule: sure enough"]
    assert said["note"].unique().to_list() == ["accepted at 0.8 and above"]
    assert desk.expected_errors().filter(pl.col("by") == "rule")["expected_errors"].round(3).to_list() == [0.3]
    assert len(desk.undo()) == 2 and desk.progress.decided == 0


# Spreadsheets


def edit(path: Path, **verdicts: str) -> None:
    frame = pl.read_csv(path, infer_schema=False)
    filled = pl.col("item_id").replace_strict(verdicts, default=pl.col("verdict"), return_dtype=pl.String)
    frame.with_columns(verdict=filled).write_csv(path, include_bom=True)


def test_a_sheet_goes_out_and_comes_back(tmp_path: Path) -> None:
    desk = review()
    path = desk.to_csv(tmp_path / "q.csv")
    desk.decide(item("e3", "e4"), "rejected")
    edit(path, **{item("e1", "e2"): "yes", item("e3", "e4"): "accepted", item("e7", "e8"): "perhaps"})
    found = {r["item_id"]: r["result"] for r in desk.from_csv(path).to_dicts()}
    assert found[item("e1", "e2")] == "recorded" and found[item("e3", "e4")] == "conflict"
    assert found[item("e7", "e8")] == "bad_verdict" and found[item("e4", "e5")] == "unchanged"
    assert desk.status_of(item("e3", "e4")) == "rejected"
    n = desk.decisions.height
    assert desk.from_csv(path)["result"].value_counts().filter(pl.col("result") == "recorded").is_empty()
    assert desk.decisions.height == n


def test_a_sheet_runs_no_formula_and_keeps_names(tmp_path: Path) -> None:
    names = ["=1+1", "+x", "-x", "@x", "\t=x", "'=x", "＝x", "-12.5"]
    people = pl.DataFrame({"entity_id": [f"p{i}" for i in range(8)], "name": names})
    desk = Review(people.with_columns(score=0.5), people, reviewer="Ada")
    path = desk.to_csv(tmp_path / "q.csv")
    cells = pl.read_csv(path, infer_schema=False, columns=["name", "score"])
    assert all(c.startswith("'") for c in cells["name"]) and cells["score"].unique().to_list() == ["0.5"]
    frame = pl.read_csv(path, infer_schema=False).with_columns(
        pl.lit("y").alias("verdict"), pl.col("name").str.split(" · ").list.first().alias("new_name")
    )
    frame.write_csv(path)
    assert set(desk.from_csv(path)["result"]) == {"recorded"}
    kept = [eval(p)["name"] for p in desk.decisions["payload"]]
    assert sorted(kept) == sorted(n.strip() for n in names)


@pytest.mark.parametrize(("text", "words"), [("a,b\n1,2\n", "no column 'item_id'"), (b"\xff\xfe\x00", "not UTF-8")])
def test_a_sheet_that_is_none_is_refused(tmp_path: Path, text: str | bytes, words: str) -> None:
    (tmp_path / "x.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=words):
        review().from_csv(tmp_path / "x.csv")


# Several reviewers


def test_agreement_is_cohens_kappa() -> None:
    first = review(reviewer="Bo", order="score")
    for verdict in ("accepted", "accepted", "rejected"):
        first.decide(first.next()["item_id"], verdict)
    desk = review(decisions=first.decisions, second_opinion=1.0, order="score")
    assert desk.progress.left == 4  # one follows from what was said about two others
    for verdict in ("accepted", "rejected", "rejected"):
        desk.decide(desk.next()["item_id"], verdict)
    found = agreement(desk.decisions)
    assert found.pairs.row(0) == ("Ada", "Bo", 3, 2, pytest.approx(2 / 3), pytest.approx(0.4))
    assert found.disagreements["item_id"].unique().to_list() == [item("e3", "e4")]
    assert found.disagreements["verdict"].to_list() == ["rejected", "accepted"]


def test_blind_hides_scores_reasons_and_what_others_said() -> None:
    first = review(reviewer="Bo")
    first.decide(item("e1", "e2"), "accepted")
    desk = review(decisions=first.decisions, blind=True)
    card = desk.item(item("e1", "e2"))
    assert (card["score"], card["reasons"], card["decision"]) == (None, [], None)
    assert desk.queue["score"].null_count() == 5


# Relations and entities


def test_relations_are_corrected_and_lose_single_pieces_of_evidence() -> None:
    desk = Review(graph().relations, graph(), documents=documents(), reviewer="Ada")
    card = desk.item("r1")
    assert card["label"] == "G. Hopper · lead · COBOL"
    assert card["quotes"][0]["text"] == TEXTS["d2"][card["quotes"][0]["start"] : card["quotes"][0]["end"]]
    desk.decide("r1", "accepted", predicate="direct", reverse=True)
    desk.decide("r0", "rejected", statement_ids=["s0"])
    desk.decide("r2", "accepted", polarity="negated")
    after = kg.apply_decisions(graph(), desk.decisions).relations
    assert sorted(after.select("source_id", "predicate", "target_id", "polarity").rows()) == [
        ("e3", "know", "e1", "negated"),
        ("e6", "direct", "e2", "positive"),
    ]
    with pytest.raises(InputError, match="polarity must be one of"):
        desk.decide("r0", "accepted", polarity="maybe")


def test_entities_get_types_and_names_and_are_split() -> None:
    desk = Review(graph().entities, graph(), documents=documents(), reviewer="Ada")
    card = desk.item("e1")
    assert [d["source"] for d in card["documents"]] == ["d1.txt", "d2.txt"]
    desk.decide("e6", "accepted", type="LANGUAGE")
    parts = [{"name": "Grace Hopper (the other)", "doc_ids": ["d2"]}]
    seen = desk.preview_split("e1", parts)
    assert seen.relations.select("part", "source", "predicate", "target", "statement_ids").rows() == [
        (0, "Grace Hopper", "run", "Mark I", ["s0"]),
        (1, "Ada Lovelace", "know", "Grace Hopper (the other)", ["s2"]),
    ]
    assert desk.status_of("e1") == "undecided"
    desk.decide("e1", "accepted", parts=parts)
    after = kg.apply_decisions(graph(), desk.decisions)
    assert after.entities.height == 9 and desk.status_of("e1") == "accepted"
    desk.undo()
    assert kg.apply_decisions(graph(), desk.decisions).entities.height == 8
    with pytest.raises(InputError, match="cannot be done"):
        desk.preview_split("e1", [{"name": "x", "doc_ids": ["d9"]}])


# Learning


def test_answers_train_the_matcher_and_it_says_what_changed() -> None:
    people, merges = many()
    desk = Review(merges, people, reviewer="Ada")
    assert desk.order == "teach" and desk.helps
    asked = desk.upcoming(10)
    assert asked == merges.next_questions(10)["merge_id"].to_list()
    for one in asked:
        left, right = (desk.item(one)["sides"][k]["entity_id"] for k in (0, 1))
        desk.decide(one, "accepted" if left[1:] == right[1:] else "rejected")
    thread = desk.rescore_later()
    thread.join()
    change = desk.changes[-1]
    assert change.n_answers == 10 and change.n_moved + change.n_gone > 0 and "rescore" not in desk.errors
    again = desk.upcoming(10)
    assert again and not set(again) & set(asked)
    assert set(asked) <= set(desk.queue["item_id"].to_list())
    assert desk.decisions.height == 10


def test_no_sticks_when_proposing_again() -> None:
    people, merges = many()
    desk = Review(merges, people, reviewer="Ada")
    left, right = merges.merges.select("left_id", "right_id").row(0)
    desk.decide(item(left, right), "rejected", note="two people")
    longer = pl.when(pl.col("entity_id") == left).then(pl.lit("a long story")).alias("description")
    more = pl.DataFrame({"entity_id": ["z"], "name": ["Zed"], "type": ["PERSON"]})
    for frame in (pl.concat([people, more]), people.with_columns(longer), people.reverse()):
        again = Review(kg.propose_merges(frame, threshold=0.3), frame, decisions=desk.decisions, order="score")
        assert again.status_of(item(left, right)) == "rejected" if item(left, right) in again._stands else True
        known = kg.propose_merges(frame, decisions=desk.decisions, threshold=0.3)
        assert (left, right) not in known.merges.select("left_id", "right_id").rows()
        assert all({left, right} - set(m) for m in known.groups["members"].to_list())


def test_merges_beside_others_learn_too() -> None:
    people, merges = many()
    desk = Review([people, merges], people, reviewer="Ada")
    assert desk.learns and desk.order == "teach"
    first = desk.next()
    assert first is not None and first["kind"] == "merge"
    desk.decide(first["item_id"], "accepted")
    assert desk.rescore().n_answers == 1 and set(desk.queue["kind"]) == {"merge", "type"}


def test_frames_cannot_be_scored_anew() -> None:
    with pytest.raises(InputError, match=r"kg\.propose_merges"):
        review().rescore()
    assert not review().learns


def test_what_learning_changed_is_told_of_open_proposals_and_it_says_when_answers_stop_helping() -> None:
    old = {("a", "b"): 0.9, ("c", "d"): 0.6, ("e", "f"): 0.5, ("g", "h"): 0.4}
    new = {("a", "b"): 0.9, ("c", "d"): 0.8, ("g", "h"): 0.45, ("i", "j"): 0.7, ("k", "l"): 0.7}
    answered = {("a", "b"), ("k", "l")}  # the second one while scores were made
    change = changed(old, new, settled=lambda *pair: pair in answered, n_answers=10)
    assert (change.n_open, change.n_new, change.n_gone, change.n_moved) == (3, 1, 1, 1)
    assert (change.errors_before, change.errors_after) == (pytest.approx(1.5), pytest.approx(1.05))
    said = "After 10 answers: 1 new, 1 no longer proposed, 1 moved by a tenth or more; 3 proposals are open."
    assert str(change) == said and change.movers[0][0] == ("c", "d")
    calm = changed(old, old, settled=lambda *pair: False, n_answers=30)
    assert not stops_helping([calm]) and stops_helping([change, calm, calm]) and not stops_helping([calm, change])
    assert str(calm) == "After 30 answers: nothing changed; 4 proposals are open."


def test_a_review_says_in_words_whether_more_answers_help() -> None:
    people, merges = many()
    desk = Review(merges, people, reviewer="Ada")
    assert desk.state()["advice"].startswith("Of the") and desk.state()["change"] is None
    for _ in range(3):
        desk.decide_many({"item_id": i, "verdict": "rejected"} for i in desk.upcoming(10))
        desk.rescore()
    state = desk.state()
    assert state["change"] == str(desk.changes[-1]) and "among 30 rejected by people" in state["advice"]
    assert state["helps"] != ("hardly change" in state["advice"])
    assert {r["by"] for r in state["expected_errors"]} >= {"person"}


def test_options_are_declared_once_and_shown_everywhere() -> None:
    panel, engine = (inspect.signature(f).parameters for f in (kg.review, Review))
    assert set(DEFAULTS) <= set(panel) and set(DEFAULTS) <= set(engine)
    assert {n for n in DEFAULTS if panel[n].default != engine[n].default} == {"learn"}
    assert all(f"    {name}: " in (inspect.getdoc(kg.review) or "") for name in DEFAULTS)
    with pytest.raises(InputError, match="option='lern' is not known. Allowed: 'decisions'"):
        review(lern=True)
