"""Mentions and statements for the tests of graphs and communities."""

from __future__ import annotations

from typing import Any

import polars as pl
from hypothesis import strategies as st

from kgkit import tables


def mentions(*rows: dict[str, Any]) -> pl.DataFrame:
    base = {
        "doc_id": "d1",
        "chunk_id": "c1",
        "type": "PERSON",
        "located": "exact",
        "attributes": "{}",
        "origin": "test",
    }
    return tables.from_rows("mentions", [{"mention_id": f"m{i}", **base, **row} for i, row in enumerate(rows)])


def statements(*rows: dict[str, Any]) -> pl.DataFrame:
    base = {"doc_id": "d1", "chunk_id": "c1", "polarity": "positive", "located": "exact", "origin": "test"}
    return tables.from_rows("statements", [{"statement_id": f"s{i}", **base, **row} for i, row in enumerate(rows)])


_NAMES = st.sampled_from(["Ada", "ADA", " ada", "Babbage", "C", "C#", "東浜", "", "Ada  Lovelace"])
_TYPES = st.sampled_from(["PERSON", "PLACE", None])
_DOCS = st.sampled_from(["d1", "d2"])
_CHUNKS = st.sampled_from(["c1", "c2", None])
_LOCATED = st.sampled_from(["exact", "exact", "normalised", "unlocated"])
_CONFIDENCE = st.one_of(st.none(), st.floats(0, 1))
_WHERE: dict[str, Any] = {"doc_id": _DOCS, "chunk_id": _CHUNKS, "located": _LOCATED, "confidence": _CONFIDENCE}

MENTIONS = st.lists(
    st.fixed_dictionaries(
        {
            **_WHERE,
            "name": _NAMES,
            "type": _TYPES,
            "start": st.one_of(st.none(), st.integers(0, 9)),
            "description": st.sampled_from([None, "", "a mill", "a mind"]),
            "attributes": st.sampled_from(["{}", '{"born": 1815}', '{"born": 1816, "of": ["x"]}', "no json"]),
        }
    ),
    max_size=12,
).map(lambda rows: mentions(*rows))
STATEMENTS = st.lists(
    st.fixed_dictionaries(
        {
            **_WHERE,
            "subject": _NAMES,
            "subject_type": _TYPES,
            "predicate": st.sampled_from(["know", "write", ""]),
            "object": _NAMES,
            "object_type": _TYPES,
            "polarity": st.sampled_from(["positive", "negated"]),
        }
    ),
    max_size=12,
).map(lambda rows: statements(*rows))
