"""Ask about several items in one request, without any of them taking another's answer.

Each item gets a short label; the model gives a list of objects, each with the label as its ``id``. Labels that are not
in the batch are ignored and reported, answers that contradict each other fail their item, one bad answer fails no
other, and what is missing is asked again once. Nothing is ever matched by its position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Generic, TypeVar

from kgkit.ids import stable_id
from kgkit.models.chat import Ask, ChatModel, Reply
from kgkit.results import Status

__all__ = ["Answer", "Batch", "ask_items", "read_batch"]

T = TypeVar("T")
Check = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Answer:
    """What became of one item: ``value`` is what ``check`` made of the model's object.

    Tokens and cost are the item's share of its request, or of both requests; the shares of a request add up to it.
    """

    item_id: str
    status: Status
    reason: str | None = None
    detail: str | None = None
    value: Any = None
    attempts: int = 1
    model: str | None = None
    cached: bool = False
    notes: tuple[str, ...] = ()
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None


@dataclass(frozen=True)
class Batch(Generic[T]):
    """Some items in one request: ``labels`` leads from the label in the prompt to the item's id."""

    items: Sequence[tuple[str, T]]
    labels: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        labels = {f"p{i}": item_id for i, (item_id, _) in enumerate(self.items, start=1)}
        object.__setattr__(self, "labels", labels)

    @property
    def labelled(self) -> list[tuple[str, T]]:
        """Labels and items, in order: what goes into the prompt."""
        return [(label, item) for label, (_, item) in zip(self.labels, self.items, strict=True)]


def ask_items(
    model: ChatModel,
    items: Iterable[tuple[str, T]],
    *,
    make: Callable[[list[tuple[str, T]]], Ask],
    check: Check,
    stage: str,
    size: int = 20,
    field_name: str = "items",
) -> Iterator[Answer]:
    """Ask about items in batches, and yield each item's answer exactly once.

    Args:
        model: The model.
        items: Ids and items; ids are unique.
        make: Makes the request for some labelled items; its ``item_id`` does not matter.
        check: Makes the value of one object of the reply; raises ValueError where it cannot be used. ``None`` means
            that the model found nothing for this item.
        stage: Name of the function that asks.
        size: Items in a batch.
        field_name: Name of the list in the reply.

    Yields:
        Answers. Reasons of failures: those of the batch's reply, ``missing`` (asked twice, answered never),
        ``conflict`` (two different answers) and ``unusable_reply`` (what ``check`` said).
    """
    source = iter(items)
    groups = iter(lambda: list(islice(source, size)), [])
    missing: list[tuple[str, T]] = []
    before: dict[str, Answer] = {}
    for answer, item in _round(model, groups, make, check, stage, field_name):
        if answer.reason == "missing":
            missing.append((answer.item_id, item))
            before[answer.item_id] = answer
        else:
            yield answer
    again = iter([missing[i : i + size] for i in range(0, len(missing), size)])
    for answer, _ in _round(model, again, make, check, stage, field_name):
        first = before[answer.item_id]
        yield replace(
            answer,
            attempts=answer.attempts + 1,
            notes=(*answer.notes, "asked_again"),
            tokens_in=_sum(first.tokens_in, answer.tokens_in),
            tokens_out=_sum(first.tokens_out, answer.tokens_out),
            cost=_sum(first.cost, answer.cost),
        )


def _sum(one: Any, other: Any) -> Any:
    known = [value for value in (one, other) if value is not None]
    return sum(known) if known else None


