"""Plain words that have a capital only because a sentence, a heading or a cell begins with them.

The recogniser takes "Rented" or "Programs" for people where they stand alone in a table. A document that has a word
in small letters too, or whose tags say that it is none, does not name anything with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kgkit.extraction.local.names import Name
from kgkit.extraction.local.spans import Parsed

__all__ = ["without_plain_words"]

_TAKEN_FOR_NAMES = frozenset({"PERSON", "ORGANISATION", "PLACE", "GROUP", "PRODUCT", "WORK", "EVENT", "LAW"})
_NOT_NAMES = frozenset({"NNS", "VBN", "VBD", "VBG", "RB"})


def without_plain_words(texts: Sequence[Parsed], names: Sequence[list[Name]]) -> list[list[Name]]:
    """Leave out the names of one word that only ever begin a unit and are plain words of the document.

    Args:
        texts: The document's chunks, parsed.
        names: The names that were found in each.
    """
    doubtful = {name.text for one in names for name in one if _is_doubtful(name)}
    inside: set[str] = set()
    untagged: set[str] = set()
    for parsed, one in zip(texts, names, strict=True):
        for name in one:
            if name.text in doubtful:
                token = parsed.tokens[name.span.first]
                if not _begins(parsed.tokens, name.span.first) or name.votes or token.tag_ == "JJ":
                    inside.add(name.text)
                elif token.tag_ in _NOT_NAMES:
                    untagged.add(name.text)
    doubtful -= inside
    if not doubtful:
        return [list(one) for one in names]
    small = {token.text for parsed in texts for token in parsed.tokens if token.text.islower()}
    plain = {word for word in doubtful if word.lower() in small or word in untagged}
    return [[name for name in one if name.text not in plain] for one in names]


def _is_doubtful(name: Name) -> bool:
    return name.recognised in _TAKEN_FOR_NAMES and not name.votes and name.text.istitle() and name.text.isalpha()


def _begins(tokens: list[Any], i: int) -> bool:
    token = tokens[i]
    while not token.is_sent_start and i > 0 and (tokens[i - 1].is_punct or tokens[i - 1].is_space):
        i -= 1
        token = tokens[i]
    return bool(token.is_sent_start) or i == 0
