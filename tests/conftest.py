"""Fixtures that many tests share."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session", autouse=True)
def _interrupts_interrupt() -> None:
    """Let SIGINT interrupt, here and in processes that tests start, also where all of this runs in the background."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


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
