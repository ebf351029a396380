"""What decides how items are asked, and one request prepared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kgkit.errors import InputError
from kgkit.models.budget import Budget
from kgkit.models.capabilities import Known
from kgkit.models.chat import Ask
from kgkit.models.keys import Secret, host_of
from kgkit.models.prices import Price, Prices
from kgkit.models.tokens import Size
from kgkit.models.usage import UsageLog

__all__ = ["Job", "Setup"]


@dataclass(frozen=True)
class Setup:
    """All that decides how items are asked."""

    endpoint: str
    model: str
    key: Secret
    parameters: Mapping[str, Any]
    concurrency: int
    max_attempts: int
    max_seconds: float
    timeout: float
    prices: Prices
    budget: Budget | None
    usage: UsageLog

    @property
    def known(self) -> Known:
        """What is known of the endpoint and model."""
        return Known.of(self.endpoint, self.model)

    @property
    def place(self) -> str:
        """Name of the endpoint and model together."""
        return f"{self.model} at {self.endpoint}"

    def check(self) -> None:
        """Raise unless requests can be sent: with a key, and a price where the budget is in money.

        Raises:
            InputError: They cannot.
        """
        self.key.reveal()
        if self.budget is not None and self.budget.money is not None and self.price() is None:
            msg = (
                f"The price of {self.model!r} at {host_of(self.endpoint)} is not known, so a budget in money cannot be "
                "held. Give prices={'MODEL': (dollars in, dollars out)} for a million tokens, or a budget in tokens "
                "or calls."
            )
            raise InputError(msg)

    def price(self, served: str | None = None) -> Price | None:
        """Price of the model that answered, or that is asked for; ``None`` when unknown."""
        return self.prices.of(host_of(self.endpoint), served, self.model)


@dataclass(frozen=True)
class Job:
    """One request on its way, with what was computed of it."""

    ask: Ask
    key: str
    request_hash: str
    schema_text: str
    size: Size
