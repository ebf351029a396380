"""Which texts the English pipeline must leave alone: on another language it makes names out of plain words."""

from __future__ import annotations

import re

from kgkit.language import tell_language

__all__ = ["ENOUGH_TO_TELL", "foreign_language"]

ENOUGH_TO_TELL = 200
"""Characters from which a text is judged alone; below, a single English word makes it English, and its document
has a say."""

_SAMPLE = 20_000
_TOO_LITTLE = 60
_SEEN_IN_LITTLE = frozenset(("de", "fr", "es", "pt"))  # the little words of others look like scraps of English
_ENGLISH = frozenset(
    ("the", "of", "and", "with", "that", "this", "are", "for", "you", "from", "it", "to", "is", "was", "by")
)
_FEW = 0.02
_WORD = re.compile(r"[^\W\d_]+")
_LAST_LATIN = "\u02af"


def foreign_language(text: str) -> str | None:
    """Name the language of a text that is surely not English ("und" when only its script is known); else None.

    Lists of names, links and posts look like many languages: a text in Latin script that has common English words
    counts as English whatever else it looks like.

    Examples:
        >>> foreign_language("窑で焼いた器は港で売られた。"), foreign_language("Das Schiff")
        ('ja', None)
    """
    sample = text[:_SAMPLE]
    letters = [c for c in sample if c.isalpha()]
    other_script = sum(c > _LAST_LATIN for c in letters) * 2 > len(letters)
    if not other_script and len(text) < _TOO_LITTLE:
        return None
    language = tell_language(sample)
    if other_script:
        return language or "und"
    if language in (None, "en"):
        return None
    words = _WORD.findall(sample.lower())
    english = sum(word in _ENGLISH for word in words)
    if len(text) < ENOUGH_TO_TELL:
        return language if not english and language in _SEEN_IN_LITTLE else None
    return None if english > _FEW * len(words) else language
