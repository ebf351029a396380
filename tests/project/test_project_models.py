"""A project with language models: replies are kept in it and not asked for twice, keys are not."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import kgkit as kg
from kgkit.errors import InputError, OptionError

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))
from scripted import Got, Say, Server, completion

KEY = "sk-quay-0123456789abcdef0123456789"


def answer(got: Got) -> Say:
    """Find ``Name Surname`` at the start of a passage; be out of order for one of them."""
    passage = got.prompt.rsplit("<passage-", 1)[1]
    if "Closed" in passage:
        return Say({"error": {"message": "out of order"}}, 500)
    name = next(line for line in passage.splitlines() if "." in line).split(" wrote")[0].strip()
    said = {"entities": [{"name": name, "type": "person", "quote": name}], "relations": []}
    return Say(completion(json.dumps(said), usage=(900, 30)))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with Server(answer) as running:
        yield running


def texts(*names: str) -> pl.DataFrame:
    return pl.DataFrame({"source": [f"{n}.txt" for n in names], "text": [f"{n} wrote a letter." for n in names]})


def model_of(server: Server) -> kg.OpenAIModel:
    return kg.OpenAIModel("m", server.url, api_key=KEY, max_attempts=2, prices={"m": (1.0, 2.0)})


def test_replies_are_kept_and_only_what_is_new_is_asked(tmp_path: Path, server: Server) -> None:
    project = kg.Project(tmp_path / "p")
    project.read(texts("Ann Lee", "Bo Li", "Closed Quay"))
    project.chunk()
    found = project.extract(model=model_of(server), schema="general")
    assert found.counts == {"in": 3, "ok": 2, "empty": 0, "failed": 1, "skipped": 0}
    assert found.verdict == "gaps" and sorted(found.mentions["name"]) == ["Ann Lee", "Bo Li"]
    assert found.cost == pytest.approx(2 * (900 * 1.0 + 30 * 2.0) / 1e6)
    assert project.history()["cost"][-1] == found.cost
    sent = len(server.got)
    project.extract(model=model_of(server), schema="general")  # nothing is new, and failures wait to be asked for
    assert len(server.got) == sent
    project.read(texts("Ann Lee", "Bo Li", "Cy Day", "Closed Quay"))
    project.chunk()
    row = project.status().filter(pl.col("table") == "mentions").row(0, named=True)
    assert (row["status"], row["items_to_do"], row["calls_to_do"]) == ("stale", 1, 1)
    project.refresh(model=model_of(server))
    assert len(server.got) == sent + 1
    project.extract(model=model_of(server), schema="general", retry_failed=True)
    assert len(server.got) == sent + 3  # two attempts at what failed
    assert project.replies.stats()["replies"].to_list() == [3]

    project.extract()  # with the local extractor, and back again: replies that were paid for are there
    project.extract(model=model_of(server), schema="general")
    assert len(server.got) == sent + 5
    assert sorted(project.table("mentions")["name"]) == ["Ann Lee", "Bo Li", "Cy Day"]


def test_refreshing_needs_the_model(tmp_path: Path, server: Server) -> None:
    project = kg.Project(tmp_path / "p")
    project.read(texts("Ann Lee"))
    project.chunk()
    project.extract(model=model_of(server), schema="general")
    project.read(texts("Bo Li"))
    assert [run.stage for run in project.refresh()] == ["chunk_documents", "extract"]  # this object was given it
    project.read(texts("Cy Day"))
    other = kg.Project(project.path)
    with pytest.raises(InputError, match=r"language model 'm' at .* Give it: project.refresh\(model=...\)"):
        other.refresh()
    other.refresh(model=model_of(server))
    assert other.table("mentions")["name"].to_list() == ["Cy Day"]
    with pytest.raises(OptionError, match="schema"):
        other.extract(model=model_of(server), schema=object())


def test_no_key_and_no_header_is_on_disk(tmp_path: Path, server: Server) -> None:
    project = kg.Project(tmp_path / "p")
    project.read(texts("Ann Lee", "Closed Quay"))
    project.chunk()
    project.extract(model=model_of(server), schema="general")
    assert any(KEY in value for got in server.got for value in got.headers.values())
    held = [path for path in project.path.rglob("*") if path.is_file()]
    assert held and not [path for path in held if KEY.encode() in path.read_bytes()]


def test_schemas_come_back_as_they_were(tmp_path: Path, server: Server) -> None:
    project = kg.Project(tmp_path / "p")
    project.read(texts("Ann Lee"))
    project.chunk()
    schema = kg.Schema.starter("investigations")
    project.extract(model=model_of(server), schema=schema)
    kept = json.loads(project.history()["params"][-1])
    assert kg.Schema.from_yaml(kept["schema"]) == schema
    sent = len(server.got)
    project.extract(model=model_of(server), schema=kg.Schema.starter("investigations"))
    assert len(server.got) == sent


def test_what_a_model_is_told_beside_the_text_counts(tmp_path: Path, server: Server) -> None:
    """A title that changed, and a schema's file: both are in the prompt."""
    project = kg.Project(tmp_path / "p")
    schema = tmp_path / "schema.yaml"
    kg.Schema.starter("general").to_yaml(schema)

    def extract() -> int:
        project.chunk()
        project.extract(model=model_of(server), schema=schema)
        return len(server.got)

    project.read(texts("Ann Lee", "Bo Li"))
    sent = extract()
    assert extract() == sent
    project.read(texts("Ann Lee", "Bo Li").with_columns(title=pl.Series(["Letters", None])))
    project.chunk()
    assert project.status().filter(pl.col("table") == "mentions")["items_to_do"].to_list() == [1]
    assert extract() == sent + 1
    kg.Schema.starter("general").drop("EVENT").to_yaml(schema)
    assert extract() == sent + 3
    assert extract() == sent + 3 and project.refresh() == []
