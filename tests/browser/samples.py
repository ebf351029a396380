"""Graphs for the tests and measurements of the graph view, made by hand or planted."""

from __future__ import annotations

import csv
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from kgkit import tables


def _names(text: str) -> list[str]:
    return [" ".join(name.split()) for name in text.split("|")]


PEOPLE = _names("""
Ada Lovelace | Charles Babbage | Luigi Menabrea | Mary Somerville | Georg Scheutz | Per Georg
Scheutz | Herman Hollerith | Alan Turing | Gordon Welchman | Tommy Flowers | Max Newman | Joan
Clarke | Hugh Alexander | Mavis Batey | William Tutte | Grace Hopper | Howard Aiken | Richard Bloch
| Ruth Brendel | John Mauchly | Presper Eckert | Kathleen McNulty | Jean Bartik | Betty Holberton |
Marlyn Wescoff | Ruth Lichterman | Frances Bilas | John von Neumann | Herman Goldstine | Adele
Goldstine | Konrad Zuse | Helmut Schreyer | Heinz Rutishauser | Maurice Wilkes | David Wheeler |
Stanley Gill | Tom Kilburn | Freddie Williams | Geoff Tootill | Christopher Strachey | Mary Coombs |
David Caminer | John Pinkerton | John Backus | Lois Haibt | Peter Naur | Edsger Dijkstra | Friedrich
Bauer | Alan Perlis | John McCarthy | Claude Shannon | Vannevar Bush | Norbert Wiener | Jay
Forrester | Ken Olsen | Margaret Hamilton | Katherine Johnson | Dorothy Vaughan | Annie Easley |
Андрей Ершов | Сергей Лебедев | 城憲三 | 岡崎文次 | Ida Rhodes | Gertrude Blanch | Thelma Estrin | Evelyn
Boyd Granville
""")
MACHINES = _names("""
Analytical Engine | Difference Engine | Bombe | Colossus | Harvard Mark I | Harvard Mark II | ENIAC
| EDVAC | UNIVAC I | BINAC | Z3 | Z4 | EDSAC | Manchester Baby | Ferranti Mark 1 | LEO I | IBM 704 |
IBM 701 | Whirlwind I | PDP-1 | BESM | МЭСМ | FUJIC | SSEM | Pilot ACE | SEAC | ORDVAC
""")
BODIES = _names("""
Royal Society | Bletchley Park | Government Code and Cypher School | Harvard University | US Navy |
Moore School of Electrical Engineering | University of Pennsylvania | Eckert–Mauchly Computer
Corporation | Remington Rand | Institute for Advanced Study | ETH Zürich | University of Cambridge |
University of Manchester | Ferranti | J. Lyons & Co. | IBM | National Physical Laboratory | Bell
Labs | MIT | Digital Equipment Corporation | NASA | Computing-Tabulating-Recording Company | US
Census Bureau | Association for Computing Machinery
""")
IDEAS = _names("""
Note G | stored program | subroutine | compiler | A-0 | FLOW-MATIC | COBOL | FORTRAN | ALGOL 60 |
Plankalkül | Lisp | magnetic core memory | punched card | Entscheidungsproblem | information theory
| delay line memory | Williams tube | Lorenz cipher | Enigma | the Pilot ACE report
""")
PLACES = _names("""
London | Cambridge, Massachusetts | Philadelphia | Princeton | Berlin | Manchester | Zürich | Москва
| Київ
""")
VERBS = _names("""
work_at | build | design | write_about | correspond_with | lead | found | develop | describe |
program | study_at
""")


@dataclass
class Held:
    """Frames as a stage's result holds them."""

    frames: dict[str, pl.DataFrame]

    def __getattr__(self, name: str) -> pl.DataFrame:
        try:
            return self.frames[name]
        except KeyError:
            raise AttributeError(name) from None


def entity(i: str, name: str, kind: str | None = "PERSON", **more: Any) -> dict[str, Any]:
    base = {"aliases": [], "attributes": "{}", "n_mentions": 1, "n_documents": 1}
    return {"entity_id": i, "name": name, "type": kind, **base, **more}


def relation(i: str, source: str, target: str, predicate: str = "know", **more: Any) -> dict[str, Any]:
    base = {"polarity": "positive", "weight": 1.0, "n_documents": 1}
    return {"relation_id": i, "source_id": source, "target_id": target, "predicate": predicate, **base, **more}


