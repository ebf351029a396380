"""Records taken apart once, so that pairs of them can be compared as arrays."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from kgkit.resolution.features.columns import Column, columns_of
from kgkit.resolution.features.folding import Name, kind_of, parse, vocabulary
from kgkit.resolution.features.letters import gram_vectors
from kgkit.resolution.features.ragged import Ragged, numbers_of, numbers_of_few
from kgkit.resolution.records import Records

__all__ = ["Prepared", "prepare"]

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


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
    def son_of(self) -> npt.NDArray[np.bool_]:
        """Which names tell whose son or daughter somebody is."""
        known = vocabulary().single["son"]
        return np.fromiter((not known.keys().isdisjoint(n.words) for n in self.names), bool, len(self))

    @cached_property
    def grams(self) -> Any:
        """Rows of TF-IDF weights of the names' 3-letter runs, of length 1 (CSR, float32)."""
        return gram_vectors([n.raw for n in self.names])


def prepare(records: Records, *, across: str | None = None) -> Prepared:
    """Take all records apart.

    Args:
        records: What is to be resolved.
        across: The column that tells two lists apart; it is not compared.
    """
    frame = records.frame
    kinds = {t: kind_of(t) for t in frame["type"].unique().to_list()}
    kind = [kinds[t] for t in frame["type"].to_list()]
    parsed: dict[tuple[str, int], Name] = {}
    names = [_parsed(parsed, name, k) for name, k in zip(frame["name"].to_list(), kind, strict=True)]
    n = len(names)
    words, start, word = _numbered_words([name.words for name in names])
    sets = Ragged.sets(n, np.repeat(np.arange(n), np.diff(start)), word)
    core = [" ".join(name.words) for name in names]
    ordered = [" ".join(sorted(name.words)) for name in names]
    raw, base, keys = _whole_names(names, frame["aliases"], kind, parsed)
    latin, script = _latin(names, ordered)
    acronym, *initials = _acronyms(names)
    return Prepared(
        records=records,
        names=names,
        kind=np.array(kind, np.int8),
        words=words,
        weight=_weights(words, sets),
        sets=sets,
        first=word[start[:-1]],
        last=word[start[1:] - 1],
        glued=_glued(words, start, word),
        core=core,
        ordered=ordered,
        joined=numbers_of(["".join(name.words) for name in names]),
        raw=raw,
        base=base,
        bracket=numbers_of_few((name.bracket for name in names), n),
        legal=numbers_of_few((name.legal for name in names), n),
        generation=np.array([_GENERATION.get(name.generation, 0) for name in names], np.int32),
        titled=numbers_of_few((name.title for name in names), n),
        keys=keys,
        acronym=acronym,
        initials=(initials[0], initials[1]),
        numbers=_sets_of(map(_numbers_in, names), n),
        years=_sets_of(([x for x in name.numbers if _is_year(x)] for name in names), n),
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


def _numbers_in(name: Name) -> frozenset[str]:
    return name.numbers | {name.generation} if name.generation.isdigit() else name.numbers


def _numbered_words(rows: list[tuple[str, ...]]) -> tuple[list[str], npt.NDArray[np.int64], Ints]:
    """Number the words of names: the vocabulary, where each name's words begin, and the number of each word."""
    start = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=start[1:])
    flat = pl.Series(list(itertools.chain.from_iterable(rows)), dtype=pl.String)
    words = flat.unique().sort()
    return words.to_list(), start, flat.cast(pl.Enum(words)).to_physical().cast(pl.Int32).to_numpy()


_MANY = 10_000  # records above which more make no word rarer


def _weights(words: list[str], sets: Ragged) -> Floats:
    counts, n = np.bincount(sets.values, minlength=len(words)).tolist(), min(len(sets.start) - 1, _MANY)
    # Half a thousand imagined names keep words of small tables from looking rare only because there are few rows. In a
    # large table a word that fifty names have is as ambiguous as in a small one, though it be a smaller share of them.
    rarity = [max(math.log((n + 500) / (count + 0.5)), 0.1) for count in counts]
    letter = [0.35 if len(w) == 1 and w.isalpha() else 1.0 for w in words]
    return np.array([r * part for r, part in zip(rarity, letter, strict=True)], np.float32)


def _glued(words: list[str], start: npt.NDArray[np.int64], word: Ints) -> tuple[Ragged, Ragged, Ragged]:
    """Find neighbouring words that are also written as one word somewhere."""
    place = np.repeat(np.arange(len(start) - 1), np.diff(start))
    one = np.flatnonzero(place[1:] == place[:-1])
    pairs, which = np.unique(word[one] * np.int64(len(words)) + word[one + 1], return_inverse=True)
    number = {w: i for i, w in enumerate(words)}
    first, second = (pairs // len(words)).tolist(), (pairs % len(words)).tolist()
    joined = (number.get(words[a] + words[b], -1) for a, b in zip(first, second, strict=True))
    whole = np.fromiter(joined, np.int32, len(pairs))[which]
    there = whole >= 0
    one = one[there]
    parts = (whole[there], word[one], word[one + 1])
    return tuple(Ragged.of(len(start) - 1, place[one], part) for part in parts)  # type: ignore[return-value]


def _whole_names(
    names: list[Name], aliases: pl.Series, kinds: list[int], parsed: dict[tuple[str, int], Name]
) -> tuple[Ints, Ints, Ragged]:
    """Number whole names: of each record, the same without what is in brackets, and all that a record goes by."""
    n = len(names)
    shorter = [i for i, name in enumerate(names) if name.base != name.raw]
    other = aliases.to_frame("alias").with_row_index("at").explode("alias").drop_nulls("alias")
    at = other["at"].to_list()
    called = [_parsed(parsed, text, kinds[i]).raw for i, text in zip(at, other["alias"].to_list(), strict=True)]
    texts = [name.raw for name in names] + [names[i].base for i in shorter] + called
    number = numbers_of(texts)
    raw = number[:n]
    base = raw.copy()
    base[shorter] = number[n : n + len(shorter)]
    place = np.concatenate([np.arange(n), np.array(shorter, np.int64), np.array(at, np.int64)])
    named = np.ones(len(place), bool)
    named[n : n + len(shorter)] = [bool(names[i].bracket) for i in shorter]
    return raw, base, Ragged.sets(n, place[named], number[named])


def _acronyms(names: list[Name]) -> tuple[Ints, Ints, Ints]:
    """Number names of one short word, and the first letters of all names; -1 where there are none."""
    n = len(names)
    single = [x.words[0] if len(x.words) == 1 and 2 <= len(x.words[0]) <= 7 else "" for x in names]
    texts = [*single, *(x.initials[0] for x in names), *(x.initials[1] for x in names)]
    number = numbers_of(texts)
    number[[not text for text in texts]] = -1
    return number[:n], number[n : 2 * n], number[2 * n :]


def _sets_of(rows: Iterable[Collection[str]], n: int) -> Ragged:
    """Number texts of which most records have none."""
    known: dict[str, int] = {}
    found = [(i, known.setdefault(text, len(known))) for i, row in enumerate(rows) if row for text in row]
    place, value = np.array(found, np.int64).reshape(-1, 2).T
    return Ragged.sets(n, place, value)


def _latin(names: list[Name], ordered: list[str]) -> tuple[list[str] | None, npt.NDArray[np.bool_]]:
    from anyascii import anyascii

    script = np.array([not n.raw.isascii() for n in names], bool)
    if not script.any():
        return None, script
    return [(text if text.isascii() else anyascii(text)).lower() for text in ordered], script