def read_batch(data: Any, batch: Batch[Any], check: Check, *, field_name: str = "items") -> dict[str, Answer]:
    """Read the reply to one batch.

    Args:
        data: The parsed reply.
        batch: What was asked.
        check: See `ask_items`.
        field_name: Name of the list in the reply.

    Returns:
        An answer for each item of the batch, by its id. Labels that are not in it are in the notes of all.

    Raises:
        ValueError: The reply is no list of objects with ids, so that nothing can be said of any item.
    """
    rows = data.get(field_name) if isinstance(data, Mapping) else data
    if not isinstance(rows, list) or not any(isinstance(row, Mapping) and "id" in row for row in rows):
        msg = f"the reply must have a list {field_name!r} of objects, each with the id of its item"
        raise ValueError(msg)
    found: dict[str, list[Mapping[str, Any]]] = {}
    strange: set[str] = set()
    for row in rows:
        label = str(row.get("id")).strip().lower() if isinstance(row, Mapping) else ""
        if label in batch.labels:
            found.setdefault(label, []).append(row)
        else:
            strange.add(label)
    notes = (f"unknown_ids:{len(strange)}",) if strange else ()
    return {item: _one(item, found.get(label, []), check, notes) for label, item in batch.labels.items()}


def _one(item_id: str, rows: list[Mapping[str, Any]], check: Check, notes: tuple[str, ...]) -> Answer:
    if not rows:
        return Answer(item_id, "failed", "missing", "The model gave no answer for this item.", notes=notes)
    if any(row != rows[0] for row in rows[1:]):
        detail = f"The model gave {len(rows)} answers for this item that differ."
        return Answer(item_id, "failed", "conflict", detail, notes=notes)
    try:
        value = check(rows[0])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        return Answer(item_id, "failed", "unusable_reply", f"The answer cannot be used: {error}", notes=notes)
    if value is None:
        return Answer(item_id, "empty", "empty", "The model found nothing for this item.", notes=notes)
    return Answer(item_id, "ok", value=value, notes=notes)


def _round(
    model: ChatModel,
    groups: Iterator[list[tuple[str, T]]],
    make: Callable[[list[tuple[str, T]]], Ask],
    check: Check,
    stage: str,
    field_name: str,
) -> Iterator[tuple[Answer, T]]:
    under_way: dict[str, Batch[T]] = {}

    def asks() -> Iterator[Ask]:
        for group in groups:
            batch = Batch(group)
            name = stable_id("batch", *(item_id for item_id, _ in group))
            under_way[name] = batch
            yield replace(make(batch.labelled), item_id=name)

    for reply in model.ask(asks(), stage=stage, parse=lambda data: _usable(data, field_name)):
        batch = under_way.pop(reply.item_id)
        answers = _answers(reply, batch, check, field_name)
        tokens = zip(*(_shares(n, len(batch.items)) for n in (reply.tokens_in, reply.tokens_out)), strict=True)
        cost = None if reply.cost is None else reply.cost / len(batch.items)
        for (item_id, item), (sent, said) in zip(batch.items, tokens, strict=True):
            answer = replace(answers[item_id], tokens_in=sent, tokens_out=said, cost=cost)
            yield replace(answer, model=reply.model, cached=reply.cached, attempts=reply.attempts), item


def _shares(total: int | None, n: int) -> list[int | None]:
    """Part a whole number into ``n`` that add up to it."""
    if total is None:
        return [None] * n
    return [total // n + (i < total % n) for i in range(n)]


def _usable(data: Any, field_name: str) -> bool:
    rows = data.get(field_name) if isinstance(data, Mapping) else data
    if not isinstance(rows, list) or not any(isinstance(row, Mapping) and "id" in row for row in rows):
        msg = f"it must have a list {field_name!r} of objects, each with the id of its item"
        raise ValueError(msg)
    return True


def _answers(reply: Reply, batch: Batch[Any], check: Check, field_name: str) -> dict[str, Answer]:
    partial = reply.reason == "cut_by_length" and reply.data is not None
    if reply.status in ("ok", "empty") or partial:  # what came whole before a cut is good; the rest is missing
        try:
            return read_batch(reply.data, batch, check, field_name=field_name)
        except ValueError:
            pass
    answer = Answer("", reply.status, reply.reason, reply.detail, notes=reply.notes)
    return {item_id: replace(answer, item_id=item_id) for item_id, _ in batch.items}
