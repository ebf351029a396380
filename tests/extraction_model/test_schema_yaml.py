"""Schemas: compared in any spelling, edited without being changed, written to YAML and read again without loss."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kgkit as kg
from kgkit.errors import InputError, OptionError
from kgkit.extraction.schema import STARTERS, EntityType, RelationType
from kgkit.extraction.schema_types import type_key

NAMES = st.text(min_size=1, max_size=8).filter(type_key)
TEXT = st.text(max_size=30)


@st.composite
def schemas(draw: st.DrawFn) -> kg.Schema:
    words = draw(st.lists(NAMES, min_size=1, max_size=12, unique_by=type_key))
    kinds, verbs = words[: len(words) // 2 + 1], words[len(words) // 2 + 1 :]
    ends = st.lists(st.sampled_from(kinds), max_size=3).map(tuple)
    examples = st.lists(TEXT, max_size=2).map(tuple)
    entity_types = [
        EntityType(name=name, description=draw(TEXT), aliases=(), examples=draw(examples)) for name in kinds
    ]
    relation_types = []
    for name in verbs:
        sides = draw(ends)
        symmetric = draw(st.booleans())
        relation_types.append(
            RelationType(
                name=name,
                description=draw(TEXT),
                subjects=sides,
                objects=sides if symmetric else draw(ends),
                symmetric=symmetric,
                review=draw(st.booleans()),
                examples=draw(examples),
            )
        )
    return kg.Schema(
        name=draw(TEXT),
        description=draw(TEXT),
        entity_types=tuple(entity_types),
        relation_types=tuple(relation_types),
        closed_entity_types=draw(st.booleans()),
        closed_relation_types=draw(st.booleans()),
    )


@given(schemas())
def test_yaml_loses_nothing(schema: kg.Schema) -> None:
    assert kg.Schema.from_yaml(schema.to_yaml()) == schema
    assert schema.frame().height == len(schema.entity_types) + len(schema.relation_types)


@pytest.mark.parametrize("name", STARTERS)
def test_starters_are_complete_and_survive_a_file(name: str, tmp_path: Path) -> None:
    schema = kg.Schema.starter(name)
    assert schema.name == name and schema.description
    assert all(k.description for k in (*schema.entity_types, *schema.relation_types))
    schema.to_yaml(tmp_path / "s.yaml")
    assert kg.Schema.from_yaml(tmp_path / "s.yaml") == schema == kg.Schema.of(name)


def test_types_are_found_in_any_spelling() -> None:
    schema = kg.Schema.starter("general")
    assert {schema.entity_type(s).name for s in ("Company", "company ", "ORGANIZATION", "organisation")} == {  # type: ignore[union-attr]
        "ORGANISATION"
    }
    assert schema.relation_type("Works-At").name == "worked_at"  # type: ignore[union-attr]
    assert schema.entity_type("Treatise") is None


def test_editing_gives_a_new_schema() -> None:
    old = kg.Schema.starter("investigations")
    new = old.add_entity_type("Court case", aliases=["lawsuit"]).add_relation_type(
        "judge of", subjects=["person"], objects=["lawsuit"], review=True
    )
    assert old == kg.Schema.starter("investigations")
    assert new.relation_type("judge of").objects == ("COURT_CASE",)  # type: ignore[union-attr]
    assert "judge_of" in new.review_required and "owns" in new.review_required
    left = new.drop("PERSON")
    assert left.relation_type("family_of") is None and left.relation_type("judge_of") is None
    assert left.relation_type("owns").subjects == ("COMPANY", "ORGANISATION")  # type: ignore[union-attr]
    with pytest.raises(InputError, match="no type 'ROBOT' to drop"):
        new.drop("ROBOT")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("entity_types:\n  PERSON: [a\n", "line 3: this is not YAML"),
        ("entity_types:\n  PERSON:\nrelation_types:\n  MET: {subjects: [PERSN]}\n", "line 4, relation_types.MET.subj"),
        ("entity_types:\n  PERSON:\nrelation_types:\n  MET: {subjects: [PERSN]}\n", "Did you mean PERSON"),
        ("entity_types:\n  PERSON: {alias: x}\n", "line 2, entity_types.PERSON.alias: there is no such field. Did you"),
        (
            "entity_types:\n  PERSON:\n  Firm: {aliases: [person]}\n",
            "line 3, entity_types.FIRM.aliases: 'person' is",
        ),
        ("entity_types:\n  PERSON:\n  PERSON:\n", "line 3, entity_types: 'PERSON' is here twice"),
        ("entity_types:\n  PERSON:\n  '---':\n", "is no name"),
        ("entity_types:\n  A:\nrelation_types:\n  B: {review: perhaps}\n", "line 4, relation_types.B.review: true or"),
        ("entity_types:\n  A:\n  C:\nrelation_types:\n  B: {subjects: A, objects: C, symmetric: true}\n", "symmetric"),
        ("- A\n- B\n", "names with values are expected here, not a list"),
        ("\n", "closed schema needs at least one entity type"),
        ("name: {a: b}\nentity_types:\n  A:\n", "line 1, name: a text is expected"),
    ],
)
def test_mistakes_are_named_by_line_and_field(text: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        kg.Schema.from_yaml(text)
    assert told in str(caught.value)


def test_all_mistakes_are_told_at_once_and_odd_values_are_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"(?s)line 1.*line 4"):
        kg.Schema.from_yaml("nmae: x\nentity_types:\n  A:\n  B: {descripton: y}\n")
    schema = kg.Schema.from_yaml("entity_types:\n  NO: yes\n  2024: {aliases: [1.0, null]}\n  X: the unknown\n")
    assert [k.name for k in schema.entity_types] == ["NO", "2024", "X"]
    assert schema.entity_types[0].description == "yes" and schema.entity_types[2].description == "the unknown"
    listed = kg.Schema.from_yaml("entity_types: [person, Legal person]\nclosed_entity_types: no\n")
    assert [k.name for k in listed.entity_types] == ["PERSON", "LEGAL_PERSON"]
    with pytest.raises(InputError, match="cannot be read"):
        kg.Schema.from_yaml(tmp_path / "absent.yaml")


def test_what_is_no_schema_is_refused() -> None:
    with pytest.raises(InputError, match="is no schema. Give a kg.Schema"):
        kg.Schema.of(3)
    with pytest.raises(OptionError, match="name='medicine' is not known"):
        kg.Schema.starter("medicine")
    with pytest.raises(InputError, match=r"entity_types.PERSON: 'PERSON' is also a name of PERSON"):
        kg.Schema(entity_types=(EntityType(name="PERSON"), EntityType(name="person")))


def test_the_page_shows_names_literally() -> None:
    schema = kg.Schema(name="<script>", entity_types=(EntityType(name="A", description="<b>x</b>"),))
    assert "<script>" not in schema._repr_html_() and "<b>x" not in schema._repr_html_()
