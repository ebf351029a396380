"""Relation pairs against gold: the rules for statements, parts of them, and plain co-occurrence, in one run.

python benchmarks/bench_relations.py            the tables of the benchmarks page
python benchmarks/bench_relations.py --table    each rule's share of annotated pairs, as in confidence.py
python benchmarks/bench_relations.py SET ...    other sets of the same form, such as kept-back ones
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from kgkit import evaluate
from kgkit.extraction.local.document import names_of_document
from kgkit.extraction.local.found import FoundName, FoundTriple
from kgkit.extraction.local.lexicon import lexicon
from kgkit.extraction.local.spans import Parsed
from kgkit.extraction.local.statements import find_triples
from kgkit.extraction.local.statements.confidence import WAYS, rule_of
from kgkit.extraction.local.units import parse_texts
from kgkit.extraction.run import DEFAULT_TYPES
from kgkit.models.nlp import load_nlp

SHARED = Path(os.environ.get("KGKIT_SHARED", Path(__file__).resolve().parents[2] / "shared"))
SETS = ("conll04_dev", "conll04_train", "scierc_dev", "redocred_dev")
MEASURED_ON = ("conll04_train", "redocred_dev")
COLUMNS = ("doc_id", "subject", "object", "quote", "start", "confidence", "pattern")
GOLD_TYPES = {
    "Peop": "PERSON",
    "PER": "PERSON",
    "Org": "ORGANISATION",
    "ORG": "ORGANISATION",
    "Loc": "PLACE",
    "LOC": "PLACE",
    "TIME": "DATE",
    "NUM": "NUMBER",
}
VERBAL = {
    "verb_prep",
    "passive_prep",
    "subject_verb_object",
    "verb_prep_prep",
    "verb_object_prep",
    "verb_object_possessive",
    "verb_prep_possessive",
    "passive_agent",
    "adjunct_date",
    "object_date",
    "object_clause",
    "object_control",
}
Find = Callable[[Any, list[FoundName]], list[FoundTriple]]


class GoldSet:
    """One set: its texts parsed once, gold mentions as names, the pipeline's own names, and the gold frames."""

    def __init__(self, name: str) -> None:
        folder = SHARED / "data" / "ie" / name
        texts = pl.read_ndjson(folder / "documents.jsonl", infer_schema_length=None)
        self.relations = pl.read_ndjson(folder / "relations.jsonl", infer_schema_length=None)
        self.mentions = pl.read_ndjson(folder / "mentions.jsonl", infer_schema_length=None)
        self.ids = texts["id"].to_list()
        nlp = load_nlp()
        since = time.process_time()
        self.docs = list(parse_texts(nlp, texts["text"]))
        self.parse_seconds = time.process_time() - since
        self.own = [self._own_names(doc) for doc in self.docs]
        gold = defaultdict(list)
        for row in self.mentions.sort("doc", "start", "end").iter_rows(named=True):
            kind = GOLD_TYPES.get(row["type"], row["type"])
            gold[row["doc"]].append(FoundName(row["start"], row["end"], row["text"], kind, 1.0))
        self.gold = [gold[doc_id] for doc_id in self.ids]

    def _own_names(self, doc: Any) -> list[FoundName]:
        return [n for n in names_of_document([Parsed.of(doc)], lexicon())[0] if n.type in DEFAULT_TYPES]

    def statements(self, find: Find, *, gold: bool) -> pl.DataFrame:
        rows = []
        for doc_id, doc, names in zip(self.ids, self.docs, self.gold if gold else self.own, strict=True):
            for t in find(doc, names):
                quote = doc.text[t.start : t.end]
                rows.append((doc_id, t.subject.name, t.object.name, quote, t.start, t.confidence, t.pattern))
        types = [pl.String, pl.String, pl.String, pl.String, pl.Int64, pl.Float64, pl.String]
        return pl.DataFrame(rows, schema=dict(zip(COLUMNS, types, strict=True)), orient="row")

    def score(self, statements: pl.DataFrame, **options: Any) -> dict[str, Any]:
        return evaluate.relation_pairs(statements, self.relations, self.mentions, **options).row(0, named=True)


def same_sentence(doc: Any, names: list[FoundName]) -> list[FoundTriple]:
    """Relate all names of a sentence: the baseline."""
    found = []
    for sentence in doc.sents:
        start, end = sentence.start_char, sentence.end_char
        here = [n for n in names if start <= n.start < end]
        pairs = ((a, b) for k, a in enumerate(here) for b in here[k + 1 :])
        found += [FoundTriple(a, "with", b, "positive", start, end, 0.2, "same_sentence") for a, b in pairs]
    return found


