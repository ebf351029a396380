"""What shared neighbours add to propose_merges, on names that a whole document shows to be one.

Re-DocRED marks in introductions of Wikipedia articles which names mean one thing, and what relates them (dates and
numbers are left out). Each name becomes an entity, as `build_graph` makes them; a relation joins the two names that
stand nearest to each other, as an extractor would find it.
"""

from __future__ import annotations

import dataclasses
import os
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any
from zlib import crc32

import polars as pl

import kgkit as kg

ROOT = Path(__file__).resolve().parent.parent
REDOCRED = Path(os.environ.get("KGKIT_SHARED", ROOT.parent / "shared")) / "data" / "ie" / "redocred_dev"
PIONEERS = ROOT / "data" / "pioneers"
SEEN = 250
Judged = dict[tuple[str, str], bool]
"""Pairs of entities that the gold knows, the smaller id first: whether they are one."""


def main() -> None:
    print("## propose_merges with neighbours\n")
    print(" ".join((__doc__ or "").split("\n\n", 1)[1].split()) + "\n")
    print(
        "Within one document each fact is told once, under one name. So the second rows suppose several documents: "
        "each name has, with an even chance (drawn from a hash), each of its entity's relations, to some name of the "
        "other end. The gold knows only pairs of names within one document: only those are judged. `names` has names, "
        "types and aliases; `neighbours` has the relations too; `sentences` also knows which names stand in one "
        "sentence. F1 is pairwise over groups. An entity of `pioneers` (local extractor) means what most of its "
        "mentions mean in the corpus' gold; pairs of two such entities are judged. The weights of the measure were "
        f"chosen with the first {SEEN} documents in view, which are left out here.\n"
    )
    print("| graph | entities | pairs that are one | known | among the candidates | F1 | precision | recall |", end="")
    print(" of pairs ≥ .95: right, all |")
    print("|---|---|---|---|---|---|---|---|---|")
    documents = pl.read_ndjson(REDOCRED / "documents.jsonl")["id"].to_list()[SEEN:]
    for often, told in ((False, "as told once"), (True, "as told often")):
        for line in rows(f"Re-DocRED, {len(documents)} documents, {told}", *redocred(documents, often=often)):
            print(line, flush=True)
    for line in rows("pioneers", *pioneers()):
        print(line, flush=True)


def rows(name: str, graph: kg.Graph, judged: Judged) -> Iterator[str]:
    """Measure the same graph with more and more known of it."""
    wordless = dataclasses.replace(graph, statements=graph.statements.clear())
    truth = {pair for pair, one in judged.items() if one}
    for known, given in (("names", graph.entities), ("neighbours", wordless), ("sentences", graph)):
        if known == "sentences" and "often" in name:
            continue  # nobody wrote these sentences
        merges = kg.propose_merges(given)
        found = {p for members in merges.groups["members"].to_list() for p in combinations(sorted(members), 2)}
        found &= judged.keys()
        strong = {tuple(sorted(p)) for p in merges.automatic.select("left_id", "right_id").iter_rows()} & judged.keys()
        assert merges.scored is not None
        ids = merges.scored.prepared.records.frame["entity_id"]
        sides = (ids.gather(merges.scored.left), ids.gather(merges.scored.right))
        met = truth & {tuple(sorted(p)) for p in zip(*sides, strict=True)}
        both = len(found & truth)
        yield (
            f"| {name} | {len(graph.entities):,} | {len(truth):,} | {known} | {len(met) / len(truth):.3f} | "
            f"{2 * both / (len(found) + len(truth)):.3f} | {both / max(1, len(found)):.3f} | "
            f"{both / len(truth):.3f} | {len(strong & truth)}, {len(strong)} |"
        )


def redocred(documents: list[str], *, often: bool) -> tuple[kg.Graph, Judged]:
    """Make the graph of some documents, and tell of the pairs of names in one document whether they are one."""
    mentions, statements = _extracted(documents, often)
    graph = kg.build_graph(mentions, statements)
    held = mentions.join(graph.evidence, left_on="mention_id", right_on="evidence_id")
    judged: Judged = {}
    for _, rows in held.select("doc_id", "item_id", "group").unique().sort("doc_id").group_by("doc_id"):
        named = sorted(rows.select("item_id", "group").iter_rows())
        for (one, group), (two, other) in combinations(named, 2):
            if one != two:
                judged[one, two] = judged.get((one, two), False) or group == other
    return graph, judged


_TYPES = {"PER": "PERSON", "ORG": "ORGANISATION", "LOC": "PLACE", "MISC": "MISC"}  # no dates and numbers


