"""How far reviewers agree, and of what they say different things."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from kgkit.frames import backend_of, give
from kgkit.resolution.decisions import Decision, read_decisions
from kgkit.reviewing.kinds import says_else, subject_of
from kgkit.reviewing.payload import COUNT
from kgkit.reviewing.state import State

__all__ = ["Agreement", "Voices", "agreement", "compared", "disputed", "first_words", "voices"]

Voices = Mapping[tuple[str, str], Mapping[str, Decision]]
"""What each reviewer says of each item, by kind and item."""

_PAIRS = {
    "reviewer": pl.String, "other": pl.String, "n": pl.Int64, "n_agreed": pl.Int64, "share": pl.Float64,
    "kappa": pl.Float64,
}  # fmt: skip
_DIFFER = ("kind", "item_id", "reviewer", "verdict", "note", "decision_id")


@dataclass(frozen=True)
class Agreement:
    """What `agreement` found.

    Attributes:
        pairs: One row per two reviewers: ``reviewer``, ``other``, ``n`` (items both decided), ``n_agreed``,
            ``share``, ``kappa`` (null where both always said the same one thing, or there is no such item).
        disagreements: One row per item and reviewer where they differ and nobody settled it: ``kind``, ``item_id``,
            ``reviewer``, ``verdict``, ``note``, ``decision_id``.
    """

    pairs: Any
    disagreements: Any


def agreement(decisions: Any) -> Agreement:
    """Compare what reviewers said of the same items: Cohen's kappa, and where they differ.

    Of each reviewer the latest verdict on an item counts that is not undone. Kappa is Cohen's (1960), on accepted
    against rejected: the share of agreement above what both would have by chance. Answers that settled a disagreement
    do not count for it: who gave them knew what the others had said. Rules are no reviewers.

    Args:
        decisions: A decisions frame of any kind.

    Returns:
        `Agreement`.

    Raises:
        SchemaError: Columns are missing.

    Examples:
        >>> import polars as pl
        >>> said = {"Ada": ["accepted", "accepted", "rejected", "rejected"],
        ...         "Bo": ["accepted", "rejected", "rejected", "rejected"]}
        >>> rows = [(f"{who}{i}", "type", f"e{i}", verdict, '{"type": "PERSON"}', who)
        ...         for who, verdicts in said.items() for i, verdict in enumerate(verdicts)]
        >>> names = ["decision_id", "kind", "subject_id", "verdict", "payload", "reviewer"]
        >>> frame = pl.DataFrame(rows, schema=names, orient="row").with_columns(decided_at=pl.datetime(2030, 1, 1))
        >>> agreement(frame).pairs.select("n", "n_agreed", "kappa").row(0)
        (4, 3, 0.5)
    """
    undoable = State({}, read_decisions(decisions)).undoable
    open_ones = disputed(voices(undoable))
    rows = [
        {"kind": kind, "item_id": item, "reviewer": who, "verdict": d.verdict, "note": d.row["note"],
         "decision_id": d.decision_id}
        for (kind, item), by in sorted(open_ones.items())
        for who, d in sorted(by.items())
    ]  # fmt: skip
    backend = backend_of(decisions)
    differ = pl.DataFrame(rows, schema=dict.fromkeys(_DIFFER, pl.String))
    return Agreement(give(compared(first_words(undoable)), None, backend), give(differ, None, backend))


def voices(undoable: Iterable[Decision]) -> Voices:
    """Give what each reviewer says now of each item: the latest that is neither undone nor settled since.

    Args:
        undoable: Decisions that are not undone, oldest first.
    """
    found: dict[tuple[str, str], dict[str, Decision]] = {}
    for decision in undoable:
        if decision.verdict in COUNT and "rule" not in decision.payload:
            held = found.setdefault(subject_of(decision), {})
            for who in decision.payload.get("settles", ()):
                held.pop(who, None)
            held[decision.reviewer] = decision
    return found


def first_words(undoable: Iterable[Decision]) -> Voices:
    """Give what each reviewer said last of each item without settling anything."""
    return voices(d for d in undoable if "settles" not in d.payload)


def disputed(said: Voices) -> Voices:
    """Give the items of which reviewers say different things."""
    return {about: by for about, by in said.items() if len(by) > 1 and _differ(about[0], list(by.values()))}


def compared(said: Voices) -> pl.DataFrame:
    """Compare each two reviewers."""
    everyone = sorted({who for by in said.values() for who in by})
    pairs = [
        _compared(
            one, other, [(by[one].verdict, by[other].verdict) for by in said.values() if one in by and other in by]
        )
        for one, other in combinations(everyone, 2)
    ]
    return pl.DataFrame(pairs, schema=_PAIRS)


def _differ(kind: str, decisions: list[Decision]) -> bool:
    return any(says_else(kind, one, other) for one, other in combinations(decisions, 2))


def _compared(one: str, other: str, verdicts: list[tuple[str, str]]) -> dict[str, Any]:
    n = len(verdicts)
    row: dict[str, Any] = {"reviewer": one, "other": other, "n": n, "n_agreed": 0, "share": None, "kappa": None}
    if not n:
        return row
    agreed = sum(a == b for a, b in verdicts)
    yes = [sum(v[side] == "accepted" for v in verdicts) / n for side in (0, 1)]
    chance = yes[0] * yes[1] + (1 - yes[0]) * (1 - yes[1])
    kappa = None if chance == 1 else (agreed / n - chance) / (1 - chance)
    return row | {"n_agreed": agreed, "share": agreed / n, "kappa": kappa}
