"""Each layer imports only layers above it, and heavy libraries stay where they belong."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "kgkit"

# From the foundations to the surfaces. Modules of one line may use each other only where they are one package.
LAYERS = [
    ["errors", "lazy"],
    ["ids", "text", "language"],
    ["tables"],
    ["frames"],
    ["display"],
    ["results", "parallel"],
    ["models"],
    ["graph"],  # what decisions apply to
    ["documents", "extraction", "resolution", "communities", "retrieval"],  # stages never meet
    ["evaluate", "reviewing"],
    ["notebook"],
    ["export"],
    ["pipeline"],
    ["project"],
    ["cli_show"],
    ["cli_card"],
    ["cli_asking"],
    ["cli_project", "cli_review"],
    ["cli"],
    ["__main__"],
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}

HEAVY = {  # library -> the only places that may name it
    "pandas": {"frames"},
    "networkx": {"export", "graph"},
    "igraph": {"communities", "export", "notebook"},
    "spacy": {"models", "extraction"},
    "anywidget": {"notebook"},
    "openai": {"models"},
}
AT_TOP = {"pandas", "networkx", "igraph", "spacy", "openai", "sklearn", "scipy", "pyarrow", "leidenalg", "networkit"}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(tree: ast.AST) -> Iterator[tuple[ast.stmt, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node, node.module
            if node.module == "kgkit":
                yield from ((node, f"kgkit.{alias.name}") for alias in node.names)


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_upwards_only(path: Path) -> None:
    here = part_of(path)
    if here == "__init__":
        return
    assert here in RANK, f"{here} is in no layer: add it to LAYERS in {Path(__file__).name}"
    for node, name in imports(ast.parse(path.read_text("utf-8"))):
        parts = name.split(".")
        if parts[0] != "kgkit" or len(parts) == 1 or parts[1] == here or parts[1].startswith("__"):
            continue
        assert RANK[parts[1]] < RANK[here], f"{path.name}:{node.lineno} imports {name}, which is not above {here}"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_heavy_libraries_are_imported_where_they_are_used(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    top = {id(node) for node in tree.body}
    for node, name in imports(tree):
        root = name.split(".")[0]
        if id(node) in typing_only:
            continue
        if root in HEAVY:
            assert part_of(path) in HEAVY[root], f"{path.name}:{node.lineno}: {root} belongs in {HEAVY[root]}"
        assert not (root in AT_TOP and id(node) in top), f"{path.name}:{node.lineno}: import {root} inside a function"
