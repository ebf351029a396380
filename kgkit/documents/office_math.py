"""Formulas of office files, written on one line: ``(a)/(b)``, ``x^2``, ``x_i``, ``√(y)``, ``∑_(i=1)^n i``."""

from __future__ import annotations

from kgkit.documents.xml import Element, child, children

__all__ = ["write_formula"]


def write_formula(element: Element) -> str:
    """Write a formula (``m:oMath``) as plain text; what has no notation here keeps its letters in their order."""
    tag = element.tag
    if tag == "m:t":
        return element.text or ""
    if tag == "m:f":
        return f"({_part(element, 'm:num')})/({_part(element, 'm:den')})"
    if tag in ("m:sSup", "m:sSub", "m:sSubSup", "m:limLow", "m:limUpp"):
        return _part(element, "m:e") + _scripts(element)
    if tag == "m:nary":
        return _setting(element, "m:naryPr", "m:chr", "∫") + _scripts(element) + " " + _part(element, "m:e")
    if tag == "m:d":
        inner = _setting(element, "m:dPr", "m:sepChr", "|").join(
            write_formula(part) for part in children(element, "m:e")
        )
        return _setting(element, "m:dPr", "m:begChr", "(") + inner + _setting(element, "m:dPr", "m:endChr", ")")
    if tag == "m:func":
        return f"{_part(element, 'm:fName')}({_part(element, 'm:e')})"
    if tag in ("m:mr", "m:eqArr"):
        return ", ".join(write_formula(part) for part in children(element, "m:e"))
    if tag == "m:m":
        return "[" + "; ".join(write_formula(row) for row in children(element, "m:mr")) + "]"
    if tag == "m:rad":
        degree = _part(element, "m:deg")
        return (f"√[{degree}](" if degree else "√(") + _part(element, "m:e") + ")"
    return "".join(write_formula(part) for part in element)


def _part(element: Element, tag: str) -> str:
    found = child(element, tag)
    return write_formula(found) if found is not None else ""


def _scripts(element: Element) -> str:
    low = _part(element, "m:sub") + (_part(element, "m:lim") if element.tag == "m:limLow" else "")
    high = _part(element, "m:sup") + (_part(element, "m:lim") if element.tag == "m:limUpp" else "")
    return (f"_{_grouped(low)}" if low else "") + (f"^{_grouped(high)}" if high else "")


def _grouped(text: str) -> str:
    return text if len(text) == 1 or text.isalnum() else f"({text})"


def _setting(element: Element, properties: str, tag: str, default: str) -> str:
    found = child(element, properties, tag)
    return default if found is None else found.get("m:val", "")
