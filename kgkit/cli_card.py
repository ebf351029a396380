"""How an item of a review is shown in a terminal."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from kgkit.cli_show import clean

__all__ = ["show_card"]

_SIGNS = {True: "+", False: "-"}
_REASONS, _QUOTES, _DOCUMENTS = 4, 2, 12
_IN_WORDS = {"name": "name", "type": "type", "predicate": "says", "polarity": "polarity", "reverse": "turned round"}


def show_card(card: Mapping[str, Any], *, left: int, out: Collection[int], chosen: Mapping[str, Any]) -> None:
    """Print an item: its question, both sides with their words, what speaks for and against, and what was chosen.

    Args:
        card: The item.
        left: Number of items that are left.
        out: Numbers of the members or sentences that are unticked.
        chosen: What was chosen so far.
    """
    score = "" if card.get("score") is None else f"   score {card['score']:.2f}"
    print(clean(f"\n--- {left:,} left --- {card['question'] or card['label']}{score}"))
    if card["kind"] == "relation":
        _show_relation(card, out)
    else:
        _show_sides(card, out)
    for text in card["against"]:
        print(clean(f"  AGAINST: {text}"))
    for voice in card["voices"] if card["disputed"] else ():
        more = "".join(f"; {voice[k]}" for k in ("says", "note") if voice[k])
        print(clean(f"  {voice['reviewer']} says: {voice['verdict']}{more}"))
    reasons = sorted(card["reasons"], key=lambda r: -abs(r["weight"]))[:_REASONS]
    if reasons:
        print(clean("  " + "; ".join(f"{_SIGNS[r['weight'] >= 0]} {r['reason']}" for r in reasons)))
    if card["error"]:
        print(clean(f"  NOT KEPT before: {card['error']}"))
    if chosen:
        print(clean("  CHOSEN: " + "; ".join(f"{_IN_WORDS[k]}: {v}" for k, v in chosen.items())))


def _show_sides(card: Mapping[str, Any], out: Collection[int]) -> None:
    group = len(card["sides"]) > 2
    for number, side in enumerate(card["sides"], start=1):
        tick = (
            f"[{' ' if number in out else 'x'}] {number} "
            if group
            else f"{number}  "
            if card["kind"] == "merge"
            else ""
        )
        mentions = f"{side['n_mentions']:,} mention{'s' * (side['n_mentions'] != 1)}"
        print(clean(f"  {tick}{side['name']}  [{side['type'] or 'no type'}, {mentions}]"))
        for quote in side["quotes"][:_QUOTES]:
            _show_quote(quote)
    for document in card.get("documents", ())[:_DOCUMENTS]:
        print(clean(f"  in {document['source']}: {len(document['mention_ids'])}"))


def _show_relation(card: Mapping[str, Any], out: Collection[int]) -> None:
    print(clean(f"  {card['label']}"))
    for number, quote in enumerate(card["quotes"], start=1):
        _show_quote(quote, f"[{' ' if number in out else 'x'}] {number} " if len(card["quotes"]) > 1 else "")


def _show_quote(quote: Mapping[str, Any], tick: str = "") -> None:
    place = "" if quote["start"] is None else f" {quote['start']}"
    print(clean(f'      {tick}"{quote["text"]}"  ({quote["source"]}{place})'))
