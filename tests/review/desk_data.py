"""A small graph with words behind it, and ways to review it, for the tests of reviews."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import polars as pl

import kgkit as kg
from kgkit import tables
from kgkit.graph import Graph
from kgkit.resolution import merge_id
from kgkit.reviewing import Review

TEXTS = {
    "d1": "Grace Hopper wrote the A-0. The Mark I was run by Grace Hopper.",
    "d2": "G. Hopper led the work on COBOL. Grace Hopper and Ada Lovelace never met.",
    "d3": "Ada Lovelace wrote about the engine. A. Lovelace knew Babbage. Lovelace died young.",
}
NAMES = {
    "e1": "Grace Hopper", "e2": "G. Hopper", "e3": "Ada Lovelace", "e4": "A. Lovelace", "e5": "Lovelace",
    "e6": "COBOL", "e7": "Mark I", "e8": "Mark II",
}  # fmt: skip
TYPES = {"e6": "CONCEPT", "e7": "MACHINE", "e8": "MACHINE"}
SAID = (("e1", "run", "e7", "d1", 1), ("e2", "lead", "e6", "d2", 1), ("e3", "know", "e1", "d2", 2))


def graph() -> Graph:
    """Make the graph; every mention and statement points at its words."""
    mentions, evidence, statements, relations = [], [], [], []
    entity_of = {name: entity for entity, name in NAMES.items()}
    longest_first = re.compile("|".join(sorted(map(re.escape, entity_of), key=len, reverse=True)))
    for doc, text in TEXTS.items():
        for found in longest_first.finditer(text):
            name = found.group()
            row = {"mention_id": f"m{len(mentions):02}", "doc_id": doc, "name": name, "quote": name}
            row |= {
                "start": found.start(),
                "end": found.end(),
                "located": "exact",
                "attributes": "{}",
                "origin": "test",
            }
            mentions.append(row)
            link = {"item_id": entity_of[name], "item_kind": "entity", "evidence_id": row["mention_id"]}
            evidence.append(link)
    for i, (source, predicate, target, doc, nth) in enumerate(SAID):
        quote = TEXTS[doc].split(". ")[nth].rstrip(".") + "."
        if quote.startswith("Hopper"):
            quote = "G. " + quote
        start = TEXTS[doc].find(quote)
        row = {"statement_id": f"s{i}", "doc_id": doc, "subject": NAMES[source], "predicate": predicate}
        row |= {"object": NAMES[target], "polarity": "positive", "start": start, "end": start + len(quote)}
        statements.append(row | {"quote": quote, "located": "exact", "origin": "test"})
        relation = {"relation_id": f"r{i}", "source_id": source, "predicate": predicate, "target_id": target}
        relations.append(relation | {"polarity": "positive", "weight": 1.0, "n_documents": 1, "confidence": 0.6})
        evidence.append({"item_id": f"r{i}", "item_kind": "relation", "evidence_id": f"s{i}"})
    counts = pl.Series([e["item_id"] for e in evidence if e["item_kind"] == "entity"]).value_counts()
    n = dict(counts.iter_rows())
    entities = [
        {"entity_id": e, "name": name, "type": TYPES.get(e, "PERSON"), "aliases": [], "attributes": "{}",
         "n_mentions": n.get(e, 0), "n_documents": 1}
        for e, name in NAMES.items()
    ]  # fmt: skip
    return Graph(
        entities=tables.from_rows("entities", entities),
        relations=tables.from_rows("relations", relations),
        evidence=tables.from_rows("evidence", evidence),
        mentions=tables.from_rows("mentions", mentions),
        statements=tables.from_rows("statements", statements),
        outcomes=tables.empty("outcomes"),
    )


def documents() -> pl.DataFrame:
    rows = [
        {"doc_id": d, "source": f"{d}.txt", "media_type": "text/plain", "text": t, "n_chars": len(t), "content_hash": d,
         "metadata": "{}", "sections": []}
        for d, t in TEXTS.items()
    ]  # fmt: skip
    return tables.from_rows("documents", rows)


PAIRS = (("e1", "e2", 0.9), ("e3", "e4", 0.8), ("e4", "e5", 0.55), ("e3", "e5", 0.6), ("e7", "e8", 0.3))


def pairs(rows: Iterable[tuple[str, str, float | None]] = PAIRS) -> pl.DataFrame:
    return pl.DataFrame(
        list(rows), schema={"left_id": pl.String, "right_id": pl.String, "score": pl.Float64}, orient="row"
    )


def group() -> pl.DataFrame:
    row = {"group_id": "g", "members": ["e3", "e4", "e5"], "n_members": 3, "n_pairs": 3, "n_scored": 3}
    row |= {"mean_score": 0.7, "weakest_score": 0.55, "weakest_left_id": "e4", "weakest_right_id": "e5"}
    return tables.from_rows("groups", [row])


class Groups:
    """Merges as a stage gives them, with groups."""

    frames = {"merges": pairs(), "groups": group()}  # noqa: RUF012


def review(proposals: Any = None, **options: Any) -> Review:
    options = {"reviewer": "Ada", "documents": documents(), **options}
    return Review(pairs() if proposals is None else proposals, graph(), **options)


def item(*ids: str) -> str:
    return merge_id(ids)


def merged(review: Review) -> dict[str, str]:
    return dict(kg.apply_decisions(graph(), review.decisions).canonical.iter_rows())


def many() -> tuple[pl.DataFrame, Any]:
    """Give people, and proposals that learn from answers."""
    names = [f"{a} {b}" for a in ("Ann", "Bea", "Cy", "Dan", "Eve") for b in ("Moor", "Lund", "Hale", "Rask")]
    rows = [{"entity_id": f"n{i:02}", "name": n, "type": "PERSON"} for i, n in enumerate(names)]
    rows += [
        {"entity_id": f"s{i:02}", "name": n[0] + ". " + n.split()[1], "type": "PERSON"} for i, n in enumerate(names)
    ]
    people = pl.DataFrame(rows)
    return people, kg.propose_merges(people, threshold=0.3)


class Broken:
    """A project that cannot be written while ``broken`` is true."""

    def __init__(self, project: Any) -> None:
        self.project, self.broken = project, True

    def decide(self, *args: Any, **more: Any) -> Any:
        if self.broken:
            msg = "the ledger is read-only"
            raise OSError(msg)
        return self.project.decide(*args, **more)

    def decide_many(self, *args: Any, **more: Any) -> Any:
        if self.broken:
            msg = "the ledger is read-only"
            raise OSError(msg)
        return self.project.decide_many(*args, **more)

    def decisions(self) -> Any:
        return self.project.decisions()
