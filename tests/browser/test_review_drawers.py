"""What stands below the item, and what can be corrected on it, in a real JupyterLab."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import drive

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[2]
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    if importlib.util.find_spec("jupyterlab") is None:
        pytest.skip("jupyterlab is not installed")
    folder = tmp_path_factory.mktemp("drawers")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, [ROOT, ROOT / "tests", ROOT / "tests/review"])))
        with drive.jupyter_lab(folder) as url:
            yield url, folder


@pytest.fixture
def shown(browser: Any, lab: tuple[str, Path], request: pytest.FixtureRequest) -> Iterator[Open]:
    """Shows a panel in a notebook of its own; a further cell prints what a test wants to know."""
    url, folder = lab
    page = browser.new_page(viewport={"width": 1250, "height": 1500})
    page.set_default_timeout(60_000)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))

    def show(*cells: str) -> Any:
        name = f"{request.node.name}.ipynb"
        drive.write_notebook(folder / name, *cells)
        drive.open_notebook(page, url, name)
        drive.run_cell(page, 0)
        page.wait_for_selector(".kgkit-review[data-painted]")
        page.locator(".kgkit-review h3").click()
        return page

    yield show
    assert errors == []
    page.close()


def printed(page: Any, text: str) -> None:
    """Run the second cell, and wait for what it prints."""
    drive.run_cell(page, 1)
    page.locator(".jp-OutputArea-output").get_by_text(text).wait_for()


def test_many_at_once_and_rules_are_seen_before_they_decide_and_taken_back(shown: Open) -> None:
    page = shown(
        "import kgkit as kg\nfrom desk_data import documents, graph, pairs\n"
        "panel = kg.review(pairs(), graph(), documents=documents(), reviewer='Ada', order='score')\npanel",
        "print('by', *panel.decisions['reviewer'], *panel.decisions['verdict'])",
    )
    panel = page.locator(".kgkit-review")
    page.keyboard.press("m")
    panel.get_by_label("threshold").fill("0.6")
    panel.get_by_role("button", name="Preview").click()
    panel.get_by_text("3 items would be accepted.").wait_for()
    preview = panel.locator(".kr-preview").inner_text()
    assert "0.60" in preview and "Ada Lovelace = Lovelace" in preview and "2 groups would become one" in preview
    panel.locator(".kr-count").get_by_text("0 of 5 decided").wait_for()
    panel.get_by_role("button", name="Accept 3 now").dblclick()
    panel.locator(".kr-count").get_by_text("4 of 5 decided").wait_for()  # one follows from the others
    page.keyboard.press("u")
    panel.get_by_text("Took back 3 decisions of one step.").wait_for()
    panel.locator(".kr-count").get_by_text("0 of 5 decided").wait_for()

    panel.get_by_label("threshold").fill("0.85")
    panel.get_by_label("Name of a rule that signs").fill("surely")
    panel.get_by_role("button", name="Preview").click()
    panel.get_by_role("button", name="Let “surely” accept 1").click()
    panel.get_by_text("“surely” accepted 1 item; Undo takes all of them back.").wait_for()
    row = panel.get_by_role("region", name="Many at once").locator("li").filter(has_text="surely")
    assert "at 0.85 and above" in row.inner_text()
    row.get_by_role("button", name="Take back what the rule surely decided").click()
    panel.locator(".kr-count").get_by_text("0 of 5 decided").wait_for()
    row.wait_for(state="detached")
    printed(page, "by Ada Ada Ada Ada Ada Ada rule: surely Ada accepted accepted accepted undone undone undone")


def test_disagreements_and_contradictions_are_settled(shown: Open) -> None:
    page = shown(
        "import kgkit as kg\nimport polars as pl\nfrom desk_data import documents, graph, item, pairs, review\n"
        "bo, cy = (review(reviewer=name) for name in ('Bo', 'Cy'))\n"
        "bo.decide(item('e7', 'e8'), 'accepted')\n"
        "cy.decide(item('e7', 'e8'), 'rejected', note='a later machine')\n"
        "for pair, verdict in (('e3e5', 'rejected'), ('e3e4', 'accepted'), ('e4e5', 'accepted')):\n"
        "    bo.decide(item(pair[:2], pair[2:]), verdict)\n"
        "said = pl.concat([bo.decisions, cy.decisions])\n"
        "panel = kg.review(pairs(), graph(), documents=documents(), decisions=said, reviewer='Ada')\npanel",
        "print('left', panel.disagreements.height, panel.progress.conflicts, panel.status_of(item('e7', 'e8')))",
    )
    panel = page.locator(".kgkit-review")
    page.keyboard.press("d")
    drawer = panel.get_by_role("region", name="Disagreements")
    drawer.get_by_text("a later machine").wait_for()
    assert "Bo: ✓ accepted" in drawer.inner_text() and "Cy: ✗ rejected" in drawer.inner_text()
    drawer.get_by_role("button", name="Show and settle: Mark I = Mark II").click()
    panel.get_by_text("Reviewers differ. Your answer settles it.").wait_for()
    panel.get_by_role("button", name="Reject").click()
    panel.get_by_role("button", name="Disagreements: 1").wait_for(state="hidden")

    panel.get_by_role("button", name="Contradictions: 1").click()
    drawer = panel.get_by_role("region", name="Contradictions")
    drawer.get_by_role("button", name="They are two: take back A. Lovelace = Lovelace").wait_for()
    drawer.get_by_role("button", name="They are one: take back the “no”").click()
    panel.get_by_role("button", name="Contradictions").wait_for(state="hidden")
    printed(page, "left 0 0 rejected")


def test_relations_are_corrected_and_an_entity_is_split(shown: Open) -> None:
    page = shown(
        "import kgkit as kg\nfrom split_data import smiths\ngraph, texts = smiths()\n"
        "panel = kg.review([graph.relations, graph.entities], graph, documents=texts, reviewer='Ada', order='score')\n"
        "panel.ask(kind='relation')\npanel",
        "after = kg.apply_decisions(graph, panel.decisions)\n"
        "names = dict(after.entities.select('entity_id', 'name').iter_rows())\n"
        "print(*sorted('%s %s %s %s %g;' % (names[s], p, names[t], sign, w) for s, p, t, sign, w in\n"
        "    after.relations.select('source_id', 'predicate', 'target_id', 'polarity', 'weight').iter_rows()))",
    )
    panel, word = page.locator(".kgkit-review"), page.get_by_label("What it says")

    def come_to(what: str) -> None:
        for _ in range(6):
            if word.input_value() == what:
                return
            painted = panel.get_attribute("data-item")
            page.keyboard.press("s")
            page.wait_for_function(f"document.querySelector('.kgkit-review').dataset.item !== '{painted}'")
        raise AssertionError(what)

    come_to("build")  # one of its two sentences says something else: the other still holds the relation
    panel.get_by_label("This sentence says so").nth(1).uncheck()
    panel.get_by_role("button", name="Reject 1 sentence").click()
    panel.locator(".kr-count").get_by_text("1 of 5 decided").wait_for()
    come_to("hire")
    word.fill("work for")
    panel.get_by_role("button", name="Turn round").click()
    panel.get_by_label("Polarity").select_option("negated")
    panel.locator("h3").click()
    panel.get_by_role("button", name="Accept as corrected").click()
    panel.locator(".kr-count").get_by_text("2 of 5 decided").wait_for()
    printed(page, "John Smith build ships positive 1; ")
    printed(page, "Mary Pell work for John Smith negated 1;")

    panel.get_by_label("Kind").select_option("type")
    panel.get_by_label("Document", exact=True).fill("d3.txt")
    page.keyboard.press("Enter")
    panel.locator("h4").get_by_text("John Smith").wait_for()
    page.keyboard.press("x")
    panel.get_by_label("All of d2.txt").check()
    panel.get_by_label("Name of the other 1").fill("Senator Smith")
    panel.locator(".kr-split h5").first.click()
    effect = panel.locator(".kr-effect")
    effect.get_by_text("leaves: Senator Smith").wait_for()
    assert "John Smith build ships" in effect.inner_text() and "Senator Smith vote for" in effect.inner_text()
    assert "3 mentions · 1 document" in effect.inner_text() and "4 mentions · 2 documents" in effect.inner_text()
    panel.get_by_role("button", name="Split", exact=True).click()
    panel.locator(".kr-rows li").filter(has_text="✓ accepted").filter(has_text="John Smith · ").first.wait_for()
    printed(page, "Senator Smith vote for Ship Act positive 1;")


def test_it_tells_what_ten_answers_changed(shown: Open) -> None:
    page = shown(
        "import kgkit as kg\nfrom desk_data import many\npeople, merges = many()\n"
        "panel = kg.review(merges, people, reviewer='Ada')\npanel",
        "print('rounds', len(panel.changes), panel.changes[-1].n_answers)",
    )
    panel = page.locator(".kgkit-review")
    for k in range(10):
        page.keyboard.press("ar"[k % 2])
    panel.locator(".kr-news").get_by_text("After 10 answers:").wait_for()
    page.keyboard.press("l")
    drawer = panel.get_by_role("region", name="Learning and errors")
    drawer.get_by_text("Scores that moved most").wait_for()
    assert drawer.get_by_role("row").filter(has_text="accepted by people").count() == 1
    printed(page, "rounds 1 10")
