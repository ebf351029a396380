"""``kgkit review``: decide in a terminal (see `kgkit.cli_asking`), through a sheet, or on a page."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

import kgkit
from kgkit.cli_asking import KEYS, ask_all
from kgkit.cli_show import clean

if TYPE_CHECKING:
    from kgkit.reviewing import Review

__all__ = ["add_review"]

_ABOUT = f"""\
Show what is likely the same, one pair or group at a time, and keep each answer in the project.

{KEYS}"""
_WHAT = ("merges", "relations", "entities", "all")


def add_review(commands: Any) -> None:
    """Add the command to the parser."""
    review = commands.add_parser(
        "review",
        help="decide in a terminal which entities of a project are one",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    review.add_argument("project", metavar="PROJECT", help="the project's folder; kgkit run --project makes one")
    review.add_argument("--about", choices=_WHAT, default="merges", help="what to decide on (default: merges)")
    review.add_argument("--order", default="uncertain", help="what is asked first (default: uncertain)")
    review.add_argument("--reviewer", help="who decides (default: the name of the user)")
    review.add_argument("--type", help="only entities of this type")
    review.add_argument("--blind", action="store_true", help="hide scores and reasons")
    review.add_argument("--csv", metavar="FILE", help="write the queue to a file to be filled in, and ask nothing")
    review.add_argument("--from-csv", metavar="FILE", help="decide what a filled-in file says, and ask nothing")
    review.add_argument("--page", action="store_true", help="decide on a page in the browser instead")
    review.add_argument("--port", type=int, default=8866, help="where the page is served (default: 8866)")
    review.add_argument("--no-browser", action="store_true", help="tell the page's address, and open no browser")
    review.set_defaults(function=_review)


def _review(arguments: argparse.Namespace) -> None:
    if arguments.page:
        return _serve(arguments)
    desk = _desk(arguments)
    if arguments.csv:
        print(f"{desk.progress.left:,} to decide, written to {clean(desk.to_csv(arguments.csv))}")
    elif arguments.from_csv:
        _take(desk, arguments.from_csv)
    else:
        ask_all(desk)


def _serve(arguments: argparse.Namespace) -> None:
    from kgkit.notebook import serve_review

    kgkit.Project(arguments.project, create=False).graph()  # what is wrong with it is told here, not on the page
    serve_review(
        arguments.project,
        port=arguments.port,
        open_browser=not arguments.no_browser,
        said=lambda address: print(f"The page is at {address}\nCtrl+C ends it.", flush=True),
        filters={"type": arguments.type} if arguments.type else {},
        reviewer=arguments.reviewer,
        order=arguments.order,
        blind=arguments.blind,
    )


def _desk(arguments: argparse.Namespace) -> Review:
    from kgkit.reviewing import Review

    project = kgkit.Project(arguments.project, create=False)
    graph = project.graph()
    proposals: list[Any] = []
    if arguments.about in ("merges", "all"):
        print("looking for what is likely the same ...", file=sys.stderr)
        proposals.append(kgkit.propose_merges(graph, decisions=project.decisions()))
    proposals += [getattr(graph, name) for name in ("relations", "entities") if arguments.about in (name, "all")]
    desk = Review(
        proposals[0] if len(proposals) == 1 else proposals,
        graph,
        project=project,
        documents=project.table("documents"),
        reviewer=arguments.reviewer,
        order=arguments.order,
        blind=arguments.blind,
    )
    return desk.ask(**({"type": arguments.type} if arguments.type else {}))


def _take(desk: Review, file: str) -> None:
    import polars as pl

    rows = pl.DataFrame(desk.from_csv(file))
    counts = dict(rows["result"].value_counts().sort("result").iter_rows())
    print(", ".join(f"{n:,} {result}" for result, n in counts.items()) or "no rows")
    for row in rows.filter(~pl.col("result").is_in(["recorded", "already applied", "unchanged"])).iter_rows(named=True):
        print(clean(f"  line {row['row']}: {row['result']}: {row['detail']}"))
