"""Records taken apart once, so that pairs of them can be compared as arrays."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kgkit.resolution.features.columns import Column, columns_of
from kgkit.resolution.features.folding import Name, kind_of, parse, vocabulary
from kgkit.resolution.records import Records

__all__ = ["Prepared", "Ragged", "prepare"]

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Ragged:
    """A list of numbers for each record, one after the other; record ``i`` has ``values[start[i]:start[i + 1]]``."""

    start: npt.NDArray[np.int64]
    values: Ints

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> Ragged:
        """Lay lists one after the other."""
        start = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(r) for r in rows], out=start[1:])
        return cls(start, np.fromiter((v for r in rows for v in r), np.int32, int(start[-1])))

    def take(self, rows: Ints) -> tuple[npt.NDArray[np.int64], Ints]:
        """List the values of several records: the position in ``rows`` and the value."""
        first, sizes = self.start[rows], self.start[rows + 1] - self.start[rows]
        place = np.repeat(np.arange(len(rows), dtype=np.int64), sizes)
        ends = np.cumsum(sizes)
        within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - sizes, sizes)
        return place, self.values[np.repeat(first, sizes) + within]


@dataclass(frozen=True, eq=False)
class Prepared:
    """All that the features read, one row per record, made once per run."""

    records: Records
    names: list[Name]
    kind: npt.NDArray[np.int8]
    words: list[str]  # the vocabulary: every different word, sorted
    weight: Floats  # of each word: how rare it is here, in natural logarithms
    sets: Ragged  # the different words of each name, sorted by number
    first: Ints  # number of each name's first word
    last: Ints  # and of its last
    glued: tuple[Ragged, Ragged, Ragged]  # words made of two neighbouring words: the whole, its first, its second
    core: list[str]
    ordered: list[str]
    joined: Ints  # a number for each different name without blanks
    raw: Ints  # a number for each different name with all its words
    base: Ints
    bracket: Ints  # -1: none
    legal: Ints
    generation: Ints
    titled: Ints
    keys: Ragged  # numbers of all names and aliases of each record
    acronym: Ints
    initials: tuple[Ints, Ints]
    numbers: Ragged
    years: Ragged
    latin: list[str] | None  # transliterated names, where any is not in Latin letters
    script: npt.NDArray[np.bool_]  # names with letters that are not Latin
    columns: list[Column]
    two_lists: bool  # only pairs across two lists are looked at

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def length(self) -> npt.NDArray[np.int16]:
        """Letters of each name's words."""
        return np.fromiter(map(len, self.core), np.int64, len(self)).astype(np.int16)

    @cached_property
    def part(self) -> npt.NDArray[np.bool_]:
        """Which words of the vocabulary name a part or an occasion."""
        parts = vocabulary().single["part"]
        return np.fromiter((w in parts for w in self.words), bool, len(self.words))

    @cached_property
    def grams(self) -> Any:
        """Rows of TF-IDF weights of the names' character 3-grams, of length 1 (CSR, float32)."""
        from scipy import sparse
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), dtype=np.float32, lowercase=False)
        texts = [n.raw for n in self.names]
        if not any(texts):
            return sparse.csr_array((len(texts), 1), dtype=np.float32)
        return vectorizer.fit_transform(texts)

    @cached_property
    def descriptions(self) -> Any:
        """Rows of TF-IDF weights of the descriptions' words, and which records have one; None when few do."""
        from kgkit.resolution.features.columns import word_vectors

        texts = self.records.frame["description"].to_list()
        return word_vectors(texts)


