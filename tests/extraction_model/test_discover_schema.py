"""Schemas proposed from a sample that covers the corpus."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from said import Said, chunks_of, codes

import kgkit as kg
from kgkit.errors import OptionError
from kgkit.extraction.schema_sample import sample_chunks
from kgkit.models.chat import Reply

TEXT = "Mira Solen opened the kiln at Calder Works. Odd Varga married Mira Solen in Northwick."


def kind(name: str, *examples: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"a {name}", "aliases": [], "examples": list(examples), **more}


def corpus(*sizes: int) -> pl.DataFrame:
    """Documents with so many chunks, in folders."""
    parts = [
        chunks_of(*[f"{d}/{i} " + "x" * 90 for i in range(n)], doc=f"d{d}", source=f"folder{d % 3}/{d}.txt")
        for d, n in enumerate(sizes)
    ]
    return kg.tables.conform(pl.concat(parts), "chunks")


def test_a_model_proposes_and_examples_must_be_in_the_text() -> None:
    data = {
        "entity_types": [
            kind("person", "Mira Solen", "Odd Varga"),
            kind("Company", "Calder Works", aliases=["firm", "person"]),
            kind("PLANET", "Saturn"),
            kind("PERSON", "Mira Solen"),
            {"name": " "},
        ],
        "relation_types": [
            kind("opened", "opened the kiln", subjects=["Person"], objects=["firm", "kiln"], symmetric=False),
            kind("married", "married Mira Solen", subjects=["PERSON"], objects=["PERSON"], symmetric=True),
            kind("orbits", "Saturn orbits", subjects=["PLANET"], objects=["PLANET"], symmetric=False),
        ],
    }
    found = kg.discover_schema(chunks_of(TEXT), model=Said(data))
    schema = found.schema
    assert [k.name for k in schema.entity_types] == ["PERSON", "COMPANY"]
    assert schema.entity_type("firm").name == "COMPANY" and schema.closed_entity_types  # type: ignore[union-attr]
    assert [(r.name, r.subjects, r.objects, r.symmetric) for r in schema.relation_types] == [
        ("opened", ("PERSON",), ("COMPANY",), False),
        ("married", ("PERSON",), ("PERSON",), True),
    ]
    assert codes(found.outcomes) == ["bad_type", "known_type", "no_example", "no_example", "unknown_end"]
    assert found.schema_types.filter(pl.col("name") == "COMPANY")["n_seen"].item() >= 1
    assert kg.Schema.from_yaml(schema.to_yaml()) == schema
    extracted = kg.extract(chunks_of(TEXT), model=Said({"entities": [kind("Odd Varga", type="Person")]}), schema=found)
    assert extracted.mentions["type"].to_list() == ["PERSON"]


def test_a_schema_is_added_to_and_limits_hold() -> None:
    data = {
        "entity_types": [kind("HUMAN", "Odd Varga"), kind("KILN", "the kiln"), kind("TOWN", "Northwick")],
        "relation_types": [],
    }
    model = Said(data)
    found = kg.discover_schema(chunks_of(TEXT), model=model, schema="general", max_entity_types=1)
    assert codes(found.outcomes) == ["known_type", "over_limit"]
    assert set(found.schema.entity_types) - set(kg.Schema.starter("general").entity_types)
    assert "worked_at" in model.asked[0].messages[0]["content"]


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ({"entity_types": [], "relation_types": []}, "empty"),
        ({"types": []}, "failed"),
        (Reply("x", "failed", "timed_out", attempts=2), "failed"),
        (Reply("x", "skipped", "budget"), "skipped"),
    ],
)
def test_a_model_that_gives_nothing_changes_nothing(reply: Any, status: str) -> None:
    chunks = corpus(1, 2, 3)
    found = kg.discover_schema(chunks, model=Said(lambda ask: reply), schema="academic", max_chars=300)
    assert found.schema == kg.Schema.starter("academic")
    assert found.counts["in"] == 6
    sampled = found.outcomes.filter(pl.col("reason").fill_null("") != "not_sampled")
    assert set(sampled["status"]) == {status}


def test_without_a_model_it_counts_what_the_local_extractor_sees() -> None:
    found = kg.discover_schema(chunks_of("Ada Lovelace was born in London. Alan Turing was born in London."))
    seen = dict(found.schema_types.select("name", "n_seen").iter_rows())
    assert seen == {"PERSON": 2, "PLACE": 2, "born_in": 2}
    born = found.schema.relation_type("born in")
    assert born is not None and (born.subjects, born.objects) == (("PERSON",), ("PLACE",))
    assert not found.schema.closed_entity_types


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12), st.integers(1, 6000), st.randoms())
def test_samples_fit_and_do_not_depend_on_the_order(sizes: list[int], room: int, random: Any) -> None:
    chunks = corpus(*sizes)
    sample = sample_chunks(chunks, max_chars=room)
    assert sample.height >= 1
    assert sample["text"].str.len_chars().sum() <= max(room, chunks["text"].str.len_chars().max())  # type: ignore[type-var]
    order = list(range(chunks.height))
    random.shuffle(order)
    assert sample_chunks(chunks[order], max_chars=room).equals(sample)
    if room >= 120 * chunks.height:
        assert sample.height == chunks.height


def test_a_sample_covers_folders_documents_and_places() -> None:
    many = sample_chunks(corpus(*[5] * 300), max_chars=100 * 30)
    folders = many["source"].str.split("/").list.first().value_counts()["count"]
    assert many["doc_id"].n_unique() == many.height >= 28 and folders.min() >= 8  # type: ignore[operator]
    assert many["seq"].n_unique() == 5
    long = sample_chunks(corpus(1000), max_chars=100 * 20)
    gaps = long["seq"].diff().drop_nulls()
    assert gaps.max() <= 120 and long["seq"].min() < 100 and long["seq"].max() > 900  # type: ignore[operator]
    uneven = sample_chunks(corpus(1000, 1, 1), max_chars=100 * 10)
    assert uneven["doc_id"].n_unique() == 3


def test_limits_are_checked() -> None:
    with pytest.raises(OptionError, match="max_chars=0 is not possible"):
        kg.discover_schema(chunks_of(TEXT), max_chars=0)
    with pytest.raises(OptionError, match="max_relation_types=-1 is not possible"):
        kg.discover_schema(chunks_of(TEXT), max_relation_types=-1)
