"""In which order items are asked about, and which of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kgkit.errors import OptionError
from kgkit.ids import stable_id
from kgkit.reviewing.entries import Entry

__all__ = ["ORDERS", "Filters", "ordered"]

ORDERS = ("teach", "uncertain", "consequential", "score", "group", "random", "disagreements")

Touched = Callable[[Entry], int]


@dataclass(frozen=True)
class Filters:
    """Which items are asked about; what is null filters nothing.

    Attributes:
        kind: merge, relation or type.
        type: Items with an entity of this type.
        document: Items with an entity that this document (its ``doc_id`` or source) names.
        low: Least score.
        high: Highest score.
        entity: Items about this entity, and about those that decisions made one with it when it was asked.
    """

    kind: str | None = None
    type: str | None = None
    document: str | None = None
    low: float | None = None
    high: float | None = None
    entity: str | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            number = name in ("low", "high")
            allowed: Any = (int, float) if number else str
            if value is not None and (not isinstance(value, allowed) or isinstance(value, bool)):
                msg = (
                    f"{name}={value!r} is no filter. Allowed: {'a score from 0 to 1' if number else 'a text'}, or None."
                )
                raise OptionError(msg)

    def keeps(
        self, entry: Entry, types: Collection[str | None], inside: Collection[str] | None, same: Collection[str]
    ) -> bool:
        """Tell whether an item is asked about.

        Args:
            entry: The item.
            types: The types of its entities.
            inside: The entities of the document.
            same: The entity with all that is one with it.
        """
        score = entry.score
        wrong = (
            (self.kind is not None and entry.kind != self.kind)
            or (self.type is not None and self.type not in types)
            or (self.entity is not None and not any(m in same for m in entry.members))
            or (inside is not None and not any(m in inside for m in entry.members))
            or (self.low is not None and (score is None or score < self.low))
            or (self.high is not None and (score is None or score > self.high))
        )
        return not wrong


def ordered(
    entries: Iterable[Entry], order: str, *, touched: Touched, seed: int, first: Sequence[str] = ()
) -> list[str]:
    """Put items in order; ties are broken by id.

    Args:
        entries: The items.
        order: ``uncertain`` (nearest to one half), ``consequential`` (most mentions that would change hands),
            ``score`` (highest first), ``group`` (what belongs together in a row, large groups first), ``random``
            (for an audit), ``teach`` (first those in ``first``, then the uncertain).
        touched: How many mentions an item touches.
        seed: Seed of the random order.
        first: Ids in the order in which they teach most.

    Raises:
        OptionError: The order is not known.
    """
    if order not in ORDERS:
        raise OptionError.not_one_of("order", order, ORDERS)
    held = list(entries)
    if order == "group":
        return [e.item_id for e in sorted(held, key=_by_group(held))]
    rank = {item: i for i, item in enumerate(first)}

    def unsure(entry: Entry) -> float:
        return 1.0 if entry.score is None else abs(entry.score - 0.5)

    keys: dict[str, Callable[[Entry], Any]] = {
        "uncertain": unsure,
        "consequential": lambda e: -touched(e),
        "score": lambda e: -1.0 if e.score is None else -e.score,
        "disagreements": lambda e: -touched(e),
        "random": lambda e: stable_id("draw", seed, e.item_id),
        "teach": lambda e: (rank.get(e.item_id, len(rank)), unsure(e)),
    }
    key = keys[order]
    return [e.item_id for e in sorted(held, key=lambda e: (key(e), e.item_id))]


def _by_group(entries: Sequence[Entry]) -> Callable[[Entry], Any]:
    sizes: dict[str, int] = {}
    for entry in entries:
        if entry.group is not None:
            sizes[entry.group] = sizes.get(entry.group, 0) + len(entry.members)
    return lambda e: (-sizes.get(e.group or "", 0), e.group or "~", -(e.score or 0.0), e.item_id)
