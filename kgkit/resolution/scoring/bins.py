"""What the measures of a pair mean: each is cut into a few steps, and each step has a name."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["MEASURES", "Measure", "binned"]


@dataclass(frozen=True)
class Measure:
    """One measure.

    Attributes:
        name: Its column among the features.
        says: What the measure is, in words.
        steps: Names of its steps, in order. Step 0 is "not known" or "does not apply", and weighs nothing.
        edges: Where the steps of a number are cut (``steps[1]`` is below the first edge); empty for codes, whose
            step is the code itself.
        trend: 1 where a higher number can only speak more for a match, -1 only against, 0 for no such rule.
    """

    name: str
    says: str
    steps: tuple[str, ...]
    edges: tuple[float, ...] = ()
    trend: int = 0


def _number(name: str, says: str, trend: int, *edges: float) -> Measure:
    cuts = [f"{e:g}" for e in edges]
    inner = [f"{a} to {b}" for a, b in itertools.pairwise(cuts)]
    return Measure(name, says, ("not known", f"below {cuts[0]}", *inner, f"{cuts[-1]} or more"), edges, trend)


MEASURES = (
    Measure("exact", "whether the whole names are equal", (
        "not equal", "equal without what is in brackets", "a name of one is an alias of the other",
        "equal but for blanks, titles and legal forms", "equal")),
    _number("jaro", "spelling from the start (Jaro-Winkler)", 1, .7, .8, .85, .9, .95, .98),
    _number("sorted", "spelling with the words sorted", 1, .5, .6, .7, .8, .85, .9, .95, .999),
    _number("grams", "cosine of 3-letter pieces, rare ones counting more", 1, .3, .4, .5, .6, .7, .8, .9, .97),
    _number("cover", "share of the shorter name's words found in the other", 1, .3, .5, .65, .8, .9, .999),
    _number("overlap", "share of both names' words that both have", 1, .2, .35, .5, .65, .8, .9, .999),
    _number("shared", "how rare the words are that both have", 1, 3, 5, 7, 9, 12, 16, 24),
    _number("rest_both", "how rare the words are that each has and the other has not", -1, .5, 1, 2, 3, 4.5, 6, 7.5),
    _number("rest_one", "how rare the words are that only one has", -1, .5, 1, 2, 3, 4.5, 6, 7.5),
    Measure("numbers", "numbers in the names", (
        "none", "the same", "one has more", "some differ", "differ", "only one has any",
        "only one has them, all words agree", "some differ, all words agree", "differ, all words agree")),
    Measure("years", "years in the names", ("none", "the same", "only one has any", "some differ", "differ")),
    Measure("person", "names of persons", (
        "no persons", "one word each, the same", "one word, the other's last", "one word, the other's first or middle",
        "all words agree", "all words agree, some as initials", "one has more words",
        "one has more words, some agree as initials", "first and last agree, others differ",
        "last agrees, first differs", "first agrees, last differs", "others differ",
        "all words agree, those around “son of” in another order")),
    Measure("matched", "words that agree without being equal", (
        "none", "a nickname", "an initial", "a short form", "one letter or vowels differ",
        "several letters differ")),
    Measure("codes", "codes of letters and digits", ("none", "only one has any", "one in common", "differ")),
    Measure("order", "words that do not agree", (
        "both have some", "none, in the same order", "none, in another order", "only one has some")),
    Measure("more", "further words of the longer name of an organisation, a place or a thing", (
        "none", "before", "after", "between", "on both sides, or moved",
        "after, and they name a part or an occasion", "each has some")),
    Measure("value", "dates, numbers and amounts", ("no values", "the same", "not the same, or one is less exact")),
    Measure("legal", "legal form", ("none", "one has none", "the same", "differs")),
    Measure("title", "title", ("none", "one has none", "the same", "differs")),
    Measure("generation", "junior, senior", ("none", "one has none", "the same", "differs")),
    Measure("acronym", "one is the first letters of the other", (
        "no", "two letters", "three letters", "four letters or more")),
    Measure("bracket", "words in brackets", ("none", "only one has any", "the same", "differ")),
    Measure("type", "type", ("not known", "the same", "of one kind", "differ")),
    _number("latin", "spelling in Latin letters of names in two scripts", 1, .6, .7, .8, .9),
    _number("described", "words of one name in the other's description", 1, .05, .2, .4, .6, .8, .95),
    _number("neighbours", "neighbours in common, rare ones counting more", 1, .02, .1, .25, .5, .75),
    Measure("together", "named in one sentence", ("not known", "never", "once", "more than once")),
    Measure("related", "a relation between the two", ("none", "one that says they are the same", "another")),
    Measure("born", "years of birth in the descriptions", ("not known", "the same", "differ")),
    _number("rank_best", "better candidates of the side that has fewer", -1, .5, 1.5, 3.5, 7.5),
    _number("rank_worst", "better candidates of the side that has more", -1, .5, 1.5, 3.5, 7.5),
    _number("behind", "how far behind the best candidate of either", -1, .02, .05, .1, .2),
)  # fmt: skip


def binned(
    values: Mapping[str, npt.NDArray[np.generic]], measures: tuple[Measure, ...] = MEASURES
) -> npt.NDArray[np.uint8]:
    """Cut measures into their steps: one row per pair, one column per measure."""
    rows = len(next(iter(values.values())))
    found = np.zeros((rows, len(measures)), np.uint8)
    for i, measure in enumerate(measures):
        value = np.asarray(values[measure.name])
        if measure.edges:
            step = np.searchsorted(measure.edges, value, side="right") + 1
            found[:, i] = np.where(np.isnan(value), 0, step)
        else:
            found[:, i] = value
    return found
