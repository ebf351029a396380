"""Splits: mentions leave an entity, and statements follow them."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from deciding import apply, assert_same_graph, decision, entity, frame, merge, reason_of, triples, undo

import kgkit as kg
from kgkit import tables
from kgkit.graph import Graph
from kgkit.resolution import links
from kgkit.resolution.decided import part_ids

WHERE = {"located": "exact", "origin": "test"}


def mention(number: int, doc: str, name: str, start: int, chunk: str = "c", **more: Any) -> dict[str, Any]:
    place = {"doc_id": doc, "chunk_id": f"{doc}{chunk}", "start": start, "end": start + 5}
    return {"mention_id": f"m{number}", "name": name, "type": "PERSON", "attributes": "{}", **place, **WHERE, **more}


def statement(number: int, doc: str, one: str, other: str, start: int, chunk: str = "c") -> dict[str, Any]:
    place = {"doc_id": doc, "chunk_id": f"{doc}{chunk}", "start": start, "end": start + 30}
    said = {"subject": one, "predicate": "met", "object": other, "polarity": "positive", "confidence": 0.5}
    return {"statement_id": f"s{number}", **said, **place, **WHERE}


@pytest.fixture
def smiths() -> Graph:
    """Two men of one name in three documents; in d3 both occur, in sentences of their own."""
    mentions = [
        mention(1, "d1", "John Smith", 0, description="a smith", attributes='{"born": 1801}'),
        mention(2, "d1", "Ada", 10),
        mention(3, "d2", "JOHN SMITH", 0, description="a poet", attributes='{"born": 1902}'),
        mention(4, "d2", "Ada", 10),
        mention(5, "d3", "John Smith", 0),
        mention(6, "d3", "Ada", 10),
        mention(7, "d3", "John Smith", 100),
        mention(8, "d3", "Ada", 110),
    ]
    places = [(1, "d1", 0), (2, "d2", 0), (3, "d3", 0), (4, "d3", 100)]
    said = [statement(n, doc, "John Smith", "Ada", start) for n, doc, start in places]
    return kg.build_graph(tables.from_rows("mentions", mentions), tables.from_rows("statements", said))


def ids(graph: Graph) -> dict[str, str]:
    return {name.casefold(): i for name, i in graph.entities.select("name", "entity_id").iter_rows()}


def split(number: int, subject: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return decision(number, "split", subject, "accepted", {"parts": list(parts)})


POET = {"name": "John Smith", "type": "POET", "doc_ids": ["d2"], "mention_ids": ["m7"]}


def test_a_part_takes_its_mentions_and_their_statements(smiths: Graph) -> None:
    smith = ids(smiths)["john smith"]
    (poet,) = part_ids(smith, [POET])
    after = apply(smiths, split(1, smith, POET))
    old, new = entity(after, smith), entity(after, poet)
    assert (old["name"], old["aliases"], old["description"], old["n_mentions"]) == ("John Smith", [], "a smith", 2)
    assert old["attributes"] == '{"born": [1801]}'
    assert (new["name"], new["aliases"], new["description"], new["n_mentions"]) == (
        "John Smith",
        ["JOHN SMITH"],
        "a poet",
        2,
    )
    assert (new["type"], new["attributes"], new["n_documents"]) == ("POET", '{"born": [1902]}', 2)
    evidence = {
        source: after.evidence_of(relation)["statement_id"].to_list()
        for source, relation in after.relations.select("source_id", "relation_id").iter_rows()
    }
    assert evidence == {smith: ["s1", "s3"], poet: ["s2", "s4"]}
    assert after.relations["weight"].to_list() == [2.0, 2.0]
    assert reason_of(after, 1) == ("ok", None)


def test_a_split_keeps_its_entities_apart_until_a_newer_word(smiths: Graph) -> None:
    smith = ids(smiths)["john smith"]
    (poet,) = part_ids(smith, [POET])
    assert links(frame(split(1, smith, POET))).cannot == [tuple(sorted((smith, poet)))]
    again = apply(smiths, split(1, smith, POET), merge(2, [smith, poet]))
    one = entity(again, min(smith, poet))
    assert (one["n_mentions"], len(again.entities)) == (4, 2)
    assert len(again.relations) == 1


def test_parts_can_be_merged_and_split_again(smiths: Graph) -> None:
    smith, ada = ids(smiths)["john smith"], ids(smiths)["ada"]
    (poet,) = part_ids(smith, [POET])
    second = {"name": "J. Smith", "mention_ids": ["m7"]}
    (third,) = part_ids(poet, [second])
    rows = [split(1, smith, POET), split(2, poet, second), merge(3, [third, ada])]
    after = apply(smiths, *rows)
    stands = dict(after.canonical.iter_rows())
    assert stands[third] == stands[ada] == min(third, ada)
    assert entity(after, stands[ada])["n_mentions"] == 5
    assert after.withheld["reason"].to_list() == ["self_loop"]
    assert_same_graph(apply(smiths, *rows, undo(4, 3), undo(5, 2)), apply(smiths, rows[0]))


def test_a_merged_entity_is_split_by_mentions_of_the_absorbed_one(smiths: Graph) -> None:
    smith, ada = ids(smiths)["john smith"], ids(smiths)["ada"]
    part = {"name": "Ada", "doc_ids": ["d1"]}
    after = apply(smiths, merge(1, [smith, ada]), split(2, min(smith, ada), part))
    (new,) = part_ids(min(smith, ada), [part])
    assert after.entities.height == 2
    assert entity(after, new)["aliases"] == ["John Smith"]


def test_when_all_mentions_leave_the_part_stands_for_the_entity(smiths: Graph) -> None:
    smith = ids(smiths)["john smith"]
    part = {"name": "Johnny", "mention_ids": ["m1", "m3", "m5", "m7"]}
    (johnny,) = part_ids(smith, [part])
    after = apply(smiths, split(1, smith, part))
    assert smith not in after.entities["entity_id"]
    assert dict(after.canonical.iter_rows())[smith] == johnny
    assert entity(after, johnny)["aliases"] == ["John Smith", "JOHN SMITH"]
    assert triples(after) == [(johnny, "met", ids(smiths)["ada"])]


def test_mentions_that_are_gone_are_told(smiths: Graph) -> None:
    smith = ids(smiths)["john smith"]
    after = apply(smiths, split(1, smith, {"name": "J", "mention_ids": ["m7", "m99"], "doc_ids": ["d9"]}))
    assert after.outcomes["notes"].to_list() == [["gone: 2 of the mentions and documents named"]]


def test_part_ids_do_not_depend_on_order_and_namesakes_differ() -> None:
    parts = [{"name": "A", "doc_ids": ["d1"]}, {"name": "a", "doc_ids": ["d2"]}, {"name": "B", "doc_ids": ["d3"]}]
    made = part_ids("e", parts)
    assert len(set(made)) == 3
    assert part_ids("e", parts[::-1]) == made[::-1]
    assert part_ids("f", parts) != made


def test_what_is_withheld_and_split_adds_up(smiths: Graph) -> None:
    smith, relation = ids(smiths)["john smith"], smiths.relations["relation_id"][0]
    no = decision(2, "relation", relation, "rejected", {"statement_ids": ["s1", "s2"]})
    after = apply(smiths, split(1, smith, POET), no)
    assert after.withheld.select("weight", "statement_ids").rows() == [(2.0, ["s1", "s2"])]
    assert after.relations["weight"].to_list() == [1.0, 1.0]
    whole = apply(smiths, split(1, smith, POET), decision(2, "relation", relation, "rejected", {}))
    assert whole.relations.is_empty()
    assert pl.Series(whole.withheld["statement_ids"][0]).to_list() == ["s1", "s2", "s3", "s4"]


def test_evidence_that_the_graph_does_not_hold_stays(smiths: Graph) -> None:
    smith = ids(smiths)["john smith"]
    frames = {**smiths.frames, "statements": smiths.statements[:1], "mentions": smiths.mentions.filter(doc_id="d2")}
    bare = Graph(**frames)
    after = apply(bare, split(1, smith, POET))
    assert entity(after, smith)["name"] == entity(smiths, smith)["name"]
    held = after.evidence.group_by("item_kind").len().sort("item_kind").rows()
    assert held == smiths.evidence.group_by("item_kind").len().sort("item_kind").rows()
