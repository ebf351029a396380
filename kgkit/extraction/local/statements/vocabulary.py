"""Lists of words, written as one string each."""

from __future__ import annotations

__all__ = ["words"]


def words(text: str) -> frozenset[str]:
    """Split a text at its white space into a set of words.

    Examples:
        >>> sorted(words("it its"))
        ['it', 'its']
    """
    return frozenset(text.split())