def _extracted(documents: list[str], often: bool) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Write gold mentions and relations as an extractor would have."""
    texts = dict(pl.read_ndjson(REDOCRED / "documents.jsonl").select("id", "text").iter_rows())
    marked = pl.read_ndjson(REDOCRED / "mentions.jsonl")
    marked = marked.filter(pl.col("doc").is_in(documents), pl.col("type").is_in(list(_TYPES)))
    stated = pl.read_ndjson(REDOCRED / "relations.jsonl").filter(pl.col("doc").is_in(documents))
    by_entity: dict[tuple[str, int], Mentions] = defaultdict(list)
    mentions = []
    for i, row in enumerate(marked.sort("doc", "start", "end", "entity").iter_rows(named=True)):
        mention = {
            "mention_id": f"m{i:06d}", "doc_id": row["doc"], "name": row["text"], "type": _TYPES[row["type"]],
            "start": row["start"], "end": row["end"], "quote": row["text"], "located": "exact",
            "attributes": "{}", "origin": "Re-DocRED", "group": f"{row['doc']} {row['entity']}",
        }  # fmt: skip
        mentions.append(mention)
        by_entity[row["doc"], row["entity"]].append(mention)
    statements = []
    ordered = stated.select("doc", "head_id", "tail_id", "type").unique().sort("doc", "head_id", "tail_id", "type")
    for i, (doc, head, tail, predicate) in enumerate(ordered.iter_rows()):
        for one, two in (_told_often if often else _nearest)(by_entity[doc, head], by_entity[doc, tail], predicate):
            start, end = min(one["start"], two["start"]), max(one["end"], two["end"])
            statements.append(
                {
                    "statement_id": f"s{i:06d}-{one['mention_id']}-{two['mention_id']}", "doc_id": doc,
                    "subject": one["name"], "subject_type": one["type"], "predicate": predicate.replace(" ", "_"),
                    "object": two["name"], "object_type": two["type"], "polarity": "positive", "start": start,
                    "end": end, "quote": texts[doc][start:end], "located": "exact", "origin": "Re-DocRED",
                }
            )  # fmt: skip
    return pl.DataFrame(mentions), pl.DataFrame(statements)


Mentions = list[dict[str, Any]]
Ends = list[tuple[dict[str, Any], dict[str, Any]]]


def _nearest(heads: Mentions, tails: Mentions, predicate: str) -> Ends:
    """Join the two mentions that stand nearest to each other."""
    ends = [(a, b) for a in heads for b in tails]
    return sorted(ends, key=lambda p: (abs(p[0]["start"] - p[1]["start"]), p[0]["start"], p[1]["start"]))[:1]


def _told_often(heads: Mentions, tails: Mentions, predicate: str) -> Ends:
    """Tell a fact of each name that either end has, with an even chance, of some name of the other end."""
    found: dict[tuple[str, str], tuple[dict[str, Any], dict[str, Any]]] = {}
    if not heads or not tails:
        return []
    for own, others, head in ((heads, tails, True), (tails, heads, False)):
        for mention in {m["name"]: m for m in own}.values():
            drawn = crc32(f"{mention['name']} {predicate} {others[0]['group']} {head}".encode())
            if drawn % 2:
                other = others[drawn // 2 % len(others)]
                ends = (mention, other) if head else (other, mention)
                found[ends[0]["mention_id"], ends[1]["mention_id"]] = ends
    return list(found.values())


def pioneers() -> tuple[kg.Graph, Judged]:
    """Make the graph of the sample corpus, and tell of pairs of entities whether they mean the same."""
    graph, meant = meant_in_pioneers()
    return graph, {(one, two): a == b for (one, a), (two, b) in combinations(sorted(meant.items()), 2)}


def meant_in_pioneers() -> tuple[kg.Graph, dict[str, str]]:
    """Make it with the local extractor; an entity means what most of its mentions mean, where the gold tells."""
    documents = kg.read_documents(PIONEERS / "documents")
    graph = kg.build_graph(kg.extract(kg.chunk_documents(documents)))
    gold = pl.read_ndjson(PIONEERS / "gold" / "mentions.jsonl").join(
        documents.frame.select("doc_id", "source"), on="source"
    )
    same = graph.mentions.join(gold.select("doc_id", "start", "end", "entity"), on=["doc_id", "start", "end"])
    counts = graph.evidence.join(same, left_on="evidence_id", right_on="mention_id").group_by("item_id", "entity").len()
    most = counts.sort("item_id", "len", "entity", descending=[False, True, False]).unique(
        "item_id", keep="first", maintain_order=True
    )
    return graph, dict(most.select("item_id", "entity").iter_rows())


if __name__ == "__main__":
    main()
