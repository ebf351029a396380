"""What the engine asks of a kind of items, and which kinds there are."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from kgkit.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from kgkit.resolution.decisions import Decision
    from kgkit.reviewing.cards import Card, Cards
    from kgkit.reviewing.entries import Entry
    from kgkit.reviewing.payload import Wanted

__all__ = ["Kind", "add_kind", "kind_of", "known_kinds", "says_else", "subject_of"]

_KINDS: dict[str, Kind] = {}
_ASKED_AS: dict[str, str] = {}  # kinds of decisions that are about items of another kind


class Kind:
    """One kind of things to decide on: merges, relations, entities, and what is added with `add_kind`.

    A new kind is a subclass in a module of its own that says what its proposals look like, how an item is shown, and
    what an answer says as a decision. Queue, orders, filters, undo, policies, sheets, several reviewers, the terminal
    and the panel then work for it as for the others.

    Attributes:
        name: The kind of its decisions, as the table ``decisions`` has it.
        others: Further kinds of decisions that are about the same items.
        table: The table of a result that holds its proposals.
        needs: Columns by which a frame of its proposals is known.
        takes: What an answer may hold besides verdict and note: keyword arguments of `Review.decide`.
        silent: Those of them about which an answer that leaves them out says nothing.
    """

    name: ClassVar[str]
    others: ClassVar[tuple[str, ...]] = ()
    table: ClassVar[str | None] = None
    needs: ClassVar[frozenset[str]]
    takes: ClassVar[tuple[str, ...]] = ()
    silent: ClassVar[tuple[str, ...]] = ()

    def entries(self, frame: pl.DataFrame, held: Mapping[str, Any], *, groups: bool) -> list[Entry]:
        """Make the items of a frame of proposals.

        Args:
            frame: The proposals.
            held: All frames of the result that they came in; empty for a mere frame.
            groups: Whether what belongs together is one item.
        """
        raise NotImplementedError

    def label(self, entry: Entry, cards: Cards) -> str:
        """Name an item in one line."""
        raise NotImplementedError

    def card(self, entry: Entry, cards: Cards, apart: Collection[tuple[str, str]]) -> Card:
        """Give what is needed to decide: ``question``, and whatever else is shown.

        ``sides`` (see `Cards.side`), ``quotes`` and ``against`` are shown by every front end; the rest is for one that
        knows this kind. ``apart`` are pairs of entities that decisions keep apart.
        """
        raise NotImplementedError

    def decision(self, entry: Entry, verdict: str, said: Mapping[str, Any], cards: Cards) -> Wanted:
        """Write an answer as a decision; ``said`` holds what was answered of ``takes``.

        Raises:
            InputError: The answer does not fit the item.
        """
        from kgkit.reviewing.payload import COUNT, Wanted

        return Wanted(self.name, entry.item_id, dict(said) if verdict in COUNT else {})

    def touched(self, entry: Entry, cards: Cards) -> int:
        """Count what a yes would touch, in mentions; for the order ``consequential``."""
        return sum(cards.n_mentions(m) for m in entry.members)

    def differ(self, one: Decision, other: Decision) -> bool:
        """Tell whether two accepted or rejected decisions on one item say different things."""
        if (one.kind, one.verdict) != (other.kind, other.verdict):
            return True
        from kgkit.reviewing.payload import core_of

        left, right = core_of(one.payload), core_of(other.payload)
        both = left.keys() & right.keys()
        keys = {k for k in left.keys() | right.keys() if k in both or k not in self.silent}
        return any(left.get(k) != right.get(k) for k in keys)


def add_kind(kind: Kind) -> None:
    """Make a kind known; of two of one name the later one counts."""
    _KINDS[kind.name] = kind
    _ASKED_AS.update(dict.fromkeys(kind.others, kind.name))


def known_kinds() -> list[Kind]:
    """Give all kinds, the latest first."""
    return list(reversed(_KINDS.values()))


def kind_of(name: str) -> Kind:
    """Give a kind by its name.

    Raises:
        InputError: There is none.
    """
    try:
        return _KINDS[name]
    except KeyError:
        msg = f"Nothing is known of items of kind {name!r}. Known: {', '.join(_KINDS)}."
        raise InputError(msg) from None


def says_else(name: str, one: Decision, other: Decision) -> bool:
    """Tell whether two decisions on one item say different things, also where their kind is not known here."""
    return _KINDS.get(name, Kind()).differ(one, other)


def subject_of(decision: Decision) -> tuple[str, str]:
    """Give the kind and the id of the item that a decision is about."""
    return _ASKED_AS.get(decision.kind, decision.kind), str(decision.payload.get("item", decision.subject_id))
