"""One type for one name in a document: votes are added up by name, and surnames follow their full names.

Rules here see all chunks of a document and nothing else, and do not depend on the order in which the chunks come.
"""

from __future__ import annotations

from kgkit.extraction.local.types import Votes

__all__ = ["Agreement", "name_key"]

RECOGNISED = 1.5
LINKED = 2.0

_ORDER = (
    "PERSON",
    "ORGANISATION",
    "PLACE",
    "GROUP",
    "WORK",
    "EVENT",
    "PRODUCT",
    "LAW",
    "CONCEPT",
    "DATE",
    "DURATION",
    "NUMBER",
)
_RANK = {kind: i for i, kind in enumerate(_ORDER)}
_ENDINGS = frozenset(("Jr.", "Jr", "Sr.", "Sr", "II", "III", "IV"))


def name_key(name: str) -> str:
    """Bring a name to the form under which its spellings vote together: short ones keep their case (US, us)."""
    return name if len(name) <= 3 else name.casefold()


class Agreement:
    """The votes of a document, by name.

    What the recogniser says counts by its share among a name's mentions, so that an error it makes often is still
    one error; of what words and syntax say, the clearest mention counts.
    """

    def __init__(self) -> None:
        self._seen: dict[str, dict[str, int]] = {}
        self._cues: dict[str, Votes] = {}
        self._forms: dict[str, str] = {}
        self._stands_for: dict[str, str] = {}
        self._totals: dict[str, Votes] = {}

    def add(self, name: str, recognised: str | None, cues: Votes) -> None:
        """Count one mention: the type that the recogniser gave, if any, and what else speaks for which type."""
        key = name_key(name)
        seen, best = self._seen.setdefault(key, {}), self._cues.setdefault(key, {})
        if recognised:
            seen[recognised] = seen.get(recognised, 0) + 1
        for kind, weight in cues.items():
            best[kind] = max(best.get(kind, 0.0), weight)
        if name < self._forms.get(key, "\U0010ffff"):
            self._forms[key] = name

    def link(self, short: str, full: str) -> None:
        """Say that an acronym stands for a full name."""
        self._stands_for.setdefault(name_key(short), name_key(full))

    def settle(self) -> None:
        """Add up, then let "Schneider" follow "Willi Schneider", and an acronym its full name."""
        for key, seen in self._seen.items():
            total: Votes = {}
            n = sum(seen.values())
            for kind, count in seen.items():
                total[kind] = RECOGNISED * count / n
            for kind, weight in self._cues[key].items():
                total[kind] = total.get(kind, 0.0) + weight
            self._totals[key] = total
        for part in self._parts_of_people():
            if part in self._totals:
                total = self._totals[part]
                total["PERSON"] = total.get("PERSON", 0.0) + LINKED
        for short, full in self._stands_for.items():
            if self._totals.get(short) is not None and self._totals.get(full):
                kind = _best(self._totals[full])
                self._totals[short][kind] = self._totals[short].get(kind, 0.0) + LINKED

    def type_of(self, name: str) -> str:
        """Tell the type that has most votes, "" when there is none; ties go by a fixed order."""
        return _best(self._totals[name_key(name)])

    def is_empty(self, name: str) -> bool:
        """Tell whether nothing at all says what a name names."""
        return not self._totals[name_key(name)]

    def _parts_of_people(self) -> set[str]:
        parts: set[str] = set()
        for key, votes in self._totals.items():
            if _best(votes) != "PERSON":
                continue
            words = [w for w in self._forms[key].split() if w not in _ENDINGS]
            if 1 < len(words) <= 4:
                parts.update(name_key(w) for w in (words[0], words[-1]) if len(w) > 2 and w[0].isupper())
        return parts


def _best(votes: Votes) -> str:
    return max(votes, default="", key=lambda kind: (round(votes[kind], 6), -_RANK[kind]))
