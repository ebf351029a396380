"""BM25 over the terms of `kgkit.retrieval.tokens`, so that what shares no term with the query has no score.

Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), with the inverse
document frequency that Lucene uses, which is never negative.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kgkit.retrieval.scripts import kind_of

__all__ = ["Floats", "Lexical", "Query", "build_lexical", "read_query"]

Floats = npt.NDArray[np.float64]

K1 = 1.5
B = 0.75
EXACT_WEIGHT = 0.1  # what a literal match adds, beside the match of the stem


class Query(NamedTuple):
    """A question's terms: those that carry it, and the exact ones that add a little."""

    content: dict[str, float]
    exact: dict[str, float]


@dataclass(frozen=True)
class Lexical:
    """Postings of all terms: ``rows[starts[t]:starts[t + 1]]`` hold term ``t``, with ``weights`` beside them."""

    n_rows: int
    vocabulary: dict[str, int]
    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int32]
    weights: Floats

    def scores(self, query: Mapping[str, float]) -> Floats:
        """Score all rows for weighted terms; rows without any of the terms have exactly 0."""
        out = np.zeros(self.n_rows)
        for term in sorted(query):
            index = self.vocabulary.get(term)
            if index is not None:
                span = slice(self.starts[index], self.starts[index + 1])
                out[self.rows[span]] += query[term] * self.weights[span]
        return out

    def n_rows_with(self, term: str) -> int:
        """Count the rows that hold a term."""
        index = self.vocabulary.get(term)
        return 0 if index is None else int(self.starts[index + 1] - self.starts[index])

    def has(self, term: str, row: int) -> bool:
        """Tell whether a row holds a term."""
        index = self.vocabulary.get(term)
        return index is not None and row in self.rows[self.starts[index] : self.starts[index + 1]]

    def idf(self, term: str) -> float:
        """Weigh a term by its rarity: ``ln(1 + (n - df + 0.5) / (df + 0.5))``."""
        df = self.n_rows_with(term)
        return float(np.log1p((self.n_rows - df + 0.5) / (df + 0.5)))


def build_lexical(counts: Sequence[Counter[str]], *, k1: float = K1, b: float = B) -> Lexical:
    """Build the postings of rows of counted terms.

    Args:
        counts: For each row its terms; exact terms begin with ``=``, stop words with ``~``.
        k1: How soon repetition of a term stops to count.
        b: How much long rows are held back, 0 to 1.
    """
    vocabulary = {term: i for i, term in enumerate(sorted(set().union(*counts)))}
    lengths = np.array([sum(n for t, n in c.items() if t[0] not in "=~") for c in counts], dtype=np.float64)
    columns = np.fromiter((vocabulary[t] for c in counts for t in c), dtype=np.int64)
    tf = np.fromiter((n for c in counts for n in c.values()), dtype=np.float64)
    rows = np.repeat(np.arange(len(counts), dtype=np.int32), [len(c) for c in counts])
    order = np.argsort(columns, kind="stable")
    columns, tf, rows = columns[order], tf[order], rows[order]
    df = np.bincount(columns, minlength=len(vocabulary))
    idf = np.log1p((len(counts) - df + 0.5) / (df + 0.5))
    mean = lengths.mean() if lengths.any() else 1.0
    norm = k1 * (1 - b + b * lengths / mean)
    weights = idf[columns] * tf / (tf + norm[rows])
    return Lexical(len(counts), vocabulary, np.concatenate([[0], np.cumsum(df)]), rows, weights)


def read_query(counts: Counter[str]) -> Query:
    """Sort a question's terms: stop words count only where there is nothing else, exact terms a little.

    A sign that stands alone, in a script without blanks between words, is asked for as the exact term it is indexed as.
    """
    main = {term: n for term, n in counts.items() if term[0] not in "=~"}
    if not main:
        main = {term: n for term, n in counts.items() if term[0] == "~"}
    content = {
        f"={t}" if kind_of(t[0]) != "word" and f"={t}" in counts and len(t) == 1 else t: float(n)
        for t, n in main.items()
    }
    exact = {t: EXACT_WEIGHT * n for t, n in counts.items() if t[0] == "=" and t not in content}
    return Query(content, exact)
