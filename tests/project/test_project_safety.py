"""What never reaches the disk: keys, pickles, and files outside of the project's folder."""

from __future__ import annotations

import ast
import csv
import os
import pickle
from pathlib import Path

import polars as pl
import pytest
from project_child import corpus, find_names, stages

import kgkit as kg
from kgkit.errors import InputError, OptionError
from kgkit.project import archive_project, check_project, restore_archive
from kgkit.project.secrets import refuse_secrets, without_secrets

KEY = "sk-test-CANARY-Zq7XwVjKpRmTyGhNlB"  # no piece of it occurs in ids by chance
PIECES = {KEY[8:][i : i + 6] for i in range(len(KEY) - 8 - 5)}
PACKAGE = Path(kg.__file__).parent
IDS = ["../../outside", "/abs/path", "C:\\temp\\x", "..\\..\\win", "ok/../../sneaky", "nul\0byte", ".hidden", " "]


def holds_key(text: str) -> list[str]:
    return sorted(piece for piece in PIECES if piece in text)


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


# Names that come from documents and people name no files


def test_hostile_ids_make_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kg, "extract", find_names)
    home = tmp_path / "a" / "b" / "home"
    home.mkdir(parents=True)
    monkeypatch.chdir(home)
    project = kg.Project("p.kg")
    texts = [f"Grace Hopper met Anna Number{chr(97 + i)} at Harvard Yard." for i in range(len(IDS))]
    project.read(pl.DataFrame({"source": [name.replace("\0", "\ufffd") for name in IDS], "text": texts}))
    project.chunk()
    project.extract(types=IDS[:2])
    project.build()
    project.ask("../../What is at Harvard Yard?")
    for name in IDS[:-1]:
        project.decide("page", name, "accepted", payload={name: name}, reviewer=name, note=name)
    assert sorted(project.decisions()["subject_id"]) == sorted(IDS[:-1])
    assert set(project.table("documents")["source"]) == {name.replace("\0", "\ufffd") for name in IDS}
    for act in (project.table, project.restore):
        for name in ("../../outside", "documents/../../../outside", "/etc/passwd"):
            with pytest.raises(InputError):
                act(name)
    for name in files(tmp_path):
        assert name.startswith("a/b/home/p.kg/"), name
        assert name.split("/")[4:6][0] in ("ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm", "tables")
        assert not any(part in name for part in ("outside", "sneaky", "hidden", "byte", "win", "temp"))
    back = restore_archive(archive_project(project, "p.zip").file, "q.kg")
    assert back.decisions().equals(project.decisions())
    assert {name.split("/")[3] for name in files(tmp_path)} == {"p.kg", "q.kg", "p.zip"}
    assert check_project("p.kg").sound and check_project("q.kg").sound


def test_the_shared_list_of_hostile_ids(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kg, "extract", find_names)
    with (shared / "cases" / "hostile_ids.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 8
    frame = pl.DataFrame(
        {
            "doc_id": [row["doc_id"].replace("nul byte", "nul\0byte") or "(none)" for row in rows],
            "title": [row["title"] for row in rows],
            "source": [row["doc_id"] or "(none)" for row in rows],
            "text": [f"Grace Hopper wrote page {i}." for i in range(len(rows))],
        }
    )
    project = kg.Project(tmp_path / "in" / "p.kg")
    project.read(frame)
    project.chunk()
    project.extract()
    assert project.table("documents").height == len(rows)
    assert set(project.table("documents")["source"]) == set(frame["source"])  # each is kept inside
    assert {name.split("/")[:2] == ["in", "p.kg"] for name in files(tmp_path)} == {True}


# No key reaches the disk


@pytest.mark.parametrize(
    "options",
    [
        {"api_key": "x"},
        {"apiKey": "abc"},
        {"API-KEY": "abc"},
        {"openai_api_key": KEY},
        {"headers": {"X-Custom": "1"}},
        {"auth": ("user", "x")},
        {"token": "abc"},
        {"hf_token": "abc"},
        {"password": "abc"},
        {"client_secret": "abc"},
        {"model_options": {"access_key": "abc"}},
        {"glob": KEY},
        {"types": ["PERSON", KEY]},
        {"base_url": "https://me:hunter2@example.org/v1"},
        {"note": "Bearer abcdef0123456789"},
        {"note": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcdef"},
        {"note": "ghp_0123456789abcdefghij"},
        {"note": "AKIAABCDEFGHIJKLMNOP"},
    ],
)
def test_options_that_look_like_secrets_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(OptionError, match="looks like a secret") as caught:
        refuse_secrets(options)
    assert not holds_key(str(caught.value)) and "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"size": 400, "overlap": 20, "max_tokens": 100, "tokens": 5, "token_limit_per_call": None, "key": "name"},
        {"api_key": "env:OPENAI_API_KEY"},
        {"api_key": None, "headers": {}, "password": ""},
        {"sort_key": "doc_id", "author": "Ada", "authority": 1, "secretary": "Mira Solen", "keys": ["a"]},
        {"base_url": "https://example.org:8080/v1", "glob": "**/sk-learn-notes/*.md", "types": ["PERSON"]},
        {"question": "What does the bearer carry? Basic English is a language of 850 words."},
        {"source": "/data/task-0123456789012345678901234567890/risk-2024-0123456789-assessment"},
    ],
)
def test_other_options_are_not(options: dict[str, object]) -> None:
    refuse_secrets({name: value for name, value in options.items() if name != "headers" or value})


