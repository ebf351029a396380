"""Two entities beside each other: where names and attributes differ, and what speaks against their being one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

__all__ = ["differences", "mark_attributes", "speaks_against"]

_LONG = 160
_BORN = re.compile(r"(?:\bborn\b[^.;()]{0,40}?|\(\s*(?:b\.\s*|c\.\s*)?)(1\d{3}|20\d{2})\b")
_BIRTH_KEYS = ("born", "birth", "birth_year", "year_of_birth", "birth_date", "date_of_birth")
_WORDS = re.compile(r"\s+|[^\s]+")
_ALIKE = 0.5  # share of letters that two words have in common, from which they are compared by letters
_DIGITS = re.compile(r"\d+")

Card = dict[str, Any]


def mark_attributes(sides: Sequence[Card]) -> None:
    """Mark the attributes in which two sides differ."""
    one, other = ({k: v for k, v, _ in side["attributes"]} for side in sides)
    for side in sides:
        for row in side["attributes"]:
            row[2] = row[0] in one and row[0] in other and one[row[0]] != other[row[0]]


def differences(one: str, other: str) -> tuple[list[list[Any]], list[list[Any]]]:
    """Cut two names into parts: the text, and whether it differs from the other's. Like words differ in letters."""
    if max(len(one), len(other)) > _LONG:
        return [[one, False]], [[other, False]]
    words = [_WORDS.findall(name) for name in (one, other)]
    left: list[list[Any]] = []
    right: list[list[Any]] = []
    for tag, a, b, c, d in _matching(*words):
        parts = "".join(words[0][a:b]), "".join(words[1][c:d])
        if tag == "replace" and b - a == d - c == 1 and SequenceMatcher(None, *parts).ratio() >= _ALIKE:
            for inner, e, f, g, h in _matching(*parts):
                left.append([parts[0][e:f], inner != "equal"])
                right.append([parts[1][g:h], inner != "equal"])
        else:
            left.append([parts[0], tag != "equal"])
            right.append([parts[1], tag != "equal"])
    return [p for p in left if p[0]], [p for p in right if p[0]]


def _matching(one: Sequence[str], other: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    left, right = ([part.casefold() for part in parts] for parts in (one, other))
    return list(SequenceMatcher(None, left, right, autojunk=False).get_opcodes())


def speaks_against(sides: Sequence[Card], together: Sequence[tuple[str, str]]) -> list[str]:
    """Say what speaks against some entities being one.

    Args:
        sides: The entities, as `Cards.side` gives them.
        together: Names of those that one sentence names beside each other.
    """
    found = []
    years = {year for year in map(_born, sides) if year}
    if len(years) > 1:
        found.append("years of birth differ: " + ", ".join(map(str, sorted(years))))
    types = {side["type"] for side in sides if side["type"]}
    if len(types) > 1:
        found.append("types differ: " + ", ".join(sorted(types)))
    numbers = {tuple(_DIGITS.findall(side["name"])) for side in sides} - {()}
    if len(numbers) > 1:
        found.append("numbers in the names differ")
    if together and len(sides) == 2:
        return [*found, "both are named in one sentence"]
    return found + [f"{one} and {other} are named in one sentence" for one, other in together]


def _born(side: Card) -> int | None:
    for key, value, _ in side["attributes"]:
        year = re.search(r"\b(1\d{3}|20\d{2})\b", value) if key.casefold() in _BIRTH_KEYS else None
        if year:
            return int(year.group())
    said = _BORN.search(side["description"] or "")
    return int(said.group(1)) if said else None
