"""What kind of thing a name is, as far as the rules for statements ask: person, body, place, group, date, other."""

from __future__ import annotations

__all__ = ["BODY", "DATE", "GROUP", "NUMBER", "OTHER", "PERSON", "PLACE", "kind_of"]

PERSON = "person"
BODY = "body"
PLACE = "place"
GROUP = "group"
DATE = "date"
NUMBER = "number"
OTHER = "other"

_KIND_OF = {
    "PERSON": PERSON,
    "PER": PERSON,
    "ORGANISATION": BODY,
    "ORGANIZATION": BODY,
    "ORG": BODY,
    "COMPANY": BODY,
    "PLACE": PLACE,
    "LOCATION": PLACE,
    "GPE": PLACE,
    "LOC": PLACE,
    "FAC": PLACE,
    "FACILITY": PLACE,
    "GROUP": GROUP,
    "NORP": GROUP,
    "NATIONALITY": GROUP,
    "LANGUAGE": GROUP,
    "DATE": DATE,
    "TIME": DATE,
    "NUMBER": NUMBER,
    "DURATION": NUMBER,
    "MONEY": NUMBER,
    "PERCENT": NUMBER,
    "QUANTITY": NUMBER,
    "CARDINAL": NUMBER,
    "ORDINAL": NUMBER,
}


def kind_of(type_name: str) -> str:
    """Give the kind of a type of names, whichever vocabulary it is from; unknown types are ``other``.

    Examples:
        >>> kind_of("PLACE"), kind_of("GPE"), kind_of("ALGORITHM")
        ('place', 'place', 'other')
    """
    return _KIND_OF.get(type_name.upper(), OTHER)
