"""Any endpoint that speaks OpenAI's chat completions: OpenAI itself, Ollama, vLLM, llama.cpp, LM Studio, OpenRouter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, TypeVar

import polars as pl

from kgkit.errors import InputError, OptionError
from kgkit.models.asking import Preparer, Run
from kgkit.models.batch_api import BatchRun
from kgkit.models.budget import Budget
from kgkit.models.capabilities import Capabilities
from kgkit.models.chat import Ask, Mode, Parse, Reply
from kgkit.models.estimate import Estimate, estimate_run
from kgkit.models.keys import endpoint_of, host_of, secret_for
from kgkit.models.prices import read_prices
from kgkit.models.probing import ProbeRun
from kgkit.models.replies import Replies, as_replies
from kgkit.models.setup import Setup
from kgkit.models.usage import UsageLog, group_usage

__all__ = ["OpenAIModel"]

R = TypeVar("R", bound=Run)


class OpenAIModel:
    """A language model behind an endpoint that speaks OpenAI's chat completions.

    What the endpoint can do (a JSON schema for the reply, JSON at all, how the length is limited, a seed) is found
    out with the first request and remembered; see `capabilities`. Nothing is sent before `ask`.

    Args:
        model: The model's name at the endpoint.
        base_url: The endpoint; by default ``OPENAI_BASE_URL`` of the environment, or OpenAI itself. The environment's
            proxies are used for https only, where they cannot read the key.
        api_key: The key, or ``"env:NAME"`` to read it from the environment. By default ``OPENAI_API_KEY``, which is
            sent to OpenAI's host and to that of ``OPENAI_BASE_URL`` and to no other; other endpoints get none.
        concurrency: Most requests under way at once. Fewer while the endpoint says that it has too much to do.
        max_attempts: Most requests for one item, all kinds of retries and fallbacks included.
        max_seconds: Seconds after an item's first request when no more is sent for it.
        timeout: Seconds to wait for one answer.
        budget: The most that may be spent; one budget can be given to several models.
        prices: ``{"model": (in, out)}`` in dollars for a million tokens (``"*"`` for any model), or the path of a YAML
            file; by default the packaged table, which knows some models of OpenAI's own host.
        cache: Where replies are kept: a `Replies`, or the path of its file. By default nowhere.
        mode: ``"live"``, or ``"batch"`` for the batch API: half the price, up to a day's wait, needs ``cache``.
        temperature: 0 by default, for the same reply each time as far as the endpoint can; ``None`` for its own.
        seed: For endpoints that take one.
        max_tokens: Longest reply, in tokens.

    Raises:
        InputError: The endpoint is no address, or it needs a key and there is none.
        OptionError: An option is outside its range.

    Examples:
        >>> model = OpenAIModel("qwen3:8b", "http://localhost:11434/v1")
        >>> model.name
        'openai:qwen3:8b@localhost:11434'
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        concurrency: int = 8,
        max_attempts: int = 6,
        max_seconds: float = 300.0,
        timeout: float = 120.0,
        budget: Budget | None = None,
        prices: Mapping[str, Any] | str | PathLike[str] | None = None,
        cache: Replies | str | PathLike[str] | None = None,
        mode: Mode = "live",
        temperature: float | None = 0.0,
        seed: int | None = 0,
        max_tokens: int = 4096,
    ) -> None:
        _check(model, concurrency, max_attempts, max_tokens, max_seconds, timeout, mode)
        if mode == "batch" and cache is None:
            msg = "mode='batch' needs cache=..., the file that keeps the batch's id until its replies are there."
            raise InputError(msg)
        endpoint = endpoint_of(base_url)
        self.replies = as_replies(cache)
        self._mode = mode
        self.setup = Setup(
            endpoint=endpoint,
            model=model,
            key=secret_for(api_key, endpoint),
            parameters={"temperature": temperature, "seed": seed, "max_tokens": max_tokens},
            concurrency=concurrency,
            max_attempts=max_attempts,
            max_seconds=max_seconds,
            timeout=timeout,
            prices=read_prices(prices),
            budget=budget,
            usage=UsageLog(),
        )
        if self.replies is not None and self.capabilities == Capabilities():
            told = self.replies.recall(self.setup.place) or {}
            self.setup.known.learn(lambda _: Capabilities.from_dict(told))

    @property
    def name(self) -> str:
        """What the ``origin`` columns call it."""
        return f"openai:{self.setup.model}@{host_of(self.setup.endpoint)}"

    @property
    def budget(self) -> Budget | None:
        """The budget that it was given."""
        return self.setup.budget

    @property
    def capabilities(self) -> Capabilities:
        """What is known so far of what the endpoint can do with this model."""
        return self.setup.known.now

    def identity(self) -> dict[str, Any]:
        """Say as JSON what decides its replies: endpoint, model and parameters; never a key."""
        parameters = {k: v for k, v in self.setup.parameters.items() if v is not None}
        return {"endpoint": self.setup.endpoint, "model": self.setup.model, "parameters": parameters}

    def ask(self, requests: Iterable[Ask], *, stage: str, parse: Parse | None = None) -> Iterator[Reply]:
        """Ask, and yield each item's reply exactly once, as it finishes; no item's failure is raised.

        Args:
            requests: What to ask; taken as there is room, so they may be a generator.
            stage: Name of the function that asks; it groups the usage.
            parse: Judges a parsed reply; see `kgkit.models.chat.Parse`.

        Yields:
            Replies, in the order in which they finish. When somebody interrupts, what had finished comes first, and
            then all others as skipped, with the reason ``interrupted``.

        Raises:
            InputError: There is a budget in money and no known price, or the key was left behind in a pickle.
        """
        self.setup.check()
        if self._mode == "batch":
            assert self.replies is not None  # held by _check
            run = BatchRun(self.setup, Preparer(self.identity()), self.replies, stage, parse)
            return run.replies_to(requests)
        return self._run(Run, stage, parse).replies_to(requests)

    def probe(self) -> Capabilities:
        """Find out by four small requests (some more where the endpoint refuses a form) what the endpoint can do.

        Ordinary requests show most of it; this shows JSON mode, streaming and vision too, and looks anew.

        Returns:
            What is known then; `capabilities` gives it from now on.
        """
        return self._run(ProbeRun, "probe", None).learn()

    def estimate(self, requests: Iterable[Ask]) -> Estimate:
        """Say what asking would take, without sending anything.

        Args:
            requests: What would be asked.

        Returns:
            Calls, tokens, price and time, each from the least to the most that is likely.
        """
        return estimate_run(requests, self.setup, Preparer(self.identity()), self.replies)

    def _run(self, kind: type[R], stage: str, parse: Parse | None) -> R:
        return kind(self.setup, Preparer(self.identity()), self.replies, stage, parse)

    def usage(self, *, grouped: bool = False) -> pl.DataFrame:
        """Show every request that this object sent, also those that failed.

        Args:
            grouped: Sum up by stage and model.

        Returns:
            A frame with a row a request: ``stage, item_id, attempt, model, served, status, reason, tokens_in,
            tokens_out, cost, seconds, started_at``. ``served`` is the model that answered; a cost that is not known
            is null. Grouped: ``stage, model, calls, failed, items, tokens_in, tokens_out, cost, seconds``.
        """
        frame = self.setup.usage.frame()
        return group_usage(frame) if grouped else frame

    def __repr__(self) -> str:
        return f"OpenAIModel({self.setup.model!r}, {self.setup.endpoint!r}, {self.setup.key!r})"


def _check(
    model: str, concurrency: int, max_attempts: int, max_tokens: int, max_seconds: float, timeout: float, mode: str
) -> None:
    if not model or not isinstance(model, str):
        msg = "model must be a model's name at the endpoint, such as 'gpt-4.1-mini'."
        raise InputError(msg)
    for name, value in (("concurrency", concurrency), ("max_attempts", max_attempts), ("max_tokens", max_tokens)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            msg = f"{name}={value!r} is out of range. Allowed: whole numbers from 1."
            raise OptionError(msg)
    for name, seconds in (("max_seconds", max_seconds), ("timeout", timeout)):
        if not isinstance(seconds, (int, float)) or not 0 < seconds < float("inf"):
            msg = f"{name}={seconds!r} is out of range. Allowed: seconds, more than 0."
            raise OptionError(msg)
    if mode not in ("live", "batch"):
        raise OptionError.not_one_of("mode", mode, ("live", "batch"))
