"""Names of a package that are imported when they are first used, so that ``import kgkit`` stays fast."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy_names"]


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Make the ``__getattr__`` of a package.

    Args:
        package: The package, as its ``__name__``.
        homes: For each name the module of the package that holds it; ``""`` where the name is itself a module.

    Returns:
        A function that imports a name, remembers it in the package, and raises AttributeError for others.

    Examples:
        >>> get = lazy_names("kgkit", {"stable_id": "ids"})
        >>> get("stable_id")("doc", 1)[:4]
        'doc_'
    """

    def get(name: str) -> Any:
        if name not in homes:
            msg = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(msg)
        home = homes[name]
        value: Any = getattr(import_module(f"{package}.{home}"), name) if home else import_module(f"{package}.{name}")
        setattr(sys.modules[package], name, value)
        return value

    return get
