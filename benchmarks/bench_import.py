"""How long ``import kgkit`` and ``kgkit --help`` take, in fresh processes."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

RUNS = 15
CASES = {
    "python -c pass": ["-c", "pass"],
    "import kgkit (aim: under 0.3 s)": ["-c", "import kgkit"],
    "kgkit --help (aim: under 0.5 s)": ["-m", "kgkit", "--help"],
    "import polars, for comparison": ["-c", "import polars"],
}


def seconds(arguments: list[str]) -> float:
    since = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - since


def main() -> None:
    taken = {name: [] for name in CASES}
    for _ in range(RUNS):
        for name, arguments in CASES.items():
            taken[name].append(seconds(arguments))
    print("## Start\n")
    print(f"Whole processes, {RUNS} runs each, interleaved.\n")
    print("| process | median s | slowest s |\n|---|---|---|")
    for name, values in taken.items():
        print(f"| {name} | {statistics.median(values):.3f} | {max(values):.3f} |")


if __name__ == "__main__":
    main()
