"""What holds for every triple: whose names it has, where its sentence is, and that nothing depends on order."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked import parse, triples

import kgkit.extraction.local.statements as statements
from kgkit.extraction.local.found import FoundName
from kgkit.extraction.local.statements import LOW, confidence_of, find_triples
from kgkit.extraction.local.statements.confidence import rule_of
from kgkit.models.nlp import load_nlp

MARKED = (
    "[Ada Smith|P], director of [Acme|O], was born in [Ulm|L], [Germany|L], in [1911|D].\n"
    "She did not join [Zenith|O]; [Bob Jones|P] said that [Zenith|O] had bought [Acme|O] in [Oslo|L].  "
)


def test_triples_hold_the_names_that_came_in():
    text, names = parse(MARKED)
    found = find_triples(load_nlp()(text), names)
    ids = {id(name) for name in names}
    assert len(found) >= 6
    assert all(id(t.subject) in ids and id(t.object) in ids for t in found)


def test_the_sentence_is_the_evidence():
    text, _ = parse(MARKED)
    for t in triples(MARKED):
        quote = text[t.start : t.end]
        assert quote == quote.strip()
        assert t.object.name in quote or "pronoun" in t.pattern
        assert quote[-1] in ".;"


@given(st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=20)
def test_the_order_of_names_changes_nothing(shuffler: random.Random):
    text, names = parse(MARKED)
    doc = _doc(text)
    shuffled = list(names)
    shuffler.shuffle(shuffled)
    assert find_triples(doc, shuffled) == find_triples(doc, names)


@given(st.data())
@settings(deadline=None, max_examples=30)
def test_any_spans_as_names_are_survived(data: st.DataObject):
    text, _ = parse(MARKED)
    starts = data.draw(st.lists(st.integers(0, len(text) - 1), max_size=12))
    kinds = st.sampled_from(["PERSON", "PLACE", "DATE", "NUMBER", "GROUP", "CONCEPT"])
    names = []
    for start in starts:
        end = data.draw(st.integers(start + 1, min(start + 15, len(text))))
        names.append(FoundName(start, end, text[start:end], data.draw(kinds), 0.5))
    for t in find_triples(_doc(text), names):
        assert t.subject.name != t.object.name
        assert "NUMBER" not in (t.subject.type, t.object.type)
        assert t.polarity in ("positive", "negated", "conditional", "reported")
        assert 0 <= t.confidence <= 1
        assert t.predicate
        assert t.predicate == t.predicate.strip("_").lower()


@pytest.mark.parametrize("text", ["", " ", "Ada", "\n\n", "?!"])
def test_texts_without_two_names_give_nothing(text):
    names = [FoundName(0, len(text), text, "PERSON", 1.0)]
    assert find_triples(load_nlp()(text), names) == []


def test_a_statement_made_twice_in_a_sentence_is_one():
    (found,) = triples("[Ada Smith|P] left [Acme|O], and [Ada Smith|P] left [Acme|O].")
    assert found.predicate == "leave"


def test_every_rule_has_a_measured_confidence():
    rules = _rules_in_code()
    assert {"verb_prep", "place_comma", "modifier", "verb_object_prep", "passive_agent", "title.group"} <= rules
    assert all(0 < confidence_of(rule) < 1 for rule in rules)
    assert confidence_of("place_comma") > LOW > confidence_of("copula")
    assert rule_of("noun.through.name_prep.of") == "name_prep.of"


def _rules_in_code() -> set[str]:
    """The names of rules: what is handed to Finding and Said, or first put into a variable called pattern."""
    found: set[str] = set()
    for path in Path(statements.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                place = {"Finding": 3, "Said": 1}.get(node.func.id)
                if place is not None and len(node.args) > place:
                    found |= _texts(node.args[place])
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                found |= _texts(node.value) if node.targets[0].id == "pattern" else set()
    return found - {"name_prep."}


def _texts(node: ast.expr) -> set[str]:
    if isinstance(node, ast.IfExp):
        return _texts(node.body) | _texts(node.orelse)
    return {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)}


_DOCS: dict[str, object] = {}


def _doc(text: str):
    if text not in _DOCS:
        _DOCS[text] = load_nlp()(text)
    return _DOCS[text]
