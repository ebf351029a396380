"""A project whose writer is killed 200 times at random moments: the test of the suite, at length."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

KILLS = 200
TEST = "tests/project/test_project_kills.py::test_killed_at_random_moments"


def main() -> None:
    root = Path(__file__).resolve().parent.parent
    since = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-s", TEST],
        cwd=root,
        env={**os.environ, "KGKIT_KILLS": str(KILLS)},
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        raise SystemExit(done.stdout)
    told = [line for line in done.stdout.splitlines() if line.startswith("killed")]
    print("## Projects under fire\n")
    print(
        f"A process that decides, reads, chunks, extracts, builds and finds communities is killed (SIGKILL) {KILLS} "
        "times; after each, the project is opened: its tables must be whole and of one state, readers without kgkit "
        "must see the same, every decision that was acknowledged must be there, and nothing may be left over.\n"
    )
    for line in told:
        print(f"- {line}")
    print(f"- all {KILLS} opened in a complete earlier or later state ({time.perf_counter() - since:.0f} s)")


if __name__ == "__main__":
    main()
