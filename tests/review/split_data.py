"""Two people of one name, for the tests of splits."""

from __future__ import annotations

from typing import Any

import polars as pl

import kgkit as kg

TEXTS = {
    "d1": "John Smith built ships in Hull. John Smith hired Mary Pell.",
    "d2": "Senator John Smith met Ann Roe. John Smith voted for the Ship Act. Critics say John Smith built ships.",
    "d3": "John Smith wrote to John Smith.",
}


def smiths() -> tuple[Any, pl.DataFrame]:
    """Give a graph in which a shipbuilder and a senator are one, and its documents."""
    rows = [
        {"doc_id": d, "source": f"{d}.txt", "media_type": "text/plain", "text": t, "n_chars": len(t), "content_hash": d,
         "metadata": "{}", "sections": []}
        for d, t in TEXTS.items()
    ]  # fmt: skip
    texts = kg.tables.from_rows("documents", rows)
    mentions, statements = [], []
    for doc, text in TEXTS.items():
        for name in ("John Smith", "Mary Pell", "Ann Roe", "Hull", "Ship Act", "ships"):
            start = text.find(name)
            while start >= 0:
                row = {"mention_id": f"{doc}-{start:03}", "doc_id": doc, "name": name, "type": "THING", "quote": name}
                row |= {"start": start, "end": start + len(name), "located": "exact", "origin": "test"}
                mentions.append(row)
                start = text.find(name, start + 1)
    said = [
        ("d1", 0, "build", "ships"), ("d1", 1, "hire", "Mary Pell"), ("d2", 0, "meet", "Ann Roe"),
        ("d2", 1, "vote for", "Ship Act"), ("d2", 2, "build", "ships"), ("d3", 0, "write to", "John Smith"),
    ]  # fmt: skip
    for i, (doc, nth, predicate, target) in enumerate(said):
        quote = TEXTS[doc].split(". ")[nth].rstrip(".") + "."
        row = {"statement_id": f"s{i}", "doc_id": doc, "subject": "John Smith", "subject_type": "THING"}
        row |= {"predicate": predicate, "object": target, "object_type": "THING", "polarity": "positive"}
        start = TEXTS[doc].find(quote)
        statements.append(row | {"quote": quote, "start": start, "end": start + len(quote), "located": "exact"})
    found = {"mentions": kg.tables.from_rows("mentions", [m | {"attributes": "{}"} for m in mentions])}
    found["statements"] = kg.tables.from_rows("statements", [s | {"origin": "test"} for s in statements])
    return kg.build_graph(found["mentions"], found["statements"]), texts
