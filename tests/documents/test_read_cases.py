"""Faults that users of comparable tools reported."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

import kgkit as kg

CELLS = [
    {"region_code": "NA", "name": "Namib Coast", "licence_no": "00417", "status": "None", "parent": "null"},
    {"region_code": "NB", "name": "Nordbay", "licence_no": "00018", "status": "active", "parent": "NA"},
    {"region_code": "NC", "name": "Nan, Upper", "licence_no": "9007199254740993", "status": "n/a", "parent": "NA"},
    {"region_code": "TRUE", "name": "True North", "licence_no": "1e5", "status": "active", "parent": "NB"},
]


@pytest.fixture
def cases(shared: Path) -> Path:
    return shared / "cases"


@pytest.mark.parametrize("backend", ["polars", "pandas"])
def test_words_that_look_missing_and_codes_that_look_like_numbers_stay_as_typed(cases: Path, backend) -> None:
    read = kg.read_documents(cases / "regions.csv", backend=backend)
    assert read.counts == {"in": 4, "ok": 4, "empty": 0, "failed": 0, "skipped": 0}
    metadata = [json.loads(m)["fields"] for m in read.documents["metadata"]]
    assert metadata == CELLS
    for text, cells in zip(read.documents["text"], CELLS, strict=True):
        assert text == "\n".join(f"{name}: {cell}" for name, cell in cells.items())


@pytest.mark.parametrize(
    ("file", "words", "encoding", "by"),
    [
        ("letter_cp1252.html", ["für 40 €", "Café Lindgrün"], "cp1252", "declared"),
        ("notes_utf16le.txt", ["Łyna", "Zoë"], "utf-16-le", "bom"),
    ],
)
def test_character_sets_are_found_and_named(cases: Path, file, words, encoding, by) -> None:
    [row] = kg.read_documents(cases / file).documents.to_dicts()
    assert all(word in row["text"] for word in words)
    assert "\x00" not in row["text"]
    metadata = json.loads(row["metadata"])
    assert (metadata["encoding"], metadata["encoding_by"]) == (encoding, by)


def test_bookmark_export_keeps_bookmarks_and_lists_the_rest(cases: Path) -> None:
    read = kg.read_documents(cases / "bookmark_export_with_junk.json")
    assert read.counts["in"] == 8
    first, second = read.documents.to_dicts()
    assert [first["source"][-5:], second["source"][-5:]] == ["#1001", "#1003"]
    about = json.loads(first["metadata"])
    assert about["folders"] == ["Sea", "Favourites"]
    assert first["text"].endswith("(Edited: south quay added)")
    assert json.loads(second["metadata"])["created_at"] == "2023-04-03T10:30:00+02:00"
    assert second["modified_at"].isoformat() == "2023-04-03T08:30:00+00:00"
    assert "kiln?id=1&ref=x" in second["text"]
    rest = [o for o in read.outcomes.iter_rows(named=True) if o["status"] != "ok"]
    assert all(o["reason"] and o["detail"] for o in rest)
    assert sorted(o["reason"] for o in rest) == [
        "empty_record", "no_bookmark", "no_bookmark", "no_bookmark", "no_text", "repeat",
    ]  # fmt: skip


def test_two_files_with_one_name_are_two_documents_wherever_they_lie(
    cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = kg.read_documents(cases / "same_name").documents
    assert here["source"].to_list() == ["north/README.md", "south/README.md"]
    assert here["doc_id"].n_unique() == 2
    shutil.copytree(cases / "same_name", tmp_path / "moved")
    monkeypatch.chdir(tmp_path)
    files = ["moved/south/README.md", "moved/north/README.md"]
    moved = kg.read_documents(files).documents
    assert moved.select("doc_id", "source", "text").rows() == here.select("doc_id", "source", "text").rows()


def test_xml_that_reaches_outside_is_refused_and_the_others_load(cases: Path, tmp_path: Path) -> None:
    canary = tmp_path / "kgkit_canary.txt"
    canary.write_text("CANARY-TEXT")
    graphml = (cases / "external_entity.graphml").read_text().replace("/tmp/kgkit_canary.txt", os.fspath(canary))
    (tmp_path / "external.graphml").write_text(graphml)
    shutil.copy(cases / "entity_expansion.docx", tmp_path / "expands.docx")
    (tmp_path / "fine.txt").write_text("The quay is open.")
    canary.rename(tmp_path / ".canary.txt")
    read = kg.read_documents(tmp_path)
    outcomes = {o["item_id"]: (o["status"], o["reason"]) for o in read.outcomes.iter_rows(named=True)}
    assert outcomes["external.graphml"] == ("failed", "unsafe_xml")
    assert outcomes["expands.docx"][0] == "failed"
    assert outcomes["fine.txt"] == ("ok", None)
    assert "CANARY" not in str(read.documents.rows()) + str(read.outcomes.rows())


def test_hidden_text_is_dropped_and_counted(cases: Path) -> None:
    read = kg.read_documents(cases / "injected_memo.md")
    assert "Trusted Admin" not in read.documents["text"][0]
    assert "The south quay is closed." in read.documents["text"][0]
    assert read.outcomes["notes"][0][0].startswith("hidden_text_dropped: 188 characters")
