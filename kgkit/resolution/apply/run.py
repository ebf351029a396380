"""`apply_decisions`: entities, relations and evidence anew, from a graph and what people decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from kgkit import tables
from kgkit.errors import FrameTypeError
from kgkit.frames import backend_of, give, take
from kgkit.graph import Graph
from kgkit.resolution.apply.account import Effects, account
from kgkit.resolution.apply.aliases import alias_table
from kgkit.resolution.apply.choices import Choices, choices_by_group
from kgkit.resolution.apply.entities import United, unite
from kgkit.resolution.apply.members import members_of
from kgkit.resolution.apply.model import Reviewed
from kgkit.resolution.apply.relations import Related, derive_relations
from kgkit.resolution.apply.splits import Splits, split_mentions
from kgkit.resolution.decided import Decision, judge, read_decisions
from kgkit.resolution.decided_groups import Merging, resolve_merges

__all__ = ["apply_decisions"]

_TABLES = ("entities", "relations", "evidence", "mentions", "statements")
_Frames = dict[str, pl.DataFrame]


def apply_decisions(graph: Any, decisions: Any) -> Reviewed:
    """Make the graph that decisions make of a graph. Neither is changed, and nothing is lost.

    The result depends on the graph and on the decisions that count, and on nothing else: the same decisions given
    twice, in another order, or to a graph with its rows in another order give the same graph; taking a decision back
    gives exactly the graph without it; no decisions give the graph itself. Which decisions count, how they are
    written, and how contradictions are settled is told in the guide, under Decisions.

    - *Merged* entities keep the smallest of their ids. The name is a person's choice, else that of the member with
      most mentions, then the longest, then that of the smallest id; so is the type, by mentions. Aliases,
      descriptions, attributes (where they differ, all values), mentions and evidence of all members are there.
    - *Split* entities keep their id for what was not moved; each part has an id made from what it was split from, its
      type and its name. A statement follows the mention in its sentence, else in its chunk, else in its document.
    - *Relations* are between the entities that stand for their ends. Those that then say the same are one, with
      weights added and evidence united. One that a merge makes a relation of an entity with itself is withheld; one
      that was so before stays.

    Args:
        graph: A `Graph`. A `Reviewed` graph counts as the graph that it was made from.
        decisions: A decisions frame of any kind.

    Returns:
        A `Reviewed` graph: the tables of a graph, ``canonical``, ``aliases``, ``withheld``, and ``outcomes``: what
        became of each decision. ``failed`` are those that could not be applied (``conflicting``, ``bad_payload``),
        ``skipped`` those that change nothing: ``subject_gone``, ``nothing_to_move``, ``replaced``, ``undone`` and
        others.

    Raises:
        FrameTypeError: ``graph`` is no graph.
        SchemaError: The decisions lack columns, or two different rows have one ``decision_id``.

    Examples:
        >>> import polars as pl
        >>> from kgkit import tables
        >>> from kgkit.graph import Graph
        >>> from kgkit.resolution.decisions import merge_id
        >>> rows = {"entity_id": ["a", "b"], "name": ["Grace Hopper", "G. Hopper"], "n_mentions": [3, 1]}
        >>> graph = Graph.from_frames(pl.DataFrame(rows))
        >>> decision = {"decision_id": "d1", "kind": "merge", "subject_id": merge_id(["a", "b"]),
        ...             "verdict": "accepted", "payload": '{"entity_ids": ["a", "b"]}', "reviewer": "Ada"}
        >>> when = pl.Series([0]).cast(pl.Datetime("us", "UTC"))
        >>> one = apply_decisions(graph, pl.DataFrame([decision]).with_columns(decided_at=when))
        >>> one.entities.select("entity_id", "name", "aliases", "n_mentions").row(0)
        ('a', 'Grace Hopper', ['G. Hopper'], 4)
    """
    base = graph.base if isinstance(graph, Reviewed) else _graph(graph)
    before: _Frames = {name: take(base, name).frame for name in _TABLES}
    read = read_decisions(decisions)
    standings = judge(read)
    live = [d for d in read if standings[d.decision_id].reason is None]
    merging = resolve_merges(live)
    own = before["evidence"].filter(pl.col("item_kind") == "entity")
    splits = split_mentions(own, before["mentions"], live, merging)
    links = _moved_links(own, splits)
    standing = _canonical(before["entities"], splits, merging)
    told = _tell_entities(before, links, splits, standing, choices_by_group(live, merging, splits.parts), merging)
    support = before["evidence"].filter(pl.col("item_kind") == "relation")
    related = derive_relations(
        before["relations"],
        support.select("item_id", "evidence_id"),
        before["statements"],
        canonical=standing.filter(pl.col("entity_id") != pl.col("canonical_id")),
        splits=splits,
        decisions={d.subject_id: d for d in live if d.kind == "relation"},
    )
    effects = Effects(merging, splits, related, told.choices, told.united, standing)
    earlier = _earlier(graph)
    frames = {
        "entities": told.entities,
        "relations": tables.conform(related.relations, "relations"),
        "evidence": _evidence(links, standing, related, before["evidence"]),
        "mentions": before["mentions"],
        "statements": before["statements"],
        "canonical": tables.conform(standing.sort("entity_id"), "canonical"),
        "aliases": alias_table(told.entities, told.united, told.choices, live, merging),
        "withheld": _withheld(related, live, merging),
        "outcomes": account(read, standings, effects, earlier),
    }
    backend = backend_of(base.entities)
    return Reviewed(**{name: give(f, name, backend) for name, f in frames.items()}, base=base)


def _graph(graph: Any) -> Graph:
    if isinstance(graph, Graph):
        return graph
    held = getattr(graph, "frames", {})
    if "entities" not in held or "relations" not in held:
        msg = (
            f"apply_decisions needs a graph; this is a {type(graph).__name__}. "
            "Make one with build_graph, or Graph.from_frames(entities, relations)."
        )
        raise FrameTypeError(msg)
    empty = {name: tables.empty(name) for name in (*_TABLES, "outcomes")}
    return Graph(**{name: held.get(name, frame) for name, frame in empty.items()})


def _earlier(graph: Any) -> frozenset[str]:
    """Give the decisions that were applied to a reviewed graph already."""
    if not isinstance(graph, Reviewed):
        return frozenset()
    rows = take(graph, "outcomes").frame
    return frozenset(rows.filter(pl.col("status") == "ok")["item_id"])


def _moved_links(own: pl.DataFrame, splits: Splits) -> pl.DataFrame:
    """Give entities and their mentions after the splits: ``item_id, evidence_id``."""
    links = own.select("item_id", "evidence_id")
    if not splits.moved:
        return links
    rows = [(base, mention, node) for (base, mention), node in splits.moved.items()]
    moved = pl.DataFrame(rows, schema=["item_id", "evidence_id", "node"], orient="row")
    links = links.join(moved, on=["item_id", "evidence_id"], how="left")
    return links.select(pl.coalesce("node", "item_id").alias("item_id"), "evidence_id")


def _canonical(entities: pl.DataFrame, splits: Splits, merging: Merging) -> pl.DataFrame:
    """Say which entity stands for each entity and part: the smallest id of its group that is there."""
    ids = [
        entities.select("entity_id"),
        pl.DataFrame({"entity_id": sorted(splits.parts)}, schema={"entity_id": pl.String}),
    ]
    roots = pl.DataFrame(list(merging.root.items()), schema={"entity_id": pl.String, "root": pl.String}, orient="row")
    rows = pl.concat(ids).join(roots, on="entity_id", how="left")
    smallest = pl.col("entity_id").min().over("root")
    rows = rows.with_columns(canonical_id=pl.when(pl.col("root").is_null()).then("entity_id").otherwise(smallest))
    if splits.left:
        stands = dict(rows.select("entity_id", "canonical_id").iter_rows())
        left = {entity_id: stands[node] for entity_id, node in splits.left.items()}
        emptied = set(left) | {i for i, c in stands.items() if c in left and merging.group_of(i) == merging.group_of(c)}
        for entity_id in emptied:
            left.setdefault(entity_id, left[stands[entity_id]])
        new = pl.DataFrame({"entity_id": list(left), "stand": list(left.values())})
        rows = rows.join(new, on="entity_id", how="left").with_columns(
            pl.coalesce("stand", "canonical_id").alias("canonical_id")
        )
    return rows.select("entity_id", "canonical_id")


@dataclass(frozen=True)
class _Told:
    entities: pl.DataFrame
    united: dict[str, United]
    choices: dict[str, Choices]


def _tell_entities(
    before: _Frames,
    links: pl.DataFrame,
    splits: Splits,
    standing: pl.DataFrame,
    choices: dict[str, Choices],
    merging: Merging,
) -> _Told:
    """Unite the members of each entity that decisions touch; the others stay as they are."""
    by_canonical = {
        i: choices[merging.group_of(i)] for i in standing["canonical_id"].unique() if merging.group_of(i) in choices
    }
    chosen = pl.Series([*by_canonical, *splits.touched, *splits.parts], dtype=pl.String)
    several = pl.col("canonical_id").is_duplicated() | (pl.col("canonical_id") != pl.col("entity_id"))
    touched = standing.filter(
        several | pl.col("canonical_id").is_in(chosen.implode()) | pl.col("entity_id").is_in(chosen.implode())
    )
    members = members_of(before["entities"], links, before["mentions"], splits, touched["entity_id"].to_list())
    groups = touched.sort("canonical_id", "entity_id").group_by("canonical_id", maintain_order=True).agg("entity_id")
    documents = _count_documents(links, before["mentions"], touched)
    united = {}
    for entity_id, ids in groups.iter_rows():
        rows = [members[i] for i in ids if i in members]
        if rows:
            own = by_canonical.get(entity_id, Choices())
            united[entity_id] = unite(entity_id, rows, own, documents.get(entity_id, 0))
    rest = before["entities"].filter(~pl.col("entity_id").is_in(touched["entity_id"].implode()))
    made = tables.from_rows("entities", [u.row for u in united.values()])
    return _Told(pl.concat([rest, made]).sort("entity_id"), united, by_canonical)


def _count_documents(links: pl.DataFrame, mentions: pl.DataFrame, touched: pl.DataFrame) -> dict[str, int]:
    rows = links.join(touched, left_on="item_id", right_on="entity_id").join(
        mentions.select("mention_id", "doc_id"), left_on="evidence_id", right_on="mention_id"
    )
    return dict(rows.group_by("canonical_id").agg(pl.col("doc_id").n_unique()).iter_rows())


def _evidence(links: pl.DataFrame, standing: pl.DataFrame, related: Related, before: pl.DataFrame) -> pl.DataFrame:
    named = links.join(standing, left_on="item_id", right_on="entity_id", how="left")
    of_entities = named.select(
        item_id=pl.coalesce("canonical_id", "item_id"), item_kind=pl.lit("entity"), evidence_id="evidence_id"
    )
    of_relations = related.support.select(item_id="item_id", item_kind=pl.lit("relation"), evidence_id="evidence_id")
    other = before.filter(~pl.col("item_kind").is_in(["entity", "relation"]))
    rows = pl.concat([of_entities, of_relations, other.select(of_entities.columns)]).unique()
    return tables.conform(rows.sort("item_id", "evidence_id"), "evidence")


def _withheld(related: Related, live: Sequence[Decision], merging: Merging) -> pl.DataFrame:
    """Name the merges that made relations of one entity with itself."""
    naming = {i: d.decision_id for d in live if d.decision_id in merging.applied for i in d.payload["entity_ids"]}
    rows = related.withheld.to_dicts()
    for row in rows:
        if row["reason"] == "self_loop":
            row["decision_ids"] = sorted({naming[i] for i in (row["source_id"], row["target_id"]) if i in naming})
    return tables.from_rows("withheld", rows).sort("relation_id", "reason")
