"""The options of a stage as the ledger keeps them, and back: text, numbers and lists, never a key."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from kgkit.errors import InputError, OptionError
from kgkit.project.secrets import refuse_secrets

__all__ = ["kept_options", "model_key", "revived_options"]

_NOT_KEPT = ("workers", "progress", "backend")  # how it is run, not what comes out


def kept_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Bring a stage's options to what JSON can hold, without those that change nothing of the result.

    A language model is kept as what decides its replies (endpoint, name, parameters), a schema as YAML.

    Raises:
        OptionError: A value cannot be written down, or looks like a secret.
    """
    kept = {name: _plain(name, value) for name, value in sorted(options.items()) if name not in _NOT_KEPT}
    refuse_secrets(kept)
    return kept


def revived_options(params: Mapping[str, Any], models: Mapping[str, Any]) -> dict[str, Any]:
    """Make options out of what the ledger kept of them.

    Args:
        params: What `kept_options` gave.
        models: The language models at hand, by `model_key`.

    Raises:
        InputError: The options hold a language model that is not at hand.
    """
    options = dict(params)
    kept = options.get("model")
    if isinstance(kept, dict):
        model = models.get(json.dumps(kept, sort_keys=True))
        if model is None:
            name, place = (kept.get(part, "?") for part in ("model", "endpoint"))
            msg = (
                f"This was made with the language model {name!r} at {place}, which this process does not have. "
                "Give it: project.refresh(model=...), or run the verb with model=... yourself."
            )
            raise InputError(msg)
        options["model"] = model
    return options


def model_key(model: Any) -> str:
    """Give the text that tells a language model from others: the same endpoint, name and parameters give the same."""
    return json.dumps(model.identity(), sort_keys=True)


def _plain(name: str, value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (set, frozenset)):
        return sorted(_plain(name, item) for item in value)
    if isinstance(value, (list, tuple)):
        return [_plain(name, item) for item in value]
    if callable(getattr(value, "identity", None)):
        return value.identity()
    schema = getattr(value, "schema", value)
    if callable(getattr(schema, "to_yaml", None)):
        return schema.to_yaml()
    msg = (
        f"{name} is a {type(value).__name__}, which the project's ledger cannot keep. Give text, numbers, or lists "
        "of these; or call the stage function itself."
    )
    raise OptionError(msg)
