"""The review panel as a page of its own, for people who do not use notebooks."""

from __future__ import annotations

import json
import os
import re
import tempfile
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kgkit.errors import InputError

__all__ = ["serve_review"]

# The page asks for nothing from elsewhere, whatever stands in its template or in a document.
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws://localhost:* ws://127.0.0.1:* blob:; "
    "form-action 'self'; base-uri 'self'"
)
_CELL = """\
import kgkit as kg

project = kg.Project({project!r}, create=False)
graph = project.graph()
merges = kg.propose_merges(graph, decisions=project.decisions())
panel = kg.review(merges, graph, project=project, **{options!r})
panel.ask(**{filters!r})
"""


def serve_review(
    project: str | os.PathLike[str],
    *,
    port: int = 8866,
    open_browser: bool = True,
    said: Callable[[str], None] | None = None,
    filters: dict[str, str] | None = None,
    **options: Any,
) -> None:
    """Serve the review panel of a project as a page, until it is ended (Ctrl+C).

    Every tab that opens the page is a review of its own, on the same decisions: it goes on at the next undecided item.
    The page is served to this machine alone, and opens only with the token in its address. It loads nothing from
    elsewhere.

    Args:
        project: The project's folder.
        port: Where to serve; the next free one when it is taken.
        open_browser: Whether to open the page in the browser.
        said: Is told the page's address once it can be opened.
        filters: What to ask about, as `kgkit.reviewing.Review.ask` takes it.
        **options: Plain values that `kgkit.review` takes: ``reviewer``, ``order``, ``blind``, ``second_opinion``, ...

    Raises:
        InputError: Voilà, which serves the page, is not installed.
    """
    try:
        from voila.app import Voila
    except ImportError:
        msg = "The page is served by Voilà, which is not installed. Install it with: pip install 'kgkit[page]'"
        raise InputError(msg) from None
    folder = Path(project).resolve()
    os.environ.setdefault("JUPYTER_PREFER_ENV_PATH", "1")  # the kernel of this Python before others of its name
    with tempfile.TemporaryDirectory(prefix="kgkit-page-") as work:
        code = _CELL.format(project=str(folder), options=options, filters=filters or {})
        notebook = _write_notebook(Path(work), folder.stem, code)
        server = Voila.instance()

        def tell() -> None:
            if said is not None:
                said(server.display_url)
            if open_browser:
                webbrowser.open(server.display_url)

        server.launch_browser = tell  # its own would open the page without the token
        server.tornado_settings = {"headers": {"Content-Security-Policy": _POLICY}}
        server.initialize(
            [
                str(notebook),
                f"--Voila.port={port}",
                "--Voila.auto_token=True",
                "--Voila.log_level=ERROR",
                "--VoilaConfiguration.show_tracebacks=True",
            ]
        )
        try:
            server.start()
        finally:
            Voila.clear_instance()


def _write_notebook(work: Path, name: str, code: str) -> Path:
    """Write a notebook of one cell; its name is the title of the page."""
    cell: dict[str, Any] = {
        "cell_type": "code",
        "id": "review",
        "source": code,
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": [cell]}
    title = re.sub(r"[^\w -]+", " ", name).strip() or "project"
    path = work / f"Review of {title}.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path
