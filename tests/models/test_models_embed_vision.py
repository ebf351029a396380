"""Vectors and descriptions of images."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripted import Got, Say, Script, Server, completion

import kgkit as kg
from kgkit.errors import InputError
from kgkit.models.probing import red_square

Serve = Callable[[Script], Server]


def vector(text: str, length: int = 8) -> list[float]:
    return [b / 255 for b in hashlib.sha256(text.encode()).digest()[:length]]


def vectors(got: Got, model: str = "e1", length: int = 8) -> Say:
    assert got.path == "/v1/embeddings"
    texts = got.body["input"]
    if any("refuse" in t for t in texts):
        return Say({"error": {"message": "input too long"}}, 400)
    rows = [{"object": "embedding", "index": i, "embedding": vector(t, length)} for i, t in enumerate(texts)]
    return Say({"object": "list", "model": model, "data": rows[::-1], "usage": {"prompt_tokens": 9, "total_tokens": 9}})


def test_embed(serve: Serve, tmp_path: Path) -> None:
    server = serve(vectors)
    model = kg.OpenAIModel("e", server.url, cache=tmp_path / "kept", prices={"e": (1, 0)})
    texts = [f"text {i % 20}" for i in range(25)]
    found = kg.embed(texts, model, batch_size=6)
    assert (found.model, found.dimension, found.vectors.dtype) == ("e1", 8, np.float32)
    assert np.allclose(found.vectors, [vector(t) for t in texts], atol=1e-6)
    assert len(server.got) == 4 and set(found.outcomes["status"]) == {"ok"}
    assert model.usage(grouped=True).row(0, named=True)["tokens_in"] == 36
    again = kg.embed([*texts, "new"], model)
    assert server.got[-1].body["input"] == ["new"] and len(server.got) == 5
    assert np.array_equal(again.vectors[:25], found.vectors)
    assert not [r for r in model.ask([], stage="x")]


def test_one_bad_text_fails_alone(serve: Serve) -> None:
    found = kg.embed(["a", "refuse me", "b"], kg.OpenAIModel("e", serve(vectors).url))
    assert found.outcomes.sort("item_id")["status"].to_list() == ["ok", "failed", "ok"]
    assert np.isnan(found.vectors).all(axis=1).tolist() == [False, True, False]


@pytest.mark.parametrize(
    "data",
    [
        [],
        [{"index": 0, "embedding": [1]}],
        [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [2]}],
        [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}],
        [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": ["x"]}],
        "none",
    ],
)
def test_vectors_that_do_not_line_up(serve: Serve, data: Any) -> None:
    found = kg.embed(["a", "b"], kg.OpenAIModel("e", serve(lambda _: Say({"model": "e", "data": data})).url))
    assert set(found.outcomes["reason"]) == {"unusable_reply"} and found.dimension == 0


def test_vectors_of_two_models_never_mix(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda got: vectors(got, "e1" if len(server.got) == 1 else "e2"))
    model = kg.OpenAIModel("e", server.url, cache=tmp_path / "kept")
    kg.embed(["a"], model)
    with pytest.raises(InputError, match="e1, e2"):
        kg.embed(["a", "b"], model)


def test_describe_images(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda _: Say(completion("A red square.")))
    picture, text = tmp_path / "a.png", tmp_path / "b.txt"
    picture.write_bytes(red_square())
    text.write_text("no picture")
    found = kg.describe_images([picture, text, tmp_path / "gone.png"], kg.OpenAIModel("v", server.url))
    assert found.frame.rows() == [(str(picture), "A red square.", f"openai:v@{server.host}")]
    assert found.outcomes["status"].value_counts().sort("status").rows() == [("failed", 2), ("ok", 1)]
    parts = server.got[0].body["messages"][0]["content"]
    assert parts[1]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    empty = kg.describe_images({}, kg.OpenAIModel("v", server.url))
    assert empty.frame.schema == found.frame.schema and empty.outcomes.schema == found.outcomes.schema


@pytest.mark.parametrize("sees", ["yes", "ignored", "no"])
@pytest.mark.parametrize("streams", ["yes", "ignored", "no"])
def test_probe(serve: Serve, tmp_path: Path, sees: str, streams: str) -> None:
    refused = Say({"error": {"message": "not supported"}}, 400)

    def script(got: Got) -> Say:
        if isinstance(got.body["messages"][0]["content"], list):
            return {"yes": Say(completion("Red.")), "ignored": Say(completion("What picture?")), "no": refused}[sees]
        if got.body.get("stream"):
            text = 'data: {"choices": [{"delta": {"content": "red"}, "finish_reason": "stop"}]}\n\n'
            return {"yes": Say(text), "ignored": Say(completion("red")), "no": refused}[streams]
        if got.body.get("response_format", {}).get("type") == "json_schema":
            return refused
        return Say(completion('{"colour": "red"}'))

    server = serve(script)
    model = kg.OpenAIModel("m", server.url, cache=tmp_path / "kept")
    found = model.probe()
    assert found == model.capabilities
    assert (found.vision, found.streaming, found.json_schema, found.json_object) == (sees, streams, "no", "yes")
    assert (found.usage, found.token_parameter, found.temperature, found.seed) == ("yes", "max_tokens", "yes", "yes")
    assert len(server.got) == 5 == len(model.usage())
