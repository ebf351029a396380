"""Names as texts: which ones are spelled alike, and which one is a short form of another."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

__all__ = ["acronyms", "contained", "cosines", "initials", "same_keys", "same_letters", "spelled_alike", "vectors"]

Pair = tuple[int, int]

_BLOCK = 1000
_SMALL = frozenset(
    [
        "a",
        "an",
        "and",
        "at",
        "de",
        "der",
        "des",
        "di",
        "du",
        "for",
        "in",
        "la",
        "le",
        "of",
        "on",
        "the",
        "und",
        "van",
        "von",
        "y",
        "&",
        "et",
        "für",
    ]
)
_WORD = re.compile(r"[^\s,;/()]+")
_LOOSE = re.compile(r"[\s.,'’\"\-_]+")
_NUMBERS = re.compile(r"\d+|(?<=\s)[ivxⅰ-ⅿ]+(?=\s|$)")  # in figures, or Roman after the first word


def vectors(keys: Sequence[str]) -> Any:
    """Make one row of TF-IDF weights of character 3-grams per name, of length 1."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectoriser = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), lowercase=False, dtype=np.float32)
    return vectoriser.fit_transform(keys)


def cosines(matrix: Any, pairs: Sequence[Pair]) -> list[float]:
    """Compute the cosine of each pair of rows."""
    if not pairs:
        return []
    left, right = np.array(pairs).T
    found = np.asarray(matrix[left].multiply(matrix[right]).sum(axis=1)).ravel()
    return [min(1.0, max(0.0, round(float(value), 4))) for value in found]


def spelled_alike(keys: Sequence[str], matrix: Any, least: float) -> Iterator[Pair]:
    """Find pairs with a cosine of at least ``least``; names that differ in a number are not alike."""
    numbers = [_NUMBERS.findall(key) for key in keys]
    turned = matrix.T.tocsr()
    for start in range(0, len(keys), _BLOCK):
        product = (matrix[start : start + _BLOCK] @ turned).tocoo()
        good = (product.data >= least) & (product.row + start < product.col)
        for row, column in zip(product.row[good] + start, product.col[good], strict=True):
            if numbers[row] == numbers[column]:
                yield int(row), int(column)


def same_keys(keys: Sequence[str]) -> Iterator[Pair]:
    """Find equal names."""
    yield from _within(keys)


def same_letters(keys: Sequence[str]) -> Iterator[Pair]:
    """Find names that differ in blanks, dots, commas, hyphens and apostrophes only."""
    yield from _within([_LOOSE.sub("", key) for key in keys])


def contained(keys: Sequence[str]) -> Iterator[Pair]:
    """Find names all of whose words are in the other, longer name."""
    words = [frozenset(_WORD.findall(key)) for key in keys]
    holders: dict[str, list[int]] = defaultdict(list)
    for row, own in enumerate(words):
        for word in own:
            holders[word].append(row)
    for row, own in enumerate(words):
        if own - _SMALL:
            rarest = min(own - _SMALL, key=lambda w: (len(holders[w]), w))
            yield from ((row, other) for other in holders[rarest] if own < words[other])


def initials(keys: Sequence[str]) -> Iterator[Pair]:
    """Find names with the same last word whose other words agree, where one has initials: G. Hopper."""
    given, by_last = [], defaultdict(list)
    for row, key in enumerate(keys):
        last, _, first = key.partition(", ")
        words = f"{first} {last}".replace(".", ". ").split() if first else key.replace(".", ". ").split()
        given.append([w.rstrip(".") for w in words[:-1]])
        if len(words) > 1:
            by_last[words[-1]].append(row)
    for rows in by_last.values():
        short = [r for r in rows if any(len(w) == 1 for w in given[r])]
        for row in short:
            yield from ((row, other) for other in rows if other != row and _agree(given[row], given[other]))


def acronyms(names: Sequence[str]) -> Iterator[Pair]:
    """Find names in capitals that are the first letters of another name's words: IBM."""
    by_letters: dict[str, set[int]] = defaultdict(set)
    for row, name in enumerate(names):
        words = [w for w in re.split(r"[\s\-]+", name) if w and w[0].isalnum()]
        if len(words) > 1:
            by_letters["".join(w[0] for w in words).upper()].add(row)
            by_letters["".join(w[0] for w in words if w.lower() not in _SMALL).upper()].add(row)
    for row, name in enumerate(names):
        letters = name.replace(".", "")
        if 2 <= len(letters) <= 8 and letters.isalpha() and letters.isupper():
            yield from ((row, other) for other in sorted(by_letters.get(letters, ())) if other != row)


def _agree(short: list[str], full: list[str]) -> bool:
    if short == full:
        return False
    pairs = list(zip(short, full, strict=False))
    return all(a == b or (1 in (len(a), len(b)) and a[:1] == b[:1]) for a, b in pairs)


def _within(marks: Sequence[str]) -> Iterator[Pair]:
    groups: dict[str, list[int]] = defaultdict(list)
    for row, mark in enumerate(marks):
        if mark:
            groups[mark].append(row)
    for rows in groups.values():
        yield from combinations(rows, 2)
