"""Finding mentions and statements in chunks."""

from __future__ import annotations

from kgkit.extraction.run import Extraction, extract
from kgkit.extraction.schema import Schema

__all__ = ["Extraction", "Schema", "extract"]
