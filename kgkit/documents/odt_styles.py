"""What styles of an OpenDocument file mean for its text: what is hidden, and how lists are numbered."""

from __future__ import annotations

from kgkit.documents.xml import Element, children, whole_number

__all__ = ["OdfStyles"]

_ON = frozenset({"none", "false", "hidden"})


class OdfStyles:
    """Styles of ``styles.xml`` and of ``content.xml``; later ones replace earlier ones of the same name."""

    def __init__(self, *roots: Element | None) -> None:
        self._parents: dict[str, str] = {}
        self._hidden: dict[str, bool] = {}
        self._numbered: set[tuple[str, int]] = set()
        for root in roots:
            for element in root.iter() if root is not None else ():
                if element.tag == "style:style":
                    self._add(element)
                elif element.tag == "text:list-style":
                    self._add_list(element)

    def is_hidden(self, name: str | None) -> bool:
        """Whether text, a sheet or a slide with this style is not shown."""
        seen: set[str] = set()
        while name and name not in seen:
            seen.add(name)
            if name in self._hidden:
                return self._hidden[name]
            name = self._parents.get(name)
        return False

    def is_numbered(self, name: str | None, level: int) -> bool:
        """Whether a list style numbers its items at a level (from 1)."""
        return (name or "", level) in self._numbered

    def _add(self, style: Element) -> None:
        name = style.get("style:name", "")
        self._parents[name] = style.get("style:parent-style-name", "")
        for tag, attribute in (
            ("style:text-properties", "text:display"),
            ("style:table-properties", "table:display"),
            ("style:section-properties", "text:display"),
            ("style:drawing-page-properties", "presentation:visibility"),
        ):
            value = next((p.get(attribute) for p in children(style, tag) if p.get(attribute)), None)
            if value is not None:
                self._hidden[name] = value in _ON

    def _add_list(self, style: Element) -> None:
        for level in children(style, "text:list-level-style-number"):
            if level.get("style:num-format"):
                self._numbered.add((style.get("style:name", ""), whole_number(level.get("text:level")) or 1))
