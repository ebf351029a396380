"""Make the generated part of the documentation: tables, functions, command line, notebooks, changelog.

Everything goes to docs/reference/, which is not kept: its sources are the code, the notebooks and CHANGELOG.md.
"""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path

import kgkit as kg
from kgkit.cli import build_parser

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "reference"


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    write("tables.md", tables_page())
    write("functions.md", functions_page())
    write("frames.md", "# Dataframes in and out\n\n::: kgkit.frames\n\n## Results\n\n::: kgkit.results.Result\n")
    write("errors.md", "# Errors\n\n::: kgkit.errors\n")
    write("cli.md", cli_page())
    write("changelog.md", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    write("decisions.md", decisions_page())
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        write_notebook(notebook)


def write(name: str, text: str) -> None:
    path = OUT / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def tables_page() -> str:
    parts = [
        "# Tables",
        "Every table of kgkit, generated from its declaration; `kg.tables.describe()` shows the same as a frame. "
        "Key columns are marked with *. Columns that may be null say so.",
    ]
    for name in kg.tables.names():
        table = kg.tables.get(name)
        parts += [f"## {name}", f"One row is {table.row}.", "| column | dtype | meaning |\n|---|---|---|"]
        rows = kg.tables.describe(name).iter_rows(named=True)
        parts[-1] += "".join(
            f"\n| {r['column']}{'*' * r['key']} | {r['dtype']}{', or null' * r['nullable']} | {r['meaning']} |"
            for r in rows
        )
    return "\n\n".join(parts).replace("#record", "\\#record") + "\n"


def functions_page() -> str:
    parts = [
        "# Functions",
        "The stages and what goes with them. Each takes frames of any kind and gives back the same.",
    ]
    parts += [f'::: kgkit.{home_of(name)}.{name}\n    options:\n      heading: "kg.{name}"' for name in kg._HOME]
    parts += ["## Reviewing"]
    parts += [
        f'::: kgkit.reviewing.{place}\n    options:\n      heading: "kgkit.reviewing.{place.split(".")[-1]}"\n'
        f"      inherited_members: {str(place == 'review.Review').lower()}"
        for place in ("review.Review", "options.Options", "kinds.kind.Kind", "messages.answer_message")
    ]
    parts += ["## Evaluate", "::: kgkit.evaluate\n    options:\n      show_root_heading: false"]
    return "\n\n".join(parts) + "\n"


def home_of(name: str) -> str:
    return str(getattr(kg, name).__module__).removeprefix("kgkit.")


def cli_page() -> str:
    parser = build_parser()
    parts = ["# The command line", fenced(parser.format_help())]
    commands = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    for name, command in commands.choices.items():
        parts += [f"## kgkit {name}", fenced(command.format_help())]
    return "\n\n".join(parts) + "\n"


def fenced(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"


def decisions_page() -> str:
    parts = ["# Decisions", "Why things are as they are, one short page each."]
    pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    parts += [re.sub(r"^#", "##", page.read_text("utf-8"), flags=re.M) for page in pages]
    return "\n\n".join(parts) + "\n"


def write_notebook(path: Path) -> None:
    from nbconvert import MarkdownExporter

    body, resources = MarkdownExporter().from_filename(str(path))
    folder = OUT / "notebooks"
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in resources["outputs"].items():
        target = f"{path.stem}_{name}"
        (folder / target).write_bytes(data)
        body = body.replace(f"({name})", f"({target})")
    (folder / f"{path.stem}.md").write_text(body, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
