"""`build_graph`: what mentions and statements agree on, with every one of them accounted for."""

from __future__ import annotations

from typing import Any, Literal

import polars as pl

from kgkit import tables
from kgkit.errors import OptionError
from kgkit.frames import Taken, give, take
from kgkit.graph.account import account
from kgkit.graph.ends import resolve_ends
from kgkit.graph.keys import name_keys, number
from kgkit.graph.merged import merge_attributes, merge_descriptions, merge_spellings
from kgkit.graph.model import Graph
from kgkit.ids import stable_id_series

__all__ = ["build_graph"]

_RELATION = ["source_id", "predicate", "target_id", "polarity"]
_RELATION_NO = ["subject_entity", "predicate_no", "object_entity", "polarity_no"]
_NAMED = ["type_no", "key_no"]
_PLACE = ["doc_no", "chunk_no", *_NAMED]
_SIDES = ("subject", "object")
_OF_MENTIONS = [
    "mention_id", "doc_id", "start", "type", "key", "spelling", "description", "attributes", "reason", *_PLACE,
]  # fmt: skip
_OF_STATEMENTS = [
    "statement_id", "predicate", "polarity", "confidence", "doc_no", "reason",
    *(f"{side}_{column}" for side in _SIDES for column in ("entity", "candidates", "spelling")),
]  # fmt: skip


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

    Examples:
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
    heard, stated = _number(taken.frame, said.frame)
    heard, stated = _judge_mentions(heard, unlocated), _judge_statements(stated, unlocated)
    counted = heard.select(_OF_MENTIONS).filter(pl.col("reason").is_null())
    groups = counted.select(*_NAMED, "type", "key").unique(_NAMED).with_row_index("entity")
    linked = counted.join(groups.select(*_NAMED, "entity"), on=_NAMED, nulls_equal=True)
    stated = _resolve(stated, linked)
    if undeclared == "entity":
        groups, stated = _declare(groups, stated)
    stated = _judge_ends(stated)
    good = stated.select(_OF_STATEMENTS).filter(pl.col("reason").is_null())
    groups = groups.with_columns(stable_id_series("entity", groups["type"], groups["key"]).alias("entity_id"))
    entities, bad = _entities(groups, linked, good)
    relations, support = _relations(groups, good)
    frames = {
        "entities": entities,
        "relations": relations,
        "evidence": _evidence(groups, linked, support),
        "mentions": taken.frame,
        "statements": said.frame,
        "outcomes": account(heard, stated, bad, {"undeclared": undeclared, "unlocated": unlocated}),
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


def _number(mentions: pl.DataFrame, statements: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Add keys, spellings, and numbers for what is joined and grouped by."""
    keys = name_keys([mentions["name"], statements["subject"], statements["object"]])
    docs = number([mentions["doc_id"], statements["doc_id"]])
    chunks = number([mentions["chunk_id"], statements["chunk_id"]])
    types = number([mentions["type"], statements["subject_type"], statements["object_type"]])
    numbers = {"doc_no": docs, "chunk_no": chunks}
    heard = mentions.with_columns(
        *_look_up(mentions["name"], keys), types[0].alias("type_no"), **{n: s[0] for n, s in numbers.items()}
    )
    stated = statements.with_columns(**{n: s[1] for n, s in numbers.items()})
    for side, type_no in zip(_SIDES, types[1:], strict=True):
        own = [column.alias(f"{side}_{column.name}") for column in _look_up(statements[side], keys)]
        stated = stated.with_columns(*own, type_no.alias(f"{side}_type_no"))
    return heard, stated


def _look_up(names: pl.Series, keys: pl.DataFrame) -> list[pl.Series]:
    found = names.to_frame("name").join(keys, on="name", how="left", maintain_order="left")
    return found.drop("name").get_columns()


def _lost(unlocated: str) -> pl.Expr:
    return (pl.col("located") == "unlocated") & (unlocated == "skip")


def _judge_mentions(heard: pl.DataFrame, unlocated: str) -> pl.DataFrame:
    reason = pl.when(_lost(unlocated)).then(pl.lit("unlocated")).when(pl.col("key") == "").then(pl.lit("no_name"))
    return heard.with_columns(reason.alias("reason"))


def _judge_statements(stated: pl.DataFrame, unlocated: str) -> pl.DataFrame:
    reason = (
        pl.when(_lost(unlocated))
        .then(pl.lit("unlocated"))
        .when((pl.col("subject_key") == "") | (pl.col("object_key") == ""))
        .then(pl.lit("empty_end"))
        .when(pl.col("predicate").str.strip_chars() == "")
        .then(pl.lit("empty_predicate"))
    )
    return stated.with_columns(reason.alias("reason"))


def _judge_ends(stated: pl.DataFrame) -> pl.DataFrame:
    found = [pl.col(f"{s}_entity").is_not_null() for s in _SIDES]
    many = [pl.col(f"{s}_candidates") > 1 for s in _SIDES]
    reason = (
        pl.when(pl.col("reason").is_not_null() | (found[0] & found[1]))
        .then(pl.col("reason"))
        .when((found[0] | many[0]) & (found[1] | many[1]))
        .then(pl.lit("ambiguous_end"))
        .otherwise(pl.lit("undeclared_end"))
    )
    return stated.with_columns(reason.alias("reason"))


def _resolve(stated: pl.DataFrame, linked: pl.DataFrame) -> pl.DataFrame:
    """Add the entity that each end means, and how many there were to choose from."""
    ends = [
        stated.select("doc_no", "chunk_no", type_no=f"{s}_type_no", key_no=f"{s}_key_no").select(_PLACE) for s in _SIDES
    ]
    found = resolve_ends(pl.concat(ends), linked.select(*_PLACE, "entity"))
    for place, side in enumerate(_SIDES):
        part = found.slice(place * stated.height, stated.height)
        stated = stated.with_columns(part.select(pl.all().name.prefix(f"{side}_")).get_columns())
    return stated


def _declare(groups: pl.DataFrame, stated: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Make entities of the ends that no mention declares."""
    parts = []
    for side in _SIDES:
        open_end = pl.col("reason").is_null() & (pl.col(f"{side}_candidates") == 0)
        columns = {c: f"{side}_{c}" for c in (*_NAMED, "type", "key")}
        parts.append(stated.filter(open_end).select(**columns))
    new = pl.concat(parts).unique(_NAMED).join(groups, on=_NAMED, how="anti", nulls_equal=True)
    new = new.with_row_index("entity", offset=groups.height).select(groups.columns)
    groups = pl.concat([groups, new])
    for side in _SIDES:
        names = groups.select("entity", *_NAMED).rename({c: f"{side}_{c}" for c in _NAMED} | {"entity": "declared"})
        stated = stated.join(
            names, on=[f"{side}_{c}" for c in _NAMED], how="left", nulls_equal=True, maintain_order="left"
        )
        chosen = pl.when(pl.col(f"{side}_candidates") == 0).then("declared").otherwise(f"{side}_entity")
        stated = stated.with_columns(chosen.alias(f"{side}_entity")).drop("declared")
    return groups, stated


def _entities(groups: pl.DataFrame, linked: pl.DataFrame, good: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Make the entities; also return the texts of attributes that are no JSON objects."""
    uses = [linked.select("entity", "spelling", mentioned=pl.lit(value=True))]
    for side in _SIDES:  # only ends that no mention declares: others are spelled by their mentions
        bare = good.filter(pl.col(f"{side}_candidates") == 0)
        uses.append(bare.select(entity=f"{side}_entity", spelling=f"{side}_spelling", mentioned=pl.lit(value=False)))
    attributes, bad = merge_attributes(linked)
    parts = (
        merge_spellings(pl.concat(uses)),
        merge_descriptions(linked),
        attributes,
        linked.group_by("entity").agg(n_mentions=pl.len()),
        linked.select("entity", "doc_no").unique().group_by("entity").agg(n_documents=pl.len()),
    )
    entities = groups
    for part in parts:
        entities = entities.join(part, on="entity", how="left")
    entities = entities.filter(pl.col("name").is_not_null())  # declared by a statement whose other end stayed open
    filled = entities.with_columns(
        pl.col("attributes").fill_null("{}"), pl.col("n_mentions", "n_documents").fill_null(0)
    )
    return tables.conform(filled.sort("entity_id"), "entities"), bad


def _relations(groups: pl.DataFrame, good: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Group statements into relations; also return which statement supports which."""
    good = good.with_columns(
        number([good["predicate"]])[0].alias("predicate_no"), number([good["polarity"]])[0].alias("polarity_no")
    )
    agreed = good.group_by(_RELATION_NO).agg(
        pl.col("predicate", "polarity").first(),
        pl.col("doc_no").n_unique().alias("n_documents"),
        pl.col("confidence").max(),
        weight=pl.len().cast(pl.Float64),
    )
    ids = groups.sort("entity")["entity_id"]
    agreed = agreed.with_columns(
        ids.gather(agreed["subject_entity"]).alias("source_id"), ids.gather(agreed["object_entity"]).alias("target_id")
    )
    agreed = agreed.with_columns(stable_id_series("relation", *(agreed[c] for c in _RELATION)).alias("relation_id"))
    support = good.select(*_RELATION_NO, "statement_id").join(
        agreed.select(*_RELATION_NO, "relation_id"), on=_RELATION_NO
    )
    relations = tables.conform(agreed.drop(_RELATION_NO).sort("relation_id"), "relations")
    return relations, support.select("relation_id", "statement_id")


def _evidence(groups: pl.DataFrame, linked: pl.DataFrame, support: pl.DataFrame) -> pl.DataFrame:
    entity_id = groups.sort("entity")["entity_id"].gather(linked["entity"])
    of_entities = linked.select(item_id=entity_id, item_kind=pl.lit("entity"), evidence_id="mention_id")
    of_relations = support.select(item_id="relation_id", item_kind=pl.lit("relation"), evidence_id="statement_id")
    return tables.conform(pl.concat([of_entities, of_relations]).sort("item_id", "evidence_id"), "evidence")
