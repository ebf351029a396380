"""What the local extractor finds in one chunk: names and triples, as character spans of the chunk's text."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["FoundName", "FoundTriple"]


class FoundName(NamedTuple):
    """A name in a chunk: ``text[start:end] == quote``; ``name`` is its trimmed form, most often the same."""

    start: int
    end: int
    name: str
    type: str
    confidence: float


class FoundTriple(NamedTuple):
    """Two names of a chunk and what is said of them; the sentence is ``text[start:end]``."""

    subject: FoundName
    predicate: str
    object: FoundName
    polarity: str
    start: int
    end: int
    confidence: float
    pattern: str
