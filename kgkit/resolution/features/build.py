"""`pair_features`: every measure of a list of pairs, as one array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kgkit.resolution.features.alignment import Aligned, align
from kgkit.resolution.features.columns import DESCRIPTION, compare, cosines
from kgkit.resolution.features.context import context_features
from kgkit.resolution.features.prepare import Prepared
from kgkit.resolution.features.ragged import Ragged
from kgkit.resolution.features.values import value_codes

__all__ = ["Features", "pair_features"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Features:
    """Measures of pairs.

    Attributes:
        values: One row per pair, float32; NaN where something is not known.
        names: The columns' names: those of `kgkit.resolution.scoring.table`, then ``column.NAME`` for the
            similarity of each further column.
        levels: One row per pair, one column per further column of the records: indices into `LEVELS`.
    """

    values: dict[str, npt.NDArray[np.generic]]
    levels: npt.NDArray[np.int8]
    similarity: Floats

    def __len__(self) -> int:
        return len(self.similarity)


def pair_features(prepared: Prepared, left: Ints, right: Ints) -> Features:
    """Measure pairs of records; for more than some 200,000 pairs call it in pieces.

    Args:
        prepared: The records.
        left: Rows of the left records.
        right: Rows of the right ones.
    """
    aligned = align(prepared, left, right)
    values: dict[str, npt.NDArray[np.generic]] = {}
    values |= _spelling(prepared, left, right, aligned)
    values |= _words(aligned)
    values |= _exact(prepared, left, right)
    values["numbers"] = _numbers(prepared, left, right, aligned)
    values["years"] = _overlap_code(prepared.years, left, right)
    values["person"] = _person(prepared, left, right, aligned)
    values["matched"] = _matched(aligned)
    values["codes"] = aligned.codes
    values["order"] = _order(prepared, left, right, aligned)
    values["more"] = np.where(values["acronym"] == 0, _more(prepared, left, right, aligned), 0)
    values["value"] = value_codes(prepared, left, right)
    own = (aligned.n_rest_left > 0) & (aligned.n_rest_right > 0)
    context = context_features(prepared, left, right, own)
    values |= context
    named_together = np.isin(context["together"], (2, 3))
    levels = np.zeros((len(left), len(prepared.columns)), np.int8)
    for i, column in enumerate(prepared.columns):
        levels[:, i], values[f"column.{column.name}"] = compare(column, left, right)
        if column.name == DESCRIPTION:
            levels[named_together, i] = 0  # one text may describe both that it names
    similarity = 0.5 * values["grams"] + 0.3 * values["sorted"] + 0.2 * values["cover"]  # type: ignore[operator]
    return Features(values, levels, similarity.astype(np.float32))


def _spelling(prepared: Prepared, left: Ints, right: Ints, aligned: Aligned) -> dict[str, npt.NDArray[np.generic]]:
    from rapidfuzz.distance import Indel, JaroWinkler
    from rapidfuzz.process import cpdist

    one, two = left.tolist(), right.tolist()

    def measure(texts: list[str], scorer: Any) -> Floats:
        return cpdist([texts[i] for i in one], [texts[i] for i in two], scorer=scorer, dtype=np.float32, workers=-1)

    found: dict[str, npt.NDArray[np.generic]] = {
        "jaro": measure(prepared.core, JaroWinkler.similarity),
        "sorted": measure(prepared.ordered, Indel.normalized_similarity),
        "grams": cosines(prepared.grams, left, right),
    }
    latin = np.full(len(left), np.nan, np.float32)
    if prepared.latin is not None:
        other = np.flatnonzero(prepared.script[left] != prepared.script[right])
        if len(other):
            a = [prepared.latin[i] for i in left[other].tolist()]
            b = [prepared.latin[i] for i in right[other].tolist()]
            latin[other] = cpdist(a, b, scorer=JaroWinkler.similarity, dtype=np.float32, workers=-1)
    found["latin"] = latin
    return found


def _words(aligned: Aligned) -> dict[str, npt.NDArray[np.generic]]:
    least = np.maximum(np.minimum(aligned.left, aligned.right), 1e-6)
    union = np.maximum(aligned.left + aligned.right - aligned.shared, 1e-6)
    low, high = np.minimum(aligned.rest_left, aligned.rest_right), np.maximum(aligned.rest_left, aligned.rest_right)
    return {
        "cover": np.minimum(1, np.maximum(aligned.shared_left, aligned.shared_right) / least).astype(np.float32),
        "overlap": np.minimum(1, aligned.shared / union),
        "shared": aligned.shared,
        "rest_both": low,
        "rest_one": high,
    }


def _exact(prepared: Prepared, left: Ints, right: Ints) -> dict[str, npt.NDArray[np.generic]]:
    p = prepared
    same_raw = p.raw[left] == p.raw[right]
    same_joined = p.joined[left] == p.joined[right]
    based = (p.base[left] == p.raw[right]) | (p.raw[left] == p.base[right]) | (p.base[left] == p.base[right])
    alias = ~same_raw & _share(p.keys, left, right)
    exact = np.select([same_raw, same_joined, alias, based], [4, 3, 2, 1], 0).astype(np.int8)
    brackets = (p.bracket[left] >= 0).astype(np.int8) + (p.bracket[right] >= 0)
    bracket = np.select([brackets == 2, brackets == 1], [np.where(p.bracket[left] == p.bracket[right], 2, 3), 1], 0)
    acronym = np.zeros(len(left), bool)
    for rows, others in ((left, right), (right, left)):
        own = p.acronym[rows]
        acronym |= (own >= 0) & ((own == p.initials[0][others]) | (own == p.initials[1][others])) & ~same_joined
    size = np.minimum(p.length[left], p.length[right])
    return {
        "exact": exact,
        "bracket": bracket.astype(np.int8),
        "legal": _codes(p.legal, left, right),
        "title": _codes(p.titled, left, right),
        "generation": _generation(p.generation[left], p.generation[right]),
        "acronym": np.where(acronym, np.where(size >= 4, 3, np.where(size == 3, 2, 1)), 0).astype(np.int8),
    }


def _codes(column: Ints, left: Ints, right: Ints) -> npt.NDArray[np.int8]:
    """0: neither has one, 1: one has, 2: the same, 3: two different ones."""
    a, b = column[left], column[right]
    return np.select([(a < 0) & (b < 0), (a < 0) | (b < 0), a == b], [0, 1, 2], 3).astype(np.int8)


def _generation(a: Ints, b: Ints) -> npt.NDArray[np.int8]:
    return np.select([(a == 0) & (b == 0), (a == 0) | (b == 0), a == b], [0, 1, 2], 3).astype(np.int8)


def _share(ragged: Ragged, left: Ints, right: Ints) -> Flags:
    """Tell which pairs have a value in common."""
    return _counts(ragged, left, right)[2] > 0


def _counts(ragged: Ragged, left: Ints, right: Ints) -> tuple[Ints, Ints, Ints]:
    """Number of values on the left, on the right, and in common."""
    sizes = np.diff(ragged.start).astype(np.int32)
    most = int(ragged.values.max()) + 1 if len(ragged.values) else 1
    keys = []
    for rows in (left, right):
        place, value = ragged.take(rows)
        keys.append((place * most + value, place))
    common = np.isin(keys[0][0], keys[1][0], assume_unique=True) if len(keys[0][0]) and len(keys[1][0]) else None
    shared = np.zeros(len(left), np.int32) if common is None else np.bincount(keys[0][1][common], minlength=len(left))
    return sizes[left], sizes[right], shared.astype(np.int32)


def _overlap_code(ragged: Ragged, left: Ints, right: Ints) -> npt.NDArray[np.int8]:
    """0: none, 1: all the same, 2: only one has any, or one has all and more, 3: some in common, 4: none in common."""
    a, b, shared = _counts(ragged, left, right)
    least, most = np.minimum(a, b), np.maximum(a, b)
    return np.select([most == 0, (shared == most), shared == least, shared > 0], [0, 1, 2, 3], 4).astype(np.int8)


def _numbers(prepared: Prepared, left: Ints, right: Ints, aligned: Aligned) -> npt.NDArray[np.int8]:
    code = _overlap_code(prepared.numbers, left, right)
    a, b, _ = _counts(prepared.numbers, left, right)
    code[(code == 2) & (np.minimum(a, b) == 0)] = 5  # one has none at all
    alone = (code >= 2) & aligned.only_numbers
    code[alone] = np.array([0, 0, 6, 7, 8, 6], np.int8)[code[alone]]
    return code


def _matched(aligned: Aligned) -> npt.NDArray[np.int8]:
    """How words that are not equal were matched.

    0: no such word, 1: nickname, 2: initial, 3: short form, 4: one letter or only
    vowels differ, 5: several letters differ.
    """
    used = aligned.used
    shown = [used[:, 4], used[:, 1], used[:, 0], used[:, 3], used[:, 2]]
    return np.select(shown, [5, 2, 1, 4, 3], 0).astype(np.int8)


def _order(prepared: Prepared, left: Ints, right: Ints, aligned: Aligned) -> npt.NDArray[np.int8]:
    """1: all words agree, and begin or end with the same; 2: all, in another order; 3: one has more; 0: both have."""
    agree = (aligned.n_rest_left == 0) & (aligned.n_rest_right == 0)
    ends = (prepared.first[left] != prepared.first[right]) & (prepared.last[left] != prepared.last[right])
    moved = ends & (prepared.first[left] == prepared.last[right]) | ends & (
        prepared.last[left] == prepared.first[right]
    )
    persons = (prepared.kind[left] == 1) & (prepared.kind[right] == 1)  # *Hopper, Grace* is no other order
    more = (aligned.n_rest_left == 0) | (aligned.n_rest_right == 0)
    return np.select([agree & moved & ~persons, agree, more], [2, 1, 3], 0).astype(np.int8)


def _more(prepared: Prepared, left: Ints, right: Ints, aligned: Aligned) -> npt.NDArray[np.int8]:
    """Where the longer of two names of organisations, places or things has its further words.

    0: does not apply, 1: before, 2: after, 3: between, 4: on both sides, or the words are moved, 5: after, and they
    name a part or an occasion, 6: each has words of its own.
    """
    typed = (prepared.kind[left] >= 2) & (prepared.kind[right] >= 2)
    longer = np.where(aligned.n_rest_left > 0, left, right)
    applies = typed & ((aligned.n_rest_left == 0) != (aligned.n_rest_right == 0))
    begins = prepared.first[left] == prepared.first[right]
    ends = prepared.last[left] == prepared.last[right]
    part = prepared.part[prepared.last[longer]] & ~ends
    own = typed & (aligned.n_rest_left > 0) & (aligned.n_rest_right > 0)
    return np.select([own, ~applies, part, begins & ends, ends, begins], [6, 0, 5, 3, 1, 2], 4).astype(np.int8)


def _person(prepared: Prepared, left: Ints, right: Ints, aligned: Aligned) -> npt.NDArray[np.int8]:
    """How two names of persons agree; 0 for all that are no persons. See `kgkit.resolution.scoring.table`."""
    persons = (prepared.kind[left] == 1) & (prepared.kind[right] == 1)
    rest_left, rest_right = aligned.n_rest_left, aligned.n_rest_right
    one_word = np.minimum(_sizes(prepared, left), _sizes(prepared, right)) == 1
    none_left, both_left = (rest_left == 0) | (rest_right == 0), (rest_left > 0) & (rest_right > 0)
    by_initial = aligned.used[:, 1]
    all_agree = (rest_left == 0) & (rest_right == 0)
    in_order = (prepared.joined[left] == prepared.joined[right]) | aligned.used.any(axis=1)
    code = np.select(
        [
            one_word & all_agree,
            one_word & none_left & aligned.last,
            one_word & none_left,
            all_agree & ~in_order & prepared.son_of[left] & prepared.son_of[right],
            all_agree & ~by_initial,
            all_agree,
            none_left & ~by_initial,
            none_left,
            both_left & aligned.first & aligned.last,
            both_left & aligned.last,
            both_left & aligned.first,
        ],
        [1, 2, 3, 12, 4, 5, 6, 7, 8, 9, 10],
        11,
    )
    return np.where(persons, code, 0).astype(np.int8)


def _sizes(prepared: Prepared, rows: Ints) -> npt.NDArray[np.int64]:
    start = prepared.sets.start
    return np.asarray(start[rows + 1] - start[rows])
