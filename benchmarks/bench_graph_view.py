"""How fast the graph view shows in JupyterLab and as a page, and how it moves, by number of entities."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from browser import drive, samples  # noqa: E402

SIZES = (100, 1_000, 5_000, 20_000)
VIEW = ".kgkit-graph[data-painted]"
SETUP = "import kgkit as kg, kgkit.notebook.graph_view, igraph, scipy.spatial\nfrom browser.samples import planted"
PAN = """async () => {  // drag in a circle for two seconds; count the frames that were shown
  const root = [...document.querySelectorAll('.kgkit-graph')].at(-1);
  const canvas = root.querySelector('.kg-canvas');
  const box = canvas.getBoundingClientRect(), at = (t) => ({
    clientX: box.x + 400 + 120 * Math.cos(t),
    clientY: box.y + 250 + 90 * Math.sin(t), pointerId: 1, bubbles: true, button: 0 });
  canvas.setPointerCapture = () => {};
  canvas.dispatchEvent(new PointerEvent('pointerdown', at(0)));
  const began = performance.now(); let frames = 0;
  while (performance.now() - began < 2000) {
    canvas.dispatchEvent(new PointerEvent('pointermove', at((performance.now() - began) / 300)));
    await new Promise(requestAnimationFrame); frames++;
  }
  canvas.dispatchEvent(new PointerEvent('pointerup', at(0)));
  return [frames / ((performance.now() - began) / 1000), root.kgkitGraph.cost()];
}"""


def in_lab(browser, url: str, n: int) -> tuple[float, float, float]:
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    drive.open_notebook(page, url, f"view_{n}.ipynb")
    drive.run_cell(page, 0)
    page.locator(".jp-OutputArea-output").get_by_text("ready").first.wait_for(timeout=60_000)
    page.locator(".jp-Notebook .jp-CodeCell .jp-InputArea-editor").nth(1).click()
    since = time.perf_counter()
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(VIEW, timeout=60_000)
    painted = time.perf_counter() - since
    page.wait_for_timeout(500)
    fps, cost = page.evaluate(PAN)
    page.close()
    return painted, fps, cost


def as_page(browser, path: Path) -> tuple[float, float]:
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    since = time.perf_counter()
    page.goto(path.as_uri(), wait_until="commit")
    page.wait_for_selector(VIEW, timeout=60_000)
    painted = time.perf_counter() - since
    page.wait_for_timeout(500)
    fps, _ = page.evaluate(PAN)
    page.close()
    return painted, fps


def main() -> None:
    if drive.why_not():
        sys.exit(drive.why_not())
    import kgkit as kg

    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])
    rows = []
    kg.view_graph(samples.planted(1500)[0])  # imports
    with tempfile.TemporaryDirectory() as folder, drive.jupyter_lab(Path(folder)) as url, drive.chromium() as browser:
        for n in SIZES:
            drive.write_notebook(
                Path(folder, f"view_{n}.ipynb"),
                f"{SETUP}\ngraph, topics = planted({n})\nprint('ready')",
                "kg.view_graph(graph, communities=topics)",
            )
            graph, topics = samples.planted(n)
            since = time.process_time()
            view = kg.view_graph(graph, communities=topics)
            made = time.process_time() - since
            path = Path(folder, f"{n}.html")
            view.to_html(path)
            lab, page = in_lab(browser, url, n), as_page(browser, path)
            rows.append((n, len(graph.relations), made, *lab, path.stat().st_size / 1e6, *page))
    print("## Graph view\n")
    print(
        "Planted communities, two relations an entity. *Painted*: from the key that runs the cell (or opens the page)"
    )
    print("to the first complete picture, layout included. *Redraw*: one complete picture; slower ones are moved as a")
    print("whole while dragging and redrawn at rest, so that frames a second stay high. Software rendering, no GPU.\n")
    head = ["entities", "relations", "view_graph, CPU s", "Lab: painted s", "Lab: frames/s", "redraw ms"]
    head += ["page MB", "page: painted s", "page: frames/s"]
    print(f"| {' | '.join(head)} |")
    print("|" + "---|" * len(head))
    for n, m, made, painted, fps, cost, size, opened, page_fps in rows:
        cells = [f"{n:,}", f"{m:,}", f"{made:.2f}", f"{painted:.2f}", f"{fps:.0f}", f"{cost:.0f}"]
        print("| " + " | ".join([*cells, f"{size:.2f}", f"{opened:.2f}", f"{page_fps:.0f}"]) + " |")


if __name__ == "__main__":
    main()
