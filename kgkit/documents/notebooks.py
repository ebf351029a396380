"""Jupyter notebooks: Markdown cells as text, code as typed, and what the code printed."""

from __future__ import annotations

import json
from typing import Any

from kgkit.documents.encoding import decode
from kgkit.documents.markdown import write_markdown
from kgkit.documents.parsed import Parsed, ReadOptions, TextBuilder
from kgkit.errors import ReadError

__all__ = ["read"]

_MAX_OUTPUT = 20_000


def read(data: bytes, name: str, options: ReadOptions) -> list[Parsed]:
    """Read a notebook.

    Raises:
        ReadError: ``corrupt`` when it is no JSON or has no cells.
    """
    del name, options
    decoded = decode(data)
    try:
        notebook = json.loads(decoded.text)
    except ValueError as error:
        raise ReadError("corrupt", f"The notebook is no valid JSON: {error}") from error
    cells = _cells(notebook)
    builder = TextBuilder()
    notes = list(decoded.notes)
    hidden = 0
    title: str | None = None
    pictures = 0
    for cell in cells:
        source = _joined(cell.get("source", cell.get("input")))
        if cell.get("cell_type") == "markdown":
            builder.add("\n\n" if len(builder) and source.strip() else "")
            dropped, heading = write_markdown(source.strip("\n"), builder)
            hidden += dropped
            title = title or heading
        else:
            builder.paragraph(source)
            for output in cell.get("outputs") or []:
                text, cut = _output(output)
                builder.paragraph(text)
                pictures += not text
                if cut:
                    notes.append(f"output_cut: {cut:,} characters of one cell's output were left out")
    if hidden:
        notes.append(f"hidden_text_dropped: {hidden:,} characters in HTML comments")
    if pictures:
        notes.append(f"outputs_without_text: {pictures} outputs are pictures or widgets")
    text, sections = builder.build()
    about = notebook.get("metadata") if isinstance(notebook.get("metadata"), dict) else {}
    named = about.get("title")
    metadata: dict[str, Any] = {**decoded.metadata, "cells": len(cells)}
    return [
        Parsed(
            text,
            "application/x-ipynb+json",
            title=named if isinstance(named, str) and named else title,
            metadata=metadata,
            sections=sections,
            notes=tuple(notes),
        )
    ]


def _cells(notebook: Any) -> list[dict[str, Any]]:
    if isinstance(notebook, dict):
        found = notebook.get("cells")
        if found is None and isinstance(notebook.get("worksheets"), list):  # the format before 2015
            found = [c for sheet in notebook["worksheets"] if isinstance(sheet, dict) for c in sheet.get("cells", [])]
        if isinstance(found, list):
            return [cell for cell in found if isinstance(cell, dict)]
    raise ReadError("corrupt", "The file is JSON, but has no notebook cells.")


def _output(output: Any) -> tuple[str, int]:
    """Find the text of an output, and how many characters of it were too many."""
    if not isinstance(output, dict):
        return "", 0
    found = output.get("data")
    data: dict[str, Any] = found if isinstance(found, dict) else {}
    text = _joined(output.get("text")) or _joined(data.get("text/markdown")) or _joined(data.get("text/plain"))
    if output.get("output_type") == "error":
        text = f"{output.get('ename', '')}: {output.get('evalue', '')}"
    return text[:_MAX_OUTPUT], max(0, len(text) - _MAX_OUTPUT)


def _joined(value: Any) -> str:
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""
