"""A limit on what a run may spend, held before each call and never after."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Literal

from kgkit.errors import OptionError

__all__ = ["Budget", "Spending"]

Decision = Literal["granted", "wait", "refused"]


@dataclass(frozen=True)
class Spending:
    """Calls, tokens and dollars: of one call (``money`` is ``None`` where the price is not known), or a sum of them.

    In a sum ``money`` is that of the calls with a price, and ``unpriced`` counts the others.
    """

    calls: int = 0
    tokens: int = 0
    money: float | None = 0.0
    unpriced: int = 0

    def plus(self, other: Spending, sign: int = 1) -> Spending:
        """Add (or, with -1, take away) another spending."""
        money = max(0.0, (self.money or 0.0) + sign * (other.money or 0.0))
        unpriced = self.unpriced + sign * (other.unpriced + (other.money is None))
        return Spending(self.calls + sign * other.calls, self.tokens + sign * other.tokens, money, unpriced)


class Budget:
    """The most that may be spent: in dollars, tokens or requests, over everything that is given this budget.

    Before a request is sent, the most that it can take is reserved: the longest prompt its text can be, and the whole
    length that the reply may have. When the answer is there, what it took replaces the reservation; where the
    endpoint does not say, or the call broke off, the reservation counts. A request that does not fit any more is not
    sent, and its item is skipped with the reason ``budget``.

    Args:
        money: Dollars; needs a known price.
        tokens: Tokens of prompts and replies together.
        calls: Requests sent, also those that fail.

    Raises:
        OptionError: A limit is negative or no number.

    Examples:
        >>> Budget(money=0.5, calls=100)
        Budget(money=0.5, calls=100; spent $0.0000, 0 tokens, 0 calls)
    """

    def __init__(self, *, money: float | None = None, tokens: int | None = None, calls: int | None = None) -> None:
        for name, limit in (("money", money), ("tokens", tokens), ("calls", calls)):
            if limit is not None and (isinstance(limit, bool) or not isinstance(limit, (int, float)) or not limit >= 0):
                msg = f"{name}={limit!r} is no limit. Allowed: a number from 0, or None for no limit."
                raise OptionError(msg)
        self.money, self.tokens, self.calls = money, tokens, calls
        self._spent = Spending()
        self._held = Spending()
        self._lock = Lock()

    @property
    def spent(self) -> Spending:
        """What was spent so far, without what is under way."""
        return self._spent

    @property
    def held(self) -> Spending:
        """What is reserved for requests that are under way."""
        return self._held

    def reserve(self, need: Spending) -> Decision:
        """Reserve ``need``, or say that it does not fit: at all, or while others are under way."""
        with self._lock:
            if not self._fits(self._spent.plus(need)):
                return "refused"
            if not self._fits(self._spent.plus(self._held).plus(need)):
                return "wait"
            self._held = self._held.plus(need)
            return "granted"

    def settle(self, need: Spending, took: Spending) -> None:
        """Replace a reservation by what the call took."""
        with self._lock:
            held = self._held.plus(need, -1)
            self._held = held if held.calls else Spending()  # without the crumbs of floating point
            self._spent = self._spent.plus(took)

    def _fits(self, total: Spending) -> bool:
        return (
            (self.calls is None or total.calls <= self.calls)
            and (self.tokens is None or total.tokens <= self.tokens)
            and (self.money is None or (not total.unpriced and (total.money or 0.0) <= self.money + 1e-12))
        )

    def __repr__(self) -> str:
        limits = [f"{n}={v!r}" for n in ("money", "tokens", "calls") if (v := getattr(self, n)) is not None]
        spent = self._spent
        money = f"${spent.money or 0.0:.4f}" + (
            f" and {spent.unpriced:,} calls of unknown price" * bool(spent.unpriced)
        )
        return f"Budget({', '.join(limits)}; spent {money}, {spent.tokens:,} tokens, {spent.calls:,} calls)"

    def __getstate__(self) -> dict[str, object]:
        return {k: v for k, v in vars(self).items() if k != "_lock"}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self._lock = Lock()
