"""A working session on the sample corpus: a script that opens JupyterLab in a browser and clicks like a person.

    python tools/review_session.py              # decisions and pictures
    python tools/review_session.py --pictures   # the pictures alone

It answers what the panel asks by the gold tables of ``data/pioneers``, makes one slip and takes it back, corrects
relations, splits a name that two people bear, and has a second reader decide on some of it anew. The decisions go to
``data/pioneers/review/decisions.jsonl``, which notebook 04 goes on from, and the pictures to ``docs/images``. It needs
Chromium and what the browser tests need.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from browser import drive

import kgkit as kg

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "data" / "pioneers"
IMAGES = ROOT / "docs" / "images"
FIRST, SECOND = "scripted session", "scripted second reader"
SLIP = 7  # this answer is given wrongly and taken back; every so many of the second reader are wrong and stay
ANSWERS, GROUPS, RELATIONS, AGAIN = 40, 6, 12, 60
BUILD = f"""
import kgkit as kg
documents = kg.read_documents({str(CORPUS / "documents")!r})
graph = kg.build_graph(kg.extract(kg.chunk_documents(documents)))
merges = kg.propose_merges(graph)
panel = kg.review(merges, graph, documents=documents, reviewer={FIRST!r})
panel
"""
GROUPED = "panel.ask('group')"
RELATED = f"""
facts = kg.review(graph.relations, graph, documents=documents, decisions=panel.decisions, reviewer={FIRST!r},
                  order="consequential")
facts
"""
SPLIT = f"""
hamilton = graph.entities.filter(graph.entities["name"] == "Margaret Hamilton")
people = kg.review(hamilton, graph, documents=documents, decisions=facts.decisions, reviewer={FIRST!r})
people
"""
SECOND_READER = f"""
second = kg.review(merges, graph, documents=documents, decisions=people.decisions, reviewer={SECOND!r},
                   second_opinion=1.0, blind=True, learn=False)
