"""What models cost, from a dated table that anybody may replace."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

from kgkit.errors import InputError

__all__ = ["PRICES", "Price", "Prices", "read_prices"]

PRICES = Path(__file__).with_name("prices.yaml")
_SNAPSHOT = re.compile(r"-\d{4}-?\d{2}-?\d{2}$")


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens, in and out."""

    input: float
    output: float

    def of(self, tokens_in: int, tokens_out: int, *, half: bool = False) -> float:
        """Price of a call; ``half`` for the batch API."""
        return (self.input * tokens_in + self.output * tokens_out) / 1e6 / (2 if half else 1)


@dataclass(frozen=True)
class Prices:
    """A table of prices: by model, ``*`` for any; the packaged one holds for its hosts only."""

    by_model: Mapping[str, Price]
    checked: str
    source: str
    hosts: tuple[str, ...] = ()

    def of(self, host: str, *models: str | None) -> Price | None:
        """Find the price of the first of ``models`` that has one; a dated snapshot costs what its model does."""
        if self.hosts and host not in self.hosts:
            return None
        for model in models:
            for name in (model, _SNAPSHOT.sub("", model)) if model else ():
                if name in self.by_model:
                    return self.by_model[name]
        return self.by_model.get("*")


def read_prices(prices: Mapping[str, Any] | str | PathLike[str] | None) -> Prices:
    """Read a table of prices.

    Args:
        prices: ``{"model": (dollars in, dollars out)}`` for a million tokens, the path of a YAML file such as the
            packaged ``prices.yaml``, or ``None`` for the packaged one.

    Returns:
        The table.

    Raises:
        InputError: It cannot be read, or holds no such prices.

    Examples:
        >>> read_prices({"my-model": (0.5, 1.5)}).of("localhost", "my-model").of(1_000_000, 0)
        0.5
    """
    if isinstance(prices, Mapping):
        return Prices({str(m): _price(str(m), p) for m, p in prices.items()}, "now", "given as an argument")
    path = Path(prices) if prices is not None else PRICES
    return _read(path, path.stat().st_mtime_ns if path.exists() else 0)


@lru_cache(maxsize=8)
def _read(path: Path, _changed: int) -> Prices:
    import yaml

    try:
        table = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        msg = f"The prices in {str(path)!r} cannot be read: {' '.join(str(error).split())}"
        raise InputError(msg) from error
    if not isinstance(table, dict) or not isinstance(table.get("models"), dict):
        msg = f"{str(path)!r} holds no prices. It needs 'models', with 'input' and 'output' for each; see {PRICES}."
        raise InputError(msg)
    by_model = {str(m): _price(str(m), p) for m, p in table["models"].items()}
    hosts = tuple(str(h) for h in table.get("hosts") or ())
    return Prices(by_model, str(table.get("checked", "unknown")), str(table.get("source", path)), hosts)


def _price(model: str, value: Any) -> Price:
    pair: Any = (value.get("input"), value.get("output", 0)) if isinstance(value, Mapping) else value
    try:
        into, out = (float(v) for v in pair)
        if into >= 0 and out >= 0:
            return Price(into, out)
    except (TypeError, ValueError):
        pass
    msg = f"The price of {model!r} must be two numbers, dollars for a million tokens in and out; this is {value!r}."
    raise InputError(msg)