def methods(data: GoldSet, *, gold: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    found = data.statements(find_triples, gold=gold)
    rules = found["pattern"].map_elements(rule_of, return_dtype=pl.String)
    stands_in = found["pattern"].str.contains(r"^(noun|pronoun)\.")
    yield "all rules", data.score(found)
    yield "all rules, names matched whole", data.score(found, match="name")
    yield "confidence from .45", data.score(found, min_confidence=0.45)
    yield "without pronouns and nouns", data.score(found.filter(~stands_in))
    yield "verbs alone, without them", data.score(found.filter(rules.is_in(VERBAL) & ~stands_in))
    yield "same sentence", data.score(data.statements(same_sentence, gold=gold))


def quality(sets: list[GoldSet], names: tuple[str, ...]) -> Iterator[str]:
    yield "## Relation pairs"
    yield ""
    yield "Distinct, undirected pairs of entities a document (`kg.evaluate.relation_pairs`): P/R/**F1**."
    for gold in (False, True):
        yield ""
        yield f"| {'on gold mentions' if gold else 'on its own mentions'} | {' | '.join(names)} |"
        yield f"|---|{'---|' * len(names)}"
        for rows in zip(*(methods(data, gold=gold) for data in sets), strict=True):
            cells = (f"{_two(s['precision'])}/{_two(s['recall'])}/**{_two(s['f1'])}**" for _, s in rows)
            yield f"| {rows[0][0]} | {' | '.join(cells)} |"


def speed(sets: list[GoldSet], names: tuple[str, ...]) -> Iterator[str]:
    yield ""
    yield "CPU seconds of `find_triples` (best of 3) and of the bare pipeline on the same texts:"
    yield ""
    yield "| set | words | bare pipeline | statements | share | triples |"
    yield "|---|---|---|---|---|---|"
    for name, data in zip(names, sets, strict=True):
        took, n = min(_timed(data) for _ in range(3))
        words = sum(len(doc) for doc in data.docs)
        share = took / data.parse_seconds
        yield f"| {name} | {words:,} | {data.parse_seconds:.2f} | {took:.2f} | {share:.1%} | {n:,} |"


def shares(sets: list[GoldSet]) -> Iterator[str]:
    """Give each rule's pairs and the share of them that the gold relates, over all sets, on gold mentions."""
    found, right = Counter(), Counter()
    for data in sets:
        for (pattern,), statements in data.statements(find_triples, gold=True).group_by("pattern"):
            scores = data.score(statements)
            found[pattern] += scores["n_found"]
            right[pattern] += scores["n_right"]
    rule_found, rule_right = Counter(), Counter()
    for pattern, n in found.items():
        rule_found[rule_of(pattern)] += n
        rule_right[rule_of(pattern)] += right[pattern]
    for rule, n in sorted(rule_found.items(), key=lambda item: (-item[1], item[0])):
        yield f'    "{rule}": ({n}, {rule_right[rule] / n:.2f}),'
    for way in WAYS:
        through = [p for p in found if way in p.split(".") and found[p]]
        n, good = sum(found[p] for p in through), sum(right[p] for p in through)
        expected = sum(found[p] * rule_right[rule_of(p)] / rule_found[rule_of(p)] for p in through)
        yield f"{way}: {n} pairs, {good / n:.2f}, {good / expected:.2f} times its rules' share"


def _timed(data: GoldSet) -> tuple[float, int]:
    since = time.process_time()
    n = sum(len(find_triples(doc, names)) for doc, names in zip(data.docs, data.own, strict=True))
    return time.process_time() - since, n


def _two(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}".removeprefix("0")


def main() -> None:
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if not (SHARED / "data" / "ie").is_dir():
        print("## Relation pairs\n\nNot measured: the folder with the public data sets is not there.")
        return
    if "--table" in sys.argv:
        parts = [shares([GoldSet(name) for name in MEASURED_ON])]
    else:
        names = tuple(arguments) or SETS
        sets = [GoldSet(name) for name in names]
        parts = [quality(sets, names), speed(sets, names)]
    for part in parts:
        for line in part:
            print(line, flush=True)


if __name__ == "__main__":
    main()
