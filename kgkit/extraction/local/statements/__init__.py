"""Statements from syntax: what the grammar of a sentence says of two of its names.

For each two names of a sentence, the way from one to the other through the dependency tree is brought to a short
form (`paths`), and rules on that form decide whether it stands for a relation, which one, and in which direction
(`patterns`, `nominal`, `says`). The words on the way give the predicate (`predicates`) and the polarity
(`polarity`); the rule gives the confidence, measured on public gold data (`confidence`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from kgkit.extraction.local.found import FoundName, FoundTriple
from kgkit.extraction.local.statements.confidence import LOW, confidence_of
from kgkit.extraction.local.statements.finding import Finding
from kgkit.extraction.local.statements.paths import meet
from kgkit.extraction.local.statements.patterns import find_relation
from kgkit.extraction.local.statements.places import Place, place_names
from kgkit.extraction.local.statements.polarity import polarity_of
from kgkit.extraction.local.statements.pronouns import place_pronouns
from kgkit.extraction.local.statements.tree import Tree

__all__ = ["LOW", "confidence_of", "find_triples"]


_ANOTHER_BLOCK = re.compile(r"\n\s*\n|[|\t]|\n[=#*-]")
"""What ends a heading, a table's cell or a list's item, where the parser saw one sentence."""


_AMONG = "among them"


def find_triples(doc: Any, names: Sequence[FoundName]) -> list[FoundTriple]:
    """Find what the sentences of a chunk say of its names.

    Verbs with their subjects, objects and prepositions (passives turned round where the agent is named), appositions,
    titles, possessives, prepositions between names, place commas, life dates, actions as nouns ("the acquisition of Y
    by X"); coordinated subjects, objects and verbs each get their own triple. He, she, it and "the company" are read
    as the name they stand for where one only fits. Dates can be objects, numbers take no part.

    Args:
        doc: A spaCy ``Doc`` with tags, lemmas and a dependency parse of an English pipeline.
        names: The chunk's names; what comes back refers to these very objects.

    Returns:
        Triples in the order of the sentences, one for each subject, predicate, object and polarity in a sentence.
        ``start`` and ``end`` hold the sentence. ``pattern`` is the rule and the ways that led to it, joined by
        dots; ``confidence`` is what `confidence_of` measured for it, and below `LOW` a triple is a hint only.

    Examples:
        >>> from kgkit.models.nlp import load_nlp
        >>> text = "Grace Hopper, who had taught at Vassar, did not join IBM."
        >>> words = [("Grace Hopper", "PERSON"), ("Vassar", "ORGANISATION"), ("IBM", "ORGANISATION")]
        >>> names = [FoundName(text.find(w), text.find(w) + len(w), w, t, 1.0) for w, t in words]
        >>> for found in find_triples(load_nlp()(text), names):
        ...     print(found.subject.name, found.predicate, found.object.name, found.polarity)
        Grace Hopper teach_at Vassar positive
        Grace Hopper join IBM negated
    """
    if len(names) < 2:
        return []
    tree = Tree(doc)
    by_sentence: dict[int, list[Place]] = {}
    places = place_names(tree, names)
    for place in sorted([*places, *place_pronouns(tree, places)], key=lambda place: place.first):
        by_sentence.setdefault(tree.sentence[place.head], []).append(place)
    found: dict[tuple[object, ...], FoundTriple] = {}
    for sentence, together in sorted(by_sentence.items()):
        for finding in _in_sentence(tree, together):
            triple = _triple(tree, sentence, finding)
            key = (sentence, triple.subject.name, triple.predicate, triple.object.name, triple.polarity)
            if key not in found or found[key].confidence < triple.confidence:
                found[key] = triple
    return list(found.values())


def _in_sentence(tree: Tree, places: list[Place]) -> Iterator[Finding]:
    for k, left in enumerate(places):
        for right in places[k + 1 :]:
            if left.name.name == right.name.name or _ANOTHER_BLOCK.search(tree.text[left.end : right.start]):
                continue
            meeting = meet(tree, left, right)
            finding = find_relation(tree, left, right, meeting) if meeting is not None else None
            if finding is not None and finding.object is right and _AMONG in tree.text[left.end : right.start]:
                continue  # sold X to others, among them Y
            if meeting is not None and finding is not None:
                ways = sorted({left.means, right.means} - {"name"}) + ["through"] * meeting.through
                yield finding._replace(pattern=".".join([*ways, finding.pattern]))


def _triple(tree: Tree, sentence: int, finding: Finding) -> FoundTriple:
    start, end = tree.span(sentence)
    return FoundTriple(
        finding.subject.name,
        finding.predicate,
        finding.object.name,
        polarity_of(tree, finding),
        start,
        end,
        confidence_of(finding.pattern),
        finding.pattern,
    )
