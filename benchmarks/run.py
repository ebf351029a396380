"""Run the benchmarks and write docs/benchmarks.md.

    python benchmarks/run.py              all
    python benchmarks/run.py import graph only these; the other sections stay as they are
    python benchmarks/run.py scale=1m     with an argument

Each ``bench_NAME.py`` prints one Markdown section to standard output and can be run alone.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

Everything here is printed by `make bench` (or `python benchmarks/run.py NAME` for one section) and written to this
page. Times are wall-clock seconds on the machine named with each section; machines differ and are noisy, so compare
the rows of one section with each other. Data sets with gold answers are public ones; `KGKIT_SHARED` names the folder
that holds them.
"""


def main(names: list[str]) -> int:
    status = 0
    wanted = {name: argument for name, _, argument in (given.partition("=") for given in names)}
    for path in sorted(HERE.glob("bench_*.py")):
        name = path.stem.removeprefix("bench_")
        if wanted and name not in wanted:
            continue
        print(f"{name} ...", flush=True)
        since = time.perf_counter()
        argument = wanted.get(name, "")
        command = [sys.executable, str(path), *filter(None, [argument])]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        if done.returncode:
            print(f"{name} failed; its section stays as it was", file=sys.stderr)
            status = 1
            continue
        today = time.strftime("%Y-%m-%d")
        where = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {today}"
        given = f"{name}={argument}" if argument else name
        took = f"{time.perf_counter() - since:.0f} s; `python benchmarks/run.py {given}`"
        sections = stored()  # only now: others may have written theirs meanwhile
        sections[name] = f"{done.stdout.strip()}\n\n*{where}; {took}*\n"
        write(sections)
        print(sections[name], flush=True)
    return status


def stored() -> dict[str, str]:
    if not PAGE.exists():
        return {}
    parts = re.split(r"<!-- section: (\w+) -->\n", PAGE.read_text("utf-8"))
    return dict(zip(parts[1::2], (p.strip() + "\n" for p in parts[2::2]), strict=True))


def write(sections: dict[str, str]) -> None:
    body = "".join(f"\n<!-- section: {name} -->\n{text}" for name, text in sorted(sections.items()))
    PAGE.write_text(HEAD + body, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
