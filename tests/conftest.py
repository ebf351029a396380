"""Fixtures that many tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with public data sets and bug-report cases, kept outside of the project."""
    folder = Path(os.environ.get("KGKIT_SHARED", ROOT.parent / "shared"))
    if not (folder / "cases").is_dir():
        pytest.skip(f"the data folder {folder.name}/ is not beside the project (or set KGKIT_SHARED to it)")
    return folder


@pytest.fixture(scope="session")
def pioneers() -> Path:
    """The sample corpus."""
    return ROOT / "data" / "pioneers"