second
"""
KEEP = "second.decisions.sort('decided_at', maintain_order=True).write_ndjson('decisions.jsonl')\nprint('kept')"


class Gold:
    """What the names of the corpus mean, by its gold tables."""

    def __init__(self) -> None:
        documents = kg.read_documents(CORPUS / "documents")
        graph = kg.build_graph(kg.extract(kg.chunk_documents(documents)))
        sources = documents.frame.select("doc_id", "source")
        marked = pl.read_ndjson(CORPUS / "gold" / "mentions.jsonl").join(sources, on="source")
        meant = (
            graph.evidence.join(graph.mentions, left_on="evidence_id", right_on="mention_id")
            .join(marked.select("doc_id", "start", "end", "entity"), on=["doc_id", "start", "end"])
            .join(graph.entities, left_on="item_id", right_on="entity_id")
        )
        counts: dict[tuple[str, str], Counter[str]] = {}
        for name, kind, entity in meant.select("name_right", "type_right", "entity").iter_rows():
            counts.setdefault((name, kind), Counter())[entity] += 1
        self.meaning = {side: max(sorted(c), key=c.__getitem__) for side, c in counts.items()}
        relations = pl.read_ndjson(CORPUS / "gold" / "relations.jsonl")
        self.related = {(a, b): p for a, b, p in relations.select("subject", "object", "polarity").iter_rows()}


class Reader:
    """Looks at a panel and answers it with keys and clicks."""

    def __init__(self, page: Any, gold: Gold) -> None:
        self.page, self.gold, self.panel = page, gold, None

    def open(self, cell: int, code: int | None = None) -> None:
        """Run a cell, and look at the panel below it (or below another one)."""
        drive.run_cell(self.page, cell)
        shown = self.page.locator(".jp-CodeCell").nth(cell if code is None else code)
        self.panel = shown.locator(".kgkit-review[data-painted]")
        self.panel.wait_for()
        self.panel.locator("h3").click()

    def sides(self) -> list[tuple[str, str]]:
        """Read the names and types that are shown."""
        shown = self.panel.locator(".kr-side")
        names = [side.get_attribute("aria-label") for side in shown.all()]
        return list(zip(names, self.panel.locator(".kr-side .kr-type").all_inner_texts(), strict=True))

    def press(self, key: str) -> None:
        """Press a key, and wait until something else is shown."""
        before = self.panel.get_attribute("data-item")
        self.panel.focus()
        self.page.keyboard.press(key)
        other = "([node, before]) => node.dataset.item !== before || !node.querySelector('.kr-card')"
        self.page.wait_for_function(other, arg=[self.panel.element_handle(), before])

    @property
    def done(self) -> bool:
        return not self.panel.locator(".kr-card").count()

    def merges(self, n: int, slip: int = 0, every: int = 0, picture: str = "") -> None:
        """Answer whether names are one: who is ticked, yes, no, or skip where the gold does not know.

        The picture is of the first group of which only some are one.
        """
        for k in range(1, n + 1):
            if self.done:
                return
            meant = [self.gold.meaning.get(side) for side in self.sides()]
            known = Counter(m for m in meant if m)
            most, times = known.most_common(1)[0] if known else (None, 0)
            if times > 1 and times < len(meant):
                for side, m in zip(self.panel.locator(".kr-side").all(), meant, strict=True):
                    if m != most:
                        side.locator(".kr-tick").click()
                if picture:
                    self.picture(picture)
                    picture = ""
            verdict = "a" if times > 1 else "r" if len(known) > 1 else "s"
            if every and k % every == 0:
                verdict = "r" if verdict == "a" else verdict
            if k == slip:
                self.press("r" if verdict == "a" else "a")
                self.press("u")
            self.press(verdict)

    def relations(self, n: int) -> None:
        """Answer whether relations hold, turn round those that are the wrong way, correct their polarity."""
        for _ in range(n):
            if self.done:
                return
            names = self.panel.locator(".kr-end .kr-name").all_inner_texts()
            types = self.panel.locator(".kr-end small").all_inner_texts()
            one, two = (self.gold.meaning.get(side) for side in zip(names, types, strict=True))
            turned = (two, one) in self.gold.related and (one, two) not in self.gold.related
            polarity = self.gold.related.get((two, one) if turned else (one, two))
            if polarity is None:
                self.press("s")
                continue
            if turned:
                self.panel.get_by_role("button", name="Turn round").click()
            if self.panel.get_by_label("Polarity").input_value() != polarity:
                self.panel.get_by_label("Polarity").select_option(polarity)
            self.press("a")

    def split(self, place: str, name: str) -> None:
        """Part what a document says of somebody else from the rest; wait until its effect is shown."""
        self.panel.focus()
        self.page.keyboard.press("x")
        self.panel.get_by_label(f"All of {place}").wait_for()
        self.panel.get_by_label("Name of the other 1").fill(name)
        self.panel.get_by_label(f"All of {place}").click()
        self.panel.locator(".kr-effect").get_by_text("stays:").wait_for()

    def ask(self, **fields: str) -> None:
        """Fill in what is asked about."""
        for label, value in fields.items():
            field = self.panel.get_by_label(label.replace("_", " "), exact=True)
            field.fill(value)
            field.press("Enter")
            self.page.wait_for_timeout(1000)

    def picture(self, name: str) -> None:
        """Photograph the whole panel, once nothing moves, in few colours."""
        self.page.mouse.move(0, 0)
        size = None
        while size != (size := self.panel.bounding_box()):
            self.panel.evaluate("node => node.scrollIntoView({ block: 'center' })")
            self.page.wait_for_timeout(700)
        taken = Image.open(io.BytesIO(self.panel.screenshot()))
        taken.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE).save(IMAGES / f"{name}.png", optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pictures", action="store_true", help="leave the kept decisions as they are")
    alone = parser.parse_args().pictures
    os.environ["PYTHONPATH"] = str(ROOT)
    gold = Gold()
    with tempfile.TemporaryDirectory() as folder, drive.chromium() as browser:
        cells = (BUILD, GROUPED, RELATED, SPLIT, SECOND_READER, KEEP)
        drive.write_notebook(Path(folder) / "session.ipynb", *cells)
        with drive.jupyter_lab(Path(folder)) as url:
            page = browser.new_page(viewport={"width": 1280, "height": 2300}, device_scale_factor=1.2)
            page.set_default_timeout(120_000)
            drive.open_notebook(page, url, "session.ipynb")
            page.keyboard.press("Control+b")  # the folders beside the notebook
            session(Reader(page, gold), page)
        kept = (Path(folder) / "decisions.jsonl").read_text("utf-8")
    if alone:
        return
    target = CORPUS / "review" / "decisions.jsonl"
    target.parent.mkdir(exist_ok=True)
    target.write_text(kept, encoding="utf-8", newline="\n")
    print(f"{target.relative_to(ROOT)}: {len(kept.splitlines())} decisions")


def session(reader: Reader, page: Any) -> None:
    reader.open(0)
    reader.merges(ANSWERS, slip=SLIP)
    reader.ask(Document="networks/list-digest-17.eml", score_from="0.85")  # a misspelling
    reader.picture("review")
    reader.ask(Document="", score_from="")
    reader.open(1, code=0)
    reader.merges(GROUPS, picture="review_group")
    reader.open(2)
    reader.relations(RELATIONS)
    reader.picture("review_relation")
    reader.open(3)
    reader.split("networks/list-digest-17.eml", "Margaret Hamilton (aunt)")
    reader.picture("review_split")
    reader.press("a")
    reader.open(4)
    reader.merges(AGAIN, every=SLIP)
    drive.run_cell(page, 5)
    page.locator(".jp-OutputArea-output").get_by_text("kept").wait_for()


if __name__ == "__main__":
    main()
