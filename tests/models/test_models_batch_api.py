"""The batch API, against a server that does what OpenAI documents."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ask  # type: ignore[attr-defined]
from scripted import Got, Say, Script, Server, completion

import kgkit as kg
from kgkit.errors import InputError
from kgkit.models.asking import Preparer
from kgkit.models.budget import Spending
from kgkit.models.setup import Job

Serve = Callable[[Script], Server]
FOUND = '{"entities": [{"name": "Ada"}], "relations": []}'
PRICES = {"m": (1, 1)}


class Batches:
    """The endpoint: files are uploaded, a batch is made of one, and is done after so many looks at it."""

    def __init__(self, looks: int = 2) -> None:
        self.looks = looks
        self.files: dict[str, str] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.seen: dict[str, int] = {}
        self.end = "completed"

    def line(self, request: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
        """Answer one request: into the output file or the error file, or not at all."""
        text = request["body"]["messages"][-1]["content"]
        if "of lost." in text:
            return None
        if "of bad." in text:
            response = {"status_code": 400, "body": {"error": {"message": "too many words"}}}
            return "error", {"custom_id": request["custom_id"], "response": response, "error": None}
        if "of late." in text:
            error = {"code": "batch_expired", "message": "This request could not be executed in time."}
            return "error", {"custom_id": request["custom_id"], "response": None, "error": error}
        content = "{}" if "of empty." in text else FOUND
        response = {"status_code": 200, "request_id": "r", "body": completion(content, usage=(300, 50))}
        return "output", {"id": "b", "custom_id": request["custom_id"], "response": response, "error": None}

    def __call__(self, got: Got) -> Say:
        path = got.path.removeprefix("/v1")
        if path == "/files":
            assert b'name="purpose"\r\n\r\nbatch' in got.raw
            body = re.search(rb'filename="[^"]+\.jsonl".*?\r\n\r\n(.*?)\r\n--', got.raw, re.DOTALL)
            assert body is not None
            name = f"file-{len(self.files)}"
            self.files[name] = body[1].decode()
            return Say({"id": name, "object": "file", "purpose": "batch"})
        if path == "/batches" and got.method == "POST":
            assert got.body["endpoint"] == "/v1/chat/completions" and got.body["completion_window"] == "24h"
            name = f"batch_{len(self.batches)}"
            self.batches[name] = {"id": name, "object": "batch", "status": "validating", **got.body}
            return Say(self.batches[name])
        if path.startswith("/batches?"):
            return Say({"object": "list", "data": list(self.batches.values()), "has_more": False})
        if path.startswith("/batches/"):
            return self.look(path.removeprefix("/batches/"))
        return Say(self.files[path.split("/")[2]], headers={"content-type": "application/octet-stream"})

    def look(self, name: str) -> Say:
        batch = self.batches.get(name)
        if batch is None:
            return Say({"error": {"message": "no such batch"}}, 404)
        self.seen[name] = self.seen.get(name, 0) + 1
        if self.seen[name] < self.looks:
            return Say({**batch, "status": "in_progress"})
        for line in self.files[batch["input_file_id"]].splitlines():
            if (answered := self.line(json.loads(line))) is not None:
                file = f"{name}-{answered[0]}"
                self.files[file] = self.files.get(file, "") + json.dumps(answered[1]) + "\n"
        made = {f"{k}_file_id": f"{name}-{k}" for k in ("output", "error") if f"{name}-{k}" in self.files}
        errors = {"data": [{"code": "x", "message": "line 1 is wrong"}]} if self.end == "failed" else None
        return Say({**batch, "status": self.end, "errors": errors, **made})


def model(server: Server, folder: Path, **options: Any) -> kg.OpenAIModel:
    options = {"max_seconds": 30, "prices": PRICES, **options}
    return kg.OpenAIModel("m", server.url, mode="batch", cache=folder / "kept", **options)


def test_outcomes_are_merged(serve: Serve, tmp_path: Path) -> None:
    server = serve(endpoint := Batches())
    asks = [ask(name) for name in ("a", "b", "empty", "bad", "late", "lost")] + [ask("twin", "Text of a.")]
    batch = model(server, tmp_path)
    replies = {r.item_id: r for r in batch.ask(asks, stage="test")}
    assert {i: (r.status, r.reason) for i, r in replies.items()} == {
        "a": ("ok", None),
        "b": ("ok", None),
        "twin": ("ok", None),
        "empty": ("empty", "empty"),
        "bad": ("failed", "endpoint_error"),
        "late": ("failed", "endpoint_error"),
        "lost": ("failed", "endpoint_error"),
    }
    assert "too many words" in (replies["bad"].detail or "") and "in time" in (replies["late"].detail or "")
    assert len(endpoint.batches) == 1 and len(endpoint.files["file-0"].splitlines()) == 6
    assert replies["a"].cost == pytest.approx(350 / 1e6 / 2)
    assert batch.replies is not None and len(batch.replies) == 3 and not batch.replies.batches(batch.setup.place)
    assert batch.usage(grouped=True)["calls"].item() == 5
    before = len(server.got)
    live = kg.OpenAIModel("m", server.url, cache=tmp_path / "kept")
    assert all(r.cached for r in live.ask(asks[:3], stage="test")) and len(server.got) == before


def test_a_restart_waits_for_the_same_batch(serve: Serve, tmp_path: Path) -> None:
    server = serve(endpoint := Batches(looks=4))
    asks = [ask("a"), ask("b")]
    first = list(model(server, tmp_path, max_seconds=0.01).ask(asks, stage="test"))
    assert {(r.status, r.reason) for r in first} == {("skipped", "pending")}
    second = list(model(server, tmp_path).ask([*asks[:1], ask("new")], stage="test"))
    assert {r.item_id: r.status for r in second} == {"a": "ok", "new": "ok"}
    assert len(endpoint.batches) == 2
    third = list(model(server, tmp_path).ask(asks, stage="test"))
    assert all(r.cached for r in third), "what nobody waited for is kept too"


@pytest.mark.parametrize("end", ["failed", "expired", "cancelled"])
def test_batches_that_end_badly(serve: Serve, tmp_path: Path, end: str) -> None:
    endpoint = Batches()
    endpoint.end = end
    endpoint.line = lambda _: None  # type: ignore[method-assign]
    server = serve(endpoint)
    budget = kg.Budget(calls=5)
    (reply,) = model(server, tmp_path, budget=budget).ask([ask("a")], stage="test")
    assert (reply.status, reply.reason) == ("failed", "endpoint_error") and end in (reply.detail or "")
    assert "line 1 is wrong" in (reply.detail or "") or end != "failed"
    assert budget.held == Spending() == budget.spent
    endpoint.end, endpoint.line = "completed", Batches.line.__get__(endpoint)  # type: ignore[method-assign]
    (again,) = model(server, tmp_path).ask([ask("a")], stage="test")
    assert again.status == "ok"


def test_a_batch_that_the_endpoint_forgot(serve: Serve, tmp_path: Path) -> None:
    server = serve(endpoint := Batches(looks=9))
    list(model(server, tmp_path, max_seconds=0.01).ask([ask("a")], stage="test"))
    endpoint.batches.clear()
    (reply,) = model(server, tmp_path).ask([ask("a")], stage="test")
    assert reply.reason == "endpoint_error" and "does not know" in (reply.detail or "")


def test_a_kill_between_handing_in_and_noting_the_id_loses_no_batch(serve: Serve, tmp_path: Path) -> None:
    server = serve(endpoint := Batches(looks=1))
    first = model(server, tmp_path)
    assert first.replies is not None

    def killed(old: str, new: str) -> None:
        raise KeyboardInterrupt

    first.replies.name_batch = killed  # type: ignore[method-assign]
    list(first.ask([ask("a")], stage="test"))
    assert len(endpoint.batches) == 1
    (reply,) = model(server, tmp_path).ask([ask("a")], stage="test")
    assert reply.status == "ok" and len(endpoint.batches) == 1


def test_a_batch_that_was_never_made_is_made(serve: Serve, tmp_path: Path) -> None:
    server = serve(endpoint := Batches(looks=1))
    replies = kg.Replies(tmp_path / "kept")
    batch = model(server, tmp_path)
    (key,) = (job.key for a in [ask("a")] if isinstance(job := Preparer(batch.identity()).job(a), Job))
    replies.add_batch("meant-1", batch.setup.place, {key: ["test", "", "a"]})
    (reply,) = batch.ask([ask("a")], stage="test")
    assert reply.status == "ok" and len(endpoint.batches) == 1 and not replies.batches(batch.setup.place)


def test_a_batch_is_not_made_twice_when_its_answer_is_lost(serve: Serve, tmp_path: Path) -> None:
    endpoint = Batches(looks=1)
    lost = []

    def script(got: Got) -> Say:
        say = endpoint(got)
        if got.path == "/v1/batches" and got.method == "POST" and not lost:
            lost.append(got)
            return Say(reset=True)
        return say

    (reply,) = model(serve(script), tmp_path).ask([ask("a")], stage="test")
    assert reply.status == "ok" and len(endpoint.batches) == 1 and lost


def test_an_endpoint_without_batches(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda _: Say({"error": {"message": "not found"}}, 404))
    replies = list(model(server, tmp_path).ask([ask("a"), ask("b")], stage="test"))
    assert [(r.status, r.reason) for r in replies] == [("failed", "endpoint_error")] * 2
    assert len(server.got) == 1


def test_a_budget_holds_for_batches(serve: Serve, tmp_path: Path) -> None:
    server = serve(endpoint := Batches())
    budget = kg.Budget(calls=3)
    replies = list(model(server, tmp_path, budget=budget).ask([ask(f"a{i}") for i in range(5)], stage="test"))
    assert sorted(r.reason or "ok" for r in replies) == ["budget"] * 2 + ["ok"] * 3
    assert len(endpoint.files["file-0"].splitlines()) == budget.spent.calls == 3 and budget.held == Spending()


def test_it_needs_a_place_for_its_ids() -> None:
    with pytest.raises(InputError, match="cache"):
        kg.OpenAIModel("m", "http://h/v1", mode="batch")
