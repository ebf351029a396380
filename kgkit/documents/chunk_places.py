"""What a document's sections say about its chunks: where not to cut, which headings stand above, what place to cite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from kgkit.documents.chunk_cuts import Borders, next_solid
from kgkit.text import Span, trim_span

__all__ = ["Place", "Region", "describe_spans", "find_borders", "regions_of"]

_SOFT = frozenset({"heading", "page", "slide"})  # short ones may share a chunk; all other kinds keep theirs apart


class Region(NamedTuple):
    """A section with its offsets brought inside the text."""

    start: int
    end: int
    level: int
    kind: str
    label: str


class Place(NamedTuple):
    """Where one chunk stands."""

    heading: str | None
    place: str | None


def regions_of(sections: Iterable[dict[str, Any] | None] | None, length: int) -> list[Region]:
    """Read a document's ``sections`` cell; sections that lie outside of the text, or hold nothing, are left out."""
    found = []
    for section in sections or ():
        if section is None or section["start"] is None:
            continue
        end = length if section["end"] is None else min(section["end"], length)
        start = max(0, section["start"])
        if start < end:
            level = 1 if section["level"] is None else section["level"]
            found.append(Region(start, end, level, section["kind"] or "section", section["label"] or ""))
    return sorted(found, key=lambda r: (r.start, -r.end, r.level, r.kind, r.label))


def find_borders(text: str, regions: Sequence[Region]) -> Borders:
    """Find the positions where sections begin and end; white space goes with what comes before it."""
    hard: set[int] = set()
    soft: set[int] = set()
    for region in regions:
        target = soft if region.kind in _SOFT else hard
        target.add(next_solid(text, region.start))
        if region.kind != "heading":
            target.add(next_solid(text, region.end))
    return Borders(sorted(hard), sorted(soft))


def describe_spans(text: str, spans: Sequence[Span], regions: Sequence[Region]) -> list[Place]:
    """Name headings and place of each span; spans and regions in order of start."""
    places, active, i = [], list[Region](), 0
    for span in spans:
        start, end = trim_span(text, *span)
        active = [r for r in active if r.end > start]
        while i < len(regions) and regions[i].start < max(end, start + 1):
            if regions[i].end > start:
                active.append(regions[i])
            i += 1
        places.append(Place(_headings(active, start, end), _place(active)))
    return places


def _headings(active: Sequence[Region], start: int, end: int) -> str | None:
    """Join the headings that stand above all of the span, outermost first."""
    path = [r for r in active if r.kind == "heading" and r.start <= start and r.end >= end]
    return " > ".join(r.label for r in sorted(path, key=lambda r: (r.level, r.start)) if r.label) or None


def _place(active: Sequence[Region]) -> str | None:
    kinds: dict[str, list[str]] = {}
    for region in active:
        if region.kind != "heading":
            kinds.setdefault(region.kind, []).append(region.label)
    return ", ".join(_name(kind, list(dict.fromkeys(labels))) for kind, labels in kinds.items()) or None


def _name(kind: str, labels: list[str]) -> str:
    if len(labels) == 1:
        return f"{kind} {labels[0]}".strip()
    between = "-" if all(label.isdigit() for label in labels) else " to "
    return f"{kind}s {labels[0]}{between}{labels[-1]}"
