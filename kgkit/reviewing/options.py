"""What a review takes besides proposals and a graph, declared once: names, types, defaults and what they mean."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, TypedDict, TypeVar, get_type_hints

from kgkit.errors import InputError, OptionError
from kgkit.reviewing.orders import ORDERS

__all__ = ["DEFAULTS", "Options", "checked", "takes_options"]

F = TypeVar("F", bound=Callable[..., Any])


class Options(TypedDict, total=False):
    """Options of `kgkit.review` and of `kgkit.reviewing.Review`.

    Attributes:
        decisions: Earlier decisions to go on from; what they settle is not asked again.
        project: A `kgkit.Project`, which keeps the decisions, and gives the earlier ones.
        documents: Documents, for whole sentences around names and for opening a document at a quote.
        reviewer: Who decides; by default the name of the user.
        order: ``teach`` (what teaches the matcher most; the default after `kgkit.propose_merges`), ``uncertain``,
            ``consequential`` (mentions that would change hands), ``score``, ``group``, ``random`` (an audit) or
            ``disagreements`` (only what reviewers say different things of).
        groups: Whether groups of three and more are decided on as one.
        blind: Hide scores and reasons, and what others said until one has decided oneself.
        second_opinion: Share of the items that others decided to ask about again, drawn at random.
        learn: Whether the matcher learns after every ten answers, in the background.
        seed: Seed of random orders and samples.
    """

    decisions: Any
    project: Any
    documents: Any
    reviewer: str | None
    order: str | None
    groups: bool
    blind: bool
    second_opinion: float
    learn: bool
    seed: int


DEFAULTS: Options = {
    "decisions": None, "project": None, "documents": None, "reviewer": None, "order": None, "groups": True,
    "blind": False, "second_opinion": 0.0, "learn": False, "seed": 0,
}  # fmt: skip


def checked(options: Mapping[str, Any]) -> Options:
    """Fill in the defaults.

    Raises:
        InputError: Decisions and a project are both given.
        OptionError: An option is not known, or out of range.
    """
    strange = [name for name in options if name not in DEFAULTS]
    if strange:
        raise OptionError.not_one_of("option", strange[0], DEFAULTS)
    held: Options = {**DEFAULTS, **options}  # type: ignore[typeddict-item]
    if held["decisions"] is not None and held["project"] is not None:
        msg = "Give decisions= or project=, not both: a project has its own decisions."
        raise InputError(msg)
    if not 0 <= held["second_opinion"] <= 1:
        msg = f"second_opinion={held['second_opinion']!r} is out of range. Allowed: 0 to 1."
        raise OptionError(msg)
    if held["order"] is not None and held["order"] not in ORDERS:
        raise OptionError.not_one_of("order", held["order"], ORDERS)
    return held


def takes_options(**other: Any) -> Callable[[F], F]:
    """Show `Options` in the signature and the help of a function in place of its ``**options``.

    Args:
        **other: Defaults that differ from those of `Options`.
    """

    def show(function: F) -> F:
        hints = get_type_hints(Options)
        shape = inspect.signature(function)
        own = [p for p in shape.parameters.values() if p.kind is not p.VAR_KEYWORD]
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[name])
            for name, default in {**DEFAULTS, **other}.items()
        ]
        function.__signature__ = shape.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        lines = inspect.cleandoc(Options.__doc__ or "").partition("Attributes:\n")[2].splitlines()
        told = "\n".join(f"    {line}".rstrip() for line in lines)
        function.__doc__ = re.sub(r"^ *\*\*options:.*$", lambda _: told, function.__doc__ or "", flags=re.MULTILINE)
        return function

    return show
