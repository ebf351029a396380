"""Names in one text: what the pipeline's entity recogniser finds, with boundaries put right by rule."""

from __future__ import annotations

from typing import Any

from kgkit.extraction.local.found import FoundName

__all__ = ["find_names"]

TYPE_OF = {
    "PERSON": "PERSON",
    "ORG": "ORGANISATION",
    "GPE": "PLACE",
    "LOC": "PLACE",
    "FAC": "PLACE",
    "NORP": "GROUP",
    "PRODUCT": "PRODUCT",
    "WORK_OF_ART": "WORK",
    "EVENT": "EVENT",
    "LAW": "LAW",
    "LANGUAGE": "GROUP",
    "DATE": "DATE",
    "TIME": "DATE",
    "MONEY": "NUMBER",
    "PERCENT": "NUMBER",
    "QUANTITY": "NUMBER",
    "CARDINAL": "NUMBER",
    "ORDINAL": "NUMBER",
}


def find_names(doc: Any) -> list[FoundName]:
    """Find the names in one spaCy ``Doc``."""
    found = []
    for ent in doc.ents:
        start, end = ent.start_char, ent.end_char
        words = doc.text[start:end]
        for article in ("the ", "The ", "a ", "A ", "an ", "An "):
            if words.startswith(article):
                start += len(article)
        for ending in ("'s", "’s"):
            if words.endswith(ending):
                end -= len(ending)
        if start < end:
            found.append(FoundName(start, end, doc.text[start:end], TYPE_OF[ent.label_], 0.7))
    return found
