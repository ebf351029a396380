"""Words of any script as search terms.

A word gives *main* terms, which BM25 counts, and *exact* terms, which only add to the score of what matches literally:

- NFKC, case folded, accents of Latin, Greek, Hebrew and Arabic dropped, stemmed by script: main. As written, but for
  case: exact. So ``Łódź`` is found by ``lodz``, and better by ``łódź``.
- Han, kana, Thai, Lao, Khmer and Burmese have no blanks between words: pairs of signs are main, single signs exact.
- Hangul words lose a particle at their end, then go the same way: ``등대`` is found in ``등대는``.
- ``OvertimeLedger`` gives itself and its parts; ``covid-19`` its parts, and ``covid19`` as an exact term.
- Stop words are terms like others. A query leaves them out unless it has nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Any, Literal, NamedTuple

from kgkit.errors import OptionError
from kgkit.retrieval.scripts import clusters, fold, kind_of, marks_class, script_of, without_particle
from kgkit.retrieval.stop_words import STOP_WORDS

__all__ = ["LANGUAGES", "Analyser", "Terms", "Word", "is_stop_word"]

# Snowball stemmers for text in Latin script, by language; other scripts have one each
LANGUAGES = {
    "da": "danish", "de": "german", "en": "english", "es": "spanish", "eu": "basque", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "id": "indonesian", "it": "italian", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
_BY_SCRIPT = {"CYRILLIC": "russian", "GREEK": "greek", "ARABIC": "arabic", "ARMENIAN": "armenian", "TAMIL": "tamil"}
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z][a-z]+|[a-z]+|[A-Z]+|\d+")
_CAMEL_WORD = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_ENDINGS = frozenset({"s", "t", "re", "ve", "ll", "d", "m"})
_ELIDED = frozenset({"l", "d", "j", "n", "s", "c", "m", "t", "qu", "dell", "all", "un"})
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_CACHE_SIZE = 200_000
_LONGEST = 100  # characters of a word that are looked at: nobody searches for more


class Terms(NamedTuple):
    """The terms of one word."""

    main: tuple[str, ...]
    exact: tuple[str, ...]


class Word(NamedTuple):
    """A word in its place, with its terms; ``stop`` says that it carries no meaning of its own."""

    start: int
    end: int
    text: str
    terms: Terms
    stop: bool


class Analyser:
    """Turns text into terms, for one language of the Latin script.

    Args:
        language: ISO 639-1 code that chooses the stemmer for Latin script.

    Raises:
        OptionError: There is no stemmer for ``language``.

    Examples:
        >>> Analyser().count("Straßen und Häfen")["hafen"]
        1
    """

    def __init__(self, language: str = "en") -> None:
        if language not in LANGUAGES:
            raise OptionError.not_one_of("language", language, LANGUAGES)
        self.language = language
        self._stemmers: dict[str, Callable[[str], str]] = {}
        self._cache: dict[str, tuple[Terms, bool]] = {}

    def words(self, text: str) -> list[Word]:
        """Find the words of a text, in order."""
        return [Word(m.start(), m.end(), m.group(), *self._look_up(m.group())) for m in _word_pattern().finditer(text)]

    def count(self, text: str) -> Counter[str]:
        """Count the terms of a text; exact terms begin with ``=``, stop words (which have none) with ``~``."""
        counts: Counter[str] = Counter()
        for raw, n in Counter(_word_pattern().findall(text)).items():
            terms, stop = self._look_up(raw)
            for term in terms.main:
                counts["~" + term if stop else term] += n
            for term in () if stop else terms.exact:
                counts["=" + term] += n
        return counts

    def _look_up(self, raw: str) -> tuple[Terms, bool]:
        found = self._cache.get(raw)
        if found is None:
            if len(self._cache) >= _CACHE_SIZE:
                self._cache.clear()
            found = self._cache[raw] = (self._terms(raw[:_LONGEST]), is_stop_word(raw))
        return found

    def _terms(self, raw: str) -> Terms:
        text = unicodedata.normalize("NFKC", raw)
        if _NUMBER.fullmatch(text):
            number = text.replace(",", "")
            return Terms((number,), (number,))
        main: list[str] = []
        exact: list[str] = []
        parts = [piece for part in _part_pattern().findall(text) for piece in _apostrophes(part)]
        if len(parts) > 1:
            parts = [part for part in parts if part.casefold() not in STOP_WORDS] or parts
        for part in parts:
            if part.isascii():
                self._add_word(part, main, exact)
                continue
            for kind, run in groupby(part, kind_of):
                if kind == "word":
                    self._add_word("".join(run), main, exact)
                else:
                    _add_signs("".join(run), kind, main, exact)
        if len(parts) > 1 or text[-1:] in "+#":
            exact.append("".join(c for c in text.casefold() if c.isalnum() or c in "+#"))
        return Terms(tuple(main), tuple(dict.fromkeys(exact)))

    def _add_word(self, word: str, main: list[str], exact: list[str]) -> None:
        pieces = _CAMEL.findall(word) if not word.islower() and _CAMEL_WORD.search(word) else []
        main.extend(self._stem(p) for p in pieces if len(p) > 1)
        main.append(self._stem(word))
        exact.append(word.casefold())

    def _stem(self, word: str) -> str:
        folded = fold(word)
        script = script_of(folded[:1])
        name = _BY_SCRIPT.get(script, LANGUAGES[self.language] if script == "LATIN" else "")
        return self._stemmer(name)(folded) if name else folded

    def _stemmer(self, name: str) -> Callable[[str], str]:
        if name not in self._stemmers:
            import Stemmer

            stemmer: Any = Stemmer.Stemmer(name)
            self._stemmers[name] = stemmer.stemWord
        return self._stemmers[name]


def is_stop_word(word: str) -> bool:
    """Tell whether a word is one of those that say nothing alone: articles, pronouns, question words, auxiliaries."""
    folded = word.casefold().replace("’", "'")
    return folded in STOP_WORDS or (folded[-2:] in ("'s", "'t", "'d", "'m") and folded[:-2] in STOP_WORDS)


@lru_cache(maxsize=1)
def _word_pattern() -> re.Pattern[str]:
    word = rf"[\w{marks_class()}]++"
    return re.compile(rf"{word}(?:[-‐‑.,/+@:&'’]{word})*+(?:\+\+|#)?")


@lru_cache(maxsize=1)
def _part_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?:(?!_)[\w{marks_class()}])+(?:['’](?:(?!_)[\w{marks_class()}])+)*")


def _add_signs(run: str, kind: Literal["hangul", "unspaced"], main: list[str], exact: list[str]) -> None:
    signs = clusters(run.casefold())
    if kind == "hangul":
        exact.append(run)
        signs = without_particle(signs)
    exact.extend(signs)
    main.extend([a + b for a, b in pairwise(signs)] if len(signs) > 1 else signs)


def _apostrophes(part: str) -> list[str]:
    """Split at apostrophes: ``Ada's`` is ``Ada``, ``l'avion`` is ``avion``, ``O'Brien`` is ``O`` and ``Brien``."""
    pieces = part.replace("’", "'").split("'")
    if len(pieces) == 1:
        return pieces
    if pieces[-1].lower() in _ENDINGS:
        pieces.pop()
    if len(pieces) > 1 and pieces[0].lower() in _ELIDED:
        pieces.pop(0)
    return pieces
