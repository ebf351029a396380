"""A small graph as a pyvis network, in a page that loads nothing and in which names stay text."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from kgkit.errors import InputError, MissingExtraError
from kgkit.notebook.graph_data import ColorBy, GraphData, SizeBy, gather
from kgkit.notebook.layout import layout_nodes
from kgkit.notebook.page import page_html
from kgkit.notebook.picture import PALETTE

__all__ = ["PyvisGraph", "to_pyvis"]

MOST_NODES = 1_000
_SHAPES = ("dot", "square", "diamond", "triangle", "hexagon", "triangleDown", "star")
_LIBRARY = Path("templates", "lib", "vis-9.1.2", "vis-network.min.js")
_STYLE = """
html, body { margin: 0; height: 100%; background: #fff; font: 14px/1.4 system-ui, sans-serif; color: #1d2433; }
body { display: flex; flex-direction: column; }
h1 { font-size: 17px; margin: 10px 14px 4px; overflow-wrap: anywhere; }
#kgkit-graph { flex: 1; min-height: 0; position: relative; }
div.vis-tooltip { position: absolute; visibility: hidden; padding: 5px 8px; max-width: 360px; white-space: pre-wrap;
  overflow-wrap: anywhere; background: #fff; border: 1px solid #dfe3ea; border-radius: 5px; z-index: 5;
  pointer-events: none; }
"""
_START = """
const data = JSON.parse(document.getElementById("kgkit-data").textContent);
const vis = globalThis.vis;
const network = new vis.Network(document.getElementById("kgkit-graph"),
  { nodes: new vis.DataSet(data.nodes), edges: new vis.DataSet(data.edges) }, data.options);
globalThis.kgkitNetwork = network;
network.once("afterDrawing", () => { document.body.dataset.painted = "1"; });
"""
_OPTIONS: dict[str, Any] = {
    "physics": {"enabled": False},
    "interaction": {"hover": True, "tooltipDelay": 120, "hideEdgesOnDrag": True},
    "nodes": {"font": {"size": 14, "color": "#1d2433", "multi": False}, "borderWidth": 1},
    "edges": {"color": {"color": "#98a2b3", "highlight": "#3f6fd1"}, "arrows": {"to": {"scaleFactor": 0.5}}},
}


@dataclass(frozen=True)
class PyvisGraph:
    """What `to_pyvis` makes: ``network`` is a ``pyvis.network.Network``; `to_html` writes a safe page of it.

    pyvis's own ``save_graph`` and ``show`` put the heading into the page unescaped and link to other hosts; use
    `to_html` instead.
    """

    nodes: tuple[dict[str, Any], ...]
    edges: tuple[dict[str, Any], ...]
    title: str | None

    @cached_property
    def network(self) -> Any:
        """The pyvis network, with positions set and physics off."""
        network = _pyvis().network.Network(directed=True, cdn_resources="in_line", notebook=False)
        for node in self.nodes:
            network.add_node(node["id"], **{k: v for k, v in node.items() if k != "id"})
        network.edges = [dict(edge) for edge in self.edges]  # `add_edge` compares with all edges, each time
        network.set_options(json.dumps(_OPTIONS))
        return network

    def to_html(self, path: str | Path | None = None) -> str | Path:
        """Write one page that holds all it needs; gives the path, or the text where ``path`` is left out."""
        nodes, edges, *_ = self.network.get_network_data()
        data = json.dumps({"nodes": nodes, "edges": edges, "options": _OPTIONS}, ensure_ascii=False)
        library = Path(_pyvis().__file__).parent / _LIBRARY
        heading = f"<h1><bdi>{escape(self.title)}</bdi></h1>\n" if self.title else ""
        text = page_html(
            title=self.title or "Graph",
            body=f'{heading}<div id="kgkit-graph"></div>',
            style=_STYLE,
            script=f"{library.read_text(encoding='utf-8')}\n{_START}",
            data=data,
        )
        if path is None:
            return text
        Path(path).write_text(text, encoding="utf-8", newline="\n")
        return Path(path)

    def __repr__(self) -> str:
        return f"PyvisGraph({len(self.nodes):,} entities, {len(self.edges):,} relations)"

    def _repr_html_(self) -> str:
        """Show the page in a frame that cannot reach the notebook."""
        page = escape(str(self.to_html()), quote=True)
        return (
            f'<iframe sandbox="allow-scripts" srcdoc="{page}" width="100%" height="560" '
            f'style="border:1px solid #dfe3ea;border-radius:8px" title="{escape(self.title or "Graph")}"></iframe>'
        )


def to_pyvis(
    graph: Any = None,
    *,
    entities: Any = None,
    relations: Any = None,
    communities: Any = None,
    color_by: ColorBy | None = None,
    size_by: SizeBy = "degree",
    focus: str | Iterable[str] | None = None,
    hops: int = 1,
    level: int = 0,
    seed: int = 0,
    title: str | None = None,
) -> PyvisGraph:
    """Turn a small graph into a pyvis network, laid out, with the simulation off.

    pyvis lets the browser simulate springs, which freezes at about a thousand nodes; so positions are computed here,
    and larger graphs are refused. `kgkit.view_graph` shows graphs of any size.

    Args:
        graph: A result with ``entities`` and ``relations``.
        entities: Entities, a frame of any kind; instead of ``graph``.
        relations: Relations, a frame of any kind; instead of ``graph``.
        communities: A result or frame of communities, for colours.
        color_by: ``"community"`` or ``"type"``; by default communities where given.
        size_by: ``"degree"``, ``"mentions"`` or ``"documents"``.
        focus: An ``entity_id`` or exact name, or several: take only what is near.
        hops: How far from the focus.
        level: Which level of the communities.
        seed: Seed of the layout.
        title: A heading, as plain text.

    Returns:
        A `PyvisGraph`: ``.network`` for pyvis, ``.to_html(path)`` for a page that opens offline.

    Raises:
        InputError: There are more than 1,000 entities, or the graph cannot be used.
        MissingExtraError: pyvis is not installed.

    Examples:
        >>> import kgkit as kg
        >>> people = kg.tables.from_rows("entities", [
        ...     {"entity_id": i, "name": n, "type": "PERSON", "aliases": [], "attributes": "{}",
        ...      "n_mentions": 1, "n_documents": 1} for i, n in [("e1", "Ada"), ("e2", "Charles")]])
        >>> kg.to_pyvis(entities=people, relations=kg.tables.empty("relations"))
        PyvisGraph(2 entities, 0 relations)
    """
    _pyvis()
    data = gather(
        graph if entities is None else entities, graph if relations is None else relations,
        communities=communities, level=level, focus=focus, hops=hops, max_nodes=10**9,
    )  # fmt: skip
    n = data.entities.height
    if n > MOST_NODES:
        msg = (
            f"This graph has {n:,} entities; pyvis is refused above {MOST_NODES:,}, where browsers freeze. "
            "Use kg.view_graph, or focus= and hops= for a part."
        )
        raise InputError(msg)
    by_group = bool(data.groups) and color_by != "type"
    return PyvisGraph(tuple(_nodes(data, size_by, by_group, seed)), tuple(_edges(data)), title)


def _pyvis() -> Any:
    try:
        import pyvis
        import pyvis.network
    except ImportError as error:
        raise MissingExtraError.for_extra("pyvis", "pyvis", "to_pyvis") from error
    return pyvis


def _nodes(data: GraphData, size_by: SizeBy, by_group: bool, seed: int) -> list[dict[str, Any]]:
    places = layout_nodes(
        data.entities.height, data.sources, data.targets, groups=data.group_index if data.groups else None, seed=seed
    )
    amount = data.sizes(size_by)
    sizes = 7 + 18 * np.sqrt(amount / max(float(amount.max(initial=0.0)), 1.0))
    out = []
    for row, e in enumerate(data.entities.iter_rows(named=True)):
        number = e["group_index"] if by_group else e["type_index"]
        kind = data.types[e["type_index"]]
        out.append(
            {
                "id": e["entity_id"],
                "label": e["name"],
                "title": f"{e['name']}\n{kind}, {e['degree']} relations, {e['n_mentions']} mentions",
                "shape": _SHAPES[e["type_index"] % len(_SHAPES)],
                "color": PALETTE[number % len(PALETTE)] if number >= 0 else "#9aa3b2",
                "size": round(float(sizes[row]), 2),
                "x": round(float(places[row, 0]) * 2.2, 1),
                "y": round(float(places[row, 1]) * 2.2, 1),
                "physics": False,
            }
        )
    return out


def _edges(data: GraphData) -> list[dict[str, Any]]:
    names = data.entities["name"]
    beside: dict[frozenset[str], int] = {}
    out = []
    for r in data.relations.iter_rows(named=True):
        pair = frozenset((r["source_id"], r["target_id"]))
        beside[pair] = beside.get(pair, 0) + 1
        meant = "" if r["polarity"] == "positive" else f" ({r['polarity']})"
        edge = {
            "from": r["source_id"],
            "to": r["target_id"],
            "arrows": "to",
            "title": f"{names[r['source']]} {r['predicate'].replace('_', ' ')} {names[r['target']]}{meant}",
            "dashes": r["polarity"] != "positive",
            "width": round(1 + float(np.log2(max(r["weight"], 1.0))) * 0.6, 2),
            "smooth": {"enabled": beside[pair] > 1, "type": "curvedCW", "roundness": round(0.12 * beside[pair], 2)},
        }
        if r["polarity"] == "negated":
            edge["color"] = {"color": "#b23b45"}
        out.append(edge)
    return out
