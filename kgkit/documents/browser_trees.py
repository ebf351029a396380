"""Bookmarks as browsers back them up in JSON: a tree of folders (Chromium's ``roots``, Firefox's ``children``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["browser_nodes"]

_FOLDERS = ("folder", "text/x-moz-place-container")
_LINKS = ("url", "text/x-moz-place")
_MAX_DEPTH = 100


def browser_nodes(value: Any) -> list[tuple[Mapping[str, Any], str]] | None:
    """List the links of a browser's backup, each with its folders' path.

    Args:
        value: The file's JSON value.

    Returns:
        The nodes in order; ``None`` when the value is no such tree.
    """
    if not isinstance(value, dict):
        return None
    roots = value.get("roots")
    tops = list(roots.values()) if isinstance(roots, dict) else [value]
    if not any(isinstance(top, dict) and top.get("type") in _FOLDERS for top in tops):
        if not (isinstance(value.get("children"), list) and any(_is_folder(c) for c in value["children"])):
            return None
        tops = value["children"]
    found: list[tuple[Mapping[str, Any], str]] = []
    for top in tops:
        found.extend(_walk(top, (), 0))
    return found or None


def _is_folder(node: Any) -> bool:
    return isinstance(node, dict) and node.get("type") in _FOLDERS


def _walk(node: Any, path: tuple[str, ...], depth: int) -> Iterator[tuple[Mapping[str, Any], str]]:
    if not isinstance(node, dict) or depth > _MAX_DEPTH:
        return
    if node.get("type") in _LINKS:
        yield node, "/".join(path)
        return
    name = node.get("name") or node.get("title")
    inner = (*path, name) if isinstance(name, str) and name else path
    children = node.get("children")
    for child in children if isinstance(children, list) else ():
        yield from _walk(child, inner, depth + 1)
