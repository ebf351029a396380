"""Render the plain formats: txt, md, html, csv, json and eml."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import textwrap
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

from source import Block, Source

NAVIGATION = """<nav><ul><li><a href="/">Home</a></li><li><a href="/visit">Plan a visit</a></li>
<li><a href="/shop">Shop</a></li><li><a href="/search">Search</a></li></ul></nav>"""
FOOTER = """<footer><p>Cookies help us to count visitors. <a href="/privacy">Privacy</a> |
<a href="/accessibility">Accessibility</a> | <a href="#top">Back to top</a></p></footer>"""


def render_txt(source: Source) -> bytes:
    """Headings underlined, paragraphs one line each or wrapped at the width that the header gives."""
    width = int(source.head.get("wrap", "0"))
    parts = []
    for block in source.blocks:
        if block.kind == "heading":
            parts.append(block.text + "\n" + ("=" if block.level == 1 else "-") * len(block.text))
            continue
        lead = {"item": "- ", "number": f"{block.level}. ", "quote": "> "}.get(block.kind, "")
        text = lead + block.text
        parts.append(textwrap.fill(text, width, break_on_hyphens=False, break_long_words=False) if width else text)
    return _encode(source, "\n\n".join(parts) + "\n")


def render_md(source: Source) -> bytes:
    """The body as it is written, without the marks."""
    return _encode(source, source.plain)


def inline_html(block: Block) -> str:
    """The text of a block, escaped, with its italics and bold."""
    tags = {"italic": "em", "bold": "strong"}
    out, at = "", 0
    for start, end, style in block.styles:
        out += html.escape(block.text[at:start], quote=False)
        out += f"<{tags[style]}>{html.escape(block.text[start:end], quote=False)}</{tags[style]}>"
        at = end
    return out + html.escape(block.text[at:], quote=False)


def blocks_html(blocks: tuple[Block, ...]) -> str:
    """Blocks as HTML; neighbouring items form one list."""
    out: list[str] = []
    for block in blocks:
        if block.kind == "item":
            if out and out[-1] == "</ul>":
                out.pop()
            else:
                out.append("<ul>")
            out += [f"<li>{inline_html(block)}</li>", "</ul>"]
        else:
            tag = f"h{block.level}" if block.kind == "heading" else "p"
            out.append(f"<{tag}>{inline_html(block)}</{tag}>")
    return "\n".join(out)


def render_html(source: Source) -> bytes:
    """A page with navigation before and small print after the article, as web pages have."""
    title = html.escape(source.head["title"], quote=False)
    charset = source.head.get("encoding", "utf-8")
    page = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="{charset}">
<title>{title}</title>
<style>body {{ max-width: 40em; margin: auto; }} nav li {{ display: inline; }}</style>
<script>document.documentElement.className = "js";</script>
</head>
<body>
<header>{NAVIGATION}</header>
<main><article>
{blocks_html(source.blocks)}
</article></main>
{FOOTER}
</body>
</html>
"""
    return _encode(source, page)


def render_csv(source: Source) -> bytes:
    """The rows of the body, the first of them the header."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([cell.text for cell in block.cells] for block in source.blocks if block.kind == "row")
    return _encode(source, out.getvalue())


def records(source: Source) -> list[tuple[dict[str, Any], tuple[Block, ...]]]:
    """The bookmarks of a text: each with its fields and the blocks that hold its words."""
    found: list[tuple[dict[str, Any], list[Block]]] = []
    for block in source.blocks:
        if block.kind == "heading" and block.level == 3:
            key, url, created, folder, tags = [part.strip() for part in block.text.split(" | ")]
            fields = {"id": key, "url": url, "created_at": created, "folder": folder, "tags": re.split(", *", tags)}
            found.append((fields, []))
        else:
            found[-1][1].append(block)
    return [(fields, tuple(blocks)) for fields, blocks in found]


def render_json(source: Source) -> bytes:
    """An export of bookmarks: a list of objects."""
    rows = []
    for fields, blocks in records(source):
        title, *text = [block.text for block in blocks]
        order = {"id": fields["id"], "url": fields["url"], "title": title, "text": "\n\n".join(text)}
        rows.append(order | {key: fields[key] for key in ("created_at", "folder", "tags")})
    return _encode(source, json.dumps(rows, ensure_ascii=False, indent=2) + "\n")


def render_eml(source: Source) -> bytes:
    """A mail: quoted-printable body, headers encoded where they need it, no date or id but the given ones."""
    mail = EmailMessage(policy=SMTP)
    for name in ("From", "To", "Cc", "Date", "Subject"):
        if name.lower() in source.head:
            mail[name] = source.head[name.lower()]
    mail["Message-ID"] = f"<{source.key.replace('_', '-')}@millgate.example>"
    body = "\n\n".join(_mail_block(block) for block in source.blocks if block.kind != "header")
    body = body.replace("\n\n> ", "\n> ").replace("\n> ", "\n\n> ", 1)
    mail.set_content(body + "\n", charset=source.head.get("encoding", "utf-8"), cte="quoted-printable")
    return mail.as_bytes()


def _mail_block(block: Block) -> str:
    return {"item": "- ", "quote": "> "}.get(block.kind, "") + block.text


def _encode(source: Source, text: str) -> bytes:
    return text.encode(source.head.get("encoding", "utf-8"))
