"""A graph to look at, in a notebook or as one file that opens offline."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from kgkit.errors import InputError, OptionError
from kgkit.notebook.evidence import QUOTES, Evidence
from kgkit.notebook.graph_data import ColorBy, GraphData, SizeBy, gather
from kgkit.notebook.page import page_html, read_static, view_script
from kgkit.notebook.payload import Payload, make_payload, node_details, relation_details
from kgkit.notebook.picture import picture_svg

__all__ = ["GraphView", "view_graph"]

_TABLES = ("entities", "relations", "evidence", "mentions", "statements")
_SENT_AHEAD = 400  # entities up to which all quotes go with the view, so that they show while the kernel is busy
_THEMES = ("auto", "light", "dark")


def view_graph(
    graph: Any = None,
    *,
    entities: Any = None,
    relations: Any = None,
    communities: Any = None,
    documents: Any = None,
    color_by: ColorBy | None = None,
    size_by: SizeBy = "degree",
    max_nodes: int = 20_000,
    focus: str | Iterable[str] | None = None,
    hops: int = 1,
    level: int = 0,
    seed: int = 0,
    height: int = 560,
    title: str | None = None,
    theme: str = "auto",
) -> GraphView:
    """Show a graph: search it, point at things for their evidence, click one to see its neighbourhood.

    All entities are shown, up to ``max_nodes``; the view says what is left out, and by which rule. Above some
    thousands, communities are drawn as discs with their titles until one looks closer.

    Args:
        graph: A result with ``entities`` and ``relations`` (and ``evidence``, ``mentions``, ``statements``, from which
            quotes are shown).
        entities: Entities, a frame of any kind; instead of ``graph``.
        relations: Relations, a frame of any kind; instead of ``graph``.
        communities: A result or frame of communities; they give colours, and titles where there are reports.
        documents: Documents, for the names of sources and the words around a mention. Without them sources are
            shown by ``doc_id``.
        color_by: ``"community"`` or ``"type"``; by default communities where given. Shapes always tell types.
        size_by: What a node's area stands for: ``"degree"``, ``"mentions"`` or ``"documents"``.
        max_nodes: At most so many entities are shown: those with most relations, then most mentions, then by id.
        focus: An ``entity_id`` or exact name, or several: show only what is near. It is selected at first.
        hops: How far from the focus, and how far a click reaches.
        level: Which level of the communities; 0 is the finest.
        seed: Seed of the layout. The same graph and seed give the same picture in any row order.
        height: Height in pixels.
        title: A heading, as plain text.
        theme: ``"light"``, ``"dark"``, or ``"auto"`` to follow the notebook or the system.

    Returns:
        A widget. ``view.selected`` is the ``entity_id`` clicked last, or ``None``; set it to move the view.
        ``view.to_html("graph.html")`` writes the same view as a file.

    Raises:
        InputError: No graph was given, the focus is not in it, or relations have ends that are no entities.
        OptionError: An option is out of range.
        SchemaError: A frame lacks columns of its table.

    Examples:
        >>> import kgkit as kg
        >>> people = kg.tables.from_rows("entities", [
        ...     {"entity_id": i, "name": n, "type": "PERSON", "aliases": [], "attributes": "{}",
        ...      "n_mentions": 1, "n_documents": 1} for i, n in [("e1", "Ada"), ("e2", "Charles")]])
        >>> knows = kg.tables.from_rows("relations", [
        ...     {"relation_id": "r1", "source_id": "e1", "predicate": "write_to", "target_id": "e2",
        ...      "polarity": "positive", "weight": 1.0, "n_documents": 1}])
        >>> kg.view_graph(entities=people, relations=knows)
        GraphView(2 entities, 1 relation)
    """
    if theme not in _THEMES:
        raise OptionError.not_one_of("theme", theme, _THEMES)
    color_by = color_by or ("type" if communities is None else "community")
    if color_by not in ("community", "type"):
        raise OptionError.not_one_of("color_by", color_by, ("community", "type"))
    if color_by == "community" and communities is None:
        msg = "color_by='community' needs communities=..., for example kg.detect_communities(graph)."
        raise InputError(msg)
    parts = _parts(graph, entities, relations)
    data = gather(
        parts["entities"], parts["relations"],
        communities=communities, level=level, focus=focus, hops=hops, max_nodes=max_nodes,
    )  # fmt: skip
    payload = make_payload(data, color_by=color_by, size_by=size_by, seed=seed, title=title)
    payload.meta.update(hops=max(hops, 1), theme=theme)
    return GraphView(
        data, payload, Evidence(parts, documents), height=height, selected=_first_focus(data, focus), title=title
    )


class GraphView(anywidget.AnyWidget):
    """A view of a graph; made by `view_graph`.

    Attributes:
        selected: The ``entity_id`` of the selected entity, or ``None``. Setting it moves the view.
        height: Height in pixels.
    """

    _esm = view_script()
    _css = read_static("graph_view.css")

    _positions = traitlets.Bytes(b"").tag(sync=True)
    _nodes = traitlets.Bytes(b"").tag(sync=True)
    _sizes = traitlets.Bytes(b"").tag(sync=True)
    _relations = traitlets.Bytes(b"").tag(sync=True)
    _weights = traitlets.Bytes(b"").tag(sync=True)
    _meta = traitlets.Dict().tag(sync=True)
    height = traitlets.Int(560).tag(sync=True)
    selected = traitlets.Unicode(None, allow_none=True).tag(sync=True)

    def __init__(
        self,
        data: GraphData,
        payload: Payload,
        evidence: Evidence,
        *,
        height: int = 560,
        selected: str | None = None,
        title: str | None = None,
    ) -> None:
        self._data, self._payload, self._evidence, self._title = data, payload, evidence, title
        self._ids = frozenset(payload.meta["ids"])
        meta = dict(payload.meta)
        if data.entities.height <= _SENT_AHEAD:
            meta["details"] = self._details(QUOTES)
        buffers = {f"_{name}": data for name, data in payload.buffers.items()}
        super().__init__(**buffers, _meta=meta, height=height, selected=selected)
        self.on_msg(self._answer)

    def to_html(self, path: str | Path | None = None, *, title: str | None = None, quotes: int = QUOTES) -> str | Path:
        """Write the view as one HTML file that needs no network and no kernel.

        Args:
            path: Where to write; the text is returned where left out.
            title: The page's title, as plain text; by default the view's.
            quotes: At most so many quotes per entity and per relation go into the file; the page says how many
                there are in all.

        Returns:
            The path, or the HTML text.

        Raises:
            OptionError: ``quotes`` is negative.
        """
        if quotes < 0:
            msg = f"quotes={quotes} must be 0 or more."
            raise OptionError(msg)
        title = title or self._title or "Graph"
        more = {"title": title, "details": self._details(quotes), "quotes": quotes, "selected": self.selected}
        text = page_html(
            title=title,
            body='<main id="kgkit-graph"></main><noscript>This page draws a graph with JavaScript.</noscript>',
            style=f"{read_static('graph_view.css')}\n{read_static('graph_page.css')}",
            script=f"{view_script()}\nmountPage();\n",
            data=self._payload.to_json(**more),
        )
        if path is None:
            return text
        Path(path).write_text(text, encoding="utf-8", newline="\n")
        return Path(path)

    def __repr__(self) -> str:
        n, m = self._data.entities.height, self._data.relations.height
        return f"GraphView({n:,} {'entity' if n == 1 else 'entities'}, {m:,} relation{'s' * (m != 1)})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """Give the live view, and a still picture for where it cannot live."""
        bundle = super()._repr_mimebundle_(**kwargs)
        live, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        live = {**live, "text/plain": repr(self), "image/svg+xml": self.to_svg()}
        return live, metadata

    def to_svg(self) -> str:
        """Draw a small still picture of the most connected entities; it holds no script, and says its limits."""
        return picture_svg(self._data, self._payload)

    @traitlets.validate("selected")
    def _check_selected(self, proposal: dict[str, Any]) -> str | None:
        wanted: str | None = proposal["value"]
        if wanted is not None and wanted not in self._ids:
            msg = (
                f"selected={wanted!r} is not among the {len(self._ids):,} entities shown; use an entity_id, or focus=."
            )
            raise InputError(msg)
        return wanted

    def _details(self, quotes: int) -> dict[str, Any]:
        everything = list(range(self._data.entities.height)), list(range(self._data.relations.height))
        return {
            "nodes": node_details(self._data, self._evidence, everything[0], quotes),
            "relations": relation_details(self._data, self._evidence, everything[1], quotes),
        }

    def _answer(self, _: Any, content: Any, __: Any) -> None:
        """Send the details of one entity or relation that the browser asks for; odd questions get an empty answer."""
        if not isinstance(content, dict) or content.get("ask") not in ("nodes", "relations"):
            return
        kind, rows = content["ask"], content.get("rows")
        size = self._data.entities.height if kind == "nodes" else self._data.relations.height
        asked = rows if isinstance(rows, list) else []
        known = [r for r in asked if type(r) is int and 0 <= r < size][:100]
        make = node_details if kind == "nodes" else relation_details
        details = make(self._data, self._evidence, known, QUOTES) if known else []
        self.send({"answer": kind, "rows": known, "details": details})


def _parts(graph: Any, entities: Any, relations: Any) -> dict[str, Any]:
    held = getattr(graph, "frames", None)
    parts = {name: held[name] for name in _TABLES if name in held} if isinstance(held, dict) else {}
    parts |= {n: f for n, f in (("entities", entities), ("relations", relations)) if f is not None}
    missing = [name for name in ("entities", "relations") if name not in parts]
    if missing:
        what = f"a {type(graph).__name__}" if graph is not None else "nothing"
        msg = (
            f"view_graph needs {' and '.join(missing)}; it was given {what}. Give the result of build_graph, or "
            "frames: view_graph(entities=..., relations=...)."
        )
        raise InputError(msg)
    return parts


def _first_focus(data: GraphData, focus: str | Iterable[str] | None) -> str | None:
    if focus is None:
        return None
    first = focus if isinstance(focus, str) else next(iter(focus), None)
    ids = data.entities["entity_id"].to_list()
    if first in ids:
        return first
    names = data.entities["name"].to_list()
    return ids[names.index(first)] if first in names else None
