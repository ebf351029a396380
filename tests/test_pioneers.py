"""The sample corpus: its gold tables point at the right words, and the files are what the builder makes."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import kgkit as kg

Row = dict[str, Any]
TABLES = ("mentions", "entities", "relations", "topics", "questions")
MODULES = ("source", "render_text", "render_office", "build", "gold")


@pytest.fixture(scope="module")
def documents(pioneers: Path) -> Any:
    return kg.read_documents(str(pioneers / "documents"))


@pytest.fixture(scope="module")
def texts(documents: Any) -> dict[str, str]:
    return dict(zip(documents.frame["source"], documents.frame["text"], strict=True))


@pytest.fixture(scope="module")
def gold(pioneers: Path) -> dict[str, list[Row]]:
    folder = pioneers / "gold"
    read = {name: (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines() for name in TABLES}
    return {name: [json.loads(line) for line in lines] for name, lines in read.items()}


@pytest.fixture(scope="module")
def tools(pioneers: Path) -> Iterator[dict[str, ModuleType]]:
    """The corpus's own scripts, which are not a package."""
    for needed in ("docx", "reportlab"):
        pytest.importorskip(needed)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(pioneers.parents[1] / "tools" / "pioneers"))
        yield {name: importlib.import_module(name) for name in MODULES}
    for name in MODULES:
        sys.modules.pop(name, None)


def spans(gold: dict[str, list[Row]]) -> list[Row]:
    return gold["mentions"] + gold["relations"] + [span for row in gold["questions"] for span in row["evidence"]]


def test_every_gold_quote_stands_where_it_says(gold: dict[str, list[Row]], texts: dict[str, str]) -> None:
    wrong = [row for row in spans(gold) if texts[row["source"]][row["start"] : row["end"]] != row["quote"]]
    assert wrong == []
    assert all(row["quote"].strip() == row["quote"] != "" for row in spans(gold))


def test_every_document_has_gold_and_all_gold_a_document(gold: dict[str, list[Row]], texts: dict[str, str]) -> None:
    assert {row["source"] for row in gold["topics"]} == set(texts)
    assert {row["source"] for row in spans(gold)} <= set(texts)
    assert {row["source"] for row in gold["mentions"]} == set(texts)


def test_mentions_do_not_overlap_and_agree_with_their_entity(gold: dict[str, list[Row]]) -> None:
    entities = {row["entity"]: row for row in gold["entities"]}
    end_of: dict[str, int] = defaultdict(int)
    for row in gold["mentions"]:
        assert row["start"] >= end_of[row["source"]], row
        end_of[row["source"]] = row["end"]
        entity = entities[row["entity"]]
        assert row["type"] == entity["type"], row
        assert row["name"] == " ".join(row["quote"].split())
        assert row["name"] in {entity["name"], *entity["aliases"]}, row
    assert {row["entity"] for row in gold["mentions"]} == set(entities)
    assert len(entities) == len(gold["entities"])


def test_both_ends_of_a_relation_are_mentioned_in_its_document(gold: dict[str, list[Row]]) -> None:
    mentioned = {(row["source"], row["entity"]) for row in gold["mentions"]}
    for row in gold["relations"]:
        assert {(row["source"], row["subject"]), (row["source"], row["object"])} <= mentioned, row
    counts = Counter(row["polarity"] for row in gold["relations"])
    assert set(counts) == {"positive", "negated", "conditional", "reported"}
    assert counts["negated"] >= 20
    assert min(counts["conditional"], counts["reported"]) >= 7


def test_there_are_forty_documents_of_the_promised_length(pioneers: Path, texts: dict[str, str]) -> None:
    words = {source: len(text.split()) for source, text in texts.items() if "#" not in source}
    assert len(words) >= 40
    assert {source: count for source, count in words.items() if not 200 <= count <= 1200} == {}
    formats = {path.suffix for path in (pioneers / "documents").rglob("*") if path.is_file()}
    assert formats == {".txt", ".md", ".html", ".pdf", ".docx", ".xlsx", ".csv", ".epub", ".eml", ".json"}


def test_the_damaged_the_empty_and_the_repeated_are_reported(documents: Any) -> None:
    status = dict(zip(documents.outcomes["item_id"], documents.outcomes["status"], strict=True))
    unusual = {item: state for item, state in status.items() if state != "ok"}
    repeats = [item for item in unusual if item.startswith("links/bookmarks.json#")]
    assert len(repeats) == 1
    assert unusual == {
        "damaged/empty-note.txt": "empty",
        "damaged/scan-0417.pdf": "failed",
        repeats[0]: "skipped",
    }


