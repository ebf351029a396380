"""Drive pages and notebooks in a headless Chromium, on this machine alone.

``chromium()`` gives a browser; ``jupyter_lab(folder)`` gives the address of a JupyterLab of its own that keeps all
its files in a temporary folder; ``open_notebook`` opens a notebook there and waits for its kernel. Everything that
was started is ended by its process id, kernels too.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHROMIUM = os.environ.get("KGKIT_CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SERVER = {
    "ServerApp.ip": "127.0.0.1",
    "ServerApp.port_retries": "0",
    "IdentityProvider.token": "",
    "ServerApp.password": "",
    "ServerApp.allow_remote_access": "False",
    "LabApp.news_url": "None",
    "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
}
QUIET = {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True}


def why_not() -> str | None:
    """Why no browser can be driven here, or nothing."""
    if not Path(CHROMIUM).exists():
        return "no Chromium on this machine (set KGKIT_CHROMIUM to one)"
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "playwright is not installed"
    return None


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """A browser; its pages reach nothing but this machine."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, chromium_sandbox=False)
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def jupyter_lab(folder: Path, *, theme: str = "JupyterLab Light") -> Iterator[str]:
    """Start a JupyterLab that serves ``folder``, in one of its themes; gives its address."""
    work = Path(tempfile.mkdtemp(prefix="kgkit-lab-"))
    places = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "run",
        "IPYTHONDIR": "ipython",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    }
    env = {**os.environ, **{name: str(work / place) for name, place in places.items()}}
    env |= {"JUPYTER_PREFER_ENV_PATH": "1", "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
    quiet = work / "settings/@jupyterlab/apputils-extension"
    quiet.mkdir(parents=True)
    (quiet / "notification.jupyterlab-settings").write_text(json.dumps(QUIET), encoding="utf-8")
    (quiet / "themes.jupyterlab-settings").write_text(json.dumps({"theme": theme}), encoding="utf-8")
    port = _free_port()
    options = [f"--{name}={value}" for name, value in SERVER.items()]
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        f"--ServerApp.port={port}",
        f"--ServerApp.root_dir={folder}",
        *options,
    ]
    log = work / "lab.log"
    with log.open("wb") as out:
        server = subprocess.Popen(command, env=env, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        yield _when_up(server, f"http://127.0.0.1:{port}", log)
    finally:
        _stop(server)
        shutil.rmtree(work, ignore_errors=True)


@contextlib.contextmanager
def review_page(project: Path, *options: str) -> Iterator[str]:
    """Serve a project's review page with ``kgkit review --page``; gives the address that the command tells."""
    command = [sys.executable, "-m", "kgkit", "review", str(project), "--page", "--no-browser", *options]
    log = project.parent / "page.log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [*command, f"--port={_free_port()}"], stdout=subprocess.PIPE, stderr=out, text=True, start_new_session=True
        )
    try:
        assert server.stdout is not None
        told = server.stdout.readline().split()
        if not told:
            msg = f"The page was not served:\n{log.read_text('utf-8', 'replace')[-2000:]}"
            raise RuntimeError(msg)
        yield told[-1]
    finally:
        _stop(server)
        server.stdout.close()


def open_notebook(page: Any, url: str, name: str, *, timeout: float = 90) -> None:
    """Open a notebook in a clean workspace and wait until its kernel is attached and idle."""
    page.goto(f"{url}/lab/tree/{name}?reset", wait_until="domcontentloaded")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=timeout * 1000)
    page.locator("#jp-main-statusbar").get_by_text("| Idle").wait_for(timeout=timeout * 1000)


def run_cell(page: Any, number: int) -> None:
    """Run one code cell and stay in it."""
    page.locator(".jp-Notebook .jp-CodeCell .jp-InputArea-editor").nth(number).click()
    page.keyboard.press("Control+Enter")


def write_notebook(path: Path, *cells: str) -> Path:
    """Write a notebook of code cells."""
    made = [
        {"cell_type": "code", "id": f"c{k}", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
        for k, source in enumerate(cells)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": made}
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _when_up(server: subprocess.Popen[bytes], url: str, log: Path) -> str:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(360):
        if server.poll() is not None:
            break
        with contextlib.suppress(OSError), opener.open(f"{url}/api/status", timeout=2) as answer:
            answer.read()
            return url
        time.sleep(0.25)
    msg = f"JupyterLab did not start:\n{log.read_text('utf-8', 'replace')[-2000:]}"
    raise RuntimeError(msg)


def _stop(server: subprocess.Popen[bytes]) -> None:
    """End the server and the kernels that it started; a kernel can outlive its server."""
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        first = psutil.Process(server.pid)
        family = [first, *first.children(recursive=True)]
        server.terminate()
        for left in psutil.wait_procs(family, timeout=10)[1]:
            with contextlib.suppress(psutil.NoSuchProcess):
                left.kill()
    server.wait(10)
