"""What is spent, what it would cost, and where it ends."""

from __future__ import annotations

import threading
from collections.abc import Callable

import polars as pl
import pytest
from conftest import ask  # type: ignore[attr-defined]
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import Say, Script, Server, completion

import kgkit as kg
from kgkit.errors import InputError, OptionError
from kgkit.models.budget import Spending
from kgkit.models.prices import read_prices

Serve = Callable[[Script], Server]
FOUND = '{"entities": [{"name": "Ada"}], "relations": []}'
ASKS = [ask(f"a{i}") for i in range(30)]


def test_calls(serve: Serve) -> None:
    server = serve(lambda _: Say(completion(FOUND)))
    model = kg.OpenAIModel("m", server.url, budget=kg.Budget(calls=7))
    replies = list(model.ask(ASKS, stage="test"))
    assert len(replies) == 30 and len(server.got) == 7
    skipped = [r for r in replies if r.status == "skipped"]
    assert len(skipped) == 23 and {r.reason for r in skipped} == {"budget"} and not any(r.attempts for r in skipped)


def test_retries_are_calls(serve: Serve) -> None:
    server = serve(lambda _: Say({"error": "oops"}, 500))
    list(kg.OpenAIModel("m", server.url, budget=kg.Budget(calls=4), max_attempts=3).ask(ASKS, stage="test"))
    assert len(server.got) == 4


@pytest.mark.parametrize("reported", [(900, 100), None])
def test_tokens_are_never_exceeded(serve: Serve, reported: tuple[int, int] | None) -> None:
    server = serve(lambda _: Say(completion(FOUND, usage=reported), delay=0.01))
    budget = kg.Budget(tokens=20_000)
    model = kg.OpenAIModel("m", server.url, budget=budget, max_tokens=1000, concurrency=8)
    asks = [ask(f"a{i}", f"{i} " + "word " * 400) for i in range(60)]
    replies = list(model.ask(asks, stage="test"))
    done = sum(r.status == "ok" for r in replies)
    assert done == len(server.got) == model.budget.spent.calls
    assert budget.held == Spending() and budget.spent.tokens <= 20_000
    if reported:  # what was reserved and not used is given back
        assert done >= 17 and budget.spent.tokens == 1000 * done
    else:
        assert 3 <= done <= 6


def test_money(serve: Serve) -> None:
    server = serve(lambda _: Say(completion(FOUND, usage=(1_000, 1_000))))
    budget = kg.Budget(money=0.05)
    model = kg.OpenAIModel("m", server.url, budget=budget, prices={"m": (1, 2)}, max_tokens=1000, concurrency=2)
    replies = list(model.ask([ask(f"a{i}", f"{i} " + "word " * 300) for i in range(30)], stage="test"))
    assert {r.cost for r in replies if r.status == "ok"} == {0.003}
    assert 0.04 < (budget.spent.money or 0) <= 0.05
    assert model.usage(grouped=True)["cost"].item() == pytest.approx(budget.spent.money)


def test_money_needs_a_price(serve: Serve) -> None:
    server = serve(lambda _: Say(completion(FOUND)))
    model = kg.OpenAIModel("m", server.url, budget=kg.Budget(money=1))
    with pytest.raises(InputError, match="price of 'm'.*not known"):
        model.ask(ASKS, stage="test")
    assert not server.got


def test_an_unknown_price_is_unknown(serve: Serve) -> None:
    server = serve(lambda _: Say(completion(FOUND)))
    model = kg.OpenAIModel("gpt-4.1", server.url)  # another host than the price list's
    assert next(model.ask(ASKS[:1], stage="test")).cost is None
    assert model.usage()["cost"].to_list() == [None] == model.usage(grouped=True)["cost"].to_list()
    assert model.estimate(ASKS).cost is None and "price unknown" in str(model.estimate(ASKS))


def test_the_packaged_prices() -> None:
    table = read_prices(None)
    price = table.of("api.openai.com", "gpt-4.1-mini-2025-04-14")
    assert price == table.by_model["gpt-4.1-mini"]
    assert table.of("localhost:11434", "gpt-4.1-mini") is None
    assert table.checked and table.source.startswith("https://")
    for wrong in ({"m": 3}, {"m": (1, -1)}, {"m": {"output": 2}}):
        with pytest.raises(InputError, match="price of 'm'"):
            read_prices(wrong)


def test_estimates_hold(serve: Serve, tmp_path) -> None:
    server = serve(lambda _: Say(completion(FOUND, usage=(260, 20)), delay=0.02))
    model = kg.OpenAIModel("m", server.url, cache=tmp_path / "kept", prices={"*": (1, 1)}, max_tokens=50)
    asks = [ask(f"a{i}", f"{i} " + "Ada wrote the notes. " * 50) for i in range(20)]
    before = model.estimate(iter(asks))
    assert (before.calls, before.kept) == (20, 0) and not server.got
    list(model.ask(asks[:10], stage="test"))
    after = model.estimate(asks)
    assert (after.calls, after.kept) == (10, 10)
    usage = model.usage(grouped=True).row(0, named=True)
    assert before.tokens_in[0] <= 2 * usage["tokens_in"] <= before.tokens_in[1]
    assert before.cost is not None and before.cost[0] <= 2 * usage["cost"] <= before.cost[1]
    assert after.frame.columns == ["bound", "calls", "kept", "tokens_in", "tokens_out", "cost", "seconds"]
    assert after.frame["cost"].dtype == pl.Float64


@settings(deadline=None)
@given(st.lists(st.integers(1, 50), max_size=40), st.integers(0, 300))
def test_reservations_never_pass_the_limit(sizes: list[int], limit: int) -> None:
    budget = kg.Budget(tokens=limit)
    held: list[Spending] = []
    for size in sizes:
        need = Spending(1, size, None)
        if budget.reserve(need) == "granted":
            held.append(need)
        elif held:
            budget.settle(first := held.pop(0), Spending(1, first.tokens // 2, None))
        assert budget.spent.tokens + budget.held.tokens <= limit


def test_one_budget_in_many_threads() -> None:
    budget = kg.Budget(calls=500)
    granted: list[str] = []

    def work() -> None:
        for _ in range(100):
            if budget.reserve(Spending(1)) == "granted":
                granted.append("x")
                budget.settle(Spending(1), Spending(1))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(granted) == budget.spent.calls == 500 and budget.held.calls == 0


@pytest.mark.parametrize("limit", [-1, float("nan"), "1", True])
def test_limits_that_are_none(limit: object) -> None:
    with pytest.raises(OptionError, match="calls="):
        kg.Budget(calls=limit)  # type: ignore[arg-type]
