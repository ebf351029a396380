"""What people decided about entities: which decisions count, what they join and keep apart, where they contradict.

The contract of decisions is in ``docs/guide/decisions.md``. Everything here depends on the rows alone: not on their
order, and not on what is in a graph at the moment.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, pairwise, product
from typing import Any, NamedTuple

import polars as pl

from kgkit import tables
from kgkit.frames import backend_of, give
from kgkit.ids import stable_id
from kgkit.resolution.decided import Decision, judge, part_ids, read_decisions
from kgkit.resolution.decided_groups import Merging, resolve_merges

__all__ = [
    "Decision",
    "Links",
    "Merging",
    "active",
    "conflicts",
    "judge",
    "links",
    "merge_id",
    "part_ids",
    "read_decisions",
    "resolve_merges",
]

_CONFLICTS = {
    "left_id": pl.String(),
    "right_id": pl.String(),
    "apart_by": pl.String(),
    "joined_by": pl.List(pl.String()),
    "set_aside": pl.String(),
    "settle": pl.String(),
}


class Links(NamedTuple):
    """Pairs of entity ids, the smaller first, in order: those that are one, and those that are not."""

    must: list[tuple[str, str]]
    cannot: list[tuple[str, str]]


def merge_id(entity_ids: Iterable[str]) -> str:
    """Make the id of a merge, the same for any order of its entities.

    Examples:
        >>> merge_id(["e2", "e1"]) == merge_id(["e1", "e2"])
        True
    """
    return stable_id("merge", *sorted(set(entity_ids)))


def active(decisions: Any) -> Any:
    """Give the decisions that count: neither undone, nor replaced by a newer one on the same subject.

    Of all verdicts ``accepted`` and ``rejected`` on one subject (its ``kind`` and ``subject_id``), whoever gave them,
    the newest counts. Verdicts ``skipped`` and ``flagged`` replace nothing. Undoing a decision brings back what it
    had replaced.

    Args:
        decisions: A decisions frame of any kind.

    Returns:
        The rows that count, oldest first, as the kind of frame that came in.

    Raises:
        SchemaError: Columns are missing, or two rows of one ``decision_id`` differ.

    Examples:
        >>> import polars as pl
        >>> rows = [("d1", "type", "e1", "accepted", '{"type": "PLACE"}', "Ada", "2030-01-01"),
        ...         ("d2", "type", "e1", "accepted", '{"type": "PERSON"}', "Bo", "2030-01-02"),
        ...         ("d3", "type", "e1", "undone", '{"decision_id": "d2"}', "Ada", "2030-01-03")]
        >>> names = ["decision_id", "kind", "subject_id", "verdict", "payload", "reviewer", "decided_at"]
        >>> frame = pl.DataFrame(rows, schema=names, orient="row").with_columns(pl.col("decided_at").str.to_datetime())
        >>> active(frame)["decision_id"].to_list()
        ['d1']
    """
    read = read_decisions(decisions)
    statuses = judge(read)
    rows = [dict(d.row) for d in read if statuses[d.decision_id].reason is None]
    return give(tables.from_rows("decisions", rows), "decisions", backend_of(decisions))


def links(decisions: Any) -> Links:
    """Give what decisions join and what they keep apart, by entity id.

    Contradictions are settled as `kgkit.apply_decisions` settles them, so that no cannot-link lies within what
    must-links join.

    Args:
        decisions: A decisions frame of any kind.

    Returns:
        `Links`: ``must`` pairs (enough of them to connect each group) and ``cannot`` pairs (all between two groups that
        are apart, so that they also hold for a graph in which some entities stand for others).

    Examples:
        >>> import polars as pl
        >>> from kgkit import tables
        >>> links(tables.empty("decisions"))
        Links(must=[], cannot=[])
    """
    merging = _merging(decisions)
    must = [pair for members in merging.members.values() for pair in pairwise(members)]
    groups = {tuple(sorted((merging.group_of(left), merging.group_of(right)))) for left, right in merging.apart}
    sides = [[merging.members.get(group, [group]) for group in pair] for pair in groups]
    cannot = {(min(pair), max(pair)) for pair in chain.from_iterable(product(*both) for both in sides)}
    return Links(sorted(must), sorted(cannot))


def conflicts(decisions: Any) -> Any:
    """List the merges that contradict other decisions: A is B, B is C, but A is not C.

    Args:
        decisions: A decisions frame of any kind.

    Returns:
        One row per merge that is set aside, as the kind of frame that came in: ``left_id`` and ``right_id`` (kept
        apart), ``apart_by`` (the decision that does), ``joined_by`` (the merges that would join them), ``set_aside``
        (the oldest of these merges: it has no effect) and ``settle`` (what a person can do).
    """
    reviewers = {d.decision_id: d.reviewer for d in read_decisions(decisions)}
    rows = [
        {
            "left_id": c.left_id,
            "right_id": c.right_id,
            "apart_by": c.apart_by,
            "joined_by": list(c.joined_by),
            "set_aside": c.set_aside,
            "settle": _settle(c.left_id, c.right_id, c.apart_by, c.joined_by, c.set_aside, reviewers),
        }
        for c in _merging(decisions).conflicts
    ]
    frame = pl.DataFrame(rows, schema=_CONFLICTS).sort("set_aside")
    return give(frame, None, backend_of(decisions))


def _merging(decisions: Any) -> Merging:
    read = read_decisions(decisions)
    statuses = judge(read)
    return resolve_merges([d for d in read if statuses[d.decision_id].reason is None])


def _settle(left: str, right: str, apart: str, joined: tuple[str, ...], aside: str, who: dict[str, str]) -> str:
    others = [d for d in joined if d != aside]
    undo = ", or ".join(f"{d} ({who[d]})" for d in (apart, *others))
    return (
        f"{left} and {right} are kept apart by {apart}, and {' with '.join(joined)} would join them. "
        f"{aside} ({who[aside]}) is the oldest of these merges and has no effect. "
        f"Undo {aside} if that is right; otherwise undo {undo}."
    )
