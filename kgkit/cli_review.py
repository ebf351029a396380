"""``kgkit review``: decide on proposals in a terminal, one key and Enter each. No logic that a panel has not."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

import kgkit
from kgkit.cli_show import clean

if TYPE_CHECKING:
    from kgkit.reviewing import Review

__all__ = ["add_review"]

_ABOUT = """\
Show what is likely the same, one pair or group at a time, and keep each answer in the project.

y  yes, they are one          u  undo, as often as you like
n  no, they are not           o  open the documents: more words around the names
s  skip: it comes back last   q  quit; the next time goes on from here
f  flag: it comes back last   ?  these keys

Words after a key are kept as a note: n two different people
"""
_VERDICTS = {"y": "accepted", "n": "rejected", "s": "skipped", "f": "flagged"}
_SIGNS = {True: "+", False: "-"}
_REASONS = 4


def add_review(commands: Any) -> None:
    """Add the command to the parser."""
    review = commands.add_parser(
        "review",
        help="decide in a terminal which entities of a project are one",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    review.add_argument("project", metavar="PROJECT", help="the project's folder; kgkit run --project makes one")
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
        _ask(desk)


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
    print("looking for what is likely the same ...", file=sys.stderr)
    merges = kgkit.propose_merges(graph, decisions=project.decisions())
    desk = Review(
        merges,
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


def _ask(desk: Review) -> None:
    card = desk.next()
    while card is not None:
        _show(desk, card)
        try:
            said = input("y / n / s / f / u / o / q / ? > ").strip()
        except EOFError:
            break
        key, _, note = said.partition(" ")
        if key.lower() == "q":
            break
        _do(desk, card, key.lower(), note.strip() or None)
        card = desk.next()
    print(f"\n{desk.progress}")
    if desk.progress.decided:
        print("The next 'kgkit run --project' builds the graph with these decisions.")


def _do(desk: Review, card: dict[str, Any], key: str, note: str | None) -> None:
    if key in _VERDICTS:
        try:
            desk.decide(card["item_id"], _VERDICTS[key], note=note)
        except (kgkit.errors.KgkitError, OSError) as error:
            print(clean(f"NOT KEPT: {error}"))
    elif key == "u":
        print("taken back" if desk.undo() else "nothing to take back")
    elif key == "o":
        _open(desk, card)
    else:
        print(_ABOUT.partition("\n\n")[2])


def _show(desk: Review, card: dict[str, Any]) -> None:
    score = "" if card["score"] is None else f"   score {card['score']:.2f}"
    every = " (y: all of them)" if len(card["sides"]) > 2 else ""
    print(f"\n--- {desk.progress.left:,} left --- {card['question']}{every}{score}")
    for side in card["sides"]:
        mentions = f"{side['n_mentions']:,} mention{'s' * (side['n_mentions'] != 1)}"
        print(clean(f"  {side['name']}  [{side['type'] or 'no type'}, {mentions}]"))
        for quote in side["quotes"][:2]:
            print(clean(f'      "{quote["text"]}"  ({quote["source"]} {quote["start"]})'))
    for text in card["against"]:
        print(clean(f"  AGAINST: {text}"))
    reasons = sorted(card["reasons"], key=lambda r: -abs(r["weight"]))[:_REASONS]
    if reasons:
        print(clean("  " + "; ".join(f"{_SIGNS[r['weight'] >= 0]} {r['reason']}" for r in reasons)))


def _open(desk: Review, card: dict[str, Any]) -> None:
    for side in card["sides"]:
        for quote in side["quotes"][:1]:
            found = None if quote["start"] is None else desk.passage(quote["doc_id"], quote["start"], quote["end"])
            if found:
                around = f"{found['before'][-400:]}>>>{found['quote']}<<<{found['after'][:400]}"
                print(clean(f"  {found['source']}: {around}"))
