"""Self-contained HTML pages: nothing is loaded, and text from documents stays text.

A content security policy in the page itself forbids every request, and every script and style but those whose hash
it names. Data goes into a block of JSON in which no character can end the block.
"""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from html import escape
from importlib.resources import files

__all__ = ["SCRIPT_FILES", "content_policy", "json_block", "page_html", "read_static", "view_script"]

SCRIPT_FILES = ("graph_model.js", "graph_scene.js", "graph_labels.js", "graph_panels.js", "graph_view.js")
_JSON_ESCAPES = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&'\u2028\u2029"})
_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)


def read_static(name: str) -> str:
    """Read one of the JavaScript or style files that come with kgkit."""
    return files("kgkit.notebook").joinpath("static", name).read_text(encoding="utf-8")


def view_script() -> str:
    """Join the graph view's modules into one: their imports of each other are dropped, their order is given."""
    parts = [_IMPORT.sub("", read_static(name)) for name in SCRIPT_FILES]
    inner = [re.sub(r"^export (?!default)", "", part, flags=re.MULTILINE) for part in parts]
    return "\n".join(inner)


def json_block(text: str) -> str:
    """Escape a JSON text so that it can stand in a script element: it holds no ``<``, ``>``, ``&`` or ``'``."""
    return text.translate(_JSON_ESCAPES)


def content_policy(*, scripts: list[str], styles: list[str]) -> str:
    """Write a policy that allows exactly these inline scripts and styles, and no request at all."""
    allow_script = " ".join(map(_hash, scripts)) or "'none'"
    allow_style = " ".join(map(_hash, styles)) or "'none'"
    return (
        f"default-src 'none'; script-src {allow_script}; style-src {allow_style}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def page_html(
    *, title: str, body: str, style: str, script: str | None = None, data: str | None = None, language: str = "en"
) -> str:
    """Write a whole page.

    Args:
        title: The page's title, as plain text.
        body: Trusted HTML: everything in it must have been escaped.
        style: CSS.
        script: JavaScript, run as a module.
        data: JSON text, put into ``<script type="application/json" id="kgkit-data">``.
        language: Language of the page.

    Returns:
        HTML text; write it as UTF-8.
    """
    style, script = _newlines(style), script and _newlines(script)
    policy = content_policy(scripts=[script] if script else [], styles=[style])
    block = f'<script type="application/json" id="kgkit-data">{json_block(data)}</script>\n' if data else ""
    code = f'<script type="module">{script}</script>\n' if script else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="generator" content="kgkit">\n'
        f'<link rel="icon" href="data:,">\n<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n'
        f"<body>\n{body}\n{block}{code}</body>\n</html>\n"
    )


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n")  # a browser hashes what it parsed, with line ends made \n


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
