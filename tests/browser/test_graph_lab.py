"""The graph widget in a real JupyterLab: painted, clicked, read back, and keys that stay inside."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest

from browser import drive

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[2]
CELLS = (
    "import kgkit as kg\nfrom browser.samples import history, planted\ngraph, topics, documents = history(90)\n"
    "view = kg.view_graph(graph, communities=topics, documents=documents, height=480)\nview",
    "print('selected', view.selected)",
    "view.selected = 'ent_0001'",
    "kg.view_graph(planted(600)[0], height=400)",
    "import polars as pl\n"
    "pairs = pl.DataFrame({'left_id': ['ent_0001', 'ent_0002'], 'right_id': ['ent_0000', 'ent_0003'], 'score': .9})\n"
    "panel = kg.review([pairs, graph.entities], graph, documents=documents, reviewer='Ada', order='score')\n"
    "panel.ask(kind='merge')\n"
    "panel.follow(view)\npanel",
)
GRAPH = "document.querySelector('.kgkit-graph').kgkitGraph"


def where(page: Any, number: int, entity_id: str) -> tuple[float, float]:
    """A node's place in the window."""
    x, y = page.evaluate(
        """([k, id]) => { const root = document.querySelectorAll('.kgkit-graph')[k], at = root.kgkitGraph.where(id);
        const box = root.querySelector('.kg-canvas').getBoundingClientRect();
        return [box.x + at[0], box.y + at[1]]; }""",
        [number, entity_id],
    )
    return x, y


def test_the_widget_lives_in_a_notebook(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("jupyterlab") is None:
        pytest.skip("jupyterlab is not installed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests")]))
    drive.write_notebook(tmp_path / "graph.ipynb", *CELLS)
    with drive.jupyter_lab(tmp_path) as url:
        page = browser.new_page(viewport={"width": 1300, "height": 1000})
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.set_default_timeout(60_000)
        drive.open_notebook(page, url, "graph.ipynb")
        cells = page.locator(".jp-Notebook .jp-Cell")

        drive.run_cell(page, 0)
        page.wait_for_selector(".kgkit-graph[data-painted]")
        page.mouse.click(*where(page, 0, "ent_0000"))
        page.locator(".kg-panel h3").get_by_text("Ada Lovelace").wait_for()
        for key in ("a", "b", "d", "d", "x", "/", "m", "Escape", "Escape"):
            page.keyboard.press(key)
        assert cells.count() == len(CELLS)
        page.locator(".kg-panel").wait_for(state="hidden")

        page.evaluate("document.querySelector('.kgkit-graph').kgkitGraph.select('ent_0003')")
        page.locator(".kg-search").fill("lovelace")
        page.keyboard.press("Enter")
        page.locator(".kg-panel h3").get_by_text("Ada Lovelace").wait_for()
        drive.run_cell(page, 1)
        page.locator(".jp-OutputArea-output").get_by_text("selected ent_0000").wait_for()

        drive.run_cell(page, 2)
        page.locator(".kg-panel h3").get_by_text("Charles Babbage").wait_for()

        drive.run_cell(page, 3)  # a large one asks the kernel for its quotes
        page.locator(".kgkit-graph[data-painted]").nth(1).wait_for()
        page.locator(".kgkit-graph").nth(1).scroll_into_view_if_needed()
        page.mouse.click(*where(page, 1, "e000001"))
        panel = page.locator(".kgkit-graph").nth(1).locator(".kg-panel")
        panel.locator(".kg-why").first.click()
        panel.get_by_text("No located quote.").wait_for()

        drive.run_cell(page, 4)  # a review goes along with the first view
        review = page.locator(".kgkit-review[data-painted]")
        review.wait_for()
        page.locator(".kg-search").first.fill("turing")
        page.keyboard.press("Enter")
        review.get_by_text("Nothing to decide here.").wait_for()
        page.locator(".kg-search").first.fill("babbage")
        page.keyboard.press("Enter")
        review.get_by_text("0 of 1 decided").wait_for()
        review.get_by_label("Kind").select_option("type")  # another kind, still about the same
        review.get_by_text("Is this one thing").wait_for()
        assert "Only about" in review.locator(".kr-about").inner_text()
        review.get_by_label("Kind").select_option("merge")
        review.get_by_text("Are these one?").wait_for()
        page.wait_for_function(f"{GRAPH}.still()")
        there = page.evaluate(f"Object.fromEntries({GRAPH}.ids().map((i) => [i, {GRAPH}.where(i)]))")
        review.locator("h3").click()
        page.keyboard.press("2")
        page.keyboard.press("a")
        page.wait_for_function(f"!{GRAPH}.ids().includes('ent_0001')")
        page.wait_for_function(f"{GRAPH}.still()")
        kept = page.evaluate(f"Object.fromEntries({GRAPH}.ids().map((i) => [i, {GRAPH}.where(i)]))")
        assert kept == {i: at for i, at in there.items() if i != "ent_0001"}
        page.locator(".kg-panel h3").first.get_by_text("Charles Babbage").wait_for()  # the name that was chosen
        page.keyboard.press("u")
        page.wait_for_function(f"{GRAPH}.ids().includes('ent_0001')")
        assert page.evaluate(f"Object.fromEntries({GRAPH}.ids().map((i) => [i, {GRAPH}.where(i)]))") == there
        assert errors == []
        page.close()
