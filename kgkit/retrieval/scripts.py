"""What the search terms need to know of scripts: which have blanks between words, which accents may be dropped."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Literal

__all__ = ["Kind", "clusters", "fold", "kind_of", "marks_class", "script_of", "without_particle"]

Kind = Literal["word", "hangul", "unspaced"]

_UNSPACED = frozenset(
    {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"}
)
_FOLDED = frozenset({"LATIN", "GREEK", "HEBREW", "ARABIC"})
_LETTERS = str.maketrans(
    {"ё": "е", "ø": "o", "đ": "d", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ـ": None}
)
_PARTICLES = sorted(
    [
        "은",
        "는",
        "이",
        "가",
        "을",
        "를",
        "의",
        "에",
        "와",
        "과",
        "도",
        "로",
        "으로",
        "에서",
        "에게",
        "한테",
        "께서",
        "부터",
        "까지",
        "만",
        "보다",
        "처럼",
        "마다",
        "라고",
        "이라고",
        "이다",
        "입니다",
        "들",
        "들은",
        "들이",
        "들을",
        "들의",
        "에는",
        "에도",
        "에서는",
        "으로는",
    ],
    key=lambda p: (-len(p), p),
)


@lru_cache(maxsize=8192)
def script_of(char: str) -> str:
    """Name the script of a character, as its Unicode name begins: ``LATIN``, ``CYRILLIC``, ``CJK``, ...

    Examples:
        >>> script_of("я")
        'CYRILLIC'
    """
    return unicodedata.name(char, "").split(" ", 1)[0] if char else ""


@lru_cache(maxsize=8192)
def kind_of(char: str) -> Kind:
    """Tell how words of a character's script are found: by blanks, or not at all, or by blanks with particles."""
    script = script_of(char)
    return "hangul" if script == "HANGUL" else "unspaced" if script in _UNSPACED else "word"


def fold(word: str) -> str:
    """Drop case, and the accents of scripts where a reader may leave them out; other marks are part of the letter.

    Examples:
        >>> fold("Łódź"), fold("Йод")
        ('lodz', 'йод')
    """
    word = word.casefold()
    if word.isascii():
        return word
    out = []
    base = ""
    for char in unicodedata.normalize("NFD", word):
        if not unicodedata.combining(char):
            base = char
            out.append(char)
        elif script_of(base) not in _FOLDED:
            out.append(char)
    return unicodedata.normalize("NFC", "".join(out)).translate(_LETTERS)


def clusters(text: str) -> list[str]:
    """Split into signs: a base character with the marks upon it."""
    signs: list[str] = []
    for char in text:
        if signs and unicodedata.category(char)[0] == "M":
            signs[-1] += char
        else:
            signs.append(char)
    return signs


def without_particle(signs: list[str]) -> list[str]:
    """Take a Korean particle off the end of a word, unless nothing but one syllable would stay."""
    word = "".join(signs)
    for particle in _PARTICLES:
        if word.endswith(particle) and len(signs) - len(particle) >= 2:
            return signs[: -len(particle)]
    return signs


@lru_cache(maxsize=1)
def marks_class() -> str:
    r"""Write all combining marks as the inside of a regular expression's character class: ``\w`` leaves them out."""
    runs: list[list[int]] = []
    for point in [*range(0x300, 0x20000), *range(0xE0100, 0xE01F0)]:
        if unicodedata.category(chr(point))[0] != "M":
            continue
        if runs and point == runs[-1][1] + 1:
            runs[-1][1] = point
        else:
            runs.append([point, point])
    return "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in runs)
