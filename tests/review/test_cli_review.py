"""``kgkit review`` on a real project, answered through its standard input."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from desk_data import Broken, Groups, graph, item, merged, pairs, review

import kgkit as kg
from kgkit.cli import main
from kgkit.cli_asking import ask_all
from kgkit.reviewing import Review

TEXT = """Grace Hopper worked at Remington Rand. Grace Hopper led the team that wrote COBOL.

Alan Turing worked at Bletchley Park. Later Alan M. Turing moved to Manchester.
"""
MORE = "Grace Murray Hopper joined Remington Rand. Dr. Alan Turing wrote to Bletchley Park.\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("cli")
    (base / "docs").mkdir()
    (base / "docs" / "one.txt").write_text(TEXT, encoding="utf-8")
    (base / "docs" / "two.txt").write_text(MORE, encoding="utf-8")
    made = kg.Project(base / "p.kg")
    made.read(base / "docs")
    made.chunk()
    made.extract(workers=1)
    made.build()
    return base / "p.kg"


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], said: str, *options: str) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO(said))
    assert main(["review", *options]) == 0
    return capsys.readouterr().out


def test_a_session(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    first = run(monkeypatch, capsys, "what\no\ny same woman\nu\nn two of them\nq\n", str(project), "--reviewer", "Ada")
    assert "Are these one?" in first and "taken back" in first and ">>>" in first and "keys" in first
    decisions = kg.Project(project).decisions()
    assert decisions["verdict"].to_list() == ["accepted", "undone", "rejected"]
    assert decisions["note"].to_list() == ["same woman", None, "two of them"]
    again = run(monkeypatch, capsys, "y\n" * 9, str(project), "--reviewer", "Ada", "--order", "score")
    assert "\n2 of 2 decided, 50% accepted" in again and "Errors to expect" in again
    assert kg.Project(project).decisions().height > 3


def test_a_sheet(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "queue.csv"
    assert "written to" in run(monkeypatch, capsys, "", str(project), "--csv", str(sheet))
    assert sheet.read_text("utf-8-sig").startswith("item_id,kind,name")
    told = run(monkeypatch, capsys, "", str(project), "--from-csv", str(sheet))
    assert "unchanged" in told or "no rows" in told


def test_where_there_is_no_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(tmp_path / "none.kg")]) == 1
    assert "kgkit:" in capsys.readouterr().err


def answer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], desk: Review, *said: str) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in said)))
    ask_all(desk)
    return capsys.readouterr().out


def test_members_are_unticked_and_a_name_is_typed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = review(Groups(), order="group")
    out = answer(monkeypatch, capsys, desk, "3 1", "1", "9", "name Ada King", "type POET", "turn", "y the poet", "q")
    assert "[x] 1 Ada Lovelace" in out and "[ ] 3 Lovelace" in out and "There is no number 9" in out
    assert "CHOSEN: name: Ada King; type: POET" in out and "This item has no reverse" in out
    row = desk.decisions.row(0, named=True)
    assert row["note"] == "the poet" and '"apart": ["e5"]' in row["payload"] and "Ada King" in row["payload"]
    assert merged(desk)["e4"] == "e3" and merged(desk)["e5"] == "e5"
    again = answer(monkeypatch, capsys, review(pairs(), order="score"), "2", "name 2", "y", "r", "u 7", "u 1", "q")
    assert "Only members of a group" in again and "CHOSEN: name: G. Hopper" in again
    assert "accepted  Grace Hopper = G. Hopper (Ada)" in again and "no recent decision 7" in again


def test_a_relation_is_corrected_and_loses_sentences(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = Review(graph().relations, graph(), reviewer="Ada", order="group")
    said = [
        "say direct",
        "turn",
        "polarity negated",
        "name x",
        "y",
        "turn",
        "turn",
        "polarity maybe",
        "y",
        "polarity",
        "n",
    ]
    out = answer(monkeypatch, capsys, desk, *said)
    assert "CHOSEN: says: direct; turned round: True; polarity: negated" in out and "This item has no name" in out
    assert "NOT KEPT: This decision cannot be used: polarity must be one of" in out
    assert desk.decisions["verdict"].to_list() == ["accepted", "rejected"]


def test_contradictions_are_shown_and_settled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = review()
    for ids, verdict in ((("e3", "e5"), "rejected"), (("e3", "e4"), "accepted"), (("e4", "e5"), "accepted")):
        desk.decide(item(*ids), verdict)
    out = answer(monkeypatch, capsys, desk, "c", "x", "c", "1", "c", "q")
    assert "1  rejected by Ada: Ada Lovelace = Lovelace" in out and "no answers contradict" in out
    assert desk.conflicts.is_empty()


def test_orders_filters_and_disagreements(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    first = review(reviewer="Bo")
    first.decide(item("e1", "e2"), "accepted", note="same A-0")
    second = review(reviewer="Cy", decisions=first.decisions)
    second.decide(item("e1", "e2"), "rejected")
    desk = review(decisions=second.decisions)
    said = ["order best", "order score", "only type=MACHINE", "only low=x", "only", "d", "y", "d", "q"]
    out = answer(monkeypatch, capsys, desk, *said)
    assert "order='best' is not known" in out and "Mark I  [MACHINE" in out and "could not convert" in out
    assert "Bo says: accepted; same A-0" in out and "Cy says: rejected" in out
    assert out.count("no disagreements are left") == 2 and desk.status_of(item("e1", "e2")) == "accepted"


def test_nothing_is_lost_at_the_end_of_the_input_on_ctrl_c_or_with_a_failing_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Broken(kg.Project(tmp_path / "p.kg"))
    desk = review(project=store, order="score")
    out = answer(monkeypatch, capsys, desk, "y", "u", "?")
    assert "NOT KEPT: the ledger is read-only" in out and "NOT KEPT before" in out and desk.progress.decided == 0
    store.broken, said = False, iter(["y", "n"])

    def typed(_: str) -> str:
        for line in said:
            return line
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", typed)
    ask_all(desk)
    assert "2 of 5 decided" in capsys.readouterr().out and store.decisions().height == 2


def test_without_a_terminal_and_without_answers_it_says_so(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kg.Project(project).decisions()
    for stdin in (io.StringIO(""), None):
        monkeypatch.setattr("sys.stdin", stdin)
        assert main(["review", str(project), "--about", "entities"]) == 1
        assert "There is nobody to ask" in capsys.readouterr().err
