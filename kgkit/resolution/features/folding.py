"""Names folded for comparison: case, accents and punctuation gone, words with a known class marked as such."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from kgkit.text import normalise_name

__all__ = ["Name", "fold", "kind_of", "parse", "vocabulary"]

KINDS = ("unknown", "person", "organisation", "place", "other")
_KIND_WORDS = {
    "person": "person people human individual per author researcher politician artist athlete character employee",
    "organisation": "organisation organization org company legalentity business firm institution corporation agency "
    "group team party university school museum hospital publicbody government",
    "place": "place location loc gpe city country region facility fac state settlement geo address",
}
_KIND = {word: kind for kind, words in _KIND_WORDS.items() for word in words.split()}

_DOTTED = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.[ ]?){1,}[^\W\d_](?![^\W_])\.?")
_IN_WORD = re.compile(r"(?<=[^\W_])['`’ʻ](?=[^\W_])")
_TOKEN = re.compile(r"[^\W_]*\d+(?:[.,]\d+)+[^\W_]*|[^\W_]+[+#]*|[^\w\s!-/:-@\[-`{-~¡-©«-±´-·»¿‐-⁞、-〿]")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_TENS, _ONES = ("", "x", "xx", "xxx", "xl", "l"), ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_ROMAN = {a + b: str(10 * i + j) for i, a in enumerate(_TENS) for j, b in enumerate(_ONES) if a or b}
for _word in ("l", "li", "xl"):  # a letter, a surname, a size
    del _ROMAN[_word]
_NONE: frozenset[str] = frozenset()
_ALWAYS_TITLES = {"dr", "prof", "mr", "mrs", "ms", "rev", "sen", "rep", "capt", "sgt", "lt", "gov", "hon"}


class _Letters(dict[int, str]):
    """Latin letters without their accents, in ASCII; all else as it is. Filled as letters are met."""

    def __missing__(self, code: int) -> str:
        from anyascii import anyascii

        letter = chr(code)
        if unicodedata.name(letter, "").startswith("LATIN"):
            self[code] = anyascii(letter).lower()
        elif unicodedata.combining(letter) and unicodedata.category(letter) == "Mn" and code < 0x370:
            self[code] = ""
        else:
            self[code] = letter
        return self[code]


_LETTERS = _Letters()


@dataclass(frozen=True, slots=True)
class Name:
    """One name taken apart. ``words`` are in order, with titles, legal forms, generations and small words out."""

    words: tuple[str, ...]
    raw: str  # all words joined by blanks: what is left of the name when only its shape is folded
    base: str  # the same without what stands in brackets
    bracket: str  # what stood in brackets
    legal: str
    title: str
    generation: str
    numbers: frozenset[str]
    initials: tuple[str, str]  # first letters: of all words, and without small words


def fold(name: str) -> str:
    """Fold case, width, accents of Latin letters and the shapes of quotes; other scripts keep their letters."""
    if name.isascii():
        return " ".join(name.split()).lower()  # all that `normalise_name` does to such a name
    folded = normalise_name(name)
    return folded if folded.isascii() else folded.translate(_LETTERS)


def kind_of(type_: str | None) -> int:
    """Tell the kind that a type names, as an index into `KINDS`."""
    if not type_:
        return 0
    key = re.sub(r"[\W_]+", "", type_.lower())
    return KINDS.index(_KIND.get(key, "other"))


@dataclass(frozen=True)
class _Vocabulary:
    single: dict[str, dict[str, str]]  # class -> word -> form
    phrases: dict[str, list[tuple[tuple[str, ...], str, str]]]  # first word -> (words, class, form), longest first


@cache
def vocabulary() -> _Vocabulary:
    """Read the table of words with a known class."""
    single: dict[str, dict[str, str]] = {}
    phrases: dict[str, list[tuple[tuple[str, ...], str, str]]] = {}
    text = files("kgkit").joinpath("resolution", "features", "words.txt").read_text("utf-8")
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        head, _, rest = line.partition(": ")
        group, form = head.split(" ", 1)
        parts = [p.strip() for p in rest.split(",")] if "," in rest else rest.split()
        for part in parts:
            words = tuple(part.replace(".", "").split())
            if len(words) > 1:
                phrases.setdefault(words[0], []).append((words, group, form))
            else:
                single.setdefault(group, {})[words[0]] = form
            if group == "legal" and len(words) == 1 and 1 < len(part) <= 4:
                spaced = tuple(part)
                phrases.setdefault(spaced[0], []).append((spaced, group, form))
    for found in phrases.values():
        found.sort(key=lambda f: (-len(f[0]), f))
    return _Vocabulary(single, phrases)


def parse(name: str, kind: int) -> Name:
    """Take a name apart.

    Args:
        name: The name as written.
        kind: An index into `KINDS`: initials and titles mean something else in a firm's name.
    """
    person = kind == 1
    text = fold(name)
    text = _IN_WORD.sub("", text)
    if "&" in text:
        text = text.replace("&amp;", " and ").replace("&", " and ")
    if "." in text:
        text = _DOTTED.sub(lambda m: _undot(m.group(), person), text)
    if person and text.count(",") == 1:
        family, given = text.split(",")
        if not _is_suffix(given):
            text = f"{given} {family}"
    outer, bracket = _brackets(text)
    tokens = _TOKEN.findall(text) or [text]
    words, legal, title, generation = _classes(tokens, kind)
    raw = " ".join(tokens)
    small = vocabulary().single["small"]
    starts = words[:1] if person and len(words) > 1 and len(words[0]) == 1 else []  # *A. Turing* begins with no article
    kept = starts + [w for w in words[len(starts) : -1] if w not in small]
    kept += [w for w in words[-1:] if w not in small or len(w) == 1 or not kept]  # Influenza A
    initials = ("".join(w[:1] for w in words), "".join(w[:1] for w in kept))
    return Name(
        words=tuple(kept),
        raw=raw,
        base=raw if outer == text else " ".join(_TOKEN.findall(outer)),
        bracket=bracket,
        legal=legal,
        title=title,
        generation=generation,
        numbers=_numbers(kept, kind),
        initials=initials,
    )


def _undot(text: str, person: bool) -> str:
    letters = re.sub(r"[.\s]", "", text)
    if letters in vocabulary().single["legal"]:
        return letters
    if person or letters in ("jr", "sr") or " " in text:
        return " ".join(letters)
    return letters


def _is_suffix(text: str) -> bool:
    words = text.replace(".", "").split()
    known = vocabulary().single
    return all(
        w in known["generation"] or w in known["legal"] or w in ("phd", "md", "esq", "cbe", "obe") for w in words
    )


def _brackets(text: str) -> tuple[str, str]:
    start = text.find("(")
    end = text.rfind(")")
    if start <= 0 or end < start:
        return text, ""
    return f"{text[:start]} {text[end + 1 :]}", " ".join(_TOKEN.findall(text[start + 1 : end]))


def _classes(tokens: list[str], kind: int) -> tuple[list[str], str, str, str]:
    known = vocabulary()
    words: list[str] = []
    legal, title, generation = "", "", ""
    i = 0
    while i < len(tokens):
        token = tokens[i]
        phrase = _phrase(tokens, i) if token in known.phrases else None
        if phrase is not None:
            length, group, form = phrase
            i += length
            leads = i < len(tokens) and any(len(word) > 2 for word in tokens[i - length : i])  # no initials
            if group == "legal" and kind != 1 and (words or leads):
                legal = form
            elif group == "short":
                words.append(form)
            else:
                words += tokens[i - length : i]
            continue
        i += 1
        if kind != 1 and token in known.single["legal"] and len(tokens) > 1:
            legal = known.single["legal"][token]
        elif kind <= 1 and len(tokens) > 1 and _is_title(token, kind) and (i < len(tokens) or kind == 0):  # not *King*
            title = known.single["title"][token]
        elif words and token in known.single["generation"] and kind <= 1:
            generation = known.single["generation"][token]
        else:
            closes = i == len(tokens) or tokens[i] in known.single["small"]
            words.append(_form(token, kind, bool(words), closes))
    return words or tokens, legal, title, generation


def _phrase(tokens: list[str], i: int) -> tuple[int, str, str] | None:
    for words, group, form in vocabulary().phrases[tokens[i]]:
        if tuple(tokens[i : i + len(words)]) == words:
            return len(words), group, form
    return None


def _is_title(token: str, kind: int) -> bool:
    known = vocabulary().single["title"]
    return token in known and (kind == 1 or known[token] in _ALWAYS_TITLES)


def _form(token: str, kind: int, later: bool, closes: bool) -> str:
    if token[:1].isdigit():
        ordinal = _ORDINAL.fullmatch(token)
        return _plain_number(ordinal.group(1) if ordinal else token)
    known = vocabulary().single
    if later and token in _ROMAN and (len(token) > 1 or (closes and (kind != 1 or token == "i"))):
        return _ROMAN[token]
    if kind == 1:
        return token
    return known["number"].get(token) or known["short"].get(token, token)


def _plain_number(text: str) -> str:
    if "," in text:
        text = text.replace(",", "")
    head, dot, tail = text.partition(".")
    if not tail.strip("0"):
        dot, tail = "", ""
    return (head.lstrip("0") or "0") + dot + tail if head.isdigit() else text


def _numbers(words: list[str], kind: int) -> frozenset[str]:
    found = {_plain_number(m) for w in words if not w.isalpha() for m in _DIGITS.findall(w)}
    last = words[-1]
    if kind > 1 and len(words) > 1 and len(last) == 1 and last.isalpha():
        found.add(last)  # Hepatitis B, Terminal C: a letter that counts
    return frozenset(found) if found else _NONE
