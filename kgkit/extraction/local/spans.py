"""Where names begin and end: the recogniser's entities, with their boundaries put right by rule.

All rules look at tokens of one text and are about form, never about particular names: links, handles and list marks
are cut off, articles, honorifics and possessives trimmed, words that belong to a name taken in, dates made whole.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, NamedTuple

from kgkit.extraction.local.lexicon import Lexicon

__all__ = ["NAMES", "Parsed", "Span", "date_spans", "entity_spans", "is_junk", "tidy"]

NAMES = {
    "PERSON": "PERSON",
    "ORG": "ORGANISATION",
    "GPE": "PLACE",
    "LOC": "PLACE",
    "FAC": "PLACE",
    "NORP": "GROUP",
    "LANGUAGE": "GROUP",
    "PRODUCT": "PRODUCT",
    "WORK_OF_ART": "WORK",
    "EVENT": "EVENT",
    "LAW": "LAW",
}
"""The type for each of the recogniser's labels that stands for a name."""

_DATES = frozenset({"DATE", "TIME"})
_NUMBERS = frozenset({"MONEY", "PERCENT", "QUANTITY", "CARDINAL"})  # ranks ("first") name nothing

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\.?)"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"[12]\d{3}"
_WHOLE_DATE = re.compile(
    rf"\b(?:{_DAY}(?: of)? {_MONTH},? {_YEAR}|{_MONTH} {_DAY},? {_YEAR}|{_DAY} {_MONTH}|{_MONTH} {_DAY}(?!\d)|"
    rf"{_MONTH},? {_YEAR}|[12]\d{{3}}-[01]\d-[0-3]\d)\b"
)
_YEARS = re.compile(rf"(?:{_YEAR}(?:\s*(?:[-–—/,]|to|and|until|through|till|or)\s*|$))+")
_CALENDAR = re.compile(
    rf"\b(?:{_MONTH}|{_YEAR}s?|[1-9]\d{{1,2}} ?(?:BCE?|AD|CE)|(?:BCE?|AD) ?\d+|\d{{1,2}}0s|"
    r"(?:\w+(?:th|st|nd|rd)|last|this|first|second|third|next)[ -]centur(?:y|ies)|"
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|Christmas|Easter|Ramadan|Hanukkah|Thanksgiving)(?!\w)|['’]\d0s\b",
    re.IGNORECASE,
)
_MAY = re.compile(r"\bmay\b")
_NO_END = frozenset({"POS", "IN", "CC", "DT", "TO"})
_ONE_YEAR = re.compile(_YEAR)
_ROUGHLY = re.compile(
    r"^(?:(?:about|around|approximately|roughly|nearly|almost|over|under|some|only|between|from|since|until|by|before|"
    r"after|during|in|on|at least|at most|up to|as much as|as many as|as early as|as late as|as of|more than|less than|"
    r"fewer than|no more than|an estimated|another|just|exactly|the next|the last|the past|the first|next|years?|the|"
    r"beginning of|end of|early in|late in|season)\s+)+(?=\S)",
    re.IGNORECASE,
)
_ADJECTIVE = ("ific", "nical", "trial", "tural", "ional", "ancial", "ercial", "ary")
_COUNTED = re.compile(r"(?<=\d{4}) (?:one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})$")  # in 1947 two men
_DANGLING = re.compile(r"[\s,;:–—-]+$")

_BREAKS = frozenset({"@", "#", "|", "//", "\\", "*", ">", "<", "&lt;", "&gt;", "•", "…", "..."})
_ARTICLES = frozenset({"the", "a", "an"})
_EDGE_LEFT = "\"'“”‘’`«»([{<*•-–—_,.;:!?#@&/|~^=+ \t\n\u00a0"
_EDGE_RIGHT = "\"'“”‘’`«»)]}>*•-–—_,;:!?@&/|~^= \t\n\u00a0"
_INITIALS = re.compile(r"(?:[A-Z]\.-?)+")
_HEADING = re.compile(
    r"(?:Chapter|Section|Page|Figure|Table|Lecture|Lesson|Volume|Box|Case|Panel|Item|Message|Note|Step|Question|"
    r"Exercise|Appendix) (?:\d{1,4}|[IVX]+|[A-Z])[.:]?"
)
_LETTER = re.compile(r"[^\W\d_]")
_ABBREVIATED = re.compile(r"(?:\b[A-Z]|Inc|Corp|Co|Ltd|Jr|Sr|Bros|St|Mt|Ph\.D|[A-Z][a-z]{1,4})\.$")


