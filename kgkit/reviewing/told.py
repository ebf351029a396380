"""What a review tells of itself: its answers, its progress, what it expects to be wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

import polars as pl

from kgkit.reviewing.entries import Entry
from kgkit.reviewing.state import OPEN, Stand

__all__ = ["Answer", "Bulk", "Preview", "Progress", "Split", "advice", "expected_errors", "plain_rows", "progress_of"]

_LAST = 20  # answers that the time left is made from


@dataclass(frozen=True)
class Answer:
    """What became of an answer: ``recorded``, or ``already applied`` where it holds already."""

    item_id: str
    status: str
    decision_id: str
    n_conflicts: int = 0


@dataclass(frozen=True)
class Preview:
    """What a verdict on many items would do.

    Attributes:
        verdict: accepted or rejected.
        at: The threshold.
        n: Number of items.
        weakest: The five whose score fits the verdict least.
        joins: Of merges that are accepted: the groups that would come to be, the largest first, at most 20.
        n_joins: How many groups in all.
        barred: Number of items left as they are, because earlier decisions keep their entities apart.
    """

    verdict: str
    at: float
    n: int
    weakest: pl.DataFrame
    joins: pl.DataFrame
    n_joins: int
    barred: int


@dataclass(frozen=True)
class Bulk:
    """What became of a verdict on many items; one `undo` takes all of it back."""

    n: int
    barred: int
    batch: str | None


@dataclass(frozen=True)
class Split:
    """What a split would do.

    Attributes:
        parts: One row for who stays (``part`` 0) and each who leaves (1, 2, ... as they were given): ``part``,
            ``entity_id``, ``name``, ``type``, ``n_mentions``, ``n_documents``, ``n_relations``.
        relations: The relations of each: ``part``, ``relation_id``, ``source``, ``predicate``, ``target`` (names),
            ``polarity``, ``n_statements``, ``statement_ids``, ``quotes``. One whose evidence is parted has a row for
            each part that keeps some of it, and one between two parts has a row for both.
    """

    parts: Any
    relations: Any


@dataclass(frozen=True)
class Progress:
    """How far a review is.

    Attributes:
        total: Items within the filters.
        accepted: Those accepted.
        rejected: Those rejected.
        skipped: Those skipped; they come back at the end.
        flagged: Those flagged; they come back at the end.
        left: Items without an answer, those that come back included.
        accept_rate: Share of accepted among the decided; null before the first.
        per_minute: Answers a minute, by the median of the last twenty; null before the second.
        seconds_left: What the rest would take at that rate; null before the second.
        conflicts: Number of merges that contradict other decisions.
    """

    total: int
    accepted: int
    rejected: int
    skipped: int
    flagged: int
    left: int
    accept_rate: float | None
    per_minute: float | None
    seconds_left: float | None
    conflicts: int

    @property
    def decided(self) -> int:
        """Items accepted or rejected."""
        return self.accepted + self.rejected

    def __str__(self) -> str:
        rate = "" if self.accept_rate is None else f", {self.accept_rate:.0%} accepted"
        time = "" if self.seconds_left is None else f", about {_span(self.seconds_left)} left"
        return f"{self.decided:,} of {self.total:,} decided{rate}{time}"


def _span(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{max(minutes, 1)} min"


def progress_of(stands: Iterable[Stand], times: Sequence[float], conflicts: int) -> Progress:
    """Count; ``times`` are those of the answers given since it was opened, in seconds."""
    counts: dict[str, int] = {}
    total = 0
    for stand in stands:
        counts[stand.status] = counts.get(stand.status, 0) + 1
        total += 1
    gaps = [b - a for a, b in pairwise(times[-_LAST - 1 :])]
    gap = max(median(gaps), 1e-3) if gaps else None
    left = sum(counts.get(s, 0) for s in OPEN)
    accepted, rejected = counts.get("accepted", 0), counts.get("rejected", 0)
    return Progress(
        total=total, accepted=accepted, rejected=rejected, skipped=counts.get("skipped", 0),
        flagged=counts.get("flagged", 0), left=left,
        accept_rate=accepted / (accepted + rejected) if accepted + rejected else None,
        per_minute=60 / gap if gap else None, seconds_left=left * gap if gap else None, conflicts=conflicts,
    )  # fmt: skip


def expected_errors(entries: Iterable[Entry], stands: Mapping[str, Stand], *, slip: float) -> pl.DataFrame:
    """Expect errors from scores: for answers of people with a share of slips, for rules and the rest without.

    A person who answers wrongly once in ``1 / slip`` and a score ``p`` together give the chance that an accepted pair
    is wrong: ``(1 - p) slip / ((1 - p) slip + p (1 - slip))``, and that of a rejected one with the two turned round.
    """
    sums: dict[tuple[str, str], list[float]] = {}
    left_yes, left_no = (sums.setdefault(("left", verdict), [0.0, 0.0]) for verdict in ("accepted", "rejected"))
    for entry in entries:
        p = entry.score
        if p is None:
            continue
        stand = stands[entry.item_id]
        if stand.status in OPEN:
            held, wrong = (left_yes, 1 - p) if p >= 0.5 else (left_no, p)
        else:
            by_rule = stand.decision is not None and "rule" in stand.decision.payload
            held = sums.setdefault(("rule" if by_rule else "person", stand.status), [0.0, 0.0])
            wrong = _wrong(p, stand.status, None if by_rule else slip)
        held[0] += 1
        held[1] += wrong
    rows: list[dict[str, Any]] = [
        {"by": by, "verdict": verdict, "n": int(n), "expected_errors": wrong}
        for (by, verdict), (n, wrong) in sorted(sums.items())
        if n
    ]
    return pl.DataFrame(
        rows, schema={"by": pl.String, "verdict": pl.String, "n": pl.Int64, "expected_errors": pl.Float64}
    )


def _wrong(p: float, verdict: str, slip: float | None) -> float:
    """Give the chance that a verdict is wrong; where no person gave it, the score alone tells."""
    p = min(max(p, 1e-6), 1 - 1e-6)
    wrong = 1 - p if verdict == "accepted" else p
    return wrong if slip is None else wrong * slip / (wrong * slip + (1 - wrong) * (1 - slip))


def advice(errors: pl.DataFrame, helps: bool | None) -> str:
    """Say whether more answers help, and how many errors to expect.

    Args:
        errors: What `expected_errors` gives.
        helps: Whether more answers still change what is proposed; null where nothing learns.
    """
    said = {None: [], True: [], False: ["More answers hardly change the proposals now."]}[helps]
    rows = {(row["by"], row["verdict"]): row for row in errors.iter_rows(named=True)}
    for by, ending in (("person", "by people"), ("rule", "by rules")):
        held = [rows[by, v] for v in ("accepted", "rejected") if (by, v) in rows]
        parts = [f"{row['expected_errors']:.1f} among {row['n']:,} {row['verdict']}" for row in held]
        if parts:
            said.append(f"Errors to expect: {' and '.join(parts)} {ending}.")
    left = [row for (by, _), row in rows.items() if by == "left"]
    if left:
        wrong, n = sum(row["expected_errors"] for row in left), sum(row["n"] for row in left)
        said.append(f"Of the {n:,} left, scores alone would decide about {wrong:.1f} wrongly.")
    return " ".join(said)


def plain_rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Give a frame's rows as plain values: times as text."""
    return frame.with_columns(pl.col(pl.Datetime).dt.strftime("%Y-%m-%dT%H:%M:%SZ")).to_dicts()
