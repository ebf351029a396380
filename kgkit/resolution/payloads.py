"""What a decision's payload must hold, kind by kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

__all__ = ["trouble"]

_POLARITIES = ("positive", "negated", "conditional", "reported")
_VERDICTS = ("accepted", "rejected", "skipped", "flagged")
_TEXTS = ("name", "type", "predicate")


def trouble(kind: str, verdict: str, payload: Mapping[str, Any]) -> str | None:
    """Say what is wrong with a payload, or ``None`` when it can be used."""
    if verdict == "undone":
        return None if _is_text(payload.get("decision_id")) else "an undo needs a decision_id, as text"
    if verdict not in _VERDICTS:
        return f"the verdict {verdict!r} is not known; allowed: {', '.join(_VERDICTS)}, undone"
    if verdict not in _VERDICTS[:2]:
        return None
    for key in _TEXTS:
        if payload.get(key) is not None and not _is_text(payload[key]):
            return f"{key} must be text, and not empty"
    check = _CHECKS.get(kind)
    return check(verdict, payload) if check else None


def _merge(verdict: str, payload: Mapping[str, Any]) -> str | None:
    ids, apart = payload.get("entity_ids"), payload.get("apart", [])
    if not _are_texts(ids) or not _are_texts(apart):
        return "a merge needs entity_ids, a list of texts (and apart, if given, is one too)"
    if set(ids) & set(apart):
        return f"{min(set(ids) & set(apart))} is in entity_ids and in apart"
    if len(set(ids)) + (len(apart) if verdict == "accepted" else 0) < 2 or not ids:
        return "a merge needs two different entity_ids"
    return None


def _split(verdict: str, payload: Mapping[str, Any]) -> str | None:
    if verdict == "rejected":
        return None
    parts = payload.get("parts")
    if not isinstance(parts, list) or not parts:
        return "a split needs parts, a list"
    held: list[str] = []
    for part in parts:
        if not isinstance(part, dict) or not _is_text(part.get("name")):
            return "each part of a split needs a name"
        if part.get("type") is not None and not _is_text(part["type"]):
            return "the type of a part must be text"
        own = [part.get(key, []) for key in ("mention_ids", "doc_ids")]
        if not all(map(_are_texts, own)) or not any(own):
            return "each part of a split needs mention_ids or doc_ids, lists of texts"
        held += [*set(own[0]), *set(own[1])]
    if len(held) != len(set(held)):
        return "a mention or document is in two parts"
    return None


def _relation(verdict: str, payload: Mapping[str, Any]) -> str | None:
    if verdict == "rejected":
        given = payload.get("statement_ids")
        return None if given is None or (_are_texts(given) and given) else "statement_ids must be a list of texts"
    if not isinstance(payload.get("reverse", False), bool):
        return "reverse must be true or false"
    if payload.get("polarity") not in (None, *_POLARITIES):
        return f"polarity must be one of {', '.join(_POLARITIES)}"
    return None


def _type(verdict: str, payload: Mapping[str, Any]) -> str | None:
    if not _are_texts(payload.get("revoked", [])):
        return "revoked must be a list of texts"
    if verdict == "accepted" and not any(payload.get(key) for key in ("type", "name", "revoked")):
        return "a type decision needs type, name or revoked"
    return None


_CHECKS: dict[str, Callable[[str, Mapping[str, Any]], str | None]] = {
    "merge": _merge,
    "split": _split,
    "relation": _relation,
    "type": _type,
}


def _is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


def _are_texts(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(map(_is_text, value))