class _Numbers:
    """Gives each different text a number."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.known.setdefault(text, len(self.known))

    def column(self, texts: Sequence[str]) -> Ints:
        """Number each text of a column; an empty text is -1."""
        return np.array([self(t) if t else -1 for t in texts], np.int32)


def prepare(records: Records, *, across: str | None = None) -> Prepared:
    """Take all records apart.

    Args:
        records: What is to be resolved.
        across: The column that tells two lists apart; it is not compared.
    """
    frame = records.frame
    kinds = {t: kind_of(t) for t in frame["type"].unique().to_list()}
    kind = np.array([kinds[t] for t in frame["type"].to_list()], np.int8)
    parsed: dict[tuple[str, int], Name] = {}
    names = [_parsed(parsed, name, k) for name, k in zip(frame["name"].to_list(), kind.tolist(), strict=True)]
    words, weight, number = _vocabulary(names)
    aliases = frame["aliases"].to_list()
    keys = _keys(names, aliases, kind.tolist(), parsed)
    raw, acro = _Numbers(), _Numbers()
    latin, script = _latin(names)
    single = [n.words[0] if len(n.words) == 1 and 2 <= len(n.words[0]) <= 7 else "" for n in names]
    base_and_raw = raw.column([n.raw for n in names]), raw.column([n.base for n in names])
    return Prepared(
        records=records,
        names=names,
        kind=kind,
        words=words,
        weight=weight,
        sets=Ragged.of([sorted({number[w] for w in n.words}) for n in names]),
        first=np.array([number[n.words[0]] for n in names], np.int32),
        last=np.array([number[n.words[-1]] for n in names], np.int32),
        glued=_glued(names, number),
        core=[" ".join(n.words) for n in names],
        ordered=[" ".join(sorted(n.words)) for n in names],
        joined=_Numbers().column(["".join(n.words) for n in names]),
        raw=base_and_raw[0],
        base=base_and_raw[1],
        bracket=_Numbers().column([n.bracket for n in names]),
        legal=_Numbers().column([n.legal for n in names]),
        generation=np.array([_GENERATION.get(n.generation, 0) for n in names], np.int32),
        titled=_Numbers().column([n.title for n in names]),
        keys=keys,
        acronym=acro.column(single),
        initials=(acro.column([n.initials[0] for n in names]), acro.column([n.initials[1] for n in names])),
        numbers=_numbered([_numbers_of(n) for n in names]),
        years=_numbered([sorted(x for x in n.numbers if _is_year(x)) for n in names]),
        latin=latin,
        script=script,
        columns=columns_of(records, () if across is None else (across,)),
        two_lists=across is not None,
    )


_GENERATION = {"junior": 1, "senior": 2}


def _parsed(known: dict[tuple[str, int], Name], name: str, kind: int) -> Name:
    found = known.get((name, kind))
    if found is None:
        found = known[(name, kind)] = parse(name, kind)
    return found


def _is_year(number: str) -> bool:
    return len(number) == 4 and number.isdigit() and 1000 <= int(number) < 2100


def _numbers_of(name: Name) -> list[str]:
    return sorted(name.numbers | {name.generation} if name.generation.isdigit() else name.numbers)


def _numbered(rows: Sequence[Sequence[str]]) -> Ragged:
    number = _Numbers()
    return Ragged.of([sorted(number(x) for x in row) for row in rows])


def _vocabulary(names: list[Name]) -> tuple[list[str], Floats, dict[str, int]]:
    counts: dict[str, int] = {}
    for name in names:
        for word in set(name.words):
            counts[word] = counts.get(word, 0) + 1
    words = sorted(counts)
    n = len(names)
    # Half a thousand imagined names keep words of small tables from looking rare only because there are few rows.
    weight = [math.log((n + 500) / (counts[w] + 0.5)) * (0.35 if len(w) == 1 and w.isalpha() else 1.0) for w in words]
    return words, np.array(weight, np.float32), {w: i for i, w in enumerate(words)}


def _glued(names: list[Name], number: dict[str, int]) -> tuple[Ragged, Ragged, Ragged]:
    rows: list[list[tuple[int, int, int]]] = []
    for name in names:
        words = name.words
        found = []
        for a, b in itertools.pairwise(words):
            whole = number.get(a + b)
            if whole is not None:
                found.append((whole, number[a], number[b]))
        rows.append(found)
    return (
        Ragged.of([[f[0] for f in row] for row in rows]),
        Ragged.of([[f[1] for f in row] for row in rows]),
        Ragged.of([[f[2] for f in row] for row in rows]),
    )


def _keys(names: list[Name], aliases: list[list[str]], kinds: list[int], parsed: dict[tuple[str, int], Name]) -> Ragged:
    number = _Numbers()
    rows = []
    for name, others, kind in zip(names, aliases, kinds, strict=True):
        own = {number(name.raw)}
        if others:
            own |= {number(_parsed(parsed, other, kind).raw) for other in others}
        if name.bracket and name.base != name.raw:
            own.add(number(name.base))
        rows.append(sorted(own))
    return Ragged.of(rows)


def _latin(names: list[Name]) -> tuple[list[str] | None, npt.NDArray[np.bool_]]:
    from anyascii import anyascii

    script = np.array([not n.raw.isascii() for n in names], bool)
    if not script.any():
        return None, script
    return [anyascii(" ".join(sorted(n.words))).lower() for n in names], script
