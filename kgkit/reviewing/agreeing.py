"""How far reviewers agree."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from kgkit.frames import backend_of, give
from kgkit.resolution.decisions import judge, read_decisions
from kgkit.reviewing.desk import item_of

__all__ = ["Agreement", "agreement"]


@dataclass(frozen=True)
class Agreement:
    """What `agreement` found.

    Attributes:
        pairs: One row per two reviewers: ``reviewer``, ``other``, ``n`` (items both decided), ``n_agreed``,
            ``share``, ``kappa`` (null where both always said the same one thing, or there is no such item).
        disagreements: One row per item and reviewer where they differ: ``kind``, ``item_id``, ``reviewer``,
            ``verdict``, ``note``, ``decision_id``.
    """

    pairs: Any
    disagreements: Any


def agreement(decisions: Any) -> Agreement:
    """Compare what reviewers said of the same items: Cohen's kappa, and where they differ.

    Of each reviewer the latest verdict on an item counts that is not undone. Kappa is Cohen's (1960), on accepted
    against rejected: the share of agreement above what both would have by chance.

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
    read = read_decisions(decisions)
    judged = judge(read)
    said: dict[tuple[str, str], dict[str, Any]] = {}
    for decision in read:
        if judged[decision.decision_id].reason in (None, "replaced") and decision.verdict in ("accepted", "rejected"):
            kind = "type" if decision.kind == "split" else decision.kind
            said.setdefault((kind, item_of(decision)), {})[decision.reviewer] = decision
    backend = backend_of(decisions)
    rows = [
        {"kind": kind, "item_id": item, "reviewer": who, "verdict": d.verdict, "note": d.row["note"],
         "decision_id": d.decision_id}
        for (kind, item), by in sorted(said.items())
        if len({d.verdict for d in by.values()}) > 1
        for who, d in sorted(by.items())
    ]  # fmt: skip
    names = ("kind", "item_id", "reviewer", "verdict", "note", "decision_id")
    everyone = sorted({who for by in said.values() for who in by})
    pairs = [
        _compared(
            one, other, [(by[one].verdict, by[other].verdict) for by in said.values() if one in by and other in by]
        )
        for one, other in combinations(everyone, 2)
    ]
    schema = {"reviewer": pl.String, "other": pl.String, "n": pl.Int64, "n_agreed": pl.Int64, "share": pl.Float64,
              "kappa": pl.Float64}  # fmt: skip
    differ = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String))
    return Agreement(give(pl.DataFrame(pairs, schema=schema), None, backend), give(differ, None, backend))


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
