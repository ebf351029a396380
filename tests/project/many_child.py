"""A process that shares a project with others. Started by tests; says on standard output what it did."""

from __future__ import annotations

import sys
import time
from collections import Counter

from project_child import corpus, find_names, stages

import kgkit as kg

OWN, COMMON, SAME = 400, 300, 300
"""Decisions of each process: on subjects of its own, on those that all decide on, and said by all with one name."""


def decide(path: str, who: str) -> None:
    project = kg.Project(path)
    say("ready")
    sys.stdin.readline()
    made: Counter[str] = Counter()
    for i in range(OWN):
        made[project.decide("merge", f"{who}_{i}", "accepted", reviewer=who).status] += 1
        if i < COMMON:
            made[project.decide("merge", f"common_{i}", "accepted", reviewer=who).status] += 1
        if i < SAME:
            made[project.decide("merge", f"same_{i}", "accepted", reviewer="policy").status] += 1
    say(f"{made['recorded']} {made['already applied']}")


def read(path: str, timeout: str, times: str) -> None:
    """Read until somebody decides on "stop", or so many times; each time there is more, and what was there still is."""
    project = kg.Project(path, timeout=float(timeout))
    say("ready")
    seen = project.decisions()
    turns = 0
    while "stop" not in seen["subject_id"] and turns != int(times):
        now = project.decisions()
        assert now.head(seen.height).equals(seen)
        assert project.table("documents").height == 40
        project.status()
        seen = now
        turns += 1
        time.sleep(0.02)
    say(f"read {turns}")


def run(path: str, generation: str, turns: str) -> None:
    kg.extract = find_names  # type: ignore[assignment]
    project = kg.Project(path)
    say("ready")
    sys.stdin.readline()
    for _ in range(int(turns)):
        stages(project, int(generation))
    say("done")


def wait(path: str) -> None:
    project = kg.Project(path)
    say("ready")
    sys.stdin.readline()
    began = time.monotonic()
    project.read(corpus(1))
    say(f"{time.monotonic() - began:.3f}")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    {"decide": decide, "read": read, "run": run, "wait": wait}[sys.argv[1]](*sys.argv[2:])
