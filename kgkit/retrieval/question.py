"""What a question asks for, and whether a sentence has something of that kind: a person, a date, a number, a place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from kgkit.retrieval.tokens import Analyser, Word, is_stop_word

__all__ = ["Kind", "Question", "has_answer_kind", "read_question"]

Kind = Literal["person", "time", "number", "place", "other"]

_WHAT = r"(?:what|which|in what|in which)"
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "number",
        re.compile(
            r"\bhow (?:many|much|old|long|far|tall|high|large|big|fast|deep|wide)\b"
            r"|\bwhat (?:percent\w*|number|amount|proportion|fraction|population)\b"
            r"|\bwie ?viele?\b|\bcombien\b|\bcuánt[oa]s?\b|\bquant[eio]s?\b|\bсколько\b|얼마|몇|いくつ|多少"
        ),
    ),
    (
        "time",
        re.compile(
            rf"\bwhen\b|\b{_WHAT} (?:\w+ )?(?:year|date|day|month|decade|century|time)\b"
            r"|\b(?:wann|quand|cuándo|quando|когда)\b|언제|いつ|何年|何时|什么时候"
        ),
    ),
    (
        "person",
        re.compile(
            rf"\bwho(?:m|se)?\b|\b{_WHAT} (?:person|man|woman|people|king|queen|president|actor|author|scientist)\b"
            r"|\b(?:wer|wen|wem|qui|quién|chi|quem|кто)\b|누가|誰|谁"
        ),
    ),
    (
        "place",
        re.compile(
            rf"\bwhere\b|\b{_WHAT} (?:\w+ )?(?:city|country|town|state|place|continent|region|river|county|village)\b"
            r"|\b(?:wo|wohin|woher|où|dónde|dove|onde|где)\b|어디|どこ|哪里"
        ),
    ),
)
_WHETHER = re.compile(
    r"\W*(?:did|does|do|was|were|is|are|am|has|have|had|can|could|will|would|should)(?:n['’]t)? (?!there\b)",
    re.IGNORECASE,
)
_MONTH = (
    r"jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?|"
    r"sep(?:t|tember)?|oct(?:ober)?|oktober|nov(?:ember)?|dec(?:ember)?|dezember"
)
_TIME = re.compile(
    rf"\b(?:1[0-9]{{3}}|20[0-9]{{2}})s?\b|\b\d{{1,2}}(?:st|nd|rd|th)[ -]centur"
    rf"|\b(?:{_MONTH})\.? \d|\b\d{{1,2}}\.? (?:{_MONTH})\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b\d+ (?:bc|ad|bce|ce)\b|\b\d{1,2}:\d\d\b|\d年",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|hundred|"
    r"thousand|million|billion|half|quarter|twice|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|deux|trois|quatre)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:in|at|near|to|from|of|on|outside|around|bei|nach|aus|à|en|dans)\s+(?:the |der |la |le )?[A-ZÀ-ÞА-Я]\w"
)


@dataclass(frozen=True)
class Question:
    """A question with what matters in it.

    ``weights`` holds, for each content word, its terms; ``names`` and ``numbers`` are positions of those words that
    an answer can hardly do without. ``asks_whether``: it wants a yes or a no ("Did Ada go to Ulm?").
    """

    text: str
    kind: Kind
    words: tuple[Word, ...]
    special: frozenset[int]
    asks_whether: bool = False

    def last_names(self) -> list[Word]:
        """Give each name's last word: of "Alan Turing" a text may have the surname alone."""
        last = []
        for i in sorted(self.special):
            word = self.words[i]
            following = self.words[i + 1] if i + 1 in self.special else None
            if following is None or self.text[word.end : following.start].strip():
                last.append(word)
        return last


def read_question(analyser: Analyser, text: str) -> Question:
    """Find out what a question asks for, and which of its words carry it.

    Words with a capital inside the question, and numbers, are special: names of what is asked about.
    """
    words = analyser.words(text)
    content = tuple(w for w in words if not w.stop) or tuple(words)
    special = frozenset(i for i, w in enumerate(content) if _is_special(text, w))
    return Question(text, _kind(text), content, special, bool(_WHETHER.match(text)))


def has_answer_kind(kind: Kind, sentence: str, asked: frozenset[str]) -> bool:
    """Tell whether a sentence holds something of the kind that is asked for, and that the question does not hold.

    Args:
        kind: What is asked for.
        sentence: A sentence.
        asked: The question's words, case folded.
    """
    if kind == "time":
        return any(m.group().casefold() not in asked for m in _TIME.finditer(sentence))
    if kind == "number":
        return any(m.group().casefold() not in asked for m in _NUMBER.finditer(sentence))
    if kind == "person":
        return any(name.casefold() not in asked for name in _names(sentence))
    if kind == "place":
        return any(m.group().split()[-1].casefold() not in asked for m in _PLACE.finditer(sentence))
    return True


def _kind(text: str) -> Kind:
    lower = text.casefold()
    for kind, pattern in _KINDS:
        if pattern.search(lower):
            return kind
    return "other"


def _is_special(text: str, word: Word) -> bool:
    if any(c.isdigit() for c in word.text):
        return True
    first = not any(c.isalnum() for c in text[: word.start])
    return any(c.isupper() for c in (word.text[1:] if first else word.text))


_CAPITALISED = re.compile(r"[^\W\d_a-zß-öø-ÿа-я][\w'’-]*")


def _names(sentence: str) -> list[str]:
    names = []
    for match in _CAPITALISED.finditer(sentence):
        word = match.group()
        if word[0].isupper() and not is_stop_word(word):
            names.append(word)
    return names
