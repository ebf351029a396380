"""What the browser side may ask of the panel, and what is left of it in a saved notebook; no browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from desk_data import Broken, documents, graph, item, pairs

import kgkit as kg
from kgkit.notebook.review import ReviewPanel


class Told(list[dict[str, Any]]):
    """Messages sent to the browser."""

    def __call__(self, content: dict[str, Any], **_: Any) -> None:
        self.append(content)


def open_panel(monkeypatch: pytest.MonkeyPatch, proposals: Any = None, **options: Any) -> tuple[ReviewPanel, Told]:
    options = {"reviewer": "Ada", "documents": documents(), "order": "score", **options}
    panel, told = kg.review(pairs() if proposals is None else proposals, graph(), **options), Told()
    monkeypatch.setattr(panel, "send", told)
    return panel, told


def say(panel: ReviewPanel, do: str, token: str = "t", **message: Any) -> None:
    panel._handle_custom_msg({"do": do, "token": token, **message}, [])


def test_the_state_holds_ids_ahead_and_few_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    panel, _ = open_panel(monkeypatch)
    assert panel._shown["ids"] == panel.upcoming(60) and len(panel._shown["cards"]) == 4
    assert panel._shown["said"] == "0 of 5 decided"
    panel.decide(panel.next()["item_id"], "accepted")
    assert panel._shown["ids"] == panel.upcoming(60) and panel._shown["progress"]["accepted"] == 1
    assert [d["label"] for d in panel._shown["recent"]] == ["Grace Hopper = G. Hopper"]


def test_a_decision_is_kept_before_it_is_answered_and_a_replay_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    panel, told = open_panel(monkeypatch)
    pair, kept_when_told = item("e1", "e2"), []
    monkeypatch.setattr(panel, "send", lambda content: kept_when_told.append((panel.decisions.height, content)))
    for _ in range(2):
        say(panel, "decide", item_id=pair, verdict="accepted", name="Amazing Grace")
    assert [(n, m["status"]) for n, m in kept_when_told] == [(1, "recorded"), (1, "already applied")]
    assert told == []


def test_a_failing_store_is_told_beside_the_item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Broken(kg.Project(tmp_path / "p.kg"))
    panel, told = open_panel(monkeypatch, project=store)
    pair = item("e1", "e2")
    say(panel, "decide", item_id=pair, verdict="accepted")
    assert (told[0]["ok"], told[0]["error"]) == (False, "the ledger is read-only")
    assert panel.errors == {pair: "the ledger is read-only"} and panel.status_of(pair) == "undecided"
    assert panel._shown["cards"][pair]["error"] == "the ledger is read-only"
    store.broken = False
    say(panel, "decide", "t2", item_id=pair, verdict="accepted")
    assert told[1]["ok"] and panel.errors == {} and store.decisions().height == 1


@pytest.mark.parametrize(
    "message",
    [
        {"do": "decide", "item_id": "nothing", "verdict": "accepted"},
        {"do": "decide"},
        {"do": "open", "doc_id": "d1"},
        {"do": "open", "doc_id": "zz", "start": 0, "end": 1},
        {"do": "preview", "verdict": "accepted", "at": "high"},
        {"do": "fly"},
        {"do": "ask", "order": "best"},
        {"do": "cards", "ids": 7},
        {"do": 3},
        {},
        "text",
    ],
)
def test_odd_messages_are_answered_and_change_nothing(message: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    panel, told = open_panel(monkeypatch)
    before = panel.queue
    panel._handle_custom_msg(message, [])
    assert all(not m["ok"] and m["error"] for m in told)
    assert panel.decisions.is_empty() and panel.queue.equals(before)


def test_the_other_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    panel, told = open_panel(monkeypatch)
    say(panel, "cards", ids=panel.upcoming(5))
    assert list(told[-1]["cards"]) == panel.upcoming(5)
    say(panel, "open", doc_id="d2", start=0, end=9)
    assert told[-1]["passage"]["quote"] == "G. Hopper"
    say(panel, "ask", order="random", filters={"type": "MACHINE"})
    assert panel._shown["filters"] == {"type": "MACHINE"} and len(panel._shown["ids"]) == 1
    say(panel, "ask", order="score", filters={})
    say(panel, "preview", verdict="accepted", at=0.8)
    assert told[-1]["preview"]["n"] == 2
    say(panel, "bulk", verdict="accepted", at=0.8)
    assert told[-1]["n"] == 2 and panel.progress.accepted == 2
    say(panel, "undo")
    assert len(told[-1]["items"]) == 2 and panel.progress.accepted == 0
    for ids, verdict in ((("e3", "e5"), "rejected"), (("e3", "e4"), "accepted"), (("e4", "e5"), "accepted")):
        say(panel, "decide", "-".join(ids), item_id=item(*ids), verdict=verdict)
    say(panel, "conflicts")
    conflict = told[-1]["conflicts"][0]
    assert (conflict["left"], conflict["right"]) == ("Ada Lovelace", "Lovelace")
    say(panel, "undo", "u", decision_id=conflict["apart_by"])
    assert panel.conflicts.is_empty()


def test_a_split_shows_its_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    panel, told = open_panel(monkeypatch, graph().entities)
    say(panel, "split", item_id="e1", parts=[{"name": "Hopper II", "doc_ids": ["d2"]}])
    assert [p["n_mentions"] for p in told[-1]["parts"]] == [2, 1] and panel.decisions.is_empty()
    assert [(r["part"], r["quotes"]) for r in told[-1]["relations"]] == [
        (0, ["The Mark I was run by Grace Hopper."]),
        (1, ["Grace Hopper and Ada Lovelace never met."]),
    ]


def test_a_saved_notebook_shows_a_picture_without_script(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"e1": "<img src=x onerror=alert(1)>", "e2": "</script><script>alert(2)</script>"}
    people = pl.DataFrame({"entity_id": list(names), "name": list(names.values())})
    panel = kg.review(pairs([("e1", "e2", 0.5)]), people, reviewer="<b>Bo</b>")
    panel.decide(panel.next()["item_id"], "rejected")
    bundle, _ = panel._repr_mimebundle_()
    assert bundle["text/plain"] == "ReviewPanel(1 proposal, 1 decided)" == repr(panel)
    assert "1 of 1 decided" in bundle["text/html"] and "✗ 1 rejected" in bundle["text/html"]
    assert not any(bad in bundle["text/html"] for bad in ("<script", "<img", "<b>Bo"))
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_a_project_brings_its_documents(tmp_path: Path) -> None:
    panel = kg.review(pairs(), graph(), project=kg.Project(tmp_path / "p.kg"))
    assert panel.passage("d1", 0, 3) is None


def test_a_graph_view_leads_the_panel(monkeypatch: pytest.MonkeyPatch) -> None:
    panel, _ = open_panel(monkeypatch)
    view = kg.view_graph(graph())
    panel.follow(view)
    view.selected = "e5"
    assert panel.queue.height == 2 and panel._shown["filters"] == {"entity": "e5"}
    view.selected = None
    assert panel.queue.height == 5
