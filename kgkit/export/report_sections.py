"""The sections of a report, each a function from tables to HTML; a section without data is an empty text."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import polars as pl

from kgkit.export.report_parts import (
    bar,
    bdi,
    count,
    joined,
    limit_note,
    paragraph,
    quoted,
    quotes,
    sentence,
    table,
    text,
)
from kgkit.frames import to_polars
from kgkit.notebook.evidence import Evidence
from kgkit.notebook.graph_data import ColorBy, gather
from kgkit.notebook.payload import make_payload
from kgkit.notebook.picture import picture_svg
from kgkit.results import STATUSES

_PICTURED = 220
_NOT_READ, _PER_TYPE, _TYPES, _COMMUNITIES, _RELATIONS, _QUALIFIED, _ANSWERS = 60, 10, 8, 24, 30, 30, 60
_QUOTES = 2
_LIBRARIES = ("kgkit", "polars", "spacy", "igraph", "scikit-learn")

Held = dict[str, pl.DataFrame]
Where = dict[str, str]


def read_section(held: Held, stages: list[Any]) -> str:
    """What was read, how much of everything there is, and first of all what could not be read."""
    names = ("documents", "chunks", "mentions", "statements", "entities", "relations")
    tiles = [f"<li><b>{held[n].height:,}</b><span>{n}</span></li>" for n in names if n in held]
    if "communities" in held:
        grouped = held["communities"].filter(pl.col("level") == 0, pl.col("status") == "grouped")
        tiles.append(f"<li><b>{grouped['community_id'].n_unique():,}</b><span>communities</span></li>")
    kinds = ""
    if "documents" in held and held["documents"].height:
        by = held["documents"].group_by("media_type").agg(pl.len(), pl.col("n_chars").sum())
        rows = by.sort("len", "media_type", descending=[True, False]).iter_rows()
        cells = ([text(kind), f"{n:,}", f"{chars:,}"] for kind, n, chars in rows)
        inner = table(["kind", "documents", "characters"], cells, numbers=(1, 2))
        kinds = f"<details><summary>By kind of file</summary>{inner}</details>"
    return joined(f'<ul class="counts">{"".join(tiles)}</ul>', _not_read(stages), kinds)


def _not_read(stages: list[Any]) -> str:
    """Items of the first stage that gave nothing, with the reason."""
    outcomes = to_polars(stages[0].frames["outcomes"]) if "outcomes" in stages[0].frames else pl.DataFrame()
    if not outcomes.height:
        return ""
    order = pl.col("status").replace_strict({"failed": 0, "empty": 1, "skipped": 2, "ok": 3}, return_dtype=pl.Int64)
    bad = outcomes.filter(pl.col("status") != "ok").sort(order, "item_id")
    noted = outcomes.filter(pl.col("status") == "ok", pl.col("notes").list.len() > 0).sort("item_id")
    if not bad.height:
        first = paragraph(f"All {count(outcomes.height, 'item')} could be read.")
    else:
        rows = (
            [bdi(i), text(s), bdi(d or r)]
            for i, s, r, d in bad.head(_NOT_READ).select("item_id", "status", "reason", "detail").iter_rows()
        )
        by = dict(bad["status"].value_counts().iter_rows())
        title = f"Of {count(outcomes.height, 'item')}: {', '.join(f'{by[s]:,} {s}' for s in STATUSES if s in by)}"
        first = joined(
            f'<h3 class="bad">{text(title)}</h3>',
            table(["item", "status", "why"], rows),
            limit_note(min(bad.height, _NOT_READ), bad.height, "item", "outcomes", {}),
        )
    if not noted.height:
        return first
    remarks = ([bdi(i), bdi("; ".join(n))] for i, n in noted.head(_NOT_READ).select("item_id", "notes").iter_rows())
    return joined(
        first,
        f"<details><summary>{noted.height:,} read with a remark</summary>{table(['item', 'remark'], remarks)}"
        f"{limit_note(min(noted.height, _NOT_READ), noted.height, 'item', 'outcomes', {})}</details>",
    )  # fmt: skip


def picture_section(held: Held, communities: Any, where: Where, *, seed: int) -> str:
    """A still picture of the graph."""
    if "entities" not in held or "relations" not in held or not held["entities"].height:
        return ""
    data = gather(held["entities"], held["relations"], communities=communities, max_nodes=_PICTURED)
    color: ColorBy = "type" if communities is None else "community"
    svg = picture_svg(data, make_payload(data, color_by=color, size_by="degree", seed=seed, title=None), page=True)
    link = (
        f'<a href="{text(where["graph"])}">Open the graph</a> to search it and to see the words behind it.'
        if "graph" in where
        else ""
    )
    return f"<figure>{svg}<figcaption>{link}</figcaption></figure>"


def entities_section(held: Held, where: Where) -> str:
    """The most mentioned entities of each type."""
    if "entities" not in held or not held["entities"].height:
        return ""
    entities = held["entities"].with_columns(kind=pl.col("type").fill_null("(no type)"))
    by = entities.group_by("kind").len().sort("len", "kind", descending=[True, False])
    most, shown, parts = max([1, *entities["n_mentions"].to_list()]), 0, []
    for kind, n in by.head(_TYPES).iter_rows():
        ranked = entities.filter(pl.col("kind") == kind).sort(
            "n_mentions", "n_documents", "entity_id", descending=[True, True, False]
        )
        top = ranked.head(_PER_TYPE)
        shown += top.height
        rows = (
            [_named(e), f"{e['n_mentions']:,}", f"{e['n_documents']:,}", bar(e["n_mentions"] / most)]
            for e in top.iter_rows(named=True)
        )
        parts.append(
            f"<h3>{text(kind)} <small>{n:,}</small></h3>"
            + table(["name", "mentions", "documents", ""], rows, numbers=(1, 2), bars=3)
        )
    return joined(
        '<h2 id="entities">Most mentioned entities</h2>',
        limit_note(shown, entities.height, "entity", "entities", where),
        *parts,
    )


def _named(entity: dict[str, Any]) -> str:
    also = entity["aliases"] or []
    more = f", and {len(also) - 4} more" if len(also) > 4 else ""
    other = f" <small>also {', '.join(bdi(a) for a in also[:4])}{more}</small>" if also else ""
    about = f"<br><small>{bdi(entity['description'])}</small>" if entity["description"] else ""
    return f"<b>{bdi(entity['name'])}</b>{other}{about}"


def communities_section(held: Held, where: Where) -> str:
    """The largest communities of the finest level, with titles, members and summaries."""
    if "communities" not in held or "entities" not in held:
        return ""
    finest = held["communities"].filter(pl.col("level") == 0)
    names = held["entities"].select("entity_id", "name", "n_mentions")
    grouped = (
        finest.filter(pl.col("status") == "grouped").join(names, on="entity_id")
        .sort("n_mentions", "entity_id", descending=[True, False])
        .group_by("community_id", maintain_order=True).agg(pl.len().alias("size"), pl.col("name"))
        .sort("size", "community_id", descending=[True, False])
    )  # fmt: skip
    if not grouped.height:
        return ""
    reports = held.get(
        "reports",
        pl.DataFrame(schema={"level": pl.Int64, "community_id": pl.String, "title": pl.String, "summary": pl.String}),
    )
    told = {
        i: (t, s) for lv, i, t, s in reports.select("level", "community_id", "title", "summary").iter_rows() if lv == 0
    }
    rows = []
    for community, size, members in grouped.head(_COMMUNITIES).iter_rows():
        title, summary = told.get(community, (", ".join(members[:2]), None))
        some = ", ".join(bdi(m) for m in members[:8]) + (f" and {len(members) - 8:,} more" if len(members) > 8 else "")
        rows.append(
            [f"<b>{bdi(title)}</b>{f'<br>{bdi(summary)}' if summary else ''}<br><small>{some}</small>", f"{size:,}"]
        )
    alone = finest.filter(pl.col("status") != "grouped")["entity_id"].n_unique()
    rest = (
        paragraph(f"{count(alone, 'entity')} in no community: in components too small, or without relations.", "note")
        if alone
        else ""
    )
    return joined(
        '<h2 id="communities">Communities</h2>',
        limit_note(len(rows), grouped.height, "community", "communities", where),
        table(["community", "entities"], rows, numbers=(1,)), rest,
    )  # fmt: skip


def relations_section(held: Held, evidence: Evidence, where: Where) -> str:
    """The strongest relations with their quotes; what is negated, conditional or reported stands apart."""
    if "relations" not in held or not held["relations"].height:
        return ""
    names = held["entities"].select("entity_id", "name")
    relations = (
        held["relations"].join(names.rename({"entity_id": "source_id", "name": "subject"}), on="source_id", how="left")
        .join(names.rename({"entity_id": "target_id", "name": "object"}), on="target_id", how="left")
        .sort(
            "weight", "n_documents", "confidence", "relation_id",
            descending=[True, True, True, False], nulls_last=True,
        )
    )  # fmt: skip
    stated = relations.filter(pl.col("polarity") == "positive")
    other = relations.filter(pl.col("polarity") != "positive")
    parts = [
        '<h2 id="relations">Strongest relations</h2>',
        limit_note(min(_RELATIONS, stated.height), stated.height, "stated relation", "relations", where),
    ]
    parts.append(_facts(stated.head(_RELATIONS), evidence))
    if other.height:
        parts += [
            "<h2>Negated, conditional and reported</h2>",
            paragraph("The documents do not state these as facts.", "note"),
        ]
        parts += [
            limit_note(min(_QUALIFIED, other.height), other.height, "such relation", "relations", where),
            _facts(other.head(_QUALIFIED), evidence),
        ]
    return joined(*parts)


def _facts(relations: pl.DataFrame, evidence: Evidence) -> str:
    found = evidence.of_relations(relations["relation_id"].to_list(), limit=_QUOTES)
    items = []
    for r in relations.iter_rows(named=True):
        said = f"<small> {count(int(r['weight']), 'statement')} in {count(r['n_documents'], 'document')}</small>"
        words = quotes(found[r["relation_id"]]) if r["relation_id"] in found else ""
        items.append(f"<li>{sentence(r['subject'], r['predicate'], r['object'], r['polarity'])}{said}{words}</li>")
    return f'<ol class="facts">{"".join(items)}</ol>'


def answers_section(asked: Held, where: Where) -> str:
    """Questions with their answers; each sentence has its passages, and an answer that is missing says why."""
    if "answers" not in asked or not asked["answers"].height:
        return ""
    answers = asked["answers"]
    kinds = dict(answers.group_by("status").len().sort("status").iter_rows())
    told = ", ".join(f"{n:,} {status.replace('_', ' ')}" for status, n in kinds.items())
    parts = [
        "<h2>Questions and answers</h2>",
        paragraph(f"{count(answers.height, 'question')}: {told}.", "note"),
        limit_note(min(_ANSWERS, answers.height), answers.height, "question", "answers", where),
    ]
    parts += [
        f"<article><h3>{bdi(answer['question'])}</h3>{_answer(answer, asked)}</article>"
        for answer in answers.head(_ANSWERS).iter_rows(named=True)
    ]
    return joined(*parts)


def _answer(answer: dict[str, Any], asked: Held) -> str:
    if answer["status"] != "answered":
        why = f": {text(answer['reason'].replace('_', ' '))}" if answer["reason"] else ""
        return f'<p class="note">{text(answer["status"].replace("_", " ").capitalize())}{why}.</p>'
    cited = asked.get("citations", pl.DataFrame(schema={"answer_id": pl.String, "number": pl.Int64}))
    cited = cited.filter(pl.col("answer_id") == answer["answer_id"]).sort("number")
    notes = [
        f'<li value="{c["number"]}">'
        f"{quoted(c['quote'], c['title'] or c['source'] or c['doc_id'], c['start'], c['end'], c['place'])}</li>"
        for c in cited.unique(["number"], keep="first", maintain_order=True).iter_rows(named=True)
    ]
    return f"<p>{bdi(answer['text'])}</p><ol>{''.join(notes)}</ol>"


def outcomes_section(stages: list[Any]) -> str:
    """What became of each stage's items."""
    rows: dict[str, dict[str, int]] = {}
    for stage in stages:
        if "outcomes" not in stage.frames:
            continue
        outcomes = to_polars(stage.frames["outcomes"])
        name = getattr(type(stage), "stage", "") or (outcomes["stage"][0] if outcomes.height else type(stage).__name__)
        counts = rows.setdefault(name, dict.fromkeys(STATUSES, 0))
        for status, n in outcomes["status"].value_counts().iter_rows():
            counts[status] += n
    cells = ([text(name), f"{sum(c.values()):,}", *(_counted(s, c[s]) for s in STATUSES)] for name, c in rows.items())
    return joined('<h2 id="stages">Stages</h2>', table(["stage", "in", *STATUSES], cells, numbers=range(1, 6)))


def _counted(status: str, n: int) -> str:
    return f'<span class="bad">{n:,}</span>' if status == "failed" and n else f"{n:,}"


def versions_section(held: Held) -> str:
    """What made the report: libraries, and the models that mentions and statements name as their origin."""
    libraries = [f"{name} {known}" for name in _LIBRARIES if (known := _version(name))]
    origins = sorted({o for name in ("mentions", "statements") if name in held for o in held[name]["origin"].unique()})
    return joined(
        "<h2>Made with</h2>",
        paragraph(", ".join([*libraries, f"Python {platform.python_version()}"]) + ".", "note"),
        paragraph(f"Mentions and statements come from: {'; '.join(origins[:8])}{_more(origins[8:])}.", "note")
        if origins
        else "",
    )


def _more(rest: Iterable[str]) -> str:
    n = len(list(rest))
    return f" and {n} more" if n else ""


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
