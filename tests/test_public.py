"""What ``import kgkit`` offers, and that it stays light."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import kgkit as kg

HEAVY = ("polars", "pandas", "numpy", "pyarrow", "spacy", "sklearn", "igraph", "networkx", "anywidget")
FUNCTIONS = sorted(kg._HOME)


def light(code: str) -> None:
    check = f"{code}\nimport sys\nbad = [m for m in {HEAVY!r} if m in sys.modules]\nassert not bad, bad"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr


def test_import_is_light() -> None:
    light("import kgkit")


def test_help_is_light() -> None:
    light("from kgkit.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass")


def test_every_public_name_is_there_and_declared_for_type_checkers() -> None:
    for name in kg.__all__:
        assert getattr(kg, name) is not None
    tree = ast.parse(Path(kg.__file__).read_text("utf-8"))
    block = next(n for n in tree.body if isinstance(n, ast.If) and getattr(n.test, "id", "") == "TYPE_CHECKING")
    seen = {alias.name for node in block.body for alias in node.names}  # type: ignore[attr-defined]
    assert seen == set(kg.__all__)


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute 'extrakt'"):
        kg.extrakt  # noqa: B018


POSITIONAL = {"OpenAIModel": 2}  # the order in which every client of such endpoints takes them: address, then key


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_have_an_example_and_keyword_only_options(name: str) -> None:
    function = getattr(kg, name)
    doc = inspect.getdoc(function) or ""
    assert "Example" in doc, f"kg.{name} has no example"
    needed = ["Args:"] if inspect.isclass(function) else ["Args:", "Returns:"]
    assert all(part in doc for part in needed), f"kg.{name} does not describe its arguments and result"
    positional = [
        p
        for p in inspect.signature(function).parameters.values()
        if p.kind is p.POSITIONAL_OR_KEYWORD and p.default is not p.empty
    ]
    allowed = POSITIONAL.get(name, 1)
    assert len(positional) <= allowed, f"kg.{name}: options are keyword-only, these are not: {positional}"
