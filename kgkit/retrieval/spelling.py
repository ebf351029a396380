"""Words of a question that no document has, but for one letter."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kgkit.retrieval.scripts import script_of

__all__ = ["near_spellings"]

_SHORTEST = 5
_MOST = 2
_LETTERS = {
    "LATIN": "abcdefghijklmnopqrstuvwxyz",
    "CYRILLIC": "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "GREEK": "αβγδεζηθικλμνξοπρστυφχψως",
}


def near_spellings(term: str, n_rows_with: Callable[[str], int]) -> list[str]:
    """Find known terms that are one letter, or one swap of neighbours, away from an unknown one.

    The first letter must be the same: it is seldom the wrong one, and short words would all be neighbours.

    Args:
        term: A term that no document has.
        n_rows_with: Tells how many rows hold a term.

    Returns:
        At most two, the most frequent first; none for short words and for words with digits.
    """
    letters = _LETTERS.get(script_of(term[:1]), "")
    if len(term) < _SHORTEST or not letters or not term.isalpha():
        return []
    near = {word: n for word in set(_edits(term, letters)) if (n := n_rows_with(word))}
    return sorted(near, key=lambda word: (-near[word], word))[:_MOST]


def _edits(word: str, letters: str) -> Iterator[str]:
    for i in range(1, len(word) + 1):
        head, tail = word[:i], word[i:]
        for letter in letters:
            yield head + letter + tail
            if tail:
                yield head + letter + tail[1:]
        if tail:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
