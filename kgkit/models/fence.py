"""Blocks in prompts that the text within cannot close."""

from __future__ import annotations

from kgkit.ids import content_hash

__all__ = ["fenced"]


def fenced(name: str, text: str) -> str:
    """Put a text between marker lines that do not occur in it; the same text always gets the same markers.

    Examples:
        >>> fenced("passage", "Hello").splitlines()[1]
        'Hello'
    """
    mark = content_hash(text)[:12]
    while mark in text.lower():  # a text that holds its own hash does not turn up; one that holds a known hash may
        mark = content_hash(mark + text)[:12]
    return f"<{name}-{mark}>\n{text}\n</{name}-{mark}>"
