"""What there is to decide on, whatever it is: items of one queue, read from proposals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from kgkit.errors import FrameTypeError, InputError
from kgkit.frames import to_polars

if TYPE_CHECKING:
    from kgkit.reviewing.kinds import Kind

__all__ = ["Entry", "Listed", "as_reasons", "kinds_in", "read_entries"]


@dataclass(frozen=True)
class Entry:
    """One thing to decide on.

    Attributes:
        item_id: Its id: what `merge_id` gives, a ``relation_id``, or an ``entity_id``.
        kind: ``merge``, ``relation``, ``type`` (an entity: its type, its name, what it is made of), or what
            `kgkit.reviewing.add_kind` added.
        members: The entities that it is about: those of a merge, both ends of a relation, or one.
        score: How likely the proposal is right; null where nothing says.
        method: What proposed it.
        reasons: What speaks for and against it: ``reason`` and ``weight``.
        group: The group of a merge; null where it is in none.
        weakest: Of a group the pair that is least likely, as two entity ids.
        links: Of a group the pairs that were proposed within it.
        more: What its kind needs besides.
    """

    item_id: str
    kind: str
    members: tuple[str, ...]
    score: float | None = None
    method: str = ""
    reasons: Sequence[Mapping[str, Any]] = ()
    group: str | None = None
    weakest: tuple[str, str] | None = None
    links: tuple[Entry, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)


class Listed(Sequence[Any]):
    """One row of a column of lists, read when it is looked at: most of a long queue never is."""

    __slots__ = ("_column", "_row")

    def __init__(self, column: pl.Series, row: int) -> None:
        self._column, self._row = column, row

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: Any) -> Any:
        return self._values[index]

    @property
    def _values(self) -> list[Any]:
        return self._column[self._row].to_list() if self._column[self._row] is not None else []


def read_entries(proposals: Any, known: Iterable[str], *, groups: bool) -> list[Entry]:
    """Read what is proposed.

    Args:
        proposals: A result or frame of merges, relations or entities, or a list of several.
        known: The ids of all entities of the graph.
        groups: Whether groups of three and more are decided on as one.

    Returns:
        One entry each; a pair or group that is there twice is one, at its best score.

    Raises:
        FrameTypeError: Something is neither of these.
        InputError: A proposal names an entity that is not in the graph.
    """
    found: dict[str, Entry] = {}
    for one in _several(proposals):
        kind, frame = _sorted_out(one)
        for entry in kind.entries(frame, _held(one), groups=groups):
            old = found.get(entry.item_id)
            if old is None or (entry.score or 0.0) > (old.score or 0.0):
                found[entry.item_id] = entry
    here = set(known)
    gone = next((m for e in found.values() for m in e.members if m not in here), None)
    if gone is not None:
        msg = f"The proposals name the entity {gone!r}, which is not in the graph. Give the graph they are about."
        raise InputError(msg)
    return list(found.values())


def as_reasons(reasons: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Give reasons as plain values."""
    return [{"reason": r["reason"], "weight": round(r["weight"], 2)} for r in reasons]


def kinds_in(proposals: Any) -> frozenset[str]:
    """Tell which kinds of decisions some proposals are about, also where there are none; see `read_entries`."""
    kinds = [_sorted_out(one)[0] for one in _several(proposals)]
    return frozenset(name for kind in kinds for name in (kind.name, *kind.others))


def _several(proposals: Any) -> list[Any]:
    return list(proposals) if isinstance(proposals, (list, tuple)) else [proposals]


def _held(proposals: Any) -> Mapping[str, Any]:
    held = getattr(proposals, "frames", None)
    return held if isinstance(held, dict) else {}


def _sorted_out(proposals: Any) -> tuple[Kind, pl.DataFrame]:
    """Tell what kind of proposals a frame or result holds, and give them."""
    from kgkit.reviewing.kinds import known_kinds

    held, kinds = _held(proposals), known_kinds()
    for kind in kinds:
        if kind.table is not None and kind.table in held:
            return kind, to_polars(held[kind.table], kind.table)
    frame = to_polars(proposals, "proposals")
    columns = set(frame.columns)
    fits = [kind for kind in kinds if kind.needs <= columns]
    if fits:
        return max(fits, key=lambda kind: len(kind.needs)), frame
    looks = ", ".join(f"{kind.table or kind.name} ({', '.join(sorted(kind.needs))})" for kind in reversed(kinds))
    msg = f"Proposals must be one of: {looks}; these columns are there: {', '.join(frame.columns)}."
    raise FrameTypeError(msg)
