"""`review`: a panel to decide on proposals one by one, in a notebook."""

from __future__ import annotations

import re
from typing import Any

import anywidget
import traitlets

from kgkit.errors import OptionError
from kgkit.notebook.page import read_static
from kgkit.notebook.review.following import Following
from kgkit.notebook.review.picture import picture_html
from kgkit.reviewing import Review, answer_message

__all__ = ["ReviewPanel", "review"]

_AHEAD = 40  # items whose ids the browser knows ahead; it asks for their cards in small lots
_WITH = 4  # cards that travel with the state, so that a page that is loaded again shows one at once
_THEMES = ("auto", "light", "dark")
_FILES = ("review_parts.js", "review_card.js", "review.js")


def _script() -> str:
    """Join the panel's modules into one, as a widget wants it."""
    parts = [re.sub(r"^import [^;]*;\n", "", read_static(name), flags=re.MULTILINE) for name in _FILES]
    return "\n".join(re.sub(r"^export (?!default)", "", part, flags=re.MULTILINE) for part in parts)


def review(
    proposals: Any,
    graph: Any,
    *,
    decisions: Any = None,
    project: Any = None,
    documents: Any = None,
    reviewer: str | None = None,
    order: str | None = None,
    groups: bool = True,
    blind: bool = False,
    second_opinion: float = 0.0,
    learn: bool = True,
    seed: int = 0,
    theme: str = "auto",
) -> ReviewPanel:
    """Decide on proposals one by one: a panel in a notebook, and the same from Python.

    Each decision is kept before the panel goes on as if it were: in the project, or else on the object, in
    ``panel.decisions``. Nothing is merged here; `kgkit.apply_decisions` makes the graph that decisions make.

    Args:
        proposals: What is proposed: the result of `kgkit.propose_merges`, or a frame with ``left_id`` and ``right_id``
            (and ``score``); relations (``graph.relations``); entities (``graph.entities``: their types and names, and
            splitting them); or a list of several.
        graph: The graph that they are about.
        decisions: Earlier decisions to go on from; what they settle is not asked again.
        project: A `kgkit.Project`, which keeps the decisions, and gives the earlier ones.
        documents: Documents, for whole sentences around names and for opening a document at a quote. Those of
            the project, where they are left out.
        reviewer: Who decides; by default the name of the user.
        order: ``teach`` (what teaches the matcher most; the default after `kgkit.propose_merges`), ``uncertain``,
            ``consequential`` (mentions that would change hands), ``score``, ``group`` or ``random`` (an audit).
        groups: Whether groups of three and more are decided on as one.
        blind: Hide scores, reasons and what others said.
        second_opinion: Share of the items that others decided to ask about again, drawn at random.
        learn: Whether the matcher learns after every ten answers, in the background.
        seed: Seed of random orders and samples.
        theme: ``light``, ``dark``, or ``auto`` to follow the notebook.

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
    if documents is None and project is not None and hasattr(project, "table"):
        documents = project.table("documents")
    return ReviewPanel(
        proposals, graph, decisions=decisions, project=project, documents=documents, reviewer=reviewer, order=order,
        groups=groups, blind=blind, second_opinion=second_opinion, learn=learn, seed=seed, theme=theme,
    )  # fmt: skip


class ReviewPanel(Review, anywidget.AnyWidget):
    """A panel that shows a `kgkit.reviewing.Review`; made by `kgkit.review`."""

    _esm = _script()
    _css = read_static("review.css")
    _shown = traitlets.Dict().tag(sync=True)

    def __init__(self, proposals: Any, graph: Any, *, theme: str = "auto", **options: Any) -> None:
        self._ready = False
        anywidget.AnyWidget.__init__(self)
        self._theme = theme
        self._following = Following(lambda: self.decisions, self._graph_failed)
        Review.__init__(self, proposals, graph, **options)
        self._ready = True
        self._changed()
        self.on_msg(self._hear)

    def _changed(self) -> None:
        """Show how things stand now."""
        if self._ready:
            with self._lock:
                ids = self.upcoming(_AHEAD)
                cards = {i: self.item(i) for i in ids[:_WITH]}
                self._shown = {**self.state(), "ids": ids, "cards": cards, "theme": self._theme}
            self._following.update()

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
            self.send(answer_message(self, content))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """Give the live panel, and a still picture for where it cannot live."""
        bundle = super()._repr_mimebundle_(**kwargs)
        live, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**live, "text/plain": repr(self), "text/html": picture_html(self)}, metadata
