"""What a run would take, before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from kgkit.models.asking import Preparer
from kgkit.models.chat import Ask
from kgkit.models.replies import Replies
from kgkit.models.setup import Job, Setup

__all__ = ["Estimate", "estimate_run"]

_SECONDS = (0.5, 20.0)  # of one call, where nothing is known
_LOOKUP = 500


@dataclass(frozen=True)
class Estimate:
    """What a run would take: from the least to the most that is likely, for one attempt an item.

    Args:
        calls: Requests to send.
        kept: Items whose reply is kept already, and costs nothing.
        tokens_in: Tokens of all prompts.
        tokens_out: Tokens of all replies; at most the longest that each may be.
        cost: Dollars; ``None`` when the model's price is not known.
        seconds: Time at the model's concurrency.
        basis: What tokens, price and time are taken from.
    """

    calls: int
    kept: int
    tokens_in: tuple[int, int]
    tokens_out: tuple[int, int]
    cost: tuple[float, float] | None
    seconds: tuple[float, float]
    basis: str

    @property
    def frame(self) -> pl.DataFrame:
        """The figures as a frame of two rows, least and most; an unknown cost is null."""
        low, high = self.cost or (None, None)
        return pl.DataFrame(
            {
                "bound": ["least", "most"],
                "calls": [self.calls] * 2,
                "kept": [self.kept] * 2,
                "tokens_in": self.tokens_in,
                "tokens_out": self.tokens_out,
                "cost": pl.Series([low, high], dtype=pl.Float64),
                "seconds": self.seconds,
            }
        )

    def __str__(self) -> str:
        cost = "price unknown" if self.cost is None else f"${self.cost[0]:.4f} to ${self.cost[1]:.4f}"
        return (
            f"{self.calls:,} calls ({self.kept:,} replies kept already), {self.tokens_in[0]:,} to "
            f"{self.tokens_in[1]:,} tokens in, {self.tokens_out[0]:,} to {self.tokens_out[1]:,} out, {cost}, "
            f"{self.seconds[0]:,.0f} to {self.seconds[1]:,.0f} s. {self.basis}"
        )


def estimate_run(requests: Iterable[Ask], setup: Setup, preparer: Preparer, replies: Replies | None) -> Estimate:
    """Add up what some requests would take; one bad request counts as none."""
    calls = kept = in_low = in_high = out_high = 0
    jobs: list[Job] = []

    def count() -> None:
        nonlocal calls, kept, in_low, in_high, out_high
        found = replies.get([job.key for job in jobs]) if replies is not None else {}
        for job in jobs:
            if job.key in found:
                kept += 1
                continue
            low, high = job.size.usual
            calls, in_low, in_high = calls + 1, in_low + low, in_high + high
            out_high += job.ask.max_tokens or int(setup.parameters["max_tokens"])
        jobs.clear()

    for ask in requests:
        if isinstance(job := preparer.job(ask), Job):
            jobs.append(job)
        if len(jobs) >= _LOOKUP:
            count()
    count()
    seen = setup.usage.frame().filter(pl.col("status").is_in(["ok", "empty"]))
    out_low, seconds, told = calls * 20, _SECONDS, "No call was made yet: the range of the time is a guess."
    if seen.height >= 5:
        quick, slow = (float(seen["seconds"].quantile(q) or 0.0) for q in (0.25, 0.9))
        seconds, told = (quick, slow), f"Times as of {seen.height:,} calls before."
        out_low = int(calls * float(seen["tokens_out"].quantile(0.25) or 20))
    price = setup.price()
    cost = (price.of(in_low, out_low), price.of(in_high, out_high)) if price else None
    source = f" Prices: {setup.prices.source}, {setup.prices.checked}." if price else ""
    lanes = min(setup.concurrency, max(calls, 1))
    spans = (calls * seconds[0] / lanes, calls * seconds[1] / lanes)
    return Estimate(calls, kept, (in_low, in_high), (min(out_low, out_high), out_high), cost, spans, told + source)
