"""Texts through the local pipeline, parsed once a test run."""

from __future__ import annotations

from functools import cache

from kgkit.extraction.local.document import names_of_document
from kgkit.extraction.local.found import FoundName
from kgkit.extraction.local.lexicon import lexicon
from kgkit.extraction.local.spans import Parsed
from kgkit.extraction.local.units import parse_texts
from kgkit.models.nlp import load_nlp


@cache
def parse(text: str) -> Parsed:
    return Parsed.of(next(parse_texts(load_nlp(), [text])))


def names_in(*texts: str) -> list[FoundName]:
    return [name for one in names_of_document([parse(t) for t in texts], lexicon()) for name in one]
