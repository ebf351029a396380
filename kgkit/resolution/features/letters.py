"""Names and texts as rows of TF-IDF weights: of their runs of three letters, or of their words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from kgkit.resolution.features.folding import fold

__all__ = ["gram_vectors", "word_vectors"]

_WORD = re.compile(r"[^\W_]+")
_BLANK = 32
_TABLE = 1 << 27  # most runs that a table of all that are possible may have

Ints = npt.NDArray[np.int32]


def gram_vectors(texts: Sequence[str]) -> Any:
    """Make rows of TF-IDF weights of the texts' 3-letter runs within words, of length 1 (CSR, float32).

    A word's runs include the blank before it and the blank after it.

    Args:
        texts: One text per row.
    """
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfTransformer

    place, run = _runs(texts)
    if not len(run):
        return sparse.csr_array((len(texts), 1), dtype=np.float32)
    ones = np.ones(len(run), np.float32)
    counts = sparse.coo_matrix((ones, (place, run)), shape=(len(texts), int(run.max()) + 1)).tocsr()
    return TfidfTransformer().fit(counts).transform(counts, copy=False)


def _runs(texts: Sequence[str]) -> tuple[Ints, npt.NDArray[np.integer[Any]]]:
    """List the runs of all texts: the text of each, and its number in the order of the different ones."""
    plain = [" ".join(text.split()) for text in texts]
    letters = np.frombuffer(f" {' '.join(plain)} ".encode("utf-32-le", "surrogatepass"), np.uint32)
    sizes = np.fromiter(map(len, plain), np.int64, len(plain)) + 1
    within = letters[1:-1] != _BLANK  # a run around a blank would be of two words
    place = np.repeat(np.arange(len(plain), dtype=np.int32), sizes)[:-1][within]
    alphabet, letter = _ranked(letters, int(letters.max()) + 1)
    wide = alphabet**3 > _TABLE
    letter = letter.astype(np.int64 if wide else np.int32)
    run = (letter[:-2] * alphabet + letter[1:-1]) * alphabet + letter[2:]
    return place, np.unique(run[within], return_inverse=True)[1] if wide else _ranked(run[within], alphabet**3)[1]


def _ranked(values: npt.NDArray[np.integer[Any]], most: int) -> tuple[int, Ints]:
    """Number values, all below ``most``, in their order: how many different ones there are, and the number of each."""
    there = np.zeros(most, bool)
    there[values] = True
    rank = np.cumsum(there, dtype=np.int32) - 1
    return int(rank[-1]) + 1, rank[values]


def word_vectors(texts: Sequence[str | None]) -> tuple[Any, npt.NDArray[np.bool_]] | tuple[None, None]:
    """Make rows of TF-IDF weights of the texts' words, of length 1 (CSR, float32), and tell which have any.

    Args:
        texts: One text per row; equal ones are read once.
    """
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfTransformer

    folded = {text: fold(text) if text else "" for text in dict.fromkeys(texts)}
    found = [_WORD.findall(text) for text in folded.values()]
    vocabulary = {word: i for i, word in enumerate(sorted(set(chain.from_iterable(found))))}
    if not vocabulary or sum(bool(folded[text]) for text in texts) < 2:
        return None, None
    number = {text: i for i, text in enumerate(folded)}
    sizes = np.fromiter(map(len, found), np.int64, len(found))
    column = np.fromiter((vocabulary[w] for words in found for w in words), np.int64, int(sizes.sum()))
    place = np.repeat(np.arange(len(found)), sizes)
    ones = np.ones(len(column), np.float32)
    counts = sparse.coo_matrix((ones, (place, column)), shape=(len(found), len(vocabulary))).tocsr()
    counts = counts[np.fromiter((number[text] for text in texts), np.int64, len(texts))]
    matrix = TfidfTransformer(sublinear_tf=True).fit(counts).transform(counts, copy=False)
    return matrix, np.diff(matrix.indptr) > 0
