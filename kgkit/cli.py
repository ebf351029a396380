"""The command line. Each command calls one public function and prints what it did; no logic of its own."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import kgkit
from kgkit.cli_project import add_commands, answer_json, ask_project, run_in_project
from kgkit.cli_review import add_review
from kgkit.cli_show import clean, print_failures, print_json
from kgkit.errors import KgkitError

if TYPE_CHECKING:
    from kgkit.pipeline import PipelineRun, StageDone
    from kgkit.retrieval import Answer

__all__ = ["main"]

_ABOUT = "From a pile of documents to a knowledge graph that a person has reviewed and can trust."
_EXAMPLES = """\
examples:
  kgkit run reports/ --out reports-graph
  kgkit run reports/ --out reports-graph --ask "Who founded Calder Works?"
  kgkit ask reports-graph "When was the north quay closed?"
  kgkit run reports/ --project reports.kg       (run it again: only what changed is done)
  kgkit status reports.kg
  kgkit tables citations

Everything works without a key and without a network. In a notebook, start with: import kgkit as kg
"""
_RUN = """\
Read a folder, extract mentions and statements, build the graph and find communities.

--out DIR writes the results once: a report, a graph page and one Parquet file per table.
--project PATH keeps them: the next run does only what is new, changed or was interrupted, decisions
stay, and every earlier state can be restored. The documents of FOLDER take the place of those that
were there.
"""


def build_parser() -> argparse.ArgumentParser:
    """Make the parser; documentation is made from it too."""
    parser = argparse.ArgumentParser(
        prog="kgkit", description=_ABOUT, epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"kgkit {kgkit.__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND", required=True)

    run = commands.add_parser(
        "run",
        help="read a folder; write results once (--out), or keep them (--project)",
        description=_RUN,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument("folder", metavar="FOLDER", help="folder (or file) with the documents")
    where = run.add_mutually_exclusive_group(required=True)
    where.add_argument("--out", metavar="DIR", help="folder for the results; made when absent")
    where.add_argument("--project", metavar="PATH", help="folder of the project; made when absent")
    run.add_argument("--ask", metavar="QUESTION", action="append", default=[], help="answer it too; can be repeated")
    run.add_argument("--questions", metavar="FILE", help="text file with one question per line")
    run.add_argument("--title", help="title of the report (--out); the folder's name when left out")
    run.add_argument("--seed", type=int, help="seed of every random step (default: 0, or the project's last)")
    run.add_argument("--workers", type=int, help="processes for reading and extracting (default: all cores)")
    run.add_argument("--retry-failed", action="store_true", help="try again what failed the last time (--project)")
    run.add_argument("--json", action="store_true", help="print one JSON document instead")
    run.set_defaults(function=_run)

    ask = commands.add_parser("ask", help="answer a question from a project, or the results of an earlier run")
    ask.add_argument("out", metavar="PATH", help="a project, or the folder that 'kgkit run --out' wrote")
    ask.add_argument("question", metavar="QUESTION", help="in plain words; a project keeps the answer")
    ask.add_argument("--json", action="store_true", help="print one JSON document instead")
    ask.set_defaults(function=_ask)

    add_commands(commands)
    add_review(commands)

    tables = commands.add_parser("tables", help="describe the tables: columns, types and what they mean")
    tables.add_argument("name", metavar="TABLE", nargs="?", help="one table; all when left out")
    tables.set_defaults(function=_tables)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: Arguments; those of the process when left out.

    Returns:
        0 when the command did its job (a run may have gaps: it lists them), 1 when it could not or when the doctor
        finds a project not sound, 130 when interrupted. Wrong arguments end the process with 2.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    arguments = build_parser().parse_args(argv)
    try:
        return arguments.function(arguments) or 0
    except BrokenPipeError:  # the reader of a pipe, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KgkitError, OSError) as error:  # the disk's own words are clear: No space left on device: 'out/...'
        print(f"kgkit: {clean(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        keeps = getattr(arguments, "project", None)
        kept = "what was finished is kept" if keeps else "the results of earlier runs are as they were"
        print(f"\nkgkit: interrupted; {kept}", file=sys.stderr)
        return 130


def _run(arguments: argparse.Namespace) -> None:
    questions = list(arguments.ask)
    if arguments.questions:
        questions += _lines(arguments.questions)
    if arguments.project:
        run_in_project(arguments, questions)
        return
    if not arguments.json:
        print(f"kgkit {kgkit.__version__}: {clean(arguments.folder)}\n")
    run = kgkit.run_pipeline(
        arguments.folder,
        out=arguments.out,
        questions=questions,
        title=arguments.title,
        seed=arguments.seed or 0,
        workers=arguments.workers,
        on_stage=None if arguments.json else _print_stage,
    )
    if arguments.json:
        _print_run(run)
        return
    failed = sum(r.counts["failed"] for r in run.results)
    items = "1 item" if failed == 1 else f"{failed:,} items"
    verdict = f"complete with gaps: {items} failed, each with its reason above" if failed else "complete"
    print(f"\n{verdict}\n  report  {run.report}\n  graph   {run.graph_page}\n  tables  {run.tables}")


def _ask(arguments: argparse.Namespace) -> None:
    from kgkit.project import is_project

    folder, question = arguments.out, arguments.question
    answer = ask_project(folder, question) if is_project(folder) else _ask_tables(folder, question)
    if arguments.json:
        print_json(answer_json(answer))
    else:
        print(answer)


def _ask_tables(out: str, question: str) -> Answer:
    from pathlib import Path

    from kgkit.errors import InputError

    folder = Path(out) / "tables"
    held = kgkit.read_tables(folder)
    if "chunks" not in held:
        msg = f"{str(folder)!r} holds no chunks.parquet; give the folder that 'kgkit run --out' wrote, or a project."
        raise InputError(msg)
    return kgkit.ask(question, held["chunks"])


def _tables(arguments: argparse.Namespace) -> None:
    about = kgkit.tables.describe(arguments.name)
    width = max(len(column) for column in about["column"].to_list())
    for name in about["table"].unique(maintain_order=True).to_list():
        rows = about.filter(about["table"] == name)
        print(f"{name}: {kgkit.tables.get(name).row}")
        for column, dtype, key, meaning in rows.select("column", "dtype", "key", "meaning").iter_rows():
            print(f"  {'*' if key else ' '} {column:<{width}}  {dtype}: {meaning}")
        print()


def _print_stage(done: StageDone) -> None:
    from kgkit.results import summarise

    result = done.result
    made = ", ".join(f"{len(f):,} {name}" for name, f in result.frames.items() if name != "outcomes")
    if done.stage == "ask":
        print(f"\n{result}")
        return
    print(f"{done.stage:<20} {summarise(result.counts):<46} -> {made}  ({done.seconds:.1f} s)")
    print_failures(result, "the report and in outcomes.parquet")


def _print_run(run: PipelineRun) -> None:
    stages = [
        {
            "stage": result.stage,
            "status": "ran",
            "counts": result.counts,
            "rows": {name: len(frame) for name, frame in result.frames.items() if name != "outcomes"},
        }
        for result in run.results
        if result.stage != "ask"
    ]
    failures = [row for result in run.results for row in result.failures.to_dicts() if row["status"] == "failed"]
    places = {"path": run.out, "report": run.report, "graph": run.graph_page, "tables": run.tables}
    answers = [answer_json(answer) for answer in run.answers]
    about = {"kgkit": kgkit.__version__, "stages": stages, "answers": answers, "failures": failures}
    print_json({name: str(path) for name, path in places.items()} | about)


def _lines(path: str) -> list[str]:
    from pathlib import Path

    from kgkit.errors import InputError

    try:
        text = Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"--questions {path}: cannot be read as UTF-8 text ({error})."
        raise InputError(msg) from error
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


if __name__ == "__main__":
    sys.exit(main())
