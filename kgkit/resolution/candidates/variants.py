"""Words that stand for other words: misspellings of a more frequent word, and short forms of given names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import polars as pl

__all__ = ["corrections", "short_forms"]

_SHORTEST, _LONGEST = 4, 24
_MOST_ALIKE = 30
_TIMES = 5  # how much more frequent a word is than its misspellings


def corrections(vocabulary: pl.Series, frequency: np.ndarray) -> np.ndarray:
    """Give for each word the word that it is probably a misspelling of, or itself.

    A word is read as its most frequent neighbour at one edit (a letter more, less, other, or two swapped) that is
    several times as frequent. Words with figures are left alone, as are short and very long ones. Neighbours are
    found by the letters left when one is deleted (the SymSpell idea).

    Args:
        vocabulary: The different words.
        frequency: Number of names that each is in.

    Returns:
        The number of a word for each word, int64.

    Examples:
        >>> corrections(pl.Series(["gutierrez", "guiterrez", "kirk"]), np.array([9, 1, 3])).tolist()
        [0, 0, 2]
    """
    chosen = np.arange(len(vocabulary))
    one, other = _neighbours(vocabulary, frequency)
    if not len(one):
        return chosen
    wrong, right = np.concatenate([one, other]), np.concatenate([other, one])
    many, few = frequency[right], frequency[wrong]
    better = (many > _TIMES * few) | ((few <= 1) & (many > few)) | ((few <= 1) & (many == few) & (right < wrong))
    wrong, right = wrong[better], right[better]
    order = np.lexsort((right, -frequency[right], wrong))
    wrong, right = wrong[order], right[order]
    first = np.concatenate([[True], wrong[1:] != wrong[:-1]]) if len(wrong) else np.empty(0, bool)
    chosen[wrong[first]] = right[first]
    return chosen


def _neighbours(vocabulary: pl.Series, frequency: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find words at one edit from each other."""
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import cpdist

    words = vocabulary.to_list()
    pairs = np.fromiter(_share_a_deletion(words, frequency), np.dtype((np.int64, 2)))
    if not len(pairs):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    code = np.unique(pairs.min(axis=1) * len(words) + pairs.max(axis=1))
    one, other = code // len(words), code % len(words)
    texts = np.array(words, dtype=object)
    near = cpdist(texts[one].tolist(), texts[other].tolist(), scorer=OSA.distance, score_cutoff=1) <= 1
    return one[near], other[near]


def _share_a_deletion(words: list[str], frequency: np.ndarray) -> Iterator[tuple[int, int]]:
    left: dict[str, list[int]] = defaultdict(list)
    for number, word in enumerate(words):
        if _SHORTEST <= len(word) <= _LONGEST and word.isalpha():
            for rest in {word, *(word[:i] + word[i + 1 :] for i in range(len(word)))}:
                left[rest].append(number)
    for numbers in left.values():
        if len(numbers) > _MOST_ALIKE:
            numbers = sorted(numbers, key=lambda i: (-frequency[i], i))[:_MOST_ALIKE]
        for at, number in enumerate(numbers):
            for another in numbers[:at]:
                yield number, another


def short_forms(vocabulary: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    """List which words are given names, and of what they may be short forms: *Bill*, *William*.

    The table is that of the library nicknames. A name that others are short for is also listed with itself.

    Returns:
        Numbers of words, and of the names they may stand for (numbers of a list of names of their own); int64.
    """
    from nicknames import NickNamer

    table = NickNamer()
    number: dict[str, int] = {}
    pairs = []
    for at, word in enumerate(vocabulary.to_list()):
        full = set(table.canonicals_of(word))
        if table.nicknames_of(word):
            full.add(word)
        pairs += [(at, number.setdefault(name, len(number))) for name in sorted(full)]
    one, other = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return one, other
