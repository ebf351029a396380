"""The review panel in a real JupyterLab."""

from __future__ import annotations

import importlib.util
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browser import drive

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[2]
CELLS = (
    "import kgkit as kg\n"
    "from browser.review_notebook import Stubborn, pairs, people\n"
    "store = Stubborn('p.kg')\n"
    "panel = kg.review(pairs(400, 90), people(400), project=store, reviewer='Ada', order='score')\n"
    "panel",
    "print('kept', panel.decisions.height, panel.progress.decided)",
    "store.broken = True",
    "store.broken = False",
)
KEPT = "document.querySelector('.kgkit-review').dataset.answered"


def said(page: Any, cell: int, text: str) -> None:
    drive.run_cell(page, cell)
    page.locator(".jp-OutputArea-output").get_by_text(text).wait_for()


def saving(folder: Path) -> bytes:
    return (folder / "review.ipynb").read_bytes()


def until(true: Callable[[], bool], seconds: float = 20) -> None:
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < seconds
        time.sleep(0.1)


def test_a_review_in_a_notebook(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("jupyterlab") is None:
        pytest.skip("jupyterlab is not installed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests")]))
    drive.write_notebook(tmp_path / "review.ipynb", *CELLS)
    with drive.jupyter_lab(tmp_path, theme="JupyterLab Dark") as url:
        page = browser.new_page(viewport={"width": 1300, "height": 1100})
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.set_default_timeout(60_000)
        drive.open_notebook(page, url, "review.ipynb")
        cells, panel = page.locator(".jp-Notebook .jp-Cell"), page.locator(".kgkit-review")
        drive.run_cell(page, 0)
        page.wait_for_selector(".kgkit-review[data-painted][data-theme=dark]")

        # Hostile names are shown as they are.
        assert "<img src=x" in panel.locator("h4").first.inner_text()
        assert page.evaluate("window.__kgkit_pwn") is None

        # Keys stay in the panel, and a held key or a double click decides once.
        panel.locator("h3").click()
        for key in ("b", "d", "d", "x", "z", "m", "?", "Escape"):
            page.keyboard.press(key)
        panel.get_by_role("button", name="Reject").dblclick()
        page.wait_for_function(f"{KEPT} == 1")
        page.keyboard.press("u")
        panel.locator(".kr-message").get_by_text("Taken back.").wait_for()
        assert cells.count() == len(CELLS)

        # Ctrl+S saves the notebook from within the panel, and Ctrl+Z in a field is the field's.
        saved = saving(tmp_path)
        panel.locator("h3").click()
        page.keyboard.press("Control+s")
        until(lambda: saving(tmp_path) != saved)
        page.keyboard.press("n")
        page.keyboard.type("ab")
        page.keyboard.press("Control+z")
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        page.keyboard.press("Escape")
        assert panel.locator(".kr-note").input_value() == "" and cells.count() == len(CELLS)

        # Quick keys are all counted.
        for k in range(30):
            page.keyboard.press("ar"[k % 2])
        page.wait_for_function(f"{KEPT} == 31")
        said(page, 1, "kept 32 30")

        # What cannot be kept is said beside the item, which stays; a later try works.
        drive.run_cell(page, 2)
        before = panel.get_attribute("data-item")
        panel.get_by_role("button", name="Accept").click()
        panel.locator(".kr-card .kr-error").get_by_text("the ledger is read-only").wait_for()
        assert panel.get_attribute("data-item") == before
        drive.run_cell(page, 3)
        page.wait_for_timeout(300)
        panel.get_by_role("button", name="Accept").click()
        panel.locator(".kr-count").get_by_text("31 of").wait_for()

        # The panel is there after the page was loaded again, and what is saved has a picture.
        said(page, 1, "kept 33 31")
        page.keyboard.press("Control+s")
        page.wait_for_timeout(1500)
        outputs = json.loads((tmp_path / "review.ipynb").read_text("utf-8"))["cells"][0]["outputs"]
        assert "Run the cell to go on" in "".join(outputs[0]["data"]["text/html"])
        page.goto(f"{url}/lab/tree/review.ipynb", wait_until="domcontentloaded")
        page.wait_for_selector(".kgkit-review[data-painted]")
        panel.locator(".kr-count").get_by_text("31 of").wait_for()

        # Running the cell again goes on where it was; a kernel that does not answer is told.
        drive.run_cell(page, 0)
        page.locator(".jp-CodeCell").first.locator(".kr-count").get_by_text("31 of").wait_for()

        page.get_by_role("menuitem", name="Kernel", exact=True).click()
        page.get_by_role("menuitem", name="Restart Kernel…").click()
        page.get_by_role("button", name="Confirm Kernel Restart").click()
        page.locator("#jp-main-statusbar").get_by_text("| Idle").wait_for()
        panel.locator("h3").click()
        page.keyboard.press("a")
        panel.locator(".kr-error").get_by_text("1 answer may not be kept.").wait_for()
        drive.run_cell(page, 0)
        page.locator(".jp-CodeCell").first.locator(".kr-count").get_by_text("31 of").wait_for()
        assert errors == []
        page.close()
