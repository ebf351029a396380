"""Finding mentions and statements in chunks."""

from __future__ import annotations

from kgkit.extraction.run import Extraction, extract

__all__ = ["Extraction", "extract"]
