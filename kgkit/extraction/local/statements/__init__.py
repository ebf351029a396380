"""Statements from syntax: what the grammar of a sentence says of two of its names.

For each two names of a sentence, the way from one to the other through the dependency tree is brought to a short
form (`paths`), and rules on that form decide whether it stands for a relation, which one, and in which direction
(`patterns`, `nominal`, `says`). The words on the way give the predicate (`predicates`) and the polarity
(`polarity`); the rule gives the confidence, measured on public gold data (`confidence`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kgkit.extraction.local.found import FoundName, FoundTriple
from kgkit.extraction.local.statements.confidence import confidence_of
from kgkit.extraction.local.statements.finding import Finding
from kgkit.extraction.local.statements.paths import meet
from kgkit.extraction.local.statements.patterns import find_relation
from kgkit.extraction.local.statements.places import Place, place_names
from kgkit.extraction.local.statements.polarity import polarity_of
from kgkit.extraction.local.statements.pronouns import place_pronouns
from kgkit.extraction.local.statements.tree import Tree

__all__ = ["find_triples"]


def find_triples(doc: Any, names: Sequence[FoundName]) -> list[FoundTriple]:
    """Find what a chunk's sentences say of its names."""
    if len(names) < 2:
        return []
    tree = Tree(doc)
    by_sentence: dict[int, list[Place]] = {}
    places = place_names(tree, names)
    for place in sorted([*places, *place_pronouns(tree, places)], key=lambda place: place.first):
        by_sentence.setdefault(tree.sentence[place.head], []).append(place)
    found: dict[tuple[object, ...], FoundTriple] = {}
    for sentence, places in sorted(by_sentence.items()):
        for finding in _in_sentence(tree, places):
            triple = _triple(tree, sentence, finding)
            key = (triple.subject, triple.predicate, triple.object, triple.polarity, sentence)
            found.setdefault(key, triple)
    return list(found.values())


def _in_sentence(tree: Tree, places: list[Place]) -> list[Finding]:
    findings = []
    for k, left in enumerate(places):
        for right in places[k + 1 :]:
            if left.name.name == right.name.name:
                continue
            meeting = meet(tree, left, right)
            finding = find_relation(tree, left, right, meeting) if meeting is not None else None
            if finding is not None:
                if meeting is not None and meeting.through:
                    finding = finding._replace(pattern="through." + finding.pattern)
                means = {left.means, right.means} - {"name"}
                if means:
                    finding = finding._replace(pattern=f"{min(means)}.{finding.pattern}")
                findings.append(finding)
    return findings


def _triple(tree: Tree, sentence: int, finding: Finding) -> FoundTriple:
    start, end = tree.span(sentence)
    return FoundTriple(
        finding.subject.name,
        finding.predicate,
        finding.object.name,
        polarity_of(tree, finding),
        start,
        end,
        confidence_of(finding),
        finding.pattern,
    )
