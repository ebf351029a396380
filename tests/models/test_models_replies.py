"""Replies that are kept, and replayed."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import SCHEMA, ask  # type: ignore[attr-defined]
from scripted import Say, Script, Server, completion

import kgkit as kg
from kgkit.errors import InputError
from kgkit.models import Ask
from kgkit.models.replies import REPLIES_DDL, Kept

Serve = Callable[[Script], Server]
FOUND = '{"entities": [{"name": "Ada"}], "relations": []}'


def said(model: object, *asks: Ask) -> list[tuple]:
    found = model.ask(asks, stage="test")  # type: ignore[attr-defined]
    return sorted((r.item_id, r.status, r.reason, json.dumps(r.data), r.text, r.model) for r in found)


def test_what_is_a_hit(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda _: Say(completion(FOUND)))
    cache = kg.Replies(tmp_path / "kept")
    base = ask("a")

    def calls(request: Ask, model: str = "m", **options: object) -> int:
        before = len(server.got)
        (reply,) = kg.OpenAIModel(model, server.url, cache=cache, **options).ask([request], stage="test")
        assert reply.status == "ok" and reply.cached is (len(server.got) == before)
        return len(server.got) - before

    assert calls(base) == 1
    assert calls(base) == calls(replace(base, item_id="renamed", chars_sent=5)) == 0
    assert calls(base, concurrency=3, timeout=9.0) == 0
    assert calls(ask("a", "Another text.")) == calls(replace(base, schema={**SCHEMA, "required": []})) == 1
    assert (
        calls(base, "m2") == calls(base, seed=1) == calls(base, max_tokens=9) == calls(replace(base, max_tokens=8)) == 1
    )
    stats = cache.stats()
    assert stats["replies"].sum() == len(cache) == 7
    assert stats["hits"].sum() == 4 - 1 and stats["misses"].sum() == 7


def test_a_reply_that_no_longer_fits_is_asked_again(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda _: Say(completion(FOUND)))
    model = kg.OpenAIModel("m", server.url, cache=tmp_path / "kept")

    def strict(data: dict) -> bool:
        if len(server.got) < 2:
            msg = "of an older form"
            raise ValueError(msg)
        return True

    said(model, ask("a"))
    (reply,) = model.ask([ask("a")], stage="test", parse=strict)
    assert reply.status == "ok" and len(server.got) == 2


def test_export_and_replay(serve: Serve, tmp_path: Path) -> None:
    server = serve(
        lambda got: Say(completion("{}" if "of e." in got.prompt else FOUND.replace("Ada", "A\u2028\x85 é")))
    )
    model = kg.OpenAIModel("m", server.url, cache=tmp_path / "kept")
    asks = [ask("a"), ask("e"), ask("t", schema=None)]
    live = said(model, *asks)
    assert model.replies is not None
    file = model.replies.export(tmp_path / "recorded.jsonl")
    recorded = kg.RecordedModel(file)
    assert said(recorded, *asks) == live
    assert recorded.name == "recorded:recorded.jsonl" and "content_hash" in recorded.identity()
    (missed,) = recorded.ask([ask("a", "Another text.")], stage="test")
    assert (missed.status, missed.reason) == ("failed", "not_recorded") and "changed" in (missed.detail or "")
    before = file.read_bytes()
    model.replies.export(file)
    assert file.read_bytes() == before and sorted(p.name for p in tmp_path.glob("*.jsonl*")) == ["recorded.jsonl"]


def test_replies_that_a_person_wrote(tmp_path: Path) -> None:
    rows = [
        {"kgkit_replies": 1, "origin": "hand-written", "note": "for the tests"},
        {"item_id": "a", "stage": "test", "data": json.loads(FOUND)},
        {"item_id": "b", "text": '{"entities": [{"name": "A"}, {"na', "cut": True},
        {"item_id": "c", "stage": "other", "text": "{}"},
    ]
    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    model = kg.RecordedModel(file)
    replies = {r.item_id: r for r in model.ask([ask("a"), ask("b"), ask("c")], stage="test")}
    assert model.name == "hand-written:mine.jsonl"
    assert replies["a"].status == "ok" and not replies["a"].attempts
    assert (replies["b"].reason, replies["b"].data) == ("cut_by_length", {"entities": [{"name": "A"}]})
    assert replies["c"].reason == "not_recorded"


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"kgkit_replies": 2, "origin": "recorded"}', "nonsense"])
def test_files_that_are_no_recording(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.jsonl"):
        kg.RecordedModel(file)


def test_recordings_of_several_models(tmp_path: Path) -> None:
    replies = kg.Replies(tmp_path / "kept")
    replies.put(Kept(m, "test", m, "h", "a", FOUND) for m in ("m1", "m2"))
    file = replies.export(tmp_path / "both.jsonl")
    with pytest.raises(InputError, match="m1, m2"):
        kg.RecordedModel(file)
    assert "1 replies" in repr(kg.RecordedModel(file, model="m2"))


def test_the_table_may_be_in_another_file(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE runs (x)")
        connection.execute(REPLIES_DDL)
    connection.close()
    replies = kg.Replies(path)
    replies.put([Kept("k", "s", "m", "h", "i", "text")])
    assert len(replies) == 1 and replies.get(["k", "other"])["k"].text == "text"


def test_a_file_that_is_no_cache(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ada, " * 100)
    with pytest.raises(InputError, match=r"letter\.txt"):
        kg.Replies(path)
    with pytest.raises(InputError, match="folder that exists"):
        kg.Replies(tmp_path / "no" / "folder")


def test_several_processes_share_a_cache(tmp_path: Path) -> None:
    code = (
        "import sys; from kgkit.models.replies import Replies, Kept; r = Replies(sys.argv[1])\n"
        "for i in range(60): r.put([Kept(f'{sys.argv[2]}-{i}', 's', 'm', 'h', 'i', 'text')])"
    )
    path = str(tmp_path / "kept")
    running = [subprocess.Popen([sys.executable, "-c", code, path, str(n)]) for n in range(3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    assert len(kg.Replies(path)) == 180