def test_the_corpus_has_the_difficulties_it_promises(gold: dict[str, list[Row]], texts: dict[str, str]) -> None:
    meanings: dict[str, set[str]] = defaultdict(set)
    for row in gold["mentions"]:
        meanings[row["name"]].add(row["entity"])
    shared = ("Eckert", "Watson", "Thompson", "Williams", "Ada", "Grace", "Mauchly", "Margaret Hamilton")
    assert {name: len(meanings[name]) for name in (*shared, "Cambridge", "Atlas") if len(meanings[name]) < 2} == {}
    surnames = Counter(row["name"].split()[-1] for row in gold["entities"] if row["type"] == "PERSON")
    assert min(surnames[name] for name in ("Thompson", "Booth", "Goldstine", "Williams", "Strachey", "Neumann")) >= 2
    many = [row["entity"] for row in gold["entities"] if row["type"] == "PERSON" and len(row["aliases"]) >= 3]
    assert len(many) >= 10
    assert {"people/notes.txt", "machines/notes.txt"} <= set(texts)
    for left, right in (
        ("people/bartik.html", "drafts/bartik-draft.md"),
        ("museum/press-release-v1.docx", "museum/press-release-v2.docx"),
    ):
        likeness = SequenceMatcher(None, texts[left].split(), texts[right].split(), autojunk=False).ratio()
        assert 0.8 < likeness < 1.0


def test_forty_questions_of_which_ten_have_no_answer(gold: dict[str, list[Row]], pioneers: Path) -> None:
    questions = gold["questions"]
    asked = [line for line in (pioneers / "demo_questions.txt").read_text().splitlines() if not line.startswith("#")]
    assert set(asked) <= {row["question"] for row in questions}
    assert len({row["question"] for row in questions}) == len({row["question_id"] for row in questions}) == 40
    assert sum(not row["answerable"] for row in questions) == 10
    for row in questions:
        assert row["answerable"] == bool(row["evidence"]) == bool(row["answer"]), row


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ("IBM 704", "month"),
        ("Wilkes", "school"),
        ("Zuse KG", r"\d+ (?:people|Mitarbeiter|Leute)"),
        ("Flowers", "succe"),
        ("Sammet", "died"),
        ("EDSAC", "valves"),
        ("Davies", "studied|degree"),
        ("Haibt", r"\$"),
        ("lift", "repaired by"),
        ("Apple", "19[78]"),
    ],
)
def test_no_sentence_answers_a_question_without_answer(about: str, said: str, texts: dict[str, str]) -> None:
    sentences = [part for text in texts.values() for part in re.split(r"(?<=[.!?])\s|\n\n", text)]
    assert any(about in sentence for sentence in sentences)
    assert [part for part in sentences if about in part and re.search(said, part)] == []


def test_the_builder_makes_the_committed_files(tools: dict[str, ModuleType], pioneers: Path) -> None:
    build, folder = tools["build"], pioneers / "documents"
    made = build.render_documents()
    committed = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert set(made) == set(committed)
    assert [name for name in made if not build.same_file(made[name], committed[name])] == []
    assert made == build.render_documents()


def test_the_gold_tables_are_up_to_date(
    tools: dict[str, ModuleType], gold: dict[str, list[Row]], texts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools["gold"], "read_texts", lambda: texts)
    assert tools["gold"].make_gold() == gold


def test_words_that_are_not_in_the_document_stop_the_making_of_gold(
    tools: dict[str, ModuleType], texts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = texts | {"people/turing.md": texts["people/turing.md"].replace("Hut 8", "Hut 9")}
    monkeypatch.setattr(tools["gold"], "read_texts", lambda: changed)
    with pytest.raises(tools["source"].SourceError, match=r"people/turing\.md: not found in 1 documents"):
        tools["gold"].make_gold()


def test_a_mark_that_is_not_closed_is_an_error(tools: dict[str, ModuleType]) -> None:
    head = "file: a.md\ntitle: A\ntopic: museum\n---\n"
    with pytest.raises(tools["source"].SourceError, match="not closed"):
        tools["source"].parse_source("a", head + "{{No end to this.")
    with pytest.raises(tools["source"].SourceError, match="not one of the predicates"):
        tools["source"].parse_source("a", head + "{{[[A|x]] adores [[B|y]].}}(x adores y)")
