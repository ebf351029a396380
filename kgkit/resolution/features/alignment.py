"""Words of two names set side by side: which are the same, which nearly, and what is left on either side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from kgkit.resolution.features.prepare import Prepared

__all__ = ["Aligned", "align"]

_MOST_LEFT = 8  # words of one name that are compared one by one; the rarest, in names that have more
NICKNAME, INITIAL, SHORT, TYPO, TYPOS = 1, 2, 3, 4, 5
_VALUE = np.array([0, 0.95, 0.75, 0.85, 0, 0], np.float32)

Big = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Aligned:
    """For each pair: weights of words shared and left over, and how the words that are not equal were matched."""

    shared: Floats  # weight of what both have
    left: Floats  # weight of all words of the left name
    right: Floats
    shared_left: Floats
    shared_right: Floats
    rest_left: Floats  # weight of the rarest word that only the left name has
    rest_right: Floats
    n_rest_left: npt.NDArray[np.int16]
    n_rest_right: npt.NDArray[np.int16]
    n_shared: npt.NDArray[np.int16]
    used: npt.NDArray[np.bool_]  # pairs x (nickname, initial, short form, misspelling, several letters)
    last: Flags  # whether each name's last word is matched in the other (both)
    first: Flags
    only_numbers: Flags  # no word is left over that has no digit
    codes: npt.NDArray[np.int8]  # words that mix letters and digits, see `kgkit.resolution.scoring.bins`


@dataclass
class _Side:
    place: Big
    word: npt.NDArray[np.int32]
    key: Big
    match: Floats  # how well each word is matched in the other name


def align(prepared: Prepared, left: npt.NDArray[np.int32], right: npt.NDArray[np.int32]) -> Aligned:
    """Set the words of each pair of names side by side."""
    m, n_words = len(left), len(prepared.words)
    sides = []
    for rows in (left, right):
        place, word = prepared.sets.take(rows)
        sides.append(_Side(place, word, place * n_words + word, np.zeros(len(word), np.float32)))
    one, two = sides
    for a, b in ((one, two), (two, one)):
        a.match[_among(a.key, b.key)] = 1.0
    equal = np.bincount(one.place[one.match == 1], minlength=m)
    _glue(prepared, one, two, left, n_words)
    _glue(prepared, two, one, right, n_words)
    used = _near(prepared, one, two, m)
    weight = prepared.weight
    total = [np.bincount(s.place, weight[s.word], m).astype(np.float32) for s in sides]
    shared = [np.bincount(s.place, weight[s.word] * s.match, m).astype(np.float32) for s in sides]
    rest = [_rest(s, weight, m) for s in sides]
    ends = [_end_matched(s, rows, prepared, n_words) for s, rows in ((one, left), (two, right))]
    return Aligned(
        shared=np.minimum(*shared),
        left=total[0],
        right=total[1],
        shared_left=shared[0],
        shared_right=shared[1],
        rest_left=rest[0][0],
        rest_right=rest[1][0],
        n_rest_left=rest[0][1],
        n_rest_right=rest[1][1],
        n_shared=equal.astype(np.int16),
        used=used,
        last=ends[0][1] & ends[1][1],
        first=ends[0][0] & ends[1][0],
        only_numbers=~(_wordy(one, prepared, m) | _wordy(two, prepared, m)),
        codes=_codes(one, two, prepared, m),
    )


def _among(keys: Big, others: Big) -> Flags:
    """Tell which keys occur among others; both are sorted."""
    if not len(others):
        return np.zeros(len(keys), bool)
    at = np.searchsorted(others, keys)
    at[at == len(others)] = 0
    return np.asarray(others[at] == keys)


def _glue(prepared: Prepared, side: _Side, other: _Side, rows: npt.NDArray[np.int32], n_words: int) -> None:
    """Match two neighbouring words with one word of the other name that is both: *Mac Aulay*, *MacAulay*."""
    place, whole = prepared.glued[0].take(rows)
    if not len(place):
        return
    parts = [prepared.glued[i].take(rows)[1] for i in (1, 2)]
    key = place * n_words + whole
    order = np.argsort(key, kind="stable")
    hit = np.zeros(len(key), bool)
    hit[order] = _among(key[order], other.key)
    for part in parts:
        side.match[np.searchsorted(side.key, place[hit] * n_words + part[hit])] = 1.0
    other.match[np.searchsorted(other.key, key[hit])] = 1.0


def _near(prepared: Prepared, one: _Side, two: _Side, m: int) -> npt.NDArray[np.bool_]:
    """Match words that are not equal, and note how."""
    used = np.zeros((m, 5), bool)
    rest = [_unmatched(side, prepared.weight, m) for side in (one, two)]
    at, counts = rest[1]
    sizes = counts[one.place[rest[0][0]]]
    first = np.repeat(rest[0][0], sizes)
    if not len(first):
        return used
    starts = np.cumsum(counts) - counts
    ends = np.cumsum(sizes)
    within = np.arange(len(first)) - np.repeat(ends - sizes, sizes)
    second = at[starts[one.place[first]] + within]
    a, b = one.word[first], two.word[second]
    low, high = np.minimum(a, b).astype(np.int64), np.maximum(a, b).astype(np.int64)
    unique, inverse = np.unique(low * len(prepared.words) + high, return_inverse=True)
    code, value = _related(prepared, unique // len(prepared.words), unique % len(prepared.words))
    code, value = code[inverse], value[inverse]
    hit = np.flatnonzero(code)
    first, second, code, value = first[hit], second[hit], code[hit], value[hit]
    np.maximum.at(one.match, first, value)
    np.maximum.at(two.match, second, value)
    best = (one.match[first] == value) & (two.match[second] == value)
    used[one.place[first[best]], code[best] - 1] = True
    return used


def _unmatched(side: _Side, weight: Floats, m: int) -> tuple[Big, Big]:
    """Rows of the side's words without an equal, at most the rarest few of each pair, and their number per pair."""
    at = np.flatnonzero(side.match == 0)
    counts = np.bincount(side.place[at], minlength=m)
    if len(counts) and counts.max() > _MOST_LEFT:
        order = np.lexsort((-weight[side.word[at]], side.place[at]))
        starts = np.cumsum(counts) - counts
        rank = np.arange(len(at)) - np.repeat(starts, counts)
        at = np.sort(at[order][rank < _MOST_LEFT])
        counts = np.minimum(counts, _MOST_LEFT)
    return at, counts


