"""The command line. Each command calls one public function and prints what it did; no logic of its own."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import kgkit
from kgkit.errors import KgkitError

if TYPE_CHECKING:
    from kgkit.pipeline import StageDone
    from kgkit.results import Result

__all__ = ["main"]

_ABOUT = "From a pile of documents to a knowledge graph that a person has reviewed and can trust."
_EXAMPLES = """\
examples:
  kgkit run reports/ --out reports-graph
  kgkit run reports/ --out reports-graph --ask "Who founded Calder Works?"
  kgkit ask reports-graph "When was the north quay closed?"
  kgkit tables citations

Everything works without a key and without a network. In a notebook, start with: import kgkit as kg
"""
_SHOWN = 12  # failures printed per stage; the report and the outcomes table hold them all


def build_parser() -> argparse.ArgumentParser:
    """Make the parser; documentation is made from it too."""
    parser = argparse.ArgumentParser(
        prog="kgkit", description=_ABOUT, epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"kgkit {kgkit.__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND", required=True)

    run = commands.add_parser("run", help="read a folder and write tables, a report and a graph page")
    run.add_argument("folder", metavar="FOLDER", help="folder (or file) with the documents")
    run.add_argument("--out", metavar="DIR", required=True, help="folder for the results; made when absent")
    run.add_argument("--ask", metavar="QUESTION", action="append", default=[], help="answer it too; can be repeated")
    run.add_argument("--questions", metavar="FILE", help="text file with one question per line")
    run.add_argument("--title", help="title of the report; the folder's name when left out")
    run.add_argument("--seed", type=int, default=0, help="seed of every random step (default: 0)")
    run.add_argument("--workers", type=int, help="processes for reading and extracting (default: all cores)")
    run.set_defaults(function=_run)

    ask = commands.add_parser("ask", help="answer a question from the results of an earlier run")
    ask.add_argument("out", metavar="DIR", help="folder that 'kgkit run' wrote")
    ask.add_argument("question", metavar="QUESTION", help="in plain words")
    ask.set_defaults(function=_ask)

    tables = commands.add_parser("tables", help="describe the tables: columns, types and what they mean")
    tables.add_argument("name", metavar="TABLE", nargs="?", help="one table; all when left out")
    tables.set_defaults(function=_tables)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: Arguments; those of the process when left out.

    Returns:
        0 when the command did its job (a run may have gaps: it lists them), 1 when it could not, 130 when
        interrupted. Wrong arguments end the process with 2.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    arguments = build_parser().parse_args(argv)
    try:
        arguments.function(arguments)
    except (KgkitError, OSError) as error:  # the disk's own words are clear: No space left on device: 'out/...'
        print(f"kgkit: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nkgkit: interrupted; the results of earlier runs are as they were", file=sys.stderr)
        return 130
    return 0


def _run(arguments: argparse.Namespace) -> None:
    questions = list(arguments.ask)
    if arguments.questions:
        questions += _lines(arguments.questions)
    print(f"kgkit {kgkit.__version__}: {arguments.folder}\n")
    run = kgkit.run_pipeline(
        arguments.folder,
        out=arguments.out,
        questions=questions,
        title=arguments.title,
        seed=arguments.seed,
        workers=arguments.workers,
        on_stage=_print_stage,
    )
    failed = sum(r.counts["failed"] for r in run.results)
    items = "1 item" if failed == 1 else f"{failed:,} items"
    verdict = f"complete with gaps: {items} failed, each with its reason above" if failed else "complete"
    print(f"\n{verdict}\n  report  {run.report}\n  graph   {run.graph_page}\n  tables  {run.tables}")


def _ask(arguments: argparse.Namespace) -> None:
    from pathlib import Path

    from kgkit.errors import InputError

    folder = Path(arguments.out) / "tables"
    held = kgkit.read_tables(folder)
    if "chunks" not in held:
        msg = f"{str(folder)!r} holds no chunks.parquet; give the folder that 'kgkit run' wrote."
        raise InputError(msg)
    print(kgkit.ask(arguments.question, held["chunks"]))


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
    _print_failures(result)


def _print_failures(result: Result) -> None:
    import polars as pl

    bad = pl.DataFrame(result.failures).filter(pl.col("status").is_in(["failed", "empty"]))
    if result.stage != "read_documents":
        bad = bad.filter(pl.col("status") == "failed")
    for item, status, reason, detail in bad.select("item_id", "status", "reason", "detail").head(_SHOWN).iter_rows():
        print(f"    {status}: {item}: {reason or ''}{f' ({detail})' if detail else ''}")
    if bad.height > _SHOWN:
        print(f"    ... and {bad.height - _SHOWN:,} more, all in the report and in outcomes.parquet")


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
