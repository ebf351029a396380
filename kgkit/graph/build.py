"""`build_graph`: what mentions and statements agree on, with every one of them accounted for."""

from __future__ import annotations

from typing import Any, Literal

import polars as pl

from kgkit import tables
from kgkit.errors import OptionError, SchemaError
from kgkit.frames import Taken, give, take
from kgkit.graph.ends import SIDES, end_columns, ends_of, resolve_ends
from kgkit.graph.keys import add_keys, name_keys
from kgkit.graph.merged import merge_attributes, merge_descriptions, merge_spellings
from kgkit.graph.model import Graph
from kgkit.ids import stable_id_series
from kgkit.results import outcomes_from

__all__ = ["build_graph"]

_RELATION = ["source_id", "predicate", "target_id", "polarity"]


def build_graph(
    mentions: Any,
    statements: Any = None,
    *,
    undeclared: Literal["skip", "entity"] = "skip",
    unlocated: Literal["skip", "keep"] = "skip",
) -> Graph:
    """Make a graph: entities from mentions, relations from statements, and the evidence that links them.

    Mentions whose names are equal after `kgkit.text.normalise_name` and whose types are equal are one entity, in
    all documents; nothing else is joined without a decision. A mention without a type is an entity without a
    type, apart from those of that name which have one. Statements with the same ends, predicate and polarity are
    one relation: direction counts, and parallel, opposite, negated and self-relations are all kept.

    An end of a statement is looked up among the mentions of its chunk, then of its document: by name and type, or
    by name alone when it states no type. Mentions and statements whose words were not located are no evidence.

    Nothing vanishes: each mention and each statement has an outcome. Statements are skipped with the reason
    ``unlocated``, ``empty_end``, ``empty_predicate``, ``undeclared_end`` (no located mention in the document) or
    ``ambiguous_end`` (several), mentions with ``unlocated`` or ``no_name``.

    Args:
        mentions: A mentions frame, or the result of `extract`.
        statements: A statements frame; those of the result when left out.
        undeclared: What becomes of an end that is no mention: ``"skip"`` its statement, or make it an
            ``"entity"`` with ``n_mentions`` 0.
        unlocated: ``"skip"`` mentions and statements whose words were not found in the text, or ``"keep"`` them.

    Returns:
        A `Graph`: ``entities`` (ordered by id), ``relations`` (ordered by id), ``evidence``, the ``mentions`` and
        ``statements`` as they came, and ``outcomes``. A relation's ``weight`` is its number of statements, its
        ``confidence`` the highest of theirs: statements of one extractor err together, so their number is
        shown and not multiplied into certainty.

    Raises:
        FrameTypeError: An argument is no frame or result.
        SchemaError: A frame lacks columns, or a mention and a statement share an id.
        OptionError: An option has an unknown value.

    Example:
        >>> import polars as pl
        >>> rows = [("m1", "d1", "Grace Hopper", "PERSON"), ("m2", "d2", "GRACE  HOPPER", "PERSON")]
        >>> mentions = pl.DataFrame(rows, schema=["mention_id", "doc_id", "name", "type"], orient="row")
        >>> mentions = mentions.with_columns(attributes=pl.lit("{}"), located=pl.lit("exact"), origin=pl.lit("me"))
        >>> build_graph(mentions).entities.select("name", "aliases", "n_mentions").row(0)
        ('GRACE HOPPER', ['Grace Hopper'], 2)
    """
    _check("undeclared", undeclared, ("skip", "entity"))
    _check("unlocated", unlocated, ("skip", "keep"))
    taken, said = take(mentions, "mentions"), _take_statements(mentions, statements)
    names = [taken.frame["name"], *(said.frame[s] for s in SIDES)]
    keys = name_keys(pl.concat([n.alias("name") for n in names]))
    heard = _mark_mentions(add_keys(taken.frame, keys, "name"), unlocated)
    stated = _mark_statements(said.frame, keys, unlocated)
    ids, linked = _identify(heard)
    resolved = resolve_ends(ends_of(stated), linked.select("doc_id", "chunk_id", "key", "type", "entity"))
    if undeclared == "entity":
        ids, linked, resolved = _declare(ids, heard, stated, resolved)
    stated = _judge(_attach(stated, resolved, ids))
    good = stated.filter(pl.col("reason").is_null())
    entities, bad = _entities(ids, linked, _uses(linked, stated if undeclared == "entity" else good.clear()))
    relations, support = _relations(good)
    frames = {
        "entities": entities,
        "relations": relations,
        "evidence": _evidence(ids, linked, support),
        "mentions": taken.frame,
        "statements": said.frame,
        "outcomes": _outcomes(heard, stated, bad, {"undeclared": undeclared, "unlocated": unlocated}),
    }
    return Graph(**{name: give(frame, name, taken.backend) for name, frame in frames.items()})


