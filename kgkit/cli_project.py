"""The commands that work on a project. Each calls one function and prints what it gives."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

import kgkit
from kgkit.cli_show import clean, print_failures, print_json, print_table, records

if TYPE_CHECKING:
    from kgkit.project import Checkup, Project, StageRun
    from kgkit.retrieval import Answer

__all__ = ["add_commands", "answer_json", "ask_project", "run_in_project"]

_RUN_JSON = ("params", "inputs", "outputs", "counts", "made_with")


def add_commands(commands: Any) -> None:
    """Add the commands to the parser."""
    for name, function, about in (
        ("status", _status, "say of each table of a project whether it is fresh, and why not"),
        ("history", _history, "list what was run in a project: when, what came of it, and what to restore it by"),
        ("doctor", _doctor, "check a project on disk, also a damaged one; changes nothing, ends with 1 if not sound"),
    ):
        command = commands.add_parser(name, help=about, description=_sentence(about))
        command.add_argument("path", metavar="PATH", help="the project's folder")
        _add_json(command, function)

    about = "write a project into one file: all versions, runs and decisions"
    archive = commands.add_parser("archive", help=about, description=_sentence(about))
    archive.add_argument("path", metavar="PATH", help="the project's folder")
    archive.add_argument("file", metavar="FILE", help="the archive to write; there must be no such file yet")
    _add_json(archive, _archive)

    about = "make a project out of such a file"
    unarchive = commands.add_parser("unarchive", help=about, description=_sentence(about))
    unarchive.add_argument("file", metavar="FILE", help="what 'kgkit archive' wrote")
    unarchive.add_argument("path", metavar="PATH", help="the new project's folder; absent or empty")
    _add_json(unarchive, _unarchive)


def run_in_project(arguments: argparse.Namespace, questions: list[str]) -> None:
    """Read a folder into a project, run what is missing or stale, and print each stage."""
    import polars as pl

    from kgkit.project import run_project

    told = sys.stderr if arguments.json else sys.stdout
    print(f"kgkit {kgkit.__version__}: {clean(arguments.folder)} -> {clean(arguments.project)}\n", file=told)
    project = kgkit.Project(arguments.project)
    stages = run_project(
        project,
        arguments.folder,
        questions=questions,
        seed=arguments.seed,
        workers=arguments.workers,
        retry_failed=arguments.retry_failed,
        on_stage=None if arguments.json else _print_stage,
    )
    failures = project.failures().filter(pl.col("status") == "failed")
    if arguments.json:
        print_json({**_about(project), **_stages_json(stages), "failures": records(failures)})
        return
    failed = failures.height
    gaps = f"complete with gaps: {failed:,} item{'s' * (failed != 1)} failed; --retry-failed tries them again"
    print(f"\n{gaps if failed else 'complete'}\n  project {project.path}")


def ask_project(path: str, question: str) -> Answer:
    """Answer a question from a project, and keep the answer there."""
    return kgkit.Project(path, create=False).ask(question)


def answer_json(answer: Answer) -> dict[str, Any]:
    """Give an answer as plain values."""
    frames = {name: records(frame) for name, frame in answer.to_polars().frames.items()}
    return {**frames["answers"][0], "sentences": frames["answer_sentences"], "citations": frames["citations"]}


def _status(arguments: argparse.Namespace) -> None:
    import polars as pl

    project = kgkit.Project(arguments.path, create=False)
    status, decisions = project.status(), project.decisions().height
    counts = dict(project.failures().filter(pl.col("status") == "failed")["stage"].value_counts().rows())
    failed = dict(sorted(counts.items()))
    if arguments.json:
        held = records(status, parsed=["built_from"])
        print_json({**_about(project), "decisions": decisions, "failed": failed, "tables": held})
        return
    stale = status.filter(pl.col("status") == "stale").height
    print(f"{clean(project.path)}: {status.height} tables, {stale} stale; {decisions:,} decisions\n")
    columns = ["table", "rows", "version", "built_at", "status", "reason"]
    print_table(["table", "rows", "version", "built (UTC)", "status", "why"], status.select(columns).iter_rows())
    for stage, count in failed.items():
        print(f"\n{stage}: {count:,} failed; see kg.Project(...).failures(stage={stage!r})")


def _history(arguments: argparse.Namespace) -> None:
    from kgkit.results import summarise

    project = kgkit.Project(arguments.path, create=False)
    runs = records(project.history(), parsed=_RUN_JSON)
    if arguments.json:
        print_json({**_about(project), "runs": runs})
        return
    print(f"{clean(project.path)}: {len(runs):,} runs, the latest last\n")
    rows = []
    for run in runs:
        what = run["params"].get("question") or run["params"].get("source") or run["params"].get("run_id") or ""
        counts = summarise(run["counts"]) if run["counts"] else ""
        about = "; ".join(filter(None, [counts, clean(what)]))
        rows.append((run["finished_at"], run["run_id"], run["stage"], run["verdict"], about))
    print_table(["ended (UTC)", "run", "stage", "verdict", "items"], rows)


def _doctor(arguments: argparse.Namespace) -> int:
    checkup = kgkit.check_project(arguments.path)
    if arguments.json:
        print_json({"path": arguments.path, "sound": checkup.sound, "findings": records(checkup.findings)})
    else:
        _print_checkup(checkup, arguments.path)
    return 0 if checkup.sound else 1


def _print_checkup(checkup: Checkup, path: str) -> None:
    rows = records(checkup.findings)
    print(f"{clean(path)}\n")
    print_table(["check", "status", "found"], ([r["check"], r["status"], _place_and_found(r)] for r in rows))
    for row in rows:
        if row["status"] in ("failed", "remark"):
            print(f"\n{row['status']}: {clean(row['place'])}")
            for label in ("found", "meaning", "advice"):
                print(f"  {label:<8} {clean(row[label] or '')}")
    failed = sum(row["status"] == "failed" for row in rows)
    print(f"\n{'sound' if not failed else f'not sound: {failed:,} findings'}")


def _place_and_found(row: dict[str, Any]) -> str:
    return row["found"] if row["status"] in ("ok", "skipped") else f"{row['place']}: {row['found']}"


def _archive(arguments: argparse.Namespace) -> None:
    from kgkit.project import archive_project

    done = archive_project(kgkit.Project(arguments.path, create=False), arguments.file)
    if arguments.json:
        print_json({"file": str(done.file), "files": done.n_files, "bytes": done.n_bytes})
        return
    print(f"{clean(done.file)}: {done.n_files:,} files, {done.n_bytes:,} bytes before packing")


def _unarchive(arguments: argparse.Namespace) -> None:
    from kgkit.project import restore_archive

    project = restore_archive(arguments.file, arguments.path)
    held = {"tables": len(project.versions()), "runs": len(project.history()), "decisions": len(project.decisions())}
    if arguments.json:
        print_json({**_about(project), **held})
        return
    print(f"{clean(project.path)}: " + ", ".join(f"{count:,} {name}" for name, count in held.items()))


def _print_stage(stage: StageRun) -> None:
    from kgkit.results import summarise

    if stage.stage == "ask":
        print(f"\n{stage.result}")
        return
    said = summarise(stage.counts) if stage.result is not None else "fresh: nothing to do"
    made = ", ".join(f"{count:,} {name}" for name, count in stage.rows.items())
    print(f"{stage.stage:<20} {said:<46} -> {made}  ({stage.seconds:.1f} s)")
    if stage.result is not None:
        print_failures(stage.result, "project.failures()")


def _stages_json(stages: list[StageRun]) -> dict[str, Any]:
    shown = [
        {
            "stage": stage.stage,
            "status": stage.status,
            "counts": stage.counts if stage.result is not None else None,
            "rows": stage.rows,
            "seconds": round(stage.seconds, 3),
        }
        for stage in stages
        if stage.stage != "ask"
    ]
    answers: list[Any] = [stage.result for stage in stages if stage.stage == "ask"]
    return {"stages": shown, "answers": [answer_json(answer) for answer in answers]}


def _about(project: Project) -> dict[str, Any]:
    return {"path": str(project.path), "kgkit": kgkit.__version__}


def _add_json(command: argparse.ArgumentParser, function: Any) -> None:
    command.add_argument("--json", action="store_true", help="print one JSON document instead")
    command.set_defaults(function=function)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
