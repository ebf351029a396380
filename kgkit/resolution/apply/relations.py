"""Relations between the entities that decisions leave, with their evidence united."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from kgkit.ids import stable_id_series
from kgkit.resolution.apply.facts import Fact, Facts, Verdict
from kgkit.resolution.apply.splits import Splits, Unit
from kgkit.resolution.decided import Decision
from kgkit.text import normalise_name

__all__ = ["Related", "derive_relations"]

_FACT = ["source_id", "predicate", "target_id", "polarity"]
_NEW = [f"new_{column}" for column in _FACT]
_CHANGED = pl.any_horizontal(pl.col(column) != pl.col(f"new_{column}") for column in _FACT)


@dataclass(frozen=True)
class Related:
    """Relations after decisions, which statement supports which, what was withheld, and which decisions had an effect.

    ``withheld`` has ``relation_id`` (of the graph before) and what it says, ``weight``, ``statement_ids``, ``reason``
    and ``decision_ids`` (of rejections).
    """

    relations: pl.DataFrame
    support: pl.DataFrame
    withheld: pl.DataFrame
    used: frozenset[str]


def derive_relations(
    relations: pl.DataFrame,
    support: pl.DataFrame,
    statements: pl.DataFrame,
    *,
    canonical: pl.DataFrame,
    splits: Splits,
    decisions: dict[str, Decision],
) -> Related:
    """Move relations to the entities that stand for their ends, and apply what was decided about them.

    Relations that then say the same are one: weights add up, evidence is united, the highest confidence counts. A
    relation that a merge makes one of an entity with itself is withheld.

    Args:
        relations: The relations before.
        support: ``item_id`` and ``evidence_id`` of relations and their statements.
        statements: The statements.
        canonical: ``entity_id`` and ``canonical_id`` of entities that another stands for.
        splits: What splits did.
        decisions: Decisions that count, by the id of the relation they are about.
    """
    moved = _with_ends(relations, canonical)
    facts = _facts(moved, decisions)
    units = _units(moved, support, statements, canonical, splits, decisions)
    units = units.with_columns(_CHANGED.alias("changed"), key=_ids(units), reason=pl.lit(None, pl.String))
    units, used = _judge(units, facts, decisions)
    looped = (pl.col("new_source_id") == pl.col("new_target_id")) & (pl.col("source_id") != pl.col("target_id"))
    reason = pl.when(pl.col("reason").is_null() & looped).then(pl.lit("self_loop")).otherwise("reason")
    units = units.with_columns(reason.alias("reason"))
    return Related(*_gather(relations, support, statements, units), frozenset(used))


def _with_ends(frame: pl.DataFrame, canonical: pl.DataFrame) -> pl.DataFrame:
    for side in ("source_id", "target_id"):
        named = canonical.rename({"entity_id": side, "canonical_id": f"new_{side}"})
        frame = frame.join(named, on=side, how="left", maintain_order="left")
        frame = frame.with_columns(pl.coalesce(f"new_{side}", side).alias(f"new_{side}"))
    return frame.with_columns(new_predicate="predicate", new_polarity="polarity")


def _ids(frame: pl.DataFrame) -> pl.Series:
    """Make the relation ids of what rows say now, null for rows that say what they said."""
    numbered = frame.select(*_FACT, *_NEW).with_row_index("number")
    rows = numbered.filter(_CHANGED)
    made = rows.select("number", key=stable_id_series("relation", *(rows[column] for column in _NEW)))
    return numbered.select("number").join(made, on="number", how="left", maintain_order="left")["key"]


def _facts(moved: pl.DataFrame, decisions: dict[str, Decision]) -> Facts:
    about = pl.Series(sorted(decisions), dtype=pl.String)
    rows = moved.filter(pl.col("relation_id").is_in(about.implode())).select("relation_id", *_NEW)
    return Facts(decisions, {relation_id: Fact(*fact) for relation_id, *fact in rows.iter_rows()})


def _units(
    moved: pl.DataFrame,
    support: pl.DataFrame,
    statements: pl.DataFrame,
    canonical: pl.DataFrame,
    splits: Splits,
    decisions: dict[str, Decision],
) -> pl.DataFrame:
    """Take relations whole, or statement by statement where splits or decisions part these."""
    named = [s for d in decisions.values() for s in d.payload.get("statement_ids", ())]
    touched = pl.Series(sorted(splits.touched), dtype=pl.String).implode()
    parted = support.filter(pl.col("evidence_id").is_in(pl.Series(named, dtype=pl.String).implode()))["item_id"]
    open_ = (
        pl.col("source_id").is_in(touched)
        | pl.col("target_id").is_in(touched)
        | pl.col("relation_id").is_in(parted.unique().implode())
    )
    whole = moved.with_columns(statement_id=pl.lit(None, pl.String), share=pl.lit(1.0))
    if not splits.touched and not named:
        return whole
    rows = moved.filter(open_).join(support, left_on="relation_id", right_on="item_id")
    told = statements.select(
        "statement_id", "doc_id", "chunk_id", "start", "end", "subject", "object", said="confidence"
    )
    rows = rows.rename({"evidence_id": "statement_id"}).join(told, on="statement_id", how="left")
    rows = rows.with_columns(share=pl.len().over("relation_id").cast(pl.Float64), confidence="said")
    rows = _resolve(rows, splits, dict(canonical.iter_rows()).get)
    rest = whole.filter(~pl.col("relation_id").is_in(rows["relation_id"].unique().implode()))
    return pl.concat([rest, rows.with_columns(weight=pl.col("weight") / pl.col("share")).select(rest.columns)])


def _resolve(rows: pl.DataFrame, splits: Splits, stands: Callable[[str, str], str]) -> pl.DataFrame:
    """Find the entity that each end of each statement means now."""
    for side, name in (("source_id", "subject"), ("target_id", "object")):
        ends = []
        columns = (side, f"new_{side}", "doc_id", "chunk_id", "start", "end", name)
        for base, now, doc_id, chunk_id, start, end, text in rows.select(columns).iter_rows():
            if base in splits.touched:
                node = splits.end_of(base, Unit(doc_id, chunk_id, start, end, normalise_name(text or "")))
                ends.append(stands(node, node))
            else:
                ends.append(now)
        rows = rows.with_columns(pl.Series(f"new_{side}", ends, dtype=pl.String))
    return rows


def _judge(units: pl.DataFrame, facts: Facts, decisions: dict[str, Decision]) -> tuple[pl.DataFrame, set[str]]:
    """Apply decisions about relations to the units that they are about."""
    units = units.with_columns(by=pl.lit(None, pl.String))
    if not decisions:
        return units, set()
    about = pl.Series(sorted(decisions), dtype=pl.String).implode()
    known = pl.DataFrame(list(facts.known()), schema=dict.fromkeys(_NEW, pl.String), orient="row")
    units = units.with_row_index("at")
    named = units.join(known, on=_NEW, how="semi")["at"]
    meant = (
        pl.col("relation_id").is_in(about)
        | pl.col("key").is_in(about).fill_null(value=False)
        | pl.col("at").is_in(named.implode())
    )
    rows = units.filter(meant)
    verdicts = [
        facts.judge(base_id, statement_id, Fact(*fact))
        for base_id, statement_id, *fact in rows.select("relation_id", "statement_id", *_NEW).iter_rows()
    ]
    rows = _with_verdicts(rows, verdicts)
    units = pl.concat([units.filter(~meant), rows]).drop("at")
    return units, {used for verdict in verdicts for used in verdict.used}


def _with_verdicts(rows: pl.DataFrame, verdicts: list[Verdict]) -> pl.DataFrame:
    columns = {f"new_{c}": [getattr(v.fact, c) for v in verdicts] for c in _FACT}
    by = pl.Series("by", [v.rejected_by for v in verdicts], dtype=pl.String)
    rows = rows.with_columns(*(pl.Series(name, values, dtype=pl.String) for name, values in columns.items()), by)
    reason = pl.when(pl.col("by").is_not_null()).then(pl.lit("rejected"))
    return rows.with_columns(reason.alias("reason"), _CHANGED.alias("changed")).with_columns(key=_ids(rows))


def _gather(
    relations: pl.DataFrame, support: pl.DataFrame, statements: pl.DataFrame, units: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Unite what says the same, keep what did not change as it was, and list what was withheld."""
    out = units.filter(pl.col("reason").is_not_null())
    kept = units.filter(pl.col("reason").is_null())
    parted = pl.concat([out["relation_id"], kept.filter(pl.col("statement_id").is_not_null())["relation_id"]]).unique()
    anew = pl.col("changed") | pl.col("relation_id").is_in(parted.implode())
    keys = kept.filter(anew).select(_NEW).unique()
    same = kept.join(keys, on=_NEW, how="anti")
    group = kept.join(keys, on=_NEW, how="semi")
    own = pl.col("relation_id").filter(~pl.col("changed")).min()
    named = group.group_by(_NEW).agg(own.alias("own"), pl.col("key").min().alias("made"))
    group = group.join(named.with_columns(final=pl.coalesce("own", "made")), on=_NEW)
    whole = support.join(
        group.filter(pl.col("statement_id").is_null()).select("relation_id", "final"),
        left_on="item_id",
        right_on="relation_id",
    ).select(item_id="final", evidence_id="evidence_id")
    single = group.filter(pl.col("statement_id").is_not_null()).select(item_id="final", evidence_id="statement_id")
    fresh = pl.concat([whole, single]).unique()
    docs = fresh.join(statements.select("statement_id", "doc_id"), left_on="evidence_id", right_on="statement_id")
    counted = docs.group_by("item_id").agg(counted=pl.col("doc_id").n_unique())
    agreed = (
        group.sort("final", "relation_id", "statement_id")
        .group_by("final", maintain_order=True)
        .agg(
            pl.col(_NEW).first(),
            pl.col("weight").sum(),
            pl.col("n_documents").filter(pl.col("statement_id").is_null()).max().alias("least"),
            pl.col("confidence").max(),
        )
    )
    agreed = agreed.join(counted, left_on="final", right_on="item_id", how="left")
    agreed = agreed.rename({"final": "relation_id", **{f"new_{c}": c for c in _FACT}}).with_columns(
        n_documents=pl.max_horizontal("least", "counted").fill_null(0).cast(pl.Int64)
    )
    unchanged = relations.join(same.select("relation_id").unique(), on="relation_id", how="semi")
    made = pl.concat([unchanged, agreed.select(unchanged.columns)]).sort("relation_id")
    old = support.join(unchanged.select("relation_id"), left_on="item_id", right_on="relation_id", how="semi")
    return made, pl.concat([old.select(fresh.columns), fresh]), _withheld(out, support)


def _withheld(out: pl.DataFrame, support: pl.DataFrame) -> pl.DataFrame:
    whole = out.filter(pl.col("statement_id").is_null())
    told = support.group_by("item_id").agg(statement_ids=pl.col("evidence_id").sort())
    whole = whole.join(told, left_on="relation_id", right_on="item_id", how="left")
    single = out.filter(pl.col("statement_id").is_not_null())
    single = single.with_columns(statement_ids=pl.concat_list("statement_id"))
    columns = ["relation_id", *_FACT, "weight", "statement_ids", "reason", "by"]
    rows = pl.concat([whole.select(columns), single.select(columns)])
    return (
        rows.group_by("relation_id", "reason")
        .agg(
            pl.col(_FACT).first(),
            pl.col("weight").sum(),
            pl.col("statement_ids").explode().drop_nulls().unique().sort(),
            decision_ids=pl.col("by").drop_nulls().unique().sort(),
        )
        .sort("relation_id", "reason")
    )
