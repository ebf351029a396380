"""The pyvis export: small graphs only, placed, in a page that loads nothing."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from browser.samples import history, hostile, planted

import kgkit as kg
from kgkit.errors import InputError, MissingExtraError

pytest.importorskip("pyvis")


def test_nodes_are_placed_and_the_simulation_is_off() -> None:
    graph, topics, _ = history(60)
    network = kg.to_pyvis(graph, communities=topics).network
    assert len(network.nodes) == 60
    assert all({"x", "y"} <= node.keys() and node["physics"] is False for node in network.nodes)
    assert json.loads(network.get_network_data()[-1])["physics"] == {"enabled": False}
    assert len(network.edges) == graph.relations.height


def test_negated_relations_are_dashed_and_say_so() -> None:
    graph, *_ = history(100)
    said = dict(graph.relations.select("relation_id", "polarity").iter_rows())
    edges = kg.to_pyvis(graph).network.edges
    for edge, polarity in zip(edges, said.values(), strict=True):
        assert edge["dashes"] == (polarity != "positive")
        assert edge["title"].endswith(f"({polarity})") == (polarity != "positive")


def test_large_graphs_are_refused_with_a_way_out() -> None:
    graph, _ = planted(1200)
    with pytest.raises(InputError, match=r"has 1,200 entities; pyvis is refused above 1,000.*kg\.view_graph"):
        kg.to_pyvis(graph)
    assert len(kg.to_pyvis(graph, focus="e000001").nodes) < 1000


def test_the_page_holds_no_name_as_markup_and_no_link(shared: Path) -> None:
    graph, rows = hostile(shared)
    text = str(kg.to_pyvis(graph, title=rows["name"][0]).to_html())
    assert "<script>window.__kgkit_pwn" not in text and "<img" not in text
    assert not re.search(r"<(?:link|script)[^>]+(?:href|src)=[\"']?(?:https?:)?//", text)
    assert "default-src 'none'" in text
    block = re.search(r'id="kgkit-data">(.*?)</script>', text, re.DOTALL)
    assert block and [n["label"] for n in json.loads(block[1])["nodes"]] == rows["name"].to_list()


def test_in_a_notebook_it_is_framed_apart(shared: Path) -> None:
    graph, rows = hostile(shared)
    html = kg.to_pyvis(graph, title=rows["name"][1])._repr_html_()
    assert html.startswith('<iframe sandbox="allow-scripts" srcdoc="&lt;!DOCTYPE html&gt;')
    assert html.count("<") == 2


def test_without_pyvis_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyvis", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'kgkit\[pyvis\]'"):
        kg.to_pyvis(history(10)[0])
