"""`review`: a panel to decide on proposals one by one, in a notebook."""

from __future__ import annotations

import asyncio
import re
import time
from typing import Any, Unpack

import anywidget
import traitlets

from kgkit.errors import OptionError
from kgkit.notebook.page import read_static
from kgkit.notebook.review.following import Following
from kgkit.notebook.review.picture import picture_html
from kgkit.reviewing import Options, Review, answer_message
from kgkit.reviewing.options import takes_options

__all__ = ["ReviewPanel", "review"]

_AHEAD = 60  # items whose ids the browser knows ahead; it asks for their cards in small lots
_GATHERED = 0.08  # seconds in which what messages change is gathered, so that quick keys do not wait for each picture
_WITH = 4  # cards that travel with the state, so that a page that is loaded again shows one at once
_THEMES = ("auto", "light", "dark")
_FILES = ("review_parts.js", "review_drawers.js", "review_split.js", "review_card.js", "review.js")


def _script() -> str:
    """Join the panel's modules into one, as a widget wants it."""
    parts = [re.sub(r"^import [^;]*;\n", "", read_static(name), flags=re.MULTILINE) for name in _FILES]
    return "\n".join(re.sub(r"^export (?!default)", "", part, flags=re.MULTILINE) for part in parts)


@takes_options(learn=True)
def review(proposals: Any, graph: Any, *, theme: str = "auto", **options: Unpack[Options]) -> ReviewPanel:
    """Decide on proposals one by one: a panel in a notebook, and the same from Python.

    Each decision is kept before the panel goes on as if it were: in the project, or else on the object, in
    ``panel.decisions``. Nothing is merged here; `kgkit.apply_decisions` makes the graph that decisions make.

    Args:
        proposals: What is proposed: the result of `kgkit.propose_merges`, or a frame with ``left_id`` and ``right_id``
            (and ``score``); relations (``graph.relations``); entities (``graph.entities``: their types and names, and
            splitting them); or a list of several.
        graph: The graph that they are about.
        theme: ``light``, ``dark``, or ``auto`` to follow the notebook.
        **options: See `kgkit.reviewing.Options`. Documents are those of the project, where they are left out.

    Returns:
        A panel; it is a `kgkit.reviewing.Review`: ``queue``, ``decisions``, ``next()``, ``item()``, ``decide()``,
        ``undo()``, ``ask()``, ``preview()``, ``decide_all()``, ``apply_policy()``, ``to_csv()``, ``from_csv()``,
        ``rescore()``, ``progress``, ``conflicts``, ``expected_errors()``.

    Raises:
        FrameTypeError: The proposals are none.
        InputError: They name entities that the graph has not, or decisions and a project are both given.
        OptionError: An option is out of range.

    Examples:
        >>> import polars as pl
        >>> import kgkit as kg
        >>> people = pl.DataFrame({"entity_id": ["a", "b"], "name": ["Grace Hopper", "G. Hopper"]})
        >>> panel = kg.review(pl.DataFrame({"left_id": ["a"], "right_id": ["b"], "score": [0.7]}), people)
        >>> panel
        ReviewPanel(1 proposal, 0 decided)
        >>> panel.decide(panel.next()["item_id"], "accepted").status
        'recorded'
        >>> panel.next() is None
        True
    """
    if theme not in _THEMES:
        raise OptionError.not_one_of("theme", theme, _THEMES)
    project: Any = options.get("project")
    if options.get("documents") is None and hasattr(project, "table"):
        options["documents"] = project.table("documents")
    options.setdefault("learn", True)
    return ReviewPanel(proposals, graph, theme=theme, **options)


class ReviewPanel(Review, anywidget.AnyWidget):
    """A panel that shows a `kgkit.reviewing.Review`; made by `kgkit.review`."""

    _esm = _script()
    _css = read_static("review.css")
    _shown = traitlets.Dict().tag(sync=True)

    def __init__(self, proposals: Any, graph: Any, *, theme: str = "auto", **options: Any) -> None:
        self._ready = False
        self._changes = self._told = 0  # how often something changed, and what of it the browser was told
        self._gathering = False
        self._due: float | None = None
        anywidget.AnyWidget.__init__(self)
        self._theme = theme
        self._following = Following(lambda: self.decisions, self._graph_failed)
        Review.__init__(self, proposals, graph, **options)
        self._ready = True
        self._changed()
        self.on_msg(self._hear)

    def _changed(self) -> None:
        """Show how things stand now, or soon where more is to come."""
        self._changes += 1
        if self._ready and not self._gathering:
            self._show()

    def _show(self) -> None:
        """Show how things stand now."""
        if self._told != self._changes:
            with self._lock:
                self._told = self._changes
                ids = self.upcoming(_AHEAD)
                cards = {i: self.item(i) for i in ids[:_WITH]}
                self._shown = {
                    **self.state(), "version": self._told, "ids": ids, "cards": cards, "theme": self._theme,
                    "movers": self._movers(),
                    "about": self.name_of(self.filters.entity) if self.filters.entity else None,
                    "graph_failed": self.errors.get("graph"),
                }  # fmt: skip
            self._following.update()

    def _movers(self) -> list[dict[str, Any]]:
        """Name what the last round of learning moved most."""
        moved = self.changes[-1].movers if self.changes and not self.blind else ()
        return [
            {"name": " = ".join(map(self.name_of, pair)), "before": before, "after": after}
            for pair, before, after in moved
        ]

    def follow(self, view: Any) -> None:
        """Go along with a graph view: its selection chooses what is asked, and the decisions show in it.

        Selecting an entity shows the items about it; selecting none, all items again. What is decided or taken back
        is shown in the view a moment later, with everything else where it was.

        Args:
            view: What `kgkit.view_graph` gives for the graph that is reviewed.
        """
        view.observe(self._follow, "selected")
        self._follow({"new": view.selected})
        self._following.add(view)

    def _follow(self, change: Any) -> None:
        now = {k: v for k, v in vars(self.filters).items() if v is not None and k != "entity"}
        chosen, before = change["new"], self.filters.entity
        with self._lock:
            if chosen and before and self._state.group_of(chosen) == self._state.group_of(before):
                return  # decisions made it the same
        self.ask(**now, **({"entity": chosen} if chosen else {}))

    def _graph_failed(self, why: str | None) -> None:
        if why is None:
            self.errors.pop("graph", None)
        elif self.errors.get("graph") != why:
            self.errors["graph"] = why
            self._changed()

    def _hear(self, _: Any, content: Any, __: Any) -> None:
        """Answer a message of the browser; odd ones are left alone."""
        if isinstance(content, dict) and isinstance(content.get("do"), str):
            self._gathering = True
            try:
                answer = answer_message(self, content)
            finally:
                self._gathering = False
            self.send(answer | {"version": self._changes})
            self._show_soon()

    def _show_soon(self) -> None:
        """Show what messages changed: after some more of them where they come quickly."""
        now = time.monotonic()
        if self._due is None or now >= self._due:
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:  # no kernel
                self._show()
                return
            if self._due is None:
                self._due = now + _GATHERED
                loop.call_later(_GATHERED, self._show_gathered)
                return
            self._show_gathered()

    def _show_gathered(self) -> None:
        self._due = None
        self._show()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """Give the live panel, and a still picture for where it cannot live."""
        bundle = super()._repr_mimebundle_(**kwargs)
        live, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**live, "text/plain": repr(self), "text/html": picture_html(self)}, metadata
