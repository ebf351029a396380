"""One browser for all browser tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import drive


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium, or a skip that says why there is none."""
    reason = drive.why_not()
    if reason:
        pytest.skip(reason)
    with drive.chromium() as running:
        yield running


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A fresh page of 1,100 by 760; what it logs and asks for is in ``page.told`` and ``page.asked``."""
    fresh = browser.new_page(viewport={"width": 1100, "height": 760})
    fresh.set_default_timeout(20_000)
    fresh.told, fresh.asked = [], []
    fresh.on("console", lambda message: fresh.told.append(message.text))
    fresh.on("pageerror", lambda error: fresh.told.append(str(error)))
    fresh.on("request", lambda request: fresh.asked.append(request.url))
    yield fresh
    fresh.close()


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """Where a test writes its page."""
    return tmp_path / "graph.html"
