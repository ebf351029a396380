"""propose_merges beside other tools, without answers: F1, seconds and memory on the same tables in one run.

    python -m venv peers
    peers/bin/pip install splink==5.0.0 recordlinkage==0.16 string-grouper==0.8.0 "goldenmatch[polars]==3.22.0" \\
        "polars<2"
    PEERS=peers/bin/python python benchmarks/bench_peers.py                all sets
    PEERS=peers/bin/python python benchmarks/bench_peers.py abt_buy        only these

The tools are no dependencies of kgkit: they live in an environment of their own, whose Python PEERS names. Without it
only kgkit is measured. How each is set up: `er_peers.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from er_answers import TINY, Score, propose, score
from er_peers import TOOLS, peak_gb, timed
from er_sets import SETS, Gold, load, published

LARGE = "synth_100k"
RUNS = 3  # of the large set, in turn; the quickest counts
LIMIT = 900  # seconds
HEAD = """## propose_merges beside other tools

Without answers, on the columns as they are published, by pairwise F1 over groups (one function for all; of two lists
only pairs across them count). Each tool runs in a process of its own, one after the other. Seconds are from a table in
memory to groups, imports not counted; CPU seconds are of all threads; GB is the most memory that the process held.
`{large}` runs {runs} times, in turn; the quickest run counts.

kgkit: default settings, and `across="source"` for two lists. The others are set up in `benchmarks/er_peers.py` as their
own documentation does for such data: Splink with EM, for people with the settings of its example on febrl3, for names
with levels for Jaro-Winkler and shared rare words; recordlinkage with Jaro-Winkler at .85 and its unsupervised
classifiers; string_grouper with its defaults, on names alone; goldenmatch with its automatic configuration, without a
paid model. Where that leaves a choice (threshold .5 or .95, classifier, columns, connected components or one to one),
each way was tried and the best one by the gold is shown; Splink's levels, blocking and training rules too were chosen
by the gold, once for people, once for lists with duplicates, once for two lists. kgkit's weights were learned on these
sets among others; what it reaches on a set that its weights have not seen stands in the guide on resolution.

To run it, make an environment for the tools (`python -m venv peers`, then `peers/bin/pip install splink==5.0.0
recordlinkage==0.16 string-grouper==0.8.0 "goldenmatch[polars]==3.22.0" "polars<2"`) and name its Python:
`PEERS=peers/bin/python python benchmarks/run.py peers`.
"""


@dataclass(frozen=True)
class Run:
    """What became of one tool on one set; ``problem`` where nothing did."""

    way: str = ""
    score: Score | None = None
    seconds: float = 0.0
    cpu: float = 0.0
    gb: float = 0.0
    version: str = ""
    problem: str = ""


def main() -> None:
    if sys.argv[1:2] == ["--kgkit"]:
        kgkit(sys.argv[2], Path(sys.argv[3]))
        return
    print(HEAD.format(large=LARGE, runs=RUNS))
    for line in lines(sys.argv[1:] or [*SETS, LARGE]):
        print(line, flush=True)


def lines(names: list[str]) -> Iterator[str]:
    python = os.environ.get("PEERS")
    if python is None:
        yield "The other tools were not there (`PEERS` names the Python that has them).\n"
    yield "| set | records | tool | F1 | precision | recall | s | CPU s | peak GB | way |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    versions: dict[str, str] = {}
    beside = ""
    for name in names:
        gold = load(name)
        tools = ["kgkit", *(TOOLS if python else ())]
        if name == LARGE:
            tools = [tool for tool in tools if tool in ("kgkit", "splink")] * RUNS
        found: dict[str, Run] = {}
        for tool in tools:
            one = run(name, gold, tool, sys.executable if tool == "kgkit" else python or "")
            if tool not in found or (one.score and one.seconds < found[tool].seconds):
                found[tool] = one
        for tool, one in found.items():
            versions[tool] = one.version or versions.get(tool, "")
            yield row(name, gold, tool, one)
        if name == LARGE:
            beside = ratio(found)
    yield ""
    if beside:
        yield f"{beside}\n"
    yield "Versions: " + ", ".join(f"{tool} {version or 'unknown'}" for tool, version in versions.items()) + "."


def run(name: str, gold: Gold, tool: str, python: str) -> Run:
    """Run a tool in its own process, and score the best of its ways."""
    with tempfile.TemporaryDirectory() as folder:
        published(name).write_csv(f"{folder}/records.csv")
        here = Path(__file__)
        what = [str(here), "--kgkit", name] if tool == "kgkit" else [str(here.parent / "er_peers.py"), tool]
        try:
            done = subprocess.run([python, *what, folder], capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return Run(problem=f"not done after {LIMIT} s")
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or ["no message"]
            return Run(problem=f"failed: {last[0][:160]}".replace("|", "/"))
        told = json.loads(done.stdout.strip().splitlines()[-1])
        ways = json.loads(Path(folder, "groups.json").read_text())
    scores = {way: score(gold, groups(made)) for way, made in ways.items()}
    best = max(scores, key=lambda way: scores[way].f1)
    return Run(best, scores[best], told["seconds"][best], told["cpu"][best], told["gb"], told["version"])


def groups(made: dict[str, str]) -> pl.DataFrame:
    frame = pl.DataFrame({"id": list(made), "group": list(made.values())}, schema={"id": pl.String, "group": pl.String})
    return frame.group_by("group").agg(members="id")


def row(name: str, gold: Gold, tool: str, one: Run) -> str:
    start = f"| {name} | {gold.records.height:,} | {tool} |"
    if one.score is None:
        return f"{start} {one.problem} | | | | | | |"
    s = one.score
    return (
        f"{start} {s.f1:.3f} | {s.precision:.3f} | {s.recall:.3f} | {one.seconds:.1f} | {one.cpu:.1f} "
        f"| {one.gb:.2f} | {'' if tool == 'kgkit' else one.way} |"
    )


def ratio(found: dict[str, Run]) -> str:
    ours, theirs = found["kgkit"], found.get("splink", Run())
    if ours.score is None or theirs.score is None:
        return ""
    took = [f"{one.seconds:.1f} s, CPU {one.cpu:.1f} s, F1 {one.score.f1:.3f}" for one in (theirs, ours) if one.score]
    times = theirs.seconds / ours.seconds
    return f"{LARGE}: Splink takes {times:.2f} times as long as kgkit ({took[0]}; kgkit {took[1]})."


def kgkit(name: str, folder: Path) -> None:
    """Propose and group, as `er_peers.py` has the others do."""
    import kgkit as kg

    gold = load(name)
    propose(TINY)  # what is imported once does not count
    (seconds, cpu), (merges, _) = timed(lambda: propose(gold))
    made = {one: group for group, members in merges.groups.select("group_id", "members").iter_rows() for one in members}
    (folder / "groups.json").write_text(json.dumps({"default": made}))
    told = {"seconds": {"default": seconds}, "cpu": {"default": cpu}, "gb": peak_gb(), "version": kg.__version__}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
