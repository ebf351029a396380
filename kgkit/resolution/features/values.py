"""Dates, numbers and amounts: names that are values, and are one only when they are equal."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from kgkit.resolution.features.folding import Name, fold, vocabulary
from kgkit.resolution.features.prepare import Prepared

__all__ = ["value_codes"]

Ints = npt.NDArray[np.int32]
_TYPE_WORDS = (
    "date time datetime timestamp year month day weekday period decade century duration interval age number numeral "
    "num cardinal ordinal quantity amount percent percentage money price measure measurement"
)
_MONTH_WORDS = "january february march april may june july august september october november december"
_DAY_WORDS = "monday tuesday wednesday thursday friday saturday sunday"
_AROUND_WORDS = (
    "spring summer autumn fall winter early late mid middle end beginning start about circa c ad bc ce bce century "
    "year month week day decade"
)
_TYPES, _DAYS, _AROUND = (frozenset(words.split()) for words in (_TYPE_WORDS, _DAY_WORDS, _AROUND_WORDS))
_MONTH = {m[:k]: str(i) for i, m in enumerate(_MONTH_WORDS.split(), start=1) for k in (3, len(m))} | {"sept": "9"}
_DECADE = re.compile(r"\d{2,4}s")


def value_codes(prepared: Prepared, left: Ints, right: Ints) -> npt.NDArray[np.int8]:
    """0: not both are values, 1: two equal values, 2: two values that differ, or one of which is less exact."""
    value = prepared.__dict__.get("_values")
    if value is None:
        value = prepared.__dict__["_values"] = _numbered(prepared)
    a, b = value[left], value[right]
    return np.select([(a < 0) | (b < 0), a == b], [0, 1], 2).astype(np.int8)


def _numbered(prepared: Prepared) -> Ints:
    """Give each record that is a value the number of it, others -1."""
    known: dict[tuple[str, ...], int] = {}
    found = np.full(len(prepared), -1, np.int32)
    types = {t: _is_value(t) for t in prepared.records.frame["type"].unique().to_list()}
    for i, (type_, name) in enumerate(zip(prepared.records.frame["type"].to_list(), prepared.names, strict=True)):
        if types[type_] or (not type_ and _is_date(name)):
            found[i] = known.setdefault(_value(name), len(known))
    return found


def _is_value(type_: str | None) -> bool:
    return bool(type_) and re.sub(r"[\W_]+", "", fold(type_ or "")) in _TYPES


def _words(name: Name) -> list[str]:
    small = vocabulary().single["small"]
    return [_MONTH.get(w, w) for w in name.words if w not in small]


def _value(name: Name) -> tuple[str, ...]:
    return tuple(sorted(_words(name)))


def _is_date(name: Name) -> bool:
    """Tell whether a name without a type is all date: it has a month or a day of the week, and no other words."""
    dated = any(w in _MONTH or w in _DAYS for w in name.words)
    known = (w.isdigit() or w in _MONTH or w in _DAYS or w in _AROUND or _DECADE.fullmatch(w) for w in name.words)
    return dated and len(name.words) > 1 and all(known)