class Parsed(NamedTuple):
    """A spaCy ``Doc`` with its text and tokens, which are slow to ask it for again and again."""

    doc: Any
    text: str
    tokens: list[Any]

    @classmethod
    def of(cls, doc: Any) -> Parsed:
        """Take text and tokens out of a ``Doc`` once."""
        return cls(doc, doc.text, list(doc))


class Span(NamedTuple):
    """Tokens ``start:end`` of a spaCy ``Doc``, the characters they cover, and the type that is assumed."""

    first: int
    last: int
    start: int
    end: int
    type: str


def entity_spans(parsed: Parsed, words: Lexicon) -> list[Span]:
    """Give the recogniser's entities in order, put right, without overlaps."""
    found: list[Span] = []
    dates = date_spans(parsed)
    taken = [(d.start, d.end) for d in dates]
    previous = 0
    for ent in parsed.doc.ents:
        label = ent.label_
        if label in NAMES:
            for span in _name(parsed, ent.start, ent.end, NAMES[label], words, previous):
                found.append(span)
                previous = span.last
        elif label in _DATES or label in _NUMBERS:
            if any(a < ent.end_char and ent.start_char < b for a, b in taken):
                continue
            found += _measures(parsed.text, ent, "DATE" if label in _DATES else "NUMBER")
    found = _joined(parsed, found, words)
    found = [
        s for s in found if s.type in ("NUMBER", "DURATION") or not any(a < s.end and s.start < b for a, b in taken)
    ]
    return sorted(found + dates, key=lambda s: (s.start, s.end))


def _joined(parsed: Parsed, found: list[Span], words: Lexicon) -> list[Span]:
    """Join a body that the recogniser cut at "and": "the Commonwealth Scientific and Industrial Research Council"."""
    out: list[Span] = []
    for span in found:
        left = out[-1] if out else None
        if left is not None and _is_one_body(parsed.tokens, left, span, words):
            out[-1] = Span(left.first, span.last, left.start, span.end, "ORGANISATION")
        else:
            out.append(span)
    return out


def _is_one_body(tokens: list[Any], left: Span, right: Span, words: Lexicon) -> bool:
    if right.first != left.last + 1 or tokens[left.last].lower_ != "and" or right.last - right.first < 2:
        return False
    ends = tokens[left.last - 1].lower_
    body = words.heads.get(tokens[right.last - 1].lower_) == "ORGANISATION"
    if not body or words.heads.get(ends) in ("ORGANISATION", "PLACE"):
        return False
    if left.last - left.first == 2 and tokens[left.first].lower_ in words.anded:
        return True  # the Government Code and Cypher School
    return ends.endswith(_ADJECTIVE) and ends not in words.nouns


def date_spans(parsed: Parsed) -> list[Span]:
    """Find whole dates by their form, also where the recogniser cut them."""
    found = []
    for match in _WHOLE_DATE.finditer(parsed.text):
        span = parsed.doc.char_span(*match.span(), alignment_mode="expand")
        if span is not None and (match.group()[0].isdigit() or len(match.group()) > 6):
            found.append(Span(span.start, span.end, match.start(), match.end(), "DATE"))
    return found


def _is_calendar(text: str) -> bool:
    """Tell a date ("May 1949", "the 1950s", "Monday") from a length of time or a "later that day"."""
    return bool(_CALENDAR.search(_MAY.sub("", text)))


