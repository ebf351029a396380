"""A key goes to its host, and is seen nowhere."""

from __future__ import annotations

import json
import logging
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ask  # type: ignore[attr-defined]
from scripted import Got, Say, Script, Server, completion

import kgkit as kg
from kgkit.errors import InputError
from kgkit.models.keys import Secret, endpoint_of

Serve = Callable[[Script], Server]
KEY = "sk-test-CANARY-0123456789abcdef"
SECRET = KEY.removeprefix("sk-test-")
PIECES = {SECRET[i : i + 6] for i in range(len(SECRET) - 5)}
FOUND = '{"entities": [{"name": "Ada"}], "relations": []}'


def hidden(text: str) -> None:
    assert not [piece for piece in PIECES if piece in text]


def test_nowhere(
    serve: Serve,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the key in the environment, an endpoint that echoes it, and all logs on."""

    def script(got: Got) -> Say:
        assert got.headers["authorization"] == f"Bearer {KEY}"
        if "of a." in got.prompt:
            return Say({"error": {"message": f"Incorrect key {KEY}, {KEY[:12]}****{KEY[-4:]}, {KEY[3:20]}"}}, 401)
        return Say(completion(json.dumps({"entities": [{"name": KEY}], "relations": []}), model=KEY))

    server = serve(script)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    caplog.set_level(logging.DEBUG)
    model = kg.OpenAIModel("m", cache=tmp_path / "kept")
    replies = [*model.ask([ask("b")], stage="test"), *model.ask([ask("a")], stage="test")]
    assert [r.status for r in replies] == ["ok", "failed"]
    assert "401" in (replies[1].detail or "")
    assert model.replies is not None
    model.replies.export(tmp_path / "recorded.jsonl")
    shown = [repr(model), str(model), repr(vars(model)), repr(model.identity()), model.name, repr(model.capabilities)]
    shown += [repr(replies), model.usage().write_csv(), caplog.text, *capfd.readouterr()]
    hidden("\n".join(shown))
    hidden(pickle.dumps(model).decode("latin1"))
    for path in tmp_path.iterdir():
        hidden(path.read_bytes().decode("latin1"))


def test_not_to_another_host_by_a_redirect(serve: Serve) -> None:
    other = serve(lambda _: Say(completion(FOUND)))
    first = serve(lambda _: Say("", 307, {"location": f"{other.url}/chat/completions"}))
    reply = next(kg.OpenAIModel("m", first.url, api_key=KEY).ask([ask("a")], stage="test"))
    assert (reply.status, reply.reason, reply.attempts) == ("failed", "endpoint_error", 1)
    assert other.host in (reply.detail or "")
    assert not other.got


def test_not_to_another_host_from_the_environment(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(lambda _: Say(completion(FOUND)))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-CANARY")
    monkeypatch.setenv("MY_KEY", "key-of-this-host")
    for options, sent in (({}, "Bearer none"), ({"api_key": "env:MY_KEY"}, "Bearer key-of-this-host")):
        next(kg.OpenAIModel("m", server.url, **options).ask([ask("a")], stage="test"))
        assert server.got[-1].headers["authorization"] == sent
    assert not [v for got in server.got for v in got.headers.values() if "CANARY" in v]


def test_a_key_of_the_environment_travels_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    named = pickle.loads(pickle.dumps(kg.OpenAIModel("m", "http://h/v1", api_key="env:MY_KEY")))
    assert named.setup.key.reveal() == KEY
    given = pickle.loads(pickle.dumps(kg.OpenAIModel("m", "http://h/v1", api_key=KEY)))
    with pytest.raises(InputError, match="does not travel"):
        given.ask([], stage="test")


@pytest.mark.parametrize(
    "url", ["ftp://h", "localhost:1", "http://", "http://u:p@h/v1", "http://h/v1?key=1", "http://h:x"]
)
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(InputError, match="base_url"):
        endpoint_of(url)


def test_openai_needs_a_key() -> None:
    with pytest.raises(InputError, match="no key for api.openai.com"):
        kg.OpenAIModel("gpt-4.1")
    with pytest.raises(InputError, match="no variable 'NO_SUCH_KEY'"):
        kg.OpenAIModel("gpt-4.1", api_key="env:NO_SUCH_KEY")


def test_a_placeholder_is_no_secret() -> None:
    assert Secret("ollama").mask("ollama serves ollama") == "ollama serves ollama"


@pytest.mark.parametrize("option", [{"concurrency": 0}, {"max_attempts": True}, {"timeout": -1}, {"mode": "slow"}])
def test_options(option: dict[str, Any]) -> None:
    with pytest.raises(kg.errors.OptionError, match=next(iter(option))):
        kg.OpenAIModel("m", "http://h/v1", **option)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_a_proxy_never_sees_a_key(serve: Serve, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    proxy, server = (serve(lambda _: Say(completion("Yes."))) for _ in range(2))
    monkeypatch.setenv(name, f"http://{proxy.host}")
    (reply,) = kg.OpenAIModel("m", server.url, KEY).ask([ask("a", schema=None)], stage="test")
    assert reply.status == "ok" and len(server.got) == 1 and not proxy.got


@pytest.mark.parametrize("end", ["", "/", "//", "/chat/completions", "/chat/completions/"])
def test_addresses_that_mean_the_same(serve: Serve, end: str) -> None:
    server = serve(lambda _: Say(completion("Yes.")))
    (reply,) = kg.OpenAIModel("m", server.url + end).ask([ask("a", schema=None)], stage="test")
    assert reply.status == "ok" and server.got[0].path == "/v1/chat/completions"
