"""What one verdict on many items would do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import polars as pl

from kgkit.errors import OptionError
from kgkit.reviewing.entries import Entry
from kgkit.reviewing.state import State
from kgkit.reviewing.told import Preview

__all__ = ["choose", "preview_of"]

_WEAKEST, _JOINS = 5, 20
_MOST_NAMES = 12


def choose(entries: Iterable[Entry], verdict: str, at: float, state: State) -> tuple[list[Entry], int]:
    """Choose what a verdict at a threshold is about, the strongest first, and count what it would contradict.

    Merges that would bring together what is kept apart, or part what is together, are left out: those need a person.

    Raises:
        OptionError: The verdict or the threshold is not allowed.
    """
    if verdict not in ("accepted", "rejected"):
        raise OptionError.not_one_of("verdict", verdict, ("accepted", "rejected"))
    if not 0 <= at <= 1:
        msg = f"at={at!r} is out of range. Allowed: 0 to 1."
        raise OptionError(msg)
    sign = -1 if verdict == "accepted" else 1
    within = [e for e in entries if e.score is not None and sign * e.score <= sign * at]
    within.sort(key=lambda e: (sign * (e.score or 0.0), e.item_id))
    union = _Union(state)
    fits = union.join if verdict == "accepted" else union.all_differ
    kept = [e for e in within if e.kind != "merge" or fits(e.members)]
    return kept, len(within) - len(kept)


def preview_of(
    verdict: str,
    at: float,
    chosen: Sequence[Entry],
    barred: int,
    state: State,
    label: Callable[[Entry], str],
    name: Callable[[str], str],
) -> Preview:
    """Tell what a verdict on the chosen items would do."""
    weak = [{"item_id": e.item_id, "name": label(e), "score": e.score} for e in list(reversed(chosen))[:_WEAKEST]]
    joins = []
    if verdict == "accepted":
        union = _Union(state)
        touched = {m for e in chosen if e.kind == "merge" and union.join(e.members) for m in e.members}
        groups = {union.root(m) for m in touched}
        joins = sorted((union.members(g) for g in groups), key=lambda m: (-len(m), m))
    rows = [{"n_members": len(m), "names": [name(i) for i in m[:_MOST_NAMES]], "entity_ids": m} for m in joins[:_JOINS]]
    return Preview(
        verdict, at, len(chosen),
        pl.DataFrame(weak, schema={"item_id": pl.String, "name": pl.String, "score": pl.Float64}),
        pl.DataFrame(
            rows,
            schema={"n_members": pl.Int64, "names": pl.List(pl.String), "entity_ids": pl.List(pl.String)},
        ),
        len(joins), barred,
    )  # fmt: skip


class _Union:
    """Groups as they would become, with what is kept apart."""

    def __init__(self, state: State) -> None:
        self._root = dict(state.root)
        self._members = {g: set(m) for g, m in state.members.items()}
        self._bars: dict[str, set[str]] = {}
        for one, other in state.apart:
            self._bars.setdefault(one, set()).add(other)
            self._bars.setdefault(other, set()).add(one)

    def root(self, entity_id: str) -> str:
        return self._root.get(entity_id, entity_id)

    def members(self, root: str) -> list[str]:
        return sorted(self._members.get(root, {root}))

    def all_differ(self, ids: Sequence[str]) -> bool:
        """Tell whether no two entities are one."""
        return len({self.root(i) for i in ids}) == len(ids)

    def join(self, ids: Sequence[str]) -> bool:
        """Join entities, unless some of what would be one is kept apart."""
        roots = {self.root(i) for i in ids}
        whole = set().union(*(self._members.get(r, {r}) for r in roots))
        if any(not whole.isdisjoint(self._bars.get(m, ())) for m in whole):
            return False
        first = min(whole)
        for root in roots:
            self._members.pop(root, None)
        self._members[first] = whole
        self._root.update(dict.fromkeys(whole, first))
        return True
