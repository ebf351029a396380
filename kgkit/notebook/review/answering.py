"""What the panel's browser side may ask for. Each message calls one function of the review, and is answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kgkit.frames import to_polars

if TYPE_CHECKING:
    from kgkit.reviewing import Review

__all__ = ["answer_message"]

_DECIDE = (
    "members", "name", "type", "predicate", "reverse", "polarity", "statement_ids", "parts", "note",
)  # fmt: skip
_LOT = 12  # cards in one answer

Message = dict[str, Any]


def answer_message(review: Review, message: Message) -> Message:
    """Do what a message asks for, and say what came of it; an error is an answer, and changes nothing."""
    act = _ACTS.get(message["do"])
    answer: Message = {"re": message.get("token"), "do": message["do"], "ok": True}
    if act is None:
        return answer | {"ok": False, "error": f"This version does not know {message['do']!r}."}
    try:
        return answer | act(review, message)
    except Exception as error:  # shown beside the item, and kept in review.errors
        return answer | {"ok": False, "error": str(error) or type(error).__name__}


def _decide(review: Review, message: Message) -> Message:
    more = {k: message[k] for k in _DECIDE if message.get(k) is not None}
    done = review.decide(message["item_id"], message["verdict"], token=message.get("token"), **more)
    return {"status": done.status, "n_conflicts": done.n_conflicts}


def _undo(review: Review, message: Message) -> Message:
    if message.get("decision_id"):
        return {"items": [review.undo_decision(message["decision_id"])]}
    return {"items": review.undo()}


def _cards(review: Review, message: Message) -> Message:
    return {"cards": {i: review.item(i) for i in list(message["ids"])[:_LOT]}}


def _open(review: Review, message: Message) -> Message:
    found = review.passage(message["doc_id"], int(message["start"]), int(message["end"]))
    if found is None:
        return {"ok": False, "error": "The document's text is not here; give documents= to review."}
    return {"passage": found}


def _ask(review: Review, message: Message) -> Message:
    review.ask(message.get("order"), **message.get("filters", {}))
    return {}


def _preview(review: Review, message: Message) -> Message:
    seen = review.preview(message["verdict"], at=float(message["at"]))
    return {
        "preview": {
            "verdict": seen.verdict, "at": seen.at, "n": seen.n, "barred": seen.barred, "n_joins": seen.n_joins,
            "weakest": seen.weakest.select("name", "score").to_dicts(), "joins": seen.joins["names"].to_list(),
        }
    }  # fmt: skip


def _bulk(review: Review, message: Message) -> Message:
    verdict, at = message["verdict"], float(message["at"])
    if message.get("policy"):
        return {"n": review.apply_policy(message["policy"], at, verdict=verdict).n}
    return {"n": review.decide_all(verdict, at=at).n}


def _rescore(review: Review, message: Message) -> Message:
    review.rescore_later()
    return {}


def _conflicts(review: Review, message: Message) -> Message:
    rows = to_polars(review.conflicts).to_dicts()
    name = review.name_of
    return {
        "conflicts": [
            {
                "left": name(r["left_id"]), "right": name(r["right_id"]),
                "apart_by": r["apart_by"], "joined_by": r["joined_by"], "settle": r["settle"],
            }
            for r in rows
        ]
    }  # fmt: skip


def _split(review: Review, message: Message) -> Message:
    return {"effect": to_polars(review.preview_split(message["item_id"], message["parts"])).to_dicts()}


_ACTS: dict[str, Callable[[Review, Message], Message]] = {
    "ask": _ask,
    "bulk": _bulk,
    "cards": _cards,
    "conflicts": _conflicts,
    "decide": _decide,
    "open": _open,
    "preview": _preview,
    "rescore": _rescore,
    "split": _split,
    "undo": _undo,
}
