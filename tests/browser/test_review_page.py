"""The review panel as a page, served by one command to somebody without a notebook."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import kgkit as kg
from browser import drive

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TEXTS = {
    "one": "Grace Hopper worked at Remington Rand. Grace Hopper led the team that wrote COBOL.\n\n"
    "Alan Turing worked at Bletchley Park. Later Alan M. Turing moved to Manchester.\n",
    "two": "Grace Murray Hopper joined Remington Rand. Dr. Alan Turing wrote to Bletchley Park.\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    documents = tmp_path / "documents"
    documents.mkdir()
    for name, text in TEXTS.items():
        (documents / f"{name}.txt").write_text(text, encoding="utf-8")
    made = kg.Project(tmp_path / "harbour letters.kg")
    made.read(documents)
    made.chunk()
    made.extract(workers=1)
    made.build()
    return tmp_path / "harbour letters.kg"


def test_somebody_decides_on_the_page(project: Path, page: Any) -> None:
    if importlib.util.find_spec("voila") is None:
        pytest.skip("voila is not installed")
    page.set_default_timeout(60_000)
    with drive.review_page(project, "--reviewer", "Bo", "--order", "score") as address:
        here = urlsplit(address)
        page.goto(f"{here.scheme}://{here.netloc}/")
        assert page.locator(".kgkit-review").count() == 0 and "login" in page.url  # without the token

        page.goto(address, wait_until="domcontentloaded")
        panel = page.locator(".kgkit-review[data-painted]")
        panel.wait_for()
        assert page.title() == "Review of harbour letters"
        asked = panel.locator("h4").all_inner_texts()
        panel.locator("h3").click()
        page.keyboard.press("n")
        page.keyboard.type("the same woman")
        page.keyboard.press("Enter")
        page.keyboard.press("a")
        panel.locator(".kr-count").get_by_text("1 of").wait_for()
        decision = kg.Project(project).decisions().row(0, named=True)
        assert (decision["verdict"], decision["reviewer"], decision["note"]) == ("accepted", "Bo", "the same woman")

        page.reload(wait_until="domcontentloaded")  # a new kernel goes on where the other was
        panel.locator(".kr-count").get_by_text("1 of").wait_for()
        assert panel.locator("h4").all_inner_texts() != asked
        panel.get_by_role("button", name="Undo", exact=True).click()
        panel.locator(".kr-count").get_by_text("0 of").wait_for()
        assert kg.Project(project).decisions()["verdict"].to_list() == ["accepted", "undone"]

        from_elsewhere = {urlsplit(url).netloc for url in page.asked if urlsplit(url).scheme.startswith("http")}
        blocked = [text for text in page.told if "Content Security Policy" in text]
        assert from_elsewhere - {here.netloc} == {"cdn.jsdelivr.net"} and len(blocked) >= 2  # asked for, never sent
