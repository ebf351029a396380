"""The keys under which names that may mean one thing meet."""

from __future__ import annotations

import numpy as np
import polars as pl

from kgkit.resolution.candidates.blocks import Blocks, mix
from kgkit.resolution.candidates.found import SOURCES
from kgkit.resolution.candidates.names import Names
from kgkit.resolution.candidates.variants import corrections, short_forms
from kgkit.resolution.normal import LEGAL_FORMS

__all__ = ["add_name_keys"]

_SINGLE, _PAIRED, _CLIPPED = 12, 6, 4  # how many of a name's words, the rarest, make keys of each kind
_PREFIX = 3
_SHORT = (2, 7)  # letters of an acronym
_SOURCE = {name: number for number, name in enumerate(SOURCES)}


def add_name_keys(blocks: Blocks, names: Names, types: np.ndarray) -> None:
    """Add the pairs of nodes whose names share a key.

    - ``same_name``: the same core words in any order, or the same letters when written together; of any types.
    - ``alias``: the same, where one or both names are aliases or transcriptions.
    - ``corrected``: the same core words when misspelt ones are read as what they probably should be.
    - ``nickname``: a given name that one is short for, and another word.
    - ``words``: a word, or two words (corrected).
    - ``initials``: a word, and the first letter of another: *G. Hopper*.
    - ``prefix``: a word, and the first three letters of another.
    - ``acronym``: the first letters of the words, and a name of one word of those letters.

    Args:
        blocks: Collects the pairs.
        names: The names of all nodes.
        types: A number for the type of each node; keys of nodes with different numbers do not meet, but for
            ``same_name``. All 0 where types do not count.
    """
    if not len(names.word):
        return
    frequency = np.bincount(np.unique(names.word * len(names.node) + names.name) // len(names.node))
    corrected = corrections(names.vocabulary, np.pad(frequency, (0, len(names.vocabulary) - len(frequency))))
    type_of = types[names.node]
    _add_whole_names(blocks, names, corrected, type_of)
    chosen = _Chosen.of(names, corrected, _SINGLE, type_of)
    blocks.add(_SOURCE["words"], mix(chosen.word, chosen.type), chosen.node)
    chosen = _Chosen.of(names, corrected, _PAIRED, type_of)
    _add_pairs(blocks, chosen)
    _add_short_forms(blocks, names, chosen)
    _add_clipped(blocks, names, _Chosen.of(names, corrected, _CLIPPED, type_of))
    _add_acronyms(blocks, names, types)


class _Chosen:
    """The rarest core words of each name, as read (corrected) and as written, name after name."""

    def __init__(self, names: Names, at: np.ndarray, corrected: np.ndarray, type_of: np.ndarray) -> None:
        self.written, self.name = names.word[at], names.name[at]
        self.word = corrected[self.written]
        self.node, self.type = names.node[self.name], type_of[self.name]
        n_words = np.bincount(self.name, minlength=len(names.node))
        self.start = np.concatenate([[0], np.cumsum(n_words)])

    @classmethod
    def of(cls, names: Names, corrected: np.ndarray, most: int, type_of: np.ndarray) -> _Chosen:
        n_words = np.diff(names.start)
        inside = n_words[names.name] <= most
        few, many = np.flatnonzero(inside), np.flatnonzero(~inside)
        if len(many):
            word = corrected[names.word]
            frequency = np.bincount(word)[word[many]]
            many = many[np.lexsort((names.word[many], frequency, names.name[many]))]
            name = names.name[many]
            first = np.searchsorted(name, name)
            many = many[np.arange(len(many)) - first < most]
        at = np.concatenate([few, many])
        return cls(names, at[np.argsort(names.name[at], kind="stable")] if len(many) else at, corrected, type_of)

    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions of every two words of a name."""
        n_words = np.diff(self.start)
        one, other = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for many in np.unique(n_words[n_words > 1]).tolist():
            begin = self.start[:-1][n_words == many][:, None]
            i, j = np.triu_indices(many, 1)
            one.append((begin + i).ravel())
            other.append((begin + j).ravel())
        return np.concatenate(one), np.concatenate(other)


def _add_whole_names(blocks: Blocks, names: Names, corrected: np.ndarray, type_of: np.ndarray) -> None:
    some = np.flatnonzero(np.diff(names.start))
    own = some[~names.alias[some]]
    written, read = _sum_within(names, names.word), _sum_within(names, corrected[names.word])
    joined = _joined(names)
    blocks.add(_SOURCE["same_name"], written[own], names.node[own])
    blocks.add(_SOURCE["same_name"], joined[own], names.node[own], factor=0.5)
    if names.alias.any():
        blocks.add(_SOURCE["alias"], written[some], names.node[some])
        blocks.add(_SOURCE["alias"], joined[some], names.node[some], factor=0.5)
    blocks.add(_SOURCE["corrected"], mix(read[some], type_of[some]), names.node[some])


def _sum_within(names: Names, word: np.ndarray) -> np.ndarray:
    """Hash the words of each name in any order."""
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mix(word), dtype=np.uint64)])
    return mix(total[names.start[1:]] - total[names.start[:-1]])


def _joined(names: Names) -> np.ndarray:
    """Hash the core words of each name, written together."""
    joined = names.parts.filter("core").group_by("number", maintain_order=True).agg(pl.col("whole").str.join(""))
    hashed = np.zeros(len(names.node), np.uint64)
    hashed[joined["number"].to_numpy()] = joined["whole"].hash(0).to_numpy()
    return hashed


def _add_pairs(blocks: Blocks, chosen: _Chosen) -> None:
    i, j = chosen.pairs()
    low, high = np.minimum(chosen.word[i], chosen.word[j]), np.maximum(chosen.word[i], chosen.word[j])
    blocks.add(_SOURCE["words"], mix(low, high, chosen.type[i]), chosen.node[i])


def _add_short_forms(blocks: Blocks, names: Names, chosen: _Chosen) -> None:
    word, full = short_forms(names.vocabulary)
    i, j = chosen.pairs()
    given, other = np.concatenate([i, j]), np.concatenate([j, i])
    first = np.searchsorted(word, chosen.written[given])
    n_full = np.searchsorted(word, chosen.written[given], side="right") - first
    at = np.repeat(np.arange(len(given)), n_full)
    nth = np.arange(len(at)) - np.repeat(np.cumsum(n_full) - n_full, n_full)
    given, other, stands_for = given[at], other[at], full[first[at] + nth]
    keys = mix(stands_for, chosen.word[other], chosen.type[given])
    blocks.add(_SOURCE["nickname"], keys, chosen.node[given], factor=0.5)


def _add_clipped(blocks: Blocks, names: Names, chosen: _Chosen) -> None:
    """Add keys of a word and the beginning of another word of the name."""
    i, j = chosen.pairs()
    whole, clipped = np.concatenate([i, j]), np.concatenate([j, i])
    for source, letters in (("initials", 1), ("prefix", _PREFIX)):
        begins = names.vocabulary.str.slice(0, letters).rank("dense").to_numpy()
        begin = begins[chosen.written[clipped]]
        blocks.add(_SOURCE[source], mix(chosen.word[whole], begin, chosen.type[whole]), chosen.node[whole])


def _add_acronyms(blocks: Blocks, names: Names, types: np.ndarray) -> None:
    """Pair names of one short word with names that begin with its letters; rows in large groups meet few."""
    parts = names.parts.filter(~pl.col("word").is_in(list(LEGAL_FORMS)))
    words = parts.group_by("number", maintain_order=True).agg(
        all=pl.col("word").str.slice(0, 1).str.join(""),
        core=pl.col("word").filter("core").str.slice(0, 1).str.join(""),
        first=pl.col("word").first(),
        n=pl.len(),
    )
    owner = pl.Series(names.node).gather(words["number"])
    words = words.with_columns(node=owner, type=pl.Series(types).gather(owner))
    short = words.filter((pl.col("n") == 1) & pl.col("first").str.len_chars().is_between(*_SHORT))
    short = short.select("type", "node", letters="first").unique()
    full = words.filter(pl.col("n") > 1)
    full = pl.concat([full.select("type", "node", letters=c) for c in ("all", "core")]).unique()
    full = full.filter(pl.col("letters").str.len_chars() >= _SHORT[0]).join(short, on=["type", "letters"], how="semi")
    group = ["type", "letters"]
    full = full.sort(*group, "node").with_row_index("at")
    groups = full.group_by(group).agg(first=pl.col("at").min(), size=pl.len())
    short = short.join(groups, on=group).sort(*group, "node").with_columns(turn=pl.int_range(pl.len()).over(group))
    first, size, turn, node = (short[c].to_numpy().astype(np.int64) for c in ("first", "size", "turn", "node"))
    met = np.minimum(size, blocks.cap)  # in a large group the short names take turns
    at = np.repeat(np.arange(len(met)), met)
    nth = np.arange(len(at)) - np.repeat(np.cumsum(met) - met, met)
    other = full["node"].to_numpy().astype(np.int64)[first[at] + (turn[at] * blocks.cap + nth) % size[at]]
    weight = np.clip(np.rint(16 * np.log2(blocks.n / size)), 1, 255).astype(np.int64)
    differ = node[at] != other
    blocks.emit(_SOURCE["acronym"], node[at][differ], other[differ], weight[at][differ])
