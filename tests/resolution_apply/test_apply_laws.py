"""Laws of applying decisions, over random decisions: merges, splits, types, relations, undos and conflicts."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

import polars as pl
from deciding import DERIVED, assert_same_graph, decision, frame, merge, undo
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import kgkit as kg
from kgkit import tables
from kgkit.graph import Graph
from kgkit.resolution.decided import part_ids

NAMES = ["Ada", "Ada Lovelace", "Babbage", "C. Babbage", "Larch", "IBM"]
_WHERE = {"located": "exact", "origin": "test"}


@cache
def base() -> Graph:
    """A graph of 6 entities in 4 documents, with parallel, opposite and self-relations."""
    draw = random.Random(1)
    mentions, statements = [], []
    for doc in range(4):
        for place in range(7):
            name = draw.choice(NAMES)
            row = {"mention_id": f"m{doc}{place}", "doc_id": f"d{doc}", "chunk_id": f"c{doc}{place % 2}", "name": name}
            extra = {"description": draw.choice([None, f"told {place}"]), "attributes": json.dumps({"n": place % 3})}
            mentions.append({**row, "type": "THING", "start": place * 10, "end": place * 10 + 5, **extra, **_WHERE})
    for number in range(24):
        one, other = draw.choice(mentions), draw.choice(mentions)
        other = other if other["doc_id"] == one["doc_id"] else one
        span = {"start": min(one["start"], other["start"]), "end": max(one["end"], other["end"])}
        said = {"subject": one["name"], "object": other["name"], "predicate": draw.choice(["met", "built"])}
        where = {"doc_id": one["doc_id"], "chunk_id": one["chunk_id"], "polarity": "positive"}
        sure = draw.choice([None, 0.5, 0.9])
        statements.append({"statement_id": f"s{number}", **where, **said, **span, "confidence": sure, **_WHERE})
    return kg.build_graph(tables.from_rows("mentions", mentions), tables.from_rows("statements", statements))


def _ids() -> list[str]:
    return [*base().entities["entity_id"].to_list(), "entity_gone"]


PARTS = [{"name": "Ada", "type": "PERSON", "mention_ids": ["m00", "m11", "m22"]}, {"name": "Other", "doc_ids": ["d3"]}]


KINDS = ["merge", "merge", "merge", "reject", "split", "type", "relation", "undo", "undo", "flag"]


@st.composite
def decisions(draw: st.DrawFn, most: int = 9) -> list[dict[str, Any]]:
    """Draw decisions that refer to each other: undos of undos, merges of parts of splits, corrected relations."""
    ids = [*_ids(), *part_ids(_ids()[0], PARTS), *part_ids(_ids()[1], PARTS[:1])]
    relations = [*base().relations["relation_id"].to_list()[:5], "relation_gone"]
    statements = base().statements["statement_id"].to_list()
    rows: list[dict[str, Any]] = []
    for number in range(draw(st.integers(0, most))):
        kind = draw(st.sampled_from(KINDS))
        some = draw(st.lists(st.sampled_from(ids), min_size=2, max_size=3, unique=True))
        if kind == "undo" and rows:
            rows.append(undo(number, draw(st.integers(0, len(rows) - 1))))
        elif kind == "reject":
            rows.append(merge(number, some, "rejected"))
        elif kind == "split":
            subject = draw(st.sampled_from(_ids()[:2]))
            rows.append(
                decision(number, "split", subject, "accepted", {"parts": PARTS if subject == _ids()[0] else PARTS[:1]})
            )
        elif kind == "type":
            payload = draw(st.sampled_from([{"type": "PLACE"}, {"name": "The One"}, {"revoked": ["ADA", "larch"]}]))
            rows.append(decision(number, "type", some[0], "accepted", payload))
        elif kind == "relation":
            verdict, payload = draw(
                st.sampled_from(
                    [
                        ("rejected", {}),
                        ("rejected", {"statement_ids": statements[:6]}),
                        ("accepted", {"predicate": "built", "reverse": True}),
                        ("accepted", {"polarity": "negated"}),
                    ]
                )
            )
            rows.append(decision(number, "relation", draw(st.sampled_from(relations)), verdict, payload))
        elif kind == "flag":
            rows.append(merge(number, some, "flagged"))
        else:
            extra = draw(st.sampled_from([{}, {"name": "Chosen"}, {"type": "PERSON"}, {"apart": ["entity_gone"]}]))
            extra = {} if "entity_gone" in some else extra
            rows.append(merge(number, some, **extra))
        if draw(st.booleans()):  # times need not follow ids
            rows[-1]["decided_at"] = rows[0]["decided_at"]
    return rows


def apply(rows: list[dict[str, Any]], graph: Any = None) -> Any:
    return kg.apply_decisions(base() if graph is None else graph, frame(*rows))


@settings(deadline=None, max_examples=40)
@given(decisions(), st.data())
def test_undoing_any_decision_gives_the_graph_without_it(rows: list[dict[str, Any]], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(rows))))[:3]
    undone = [*rows]
    targets = {row["decision_id"] for row in rows if row["verdict"] == "undone"}
    for step, number in enumerate(order):
        if rows[number]["decision_id"] not in targets:  # one that an undo undoes is out already
            undone.append(undo(50 + step, number))
    out = {row["payload"] for row in undone[len(rows) :]}
    gone = {json.loads(p)["decision_id"] for p in out}
    rest = [row for row in rows if row["decision_id"] not in gone]
    assert_same_graph(apply(undone), apply(rest))


@settings(deadline=None, max_examples=40)
@given(decisions())
def test_undoing_everything_gives_the_graph_itself(rows: list[dict[str, Any]]) -> None:
    kept = [row for row in rows if row["verdict"] != "undone"]
    rows = [*kept, *(undo(50 + n, int(row["decision_id"][1:])) for n, row in enumerate(kept))]
    after = apply(rows)
    for name in ("entities", "relations", "evidence", "mentions", "statements"):
        assert_frame_equal(getattr(after, name), getattr(base(), name))
    assert (after.canonical["entity_id"] == after.canonical["canonical_id"]).all()
    assert after.withheld.is_empty()


@settings(deadline=None, max_examples=40)
@given(decisions(), st.randoms(use_true_random=False))
def test_order_of_rows_changes_nothing(rows: list[dict[str, Any]], shuffle: random.Random) -> None:
    def mixed(table: pl.DataFrame) -> pl.DataFrame:
        order = list(range(table.height))
        shuffle.shuffle(order)
        return table[order]

    tabs = {
        name: mixed(getattr(base(), name)) for name in ("entities", "relations", "evidence", "mentions", "statements")
    }
    graph = Graph(**tabs, outcomes=base().outcomes)
    assert_same_graph(kg.apply_decisions(graph, mixed(frame(*rows))), apply(rows), (*DERIVED, "outcomes"))


@settings(deadline=None, max_examples=40)
@given(decisions())
def test_applying_twice_changes_nothing(rows: list[dict[str, Any]]) -> None:
    once = apply(rows)
    assert_same_graph(apply(rows, once), once)
    assert_same_graph(apply([*rows, *rows], base()), once) if not rows else None
    assert_same_graph(kg.apply_decisions(base(), pl.concat([frame(*rows), frame(*rows)])), once, (*DERIVED, "outcomes"))


@settings(deadline=None, max_examples=40)
@given(decisions())
def test_nothing_is_lost_and_everything_points_somewhere(rows: list[dict[str, Any]]) -> None:
    before, after = base(), apply(rows)
    entities, relations = set(after.entities["entity_id"]), set(after.relations["relation_id"])
    assert after.entities["entity_id"].is_unique().all() and after.relations["relation_id"].is_unique().all()
    assert set(after.canonical["canonical_id"]) == entities
    assert set(after.relations["source_id"]) | set(after.relations["target_id"]) <= entities
    assert set(after.evidence["item_id"]) <= entities | relations
    kinds = dict(after.evidence.group_by("item_kind").agg(pl.col("evidence_id").sort()).iter_rows())
    assert kinds["entity"] == sorted(before.mentions["mention_id"])
    assert after.entities["n_mentions"].sum() == before.entities["n_mentions"].sum()
    held = [*kinds.get("relation", []), *after.withheld["statement_ids"].explode().to_list()]
    had = before.evidence.filter(pl.col("item_kind") == "relation")["evidence_id"]
    assert sorted(held) == sorted(had)
    assert after.relations["weight"].sum() + after.withheld["weight"].sum() == len(had)
    counted = after.evidence.group_by("item_id").len()
    weights = after.relations.join(counted, left_on="relation_id", right_on="item_id")
    assert (weights["weight"] == weights["len"]).all() and weights.height == len(relations)
    revoked = after.aliases.filter(pl.col("revoked_by").is_null())
    names = {(e, n) for e, aliases in after.entities.select("entity_id", "aliases").iter_rows() for n in aliases}
    assert set(revoked.select("entity_id", "alias").iter_rows()) == names


@settings(deadline=None, max_examples=50)
@given(decisions())
def test_what_is_kept_apart_is_apart_and_what_was_applied_is_one(rows: list[dict[str, Any]]) -> None:
    after = apply(rows)
    stands = dict(after.canonical.iter_rows())
    links = kg.resolution.links(frame(*rows))
    for left, right in links.cannot:
        if left in stands and right in stands and {left, right} <= set(_ids()):
            alive = {left, right} <= {i for i in stands if not _emptied(after, i)}
            assert stands[left] != stands[right] or not alive
    status = {r["item_id"]: r for r in after.outcomes.to_dicts()}
    for row in rows:
        if status[row["decision_id"]]["status"] == "ok" and row["kind"] == "merge" and row["verdict"] == "accepted":
            here = [i for i in json.loads(row["payload"])["entity_ids"] if i in stands and not _emptied(after, i)]
            assert len({stands[i] for i in here}) <= 1


def _emptied(after: Any, entity_id: str) -> bool:
    """Tell whether all mentions of an entity went to parts of a split."""
    own = base().evidence.filter(pl.col("item_id") == entity_id)["evidence_id"]
    now = after.evidence.filter(pl.col("evidence_id").is_in(own.implode()), pl.col("item_kind") == "entity")
    stands = dict(after.canonical.iter_rows())
    moved = len(own) > 0 and stands.get(entity_id) not in set(now["item_id"])
    return moved or entity_id not in after.entities["entity_id"]


def test_no_decisions_give_the_graph_itself() -> None:
    after = apply([])
    for name in ("entities", "relations", "evidence", "mentions", "statements"):
        assert_frame_equal(getattr(after, name), getattr(base(), name))