def _check(option: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise OptionError.not_one_of(option, value, allowed)


def _take_statements(mentions: Any, statements: Any) -> Taken:
    if statements is not None:
        return take(statements, "statements")
    if isinstance(getattr(mentions, "frames", None), dict) and "statements" in mentions.frames:
        return take(mentions, "statements")
    return Taken(tables.empty("statements"), "polars")


def _mark_mentions(mentions: pl.DataFrame, unlocated: str) -> pl.DataFrame:
    lost = (pl.col("located") == "unlocated") & (unlocated == "skip")
    reason = pl.when(lost).then(pl.lit("unlocated")).when(pl.col("key") == "").then(pl.lit("no_name"))
    return mentions.with_columns(reason.alias("reason"))


def _mark_statements(statements: pl.DataFrame, keys: pl.DataFrame, unlocated: str) -> pl.DataFrame:
    lost = (pl.col("located") == "unlocated") & (unlocated == "skip")
    for side in SIDES:
        named = keys.rename({"key": f"{side}_key", "spelling": f"{side}_spelling"})
        statements = add_keys(statements, named, side)
    reason = (
        pl.when(lost)
        .then(pl.lit("unlocated"))
        .when((pl.col("subject_key") == "") | (pl.col("object_key") == ""))
        .then(pl.lit("empty_end"))
        .when(pl.col("predicate").str.strip_chars() == "")
        .then(pl.lit("empty_predicate"))
    )
    return statements.with_columns(reason.alias("reason"))


def _identify(heard: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Give ids to the (type, key) groups, in the order of the ids, and link the mentions that count to them."""
    counted = heard.filter(pl.col("reason").is_null())
    ids = _with_ids(counted.select("type", "key").unique())
    return ids, counted.join(ids.drop("entity_id"), on=["type", "key"], nulls_equal=True)


def _with_ids(groups: pl.DataFrame) -> pl.DataFrame:
    ids = stable_id_series("entity", groups["type"], groups["key"]).alias("entity_id")
    return groups.with_columns(ids).sort("entity_id").with_row_index("entity")


def _declare(
    ids: pl.DataFrame, heard: pl.DataFrame, stated: pl.DataFrame, resolved: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Make entities of ends that nothing declares, and number all entities anew."""
    wanted = ends_of(stated.filter(pl.col("reason").is_null()))
    open_ends = resolved.filter(pl.col("candidates") == 0)
    new = open_ends.join(wanted, on=wanted.columns, how="semi", nulls_equal=True).select("type", "key")
    everything = _with_ids(pl.concat([ids.select("type", "key"), new]).unique())
    numbers = everything.drop("entity_id")
    linked = heard.filter(pl.col("reason").is_null()).join(numbers, on=["type", "key"], nulls_equal=True)
    old = ids.select("entity", "type", "key").join(numbers, on=["type", "key"], nulls_equal=True, suffix="_new")
    moved = resolved.join(old.select("entity", "entity_new"), on="entity", how="left")
    own = moved.join(numbers.rename({"entity": "own"}), on=["type", "key"], how="left", nulls_equal=True)
    entity = pl.when(pl.col("candidates") == 0).then(pl.col("own")).otherwise(pl.col("entity_new"))
    return everything, linked, own.with_columns(entity=entity).drop("entity_new", "own")


def _attach(stated: pl.DataFrame, resolved: pl.DataFrame, ids: pl.DataFrame) -> pl.DataFrame:
    found = resolved.join(ids.select("entity", "entity_id"), on="entity", how="left")
    for side, column in zip(SIDES, ("source_id", "target_id"), strict=True):
        there = found.rename({"entity": f"{side}_entity", "entity_id": column, "candidates": f"{side}_candidates"})
        stated = stated.join(
            there,
            left_on=end_columns(side),
            right_on=["doc_id", "chunk_id", "key", "type"],
            how="left",
            nulls_equal=True,
        )
    return stated


def _judge(stated: pl.DataFrame) -> pl.DataFrame:
    """Say why a statement makes no relation, and which of its ends is to blame."""
    missing = [pl.col(f"{s}_entity").is_null() for s in SIDES]
    many = [pl.col(f"{s}_candidates") > 1 for s in SIDES]
    none = [absent & ~several for absent, several in zip(missing, many, strict=True)]
    reason = (
        pl.when(pl.col("reason").is_not_null())
        .then(pl.col("reason"))
        .when(none[0] | none[1])
        .then(pl.lit("undeclared_end"))
        .when(many[0] | many[1])
        .then(pl.lit("ambiguous_end"))
    )
    return stated.with_columns(
        reason.alias("reason"),
        pl.concat_str(
            [_blame(s, n, m) for s, n, m in zip(SIDES, none, many, strict=True)], separator="; ", ignore_nulls=True
        ).alias("detail"),
    )


def _blame(side: str, none: pl.Expr, many: pl.Expr) -> pl.Expr:
    typed = (
        pl.when(pl.col(f"{side}_type").is_null())
        .then(pl.lit(""))
        .otherwise(pl.concat_str(pl.lit(" as "), f"{side}_type"))
    )
    absent = pl.concat_str(pl.lit(f"the {side} '"), side, pl.lit("'"), typed, pl.lit(" is no located mention here"))
    several = pl.concat_str(
        pl.lit(f"the {side} '"), side, pl.lit("' may be any of "), f"{side}_candidates", pl.lit(" entities named here")
    )
    return pl.when(none).then(absent).when(many).then(several)


def _uses(linked: pl.DataFrame, ends: pl.DataFrame) -> pl.DataFrame:
    """List every use of a spelling: by mentions, and by ends that no mention declares."""
    parts = [linked.select("entity", "spelling", mentioned=pl.lit(value=True))]
    for side in SIDES:
        bare = ends.filter(pl.col("reason").is_null() & (pl.col(f"{side}_candidates") == 0))
        parts.append(
            bare.select(
                pl.col(f"{side}_entity").alias("entity"),
                pl.col(f"{side}_spelling").alias("spelling"),
                mentioned=pl.lit(value=False),
            )
        )
    return pl.concat(parts)


def _entities(ids: pl.DataFrame, linked: pl.DataFrame, uses: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    counts = linked.group_by("entity").agg(pl.len().alias("n_mentions"))
    documents = linked.select("entity", "doc_id").unique().group_by("entity").agg(pl.len().alias("n_documents"))
    attributes, bad = merge_attributes(linked)
    entities = ids.join(merge_spellings(uses), on="entity", how="left")
    for part in (merge_descriptions(linked), attributes, counts, documents):
        entities = entities.join(part, on="entity", how="left")
    filled = entities.sort("entity").with_columns(
        pl.col("attributes").fill_null("{}"), pl.col("n_mentions", "n_documents").fill_null(0)
    )
    return tables.conform(filled, "entities"), bad


def _relations(good: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Group statements into relations; also return which statement supports which."""
    groups = good.group_by(_RELATION).agg(
        pl.len().cast(pl.Float64).alias("weight"),
        pl.col("doc_id").n_unique().alias("n_documents"),
        pl.col("confidence").max(),
    )
    ids = stable_id_series("relation", *(groups[c] for c in _RELATION)).alias("relation_id")
    groups = groups.with_columns(ids)
    support = good.select(*_RELATION, "statement_id").join(groups.select(*_RELATION, "relation_id"), on=_RELATION)
    return tables.conform(groups.sort("relation_id"), "relations"), support.select("relation_id", "statement_id")


def _evidence(ids: pl.DataFrame, linked: pl.DataFrame, support: pl.DataFrame) -> pl.DataFrame:
    of_entities = linked.select("entity", evidence_id="mention_id").join(ids.select("entity", "entity_id"), on="entity")
    parts = [
        of_entities.select(item_id="entity_id", item_kind=pl.lit("entity"), evidence_id="evidence_id"),
        support.select(item_id="relation_id", item_kind=pl.lit("relation"), evidence_id="statement_id"),
    ]
    return tables.conform(pl.concat(parts).sort("item_id", "evidence_id"), "evidence")


def _outcomes(heard: pl.DataFrame, stated: pl.DataFrame, bad: pl.Series, params: dict[str, str]) -> pl.DataFrame:
    status = pl.when(pl.col("reason").is_null()).then(pl.lit("ok")).otherwise(pl.lit("skipped")).alias("status")
    odd = pl.col("reason").is_null() & pl.col("attributes").str.strip_chars().is_in(bad.implode())
    note = pl.lit(["bad_attributes: not a JSON object, kept as text"], pl.List(pl.String))
    notes = pl.when(odd).then(note).otherwise(pl.lit([], pl.List(pl.String))).alias("notes")
    words = pl.when(pl.col("reason") == "unlocated").then(pl.lit("its words were not found in the text"))
    of_mentions = heard.select("reason", status, notes, item_id="mention_id", detail=words)
    of_statements = stated.select(
        "reason",
        status,
        notes=pl.lit([], pl.List(pl.String)),
        item_id="statement_id",
        detail=pl.when(pl.col("reason").str.ends_with("d_end") | (pl.col("reason") == "ambiguous_end"))
        .then("detail")
        .otherwise(words),
    )
    rows = pl.concat([of_mentions, of_statements], how="diagonal")
    shared = rows["item_id"].filter(rows["item_id"].is_duplicated())
    if len(shared):
        msg = f"The id {shared.sort()[0]!r} is that of a mention and of a statement; each needs an id of its own."
        raise SchemaError(msg)
    return outcomes_from("build_graph", rows["item_id"], rows, params=params)
