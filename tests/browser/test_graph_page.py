"""The graph page in a browser: offline, literal, and pleasant to walk through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import kgkit as kg
from browser.samples import history, hostile, planted
from kgkit.notebook.page import read_static, view_script

pytestmark = pytest.mark.browser
VIEW = "document.querySelector('.kgkit-graph').kgkitGraph"


def show(page: Any, view: Any, path: Path) -> Any:
    view.to_html(path)
    page.goto(path.as_uri())
    page.wait_for_selector(".kgkit-graph[data-painted]")
    return page


def where(page: Any, entity_id: str) -> tuple[float, float]:
    x, y = page.evaluate(f"id => {VIEW}.where(id)", entity_id)
    return x, y


def settled(page: Any) -> None:
    """Wait until the camera rests and all is painted."""
    page.wait_for_function(f"() => {VIEW}.still()")


def pixels(page: Any) -> str:
    return str(page.evaluate("document.querySelector('.kg-canvas').toDataURL()"))


@pytest.fixture
def graph_page(page: Any, written: Path) -> Any:
    graph, topics, documents = history(120)
    return show(page, kg.view_graph(graph, communities=topics, documents=documents, title="History"), written)


def test_it_opens_offline_and_asks_for_nothing(graph_page: Any, written: Path) -> None:
    graph_page.wait_for_timeout(300)
    assert graph_page.asked == [written.as_uri()]
    assert graph_page.told == []
    assert graph_page.title() == "History"


def test_hostile_names_are_shown_and_never_run(page: Any, written: Path, shared: Path) -> None:
    graph, rows = hostile(shared)
    view = kg.view_graph(graph, title=rows["name"][0])
    show(page, view, written)
    assert page.locator("h2").inner_text() == rows["name"][0]
    for entity_id, name in zip(view._meta["ids"], rows["name"], strict=True):
        page.keyboard.press("Escape")
        settled(page)
        page.mouse.move(*where(page, entity_id))
        page.locator(".kg-card h3").get_by_text(name, exact=True).wait_for()
        page.mouse.click(*where(page, entity_id))
        assert page.locator(".kg-panel h3 bdi").inner_text() == name
        for why in page.locator(".kg-why").all():
            why.click()
        page.locator(".kg-open blockquote").first.wait_for()
        settled(page)
    page.locator(".kg-search").fill("<")
    assert page.locator(".kg-hits li").count() == 2
    assert page.evaluate("window.__kgkit_pwn") is None
    assert (page.asked, page.told) == ([written.as_uri()], [])


def test_hovering_shows_the_words_and_where_they_stand(graph_page: Any) -> None:
    graph_page.mouse.move(*where(graph_page, "ent_0000"))
    card = graph_page.locator(".kg-card")
    card.locator("h3").get_by_text("Ada Lovelace").wait_for()
    said = card.inner_text()
    assert "PERSON" in said and "Also: Lovelace, A. Lovelace" in said
    assert "letters/volume_" in said and "characters" in said
    graph_page.mouse.move(3, 400)
    card.wait_for(state="hidden")


def test_a_click_selects_and_escape_resets(graph_page: Any) -> None:
    before = pixels(graph_page)
    graph_page.mouse.click(*where(graph_page, "ent_0000"))
    graph_page.locator(".kg-panel h3").get_by_text("Ada Lovelace").wait_for()
    settled(graph_page)
    assert pixels(graph_page) != before
    graph_page.keyboard.press("Escape")
    graph_page.locator(".kg-panel").wait_for(state="hidden")
    settled(graph_page)
    graph_page.mouse.move(3, 400)
    graph_page.wait_for_function(
        f"was => {VIEW} && document.querySelector('.kg-canvas').toDataURL() === was", arg=before
    )


def test_one_walks_from_entity_to_entity(graph_page: Any) -> None:
    graph_page.mouse.click(*where(graph_page, "ent_0000"))
    links = graph_page.locator(".kg-relations .kg-link")
    other = next(t for t in links.all_inner_texts() if t != "Ada Lovelace")
    links.get_by_text(other, exact=True).first.click()
    graph_page.locator(".kg-panel h3").get_by_text(other, exact=True).wait_for()


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("hopper", "Grace Hopper"),
        ("G. Hopper", "Grace Hopper"),
        ("zurich", "ETH Zürich"),
        ("лебедев", "Сергей Лебедев"),
        ("城", "城憲三"),
    ],
)
def test_search_finds_names_and_aliases_in_any_script(graph_page: Any, typed: str, first: str) -> None:
    graph_page.locator(".kg-canvas").focus()
    graph_page.keyboard.press("/")
    graph_page.keyboard.type(typed)
    assert "match" in graph_page.locator(".kg-number").inner_text()
    graph_page.keyboard.press("Enter")
    graph_page.locator(".kg-panel h3").get_by_text(first, exact=True).wait_for()


def test_search_says_when_nothing_fits(graph_page: Any) -> None:
    graph_page.locator(".kg-search").fill("nobody of that name")
    assert graph_page.locator(".kg-number").inner_text() == "no match"
    assert graph_page.locator(".kg-hits").is_hidden()


def test_the_legend_filters(graph_page: Any) -> None:
    entry = graph_page.locator(".kg-legend button").get_by_text("MACHINE", exact=True)
    before = pixels(graph_page)
    entry.click()
    assert graph_page.locator(".kg-legend button[aria-pressed=true]").inner_text().startswith("MACHINE")
    settled(graph_page)
    assert pixels(graph_page) != before
    assert " of 120 entities shown." in graph_page.locator("[aria-live=polite].kg-unseen").inner_text()
    entry.click()
    assert graph_page.locator(".kg-legend button[aria-pressed=true]").count() == 0


def test_wheel_drag_and_keys_move_the_camera(graph_page: Any) -> None:
    settled(graph_page)
    camera = [graph_page.evaluate(f"{VIEW}.camera()")]

    def moved() -> dict[str, float]:
        settled(graph_page)
        camera.append(graph_page.evaluate(f"{VIEW}.camera()"))
        assert camera[-1] != camera[-2]
        return camera[-1]

    graph_page.mouse.move(900, 600)
    graph_page.mouse.wheel(0, -240)
    assert moved()["s"] > camera[0]["s"]
    graph_page.mouse.move(1050, 700)
    graph_page.mouse.down()
    graph_page.mouse.move(1000, 640, steps=4)
    graph_page.mouse.up()
    assert moved()["x"] > camera[1]["x"]
    graph_page.locator(".kg-canvas").focus()
    for key in ("+", "-", "ArrowLeft", "0"):
        graph_page.keyboard.press(key)
        moved()


def test_those_who_cannot_see_it_get_a_summary_and_a_table(graph_page: Any) -> None:
    label = graph_page.locator(".kg-canvas").get_attribute("aria-label")
    assert "120 entities" in label and "most connected: " in label
    table = graph_page.locator("table.kg-unseen")
    assert table.locator("caption").text_content() == "100 of 120 entities, largest first"
    assert table.locator("tbody tr").count() == 100


def test_light_and_dark(page: Any, written: Path) -> None:
    view = kg.view_graph(history(40)[0])
    show(page, view, written)
    light = page.evaluate("getComputedStyle(document.querySelector('.kgkit-graph')).backgroundColor")
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector(".kgkit-graph[data-theme=dark]")
    dark = page.evaluate("getComputedStyle(document.querySelector('.kgkit-graph')).backgroundColor")
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(20, 23, 29)")


def test_a_large_graph_is_drawn_as_titled_communities_and_says_what_is_missing(page: Any, written: Path) -> None:
    graph, topics = planted(6000)
    show(page, kg.view_graph(graph, communities=topics, max_nodes=5000), written)
    notes = page.locator(".kg-note").all_inner_texts()
    assert notes[0].startswith("5,000 of 6,000 entities shown: those with most relations.")
    x, y = where(page, "e000003")
    page.mouse.move(x, y)
    page.locator(".kg-card h3").wait_for()
    assert page.told == []


def test_an_empty_graph_says_so(page: Any, written: Path) -> None:
    empty = kg.view_graph(entities=kg.tables.empty("entities"), relations=kg.tables.empty("relations"))
    show(page, empty, written)
    assert page.get_by_text("No entities to show.").is_visible()
    assert page.told == []


def test_pyvis_pages_run_no_name_and_ask_for_nothing(page: Any, written: Path, shared: Path) -> None:
    pytest.importorskip("pyvis")
    graph, rows = hostile(shared)
    kg.to_pyvis(graph, title=rows["name"][0]).to_html(written)
    page.goto(written.as_uri())
    page.wait_for_selector("[data-painted]", state="attached")
    places = page.evaluate(
        "Object.values(kgkitNetwork.getPositions()).map(p => kgkitNetwork.canvasToDOM(p)).map(p => [p.x, p.y])"
    )
    frame = page.locator("#kgkit-graph").bounding_box()
    assert len(places) == 4
    for x, y in places:
        page.mouse.move(frame["x"] + x, frame["y"] + y)
        page.locator(".vis-tooltip").wait_for(state="visible")
        page.mouse.click(frame["x"] + x, frame["y"] + y)
    assert page.locator("h1").inner_text() == rows["name"][0]
    assert page.evaluate("window.__kgkit_pwn") is None
    assert (page.asked, page.told) == ([written.as_uri()], [])


def test_the_report_opens_without_a_word(page: Any, written: Path, shared: Path) -> None:
    graph, rows = hostile(shared)
    kg.write_report(written, graph=graph, title=rows["name"][1])
    page.goto(written.as_uri())
    assert page.locator("h1").inner_text() == rows["name"][1]
    assert page.evaluate("window.__kgkit_pwn") is None
    assert (page.asked, page.told) == ([written.as_uri()], [])


HOST = Path(__file__).with_name("host.js")


@pytest.mark.parametrize("late", [False, True])
def test_a_widget_may_be_attached_late_and_cleans_up_after_itself(page: Any, late: bool) -> None:
    view = kg.view_graph(history(40)[0], focus="Ada Lovelace", hops=2)
    code = view_script().replace("export default { render };", "window.renderView = render;")
    state = json.loads(view._shown.payload.to_json()) | {"_meta": view._meta, "height": 500, "selected": view.selected}
    page.goto("about:blank")
    page.add_script_tag(content=code, type="module")
    page.wait_for_function("() => window.renderView")
    seen = page.evaluate(
        HOST.read_text("utf-8"), {"state": state, "style": read_static("graph_view.css"), "late": late}
    )
    assert seen["pixel"] == [255, 255, 255, 255]
    assert seen["legend"] and seen["panel"] == "Ada Lovelace" and seen["reset"]
    assert (seen["left"], seen["listening"], page.told) == (0, 0, [])
