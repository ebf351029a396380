"""A graph view's data in the form that its JavaScript reads: a few binary buffers and one JSON text."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from kgkit.notebook.evidence import Evidence
from kgkit.notebook.graph_data import POLARITIES, ColorBy, GraphData, SizeBy
from kgkit.notebook.layout import Points, layout_nodes

__all__ = ["Payload", "make_payload", "node_details", "relation_details"]

_NONE = 0xFFFFFFFF


@dataclass(frozen=True)
class Payload:
    """What is sent to the browser. All buffers are little endian.

    ``positions`` is float32 ``(n, 2)``; ``nodes`` uint32 ``(n, 5)``: type, group, relations, mentions, documents;
    ``sizes`` float32 ``(n,)`` in 0..1; ``relations`` uint32 ``(m, 5)``: source, target, predicate, polarity,
    documents; ``weights`` float32 ``(m,)``. ``meta`` is everything else.
    """

    positions: bytes
    nodes: bytes
    sizes: bytes
    relations: bytes
    weights: bytes
    meta: dict[str, Any]

    @property
    def buffers(self) -> dict[str, bytes]:
        """The binary parts by name."""
        return {name: getattr(self, name) for name in ("positions", "nodes", "sizes", "relations", "weights")}

    def to_json(self, **more: Any) -> str:
        """Write everything as one JSON text, buffers in base 64."""
        packed = {name: base64.b64encode(data).decode("ascii") for name, data in self.buffers.items()}
        return json.dumps({**packed, "meta": {**self.meta, **more}}, ensure_ascii=False, separators=(",", ":"))


def make_payload(
    data: GraphData, *, color_by: ColorBy, size_by: SizeBy, seed: int, title: str | None, places: Points | None = None
) -> Payload:
    """Pack a graph, laid out anew where no ``places`` are given, one row for each entity."""
    predicates = sorted(set(data.relations["predicate"].to_list()))
    number = {name: n for n, name in enumerate(predicates)}
    polarity = {name: n for n, name in enumerate(POLARITIES)}
    groups = data.group_index
    if places is None:
        places = layout_nodes(
            data.entities.height, data.sources, data.targets, groups=groups if data.groups else None, seed=seed
        )
    e, r = data.entities, data.relations
    nodes = np.column_stack(
        [
            e["type_index"].to_numpy(),
            np.where(groups < 0, _NONE, groups),
            *(e[c].to_numpy() for c in ("degree", "n_mentions", "n_documents")),
        ]
    )
    relations = np.column_stack(
        [
            r["source"].to_numpy(),
            r["target"].to_numpy(),
            np.array([number[p] for p in r["predicate"]], dtype=np.int64),
            np.array([polarity.get(p, 0) for p in r["polarity"]], dtype=np.int64),
            r["n_documents"].to_numpy(),
        ]
    )
    amount = data.sizes(size_by)
    meta = {
        "title": title,
        "summary": summary(data),
        "notes": data.notes,
        "colorBy": color_by,
        "sizeBy": size_by,
        "ids": e["entity_id"].to_list(),
        "names": e["name"].to_list(),
        "aliases": [a or 0 for a in e["aliases"].to_list()],
        "types": data.types,
        "groups": [[g.group_id, g.title, g.size, g.status] for g in data.groups],
        "predicates": predicates,
    }
    return Payload(
        places.astype("<f4").tobytes(),
        nodes.astype("<u4").tobytes(),
        (amount / max(float(amount.max(initial=0.0)), 1.0)).astype("<f4").tobytes(),
        relations.astype("<u4").tobytes(),
        r["weight"].to_numpy().astype("<f4").tobytes(),
        meta,
    )


def summary(data: GraphData) -> str:
    """Say in a sentence what the view shows, for those who cannot see it."""
    parts = [f"{_count(data.entities.height, 'entity', 'entities')}, {_count(data.relations.height, 'relation')}"]
    if data.groups:
        parts.append(_count(len(data.groups), "community", "communities"))
    busiest = data.entities.sort("degree", "entity_id", descending=[True, False]).head(3)
    if busiest.height:
        parts.append("most connected: " + "; ".join(busiest["name"].to_list()))
    return ", ".join(parts) + "."


def node_details(data: GraphData, evidence: Evidence, rows: list[int], limit: int) -> list[dict[str, Any]]:
    """Describe entities beyond what every view holds: description, attributes, and quotes."""
    shown = data.entities[rows]
    quotes = evidence.of_entities(shown["entity_id"].to_list(), data.relations, limit=limit)
    return [
        _plain({"description": text, "attributes": _attributes(attributes), **quotes.get(entity_id, {})})
        for entity_id, text, attributes in shown.select("entity_id", "description", "attributes").iter_rows()
    ]


def relation_details(data: GraphData, evidence: Evidence, rows: list[int], limit: int) -> list[dict[str, Any]]:
    """Quotes that say what relations say."""
    ids = data.relations["relation_id"].gather(rows).to_list()
    quotes = evidence.of_relations(ids, limit=limit)
    return [quotes.get(relation_id, {}) for relation_id in ids]


def _attributes(text: str | None) -> list[list[str]]:
    """Flatten an attributes object to name and value pairs of text; what is no JSON object is shown as it is."""
    if not text:
        return []
    try:
        held = json.loads(text)
    except ValueError:
        return [["attributes", text]]
    if not isinstance(held, dict):
        return [["attributes", text]]
    return [[str(name), _text(value)] for name, value in sorted(held.items())]


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(_text(v) for v in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _plain(details: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in details.items() if v}


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"
