"""What a graph view shows of a graph, and of what became of that graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kgkit.errors import InputError
from kgkit.frames import take
from kgkit.notebook.evidence import Evidence
from kgkit.notebook.graph_data import ColorBy, GraphData, SizeBy, find_entities, gather
from kgkit.notebook.layout import Points, place_again
from kgkit.notebook.payload import Payload, make_payload

__all__ = ["Settings", "Shown", "canonical_of", "parts_of", "show", "show_again"]

_TABLES = ("entities", "relations", "evidence", "mentions", "statements")


@dataclass(frozen=True)
class Settings:
    """How a graph is shown; see `view_graph`. ``focus`` holds ids of entities."""

    communities: Any
    documents: Any
    color_by: ColorBy
    size_by: SizeBy
    max_nodes: int
    focus: tuple[str, ...] | None
    hops: int
    level: int
    seed: int
    title: str | None
    theme: str


@dataclass(frozen=True)
class Shown:
    """What is shown; ``places`` are those of all that was ever shown, ``times`` how often it was shown again."""

    data: GraphData
    payload: Payload
    evidence: Evidence
    settings: Settings
    places: Mapping[str, Points]
    times: int


def show(parts: Mapping[str, Any], settings: Settings, focus: str | Iterable[str] | None) -> Shown:
    """Show a graph for the first time."""
    if focus is not None:
        settings = replace(settings, focus=tuple(find_entities(take(parts["entities"], "entities").frame, focus)))
    return _shown(parts, settings, None)


def show_again(graph: Any, before: Shown) -> Shown:
    """Show what became of the graph: everything known stays where it was, in its colours and shapes."""
    settings, parts = before.settings, parts_of(graph, None, None)
    if settings.focus is not None:
        canonical = canonical_of(graph)
        here = set(take(parts["entities"], "entities").frame["entity_id"])
        now = dict.fromkeys(canonical.get(i, i) for i in settings.focus)
        settings = replace(settings, focus=tuple(i for i in now if i in here) or None)
    return _shown(parts, settings, before)


def canonical_of(graph: Any) -> dict[str, str]:
    """Give for each entity the one that stands for it, where the graph tells."""
    held = getattr(graph, "frames", {})
    if "canonical" not in held:
        return {}
    return dict(take(held["canonical"], "canonical").frame.select("entity_id", "canonical_id").iter_rows())


def _shown(parts: Mapping[str, Any], settings: Settings, before: Shown | None) -> Shown:
    s = settings
    data = gather(
        parts["entities"], parts["relations"], communities=s.communities, level=s.level, focus=s.focus, hops=s.hops,
        max_nodes=s.max_nodes, like=before.data if before else None,
    )  # fmt: skip
    ids = data.entities["entity_id"].to_list()
    places = None if before is None else place_again(dict(before.places), ids, data.sources, data.targets)
    payload = make_payload(data, color_by=s.color_by, size_by=s.size_by, seed=s.seed, title=s.title, places=places)
    payload.meta.update(hops=max(s.hops, 1), theme=s.theme)
    now = np.frombuffer(payload.positions, "<f4").reshape(-1, 2).astype(np.float64)
    known = {**(before.places if before else {}), **dict(zip(ids, now, strict=True))}
    return Shown(data, payload, Evidence(dict(parts), s.documents), settings, known, before.times + 1 if before else 0)


def parts_of(graph: Any, entities: Any, relations: Any) -> dict[str, Any]:
    """Take the frames that are shown out of a result, with frames that were given beside it.

    Raises:
        InputError: There are no entities or no relations.
    """
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
