"""What can be read from where: folders, files, globs, lists and frames; and who each document is."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kgkit as kg
from kgkit.documents.discover import find_files, printable
from kgkit.errors import InputError, OptionError, SchemaError
from kgkit.ids import content_hash, stable_id


def make(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def sources(*args, **options) -> dict[str, str | None]:
    return {item.source: item.reason for item in find_files(*args, **options)}


FILES = {"a.txt": "A", "sub/b.txt": "B", "sub/deep/c.md": "C", "d.csv": "x\n1"}


def test_folders_files_globs_and_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    assert list(sources(tmp_path)) == ["a.txt", "d.csv", "sub/b.txt", "sub/deep/c.md"]
    assert list(sources(tmp_path / "sub" / "b.txt")) == ["b.txt"]
    assert list(sources("sub/**/*.md")) == ["deep/c.md"]
    assert list(sources(["sub/b.txt", tmp_path / "sub" / "deep" / "c.md", "sub/b.txt"])) == ["b.txt", "deep/c.md"]
    assert list(sources(["sub", "a.txt"])) == ["a.txt", "sub/b.txt", "sub/deep/c.md"]
    assert list(sources("sub/b.txt", root=tmp_path)) == ["sub/b.txt"]
    assert sources(["a.txt", "sub/b.txt"], root="sub")["b.txt"] is None
    assert "outside_root" in sources(["a.txt", "sub/b.txt"], root="sub").values()


@pytest.mark.parametrize(
    ("glob", "names"),
    [
        ("**/*.txt", ["a.txt", "sub/b.txt"]),
        ("*.txt", ["a.txt"]),
        ("sub/**", ["sub/b.txt", "sub/deep/c.md"]),
        ("**/[bc].*", ["sub/b.txt", "sub/deep/c.md"]),
        ("?.[!c]*", ["a.txt"]),
    ],
)
def test_globs_choose_files_of_a_folder(tmp_path: Path, glob: str, names: list[str]) -> None:
    assert list(sources(make(tmp_path, FILES), glob=glob)) == names


def test_files_named_with_the_signs_of_globs_are_files(tmp_path: Path) -> None:
    make(tmp_path, {"a[1].txt": "A", "a1.txt": "B"})
    assert list(sources(str(tmp_path / "a[1].txt"))) == ["a[1].txt"]


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file or folder .*nowhere"):
        find_files(tmp_path / "nowhere")
    with pytest.raises(InputError, match="No file matches"):
        find_files(str(tmp_path / "*.txt"))
    read = kg.read_documents([make(tmp_path, {"a.txt": "Some words."}) / "a.txt", tmp_path / "nowhere.txt"])
    assert read.counts == {"in": 2, "ok": 1, "empty": 0, "failed": 1, "skipped": 0}
    assert read.failures.select("item_id", "reason").rows() == [("nowhere.txt", "not_found")]


@pytest.mark.parametrize("source", [7, None, [7], {"text": ["a"]}, object()])
def test_other_things_are_no_source(source: object) -> None:
    with pytest.raises(InputError, match="source must be a folder"):
        kg.read_documents(source)


@pytest.mark.parametrize("source", ["", [""], ["a.txt", ""]])
def test_an_empty_path_is_not_the_current_folder(source: object) -> None:
    with pytest.raises(InputError, match="empty path"):
        kg.read_documents(source)


def test_nothing_to_read_is_an_empty_result(tmp_path: Path) -> None:
    for source in (tmp_path, []):
        read = kg.read_documents(source)
        assert read.documents.schema == kg.tables.get("documents").schema
        assert read.counts["in"] == len(read.outcomes) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs links, pipes and bytes in names")
def test_odd_things_in_a_folder(tmp_path: Path) -> None:
    outside = make(tmp_path / "outside", {"secret.txt": "S"})
    folder = make(
        tmp_path / "in", {"a.txt": "A", ".hidden": "H", ".git/config": "G", "Thumbs.db": "T", "x.pdf/b.txt": "B"}
    )
    (folder / "out.txt").symlink_to(outside / "secret.txt")
    (folder / "same.txt").symlink_to(folder / "a.txt")
    (folder / "gone.txt").symlink_to(folder / "nothing")
    (folder / "loop").symlink_to(folder)
    (folder / "elsewhere").symlink_to(outside)
    os.mkfifo(folder / "pipe.txt")
    (folder / "new\nline.txt").write_text("N")
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.txt")).write_text("C")
    read = kg.read_documents(folder)
    found = {o["item_id"]: (o["status"], o["reason"]) for o in read.outcomes.iter_rows(named=True)}
    assert found == {
        "a.txt": ("ok", None),
        "same.txt": ("ok", None),
        "x.pdf/b.txt": ("ok", None),
        "new\\nline.txt": ("ok", None),
        "caf\\xe9.txt": ("ok", None),
        ".hidden": ("skipped", "hidden_file"),
        ".git": ("skipped", "hidden_file"),
        "Thumbs.db": ("skipped", "hidden_file"),
        "out.txt": ("skipped", "outside_root"),
        "elsewhere": ("skipped", "outside_root"),
        "loop": ("skipped", "linked_folder"),
        "pipe.txt": ("skipped", "not_a_file"),
        "gone.txt": ("failed", "not_found"),
    }


def test_limits_are_reported(tmp_path: Path) -> None:
    make(tmp_path, {"a.txt": "x" * 100, "b.txt": "y" * 60, "c.txt": "z"})
    read = kg.read_documents(tmp_path, max_bytes=80, max_chars=50)
    assert read.outcomes["reason"].to_list() == ["too_large", "too_long", None]
    assert read.documents["text"].to_list() == ["z"]


@given(st.text(st.characters(exclude_characters="\x00"), max_size=30))
@settings(max_examples=50, deadline=None)
def test_printable_names_can_be_stored(name: str) -> None:
    shown = printable(os.fsdecode(name.encode("utf-8", "ignore")))
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert all(c.isprintable() or c == "\u3000" for c in shown)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"records": "row"}, "records='row' is not known. Allowed: 'rows', 'whole'"),
        ({"hidden_sheets": True}, "hidden_sheets=True is not known"),
        ({"ocr": "yes"}, "ocr='yes' is not known"),
        ({"ocr": 1}, "ocr=1 is not known"),
        ({"workers": 0}, "workers=0 is not allowed. It must be a whole number above 0, or None"),
        ({"timeout": -1}, "timeout=-1 is not allowed"),
        ({"max_bytes": 1.5}, "max_bytes=1.5 is not allowed"),
        ({"backend": "dask"}, "backend='dask' is not known"),
        ({"glob": "[z-a]*"}, "is no pattern"),
    ],
)
def test_options_out_of_range(tmp_path: Path, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("[", r"\[")) as raised:
        kg.read_documents(tmp_path, **options)
    assert isinstance(raised.value, OptionError) or "glob" in options


def test_ids_come_from_content_alone(tmp_path: Path) -> None:
    make(tmp_path / "one", {"a.txt": "Same words.", "b.txt": "Other words."})
    make(tmp_path / "two" / "deep", {"renamed.txt": "Same words.", "b.txt": "More words."})
    one = kg.read_documents(tmp_path / "one").documents
    two = kg.read_documents(tmp_path / "two").documents
    assert one["doc_id"][0] == stable_id("doc", content_hash(b"Same words."))
    assert one["doc_id"][0] == two.filter(pl.col("source") == "deep/renamed.txt")["doc_id"][0]
    assert set(one["doc_id"]) & set(two["doc_id"]) == {one["doc_id"][0]}


def test_equal_content_read_twice_gets_two_ids_and_a_note(tmp_path: Path) -> None:
    read = kg.read_documents(make(tmp_path, {"b.txt": "Same.", "a.txt": "Same.", "c.txt": "Same."}))
    digest = content_hash(b"Same.")
    assert read.documents["doc_id"].to_list() == [
        stable_id("doc", digest), stable_id("doc", digest, 2), stable_id("doc", digest, 3),
    ]  # fmt: skip
    assert read.outcomes["notes"].to_list() == [[], *[["duplicate: same content as a.txt"]] * 2]


def test_records_keep_their_ids_when_rows_move(tmp_path: Path) -> None:
    make(
        tmp_path,
        {"one.csv": "id,text\n1,First words\n2,Second words\n", "two.csv": "text,id\nSecond words,2\nFirst words,1\n"},
    )
    one = kg.read_documents(tmp_path / "one.csv").documents
    two = kg.read_documents(tmp_path / "two.csv").documents
    assert dict(one.select("text", "doc_id").rows()) == dict(two.select("text", "doc_id").rows())


FRAME = {"text": ["First words here.", "", "Second words."], "title": ["T", None, None], "year": [1950, 1951, None]}


@pytest.mark.parametrize("make_frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_frames_go_in_and_the_same_kind_comes_out(make_frame) -> None:
    frame = make_frame(FRAME)
    read = kg.read_documents(frame)
    assert type(read.documents).__module__.split(".")[0] == type(frame).__module__.split(".")[0]
    assert read.counts == {"in": 3, "ok": 2, "empty": 1, "failed": 0, "skipped": 0}
    documents = read.to_polars().documents.sort("text")
    assert documents["text"].to_list() == ["First words here.", "Second words."]
    assert json.loads(documents["metadata"][0])["year"] == 1950
    assert documents.schema == kg.tables.get("documents").schema


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(5)))
def test_the_order_of_rows_changes_nothing(order: list[int]) -> None:
    frame = pl.DataFrame({"text": ["a", "b", "a", "", "a"], "year": [1, 2, 3, 4, 1]})
    assert kg.read_documents(frame[order]).documents.equals(kg.read_documents(frame).documents)


def test_frames_keep_their_ids_and_results_can_be_given_again(tmp_path: Path) -> None:
    frame = pl.DataFrame({"doc_id": ["x", "y"], "source": ["s", "t"], "text": ["a", "b"]})
    read = kg.read_documents(frame)
    assert read.documents.select("doc_id", "source", "text").rows() == frame.rows()
    again = kg.read_documents(read)
    assert again.documents.equals(read.documents)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"words": ["a"]}, "needs a 'text' column; it has: 'words'"),
        ({"text": ["a", "b"], "doc_id": ["x", "x"]}, "'x' more than once"),
        ({"text": ["a", "b"], "doc_id": ["x", None]}, "holds nulls"),
        ({"text": ["a", "b"], "modified_at": ["2024-01-31", "soon"]}, "'soon' in row 1 .* no time"),
        ({"text": [["a"], ["b"]]}, "'text' of the documents frame must be String"),
    ],
)
def test_frames_that_cannot_be_used(frame: dict, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        kg.read_documents(pl.DataFrame(frame))


def test_columns_of_frames_keep_their_values() -> None:
    frame = pl.DataFrame(
        {"text": ["a", "b"], "modified_at": ["Mon, 02 Jan 2023 03:04:05 +0100", None], "n": [float("inf"), 1.5]}
    ).with_columns(metadata=pl.Series([{"k": 1, "l": None}, {"k": None, "l": "x"}]))
    read = kg.read_documents(frame).documents.sort("text")
    assert [json.loads(m) for m in read["metadata"]] == [{"k": 1, "n": "inf"}, {"l": "x", "n": 1.5}]
    assert [t and t.isoformat() for t in read["modified_at"]] == ["2023-01-02T02:04:05+00:00", None]