def is_junk(text: str) -> bool:
    """Tell whether a text cannot be a name: no letter, a link, or nothing but marks."""
    return (
        bool(_HEADING.fullmatch(text))
        or not _LETTER.search(text)
        or "://" in text
        or "t.co/" in text
        or text.startswith("www.")
    )


def tidy(text: str, start: int, end: int) -> tuple[int, int]:
    """Strip marks from both ends of a span, and a possessive ending; full stops of abbreviations stay."""
    while start < end and text[start] in _EDGE_LEFT:
        start += 1
    while True:
        before = end
        while end > start and text[end - 1] in _EDGE_RIGHT:
            if text[end - 1] in ")]" and "([".find(text[end - 1].translate({41: "(", 93: "["})) >= 0:
                opening = "(" if text[end - 1] == ")" else "["
                if text.count(opening, start, end) >= text.count(text[end - 1], start, end):
                    break
            end -= 1
        if text[max(start, end - 2) : end] in ("'s", "’s") and end - 2 > start:
            end -= 2
        if end > start and text[end - 1] == "." and not _ABBREVIATED.search(text[start:end]):
            end -= 1
        if end == before:
            return start, end


def _name(parsed: Parsed, first: int, last: int, kind: str, words: Lexicon, floor: int) -> list[Span]:
    text, tokens = parsed.text, parsed.tokens
    first, last = _longest_part(tokens, first, last)
    last = _inside_brackets(tokens, first, last)
    first, last = _extend(tokens, first, last, kind, words, floor)
    while first < last and (
        _is_article(tokens, first, last, kind)
        or (last - first > 1 and _is_honorific(tokens, first, kind, words))
        or tokens[first].is_space
    ):
        first += 1
    while first < last and (tokens[last - 1].is_space or tokens[last - 1].tag_ in _NO_END):
        last -= 1
    if first >= last or _is_title(tokens[first:last], words) or not _is_written_as_name(tokens[first:last]):
        return []
    start, end = tidy(text, tokens[first].idx, tokens[last - 1].idx + len(tokens[last - 1].text))
    if (
        start >= end
        or is_junk(text[start:end])
        or (tokens[first].is_sent_start and _HEADING.fullmatch(text[start:end]))
    ):
        return []
    return [Span(first, last, start, end, kind)]


def _is_title(tokens: list[Any], words: Lexicon) -> bool:
    """Tell whether a name is only an office or rank: "Rear Admiral", "Prime Minister"."""
    last = tokens[-1].lower_
    if not (tokens[-1].text in words.offices or words.nouns.get(last) == "PERSON"):
        return False
    return all(t.lower_ in words.ranks or words.nouns.get(t.lower_) == "PERSON" for t in tokens[:-1])


def _is_honorific(tokens: list[Any], first: int, kind: str, words: Lexicon) -> bool:
    """Tell whether a name begins with what is no part of it: "Dr", "Senator", "Rear" before "Admiral"."""
    word = tokens[first]
    if word.text in words.honorifics:
        return True
    if word.lower_ in words.ranks and tokens[first + 1].text in words.titles:
        return True
    ranked = first > 0 and tokens[first - 1].lower_ in words.ranks
    return word.text in words.titles and (kind == "PERSON" or ranked)


def _is_written_as_name(tokens: list[Any]) -> bool:
    return any(c.isupper() or c.isdigit() for t in tokens for c in t.text)


def _is_article(tokens: list[Any], first: int, last: int, kind: str) -> bool:
    word = tokens[first]
    if word.lower_ not in _ARTICLES:
        return False
    if last - first == 1:
        return True
    return not (word.text[0].isupper() and kind == "WORK") and tokens[first + 1].text not in ("-", "&", "–")


def _longest_part(tokens: list[Any], first: int, last: int) -> tuple[int, int]:
    """Cut at links, handles, hash marks and line ends; keep the part with most letters, the first on a tie."""
    cuts = [i for i in range(first, last) if _breaks(tokens[i])]
    if not cuts:
        return first, last
    edges = [first - 1, *cuts, last]
    parts = [(a + 1, b) for a, b in pairwise(edges) if b > a + 1]
    if not parts:
        return first, first
    return max(parts, key=lambda p: (sum(len(tokens[i].text) for i in range(*p) if tokens[i].is_alpha), -p[0]))


