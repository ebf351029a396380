"""Pairs within groups: asked about one by one where a decision on their group leaves them open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kgkit.reviewing.entries import Entry
from kgkit.reviewing.state import OPEN, UNDECIDED, Stand

__all__ = ["Links"]


class Links:
    """The pairs that were proposed within some groups.

    Whoever accepts two members of four says nothing of the two others, which may be one as well.

    Args:
        entries: Items, groups among them.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._of = {entry.item_id: entry.links for entry in entries if entry.links}
        self._opened: set[str] = set()

    @property
    def entries(self) -> dict[str, Entry]:
        """All pairs, by their ids."""
        return {link.item_id: link for links in self._of.values() for link in links}

    def follow(self, stands: Mapping[str, Stand], active: set[str]) -> set[str]:
        """Give the items that are asked about, with the pairs that decisions on their groups leave open."""
        decided = (links for group, links in self._of.items() if stands[group].status not in OPEN)
        now = {link.item_id for links in decided for link in links if not stands[link.item_id].implied}
        if now == self._opened:
            return active
        gone = {i for i in self._opened - now if stands[i].status == UNDECIDED}
        self._opened = now
        return (active - gone) | now
