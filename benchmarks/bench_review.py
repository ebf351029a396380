"""How long reviewing takes at 20,000 proposals and 5,000 entities: without a front end, and in a real JupyterLab.

python benchmarks/bench_review.py             all
python benchmarks/bench_review.py engine      without the browser
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import polars as pl

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "benchmarks")]

from browser import drive, samples  # noqa: E402

import kgkit as kg  # noqa: E402
from kgkit.reviewing import Review  # noqa: E402

ENTITIES, PROPOSALS, FORMS, TIMES = 5_000, 20_000, 10, 15
SYLLABLES = [*map("".join, product("bdglmnrstv", "aeo"))]
HEAD = f"""## Reviewing

{{proposals:,}} merge proposals, asked in pairs, about a graph of {ENTITIES:,} entities and {{relations:,}} relations;
each decision is one transaction of a project on disk. Medians, and the slowest, of as many tries as are named.

| {{title}} | tries | median ms | slowest ms |
|---|---|---|---|"""
CELLS = (
    "from bench_review import made\nimport kgkit as kg, kgkit.notebook.graph_view, igraph, scipy.spatial\n"
    "graph, topics, merges = made()\nproject = kg.Project('review.kg')\nprint('ready')",
    "panel = kg.review(merges, graph, project=project, reviewer='Ada', order='uncertain', groups=False)\npanel",
    "from ipywidgets import VBox\npanel.learn = False\nview = kg.view_graph(graph, communities=topics, height=420)\n"
    "panel.follow(view)\nVBox([view, panel])",
    "import time\nsince = time.perf_counter()\npanel.rescore()\nprint('scored in', time.perf_counter() - since)",
)
ROOTS = "const panel = [...document.querySelectorAll('.kgkit-review')].at(-1);"
GRAPH = "const root = document.querySelector('.kgkit-graph'), graph = root.kgkitGraph;"
UNTIL = """const until = async (true_) => { const since = performance.now(), limit = since + 30000;
  while (!true_()) { if (performance.now() > limit) throw new Error('waited too long: ' + true_);
    await new Promise((done) => { const c = new MessageChannel();
      c.port1.onmessage = done; c.port2.postMessage(0); }); }
  return performance.now() - since; };
