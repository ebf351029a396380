"""Reading and chunking: public files with traps, many small files, one large text, and hostile files.

Peak memory is that of the process that reads the file.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import polars as pl

import kgkit as kg

SHARED = Path(os.environ.get("KGKIT_SHARED", Path(__file__).resolve().parent.parent.parent / "shared"))
SMALL = 3_000
ONE = """
import sys, time
from kgkit.documents.onefile import read_file
from kgkit.documents.parsed import ReadOptions
since = time.perf_counter()
read = read_file(sys.argv[1], sys.argv[1], ReadOptions())
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]
print(read.status, read.reason, time.perf_counter() - since, int(peak) / 1024)
"""


def main() -> None:
    print("## Reading and chunking\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("| what | s |\n|---|---|")
        if (SHARED / "data" / "files").is_dir():
            row("53 public files with traps, `read_documents`", lambda: kg.read_documents(SHARED / "data" / "files"))
        small = folder / "small"
        small.mkdir()
        for number in range(SMALL):
            (small / f"{number}.txt").write_text(
                f"Letter {number}. The kiln was opened in 19{number % 100:02d}.\n" * 20
            )
        row(f"{SMALL:,} text files of 1 kB", lambda: kg.read_documents(small))
        prose = pl.DataFrame({"text": ["The gate was opened. Odd Varga held the key to it.\n\n" * 20_000]})
        row("`chunk_documents`, one text of 1,000,000 characters", lambda: kg.chunk_documents(kg.read_documents(prose)))
        blank = pl.DataFrame({"text": ["x" * 1_000_000]})
        row("the same without any blank", lambda: kg.chunk_documents(kg.read_documents(blank)))
        hostile(folder)


def row(what: str, run: object) -> None:
    since = time.perf_counter()
    result = run()  # type: ignore[operator]
    print(f"| {what}: {result.counts['ok']:,} ok | {time.perf_counter() - since:.2f} |")


def hostile(folder: Path) -> None:
    print("\nHostile files, each refused in a process of its own (aim: 2 s and 200 MB):\n")
    print("| file | reason | s | peak MB |\n|---|---|---|---|")
    laughs = '<!DOCTYPE d [<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    files = {
        "laughs.xml": f"<?xml version='1.0'?>{laughs}]><d>&a11;</d>".encode(),
        "outside.xml": b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]><d>&x;</d>',
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with zipfile.ZipFile(folder / "bomb.docx", "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("[Content_Types].xml", "<Types/>")
        with book.open("word/document.xml", "w", force_zip64=True) as part:
            for _ in range(2_000):
                part.write(bytes(1_000_000))
    with zipfile.ZipFile(folder / "laughs.xlsx", "w") as book:
        book.writestr("[Content_Types].xml", "<Types/>")
        book.writestr("xl/workbook.xml", files["laughs.xml"])
    for name in ("laughs.xml", "outside.xml", "bomb.docx", "laughs.xlsx"):
        done = subprocess.run(
            [sys.executable, "-c", ONE, str(folder / name)], capture_output=True, text=True, check=True
        )
        status, reason, seconds, peak = done.stdout.split()
        print(
            f"| {name} ({(folder / name).stat().st_size / 1e6:.1f} MB) | {status}: {reason} "
            f"| {float(seconds):.2f} | {float(peak):.0f} |"
        )


if __name__ == "__main__":
    main()