def _related(prepared: Prepared, low: Big, high: Big) -> tuple[npt.NDArray[np.int8], Floats]:
    """Tell how two different words are related (0: not at all), and how much they count as the same."""
    from rapidfuzz.distance import OSA, LCSseq, Prefix
    from rapidfuzz.process import cpdist

    about = _about(prepared)
    code = np.zeros(len(low), np.int8)
    short = np.minimum(about.length[low], about.length[high])
    same_letter = about.letter[low] == about.letter[high]
    letters = about.alpha[low] & about.alpha[high]
    code[(short == 1) & same_letter & letters & (np.maximum(about.length[low], about.length[high]) > 1)] = INITIAL
    compare = np.flatnonzero((short >= 2) & ~about.number[low] & ~about.number[high])
    value = np.zeros(len(low), np.float32)
    if len(compare):
        words = about.words
        a, b = words[low[compare]].tolist(), words[high[compare]].tolist()
        close = cpdist(a, b, scorer=OSA.normalized_similarity, score_cutoff=0.6, dtype=np.float32, workers=-1)
        longest = np.maximum(about.length[low[compare]], about.length[high[compare]])
        edits = np.rint((1 - close) * longest)
        allowed = np.where(longest >= 9, 3, np.where(longest >= 6, 2, 1))
        wide = about.wide[low[compare]] | about.wide[high[compare]]  # there one sign is a word or a syllable
        typo = (close > 0) & (edits <= allowed) & (short[compare] >= 3) & (longest >= np.where(wide, 6, 4))
        value[compare[typo]] = np.clip(1 - 0.9 * edits[typo] / np.maximum(3, longest[typo] - 1), 0.4, 0.95)
        code[compare[typo]] = TYPO
        several = np.flatnonzero(typo & (edits > 1))
        sounds = [_sound(a[i]) != _sound(b[i]) for i in several]
        code[compare[several[np.array(sounds, bool)]]] = TYPOS
        maybe = np.flatnonzero(same_letter[compare] & letters[compare] & ~typo)
        a, b = [a[i] for i in maybe], [b[i] for i in maybe]
        least = short[compare[maybe]]
        prefix = cpdist(a, b, scorer=Prefix.similarity, dtype=np.int32, workers=-1)
        within = cpdist(a, b, scorer=LCSseq.similarity, dtype=np.int32, workers=-1)
        cut = (prefix == least) & (least >= 3)
        contracted = (within == least) & (least >= 3) & (least <= 5) & _same_end(a, b)
        code[compare[maybe[cut | contracted]]] = SHORT
    known = _nickname_keys(prepared)
    code[np.isin(low * len(prepared.words) + high, known)] = NICKNAME
    return code, np.where(code >= TYPO, value, _VALUE[code])


