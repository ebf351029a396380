"""What a front end may ask of a review, as messages of plain values: each calls one function, and is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from kgkit.frames import to_polars
from kgkit.reviewing.told import Preview, plain_rows

if TYPE_CHECKING:
    from kgkit.reviewing.review import Review

__all__ = ["answer_message"]

_LOT = 12  # cards in one answer
_MENTIONS = 200  # mentions in one answer
_QUOTES = 5  # sentences of each relation
_SHOWN = 300  # relations in one answer
_ENVELOPE = ("do", "token", "item_id", "verdict")

Message = dict[str, Any]


def answer_message(review: Review, message: Mapping[str, Any]) -> Message:
    """Do what a message asks for, and say what came of it; an error is an answer, and changes nothing.

    Args:
        review: The review.
        message: ``do`` says what; ``token`` is its id, for which the answer's ``re`` stands.

    Returns:
        ``re``, ``do``, ``ok``, and what came of it; or ``error``.

    Examples:
        >>> import polars as pl
        >>> from kgkit.reviewing import Review
        >>> people = pl.DataFrame({"entity_id": ["a", "b"], "name": ["Grace Hopper", "G. Hopper"]})
        >>> review = Review(pl.DataFrame({"left_id": ["a"], "right_id": ["b"], "score": [0.7]}), people)
        >>> answer_message(review, {"do": "preview", "verdict": "accepted", "at": 0.5})["preview"]["n"]
        1
    """
    act = _ACTS.get(message["do"])
    answer: Message = {"re": message.get("token"), "do": message["do"], "ok": True}
    if act is None:
        return answer | {"ok": False, "error": f"This version does not know {message['do']!r}."}
    try:
        return answer | act(review, message)
    except Exception as error:  # shown beside the item, and kept in review.errors
        return answer | {"ok": False, "error": str(error) or type(error).__name__}


def _decide(review: Review, message: Mapping[str, Any]) -> Message:
    more = {k: v for k, v in message.items() if k not in _ENVELOPE and v is not None}
    done = review.decide(message["item_id"], message["verdict"], token=message.get("token"), **more)
    return {"status": done.status, "n_conflicts": done.n_conflicts}


def _undo(review: Review, message: Mapping[str, Any]) -> Message:
    if message.get("decision_id"):
        return {"items": [review.undo_decision(message["decision_id"])]}
    if message.get("batch"):
        return {"items": review.undo_batch(message["batch"])}
    return {"items": review.undo()}


def _cards(review: Review, message: Mapping[str, Any]) -> Message:
    return {"cards": {i: review.item(i) for i in list(message["ids"])[:_LOT]}}


def _open(review: Review, message: Mapping[str, Any]) -> Message:
    found = review.passage(message["doc_id"], int(message["start"]), int(message["end"]))
    if found is None:
        return {"ok": False, "error": "The document's text is not here; give documents= to review."}
    return {"passage": found}


def _ask(review: Review, message: Mapping[str, Any]) -> Message:
    review.ask(message.get("order"), **message.get("filters", {}))
    return {}


def _preview(review: Review, message: Mapping[str, Any]) -> Message:
    return {"preview": _previewed(review.preview(message["verdict"], at=float(message["at"])))}


def _previewed(seen: Preview) -> Message:
    return {
        "verdict": seen.verdict, "at": seen.at, "n": seen.n, "barred": seen.barred, "n_joins": seen.n_joins,
        "weakest": seen.weakest.select("item_id", "name", "score").to_dicts(), "joins": seen.joins["names"].to_list(),
    }  # fmt: skip


def _bulk(review: Review, message: Mapping[str, Any]) -> Message:
    done = review.decide_all(message["verdict"], at=float(message["at"]))
    return {"n": done.n, "barred": done.barred, "batch": done.batch}


def _policy(review: Review, message: Mapping[str, Any]) -> Message:
    """Preview a policy; apply it when the message says ``apply`` and names the number that the preview gave."""
    verdict, at = message.get("verdict", "accepted"), float(message["at"])
    seen = _previewed(review.preview(verdict, at=at))
    if not message.get("apply"):
        return {"preview": seen}
    if message.get("n") != seen["n"]:
        return {"ok": False, "error": f"It would decide on {seen['n']:,} items now; look again.", "preview": seen}
    done = review.apply_policy(message["name"], at, verdict=verdict)
    return {"n": done.n, "barred": done.barred, "batch": done.batch}


def _rescore(review: Review, message: Mapping[str, Any]) -> Message:
    review.rescore_later()
    return {}


def _conflicts(review: Review, message: Mapping[str, Any]) -> Message:
    rows = to_polars(review.conflicts).to_dicts()
    return {
        "conflicts": [
            {
                "left": review.name_of(r["left_id"]), "right": review.name_of(r["right_id"]),
                "apart_by": r["apart_by"], "joined_by": r["joined_by"], "settle": r["settle"],
                "joined_labels": [review.label_of(d) for d in r["joined_by"]],
            }
            for r in rows
        ]
    }  # fmt: skip


def _disagreements(review: Review, message: Mapping[str, Any]) -> Message:
    return {"disagreements": plain_rows(to_polars(review.disagreements))}


def _mentions(review: Review, message: Mapping[str, Any]) -> Message:
    found, first = to_polars(review.mentions(message["item_id"])), int(message.get("first", 0))
    return {"mentions": found.slice(max(first, 0), _MENTIONS).to_dicts(), "n": found.height, "first": first}


def _split(review: Review, message: Mapping[str, Any]) -> Message:
    seen = review.preview_split(message["item_id"], message["parts"])
    relations = to_polars(seen.relations)
    shown = relations.group_by("part", maintain_order=True).head(_SHOWN)
    return {
        "parts": to_polars(seen.parts).to_dicts(),
        "relations": shown.with_columns(pl.col("quotes", "statement_ids").list.head(_QUOTES)).to_dicts(),
    }


_ACTS: dict[str, Callable[[Review, Mapping[str, Any]], Message]] = {
    "ask": _ask,
    "bulk": _bulk,
    "cards": _cards,
    "conflicts": _conflicts,
    "decide": _decide,
    "disagreements": _disagreements,
    "mentions": _mentions,
    "open": _open,
    "policy": _policy,
    "preview": _preview,
    "rescore": _rescore,
    "split": _split,
    "undo": _undo,
}
