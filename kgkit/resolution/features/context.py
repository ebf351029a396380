"""What is known of two records beside their names: types, descriptions, neighbours, sentences and relations."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from kgkit.resolution.features.columns import cosines
from kgkit.resolution.features.folding import fold
from kgkit.resolution.features.prepare import Prepared

__all__ = ["context_features"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]
_WHOLE = 0.95  # share of a name from which it counts as named
_FEW = 40.0  # what shared neighbours must outweigh: a neighbour of two in a thousand weighs about as much
_BORN = re.compile(r"(?:\bborn\b[^.;()]{0,40}?|\(\s*(?:b\.\s*|c\.\s*)?)(1\d{3}|20\d{2})\b")


def context_features(
    prepared: Prepared, left: Ints, right: Ints, own_words: npt.NDArray[np.bool_]
) -> dict[str, npt.NDArray[np.generic]]:
    """Measure what is known of pairs beside their names; NaN or 0 where nothing is.

    Args:
        prepared: The records.
        left: Rows of the left records.
        right: Rows of the right ones.
        own_words: Whether both names have words that the other has not.
    """
    described, both = _described(prepared, left, right)
    two = both & own_words  # a sentence that names both, each in words of its own: no description of either
    described[two] = np.nan
    together = _together(prepared, left, right)
    together[two] = np.maximum(together[two], 2)
    born = _once(prepared, "_born", _born)
    a, b = born[left], born[right]
    return {
        "type": _types(prepared, left, right),
        "described": described,
        "neighbours": _neighbours(prepared, left, right),
        "together": together,
        "related": _related(prepared, left, right),
        "born": np.select([(a == 0) | (b == 0), a == b], [0, 1], 2).astype(np.int8),
    }


def _once(prepared: Prepared, key: str, make: Any) -> Any:
    if key not in prepared.__dict__:
        prepared.__dict__[key] = make(prepared)
    return prepared.__dict__[key]


def _born(prepared: Prepared) -> Ints:
    texts = prepared.records.frame["description"].to_list()
    found = [_BORN.search(t) if t else None for t in texts]
    return np.array([int(f.group(1)) if f else 0 for f in found], np.int32)


def _type_codes(prepared: Prepared) -> Ints:
    types = [t.strip().casefold() if t else "" for t in prepared.records.frame["type"].to_list()]
    number = {t: i for i, t in enumerate(sorted(set(types) - {""}))}
    return np.array([number.get(t, -1) for t in types], np.int32)


def _types(prepared: Prepared, left: Ints, right: Ints) -> npt.NDArray[np.int8]:
    """0: one is unknown, 1: the same, 2: different types of one kind, 3: different kinds."""
    types = _once(prepared, "_types", _type_codes)
    a, b = types[left], types[right]
    kinds = prepared.kind
    alike = (kinds[left] == kinds[right]) & (kinds[left] != 4)
    return np.select([(a < 0) | (b < 0), a == b, alike], [0, 1, 2], 3).astype(np.int8)


def _name_in_description(prepared: Prepared) -> Any:
    """Weights of the names' words, and which words the descriptions hold; None where few have a description."""
    from scipy import sparse

    texts = prepared.records.frame["description"].to_list()
    if sum(1 for t in texts if t) < 2:
        return None
    number = {w: i for i, w in enumerate(prepared.words)}
    held = [sorted({number[w] for w in _words(t) if w in number}) if t else [] for t in texts]
    shape = (len(texts), len(number))

    def matrix(start: npt.NDArray[np.int64], values: Ints, weights: Floats) -> Any:
        return sparse.csr_array((weights, values, start), shape=shape)

    start = np.concatenate([[0], np.cumsum([len(h) for h in held])])
    values = np.array([v for h in held for v in h], np.int32)
    names = matrix(prepared.sets.start, prepared.sets.values, prepared.weight[prepared.sets.values])
    return names, matrix(start, values, np.ones(len(values), np.float32)), np.array([bool(h) for h in held], bool)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", fold(text))


