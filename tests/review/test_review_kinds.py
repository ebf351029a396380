"""A kind of items that the engine does not know: one class, and everything else works for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import pytest
from desk_data import documents, graph, pairs

import kgkit as kg
from kgkit.errors import FrameTypeError, InputError
from kgkit.reviewing import Entry, Kind, Review, add_kind, agreement, answer_message
from kgkit.reviewing.kinds import kind as registry


class Shelves(Kind):
    """Which shelf an entity belongs on."""

    name: ClassVar[str] = "category"
    needs: ClassVar[frozenset[str]] = frozenset({"entity_id", "shelf"})
    takes: ClassVar[tuple[str, ...]] = ("shelf",)

    def entries(self, frame: pl.DataFrame, held: Mapping[str, Any], *, groups: bool) -> list[Entry]:
        rows = frame.select("entity_id", "shelf", "score").iter_rows()
        return [Entry(f"{e} on {s}", self.name, (e,), p, "toy", more={"shelf": s}) for e, s, p in rows]

    def label(self, entry: Entry, cards: Any) -> str:
        return f"{cards.name(entry.members[0])} on {entry.more['shelf']}"

    def card(self, entry: Entry, cards: Any, apart: Collection[tuple[str, str]]) -> dict[str, Any]:
        return {"question": f"Does it belong on {entry.more['shelf']}?", "sides": [cards.side(entry.members[0])]}


@pytest.fixture(autouse=True)
def shelves() -> Iterator[None]:
    before = dict(registry._KINDS)
    add_kind(Shelves())
    yield
    registry._KINDS.clear()
    registry._KINDS.update(before)


ROWS = pl.DataFrame({"entity_id": ["e1", "e3", "e6"], "shelf": ["navy", "poets", "language"], "score": [0.9, 0.2, 0.6]})


def desk(**options: Any) -> Review:
    return Review(ROWS, graph(), **{"documents": documents(), "reviewer": "Ada", "order": "score", **options})


def test_it_is_asked_decided_changed_and_undone(tmp_path: Path) -> None:
    project = kg.Project(tmp_path / "p.kg")
    one = desk(project=project)
    assert one.queue["name"].to_list() == ["Grace Hopper on navy", "COBOL on language", "Ada Lovelace on poets"]
    card = one.next()
    assert card["question"] == "Does it belong on navy?" and card["sides"][0]["quotes"] and card["against"] == []
    one.decide(card["item_id"], "accepted", shelf="computing")
    one.decide(one.next()["item_id"], "skipped")
    one.decide(one.next()["item_id"], "rejected", note="she was none")
    assert one.next()["item_id"] == "e6 on language" and one.progress.decided == 2
    again = desk(project=kg.Project(tmp_path / "p.kg"))
    assert again.queue["status"].to_list() == ["accepted", "skipped", "rejected"]
    again.decide("e1 on navy", "rejected")
    assert again.status_of("e1 on navy") == "rejected" and again.undo(2) == ["e1 on navy", "e3 on poets"]
    assert again.queue["status"].to_list() == ["accepted", "skipped", "undecided"]
    assert project.decisions()["kind"].unique().to_list() == ["category"]
    with pytest.raises(InputError, match="name= is nothing that a category has. Allowed: shelf"):
        one.decide("e1 on navy", "accepted", name="x")


def test_bulk_policies_sheets_reviewers_and_messages_work_for_it(tmp_path: Path) -> None:
    one = desk()
    assert one.apply_policy("sure", 0.6).n == 2 and one.state()["policies"][0]["n"] == 2
    one.undo()
    path = one.to_csv(tmp_path / "q.csv")
    sheet = pl.read_csv(path, infer_schema=False).with_columns(verdict=pl.lit("y"))
    sheet.write_csv(path)
    assert one.from_csv(path)["result"].to_list() == ["recorded"] * 3
    other = desk(decisions=one.decisions, reviewer="Bo", second_opinion=1.0)
    told = answer_message(other, {"do": "decide", "item_id": "e1 on navy", "verdict": "accepted", "shelf": "computing"})
    assert told["ok"] and other.state()["n_disagreements"] == 1
    assert agreement(other.decisions).pairs.row(0)[:4] == ("Ada", "Bo", 1, 1)
    assert other.ask("disagreements").next()["item_id"] == "e1 on navy"


def test_it_stands_beside_other_kinds() -> None:
    both = Review([ROWS, pairs(), graph().entities], graph(), reviewer="Ada")
    assert both.state()["kinds"] == ["category", "merge", "type"] and both.progress.total == 16
    assert both.ask(kind="category").queue.height == 3
    both.decide("e1 on navy", "accepted")
    assert kg.apply_decisions(graph(), both.decisions).entities.equals(graph().entities)


def test_what_is_no_kind_is_refused_by_name() -> None:
    with pytest.raises(
        FrameTypeError, match=r"merges \(left_id, right_id\).*category \(entity_id, shelf\).*are there: x"
    ):
        Review(pl.DataFrame({"x": [1]}), graph())


def test_decisions_of_kinds_that_are_not_known_are_left_alone() -> None:
    one = desk()
    one.decide("e1 on navy", "accepted")
    two = desk(decisions=one.decisions, reviewer="Bo")
    two.decide("e1 on navy", "rejected")
    del registry._KINDS["category"]
    assert agreement(two.decisions).disagreements.height == 2
    merges = Review(pairs(), graph(), decisions=two.decisions, reviewer="Ada")
    assert merges.progress.decided == 0 and merges.recent() == [] and merges.undo() == []
