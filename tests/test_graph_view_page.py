"""The page of a graph view: one file, nothing from outside, and text that stays text."""

from __future__ import annotations

import base64
import json
import re
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser.samples import history, hostile
from hypothesis import given, settings
from hypothesis import strategies as st

import kgkit as kg
from kgkit.errors import OptionError
from kgkit.notebook.page import json_block, page_html, view_script


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, list[str]] = {"script": [], "style": [], "title": []}
        self.last = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.last = tag
        if tag in self.inside:
            self.inside[tag].append("")

    def handle_data(self, data: str) -> None:
        if self.last in self.inside:
            self.inside[self.last][-1] += data

    def handle_endtag(self, tag: str) -> None:
        self.last = ""


def test_the_page_allows_its_own_script_and_style_and_nothing_else() -> None:
    graph, topics, documents = history(40)
    page = Page(str(kg.view_graph(graph, communities=topics, documents=documents, title="T").to_html()))
    policy = next(
        a["content"] for t, a in page.tags if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy and policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy and "http" not in policy
    for text in (page.inside["script"][1], page.inside["style"][0]):
        assert base64.b64encode(sha256(text.encode()).digest()).decode() in policy
    assert not [a for _, a in page.tags if "src" in a or str(a.get("href", "")).startswith("http") or "style" in a]


def test_hostile_names_cannot_end_the_data_block(shared: Path) -> None:
    graph, rows = hostile(shared)
    name = rows["name"][0]
    text = str(kg.view_graph(graph, title=name).to_html())
    block = re.search(r'<script type="application/json" id="kgkit-data">(.*?)</script>', text, re.DOTALL)
    assert block and not set("<>&") & set(block[1])
    held = json.loads(block[1])["meta"]
    assert held["names"] == rows["name"].to_list()
    page = Page(text)
    assert [t for t, _ in page.tags].count("script") == 2
    assert page.inside["title"] == [name]


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=4))
def test_a_block_of_json_holds_what_went_in_and_no_markup(data: dict[str, str]) -> None:
    block = json_block(json.dumps(data, ensure_ascii=False))
    assert json.loads(block) == data
    assert not set("<>&'\u2028\u2029") & set(block)


def test_the_page_is_the_same_each_time_and_is_written_as_utf8(tmp_path: Path) -> None:
    graph, topics, documents = history(40)
    made = [kg.view_graph(graph, communities=topics, documents=documents, title="Łódź") for _ in range(2)]
    path = made[0].to_html(tmp_path / "graph.html")
    assert path == tmp_path / "graph.html"
    assert path.read_bytes() == str(made[1].to_html()).encode()
    assert "<title>Łódź</title>" in path.read_text("utf-8")


def test_the_number_of_quotes_is_a_choice() -> None:
    graph, _, documents = history(40)
    view = kg.view_graph(graph, documents=documents)
    assert len(str(view.to_html(quotes=0))) < len(str(view.to_html())) < len(str(view.to_html(quotes=9)))
    with pytest.raises(OptionError, match="quotes=-1 must be 0 or more"):
        view.to_html(quotes=-1)


def test_widget_and_page_run_the_same_script() -> None:
    graph, *_ = history(20)
    view = kg.view_graph(graph)
    script = Page(str(view.to_html())).inside["script"][1]
    assert script == f"{view_script()}\nmountPage();\n"
    assert str(view._esm) == view_script()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|fetch\(|https?:", script)


def test_a_page_without_script_allows_none() -> None:
    text = page_html(title="<b>", body="<p>", style="p {}\r\n")
    assert "script-src 'none'" in text
    assert "<title>&lt;b&gt;</title>" in text