const press = (key) => panel.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
const answered = () => Number(panel.dataset.answered || 0);
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));"""
DECIDE = f"""async (key) => {{ {ROOTS} {UNTIL}
  const item = panel.dataset.item, n = answered(), since = performance.now();
  press(key);
  await until(() => panel.dataset.item !== item);
  await painted();
  const next = performance.now() - since;
  await until(() => answered() > n);
  return [next, performance.now() - since]; }}"""
BURST = f"""async () => {{ {ROOTS} {UNTIL}
  const n = answered(), since = performance.now();
  let taken = 0;
  for (let k = 0; k < 30; k++) {{
    press('ar'[k % 2]);
    taken += !panel.querySelector('.kr-message').textContent.startsWith('The next item');
    await new Promise((done) => setTimeout(done, 15)); }}
  await until(() => answered() >= n + taken);
  return [performance.now() - since, taken]; }}"""
CHOOSE = f"""async (id) => {{ {ROOTS} {GRAPH} {UNTIL}
  const box = root.querySelector('.kg-canvas').getBoundingClientRect(), name = graph.named(id);
  const input = root.querySelector('.kg-search'), about = () => panel.querySelector('.kr-about').textContent;
  const before = about();
  input.focus(); input.value = name; input.dispatchEvent(new Event('input', {{ bubbles: true }}));
  const since = performance.now();
  input.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'Enter', bubbles: true }}));
  await until(() => about() && about() !== before && panel.querySelector('.kr-card'));
  await painted();
  return performance.now() - since; }}"""
REDRAW = f"""async () => {{ {ROOTS} {GRAPH} {UNTIL}
  const n = answered(), before = graph.ids().length, times = Number(root.dataset.times), since = performance.now();
  press('a');
  await until(() => answered() > n);
  const kept = performance.now() - since;
  await until(() => Number(root.dataset.times) > times);
  await painted();
  return [kept, performance.now() - since, before - graph.ids().length]; }}"""


def names(n: int, seed: int = 0) -> list[str]:
    """Make names of people, some of them written in several ways."""
    rng = random.Random(seed)

    def word(k: int) -> str:
        return "".join(rng.choice(SYLLABLES) for _ in range(k)).capitalize()

    first, last = [word(2) for _ in range(150)], [word(3) for _ in range(1200)]
    found: list[str] = []
    while len(found) < n:
        f, m, name = rng.choice(first), rng.choice(first), rng.choice(last)
        forms = [f"{f} {name}", f"{f[0]}. {name}", f"{f} {m[0]}. {name}", f"{name}, {f}", f"{f} {name[:-1]}"]
        forms += [f"{f} {m} {name}", f"{f}  {name}", f"Dr. {f} {name}", f"{f} {name} {m}", f"{f}-{m} {name}"]
        found += forms
    return found[:n]


def made() -> tuple[Any, Any, Any]:
    """Make a graph, its communities, and proposals."""
    graph, topics = samples.planted(ENTITIES)
    graph.frames["entities"] = graph.frames["entities"].with_columns(name=pl.Series(names(ENTITIES)))
    scores = kg.propose_merges(graph, threshold=0.02).merges["score"].sort(descending=True)
    return graph, topics, kg.propose_merges(graph, threshold=float(scores[:PROPOSALS][-1]))


def tried(act: Callable[[], Any], times: int = 1) -> list[float]:
    spent = []
    for _ in range(times):
        since = time.perf_counter()
        act()
        spent.append(1000 * (time.perf_counter() - since))
    return spent


def row(what: str, spent: list[float]) -> str:
    return f"| {what} | {len(spent)} | {median(spent):,.0f} | {max(spent):,.0f} |"


def engine() -> list[str]:
    """Measure without a front end."""
    graph, _, merges = made()
    with tempfile.TemporaryDirectory() as folder:
        project = kg.Project(Path(folder) / "p.kg")

        def opened() -> Review:
            return kg.review(merges, graph, project=project, order="uncertain", learn=False, groups=False)

        rows = [row("open", tried(opened, 5))]
        desk = opened()
        person = {e: i // FORMS for i, e in enumerate(graph.entities["entity_id"])}

        def decide() -> None:
            item = desk.item(desk.upcoming(1)[0])
            one = len({person[side["entity_id"]] for side in item["sides"]}) == 1
            desk.decide(item["item_id"], "accepted" if one else "rejected")

        rows.append(row("decide: kept, next items ready", tried(decide, 50)))
        spent = tried(desk.rescore, 5)
        rows.append(row(f"score the {desk.changes[-1].n_open:,} that are open anew, after 50 answers", spent))
        ask = tried(lambda: merges.next_questions(10, decisions=desk.decisions), 5)
        rows.append(row("choose the ten questions that teach most", ask))
        desk.learn = False
        at = float(pl.Series(to_scores(desk)).sort(descending=True)[1_000])
        preview = tried(lambda: desk.preview("accepted", at=at), 5)
        rows.append(row(f"preview accepting {desk.preview('accepted', at=at).n:,} at once", preview))
        rows.append(row("accept them", tried(lambda: desk.decide_all("accepted", at=at))))
        rows.append(row("undo them in one step", tried(desk.undo)))
        rows.append(row("open again, with all of these decisions", tried(opened, 5)))
    return rows


def to_scores(desk: Review) -> list[float]:
    return desk.queue["score"].drop_nulls().to_list()


def in_lab() -> list[str]:
    """Measure in a JupyterLab, in the browser's own time."""
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:3])
    with tempfile.TemporaryDirectory() as folder, drive.jupyter_lab(Path(folder)) as url, drive.chromium() as browser:
        drive.write_notebook(Path(folder, "review.ipynb"), *CELLS)
        page = browser.new_page(viewport={"width": 1300, "height": 1500})
        page.set_default_timeout(90_000)
        drive.open_notebook(page, url, "review.ipynb")
        drive.run_cell(page, 0)
        page.locator(".jp-OutputArea-output").get_by_text("ready").wait_for()
        opened = []
        for _ in range(5):
            page.evaluate("document.querySelector('.kgkit-review')?.remove()")
            page.locator(".jp-Notebook .jp-CodeCell .jp-InputArea-editor").nth(1).click()
            since = time.perf_counter()
            page.keyboard.press("Control+Enter")
            page.wait_for_selector(".kgkit-review[data-painted]")
            opened.append(1000 * (time.perf_counter() - since))
        rows = [row("run the cell → first item shown", opened)]
        both = [page.evaluate(DECIDE, "ar"[k % 2]) for k in range(TIMES)]
        rows.append(row("key → next item painted", [b[0] for b in both]))
        rows.append(row("key → decision kept and acknowledged", [b[1] for b in both]))
        bursts = []
        for _ in range(3):
            page.wait_for_timeout(10_000)  # it learns from what was answered before
            bursts.append(page.evaluate(BURST))
        taken = min(n for _, n in bursts)
        rows.append(row(f"30 keys, 15 ms apart → {taken} of 30 kept and acknowledged", [ms for ms, _ in bursts]))
        page.wait_for_timeout(6_000)  # it learns from these
        drive.run_cell(page, 3)
        page.wait_for_timeout(200)
        busy = [page.evaluate(DECIDE, "r") for _ in range(8)]
        page.locator(".jp-OutputArea-output").get_by_text("scored in").wait_for()
        rows.append(row("key → next item painted, while the kernel scores anew", [b[0] for b in busy]))

        drive.run_cell(page, 2)
        page.wait_for_selector(".kgkit-graph[data-painted]")
        page.wait_for_timeout(1_500)
        ids = page.evaluate(f"(() => {{ {GRAPH} return graph.ids().slice(0, 400); }})()")
        chosen, kept, drawn, gone = [], [], [], 0
        for k in range(TIMES):
            chosen.append(page.evaluate(CHOOSE, ids[20 * k + 7]))
            page.wait_for_timeout(400)
            done = page.evaluate(REDRAW)
            kept.append(done[0])
            drawn.append(done[1])
            gone += done[2]
            page.wait_for_timeout(300)
        rows.append(row("choose in the graph → its first proposal shown", chosen))
        rows.append(row("accept, with the graph beside it → acknowledged", kept))
        rows.append(row(f"accept → graph drawn anew ({gone} entities joined)", drawn))
        page.close()
    return rows


def main(wanted: list[str]) -> None:
    graph, _, merges = made()
    n, m = graph.relations.height, merges.merges.height
    print(HEAD.format(relations=n, proposals=m, title="without a front end"))
    print("\n".join(engine()))
    if "engine" not in wanted:
        if drive.why_not():
            sys.exit(drive.why_not())
        print("\n| in JupyterLab | tries | median ms | slowest ms |\n|---|---|---|---|")
        print("\n".join(in_lab()))


if __name__ == "__main__":
    main(sys.argv[1:])
