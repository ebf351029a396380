"""Duplicates that other tools found, and GraphRAG's graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import kgkit as kg
from kgkit.errors import InputError, OptionError, SchemaError
from kgkit.ids import stable_id

ENTITIES = pl.DataFrame(
    {
        "entity_id": ["e1", "e2", "e3", "e4", "e5"],
        "name": ["Calder Works", "Calder Works Ltd", "Mira Solen", "Larch", "larch"],
        "type": ["ORGANISATION", "ORGANISATION", "PERSON", "PLACE", "CONCEPT"],
        "aliases": [["CW"], [], ["M. Solen"], [], []],
    }
)

SIFT = """
proposals:
- canonical_id: organization:calder_works
  canonical_name: Calder Works
  entity_type: ORGANISATION
  status: DRAFT
  members:
  - {id: organization:calder_works_ltd, name: Calder Works Ltd, confidence: 0.92}
  - {id: organization:unheard_of, name: Unheard Of, confidence: 0.7}
  reason: The same pottery
- canonical_id: place:larch
  canonical_name: Larch
  entity_type: PLACE
  status: REJECTED
  members:
  - {id: place:cw, name: CW, confidence: 0.2}
"""


def pairs(found: Any) -> list[tuple[str, str, float | None]]:
    return found.merges.select("left_id", "right_id", "score").rows()


def statuses(found: Any) -> dict[str, str]:
    return dict(found.outcomes.select("item_id", pl.coalesce("reason", "status")).iter_rows())


def test_splink_predictions_and_clusters() -> None:
    predictions = pd.DataFrame(
        {
            "match_weight": [6.6, -3.0],
            "match_probability": [0.99, 0.11],
            "unique_id_l": ["e2", "e1"],
            "unique_id_r": ["e1", "nobody"],
        }
    )
    found = kg.read_merges(predictions, ENTITIES, format="splink")
    assert pairs(found) == [("e1", "e2", 0.99)]
    assert found.merges["merge_id"][0] == stable_id("merge", "e1", "e2")
    assert statuses(found) == {"e1": "ok", "e2": "ok", "nobody": "unknown"}
    weights = kg.read_merges(predictions.drop(columns="match_probability"), ENTITIES)
    assert pairs(weights)[0][2] == pytest.approx(2**6.6 / (1 + 2**6.6))
    clusters = pl.DataFrame({"cluster_id": ["e1", "e1", "e3"], "unique_id": ["e1", "e2", "e3"]})
    assert pairs(kg.read_merges(clusters, ENTITIES, format="splink")) == [("e1", "e2", None)]
    assert statuses(kg.read_merges(clusters, ENTITIES)) == {"e1": "ok", "e2": "ok", "e3": "alone"}


def test_dedupe_csv_by_name(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text(
        "Cluster ID,confidence_score,name\n0,0.9,CALDER works\n0,0.8,Calder Works Ltd\n1,0.7,M. Solen\n", "utf-8"
    )
    found = kg.read_merges(path, ENTITIES, format="dedupe")
    assert pairs(found) == [("e1", "e2", 0.8)]
    assert statuses(found) == {"CALDER works": "ok", "Calder Works Ltd": "ok", "M. Solen": "alone"}


def test_openrefine_clusters_history_and_reconciled_table(tmp_path: Path) -> None:
    choices = [{"v": "Calder Works", "c": 3}, {"v": "Calder Works Ltd", "c": 1}]
    exported = {"columnName": "name", "clusters": [{"edit": False, "value": "Calder Works", "choices": choices}]}
    path = tmp_path / "clusters.json"
    path.write_text(json.dumps(exported), "utf-8")
    assert pairs(kg.read_merges(path, ENTITIES)) == [("e1", "e2", None)]
    edit = {"from": ["Calder Works Ltd", "Nothing"], "to": "Calder Works", "fromBlank": False}
    history = [{"op": "core/text-transform"}, {"op": "core/mass-edit", "columnName": "name", "edits": [edit]}]
    found = kg.read_merges(history, ENTITIES, format="openrefine")
    assert pairs(found) == [("e1", "e2", None)]
    assert statuses(found)["Nothing"] == "unknown"
    table = pl.DataFrame({"firm": ["CW", "Calder Works Ltd", "Mira Solen"], "qid": ["Q1", "Q1", None]})
    read = kg.read_merges(table, ENTITIES, format="openrefine", id_column="firm", cluster_column="qid")
    assert pairs(read) == [("e1", "e2", None)]
    assert read.counts == {"in": 3, "ok": 2, "empty": 1, "failed": 0, "skipped": 0}


def test_sift_proposals_with_their_reasons(tmp_path: Path) -> None:
    path = tmp_path / "merge_proposals.yaml"
    path.write_text(SIFT, "utf-8")
    found = kg.read_merges(path, ENTITIES)
    assert pairs(found) == [("e1", "e2", 0.92), ("e1", "e4", 0.2)]
    assert found.merges["reasons"][0].to_list() == [{"reason": "The same pottery; DRAFT", "weight": 0.0}]
    assert statuses(found)["organization:unheard_of"] == "unknown"


def test_a_name_of_several_is_ambiguous() -> None:
    rows = pl.DataFrame({"left_id": ["Larch"], "right_id": ["Mira Solen"]})
    assert statuses(kg.read_merges(rows, ENTITIES)) == {"Larch": "ambiguous", "Mira Solen": "alone"}


def test_order_changes_nothing_and_a_pair_is_there_once() -> None:
    rows = pl.DataFrame(
        {"left_id": ["e1", "CW", "e3"], "right_id": ["e2", "e2", "e1"], "score": [0.4, 0.6, None]},
        schema_overrides={"score": pl.Float64},
    )
    found = kg.read_merges(rows, ENTITIES)
    assert pairs(found) == [("e1", "e2", 0.6), ("e1", "e3", None)]
    assert pairs(kg.read_merges(rows[::-1], ENTITIES)) == pairs(found)
    assert isinstance(kg.read_merges(rows, ENTITIES.to_pandas()).merges, pd.DataFrame)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.yaml", "{[", "cannot be read"),
        ("a.json", "{nonsense", "cannot be read"),
        ("a.xls", "", "cannot be read"),
        ("gone.csv", None, "cannot be read"),
    ],
)
def test_files_that_cannot_be_read_are_told(tmp_path: Path, name: str, text: str | None, words: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(InputError, match=words):
        kg.read_merges(tmp_path / name, ENTITIES)


def test_files_of_another_form_are_told() -> None:
    with pytest.raises(OptionError, match="sift-kg"):
        kg.read_merges([], ENTITIES, format="excel")
    for held, form, words in (
        ({"a": 1}, "sift-kg", "'proposals'"),
        ([{"op": "core/row-removal"}], "openrefine", "neither"),
        (ENTITIES.select("name"), "clusters", "No column for the cluster"),
        (ENTITIES.select("name"), "pairs", "two columns"),
        ([], "dedupe", "is a table"),
    ):
        with pytest.raises(SchemaError, match=words):
            kg.read_merges(held, ENTITIES, format=form)


def test_yaml_cannot_make_objects(tmp_path: Path) -> None:
    path = tmp_path / "evil.yaml"
    path.write_text("proposals: !!python/object/apply:os.system ['true']\n", "utf-8")
    with pytest.raises(InputError, match="cannot be read"):
        kg.read_merges(path, ENTITIES)


def graphrag(folder: Path) -> None:
    pl.DataFrame(
        {
            "id": ["u1", "u2", "u3", "u4"],
            "human_readable_id": [0, 1, 2, 3],
            "title": ["MIRA SOLEN", "CALDER WORKS", "LARCH", "LARCH"],
            "type": ["PERSON", "ORGANIZATION", "PLACE", ""],
            "description": ["A potter.", "A pottery.", "A hamlet.", None],
            "text_unit_ids": [["t1", "t2"], ["t1"], ["t2"], ["t3"]],
        }
    ).write_parquet(folder / "entities.parquet")
    pl.DataFrame(
        {
            "id": ["r1", "r2", "r3"],
            "source": ["MIRA SOLEN", "MIRA SOLEN", "LARCH"],
            "target": ["CALDER WORKS", "GHOST", "MIRA SOLEN"],
            "description": ["founded it", "", ""],
            "weight": [7.0, 1.0, 1.0],
            "text_unit_ids": [["t1"], [], []],
        }
    ).write_parquet(folder / "relationships.parquet")


def test_graphrag_tables_become_a_graph(tmp_path: Path) -> None:
    graphrag(tmp_path)
    graph = kg.read_graphrag(tmp_path)
    mira = graph.find("Mira Solen").to_dicts()[0]
    assert mira["entity_id"] == stable_id("entity", "PERSON", "mira solen")
    assert (mira["n_mentions"], mira["description"]) == (2, "A potter.")
    assert sorted(graph.find("larch")["type"], key=str) == [None, "PLACE"]
    assert graph.relations.select("predicate", "weight").rows() == [("related_to", 7.0)]
    assert graph.counts == {"in": 7, "ok": 5, "empty": 0, "failed": 0, "skipped": 2}
    assert kg.apply_decisions(graph, kg.tables.empty("decisions")).entities.equals(graph.entities)


def test_graphrag_frames_come_back_as_pandas(tmp_path: Path) -> None:
    graphrag(tmp_path)
    entities = pd.read_parquet(tmp_path / "entities.parquet")
    graph = kg.read_graphrag(entities)
    assert isinstance(graph.entities, pd.DataFrame) and len(graph.relations) == 0
    with pytest.raises(SchemaError, match="title"):
        kg.read_graphrag(entities.drop(columns="title"))
