"""The closed word lists of the local extractor, read once a process from the files in ``lists``.

They are short, written by hand for this project, and about words of the language and well-known names: no list holds
what a test set holds. What they are for is said at the top of each file.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

__all__ = ["Lexicon", "lexicon"]


class Lexicon(NamedTuple):
    """All lists. ``nouns``, ``heads`` and ``known`` give the type that a word speaks for."""

    given_names: frozenset[str]
    places: frozenset[str]
    groups: frozenset[str]
    nouns: dict[str, str]
    heads: dict[str, str]
    known: dict[str, str]
    honorifics: frozenset[str]
    offices: frozenset[str]
    titles: frozenset[str]
    person_verbs: frozenset[str]
    ranks: frozenset[str]
    making: frozenset[str]
    joining: frozenset[str]
    serving: frozenset[str]
    hiring: frozenset[str]
    technical: frozenset[str]
    shared_heads: frozenset[str]
    regions: frozenset[str]
    place_of: frozenset[str]
    linking: frozenset[str]
    numerals: frozenset[str]
    term_heads: frozenset[str]
    empty: frozenset[str]
    naming: frozenset[str]
    made_of: frozenset[str]
    works_on: frozenset[str]
    parts: frozenset[str]
    used_by: frozenset[str]
    coding: frozenset[str]
    run_on: frozenset[str]
    staff: frozenset[str]
    trading: frozenset[str]
    working_at: frozenset[str]
    anded: frozenset[str]

    def is_place(self, text: str) -> bool:
        """Tell whether a text is a listed place, also in capitals: "BANGKOK"."""
        return text in self.places or (len(text) > 3 and text.isupper() and text.title() in self.places)


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """Read the lists."""
    persons = _grouped("persons")
    small = _grouped("small")
    concepts = _grouped("concepts")
    return Lexicon(
        given_names=frozenset(word for line in _lines("given_names") for word in line.split()),
        places=frozenset(_phrases("places")),
        groups=frozenset(_with_plurals(_groups())),
        nouns=_types("nouns"),
        heads=_types("heads"),
        known=_types("acronyms"),
        honorifics=persons["HONORIFIC"],
        offices=persons["OFFICE"],
        titles=persons["TITLE"],
        person_verbs=persons["SAYING"],
        ranks=persons["RANK"],
        making=persons["MAKING"],
        joining=persons["JOINING"],
        serving=persons["SERVING"],
        hiring=persons["HIRING"],
        technical=frozenset(word for line in _lines("technical") for word in line.split()),
        shared_heads=small["SHARED_HEAD"],
        regions=small["REGION"],
        place_of=small["PLACE_OF"],
        linking=small["LINKING"],
        numerals=small["NUMERAL"],
        term_heads=concepts["HEAD"],
        empty=concepts["EMPTY"],
        naming=concepts["NAMING"],
        made_of=small["MADE_OF"],
        works_on=small["WORKS_ON"],
        parts=small["PART"],
        used_by=small["USED_BY"],
        coding=small["CODING"],
        run_on=small["RUN_ON"],
        staff=small["STAFF"],
        trading=small["TRADING"],
        working_at=small["WORKING_AT"],
        anded=small["ANDED"],
    )


def _lines(name: str) -> list[str]:
    text = files("kgkit.extraction.local").joinpath("lists", f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _phrases(name: str) -> list[str]:
    return [phrase.strip() for line in _lines(name) for phrase in line.split(";") if phrase.strip()]


def _typed(name: str) -> list[tuple[str, list[str]]]:
    return [(kind, words.split()) for kind, _, words in (line.partition(":") for line in _lines(name))]


def _grouped(name: str) -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for kind, words in _typed(name):
        groups.setdefault(kind, set()).update(words)
    return {kind: frozenset(words) for kind, words in groups.items()}


def _types(name: str) -> dict[str, str]:
    """The first type that a word is listed under counts."""
    types: dict[str, str] = {}
    for kind, words in _typed(name):
        for word in words:
            types.setdefault(word, kind)
    return types


def _groups() -> list[str]:
    phrases = []
    for line in _lines("groups"):
        phrases += [p.strip() for p in line.split(";")] if ";" in line else line.split()
    return phrases


def _with_plurals(words: list[str]) -> set[str]:
    out = set(words)
    for word in words:
        if word.endswith("man"):
            out.add(f"{word[:-3]}men")
        elif not word.endswith(("s", "sh", "ch", "ese")):
            out.add(f"{word}s")
    return out