def test_keys_are_taken_out_of_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    own = "Zm9vYmFyLWJhei1xdXV4"
    monkeypatch.setenv("MY_SERVICE_API_KEY", own)
    monkeypatch.setenv("HARMLESS_NAME", "an ordinary sentence")
    for text in (
        f"401: Incorrect API key provided: {KEY}. You can find yours at https://example.org.",
        f'{{"api_key": "{KEY}", "status": 401}}',
        f"Authorization: Bearer {KEY[3:]}",
        f"cannot reach https://me:{KEY}@example.org/v1",
        f"api_key={KEY[8:]}",
    ):
        assert holds_key(text) and not holds_key(without_secrets(text)), without_secrets(text)
    said = without_secrets(f"refused {own}, {own[3:11]}... and an ordinary sentence")
    assert said == "refused [key], [key]... and an ordinary sentence"
    plain = "Cannot read 'a.pdf': the token stream ended; 3 secrets of cooking, page 12. Password: see page 3"
    assert without_secrets(plain) == plain


def test_a_key_in_the_environment_stays_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kg, "extract", find_names)
    for name in ("OPENAI_API_KEY", "KGKIT_TOKEN"):
        monkeypatch.setenv(name, KEY)
    project = kg.Project(tmp_path / "p.kg")
    stages(project, 0)
    project.ask("Who met Grace Hopper?")
    project.decide("merge", "m", "accepted")
    with pytest.raises(OptionError, match="cannot keep"):
        project.build(undeclared=kg.Project)
    print(project, project.status(), project.failures(), check_project(project.path), project.history())
    archive_project(project, tmp_path / "p.zip")
    said = capfd.readouterr()
    assert not holds_key(said.out + said.err)
    restore_archive(tmp_path / "p.zip", tmp_path / "q.kg")
    for name in files(tmp_path):
        assert not holds_key((tmp_path / name).read_bytes().decode("latin-1")), name


def test_a_secret_option_is_refused_and_not_kept(tmp_path: Path) -> None:
    project = kg.Project(tmp_path / "p.kg")
    project.read(corpus(0))
    for act in (project.chunk, project.read, project.build, project.communities):
        with pytest.raises(OptionError, match="looks like a secret"):
            act(*([corpus(0)] if act == project.read else []), api_key=KEY)
    for name in files(tmp_path):
        assert not holds_key((tmp_path / name).read_bytes().decode("latin-1")), name


def test_a_reply_with_a_key_stays_out_of_the_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        msg = f"401: Incorrect API key provided: {KEY}"
        raise RuntimeError(msg)

    project = kg.Project(tmp_path / "p.kg")
    project.read(corpus(0))
    project.chunk()
    monkeypatch.setattr(kg, "extract", refused)
    with pytest.raises(RuntimeError):
        project.extract()
    assert project.history()["verdict"][-1] == "failed"
    for name in files(tmp_path):
        assert not holds_key((tmp_path / name).read_bytes().decode("latin-1")), name


# No pickle


def test_no_source_pickles_but_for_its_own_pipes() -> None:
    """The pool of processes talks through pipes; nothing else makes or reads what runs code when it is read."""
    banned = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "jsonpickle"}
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            if {name.split(".")[0] for name in names} & banned:
                found.add(path.relative_to(PACKAGE).as_posix())
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Attribute) and called.attr in ("to_pickle", "read_pickle"):
                found.add(path.relative_to(PACKAGE).as_posix())
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                assert isinstance(node.value, ast.Constant) and node.value.value is False, path
    assert found == {"parallel/worker.py"}
    worker = ast.parse((PACKAGE / "parallel" / "worker.py").read_text("utf-8"))
    opened = [
        node for node in ast.walk(worker) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "open"
    ]
    assert not opened


def test_no_file_of_a_project_is_a_pickle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kg, "extract", find_names)
    project = kg.Project(tmp_path / "p.kg")
    stages(project, 0)
    stages(project, 1)
    project.ask("Who met Grace Hopper?")
    kinds = {b"PAR1": ".parquet", b"SQLi": ".sqlite"}
    for name in files(project.path):
        data = (project.path / name).read_bytes()
        if name.endswith(".json"):
            assert data.lstrip().startswith(b"{"), name
        else:
            assert name.endswith(kinds[data[:4]]), name
        with pytest.raises((pickle.UnpicklingError, EOFError, ValueError, KeyError, IndexError)):
            pickle.loads(data)
    assert os.listdir(tmp_path) == ["p.kg"]
