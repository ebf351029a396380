"""The report: failures first, limits stated, everything escaped, nothing that runs."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from browser.samples import Held, history, hostile

import kgkit as kg
from kgkit import tables
from kgkit.errors import InputError
from kgkit.results import Outcome, outcomes_frame


class Reader(HTMLParser):
    """Tags, and the text as one reads it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words: list[str] = []
        self.skipping = ""
        self.feed(text)
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.skipping = tag if tag in ("style", "nav") else self.skipping
        assert not [name for name, _ in attrs if name.startswith("on") or name == "style"]

    def handle_endtag(self, tag: str) -> None:
        self.skipping = "" if tag == self.skipping else self.skipping

    def handle_data(self, data: str) -> None:
        if not self.skipping:
            self.words.append(data)


def report(path: Path, **stages: Any) -> Reader:
    return Reader(kg.write_report(path / "report.html", **stages).read_text("utf-8"))


def documents_of(frame: Any) -> Held:
    outcomes = [
        Outcome("a.txt", "ok", notes=("encoding: guessed cp1252",)),
        Outcome("locked.pdf", "failed", "password", "Protected by a password."),
        Outcome("void.txt", "empty", "no_text"),
    ]
    frames = {"documents": frame, "outcomes": outcomes_frame("read_documents", [o.item_id for o in outcomes], outcomes)}
    return Held(frames)


def asked(question: str, status: str, **more: Any) -> Held:
    answer = {"answer_id": question, "question": question, "status": status, "origin": "test", **more}
    cited = {
        "answer_id": question,
        "sentence_id": "s1",
        "number": 1,
        "chunk_id": "c",
        "doc_id": "d",
        "start": 3,
        "end": 40,
        "quote": "Hopper wrote it.",
        "source": "notes/a.txt",
        "place": "page 3",
    }
    frames = {
        "answers": tables.from_rows("answers", [answer]),
        "answer_sentences": tables.empty("answer_sentences"),
        "citations": tables.from_rows("citations", [cited] if status == "answered" else []),
    }
    return Held(frames)


def test_failures_come_before_what_was_found(tmp_path: Path) -> None:
    graph, topics, documents = history(80)
    page = report(tmp_path, documents=documents_of(documents), graph=graph, communities=topics, title="History")
    order = [
        "History",
        "Of 3 items: 1 empty, 1 failed",
        "locked.pdf failed Protected by a password.",
        "void.txt empty no_text",
        "1 read with a remark",
        "Most mentioned entities",
        "Communities",
        "Strongest relations",
        "Negated, conditional and reported",
        "Stages",
        "read_documents 3 1 1 1 0",
        "Made with",
    ]
    places = [page.text.find(words) for words in order]
    assert -1 not in places
    assert places == sorted(places)


def test_limits_are_stated_with_where_all_is(tmp_path: Path) -> None:
    graph, topics, _ = history(140)
    page = report(tmp_path, graph=graph, communities=topics, tables="tables", graph_page="graph.html")
    assert "42 of 140 entities shown; all are in entities.parquet" in page.text
    stated = graph.relations.filter(graph.relations["polarity"] == "positive").height
    assert f"30 of {stated} stated relations shown; all are in relations.parquet" in page.text
    html = (tmp_path / "report.html").read_text("utf-8")
    assert 'href="tables/entities.parquet"' in html and 'href="graph.html"' in html


def test_relations_show_their_words_and_where_they_stand(tmp_path: Path) -> None:
    graph, _, documents = history(60)
    page = report(tmp_path, documents=documents_of(documents), graph=graph)
    strongest = graph.relations.sort("weight", "n_documents", "relation_id", descending=[True, True, False])
    first = strongest.filter(strongest["polarity"] == "positive").row(0, named=True)
    names = dict(graph.entities.select("entity_id", "name").iter_rows())
    said = f"{names[first['source_id']]} {first['predicate'].replace('_', ' ')} {names[first['target_id']]}"
    assert f"{said} 6 statements in " in page.text
    assert "letters/volume_" in page.text and ", characters " in page.text


def test_answers_show_citations_or_why_there_is_none(tmp_path: Path) -> None:
    answers = [
        asked("Who wrote it?", "answered", text="Hopper did [1]."),
        asked("And the colour?", "not_in_documents", reason="no_support"),
    ]
    page = report(tmp_path, answers=answers)
    assert "2 questions: 1 answered, 1 not in documents." in page.text
    assert "Who wrote it? Hopper did [1]. Hopper wrote it. notes/a.txt , page 3 , characters 3–40" in page.text
    assert "And the colour? Not in documents: no support." in page.text


def test_hostile_names_are_text(tmp_path: Path, shared: Path) -> None:
    graph, rows = hostile(shared)
    page = report(tmp_path, graph=graph, title=rows["name"][0])
    assert not {"script", "img", "iframe", "object", "embed", "form"} & set(page.tags)
    for name in rows["name"]:
        assert " ".join(name.split()) in page.text
    assert "default-src 'none'; script-src 'none'" in (tmp_path / "report.html").read_text("utf-8")


def test_the_same_results_give_the_same_report(tmp_path: Path) -> None:
    graph, topics, _ = history(60)
    mixed = Held({name: frame.reverse() for name, frame in graph.frames.items()})
    one = kg.write_report(tmp_path / "1.html", graph=graph, communities=topics)
    two = kg.write_report(tmp_path / "2.html", graph=mixed, communities=topics)
    assert one.read_bytes() == two.read_bytes()


def test_an_empty_graph_gives_a_report(tmp_path: Path) -> None:
    names = ("entities", "relations", "evidence", "mentions", "statements")
    page = report(tmp_path, graph=Held({name: tables.empty(name) for name in names}))
    assert "0 entities, 0 relations." in page.text


@pytest.mark.parametrize("link", ["https://example.org/x", "javascript:alert(1)", "/etc/passwd", "\\\\host\\x"])
def test_links_are_relative_paths_only(tmp_path: Path, link: str) -> None:
    with pytest.raises(InputError, match="must be a path relative to the report"):
        kg.write_report(tmp_path / "r.html", graph=history(10)[0], graph_page=link)


def test_nothing_to_report_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="given nothing to report on"):
        kg.write_report(tmp_path / "r.html")
    with pytest.raises(InputError, match="takes the stages' results; this is a builtins.int"):
        kg.write_report(tmp_path / "r.html", graph=3)
