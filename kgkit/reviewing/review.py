"""`Review`: a queue of proposals with everything that is done with it, and no front end."""

from __future__ import annotations

from typing import Any, Unpack

from kgkit.frames import to_polars
from kgkit.reviewing.many import Many
from kgkit.reviewing.options import Options, takes_options
from kgkit.reviewing.splitting import Splitting
from kgkit.reviewing.teaching import Teaching
from kgkit.reviewing.told import advice, plain_rows

__all__ = ["Review"]


class Review(Many, Splitting, Teaching):
    """A queue of proposals, and what people decide about them; made by `kgkit.review`, or without a front end here.

    Args:
        proposals: What is proposed, as `kgkit.review` takes it.
        graph: The graph that it is about.
        **options: See `kgkit.reviewing.Options`.

    Attributes:
        reviewer: Who decides.
        order: The order in which items are asked about.
        filters: Which items are asked about.
        errors: Why the last try to decide on an item failed, by its id.
        learn: Whether to score anew in the background after every ten answers.
        changes: What each round of learning changed.

    Examples:
        >>> import polars as pl
        >>> people = pl.DataFrame({"entity_id": ["a", "b"], "name": ["Grace Hopper", "G. Hopper"]})
        >>> review = Review(pl.DataFrame({"left_id": ["a"], "right_id": ["b"], "score": [0.7]}), people, reviewer="Ada")
        >>> item = review.next()
        >>> item["question"], [side["name"] for side in item["sides"]]
        ('Are these one?', ['Grace Hopper', 'G. Hopper'])
        >>> review.decide(item["item_id"], "accepted").status
        'recorded'
        >>> review.decisions.select("kind", "verdict", "reviewer").row(0)
        ('merge', 'accepted', 'Ada')
    """

    @takes_options()
    def __init__(self, proposals: Any, graph: Any, **options: Unpack[Options]) -> None:
        super().__init__(proposals, graph, **options)

    def __repr__(self) -> str:
        progress = self.progress
        proposals = f"{progress.total:,} proposal{'s' * (progress.total != 1)}"
        return f"{type(self).__name__}({proposals}, {progress.decided:,} decided)"

    def state(self) -> dict[str, Any]:
        """Give all that is shown around an item, as plain values; each front end shows the same.

        Returns:
            ``progress`` (as `progress`, a mapping), ``said`` (the same in words), ``recent``, ``order``, ``orders``,
            ``filters`` (those in force), ``types`` and ``kinds`` (that can be filtered by), ``reviewer``, ``blind``,
            ``learns``, ``helps``, ``change`` (the last round of learning, in words; null before), ``advice`` (whether
            more answers help and how many errors to expect, in words), ``expected_errors``, ``policies``,
            ``n_disagreements``, ``agreement`` (both lists of rows) and ``failed`` (why learning failed).
        """
        with self._lock:
            progress, errors = self.progress, to_polars(self.expected_errors())
            return {
                "progress": vars(progress).copy(),
                "said": str(progress),
                "recent": self.recent(10),
                "order": self.order,
                "orders": self.orders,
                "filters": {k: v for k, v in vars(self.filters).items() if v is not None},
                "types": self._types,
                "kinds": self._kinds,
                "reviewer": self.reviewer,
                "blind": self.blind,
                "learns": self.learns,
                "helps": self.helps,
                "change": str(self.changes[-1]) if self.changes else None,
                "advice": advice(errors, self.helps if self.learns else None),
                "expected_errors": errors.to_dicts(),
                "policies": plain_rows(to_polars(self.policies)),
                "n_disagreements": len(self._disputes),
                "agreement": to_polars(self.agreement).to_dicts(),
                "failed": self.errors.get("rescore"),
            }
