"""Files are read in processes: whatever one does, the batch ends and every file has its outcome."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

import kgkit as kg

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


@pytest.fixture
def hooked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.setattr("kgkit.documents.read._READ_FUNCTION", "reading_hooks:misbehave")


def reasons(read) -> dict[str, tuple[str, str | None]]:
    return {o["item_id"]: (o["status"], o["reason"]) for o in read.outcomes.iter_rows(named=True)}


def write(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).write_text(f"The words of {name}.")
    return folder


def test_a_file_that_hangs_is_ended_and_the_others_are_read(hooked, tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "hangs.txt", "z.txt", "prints.txt")
    read = kg.read_documents(tmp_path, timeout=2, workers=1)
    assert reasons(read) == {
        "a.txt": ("ok", None),
        "hangs.txt": ("failed", "timeout"),
        "prints.txt": ("ok", None),
        "z.txt": ("ok", None),
    }
    assert "2 seconds" in read.failures["detail"][0]


def test_a_file_that_crashes_its_process_is_reported(hooked, tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "dies-1.txt", "dies-2.txt", "z.txt")
    read = kg.read_documents(tmp_path, workers=2)
    found = reasons(read)
    assert found.pop("dies-1.txt") == found.pop("dies-2.txt") == ("failed", "crashed")
    assert set(found.values()) == {("ok", None)}
    assert "exit code 7" in read.failures["detail"][0]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to its memory limit")
def test_a_file_that_eats_memory_is_reported(hooked, tmp_path: Path) -> None:
    read = kg.read_documents(write(tmp_path, "eats.txt", "z.txt"))
    assert reasons(read) == {"eats.txt": ("failed", "crashed"), "z.txt": ("ok", None)}


def test_any_number_of_processes_gives_the_same(tmp_path: Path) -> None:
    write(tmp_path, *(f"{i}.txt" for i in range(12)))
    one, three = kg.read_documents(tmp_path, workers=1), kg.read_documents(tmp_path, workers=3)
    assert one.documents.equals(three.documents)
    assert one.outcomes.equals(three.outcomes)


def test_progress_is_told(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    kg.read_documents(write(tmp_path, "a.txt", "b.txt"), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]


def test_threads_and_event_loops(tmp_path: Path) -> None:
    write(tmp_path, "a.txt")
    texts: list[str] = []

    def work() -> None:
        texts.extend(kg.read_documents(tmp_path).documents["text"])

    async def main() -> None:
        work()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    asyncio.run(main())
    assert texts == ["The words of a.txt."] * 2


def test_a_script_without_a_guard_and_beside_modules_named_like_the_library(tmp_path: Path) -> None:
    (tmp_path / "email.py").write_text("raise SystemExit('the wrong module')")
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.eml").write_text("From: a@x.example\nTo: b\nSubject: c\n\nWords of the mail.")
    script = tmp_path / "scripts" / "run.py"
    script.parent.mkdir()
    script.write_text(
        f"import sys; sys.path.append({str(ROOT)!r})\nimport kgkit as kg\nprint(kg.read_documents('data'))\n"
    )
    run = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert run.stdout.strip() == "Documents(1 documents; 1 in: 1 ok)", run.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_interrupting_ends_everything_soon_and_keeps_what_is_finished(tmp_path: Path) -> None:
    write(tmp_path, "good.txt", "hangs-1.txt", "hangs-2.txt")
    code = f"""
        import sys; sys.path[:0] = [{str(ROOT)!r}, {str(HERE)!r}]
        import kgkit as kg, kgkit.documents.read as r
        r._READ_FUNCTION = "reading_hooks:misbehave"
        print("ready", flush=True)
        documents = kg.read_documents({str(tmp_path)!r}, workers=3, timeout=None)
        print(dict(documents.outcomes.select("item_id", "reason").iter_rows()), flush=True)
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        try:
            rest, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert rest == f"{ {'good.txt': None, 'hangs-1.txt': 'interrupted', 'hangs-2.txt': 'interrupted'} }\n"
    assert process.returncode == 0


def test_reading_processes_load_no_dataframe_library() -> None:
    code = (
        "import sys, kgkit.parallel.worker, kgkit.documents.onefile as o\n"
        "from kgkit.documents.parsed import ReadOptions\n"
        "o.parse(b'a,b\\n1,2\\n', 'a.csv', ReadOptions())\n"
        "print([m for m in ('polars', 'pandas', 'numpy', 'pyarrow', 'spacy') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert run.stdout.strip() == "[]", run.stderr
