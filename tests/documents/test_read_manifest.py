"""Real files of many kinds, each with what its reader must find in it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import kgkit as kg


@pytest.fixture(scope="module")
def read(shared: Path) -> kg.documents.Documents:
    return kg.read_documents(shared / "data" / "files", progress=False)


def rows_of(frame, column: str, file: str) -> list[dict]:
    return [r for r in frame.iter_rows(named=True) if r[column] == file or r[column].startswith(f"{file}#")]


def wrong(read, file: str, expected: str) -> str | None:
    documents = rows_of(read.documents, "source", file)
    outcomes = rows_of(read.outcomes, "item_id", file)
    statuses = {o["status"] for o in outcomes}
    if expected in ("ERROR", "EMPTY"):
        status = "failed" if expected == "ERROR" else "empty"
        fine = not documents and statuses == {status} and all(o["reason"] and o["detail"] for o in outcomes)
        return None if fine else f"{file}: {statuses}"
    text = " ".join("\n".join(d["text"] for d in documents).split())  # a line may break anywhere on a page
    missing = [snippet for snippet in expected.split("|") if " ".join(snippet.split()) not in text]
    return f"{file}: {missing}" if missing else None


def test_every_file_behaves_as_expected(read, shared: Path) -> None:
    with open(shared / "data" / "files" / "manifest.csv", encoding="utf-8", newline="") as file:
        manifest = list(csv.DictReader(file))
    assert len(manifest) == 52
    assert [w for row in manifest if (w := wrong(read, row["file"], row["expected"]))] == []


def test_every_section_lies_in_its_text(read) -> None:
    for row in read.documents.iter_rows(named=True):
        for section in row["sections"]:
            assert 0 <= section["start"] <= section["end"] <= len(row["text"]), (row["source"], section)
        assert row["n_chars"] == len(row["text"])
        assert "\x00" not in row["text"]


def test_pages_are_numbered_from_one(read) -> None:
    [row] = rows_of(read.documents, "source", "pdf_multicolumn_2p.pdf")
    pages = [s for s in row["sections"] if s["kind"] == "page"]
    assert [p["label"] for p in pages] == ["1", "2"]
    assert row["text"][pages[0]["start"] :].startswith("Dense Passage Retrieval")
    assert pages[0]["end"] < pages[1]["start"]
