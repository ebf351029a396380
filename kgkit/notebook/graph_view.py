"""A graph to look at, in a notebook or as one file that opens offline."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anywidget
import traitlets

from kgkit.errors import InputError, OptionError
from kgkit.notebook.evidence import QUOTES
from kgkit.notebook.graph_data import ColorBy, SizeBy
from kgkit.notebook.graph_shown import Settings, Shown, canonical_of, parts_of, show, show_again
from kgkit.notebook.page import page_html, read_static, view_script
from kgkit.notebook.payload import node_details, relation_details
from kgkit.notebook.picture import picture_svg
from kgkit.resolution import apply_decisions

__all__ = ["GraphView", "view_graph"]

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
        ``view.to_html("graph.html")`` writes the same view as a file, and ``view.show(graph)`` shows what became of
        the graph, with everything where it was.

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
    settings = Settings(
        communities=communities, documents=documents, color_by=color_by, size_by=size_by, max_nodes=max_nodes,
        focus=None, hops=hops, level=level, seed=seed, title=title, theme=theme,
    )  # fmt: skip
    parts = parts_of(graph, entities, relations)
    whole = graph if entities is None and relations is None else SimpleNamespace(frames=parts)
    return GraphView(whole, show(parts, settings, focus), height=height)


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

    def __init__(self, graph: Any, shown: Shown, *, height: int = 560) -> None:
        self._graph, self._shown = graph, shown
        first = (shown.settings.focus or (None,))[0]
        super().__init__(**self._sent(), height=height, selected=first if first in self._ids else None)
        self.on_msg(self._answer)

    def show(self, graph: Any) -> None:
        """Show what became of the graph, in place: everything known stays where it was, in its colours and shapes.

        What is new stands beside its neighbours. Where ``graph`` has a table ``canonical``, as `apply_decisions` gives
        it, the selection goes over to the entity that now stands for the selected one.

        Args:
            graph: A result with ``entities`` and ``relations``.

        Raises:
            InputError: It has none.
        """
        self._shown = show_again(graph, self._shown)
        selected = canonical_of(graph).get(self.selected or "", self.selected)
        traits = self._sent()
        with self.hold_sync():
            for name, value in traits.items():
                setattr(self, name, value)
            self.selected = selected if selected in self._ids else None

    def apply_decisions(self, decisions: Any) -> None:
        """Show the graph that decisions make of the graph that was given, as `show` does.

        Args:
            decisions: A decisions frame of any kind; an empty one shows the graph as it was given.
        """
        self.show(apply_decisions(self._graph, decisions))

    def _sent(self) -> dict[str, Any]:
        """Give what is shown as traits."""
        data, payload = self._shown.data, self._shown.payload
        self._ids = frozenset(payload.meta["ids"])
        meta = {**payload.meta, "times": self._shown.times}
        if data.entities.height <= _SENT_AHEAD:
            meta["details"] = self._details(QUOTES)
        return {**{f"_{name}": data for name, data in payload.buffers.items()}, "_meta": meta}

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
        title = title or self._shown.settings.title or "Graph"
        more = {"title": title, "details": self._details(quotes), "quotes": quotes, "selected": self.selected}
        text = page_html(
            title=title,
            body='<main id="kgkit-graph"></main><noscript>This page draws a graph with JavaScript.</noscript>',
            style=f"{read_static('graph_view.css')}\n{read_static('graph_page.css')}",
            script=f"{view_script()}\nmountPage();\n",
            data=self._shown.payload.to_json(**more),
        )
        if path is None:
            return text
        Path(path).write_text(text, encoding="utf-8", newline="\n")
        return Path(path)

    def __repr__(self) -> str:
        n, m = self._shown.data.entities.height, self._shown.data.relations.height
        return f"GraphView({n:,} {'entity' if n == 1 else 'entities'}, {m:,} relation{'s' * (m != 1)})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """Give the live view, and a still picture for where it cannot live."""
        bundle = super()._repr_mimebundle_(**kwargs)
        live, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        live = {**live, "text/plain": repr(self), "image/svg+xml": self.to_svg()}
        return live, metadata

    def to_svg(self) -> str:
        """Draw a small still picture of the most connected entities; it holds no script, and says its limits."""
        return picture_svg(self._shown.data, self._shown.payload)

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
        everything = list(range(self._shown.data.entities.height)), list(range(self._shown.data.relations.height))
        return {
            "nodes": node_details(self._shown.data, self._shown.evidence, everything[0], quotes),
            "relations": relation_details(self._shown.data, self._shown.evidence, everything[1], quotes),
        }

    def _answer(self, _: Any, content: Any, __: Any) -> None:
        """Send the details of one entity or relation that the browser asks for; odd questions get an empty answer."""
        if not isinstance(content, dict) or content.get("ask") not in ("nodes", "relations"):
            return
        kind, rows, shown = content["ask"], content.get("rows"), self._shown
        if content.get("times", shown.times) != shown.times:
            return  # numbers of rows that were; it asks anew when it shows the others
        size = shown.data.entities.height if kind == "nodes" else shown.data.relations.height
        asked = rows if isinstance(rows, list) else []
        known = [r for r in asked if type(r) is int and 0 <= r < size][:100]
        make = node_details if kind == "nodes" else relation_details
        details = make(shown.data, shown.evidence, known, QUOTES) if known else []
        self.send({"answer": kind, "rows": known, "details": details})
