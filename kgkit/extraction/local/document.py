"""The names of one document: those of its chunks, brought to agree with each other.

Here the types are settled (`agreement`), acronyms joined to what they stand for, and further occurrences of a name
found that the recogniser passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kgkit.extraction.local.agreement import Agreement
from kgkit.extraction.local.concepts import find_concepts
from kgkit.extraction.local.found import FoundName
from kgkit.extraction.local.lexicon import Lexicon
from kgkit.extraction.local.names import Name, capitalised_runs, defined_acronyms, find_names, taken_tokens
from kgkit.extraction.local.plain import without_plain_words
from kgkit.extraction.local.spans import Parsed, Span
from kgkit.extraction.local.types import technical_nouns

__all__ = ["names_of_document"]

TECHNICAL_SHARE = 0.1
_DEFINED = 3.0
_THE = "The "
_UNTYPED = frozenset({"DATE", "DURATION", "NUMBER"})  # found by form: no votes about them

# How often such a mention is right in span and type, measured on public gold data and rounded
# (docs/decisions/0006-local-extraction.md).
_AGREED = 0.8
_RECOGNISED = 0.4
_OVERRULED = 0.55
_BY_CUE = 0.5
_AGAIN = 0.5
_CONTESTED = 0.3
_DATE = 0.9
_AMOUNT = 0.6


def names_of_document(texts: Sequence[Parsed], words: Lexicon) -> list[list[FoundName]]:
    """Find the names and terms of a document's texts, in order and without overlaps in each text.

    Args:
        texts: The document's chunks, parsed, in the order of the document.
        words: The word lists.
    """
    technical = _is_technical(texts, words)
    names = [find_names(parsed, words, technical=technical) for parsed in texts]
    agreement = Agreement()
    names = without_plain_words(texts, names)
    for i, parsed in enumerate(texts):
        names[i] = _with_acronyms(parsed, names[i], agreement, words)
        for name in names[i]:
            if name.recognised not in _UNTYPED:
                agreement.add(name.text, name.recognised, name.votes)
    agreement.settle()
    known = _known(names, agreement)
    settled = [_settled(parsed, names[i], known, agreement) for i, parsed in enumerate(texts)]
    concepts = find_concepts(texts, settled, words, technical=technical)
    return [sorted([*one, *more]) for one, more in zip(settled, concepts, strict=True)]


def _is_technical(texts: Iterable[Parsed], words: Lexicon) -> bool:
    counts = [technical_nouns(parsed, words) for parsed in texts]
    n, special = sum(c[0] for c in counts), sum(c[1] for c in counts)
    return n > 0 and special / n >= TECHNICAL_SHARE


def _with_acronyms(parsed: Parsed, names: list[Name], agreement: Agreement, words: Lexicon) -> list[Name]:
    """Join "National Physical Laboratory (NPL)"; what a lower-case phrase stands behind is a technical term."""
    for short, start, end, long_start, long_end in defined_acronyms(parsed, words):
        full = next((n for n in names if n.span.end == long_end and n.recognised not in _UNTYPED), None)
        votes = {}
        if full is None or full.span.start > long_start:
            long = parsed.text[long_start:long_end]
            if not _is_common(parsed, long_start, long_end):
                continue
            names = [n for n in names if n.span.end <= long_start or n.span.start >= long_end]
            votes = {"CONCEPT": _DEFINED}
            names.append(Name(_span(parsed, long_start, long_end), long, "", votes))
        else:
            agreement.link(short, full.text)
        if not any(n.span.start < end and start < n.span.end for n in names):
            names.append(Name(_span(parsed, start, end), short, "", votes))
        elif votes:
            names = [n._replace(votes=votes) if (n.span.start, n.span.end) == (start, end) else n for n in names]
    return sorted(names, key=lambda n: n.span.start)


def _is_common(parsed: Parsed, start: int, end: int) -> bool:
    """Tell whether a phrase is made of common words, written small after the first."""
    words = [w for w in parsed.text[start:end].replace("-", " ").split() if w[0].isalpha()]
    return len(words) > 1 and all(w[0].islower() for w in words[1:])


def _span(parsed: Parsed, start: int, end: int) -> Span:
    tokens = parsed.doc.char_span(start, end, alignment_mode="expand")
    return Span(tokens.start, tokens.end, start, end, "")


def _known(names: Iterable[Iterable[Name]], agreement: Agreement) -> dict[str, str]:
    """List the names to look for again: full names, and surnames of people."""
    known: dict[str, str] = {}
    for one in names:
        for name in one:
            if name.recognised in _UNTYPED or not name.text[0].isupper():
                continue
            kind = agreement.type_of(name.text)
            known[name.text] = kind
            last = name.text.rsplit(" ", 1)[-1]
            if kind == "PERSON" and len(last) > 3 and last.isalpha() and last[0].isupper():
                known.setdefault(last, kind)
    return known


def _settled(parsed: Parsed, names: list[Name], known: dict[str, str], agreement: Agreement) -> list[FoundName]:
    found = []
    for name in names:
        span = name.span
        if name.recognised in _UNTYPED:
            confidence = _DATE if name.recognised == "DATE" else _AMOUNT
            found.append(FoundName(span.start, span.end, name.text, name.recognised, confidence))
            continue
        kind = agreement.type_of(name.text)
        if not agreement.is_empty(name.text):
            cut = len(_THE) if kind != "WORK" and name.text.startswith(_THE) else 0  # only titles of works keep it
            text, confidence = name.text[cut:], _confidence(name, kind)
            found.append(FoundName(span.start + cut, span.end, text, kind, confidence))
    for first, last in capitalised_runs(parsed, taken_tokens(parsed, [n.span for n in names])):
        found += _again(parsed, first, last, known)
    return sorted(found)


def _again(parsed: Parsed, first: int, last: int, known: dict[str, str]) -> list[FoundName]:
    tokens = parsed.tokens
    start, end = tokens[first].idx, tokens[last - 1].idx + len(tokens[last - 1])
    text = parsed.text[start:end]
    return [FoundName(start, end, text, known[text], _AGAIN)] if text in known else []


def _confidence(name: Name, kind: str) -> float:
    supported = name.votes.get(kind, 0.0) > 0
    if not name.recognised:
        return _BY_CUE
    if name.recognised == kind:
        if supported:
            return _AGREED
        return _CONTESTED if name.votes else _RECOGNISED
    return _OVERRULED
