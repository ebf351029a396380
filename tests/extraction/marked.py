"""Sentences with their names marked, as in "[Grace Hopper|P] joined [IBM|O]"."""

import re
from functools import lru_cache

from kgkit.extraction.local.found import FoundName, FoundTriple
from kgkit.extraction.local.statements import find_triples
from kgkit.extraction.local.units import parse_texts
from kgkit.models.nlp import load_nlp

TYPES = {"P": "PERSON", "O": "ORGANISATION", "L": "PLACE", "G": "GROUP", "D": "DATE", "W": "WORK", "N": "NUMBER"}


def parse(marked: str) -> tuple[str, list[FoundName]]:
    text, names = "", []
    for part in re.split(r"(\[[^\]]+\|\w\])", marked):
        if part.startswith("[") and part[-3:-2] == "|":
            words, kind = part[1:-1].rsplit("|", 1)
            names.append(FoundName(len(text), len(text) + len(words), words, TYPES[kind], 0.9))
            text += words
        else:
            text += part
    return text, names


@lru_cache(maxsize=1000)
def triples(marked: str) -> tuple[FoundTriple, ...]:
    text, names = parse(marked)
    return tuple(find_triples(next(parse_texts(load_nlp(), [text])), names))


def triples_of(many: list[str]) -> dict[str, list[FoundTriple]]:
    """The same for many sentences in one go, which is faster."""
    parsed = {marked: parse(marked) for marked in many}
    docs = parse_texts(load_nlp(), [text for text, _ in parsed.values()])
    return {m: find_triples(doc, names) for (m, (_, names)), doc in zip(parsed.items(), docs, strict=True)}


def said(marked: str) -> list[str]:
    return [f"{t.subject.name} {t.predicate} {t.object.name}" for t in triples(marked)]