def history(size: int = 150, seed: int = 3) -> tuple[Held, Held, pl.DataFrame]:
    """A graph of some history of computing with every kind of evidence: graph, communities, documents."""
    rng = random.Random(seed)
    named = [(n, "PERSON") for n in PEOPLE] + [(n, "MACHINE") for n in MACHINES] + [(n, "ORGANISATION") for n in BODIES]
    named = (named + [(n, "CONCEPT") for n in IDEAS] + [(n, "PLACE") for n in PLACES])[:size]
    topics = max(2, min(8, len(named) // 8))
    topic = {name: rng.randrange(topics) for name, _ in named}
    pull = {name: rng.paretovariate(1.3) for name, _ in named}
    pairs = set()
    while len(pairs) < int(1.7 * len(named)):
        a = rng.choice(named)[0]
        near = [n for n, _ in named if n != a and (topic[n] == topic[a]) != (rng.random() < 0.12)]
        b = rng.choices(near, [pull[n] for n in near])[0]
        pairs.add((a, b, rng.choice(VERBS)))
    alone = {n for n, _ in named[-min(6, len(named) // 8) :]} if len(named) > 8 else set()
    facts = [p for p in sorted(pairs) if not alone & set(p[:2])]
    return _with_evidence(named, facts, topic, rng)


def _with_evidence(
    named: Any, facts: Any, topic: dict[str, int], rng: random.Random
) -> tuple[Held, Held, pl.DataFrame]:
    ids = {name: f"ent_{k:04d}" for k, (name, _) in enumerate(named)}
    texts: dict[str, list[str]] = {}
    statements, mentions, evidence, relations = [], [], [], []
    degree: dict[str, int] = dict.fromkeys(ids, 0)
    for k, (a, b, verb) in enumerate(facts):
        polarity = rng.choices(["positive", "negated", "conditional", "reported"], [0.87, 0.06, 0.04, 0.03])[0]
        times = rng.choice([1, 1, 1, 2, 3, 6])
        degree[a] += 1
        degree[b] += 1
        docs = sorted({f"doc_{rng.randrange(12):02d}" for _ in range(times)})
        row = relation(
            f"rel_{k:04d}", ids[a], ids[b], verb, polarity=polarity, weight=float(times), n_documents=len(docs)
        )
        relations.append(row)
        for doc in docs:
            sentence = {
                "negated": "It is not so that ",
                "reported": "Some said that ",
                "conditional": "If plans had held, ",
            }
            quote = f"{sentence.get(polarity, 'By then ')}{a} {verb.replace('_', ' ')} {b} before the year was out."
            start = sum(len(t) + 1 for t in texts.setdefault(doc, []))
            texts[doc].append(quote)
            n = len(statements)
            statements.append(
                {
                    "statement_id": f"st_{n:04d}",
                    "doc_id": doc,
                    "subject": a,
                    "predicate": verb,
                    "object": b,
                    "polarity": polarity,
                    "start": start,
                    "end": start + len(quote),
                    "quote": quote,
                    "located": "exact",
                    "origin": "test",
                }
            )
            evidence.append({"item_id": row["relation_id"], "item_kind": "relation", "evidence_id": f"st_{n:04d}"})
            for name in (a, b):
                at, m = start + quote.index(name), len(mentions)
                mentions.append(
                    {
                        "mention_id": f"m_{m:05d}",
                        "doc_id": doc,
                        "name": name,
                        "start": at,
                        "end": at + len(name),
                        "quote": name,
                        "located": "exact",
                        "attributes": "{}",
                        "origin": "test",
                    }
                )
                evidence.append({"item_id": ids[name], "item_kind": "entity", "evidence_id": f"m_{m:05d}"})
    entities = [
        entity(
            ids[name],
            name,
            kind,
            n_mentions=2 * degree[name] + 1,
            n_documents=1 + degree[name] // 2,
            aliases=[name.split()[-1], f"{name[0]}. {name.split()[-1]}"] if kind == "PERSON" and " " in name else [],
            description="mathematician, who wrote the first published programme" if name == "Ada Lovelace" else None,
        )
        for name, kind in named
    ]
    documents = [
        {
            "doc_id": d,
            "source": f"letters/{d.replace('doc', 'volume')}.txt",
            "media_type": "text/plain",
            "text": " ".join(t),
            "n_chars": len(" ".join(t)),
            "content_hash": d,
            "metadata": "{}",
            "sections": [],
        }
        for d, t in sorted(texts.items())
    ]
    graph = {
        "entities": entities,
        "relations": relations,
        "evidence": evidence,
        "mentions": mentions,
        "statements": statements,
    }
    held = Held({name: tables.from_rows(name, rows) for name, rows in graph.items()})
    return held, _communities(ids, topic, degree), tables.from_rows("documents", documents)


def _communities(ids: dict[str, str], topic: dict[str, int], degree: dict[str, int]) -> Held:
    rows, reports = [], []
    for t in sorted(set(topic.values())):
        members = [n for n in ids if topic[n] == t and degree[n]]
        rows += [
            {"level": 0, "community_id": f"com_{t}", "entity_id": ids[n], "size": len(members), "status": "grouped"}
            for n in members
        ]
        top = sorted(members, key=lambda n: (-degree[n], n))[:2]
        reports.append({"level": 0, "community_id": f"com_{t}", "title": ", ".join(top), "evidence": []})
    single = [n for n in ids if not degree[n]]
    rows += [
        {"level": 0, "community_id": f"com_{ids[n]}", "entity_id": ids[n], "size": 1, "status": "isolated"}
        for n in single
    ]
    return Held({"communities": tables.from_rows("communities", rows), "reports": tables.from_rows("reports", reports)})


def planted(n: int, seed: int = 0) -> tuple[Held, Held]:
    """``n`` entities in planted communities of about 100, two relations for each."""
    import numpy as np

    rng, k = np.random.default_rng(seed), max(4, n // 100)
    group = rng.integers(0, k, n)
    order, live = np.argsort(group, kind="stable"), int(n * 0.97)
    start, size = np.searchsorted(group[order], np.arange(k)), np.bincount(group, minlength=k)
    source = rng.integers(0, n, 2 * n)
    inside = order[start[group[source]] + (rng.random(2 * n) ** 2 * size[group[source]]).astype(int)]
    target = np.where(rng.random(2 * n) < 0.9, inside, rng.integers(0, n, 2 * n))
    keep = (source < live) & (target < live) & (source != target)
    source, target = source[keep], target[keep]
    ids = pl.Series([f"e{i:06d}" for i in range(n)])
    kinds = pl.Series(["PERSON", "ORGANISATION", "PLACE", "CONCEPT"])
    entities = pl.DataFrame(
        {
            "entity_id": ids,
            "name": [f"Name {i} of {g}" for i, g in enumerate(group)],
            "type": kinds.gather(rng.integers(0, 4, n)),
            "attributes": "{}",
            "n_mentions": rng.integers(1, 40, n),
            "n_documents": 1,
        }
    ).with_columns(aliases=pl.lit([], pl.List(pl.String)))
    polarity = pl.Series(["positive", "negated"]).gather((rng.random(len(source)) < 0.04).astype(int))
    relations = pl.DataFrame(
        {
            "relation_id": [f"r{i:06d}" for i in range(len(source))],
            "source_id": ids.gather(source),
            "target_id": ids.gather(target),
            "predicate": "know",
            "polarity": polarity,
            "weight": rng.integers(1, 6, len(source)).astype(float),
            "n_documents": 1,
        }
    )
    members = pl.DataFrame(
        {"level": 0, "community_id": [f"c{g:04d}" for g in group], "entity_id": ids, "status": "grouped"}
    )
    members = members.with_columns(size=pl.len().over("community_id"))
    graph = {name: tables.conform(f, name) for name, f in (("entities", entities), ("relations", relations))}
    return Held(graph), Held({"communities": tables.conform(members, "communities")})


def hostile(shared: Path) -> tuple[Held, pl.DataFrame]:
    """Entities whose names try to run: a graph with quotes that do so too, and the rows as read."""
    with (shared / "cases" / "hostile_names.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [row["name"] for row in rows]
    entities = [
        entity(
            f"e{k}",
            r["name"],
            r["type"],
            description=r["description"],
            aliases=[f"{r['name']} alias"],
            attributes=f'{{"{k}": "<b>&"}}',
        )
        for k, r in enumerate(rows)
    ]
    relations = [
        relation(f"r{k}", f"e{k}", f"e{(k + 1) % len(rows)}", names[k - 1], polarity=["positive", "negated"][k % 2])
        for k in range(len(rows))
    ]
    statements = [
        {
            "statement_id": f"s{k}",
            "doc_id": names[k],
            "subject": names[k],
            "predicate": names[k - 1],
            "object": names[0],
            "polarity": "positive",
            "start": 0,
            "end": len(names[k]),
            "quote": names[k],
            "located": "exact",
            "origin": "test",
        }
        for k in range(len(rows))
    ]
    evidence = [{"item_id": f"r{k}", "item_kind": "relation", "evidence_id": f"s{k}"} for k in range(len(rows))]
    graph = {
        "entities": entities,
        "relations": relations,
        "evidence": evidence,
        "mentions": [],
        "statements": statements,
    }
    return Held({name: tables.from_rows(name, r) for name, r in graph.items()}), pl.DataFrame(rows)
