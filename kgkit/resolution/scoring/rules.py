"""Rules that hold a score down whatever else agrees. Each has a name, and shows itself among the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["RULES", "Rule", "held", "without_proof"]

Reals = npt.NDArray[np.float64]
Values = Mapping[str, npt.NDArray[np.generic]]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Rule:
    """Where ``codes`` of ``measure`` occur, log-odds are at most ``most``.

    With ``unless`` that is the most that the names can reach: what is ``"beside"`` them (descriptions, neighbours and
    further columns) may add to it, or only further ``"columns"``, or only those of ``"codes"`` (telephone, number,
    date): one sentence may describe two, and a family shares its address.
    """

    says: str
    measure: str
    codes: tuple[int, ...]
    most: float
    unless: str = ""

    def applies(self, values: Values) -> Flags:
        """Tell for which pairs the rule holds."""
        return np.isin(values[self.measure], self.codes)


_NEVER, _UNLIKELY, _OPEN, _NOT_ALONE = -3.0, -1.0, -0.5, 2.5

RULES = (
    Rule("all words agree but the numbers differ", "numbers", (8,), _NEVER),
    Rule("one is junior, the other senior", "generation", (3,), _NEVER),
    Rule("years of birth differ", "born", (2,), _NEVER),
    Rule("dates, numbers or amounts are not the same", "value", (2,), _NEVER),
    Rule("a relation says that they are two", "related", (2,), _UNLIKELY),
    Rule("all words agree but some numbers differ", "numbers", (7,), _UNLIKELY),
    Rule("types differ", "type", (3,), _OPEN, "beside"),
    Rule("given names, middle names or surnames differ", "person", (8, 9, 10, 11), _OPEN, "codes"),
    Rule("father and son may have changed places", "person", (12,), _UNLIKELY),
    Rule("the longer name is that of a part or an occasion", "more", (5,), _OPEN, "beside"),
    Rule("the longer name has further words in between", "more", (3,), _OPEN, "beside"),
    Rule("each has words of its own", "more", (6,), _OPEN, "beside"),
    Rule("the longer name has its words in other places", "more", (4,), _OPEN, "beside"),
    Rule("numbers differ", "numbers", (3, 4), 2.0),
    Rule("years differ", "years", (3, 4), 2.0),
    Rule("only one has a number", "numbers", (6,), _NOT_ALONE),
    Rule("only one is junior or senior", "generation", (1,), _NOT_ALONE),
    Rule("named together in one sentence", "together", (2, 3), _NOT_ALONE),
    Rule("one has more words", "order", (3,), _NOT_ALONE, "beside"),
    Rule("both have words of their own", "order", (0,), _NOT_ALONE, "columns"),
    Rule("a word differs in spelling or is cut short", "matched", (3, 4, 5), _NOT_ALONE, "beside"),
    Rule("the same words in another order", "order", (2,), _NOT_ALONE, "beside"),
    Rule("a language model's word is no proof", "", (), _NOT_ALONE),
)
_WORD = len(RULES) - 1


def held(values: Values, log_odds: Reals, support: Mapping[str, Reals]) -> tuple[Reals, npt.NDArray[np.int8]]:
    """Hold log-odds down to what the rules allow.

    Args:
        values: The steps of the measures.
        log_odds: Log-odds of the pairs.
        support: What is ``"beside"`` the names, further ``"columns"`` and those of ``"codes"`` add to them.

    Returns:
        The log-odds, and for each pair the rule that held it down most (an index into `RULES`), or -1.
    """
    best = log_odds.copy()
    which = np.full(len(log_odds), -1, np.int8)
    for i, rule in enumerate(RULES[:_WORD]):
        most = rule.most + np.maximum(support[rule.unless], 0) if rule.unless else np.full(len(best), rule.most)
        hit = rule.applies(values) & (best > most)
        best[hit] = most[hit]
        which[hit] = i
    return best, which


def without_proof(log_odds: Reals, which: npt.NDArray[np.int8], verdicts: Reals) -> tuple[Reals, npt.NDArray[np.int8]]:
    """Hold pairs below automatic strength that only a language model's verdict would lift there.

    Args:
        log_odds: Log-odds of the pairs, as far as the other rules allow.
        which: The rule that held each pair, or -1.
        verdicts: What the verdicts added.

    Returns:
        As `held`.
    """
    most = np.maximum(RULES[_WORD].most, log_odds - verdicts)
    hit = (verdicts > 0) & (log_odds > most)
    return np.where(hit, most, log_odds), np.where(hit, _WORD, which).astype(np.int8)