def _inside_brackets(tokens: list[Any], first: int, last: int) -> int:
    """Cut a name before a bracket, unless it goes on after the bracket is closed: "Komatsu (Shanghai) Ltd."."""
    for i in range(first + 1, last):
        if tokens[i].text == "(":
            closed = next((j for j in range(i, last) if tokens[j].text == ")"), None)
            if closed is None or closed >= last - 1 or not tokens[closed + 1].is_alpha:
                return i
    return last


def _breaks(token: Any) -> bool:
    text = token.text
    return (
        text in _BREAKS
        or text == "RT"
        or "://" in text
        or "\n" in text
        or (not text.isascii() and not any(c.isalnum() for c in text) and text not in "“”‘’–—′″·«»")
    )


def _extend(tokens: list[Any], first: int, last: int, kind: str, words: Lexicon, floor: int) -> tuple[int, int]:
    """Take in the capitalised words that syntax ties to the name and that are in no other entity."""
    if first >= last or kind == "GROUP":
        return first, last
    while first > floor and _joins_left(tokens[first - 1], tokens[first], kind, words):
        if not first <= tokens[first - 1].head.i < last:
            break
        first -= 1
    while last < len(tokens) and _joins(tokens[last], tokens[last - 1], words):
        if tokens[last - 1].dep_ != "compound" or tokens[last - 1].head.i != last:
            break
        last += 1
    if first - 2 >= floor and tokens[first - 1].text == "-" and _is_hyphened(tokens[first - 2], tokens[first]):
        first -= 2
    if last < len(tokens) and tokens[last].text in words.numerals and kind in ("PERSON", "EVENT", "WORK", "PRODUCT"):
        last += 1
    return first, last


def _is_hyphened(before: Any, word: Any) -> bool:
    """Tell the first half of a name that the recogniser took up after a hyphen: "Small-Scale Experimental Machine"."""
    tight = before.idx + len(before) + 1 == word.idx
    words = before.text.istitle() and word.text.istitle() and min(len(before), len(word)) > 2
    return bool(tight and words and not before.ent_type_)


def _joins_left(token: Any, neighbour: Any, kind: str, words: Lexicon) -> bool:
    if kind == "PERSON" and token.text not in words.given_names and not _INITIALS.fullmatch(token.text):
        return False
    return _joins(token, neighbour, words)


def _joins(token: Any, neighbour: Any, words: Lexicon) -> bool:
    text = token.text
    return (
        token.pos_ == "PROPN"
        and not token.ent_type_
        and text[:1].isupper()
        and neighbour.text[:1].isupper()
        and (token.is_alpha or text[-1] == ".")
        and (not token.is_upper or len(text) < 3 or text[-1] == ".")
        and text not in words.offices
        and text not in words.honorifics
        and words.nouns.get(token.lower_) != "PERSON"
    )


def _measures(whole: str, ent: Any, kind: str) -> list[Span]:
    start = ent.start_char
    text = whole[start : ent.end_char]
    years = _DANGLING.sub("", _ROUGHLY.sub("", text))
    if kind == "DATE" and len(_ONE_YEAR.findall(years)) > 1 and _YEARS.fullmatch(years):
        at = [(m.start(), m.end()) for m in _ONE_YEAR.finditer(text)]
        return [Span(ent.start, ent.end, start + a, start + b, kind) for a, b in at]
    lead = _ROUGHLY.match(text)
    skipped = lead.end() if lead else 0
    a, b = tidy(whole, start + skipped, start + len(_COUNTED.sub("", text)) if kind == "DATE" else ent.end_char)
    if a >= b or not any(c.isalnum() for c in whole[a:b]) or "://" in whole[a:b]:
        return []
    if kind == "DATE" and not _is_calendar(whole[a:b]):
        kind = "DURATION"
    return [Span(ent.start, ent.end, a, b, kind)]