def _described(prepared: Prepared, left: Ints, right: Ints) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Share of either name's words (by weight) that the other's description holds; and whether one names both.

    The greater of the two shares; NaN without a description.
    """
    made = _once(prepared, "_described", _name_in_description)
    best, both = np.full(len(left), np.nan, np.float32), np.zeros(len(left), bool)
    if made is None:
        return best, both
    names, held, there = made
    for one, two in ((left, right), (right, left)):
        share = _held(names[one], held[two])
        best = np.fmax(best, np.where(there[two], share, np.nan).astype(np.float32))
        both |= (share > _WHOLE) & (_held(names[two], held[two]) > _WHOLE)
    return best, both


def _held(names: Any, held: Any) -> npt.NDArray[np.float64]:
    total = np.asarray(names.sum(axis=1)).ravel()
    return np.asarray(np.asarray(names.multiply(held).sum(axis=1)).ravel() / np.maximum(total, 1e-6))


def _weighted(prepared: Prepared) -> Any:
    from scipy import sparse

    matrix = prepared.records.neighbours
    degree = np.maximum(np.diff(matrix.tocsc().indptr), 1)
    weights = sparse.diags_array(np.log1p(matrix.shape[0] / degree).astype(np.float32))
    linked = sparse.csr_array((np.ones(len(matrix.data), np.float32), matrix.indices, matrix.indptr), matrix.shape)
    rows = (linked @ weights).tocsr()
    return rows, np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel()).astype(np.float32)


def _neighbours(prepared: Prepared, left: Ints, right: Ints) -> Floats:
    if prepared.records.neighbours is None:
        return np.full(len(left), np.nan, np.float32)
    matrix, length = _once(prepared, "_neighbour_rows", _weighted)
    a, b = length[left], length[right]
    # One neighbour that many have says little, though it be all that two have: a cosine would be 1.
    near = cosines(matrix, left, right) / (a * b + _FEW)
    return np.where((a > 0) & (b > 0), near, np.nan).astype(np.float32)


def _pair_keys(prepared: Prepared, left: Ints, right: Ints) -> npt.NDArray[np.int64]:
    low, high = np.minimum(left, right).astype(np.int64), np.maximum(left, right).astype(np.int64)
    return np.asarray(low * len(prepared) + high)


def _together(prepared: Prepared, left: Ints, right: Ints) -> npt.NDArray[np.int8]:
    """0: not known, 1: never in one sentence, 2: once, 3: more often."""
    known = prepared.records.together
    if known is None:
        return np.zeros(len(left), np.int8)
    keys = known[0].astype(np.int64) * len(prepared) + known[1]
    wanted = _pair_keys(prepared, left, right)
    at = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
    times = np.where(keys[at] == wanted, known[2][at], 0) if len(keys) else np.zeros(len(left))
    return np.select([times == 0, times == 1], [1, 2], 3).astype(np.int8)


def _related(prepared: Prepared, left: Ints, right: Ints) -> npt.NDArray[np.int8]:
    """0: no relation between the two is known, 1: one that says they are one, 2: another."""
    relations = prepared.records.relations
    if relations is None:
        return np.zeros(len(left), np.int8)
    same, other = _once(prepared, "_relation_keys", _relation_keys)
    wanted = _pair_keys(prepared, left, right)
    return np.select([np.isin(wanted, other), np.isin(wanted, same)], [2, 1], 0).astype(np.int8)


_SAME = re.compile(r"same_as|alias|also_known|known_as|aka\b|formerly|renamed|abbreviat|acronym|stand_for|synonym|^be$")


def _relation_keys(prepared: Prepared) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    relations = prepared.records.relations
    assert relations is not None
    keys = _pair_keys(prepared, relations["source"].to_numpy(), relations["target"].to_numpy())
    says_same = np.array([bool(_SAME.search(p.casefold().replace(" ", "_"))) for p in relations["predicate"]], bool)
    denied = (relations["polarity"].fill_null("positive") == "negated").to_numpy()
    return np.unique(keys[says_same & ~denied]), np.unique(keys[~says_same | denied])
