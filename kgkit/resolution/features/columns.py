"""Further columns of the records (address, year, price, attributes) compared by what they hold."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kgkit.resolution.features.folding import fold
from kgkit.resolution.features.letters import word_vectors
from kgkit.resolution.records import Records

__all__ = ["DESCRIPTION", "LEVELS", "Column", "columns_of", "compare", "cosines"]

LEVELS = ("missing", "same_rare", "same", "close", "part", "differ")
DESCRIPTION = "description"
_MOST_ATTRIBUTES = 12
_LEAST_FILLED = 0.02
_LONG = 60  # characters; longer texts are compared by their words alone
_WORD = re.compile(r"[^\W_]+")
_CODE = re.compile(r"[\d\s./()+:-]+")
_RARE = 20.0  # a value is rare when fewer than one record in this many has it

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Column:
    """One further column: the folded cells (empty where there is none) and how to compare them."""

    name: str
    how: str  # number, year, code or text
    cells: list[str]
    value: Ints  # a number for each different cell, -1 where there is none
    rare: npt.NDArray[np.bool_]
    amount: npt.NDArray[np.float64] | None
    vectors: Any

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def ordered(self) -> list[str]:
        """The cells with their words sorted."""
        return [" ".join(sorted(c.split())) for c in self.cells]

    @cached_property
    def short(self) -> bool:
        """Whether the cells are short enough to compare their spelling."""
        return sum(map(len, self.cells)) / max(1, int((self.value >= 0).sum())) < _LONG


def columns_of(records: Records, leave_out: Sequence[str] = ()) -> list[Column]:
    """Read the descriptions, the further columns of records, and the attributes that many have."""
    frame = records.frame
    found = [(DESCRIPTION, frame[DESCRIPTION].to_list())]
    found += [(name, frame[name].to_list()) for name in records.extra if name not in leave_out]
    found += _attributes(frame["attributes"].to_list())
    made = (_column(name, cells) for name, cells in found)
    return [column for column in made if column is not None]


def _attributes(texts: list[str | None]) -> list[tuple[str, list[str | None]]]:
    if not any(t and t != "{}" for t in texts):
        return []
    held = [json.loads(t) if t else {} for t in texts]
    held = [h if isinstance(h, dict) else {} for h in held]
    counts = Counter(key for h in held for key in h)
    keys = sorted(sorted(counts), key=lambda k: -counts[k])[:_MOST_ATTRIBUTES]
    return [(f"attributes.{key}", [_text(h.get(key)) for h in held]) for key in keys]


def _text(value: Any) -> str | None:
    if isinstance(value, list):
        return "; ".join(sorted(filter(None, map(_text, value)))) or None
    return None if value is None or isinstance(value, dict) else str(value)


def _column(name: str, cells: list[str | None]) -> Column | None:
    given = Counter(cells)
    read = {cell: " ".join(_WORD.findall(fold(cell))) if cell else "" for cell in given}
    filled = {cell: times for cell, times in given.items() if cell and read[cell]}
    if sum(filled.values()) < max(2, _LEAST_FILLED * len(cells)) or len({read[cell] for cell in filled}) < 2:
        return None
    how, amounts = _how(filled)
    amount = None
    if amounts is not None:
        read = {cell: text if math.isfinite(amounts.get(cell or "", math.nan)) else "" for cell, text in read.items()}
        amount = np.array([amounts.get(cell or "", math.nan) for cell in cells])
    elif how == "code":
        read = {cell: text.replace(" ", "") for cell, text in read.items()}
    folded = [read[cell] for cell in cells]
    counts = Counter(f for f in folded if f)
    number = {f: i for i, f in enumerate(counts)}
    value = np.array([number.get(f, -1) for f in folded], np.int32)
    few = np.array([*counts.values(), math.inf]) <= max(2.0, len(cells) / _RARE)  # the last is that of -1
    vectors = word_vectors(folded)[0] if how == "text" else None
    return Column(name, how, folded, value, few[value], amount, vectors)


def _how(filled: dict[str, int]) -> tuple[str, dict[str, float] | None]:
    """Tell how to compare cells that occur so and so often, and what amounts they are, where they are amounts."""
    amounts = {cell: _amount(cell) for cell in filled}
    times = np.array(list(filled.values()))
    numbers = np.repeat(np.array(list(amounts.values())), times)
    if np.isfinite(numbers).mean() > 0.9:
        finite = numbers[np.isfinite(numbers)]
        whole = bool((finite == np.floor(finite)).all())
        if whole and ((finite >= 1000) & (finite < 2100)).mean() > 0.9:
            return "year", amounts
        if whole and np.median(np.abs(finite)) >= 1000:
            return "code", None
        # Nothing costs nothing: nought stands for unknown.
        return "number", {cell: amount or math.nan for cell, amount in amounts.items()}
    codes = sum(n for cell, n in filled.items() if _CODE.fullmatch(cell))
    return ("code" if codes > 0.8 * times.sum() else "text"), None


def _amount(cell: str) -> float:
    try:
        amount = float(re.sub(r"[$€£,\s]", "", cell))
    except ValueError:
        return math.nan
    return amount if math.isfinite(amount) else math.nan


def cosines(matrix: Any, left: Ints, right: Ints) -> Floats:
    """Cosines of pairs of rows of length 1."""
    product = matrix[left].multiply(matrix[right])
    return np.asarray(product.sum(axis=1), np.float32).ravel()


def compare(column: Column, left: Ints, right: Ints) -> tuple[npt.NDArray[np.int8], Floats]:
    """Compare the cells of pairs of records.

    Returns:
        The level of each pair (an index into `LEVELS`) and a similarity from 0 to 1, NaN where a cell is missing.
    """
    a, b = column.value[left], column.value[right]
    there = (a >= 0) & (b >= 0)
    same = there & (a == b)
    level = np.zeros(len(left), np.int8)
    level[same] = np.where(column.rare[left[same]], 1, 2)
    similarity = np.where(there, 0, np.nan).astype(np.float32)
    similarity[same] = 1
    other = np.flatnonzero(there & ~same)
    if len(other):
        similarity[other], close, part = _near(column, left[other], right[other])
        level[other] = np.where(similarity[other] >= close, 3, np.where(similarity[other] >= part, 4, 5))
    return level, similarity


def _near(column: Column, left: Ints, right: Ints) -> tuple[Floats, float, float]:
    if column.amount is not None:
        a, b = column.amount[left], column.amount[right]
        if column.how == "year":
            return (1 / (1 + np.abs(a - b))).astype(np.float32), 0.5, 0.3
        apart = np.abs(a - b) / np.maximum(np.maximum(np.abs(a), np.abs(b)), 1e-9)
        return np.clip(1 - apart, 0, 1).astype(np.float32), 0.95, 0.75
    spelled = np.zeros(len(left), np.float32)
    if column.vectors is None or column.short:
        spelled = _spelled(column, left, right)
    if column.vectors is None:
        return spelled, 0.8, 0.6
    return np.maximum(spelled, cosines(column.vectors, left, right)), 0.85, 0.5


def _spelled(column: Column, left: Ints, right: Ints) -> Floats:
    from rapidfuzz.distance import OSA, Indel
    from rapidfuzz.process import cpdist

    cells = column.ordered if column.how == "text" else column.cells
    scorer = Indel.normalized_similarity if column.how == "text" else OSA.normalized_similarity
    texts = [[cells[i] for i in rows.tolist()] for rows in (left, right)]
    found: Floats = cpdist(*texts, scorer=scorer, dtype=np.float32, workers=-1)
    return found