_UNHEARD = str.maketrans(dict.fromkeys("aeiouyhw", "") | {"c": "k", "q": "k", "z": "s"})


def _sound(word: str) -> str:
    """Consonants, each run of the same one once: what stays when a name is written in another country."""
    heard = word.replace("ph", "f").replace("ck", "k").translate(_UNHEARD)
    return "".join(letter for letter, before in zip(heard, " " + heard, strict=False) if letter != before)


def _same_end(a: list[str], b: list[str]) -> Flags:
    return np.fromiter((x[-1] == y[-1] for x, y in zip(a, b, strict=True)), bool, len(a))


@dataclass(frozen=True)
class _About:
    words: npt.NDArray[np.object_]
    length: npt.NDArray[np.int16]
    letter: npt.NDArray[np.int32]
    alpha: Flags
    number: Flags
    wide: Flags
    code: Flags


def _about(prepared: Prepared) -> _About:
    found = prepared.__dict__.get("_about")
    if found is None:
        words = prepared.words
        found = _About(
            words=np.array(words, dtype=object),
            length=np.array([len(w) for w in words], np.int16),
            letter=np.array([ord(w[:1] or "\0") for w in words], np.int32),
            alpha=np.array([w.isalpha() for w in words], bool),
            number=np.array([any(c.isdigit() for c in w) for w in words], bool),
            code=np.array([_is_code(w) for w in words], bool),
            wide=np.array([any(ord(c) >= 0x1100 for c in w) for w in words], bool),
        )
        prepared.__dict__["_about"] = found
    return found


def _is_code(word: str) -> bool:
    digits = sum(c.isdigit() for c in word)
    return (digits >= 4 and not (digits == 4 == len(word))) or (digits > 0 and digits < len(word) and len(word) >= 4)


@cache
def _nicknames() -> dict[str, frozenset[str]]:
    from nicknames import NickNamer

    known = NickNamer()._nickname_lookup
    return {name: frozenset(others) for name, others in known.items()}


def _nickname_keys(prepared: Prepared) -> Big:
    found = prepared.__dict__.get("_nicknames")
    if found is None:
        number = {w: i for i, w in enumerate(prepared.words)}
        keys = set()
        for word, i in number.items():
            for other in _nicknames().get(word, ()):
                j = number.get(other)
                if j is not None and j != i:
                    keys.add(min(i, j) * len(number) + max(i, j))
        found = prepared.__dict__["_nicknames"] = np.array(sorted(keys), np.int64)
    return found


def _rest(side: _Side, weight: Floats, m: int) -> tuple[Floats, npt.NDArray[np.int16]]:
    """Weight of the rarest word that is not matched, and the number of words that are not."""
    rarest = np.zeros(m, np.float32)
    left_over = side.match < 0.4
    np.maximum.at(rarest, side.place, weight[side.word] * (1 - side.match))
    return rarest, np.bincount(side.place[left_over], minlength=m).astype(np.int16)


def _wordy(side: _Side, prepared: Prepared, m: int) -> Flags:
    left_over = (side.match < 0.4) & ~_about(prepared).number[side.word]
    return np.bincount(side.place[left_over], minlength=m) > 0


def _codes(one: _Side, two: _Side, prepared: Prepared, m: int) -> npt.NDArray[np.int8]:
    """0: no name has a code such as *mt25b1*, 1: one has, 2: a code in common, 3: both have, none in common."""
    code = _about(prepared).code
    has, common = [], np.zeros(m, bool)
    for side in (one, two):
        own = code[side.word]
        has.append(np.bincount(side.place[own], minlength=m) > 0)
        common |= np.bincount(side.place[own & (side.match == 1)], minlength=m) > 0
    return np.select([common, has[0] & has[1], has[0] | has[1]], [2, 3, 1], 0).astype(np.int8)


def _end_matched(side: _Side, rows: npt.NDArray[np.int32], prepared: Prepared, n_words: int) -> tuple[Flags, Flags]:
    place = np.arange(len(rows), dtype=np.int64) * n_words
    found = []
    for ends in (prepared.first, prepared.last):
        at = np.searchsorted(side.key, place + ends[rows])
        found.append(side.match[at] >= 0.6)
    return found[0], found[1]
