"""A process that works on a project until it is killed. Started by tests; says on standard output what it did."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from itertools import pairwise
from typing import Any

import polars as pl

import kgkit as kg
from kgkit import tables
from kgkit.extraction import Extraction
from kgkit.project.order import in_order
from kgkit.project.store import Store, Written
from kgkit.results import Outcome, outcomes_frame

MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""A folder in memory, where there is one: a disk would be waited for at each commit."""

_NAME = re.compile(r"[A-Z][a-z]+ [A-Z][a-z]+")


def corpus(generation: int) -> pl.DataFrame:
    """Forty documents, of which half differ from one generation to the next."""
    texts = [
        f"Grace Hopper met Anna Number{'abcdefghij'[i % 10]}{i if i % 2 else i + 100 * generation} at Harvard Yard. "
        f"Howard Aiken wrote about it in note {i}."
        for i in range(40)
    ]
    return pl.DataFrame({"text": texts, "source": [f"note{i}.txt" for i in range(40)]})


def find_names(chunks: Any, **options: Any) -> Extraction:
    """Stand in for the extractor: two capitalised words are a name, and neighbours are related."""
    mentions, statements, outcomes = [], [], []
    for row in chunks.iter_rows(named=True):
        at = {"doc_id": row["doc_id"], "chunk_id": row["chunk_id"], "located": "exact", "origin": "test"}
        found = [(m.start() + row["start"], m.end() + row["start"], m.group()) for m in _NAME.finditer(row["text"])]
        for start, end, name in found:
            key = f"mention_{row['doc_id']}_{start}"
            what = {"mention_id": key, "name": name, "type": "PERSON", "attributes": "{}"}
            mentions.append(at | what | {"start": start, "end": end, "quote": name})
        for (start, _, left), (_, end, right) in pairwise(found):
            ends = {"subject": left, "object": right, "subject_type": "PERSON", "object_type": "PERSON"}
            what = {"statement_id": f"statement_{row['doc_id']}_{start}", "predicate": "meet", "polarity": "positive"}
            quote = row["text"][start - row["start"] : end - row["start"]]
            statements.append(at | what | ends | {"start": start, "end": end, "quote": quote})
        outcomes.append(Outcome(row["chunk_id"], "ok" if found else "empty", None if found else "nothing_found"))
    report = outcomes_frame("extract", chunks["chunk_id"], outcomes)
    frames = {"mentions": mentions, "statements": statements}
    return Extraction(
        **{
            name: tables.from_rows(name, rows).sort("doc_id", "start", "end", f"{name[:-1]}_id")
            for name, rows in frames.items()
        },
        outcomes=report,
    )


def plain_read(project: kg.Project, name: str) -> pl.DataFrame:
    """A table as readers see it that know of no ledger, in the order of kgkit."""
    frame = pl.read_delta(str(project.path / "tables" / name)).drop("part")
    return in_order(name, frame)


def stages(project: kg.Project, generation: int) -> None:
    project.read(corpus(generation))
    project.chunk()
    project.extract()
    project.build()
    project.communities()


def work(path: str, extractor: str) -> None:
    if extractor == "names":
        kg.extract = find_names  # type: ignore[assignment]
    else:
        kg.extract(kg.chunk_documents(kg.read_documents(pl.DataFrame({"text": ["Grace Hopper sang."]}))))
    with tempfile.TemporaryDirectory() as scratch:  # load all libraries, so that kills meet the work
        stages(kg.Project(scratch), 0)
    write = Store.write

    def slow_write(store: Store, name: str, parts: dict[str, pl.DataFrame]) -> Written:
        written = write(store, name, parts)
        say(f"wrote {name}")
        time.sleep(0.01)  # as for larger tables: many kills come while some of a stage's tables are written
        return written

    Store.write = slow_write  # type: ignore[method-assign]
    say("ready")
    first = int(sys.stdin.readline())
    project = kg.Project(path)
    for turn in range(first, first + 1000):
        project.decide("merge", f"merge_{turn}", "accepted", reviewer="child")
        say(f"decided merge_{turn}")
        stages(project, turn % 2)


def fill(path: str, limit: str) -> None:
    """Write under a limit on the size of files, as on a full disk."""
    import resource

    kg.extract = find_names  # type: ignore[assignment]
    project = kg.Project(path)
    project.read(corpus(0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
    try:
        project.read(pl.DataFrame({"text": [f"{i} {hash(str(i)) ** 7}" for i in range(20000)]}))
    except kg.errors.ProjectError as error:
        say(f"refused {error}")


def look(path: str, warm: str) -> None:
    """Read, and try to write, as a user who may not write."""
    other = kg.Project(warm)  # loads all libraries while they can still be read
    other.read(corpus(0))
    other.decide("merge", "m", "accepted", reviewer="me")
    other.chunk()
    assert len(other.decisions()) == 1
    if os.getuid() == 0:
        os.setuid(65534)
    project = kg.Project(path)
    say(f"{project.table('documents').height} {len(project.decisions())}")
    for act in (lambda: project.decide("merge", "m", "accepted", reviewer="me"), project.chunk):
        try:
            act()
        except kg.errors.ProjectError as error:
            say(f"refused {error}")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    {"work": work, "fill": fill, "look": look}[sys.argv[1]](*sys.argv[2:])
