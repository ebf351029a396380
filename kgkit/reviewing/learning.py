"""What new scores changed, and whether more answers still help."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Change", "changed", "stops_helping"]

_SURE = 0.01  # share of proposals that turn, below which answers teach little
_LEAST_ANSWERS = 30
_ROUNDS = 2

Pairs = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Change:
    """What scoring anew with the answers so far changed.

    Attributes:
        n_answers: Answers that it learned from.
        n_open: Proposals without an answer now.
        n_new: Those that were not proposed before.
        n_gone: Proposals without an answer that are no longer proposed.
        n_moved: Those whose score moved by a tenth or more.
        errors_before: Errors to expect if all open proposals were accepted before; by the scores of then.
        errors_after: The same, by the scores of now.
        movers: The five scores that moved most: item, before, after.
    """

    n_answers: int
    n_open: int
    n_new: int
    n_gone: int
    n_moved: int
    errors_before: float
    errors_after: float
    movers: tuple[tuple[tuple[str, str], float, float], ...]

    @property
    def n_turned(self) -> int:
        """Proposals that came or went."""
        return self.n_new + self.n_gone

    def __str__(self) -> str:
        parts = [(self.n_new, "new"), (self.n_gone, "no longer proposed"), (self.n_moved, "moved by a tenth or more")]
        told = ", ".join(f"{n:,} {what}" for n, what in parts if n) or "nothing changed"
        return f"After {self.n_answers:,} answers: {told}; {self.n_open:,} proposals are open."


def changed(old: Pairs, new: Pairs, *, settled: Callable[[str, str], bool], n_answers: int) -> Change:
    """Compare the open proposals before and after; ``settled`` tells which pairs were answered, meanwhile too."""
    before, after = ({pair: s for pair, s in pairs.items() if not settled(*pair)} for pairs in (old, new))
    both = [(pair, before[pair], after[pair]) for pair in before.keys() & after.keys()]
    moved = [m for m in both if abs(m[1] - m[2]) >= 0.1]
    movers = sorted(both, key=lambda m: (-abs(m[1] - m[2]), m[0]))[:5]
    return Change(
        n_answers, len(after), len(after.keys() - before.keys()), len(before.keys() - after.keys()), len(moved),
        sum(1 - s for s in before.values()), sum(1 - s for s in after.values()), tuple(movers),
    )  # fmt: skip


def stops_helping(history: Sequence[Change]) -> bool:
    """Tell whether the last rounds of answers turned almost nothing."""
    last = history[-_ROUNDS:]
    if len(last) < _ROUNDS or last[-1].n_answers < _LEAST_ANSWERS:
        return False
    return all(c.n_turned <= _SURE * max(c.n_open, 1) for c in last)
